//! A file that somebody else writes again and again: whether it is new, how old it may be, what it must be.
//!
//! It may be caught half written: then there is nothing new, and an error only if it stays so.
//! Refused: what is no regular file, which might never end or never answer, and a file from the future.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SubsecRound, TimeDelta};
use nix::fcntl::OFlag;
use nix::unistd::{Uid, User};

use super::age::{intervals, limit, spoken};
use super::answer::{Flaw, LARGEST};
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

/// All of a regular file of no more than so many bytes, without waiting for anybody. Files in a data directory are the
/// server's own: a FIFO or a link to a device there must not hold or fill the agent.
pub(super) fn regular(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most} bytes")));
    }
    Ok(bytes)
}

/// Opens a regular file without waiting for anybody; `setting` is what names it in the configuration.
pub(super) fn open(path: &Path, setting: &str) -> Result<(File, Metadata), SourceError> {
    let failed = |error| unreadable(path, setting, error);
    // A FIFO without a writer would keep an ordinary open for ever.
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_file() {
        return Ok((file, metadata));
    }
    let kind = if metadata.is_dir() { "a folder" } else { "no regular file" };
    Err(SourceError::Refused {
        what: format!("`{}` is {kind}", path.display()),
        next: format!("set `{setting}` in [[partition]] to the file itself"),
    })
}

/// The bytes of a file that has no more than so many.
pub(super) fn read_bounded(path: &Path, file: &File, most: usize) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| SourceError::Read { path: path.to_owned(), source })?;
    if bytes.len() > most {
        let mebibytes = most as f64 / f64::from(1 << 20);
        return Err(SourceError::Refused {
            what: format!("`{}` is larger than {mebibytes} MiB", path.display()),
            next: "see that it is the file that was meant".to_owned(),
        });
    }
    Ok(bytes)
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
            let user = user();
            SourceError::Refused {
                what: format!("`{shown}` may not be read by the user `{user}`"),
                next: format!("let that user read it and enter the folders above it, as with `setfacl -m u:{user}:r {shown}`"),
            }
        }
        _ => SourceError::Read { path: path.to_owned(), source },
    }
}

/// Whom this program runs as: a name, or the number of a user without one.
fn user() -> String {
    let id = Uid::effective();
    User::from_uid(id).ok().flatten().map_or_else(|| id.to_string(), |user| user.name)
}

fn delta(time: Duration) -> TimeDelta {
    TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX)
}
