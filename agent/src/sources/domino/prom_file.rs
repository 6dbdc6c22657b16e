//! A file with Prometheus text: domprom's `domino.prom`, or another writer's.

use std::path::PathBuf;
use std::time::Duration;

use super::answer;
use super::answer::Flaw;
use super::expositions::{Expositions, New};
use super::watched_file::{Content, WatchedFile};
use super::{Brought, WayIn, What};
use crate::formats::domino::exposition;
use crate::sources::SourceError;
use crate::time::Timestamp;

#[cfg(test)]
mod tests;

/// The file.
pub struct PromFile {
    file: WatchedFile,
    expositions: Expositions,
}

impl PromFile {
    /// The file at `path`, which is written anew at the interval `every`.
    pub fn new(path: PathBuf, every: Duration) -> PromFile {
        PromFile { file: WatchedFile::new(path, every), expositions: Expositions::default() }
    }

    /// What is new in it.
    fn new_in(&mut self, content: &Content, now: Timestamp) -> Result<Option<New>, Flaw> {
        let text = answer::text(&content.bytes);
        let parsed = exposition::samples(&text);
        if parsed.samples.is_empty() {
            return Err(answer::newest(&text).map_or_else(|flaw| flaw, |_| Flaw::Listing));
        }
        self.expositions.take(&self.file.shown(), parsed, now, self.file.patience())
    }
}

impl WayIn for PromFile {
    fn name(&self) -> &'static str {
        "prom_file"
    }

    /// The time of the samples is the one that domprom gives, and without it that of the file.
    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        let Some(content) = self.file.read(now)? else { return Ok(()) };
        match self.new_in(&content, now) {
            Ok(new) => {
                self.file.take(&content);
                let patience = self.file.patience();
                let new = new.map(|new| (new.at(content.at, now, patience), new.samples));
                brought.extend(new.map(|(at, samples)| Brought { at, what: What::Exposition(samples) }));
                Ok(())
            }
            Err(flaw) => self.file.put_off(content.version, flaw, now),
        }
    }
}
