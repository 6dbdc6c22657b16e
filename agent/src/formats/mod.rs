//! Files people already have: one grammar per file here.
//!
//! A format recognises its file by header words, never by name, and turns rows into snapshots through [`Snapshot::put`].
//! Parsing never fails as a whole: what is understood is kept, what is not is returned with its line and reason.
//! Refused: opening files (the caller does), metric names, a guessed date or zone.

use std::io::{self, BufRead};
use std::time::Duration;

use chrono::NaiveDateTime;
use chrono_tz::Tz;
use thiserror::Error;

use crate::snapshot::Snapshot;

mod clock;
mod devices;
pub mod domino;
mod lines;
mod sadf;
#[cfg(test)]
mod tests;
mod vmstat;

/// Every format, in the order in which they are asked.
pub const ALL: &[&dyn Format] = &[&sadf::Sadf, &vmstat::Vmstat, &domino::recording::ShowStat];

/// A grammar.
pub trait Format: Sync {
    /// The name that `--format` takes.
    fn name(&self) -> &'static str;

    /// Whether the first lines of a file are this format's.
    fn matches(&self, head: &str) -> bool;

    /// Reads the file to its end, giving each row's snapshot to `sink`.
    ///
    /// # Errors
    /// Where the file cannot be read, or where something in it cannot be placed in time without being told more.
    /// That may show in the middle of a file: what `sink` was given until then is not to be kept.
    fn parse(&self, input: &mut dyn BufRead, about: &About, sink: &mut dyn FnMut(Snapshot)) -> Result<Parsed, FormatError>;
}

/// What the user knows about a file and the file does not say.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The host it was recorded on, where the file does not name one; over a name in the file if `host_given`.
    pub host: String,
    /// Whether the user named the host.
    pub host_given: bool,
    /// The zone its local times are in.
    pub zone: Option<Tz>,
    /// When the command was started, local time in `zone`: the first interval row ends one interval later.
    pub start: Option<NaiveDateTime>,
    /// The interval between rows.
    pub every: Option<Duration>,
    /// The partition of a Domino server it tells of, over a name in the file.
    pub partition: Option<String>,
    /// The order in which dates are written, where the file does not show it.
    pub date_order: Option<domino::dates::DateOrder>,
    /// Statistics of a Domino server that no row claims and that are wanted all the same.
    pub named: Vec<domino::stats::Named>,
}

/// What came of a file beside its snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// What the instants rest on, for people: "row stamp with zone", "start and interval given".
    pub time_quality: &'static str,
    /// What was left out.
    pub skipped: Skipped,
}

/// Lines that were not understood: how many, and the first of them in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first ones; a list that does not grow with the file.
    pub first: Vec<SkippedLine>,
}

/// A line that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub why: String,
}

impl Skipped {
    /// How many lines are kept in full.
    const KEPT: usize = 20;

    /// Counts a line.
    pub fn add(&mut self, line: u64, why: impl Into<String>) {
        self.count += 1;
        if self.first.len() < Skipped::KEPT {
            self.first.push(SkippedLine { line, why: why.into() });
        }
    }
}

/// Why a file gave nothing.
#[derive(Debug, Error)]
pub enum FormatError {
    /// The file could not be read on.
    #[error("cannot read after line {line}")]
    Read {
        /// The last line that was whole.
        line: u64,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something the file does not say.
    #[error("{what}; {flag}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to add to the command.
        flag: String,
    },
    /// A report of the same tool that is not a recording.
    #[error("{0}")]
    Refused(String),
}

/// The format whose file begins like this.
pub fn detect(head: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.matches(head))
}

/// The format of this name.
pub fn named(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}
