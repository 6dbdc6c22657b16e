//! The service's own writing: one transaction a tick.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, TryLockError};
use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, params};

use super::{FOLD, History, HistoryError, Memo, codec, garbled};
use crate::snapshot::{Fact, Snapshot};
use crate::time::{Millis, Timestamp};

/// A run of the service on this history.
pub(super) struct Run {
    batch: i64,
    /// The last segment given to a stream; no two streams share one.
    segment: i64,
    streams: HashMap<String, Stream>,
    /// Held while the service runs, so that there is never a second one.
    _lock: File,
}

/// Where the snapshots of one stream go.
#[derive(Clone, Copy)]
struct Stream {
    segment: i64,
    every: Duration,
    /// Ticks since the last fold.
    ticks: usize,
    /// A snapshot that began a segment was not kept: the next one begins it.
    broken: bool,
}

/// How the run before this one ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Previous {
    /// Its last snapshot.
    pub last: Timestamp,
    /// Whether it said goodbye.
    pub clean: bool,
}

/// Values by series and, within it, by instant; what a chunk is written from.
pub(super) type Columns = BTreeMap<i64, (Vec<Millis>, Vec<f64>)>;

impl History {
    /// Begins a run of the service, and folds what the run before left behind.
    ///
    /// # Errors
    /// [`HistoryError::Locked`] where another service runs on this history; else where it cannot be written.
    pub fn begin(&mut self, host: &str, at: Timestamp) -> Result<Option<Previous>, HistoryError> {
        let lock = self.lock()?;
        let previous = self.previous()?;
        let batch = self.change(|change, _| {
            fold_all(change)?;
            let at = at.timestamp_millis();
            change.execute("INSERT INTO batch (kind, host, started) VALUES ('live', ?1, ?2)", params![host, at])?;
            let batch = change.last_insert_rowid();
            change.execute("UPDATE total SET believed = coalesce(believed, ?1)", [at])?;
            Ok(batch)
        })?;
        self.live = Some(Run { batch, segment: 0, streams: HashMap::new(), _lock: lock });
        Ok(previous)
    }

    fn lock(&self) -> Result<File, HistoryError> {
        // Two names of one file are one history.
        let real = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let path = super::schema::beside(&real, ".lock");
        let refused = |source| HistoryError::NoLock { path: path.clone(), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(HistoryError::Locked { path: self.path.clone() }),
            Err(TryLockError::Error(source)) => Err(refused(source)),
        }
    }

