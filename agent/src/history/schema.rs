//! The file: its tables, its version, and what is refused at the door.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, ffi};

use super::HistoryError;

/// Marks the file as ours in SQLite's header: "WkLn".
const APPLICATION: i32 = 0x576b_4c6e;
/// The version of the tables below; a step between versions is a function here, run in one transaction.
const VERSION: i32 = 2;

/// How long a writer waits for another one; both hold their transactions for milliseconds.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

/// Whole snapshots since the last fold. With a rowid, else rows over a quarter page spill to pages of their own.
const TAIL: &str = "
CREATE TABLE tail (
    t INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    every INTEGER NOT NULL,
    n INTEGER NOT NULL,
    blob BLOB NOT NULL,
    PRIMARY KEY (t, batch, segment) -- several streams may have ticks at one instant
);
CREATE INDEX tail_segment ON tail (batch, segment);
";

const TABLES: &str = "
CREATE TABLE batch (          -- one run of the service, or one imported file
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,       -- 'live' or 'import'
    host TEXT NOT NULL,
    path TEXT,
    format TEXT,
    time_quality TEXT,
    started INTEGER NOT NULL, -- all instants: milliseconds since 1970 UTC
    ended INTEGER             -- NULL: still going, or stopped uncleanly
);
CREATE TABLE series (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again: another process may remember it
    host TEXT NOT NULL,
    metric TEXT NOT NULL,
    labels TEXT NOT NULL,     -- JSON object
    UNIQUE (metric, host, labels)
);
CREATE TABLE times (          -- the instants that chunks share
    id INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    segment INTEGER NOT NULL, -- nothing is computed between two segments
    every INTEGER NOT NULL,   -- the interval a point stands for, milliseconds
    t0 INTEGER NOT NULL,
    t1 INTEGER NOT NULL,
    n INTEGER NOT NULL,
    blob BLOB NOT NULL
);
CREATE INDEX times_t1 ON times (t1);
CREATE INDEX times_batch ON times (batch);
CREATE TABLE chunk (
    series INTEGER NOT NULL,
    t0 INTEGER NOT NULL,
    times INTEGER NOT NULL,
    blob BLOB NOT NULL,
    PRIMARY KEY (series, t0, times)
) WITHOUT ROWID;
CREATE INDEX chunk_times ON chunk (times);
CREATE TABLE fact (           -- a text and since when it holds
    host TEXT NOT NULL,
    name TEXT NOT NULL,
    about TEXT NOT NULL,      -- JSON object
    t INTEGER NOT NULL,
    text TEXT NOT NULL,
    batch INTEGER NOT NULL,
    PRIMARY KEY (host, name, about, t)
) WITHOUT ROWID;
CREATE TABLE total (
    points INTEGER NOT NULL,
    believed INTEGER          -- the newest present that was believed when old points were forgotten
);
INSERT INTO total VALUES (0, NULL);
";

/// Opens the file for reading beside whoever writes it.
pub(super) fn open_reader(path: &Path) -> Result<Connection, HistoryError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if path.is_dir() {
        return Err(HistoryError::Folder { path: path.to_owned() });
    }
    let opened = Connection::open_with_flags(plain(path), flags).map_err(|source| refuse(path, source))?;
    opened.busy_timeout(BUSY).map_err(|source| refuse(path, source))?;
    let (db, found) = match version(&opened, path) {
        // Without a writer there is no shared memory to read beside, and whoever may only read the folder cannot make one.
        // Nothing is being written then, so the file alone is the whole of it.
        Err(HistoryError::NotAllowed { .. }) if !beside(path, "-wal").exists() => {
            let alone = Connection::open_with_flags(unchanging(path), flags | OpenFlags::SQLITE_OPEN_URI);
            let alone = alone.map_err(|source| refuse(path, source))?;
            let found = version(&alone, path)?;
            (alone, found)
        }
        other => (opened, other?),
    };
    match found {
        Some(_) => Ok(db),
        None => Err(HistoryError::Empty { path: path.to_owned() }),
    }
}

/// The path as SQLite takes no other meaning from: `:memory:` and `file:...` are names like any other.
fn plain(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The file as an address that tells SQLite that nobody writes it; only what an address reserves is escaped.
pub(super) fn unchanging(path: &Path) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

/// The name of a file that SQLite or the service keeps beside the history.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

/// Opens the file for writing; one that is not there, or holds nothing at all, gets its tables.
pub(super) fn open_writer(path: &Path) -> Result<Connection, HistoryError> {
    if path.is_dir() {
        return Err(HistoryError::Folder { path: path.to_owned() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(plain(path), flags);
    let mut db = opened.map_err(|source| match refuse(path, source) {
        // It is not there because it could not be made.
        HistoryError::Absent { path } => HistoryError::NoPlace { path },
        refused => refused,
    })?;
    db.busy_timeout(BUSY).map_err(|source| refuse(path, source))?;
    match version(&db, path)? {
        None => create(&mut db).map_err(|source| refuse(path, source))?,
        Some(1) => from_1(&mut db).map_err(|source| refuse(path, source))?,
        Some(_) => {}
    }
    // WAL: readers never wait for the writer. NORMAL: a power cut may cost the last ticks, never the file.
    let pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 256;
        PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY;";
    db.execute_batch(pragmas).map_err(|source| refuse(path, source))?;
    Ok(db)
}

/// The version of the tables; `None` for a file without any.
fn version(db: &Connection, path: &Path) -> Result<Option<i32>, HistoryError> {
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i32>(0)).map_err(|source| refuse(path, source));
    if number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(None);
    }
    if number("PRAGMA application_id")? != APPLICATION {
        return Err(HistoryError::Foreign { path: path.to_owned() });
    }
    let found = number("PRAGMA user_version")?;
    if found > VERSION {
        return Err(HistoryError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(Some(found))
}

fn create(db: &mut Connection) -> rusqlite::Result<()> {
    db.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    let change = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have been first.
    if change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))? == 0 {
        change.execute_batch(TABLES)?;
        change.execute_batch(TAIL)?;
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.commit()
}

/// From version 1, in which the tail had room for one snapshot an instant.
fn from_1(db: &mut Connection) -> rusqlite::Result<()> {
    let change = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have been first.
    if change.query_row("PRAGMA user_version", [], |row| row.get::<_, i32>(0))? == 1 {
        change.execute_batch("ALTER TABLE tail RENAME TO tail_1")?;
        change.execute_batch(TAIL)?;
        change.execute_batch("INSERT INTO tail SELECT t, batch, segment, every, n, blob FROM tail_1; DROP TABLE tail_1")?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.commit()
}

fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// What SQLite's answer means for the person in front of it.
pub(super) fn refuse(path: &Path, source: rusqlite::Error) -> HistoryError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => HistoryError::Foreign { path },
        Some(ErrorCode::DatabaseCorrupt) => HistoryError::Damaged { path, source },
        // Where the folder may not be looked into, nobody can say that it is not there.
        Some(ErrorCode::CannotOpen) if matches!(path.try_exists(), Ok(false)) => HistoryError::Absent { path },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            HistoryError::NotAllowed { path, source }
        }
        Some(ErrorCode::DiskFull) => HistoryError::Full { path, source },
        // The file that readers and writer share could not grow: the same full disk.
        Some(ErrorCode::SystemIoFailure) if extended(&source) == Some(ffi::SQLITE_IOERR_SHMSIZE) => {
            HistoryError::Full { path, source }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => HistoryError::Busy { path },
        _ => HistoryError::Failed { path, source },
    }
}
