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

    /// The time domprom gives, where it can be true; else that of the file.
    fn at(&self, made: Option<Timestamp>, content: &Content, now: Timestamp) -> Timestamp {
        let near = |made: &Timestamp| *made <= now && (*made - content.at).abs() <= self.file.patience();
        made.filter(near).unwrap_or(content.at)
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
                let at = |made| self.at(made, &content, now);
                brought.extend(new.map(|new| Brought { at: at(new.made), what: What::Exposition(new.samples) }));
                Ok(())
            }
            Err(flaw) => self.file.put_off(content.version, flaw, now),
        }
    }
}
