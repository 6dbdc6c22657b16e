//! What was read, kept: one SQLite file with raw points and nothing computed.
//!
//! Ticks of the service go to `tail`, whole, one transaction each; every `FOLD` ticks they are folded into `chunk`,
//! a compressed column per series, in one transaction. Imported files go to `chunk` at once.
//! A *segment* is a stretch without a restart, a hotplug or a jump of the clock; nothing is computed across two.
//! A second process reads while the service writes. Opening deletes nothing, whatever the file looks like.
//! Refused: meaning (that is `analysis`), and SQL anywhere else.

mod codec;
mod import;
mod live;
mod prune;
mod read;
mod schema;
mod series;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use thiserror::Error;

pub use import::{Import, Imported};
pub use live::Previous;
pub use read::{Batch, StoredFact, Totals};

use crate::snapshot::Labels;
use crate::time::Millis;

/// How many ticks are folded at a time: half a business day of minutes. More press better, fewer cost less memory.
const FOLD: usize = 300;

/// The history, opened.
pub struct History {
    db: Connection,
    path: PathBuf,
    /// Which file this is, so that it is noticed when another one lies in its place.
    file: Option<FileId>,
    /// What is remembered below holds for this version of the file.
    version: i64,
    series: series::Known,
    facts: Facts,
    live: Option<live::Run>,
}

/// The newest text of each fact, by host, name and what it is about.
type Facts = HashMap<String, HashMap<(&'static str, Labels), String>>;

/// Device and inode.
type FileId = (u64, u64);

/// One number of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When it was read, or the interval it describes ended.
    pub at: Millis,
    /// The number in its row's unit.
    pub value: f64,
    /// How many seconds before `at` it stands for.
    pub over: f32,
    /// Whether it continues the point before it: `false` across restarts and between batches.
    pub follows: bool,
    /// Read by the service, not imported.
    pub live: bool,
}

/// The points of one row with one set of labels on one host, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The host.
    pub host: Arc<str>,
    /// Values of the row's labels.
    pub labels: Labels,
    /// In order of time, no instant twice.
    pub points: Vec<Point>,
}

/// Why the history could not be opened, read or written.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// Nothing there.
    #[error("there is no history at `{path}`; `weekline run` or `weekline import` makes one, `--history FILE` names another")]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// A folder.
    #[error("the history `{path}` is a folder; name a file in it with `--history FILE`")]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// It could not be made.
    #[error(
        "the history `{path}` cannot be made; give this user the rights to its folder, or name another with `--history FILE`"
    )]
    NoPlace {
        /// The file.
        path: PathBuf,
    },
    /// A file without tables.
    #[error("the history `{path}` is empty; `weekline run` or `weekline import` fills it")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Not a history.
    #[error("`{path}` is no Weekline history and was left as it is; name another file with `--history FILE`")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer version.
    #[error(
        "the history `{path}` has version {found} and this weekline knows up to {known}; install the newer weekline to read it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// Ours.
        known: i32,
    },
    /// Not what was written.
    #[error(
        "the history `{path}` is damaged and was left as it is; `sqlite3 {path} .recover` saves what can be read, or move the file away to begin anew"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// A column that does not decode.
    #[error(
        "the history `{path}` is damaged and was left as it is; `sqlite3 {path} .recover` saves what can be read, or move the file away to begin anew: {what}"
    )]
    Garbled {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The system forbids it.
    #[error(
        "the history `{path}` cannot be opened; give this user the rights to it and its folder, or name another with `--history FILE`"
    )]
    NotAllowed {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// Its folder cannot be made.
    #[error("cannot make the folder `{path}` for the history; make it, or name another place with `--history FILE`")]
    NoFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// No room left.
    #[error("no room to write the history `{path}`; free some space, or set `keep_bytes` in [history] lower")]
    Full {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// Another process writes and does not let go.
    #[error("the history `{path}` is being written by another process; try again when it is done")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Another service runs on it.
    #[error("another `weekline run` keeps the history `{path}`; stop it first, or name another with `--history FILE`")]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Nobody can tell whether another service runs on it.
    #[error(
        "cannot lock the history by `{path}`; give this user the rights to it and its folder, or name a history on another file system with `--history FILE`"
    )]
    NoLock {
        /// The file that is locked beside the history.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Anything else.
    #[error("the history `{path}` could not be used")]
    Failed {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
}

impl HistoryError {
    /// A word for the reason, as in `weekline_points_lost_total{why}`.
    pub fn why(&self) -> &'static str {
        match self {
            HistoryError::Full { .. } => "no_room",
            HistoryError::Busy { .. } => "busy",
            HistoryError::Damaged { .. } | HistoryError::Garbled { .. } => "damaged",
            HistoryError::NotAllowed { .. } | HistoryError::NoPlace { .. } => "not_allowed",
            _ => "failed",
        }
    }
}

impl History {
    /// Opens a history for reading, beside whoever writes it.
    ///
    /// # Errors
    /// Where there is none, or the file is not one this version reads.
    pub fn open(path: &Path) -> Result<History, HistoryError> {
        Ok(History::with(schema::open_reader(path)?, path))
    }

    /// Opens a history for writing; one that is not there is made, with its folder.
    ///
    /// # Errors
    /// Where the place cannot be written, or the file is not one this version reads.
    pub fn create(path: &Path) -> Result<History, HistoryError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| HistoryError::NoFolder { path: folder.to_owned(), source })?;
        }
        Ok(History::with(schema::open_writer(path)?, path))
    }

    fn with(db: Connection, path: &Path) -> History {
        let (series, facts) = (series::Known::default(), Facts::new());
        History { db, path: path.to_owned(), file: file_id(path), version: 0, series, facts, live: None }
    }

    /// Whether the file was removed, or another one lies in its place.
    pub fn is_gone(&self) -> bool {
        self.file.is_none() || file_id(&self.path) != self.file
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn refused(&self, source: rusqlite::Error) -> HistoryError {
        schema::refuse(&self.path, source)
    }

    /// Runs `change` in one transaction. What was learnt about series and facts inside it is forgotten if it fails,
    /// and what was learnt before is forgotten if another process has written since.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>, &mut Memo<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HistoryError> {
        let History { db, path, version, series, facts, .. } = self;
        let mut memo = Memo { series, facts };
        let done = db.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            let found = transaction.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
            if std::mem::replace(version, found) != found {
                memo.forget();
            }
            let value = change(&transaction, &mut memo)?;
            transaction.commit()?;
            Ok(value)
        });
        done.map_err(|source| {
            memo.forget();
            schema::refuse(path, source)
        })
    }

    /// Reads several things as of one moment, whatever is written meanwhile.
    ///
    /// # Errors
    /// Those of `read`, or where the file cannot be read at all.
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, HistoryError>) -> Result<T, HistoryError> {
        if !self.db.is_autocommit() {
            return read();
        }
        let moment = self.db.unchecked_transaction().map_err(|source| self.refused(source))?;
        let value = read()?;
        moment.finish().map_err(|source| self.refused(source))?;
        Ok(value)
    }
}

fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// What a writer remembers of the file between transactions.
struct Memo<'a> {
    series: &'a mut series::Known,
    facts: &'a mut Facts,
}

impl Memo<'_> {
    fn forget(&mut self) {
        *self.series = series::Known::default();
        self.facts.clear();
    }
}

/// A column that does not decode, in SQLite's own terms: the file is not what was written.
fn garbled(error: &codec::Garbled) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(error.to_string()))
}