    fn previous(&self) -> Result<Option<Previous>, HistoryError> {
        let last = "SELECT (SELECT max(t) FROM (SELECT max(t) AS t FROM tail UNION ALL
                        SELECT max(t1) FROM times JOIN batch ON batch.id = times.batch WHERE kind = 'live')),
                    ended IS NOT NULL FROM batch WHERE kind = 'live' ORDER BY id DESC LIMIT 1";
        let row = self.db.query_row(last, [], |row| Ok((row.get::<_, Option<Millis>>(0)?, row.get(1)?))).optional();
        let row = row.map_err(|source| self.refused(source))?;
        Ok(row.and_then(|(last, clean)| Some(Previous { last: Timestamp::from_timestamp_millis(last?)?, clean })))
    }

    /// Keeps one snapshot of the running service; on an error nothing of it is kept.
    ///
    /// # Errors
    /// Where the file cannot be written; the next snapshot may well succeed.
    ///
    /// # Panics
    /// Where no run was begun.
    pub fn append(&mut self, snapshot: &Snapshot) -> Result<(), HistoryError> {
        let run = self.live.as_ref().expect("the service begins its run before it appends");
        let before = run.streams.get(&snapshot.stream).copied();
        let (batch, last) = (run.batch, run.segment);
        let on = before.filter(|before| snapshot.follows && !before.broken && snapshot.every == before.every);
        let now = match on {
            Some(on) => Stream { ticks: on.ticks + 1, ..on },
            None => Stream { segment: last + 1, every: snapshot.every, ticks: 1, broken: false },
        };
        let fold = now.ticks >= FOLD;
        let kept = self.change(|change, memo| {
            // Texts alone have no ticks, and break nothing.
            if !snapshot.readings.is_empty() {
                if let Some(before) = before.filter(|_| on.is_none()) {
                    fold_segment(change, batch, before.segment)?;
                }
                put_tick(change, memo, snapshot, batch, now.segment)?;
                if fold {
                    fold_segment(change, batch, now.segment)?;
                }
            }
            snapshot.facts.iter().try_for_each(|fact| keep_fact(change, memo, batch, snapshot, fact))
        });
        let Some(run) = self.live.as_mut().filter(|_| !snapshot.readings.is_empty()) else { return kept };
        match (&kept, before) {
            (Ok(()), _) => {
                run.segment = run.segment.max(now.segment);
                run.streams.insert(snapshot.stream.clone(), Stream { ticks: if fold { 0 } else { now.ticks }, ..now });
            }
            (Err(_), Some(before)) => {
                run.streams.insert(snapshot.stream.clone(), Stream { broken: before.broken || on.is_none(), ..before });
            }
            (Err(_), None) => {}
        }
        kept
    }

    /// Ends the run: folds what is left and says goodbye.
    ///
    /// # Errors
    /// Where the file cannot be written; what was appended is kept all the same.
    pub fn end(&mut self, at: Timestamp) -> Result<(), HistoryError> {
        let Some(run) = self.live.take() else { return Ok(()) };
        if self.is_gone() {
            return self.let_go();
        }
        self.change(|change, _| {
            fold_all(change)?;
            change.execute("UPDATE batch SET ended = ?2 WHERE id = ?1", params![run.batch, at.timestamp_millis()])?;
            Ok(())
        })
    }
}

impl History {
    /// Takes leave of a file that is no longer in its place. What it left beside it would else be taken for part of the
    /// file that is there now.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn let_go(&self) -> Result<(), HistoryError> {
        self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(|source| self.refused(source))
    }
}

fn millis(every: Duration) -> i64 {
    i64::try_from(every.as_millis()).unwrap_or(i64::MAX)
}

fn put_tick(
    change: &Transaction<'_>,
    memo: &mut Memo<'_>,
    snapshot: &Snapshot,
    batch: i64,
    segment: i64,
) -> rusqlite::Result<()> {
    let numbers = memo.series.numbers(change, snapshot)?;
    let values = snapshot.readings.iter().map(|reading| reading.value);
    let blob = codec::encode_tick(numbers.into_iter().zip(values));
    let (at, every) = (snapshot.at.timestamp_millis(), millis(snapshot.every));
    let insert = "INSERT OR REPLACE INTO tail (t, batch, segment, every, n, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    change.prepare_cached(insert)?.execute(params![at, batch, segment, every, snapshot.readings.len(), blob])?;
    Ok(())
}

/// How many events of one kind may be of one instant; a log tells seconds, and a bad one of them may tell a lot.
const MOST_AT_ONCE: i64 = 1000;

/// Stores a fact if it says something new. Events are stored each by itself: the same can happen twice,
/// and of two at one instant the second stands a millisecond later.
pub(super) fn keep_fact(
    change: &Transaction<'_>,
    memo: &mut Memo<'_>,
    batch: i64,
    snapshot: &Snapshot,
    fact: &Fact,
) -> rusqlite::Result<()> {
    let (host, at) = (snapshot.host.as_str(), snapshot.at.timestamp_millis());
    let key = (fact.row.name, fact.about.clone());
    let event = fact.row.event;
    let known = memo.facts.get(host).and_then(|facts| facts.get(&key));
    if !event && known == Some(&fact.text) {
        return Ok(());
    }
    let about = super::series::labels_to_text(fact.row.labels, &fact.about);
    if !event && known.is_none() && newest_text(change, host, fact.row.name, &about)?.as_ref() == Some(&fact.text) {
        memo.facts.entry(host.to_owned()).or_default().insert(key, fact.text.clone());
        return Ok(());
    }
    let mut said = change.prepare_cached("SELECT text FROM fact WHERE host = ?1 AND name = ?2 AND about = ?3 AND t = ?4")?;
    let mut at = at;
    let last = at + if event { MOST_AT_ONCE } else { 0 };
    while let Some(text) = said.query_row(params![host, fact.row.name, about, at], |row| row.get::<_, String>(0)).optional()? {
        // Read again, it stays with whom it came: undoing that import takes it out.
        if text == fact.text {
            memo.facts.entry(host.to_owned()).or_default().insert(key, text);
            return Ok(());
        }
        if at >= last {
            break;
        }
        at += 1;
    }
    let insert = "INSERT OR REPLACE INTO fact (host, name, about, t, text, batch) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    change.prepare_cached(insert)?.execute(params![host, fact.row.name, about, at, fact.text, batch])?;
    memo.facts.entry(host.to_owned()).or_default().insert(key, fact.text.clone());
    Ok(())
}

