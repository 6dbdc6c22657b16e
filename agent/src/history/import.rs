//! Files into the history: column by column, in bounded memory, nothing twice.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Transaction, params};

use super::live::{keep_fact, write_columns};
use super::{History, HistoryError, Memo, read};
use crate::snapshot::Snapshot;
use crate::time::{Millis, Timestamp};

/// How many readings are gathered before they are written: some 10 MB, and a transaction of a tenth of a second.
const GATHERED: usize = 100_000;

/// One file on its way in. What was taken is written at [`Import::finish`] at the latest.
pub struct Import<'a> {
    history: &'a mut History,
    batch: i64,
    segment: i64,
    /// The hosts named in the file, as they came up.
    hosts: Vec<String>,
    gathered: Vec<(i64, Snapshot)>,
    readings: usize,
    done: Imported,
}

/// Points by what makes a column: interval, segment, series.
type Columns = BTreeMap<(i64, i64, i64), Vec<(Millis, f64)>>;

/// What became of a file's points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// The batch, for `--undo`; none where nothing new was in the file.
    pub batch: Option<i64>,
    /// Points that are in the history now and were not before.
    pub stored: u64,
    /// Points that were there already.
    pub known: u64,
}

impl History {
    /// Begins to take a file in. `host` is whose it is until the file has said, `path` and `format` are what people are told later.
    ///
    /// # Errors
    /// Where the history cannot be written.
    pub fn import(&mut self, host: &str, path: &str, format: &str, at: Timestamp) -> Result<Import<'_>, HistoryError> {
        let batch = self.change(|change, _| {
            let insert = "INSERT INTO batch (kind, host, path, format, started) VALUES ('import', ?1, ?2, ?3, ?4)";
            change.execute(insert, params![host, path, format, at.timestamp_millis()])?;
            Ok(change.last_insert_rowid())
        })?;
        Ok(Import {
            history: self,
            batch,
            segment: 0,
            hosts: Vec::new(),
            gathered: Vec::new(),
            readings: 0,
            done: Imported::default(),
        })
    }

    /// Takes an imported batch out again, whole. `None` where there is no such import.
    ///
    /// # Errors
    /// Where the history cannot be written.
    pub fn undo(&mut self, batch: i64) -> Result<Option<u64>, HistoryError> {
        self.change(|change, memo| {
            if change.execute("DELETE FROM batch WHERE id = ?1 AND kind = 'import'", [batch])? == 0 {
                return Ok(None);
            }
            let points = super::prune::remove(change, "SELECT id FROM times WHERE batch = ?1", batch)?;
            change.execute("DELETE FROM fact WHERE batch = ?1", [batch])?;
            super::prune::remove_empty_series(change)?;
            memo.forget();
            Ok(Some(points))
        })
    }
}

impl Import<'_> {
    /// Its number, by which [`History::undo`] takes it out again.
    pub fn batch(&self) -> i64 {
        self.batch
    }

    /// Takes one snapshot; they may come in any order of time.
    ///
    /// # Errors
    /// Where the history cannot be written; what was written before stays.
    pub fn take(&mut self, snapshot: Snapshot) -> Result<(), HistoryError> {
        self.segment += i64::from(!snapshot.follows);
        self.readings += snapshot.readings.len();
        if !self.hosts.contains(&snapshot.host) {
            self.hosts.push(snapshot.host.clone());
        }
        self.gathered.push((self.segment, snapshot));
        // Snapshots may hold facts alone.
        if self.readings.max(self.gathered.len()) >= GATHERED { self.flush() } else { Ok(()) }
    }

    /// Writes what is left and says how the times came about.
    ///
    /// # Errors
    /// Where the history cannot be written.
    pub fn finish(mut self, time_quality: &str, at: Timestamp) -> Result<Imported, HistoryError> {
        self.flush()?;
        let (batch, stored, hosts) = (self.batch, self.done.stored, self.hosts.join(","));
        let new = self.history.change(|change, _| {
            let facts = "SELECT EXISTS (SELECT 1 FROM fact WHERE batch = ?1)";
            let new = stored > 0 || change.query_row(facts, [batch], |row| row.get(0))?;
            // A file that brought nothing new leaves no trace.
            let end = if !new {
                "DELETE FROM batch WHERE id = ?1"
            } else {
                "UPDATE batch SET time_quality = ?2, ended = ?3, host = ?4 WHERE id = ?1"
            };
            let mut end = change.prepare(end)?;
            if !new {
                end.execute([batch])?
            } else {
                end.execute(params![batch, time_quality, at.timestamp_millis(), hosts])?
            };
            Ok(new)
        })?;
        Ok(Imported { batch: new.then_some(batch), ..self.done })
    }

    fn flush(&mut self) -> Result<(), HistoryError> {
        let gathered = std::mem::take(&mut self.gathered);
        let (batch, readings) = (self.batch, std::mem::take(&mut self.readings) as u64);
        let stored = self.history.change(|change, memo| {
            let columns = columns(change, memo, batch, &gathered)?;
            write_new(change, batch, columns)
        })?;
        self.done.stored += stored;
        self.done.known += readings - stored;
        Ok(())
    }
}

fn columns(change: &Transaction<'_>, memo: &mut Memo<'_>, batch: i64, gathered: &[(i64, Snapshot)]) -> rusqlite::Result<Columns> {
    let mut columns = Columns::new();
    for (segment, snapshot) in gathered {
        snapshot.facts.iter().try_for_each(|fact| keep_fact(change, memo, batch, snapshot, fact))?;
        let numbers = memo.series.numbers(change, snapshot)?;
        let every = i64::try_from(snapshot.every.as_millis()).unwrap_or(i64::MAX);
        let at = snapshot.at.timestamp_millis();
        for (series, reading) in numbers.into_iter().zip(&snapshot.readings) {
            columns.entry((every, *segment, series)).or_default().push((at, reading.value));
        }
    }
    Ok(columns)
}

/// Writes the points of instants that a series does not have yet. Points of another interval are other points:
/// which of them counts is decided when they are read.
fn write_new(change: &Transaction<'_>, batch: i64, columns: Columns) -> rusqlite::Result<u64> {
    let mut stored = 0;
    let mut by_interval: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    // A series may stand in several columns here (segments): what one of them brings is known to the next.
    let mut fresh: std::collections::HashMap<(i64, i64), HashSet<Millis>> = std::collections::HashMap::new();
    for ((every, segment, series), mut points) in columns {
        points.sort_by_key(|&(at, _)| at);
        points.dedup_by_key(|&mut (at, _)| at);
        let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else { continue };
        let known = read::instants(change, series, every, first, last)?;
        let fresh = fresh.entry((every, series)).or_default();
        points.retain(|(at, _)| !known.contains(at) && fresh.insert(*at));
        by_interval.entry(every).or_default().push((segment, series, points.into_iter().unzip()));
    }
    for (every, columns) in by_interval {
        stored += write_columns(change, batch, every, columns.into_iter())?;
    }
    Ok(stored)
}
