//! Sources as they are watched: one that fails or panics costs only itself, and says so.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::{Source, SourceError, chain};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// A source and how it fares.
pub struct Watched {
    source: Box<dyn Source>,
    /// How it fares.
    pub health: Health,
}

/// How a source fares.
#[derive(Debug, Clone)]
pub struct Health {
    /// The source.
    pub name: &'static str,
    /// The partition it belongs to; empty: the host.
    pub partition: String,
    /// Why the last reading failed.
    pub error: Option<String>,
    /// How long the last reading took.
    pub took: Duration,
    /// When something good was last read.
    pub good: Option<Timestamp>,
    /// How many readings were refused because they may not have been whole.
    pub refused: u64,
}

impl Watched {
    /// A source of the host, not read yet.
    pub fn new(source: Box<dyn Source>) -> Watched {
        Watched::of(source, "")
    }

    /// A source of a partition, not read yet.
    pub fn of(source: Box<dyn Source>, partition: &str) -> Watched {
        let health = Health::new(source.name(), partition);
        Watched { source, health }
    }
}

impl Health {
    /// Of a source that was not read yet.
    pub fn new(name: &'static str, partition: &str) -> Health {
        Health { name, partition: partition.to_owned(), error: None, took: Duration::ZERO, good: None, refused: 0 }
    }

    /// Takes down how a reading went; `good` is when something good was last read.
    pub fn judge(&mut self, result: Result<(), SourceError>, good: Option<Timestamp>) {
        let error = result.err().map(|error| chain(&error));
        self.good = good.or(self.good);
        if error.as_deref().map(gist) != self.error.as_deref().map(gist) {
            match &error {
                Some(error) => tracing::warn!(source = self.name, partition = self.partition, "{error}"),
                None => tracing::info!(source = self.name, partition = self.partition, "reads again"),
            }
        }
        self.error = error;
    }
}

/// What an error says beside its numbers: an age that grows is no news for the log.
fn gist(error: &str) -> String {
    error.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Reads every source into one snapshot; a fault stays with its source.
pub fn read_all(sources: &mut [Watched], into: &mut Snapshot) {
    for Watched { source, health } in sources {
        let result = timed(health, || source.read(into));
        let good = result.is_ok().then_some(into.at);
        health.judge(result, good);
    }
}

/// Runs a reading and takes down what it cost. A panic ends neither the sample nor the service. What it leaves behind is whole:
/// numbers are put one by one, and every file is read from its beginning.
pub fn timed(health: &mut Health, read: impl FnOnce() -> Result<(), SourceError>) -> Result<(), SourceError> {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(SourceError::Panicked(said.unwrap_or("no reason given").to_owned()))
    });
    health.took = start.elapsed();
    result
}