fn newest_text(change: &Transaction<'_>, host: &str, name: &str, about: &str) -> rusqlite::Result<Option<String>> {
    let newest = "SELECT text FROM fact WHERE host = ?1 AND name = ?2 AND about = ?3 ORDER BY t DESC LIMIT 1";
    change.prepare_cached(newest)?.query_row(params![host, name, about], |row| row.get(0)).optional()
}

/// Turns the tail into chunks, segment by segment.
pub(super) fn fold_all(change: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut segments = change.prepare_cached("SELECT DISTINCT batch, segment FROM tail")?;
    let segments: Vec<(i64, i64)> = segments.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    segments.into_iter().try_for_each(|(batch, segment)| fold_segment(change, batch, segment))
}

/// Turns what the tail has of one segment into chunks.
fn fold_segment(change: &Transaction<'_>, batch: i64, segment: i64) -> rusqlite::Result<()> {
    // All ticks of a segment have the same interval.
    let mut columns = Columns::new();
    let mut every: i64 = 0;
    let mut rows = change.prepare_cached("SELECT t, every, blob FROM tail WHERE batch = ?1 AND segment = ?2 ORDER BY t")?;
    let mut rows = rows.query(params![batch, segment])?;
    while let Some(row) = rows.next()? {
        let t = row.get(0)?;
        every = row.get(1)?;
        for (series, value) in codec::decode_tick(row.get_ref(2)?.as_blob()?).map_err(|error| garbled(&error))? {
            let (times, values) = columns.entry(series).or_default();
            times.push(t);
            values.push(value);
        }
    }
    write_columns(change, batch, every, columns.into_iter().map(|(series, column)| (segment, series, column)))?;
    change.prepare_cached("DELETE FROM tail WHERE batch = ?1 AND segment = ?2")?.execute(params![batch, segment])?;
    Ok(())
}

/// Writes columns as chunks; columns of the same instants share them. Gives the number of points written.
pub(super) fn write_columns(
    change: &Transaction<'_>,
    batch: i64,
    every: i64,
    columns: impl Iterator<Item = (i64, i64, (Vec<Millis>, Vec<f64>))>,
) -> rusqlite::Result<u64> {
    let mut shared: std::collections::HashMap<(i64, Vec<Millis>), i64> = std::collections::HashMap::new();
    let mut points = 0;
    for (segment, series, (times, values)) in columns {
        let (Some(&t0), Some(&t1)) = (times.first(), times.last()) else { continue };
        let key = (segment, times);
        let id = match shared.get(&key) {
            Some(&id) => id,
            None => {
                let insert = "INSERT INTO times (batch, segment, every, t0, t1, n, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                let row = params![batch, segment, every, t0, t1, key.1.len(), codec::encode_times(&key.1)];
                change.prepare_cached(insert)?.execute(row)?;
                let id = change.last_insert_rowid();
                shared.insert(key, id);
                id
            }
        };
        let insert = "INSERT INTO chunk (series, t0, times, blob) VALUES (?1, ?2, ?3, ?4)";
        change.prepare_cached(insert)?.execute(params![series, t0, id, codec::encode_values(&values)])?;
        points += values.len() as u64;
    }
    change.prepare_cached("UPDATE total SET points = points + ?1")?.execute([points])?;
    Ok(points)
}
