//! The text of Linux `vmstat`: rows under a header that repeats, with or without a time.
//!
//! The first row of every run is an average since boot and is left out. `-y` prints none, and nothing in the file tells:
//! then one good row is left out, which is the safe choice.
//! `-S` changes the unit of the memory columns, and nothing in the file tells that either: they are taken as KiB, the default.
//! Refused: the layouts of other systems, the reports of other options (`-d`, `-s`, `-m` …), a time that nobody stated.

use std::io::BufRead;

use super::{About, Format, FormatError, Parsed};
use crate::snapshot::Snapshot;
use layout::{Groups, Layout};
use reader::Reader;

mod layout;
mod reader;
#[cfg(test)]
mod tests;
mod times;

/// The format.
pub(super) struct Vmstat;

/// In how many lines a header must come: a recording may begin with a date or a command, a log that quotes one is none.
const HEAD: usize = 20;

impl Format for Vmstat {
    fn name(&self) -> &'static str {
        "vmstat"
    }

    fn matches(&self, head: &str) -> bool {
        let mut groups = None;
        head.lines().filter(|line| !line.trim().is_empty()).take(HEAD).any(|line| {
            let above = groups;
            groups = Groups::of(line);
            Layout::of(line.trim_start_matches('\u{feff}'), above).is_some()
        })
    }

    fn parse(&self, input: &mut dyn BufRead, about: &About, sink: &mut dyn FnMut(Snapshot)) -> Result<Parsed, FormatError> {
        Reader::new(about, sink).read(input)
    }
}
