//! A file that somebody else writes with `show stat >FILE`.

use std::path::PathBuf;
use std::time::Duration;

use super::answer;
use super::watched_file::WatchedFile;
use super::{Brought, WayIn, What};
use crate::sources::SourceError;
use crate::time::Timestamp;

#[cfg(test)]
mod tests;

/// The file.
pub struct File {
    file: WatchedFile,
}

impl File {
    /// The file at `path`, which is written anew at the interval `every`.
    pub fn new(path: PathBuf, every: Duration) -> File {
        File { file: WatchedFile::new(path, every) }
    }
}

impl WayIn for File {
    fn name(&self) -> &'static str {
        "file"
    }

    /// The time of a listing is that of the file.
    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        let Some(content) = self.file.read(now)? else { return Ok(()) };
        match answer::newest(&answer::text(&content.bytes)) {
            Ok(listing) => {
                self.file.take(&content);
                brought.push(Brought { at: content.at, what: What::Listing(listing) });
                Ok(())
            }
            Err(flaw) => self.file.put_off(content.version, flaw, now),
        }
    }
}
