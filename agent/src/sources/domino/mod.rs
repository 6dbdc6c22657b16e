//! Domino partitions, live: every way in to a server's statistics, one file each, and what is made of it.
//!
//! A way brings what a server said and when; `reader.rs` judges it and puts it into a snapshot. A way knows no row and no locale.
//! Each partition is read on a thread of its own, so that a way may wait for its deadline and costs nobody else.
//! Refused: a listing that may not be whole, one that was brought before, anything written to Domino beyond the answer asked for.

mod age;
mod answer;
mod child;
pub mod console;
pub mod console_log;
pub mod discovery;
mod expositions;
mod fetch;
pub mod file;
mod members;
pub mod notes_ini;
mod partition;
mod plain_file;
mod processes;
pub mod prom_file;
pub mod push;
mod reader;
mod registered;
mod tail;
pub mod tasks;
pub mod tls;
pub mod url;
mod watched_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use age::limit;
pub use partition::{BESIDE, Partition, Report, Settings};
pub use processes::{Identity, identity};
pub use reader::Field;

use chrono_tz::Tz;

use crate::formats::domino::exposition::Sample;
use crate::formats::domino::show_stat::Listing;
use crate::sources::{Source, SourceError};
use crate::time::Timestamp;

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

/// A way in, by what it must be told.
#[derive(Clone, PartialEq)]
pub enum Way {
    /// `show stat` is asked on the console.
    Console {
        /// Domino's `server`.
        program: PathBuf,
        /// The data directory.
        data: PathBuf,
        /// Who asks; none: the owner of `data`.
        user: Option<String>,
        /// How long an answer may take.
        deadline: Duration,
    },
    /// A file that somebody else has `show stat` written to.
    File(PathBuf),
    /// The console's log.
    ConsoleLog {
        /// The log.
        path: PathBuf,
        /// Where the place in it is remembered.
        state: Option<PathBuf>,
        /// The zone in which the server writes times.
        zone: Option<Tz>,
    },
    /// A file of Prometheus text.
    PromFile(PathBuf),
    /// What is pushed.
    Push(Arc<push::Inbox>),
    /// What is fetched.
    Url(url::Settings),
}

impl Way {
    /// Its name in the configuration.
    pub fn name(&self) -> &'static str {
        match self {
            Way::Console { .. } => "console",
            Way::File(_) => "file",
            Way::ConsoleLog { .. } => "console_log",
            Way::PromFile(_) => "prom_file",
            Way::Push(_) => "push",
            Way::Url(_) => "url",
        }
    }

    /// How long an answer may take.
    fn deadline(&self) -> Duration {
        match self {
            Way::Console { deadline, .. } => *deadline,
            Way::Url(settings) => settings.timeout,
            Way::File(_) | Way::ConsoleLog { .. } | Way::PromFile(_) | Way::Push(_) => Duration::ZERO,
        }
    }

    /// Opens it for a partition whose statistics are renewed this often. `stop` has a reading that waits end soon.
    fn open(&self, partition: &str, every: Duration, stop: Arc<AtomicBool>) -> Box<dyn WayIn> {
        match self.clone() {
            Way::Console { program, data, user, deadline } => {
                let partition = partition.to_owned();
                Box::new(console::Console::new(console::Settings { partition, program, data, user, deadline, stop }))
            }
            Way::File(path) => Box::new(file::File::new(path, every)),
            Way::ConsoleLog { path, state, zone } => {
                Box::new(console_log::ConsoleLog::new(console_log::Settings { path, every, state, zone }))
            }
            Way::PromFile(path) => Box::new(prom_file::PromFile::new(path, every)),
            Way::Push(inbox) => Box::new(push::Push::new(inbox, every)),
            Way::Url(settings) => Box::new(url::Url::new(settings, every)),
        }
    }
}

/// What stands beside the statistics of a partition whose data directory lies on this host.
fn beside(partition: &str, data: &Path, root: &Path) -> Vec<Box<dyn Source>> {
    vec![Box::new(notes_ini::NotesIni::new(partition, data)), Box::new(tasks::Tasks::new(partition, data, root))]
}
