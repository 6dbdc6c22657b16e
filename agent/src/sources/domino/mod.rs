//! Domino partitions, live: every way in to a server's statistics, one file each, and what is made of it.
//!
//! A way brings what a server said and when; `reader.rs` judges it and puts it into a snapshot. A way knows no row and no locale.
//! Each partition is read on a thread of its own, so that a way may wait for its deadline and costs nobody else.
//! Refused: a listing that may not be whole, one that was brought before, anything written to Domino beyond the answer asked for.

use crate::formats::domino::exposition::Sample;
use crate::formats::domino::show_stat::Listing;
use crate::sources::SourceError;
use crate::time::Timestamp;

mod child;
pub mod console;
pub mod console_log;
mod tail;

/// A way in to the statistics of one partition.
pub trait WayIn: Send {
    /// Its name in the configuration, in `weekline_source_up` and in `weekline status`.
    fn name(&self) -> &'static str;

    /// Brings what is new since the last call, in order of time; nothing where nothing is new.
    ///
    /// `now` is the present: a way asks no clock what time it is, only how long something takes.
    ///
    /// # Errors
    /// Where something is wrong that somebody should see to; what was brought before is right all the same.
    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError>;
}

/// Something a server said.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// What a server can say.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The answer to `show stat`, with numbers in the server's own locale. Whether it is whole is for the reader to judge.
    Listing(Listing),
    /// Prometheus text: domprom's file, an exporter, or another application.
    Exposition(Vec<Sample>),
    /// Statistics published one by one, by their names as `show stat` prints them, without any locale.
    Published(Vec<(String, f64)>),
    /// A line of the console that somebody should see.
    Said {
        /// What kind of line: one of `formats::domino::console::Finding`'s names, or of a server's life.
        kind: &'static str,
        /// The line.
        text: String,
    },
}
