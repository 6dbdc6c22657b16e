//! `sadf -d`: sysstat's recordings as fields between semicolons, one activity after the other, each in order of time.
//!
//! Stamps are in UTC, local (`-T`, `-t`) or seconds since 1970 (`-U`); numbers have a point or a comma; `-h` puts all
//! activities into one row. Processors together are read, single ones are not; disks only where their name says that
//! they are whole ones; tables of other things (interrupts, terminals, file systems …) are known and left alone.
//! Refused: a local time without a zone, a column whose place in a wide row is not certain.

use std::io::BufRead;

use super::{About, Format, FormatError, Parsed};
use crate::snapshot::Snapshot;
use header::Header;
use reader::Reader;

mod header;
mod reader;
#[cfg(test)]
mod tests;

/// The format.
pub(super) struct Sadf;

/// In how many lines a header must come.
const HEAD: usize = 20;

impl Format for Sadf {
    fn name(&self) -> &'static str {
        "sadf"
    }

    fn matches(&self, head: &str) -> bool {
        let mut lines = head.lines().filter(|line| !line.trim().is_empty()).take(HEAD);
        lines.any(|line| Header::of(line.trim_start_matches('\u{feff}')).is_some())
    }

    fn parse(&self, input: &mut dyn BufRead, about: &About, sink: &mut dyn FnMut(Snapshot)) -> Result<Parsed, FormatError> {
        Reader::new(about, sink).read(input)
    }
}
