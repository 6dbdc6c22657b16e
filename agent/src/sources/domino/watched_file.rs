//! A file that somebody else writes again and again: whether it is new, how old it may be, what it must be.
//!
//! It may be caught half written: then there is nothing new, and an error only if it stays so.
//! Refused: what is no regular file, which might never end or never answer, and a file from the future.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SubsecRound, TimeDelta};
use nix::unistd::Uid;

use super::age::{intervals, limit, spoken};
use super::answer::{Flaw, LARGEST};
use super::plain_file;
use super::plain_file::{Unread, user};
use crate::sources::SourceError;
use crate::time::Timestamp;

/// How far the clock of a file server may be ahead.
const AHEAD: TimeDelta = TimeDelta::minutes(1);

/// A file and what was seen of it.
pub(super) struct WatchedFile {
    path: PathBuf,
    every: Duration,
    taken: Option<Version>,
    spoilt: Option<Spoilt>,
}

/// A file that is not whole.
struct Spoilt {
    /// Since when it has not been.
    since: Timestamp,
    /// What was seen last,
    version: Version,
    /// and what was wrong with it.
    flaw: Flaw,
}

/// What tells one state of a file from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    modified: SystemTime,
    length: u64,
}

/// What is in a file.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// When it was written, to the millisecond and never later than now.
    pub(super) at: Timestamp,
    pub(super) version: Version,
}

impl WatchedFile {
    /// `every`: the interval at which it is written.
    pub(super) fn new(path: PathBuf, every: Duration) -> WatchedFile {
        WatchedFile { path, every, taken: None, spoilt: None }
    }

    /// Its name for messages.
    pub(super) fn shown(&self) -> String {
        format!("`{}`", self.path.display())
    }

    /// How old it may be.
    pub(super) fn patience(&self) -> TimeDelta {
        delta(limit(self.every))
    }

    /// What is in it, where that was not taken before.
    pub(super) fn read(&mut self, now: Timestamp) -> Result<Option<Content>, SourceError> {
        let (file, metadata) = open(&self.path, "path")?;
        let version = self.version(&metadata)?;
        self.check_age(version, now)?;
        if self.taken == Some(version) {
            return Ok(None);
        }
        let bytes = read_bounded(&self.path, &file, LARGEST)?;
        let after = file.metadata().map_err(|error| unreadable(&self.path, "path", error))?;
        if self.version(&after)? != version || bytes.len() as u64 != version.length {
            return self.put_off(version, Flaw::Written, now).map(|()| None);
        }
        let at = Timestamp::from(version.modified).min(now).trunc_subsecs(3);
        Ok(Some(Content { bytes, at, version }))
    }

    /// The content was good: it is not given again.
    pub(super) fn take(&mut self, content: &Content) {
        self.taken = Some(content.version);
        self.spoilt = None;
    }

    /// The content was not good: an error, but for one that may be half written and has not been for long.
    pub(super) fn put_off(&mut self, version: Version, flaw: Flaw, now: Timestamp) -> Result<(), SourceError> {
        let since = self.spoilt.as_ref().map_or(now, |spoilt| spoilt.since);
        let lasts = !flaw.may_pass() || now - since > delta(intervals(self.every));
        let refused = flaw.refused(&self.shown());
        self.spoilt = Some(Spoilt { since, version, flaw });
        if lasts { Err(refused) } else { Ok(()) }
    }

    fn version(&self, metadata: &Metadata) -> Result<Version, SourceError> {
        let modified = metadata.modified().map_err(|error| unreadable(&self.path, "path", error))?;
        Ok(Version { modified, length: metadata.len() })
    }

    fn check_age(&self, version: Version, now: Timestamp) -> Result<(), SourceError> {
        let age = now - DateTime::from(version.modified);
        if age < -AHEAD {
            return Err(SourceError::Refused {
                what: format!("{} was written {} from now", self.shown(), spoken(-age)),
                next: "set the clocks of this host and of the one that writes it by the same server".to_owned(),
            });
        }
        if age <= self.patience() {
            return Ok(());
        }
        // Late because it was never finished: that says more than its age.
        if let Some(spoilt) = self.spoilt.as_ref().filter(|spoilt| spoilt.version == version) {
            return Err(spoilt.flaw.refused(&self.shown()));
        }
        let every = delta(self.every);
        Err(SourceError::Refused {
            what: format!("{} is {} old and should be written every {}", self.shown(), spoken(age), spoken(every)),
            next: "see whether it is still written, or set `every` in [[partition]] to the interval at which it is".to_owned(),
        })
    }
}

/// Opens a regular file without waiting for anybody; `setting` is what names it in the configuration.
pub(super) fn open(path: &Path, setting: &str) -> Result<(File, Metadata), SourceError> {
    plain_file::open(path).map_err(|error| refused(path, setting, error))
}

/// The bytes of a file that has no more than so many.
pub(super) fn read_bounded(path: &Path, file: &File, most: usize) -> Result<Vec<u8>, SourceError> {
    plain_file::bytes(file, most).map_err(|error| match error {
        Unread::System(source) => SourceError::Read { path: path.to_owned(), source },
        other => SourceError::Refused {
            what: format!("`{}` {other}", path.display()),
            next: "see that it is the file that was meant".to_owned(),
        },
    })
}

/// Why a file that the configuration names is not opened.
fn refused(path: &Path, setting: &str, error: Unread) -> SourceError {
    match error {
        Unread::System(error) => unreadable(path, setting, error),
        other => SourceError::Refused {
            what: format!("`{}` {other}", path.display()),
            next: format!("set `{setting}` in [[partition]] to the file itself"),
        },
    }
}

/// Why a file that the configuration names cannot be opened.
pub(super) fn unreadable(path: &Path, setting: &str, source: io::Error) -> SourceError {
    let shown = path.display();
    match source.kind() {
        io::ErrorKind::NotFound => SourceError::Refused {
            what: format!("`{shown}` is not there"),
            next: format!("see that `{setting}` in [[partition]] is right and that the file is written"),
        },
        io::ErrorKind::PermissionDenied => {
            let user = user(Uid::effective().as_raw());
            SourceError::Refused {
                what: format!("`{shown}` may not be read by the user `{user}`"),
                next: format!("let that user read it and enter the folders above it, as with `setfacl -m u:{user}:r {shown}`"),
            }
        }
        _ => SourceError::Read { path: path.to_owned(), source },
    }
}

fn delta(time: Duration) -> TimeDelta {
    TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX)
}
