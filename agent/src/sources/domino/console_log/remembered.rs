//! What is remembered over a start of the agent: the place in the log, and up to when all was read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use super::super::tail::Mark;
use crate::sources::SourceError;
use crate::time::{Millis, Timestamp};

/// What a run of the agent leaves to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remembered {
    /// The place in the log.
    pub(super) mark: Option<Mark>,
    /// When all that had been written was read.
    pub(super) read: Option<Millis>,
    /// The instant of the last listing.
    pub(super) listing: Option<Millis>,
}

impl Remembered {
    /// Reads the file; one that is damaged says nothing.
    pub(super) fn load(path: &Path) -> Remembered {
        let damaged = |why: String| {
            tracing::warn!("`{}` is ignored: {why}; the log is followed from where it is written now", path.display());
            Remembered::default()
        };
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| damaged(error.to_string())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Remembered::default(),
            Err(error) => damaged(error.to_string()),
        }
    }

    /// Writes the file, whole or not at all.
    pub(super) fn save(&self, path: &Path) -> Result<(), SourceError> {
        let written = serde_json::to_vec(self).map_err(io::Error::from).and_then(|bytes| {
            let mut beside = path.as_os_str().to_owned();
            beside.push(".tmp");
            let beside = PathBuf::from(beside);
            fs::write(&beside, bytes)?;
            fs::rename(&beside, path)
        });
        written.map_err(|error| SourceError::Refused {
            what: format!("the place in the log cannot be remembered in `{}`: {error}", path.display()),
            next: "let the agent write there; until then a start of it leaves out what was not read".to_owned(),
        })
    }
}

/// An instant as it was remembered.
pub(super) fn instant(millis: Option<Millis>) -> Option<Timestamp> {
    millis.and_then(DateTime::from_timestamp_millis)
}
