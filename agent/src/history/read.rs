//! Points, facts and batches back out.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, Params, Row, params};

use super::{History, HistoryError, Point, Series, codec, garbled, schema, series};
use crate::catalog::{self, FactRow, Metric};
use crate::snapshot::Labels;
use crate::time::{Millis, Span, Timestamp};

/// A text, on which host, about what, and since when.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFact {
    /// The host.
    pub host: String,
    /// What it is.
    pub row: &'static FactRow,
    /// What it is about.
    pub about: Labels,
    /// When it was first read so.
    pub since: Timestamp,
    /// What was read.
    pub text: String,
}

/// One imported file.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Its number, for `--undo`.
    pub batch: i64,
    /// The host it tells of; of several all, with commas between.
    pub host: String,
    /// The file.
    pub path: String,
    /// Its format.
    pub format: String,
    /// What its instants rest on; none where the import did not come to its end.
    pub time_quality: Option<String>,
    /// Its first and last instant.
    pub span: Option<(Timestamp, Timestamp)>,
    /// How many instants.
    pub snapshots: u64,
}

/// What the history holds in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    /// Size on disk, all files together.
    pub bytes: u64,
    /// Points.
    pub points: u64,
    /// The first and the last instant.
    pub span: Option<(Timestamp, Timestamp)>,
}

/// What the instants of a chunk have in common.
#[derive(Clone, PartialEq)]
struct Common {
    batch: i64,
    segment: i64,
    every: i64,
    live: bool,
}

/// Points of a series with what they have in common, before they are put in order.
type Pieces = Vec<(Common, Vec<(Millis, f64)>)>;

impl History {
    /// Every series of a row that has points in `span`, as stored.
    ///
    /// # Errors
    /// Where the file cannot be read, or holds something else than was written.
    pub fn points(&self, metric: &Metric, span: Span) -> Result<Vec<Series>, HistoryError> {
        // Folding moves points from the tail to chunks; between two moments they would be in neither, or in both.
        self.at_once(|| self.points_now(metric, span))
    }

    fn points_now(&self, metric: &Metric, span: Span) -> Result<Vec<Series>, HistoryError> {
        let (start, end) = (span.start.timestamp_millis(), span.end.timestamp_millis());
        let named = self.series_of(metric)?;
        let mut pieces: HashMap<i64, Pieces> = HashMap::new();
        for &(number, _, _) in &named {
            pieces.insert(number, self.chunks(number, start, end).map_err(|source| self.refused(source))?);
        }
        self.tail(start, end, &mut pieces).map_err(|source| self.refused(source))?;
        let whole =
            |(number, host, labels)| Series { host, labels, points: in_order(pieces.remove(&number).unwrap_or_default()) };
        Ok(named.into_iter().map(whole).filter(|series| !series.points.is_empty()).collect())
    }

    /// Every series a row has or had, without its points.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn named(&self, metric: &Metric) -> Result<Vec<Series>, HistoryError> {
        let named = self.series_of(metric)?;
        Ok(named.into_iter().map(|(_, host, labels)| Series { host, labels, points: Vec::new() }).collect())
    }

    fn series_of(&self, metric: &Metric) -> Result<Vec<(i64, Arc<str>, Labels)>, HistoryError> {
        let rows =
            self.rows("SELECT id, host, labels FROM series WHERE metric = ?1 ORDER BY host, labels", [metric.name], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })?;
        let known = |(id, host, labels): (i64, String, String)| {
            Some((id, host.into(), series::labels_from_text(metric.labels, &labels)?))
        };
        Ok(rows.into_iter().filter_map(known).collect())
    }

    fn chunks(&self, series: i64, start: Millis, end: Millis) -> rusqlite::Result<Pieces> {
        let sql = "SELECT times.batch, segment, every, kind = 'live', times.blob, chunk.blob
            FROM chunk JOIN times ON times.id = chunk.times JOIN batch ON batch.id = times.batch
            WHERE chunk.series = ?1 AND chunk.t0 < ?3 AND times.t1 >= ?2 ORDER BY chunk.t0";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(params![series, start, end])?;
        let mut pieces = Pieces::new();
        while let Some(row) = rows.next()? {
            let common = common(row)?;
            let times = codec::decode_times(row.get_ref(4)?.as_blob()?).map_err(|error| garbled(&error))?;
            let values = codec::decode_values(row.get_ref(5)?.as_blob()?).map_err(|error| garbled(&error))?;
            let inside = times.into_iter().zip(values).filter(|&(at, _)| start <= at && at < end).collect();
            pieces.push((common, inside));
        }
        Ok(pieces)
    }

    /// Adds what is not folded yet to the series asked for.
    fn tail(&self, start: Millis, end: Millis, pieces: &mut HashMap<i64, Pieces>) -> rusqlite::Result<()> {
        let sql = "SELECT batch, segment, every, kind = 'live', tail.blob, t FROM tail JOIN batch ON batch.id = tail.batch
            WHERE t >= ?1 AND t < ?2 ORDER BY t";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(params![start, end])?;
        while let Some(row) = rows.next()? {
            let common = common(row)?;
            let at = row.get(5)?;
            for (number, value) in codec::decode_tick(row.get_ref(4)?.as_blob()?).map_err(|error| garbled(&error))? {
                let Some(pieces) = pieces.get_mut(&number) else { continue };
                match pieces.last_mut() {
                    Some((last, points)) if *last == common => points.push((at, value)),
                    _ => pieces.push((common.clone(), vec![(at, value)])),
                }
            }
        }
        Ok(())
    }

    /// Every fact, oldest first.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn facts(&self) -> Result<Vec<StoredFact>, HistoryError> {
        let mut facts = Vec::new();
        self.each_fact(Timestamp::MAX_UTC, &mut |fact| facts.push(fact))?;
        Ok(facts)
    }

    /// Gives every fact before `end` to `see`, oldest first and one by one: a history of years has many.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn each_fact(&self, end: Timestamp, see: &mut dyn FnMut(StoredFact)) -> Result<(), HistoryError> {
        let mut read = || -> rusqlite::Result<()> {
            let sql = "SELECT host, name, about, t, text FROM fact WHERE t < ?1 ORDER BY t, host, name, about";
            let mut statement = self.db.prepare_cached(sql)?;
            let mut rows = statement.query([end.timestamp_millis()])?;
            while let Some(row) = rows.next()? {
                // What this version has no row for is another version's.
                if let Some(fact) = stored_fact(row)? {
                    see(fact);
                }
            }
            Ok(())
        };
        read().map_err(|source| self.refused(source))
    }

    /// The imported files, oldest import first.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn batches(&self) -> Result<Vec<Batch>, HistoryError> {
        let sql = "SELECT batch.id, host, path, format, time_quality, min(t0), max(t1), count(times.id)
            FROM batch LEFT JOIN times ON times.batch = batch.id WHERE kind = 'import' GROUP BY batch.id ORDER BY batch.id";
        let mut batches = self.rows(sql, [], |row| {
            let instant = |column| -> rusqlite::Result<Option<Timestamp>> {
                Ok(row.get::<_, Option<Millis>>(column)?.and_then(Timestamp::from_timestamp_millis))
            };
            Ok(Batch {
                batch: row.get(0)?,
                host: row.get(1)?,
                path: row.get(2)?,
                format: row.get(3)?,
                time_quality: row.get(4)?,
                span: instant(5)?.zip(instant(6)?),
                snapshots: 0,
            })
        })?;
        for batch in &mut batches {
            batch.snapshots = self.instants("SELECT blob FROM times WHERE batch = ?1", [batch.batch], Vec::new())?;
        }
        Ok(batches)
    }

    /// How many instants the history holds in all.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn snapshots(&self) -> Result<u64, HistoryError> {
        let tail = self.rows("SELECT t FROM tail", [], |row| row.get::<_, Millis>(0))?;
        self.instants("SELECT blob FROM times", [], tail)
    }

    fn instants(&self, which: &str, params: impl Params, more: Vec<Millis>) -> Result<u64, HistoryError> {
        let columns =
            self.rows(which, params, |row| codec::decode_times(row.get_ref(0)?.as_blob()?).map_err(|error| garbled(&error)))?;
        Ok(columns.into_iter().flatten().chain(more).collect::<HashSet<Millis>>().len() as u64)
    }

    /// What the history holds in all.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn totals(&self) -> Result<Totals, HistoryError> {
        self.at_once(|| self.totals_now())
    }

    fn totals_now(&self) -> Result<Totals, HistoryError> {
        let points = self.ask("SELECT (SELECT points FROM total) + (SELECT coalesce(sum(n), 0) FROM tail)", [])?;
        let edges =
            "SELECT min(a), max(b) FROM (SELECT min(t0) AS a, max(t1) AS b FROM times UNION ALL SELECT min(t), max(t) FROM tail)";
        let (first, last): (Option<Millis>, Option<Millis>) =
            self.db.query_row(edges, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|source| self.refused(source))?;
        let instant = |at: Option<Millis>| at.and_then(Timestamp::from_timestamp_millis);
        Ok(Totals { bytes: self.bytes().unwrap_or(0), points, span: instant(first).zip(instant(last)) })
    }

    /// The newest instant before `end`, or a later one before `end` where instants are stored together across it.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn newest_before(&self, end: Timestamp) -> Result<Option<Timestamp>, HistoryError> {
        let sql = "SELECT max(newest) FROM (SELECT max(min(t1, ?1 - 1)) AS newest FROM times WHERE t0 < ?1
            UNION ALL SELECT max(t) FROM tail WHERE t < ?1)";
        let newest: Option<Millis> = self.ask(sql, [end.timestamp_millis()])?;
        Ok(newest.and_then(Timestamp::from_timestamp_millis))
    }

    /// Size on disk, all files together; `None` where the file is no longer there.
    pub fn bytes(&self) -> Option<u64> {
        let length = |suffix| std::fs::metadata(schema::beside(&self.path, suffix)).ok().map(|file| file.len());
        Some(length("")? + length("-wal").unwrap_or(0) + length("-shm").unwrap_or(0))
    }

    /// The names of all hosts, in order.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn hosts(&self) -> Result<Vec<String>, HistoryError> {
        self.rows("SELECT DISTINCT host FROM series ORDER BY host", [], |row| row.get(0))
    }

    pub(super) fn ask<T: rusqlite::types::FromSql>(&self, sql: &str, params: impl Params) -> Result<T, HistoryError> {
        self.db.query_row(sql, params, |row| row.get(0)).map_err(|source| self.refused(source))
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, HistoryError> {
        let rows = || -> rusqlite::Result<Vec<T>> { self.db.prepare_cached(sql)?.query_map(params, read)?.collect() };
        rows().map_err(|source| self.refused(source))
    }
}

fn stored_fact(row: &Row<'_>) -> rusqlite::Result<Option<StoredFact>> {
    let (host, name, about): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (since, text): (Millis, String) = (row.get(3)?, row.get(4)?);
    let known = || {
        let row = catalog::fact_named(&name)?;
        let about = series::labels_from_text(row.labels, &about)?;
        Some(StoredFact { host, row, about, since: Timestamp::from_timestamp_millis(since)?, text })
    };
    Ok(known())
}

fn common(row: &Row<'_>) -> rusqlite::Result<Common> {
    Ok(Common { batch: row.get(0)?, segment: row.get(1)?, every: row.get(2)?, live: row.get(3)? })
}

/// The points of all pieces in order of time; of two at one instant the live one stays, else the one imported first.
fn in_order(mut pieces: Pieces) -> Vec<Point> {
    pieces.sort_by_key(|(common, points)| (points.first().map(|&(at, _)| at), !common.live, common.batch));
    let mut before: Option<Common> = None;
    let mut points: Vec<Point> = Vec::with_capacity(pieces.iter().map(|(_, points)| points.len()).sum());
    for (common, piece) in pieces {
        let mut follows = before.as_ref() == Some(&common);
        for (at, value) in piece {
            points.push(Point { at, value, over: common.every as f32 / 1000.0, follows, live: common.live });
            follows = true;
        }
        before = Some(common);
    }
    if points.is_sorted_by(|a, b| a.at < b.at) { points } else { interleaved(points) }
}

/// Pieces that overlap in time: nothing may be computed between points of two of them.
fn interleaved(points: Vec<Point>) -> Vec<Point> {
    let mut piece = 0;
    // Of two at one instant the live one comes first, then the one of the shorter interval.
    let mut numbered: BTreeMap<(Millis, bool, u32, u32), (u32, Point)> = BTreeMap::new();
    for point in points {
        piece += u32::from(!point.follows);
        numbered.insert((point.at, !point.live, point.over.to_bits(), piece), (piece, point));
    }
    let mut kept: Vec<Point> = Vec::with_capacity(numbered.len());
    let mut before = None;
    for (piece, mut point) in numbered.into_values() {
        if kept.last().is_none_or(|last| last.at < point.at) {
            point.follows &= before == Some(piece);
            before = Some(piece);
            kept.push(point);
        }
    }
    kept
}

/// The instants in `first..=last` at which a series has a folded point of this interval, in milliseconds.
pub(super) fn instants(
    db: &Connection,
    series: i64,
    every: i64,
    first: Millis,
    last: Millis,
) -> rusqlite::Result<HashSet<Millis>> {
    let sql = "SELECT times.blob FROM chunk JOIN times ON times.id = chunk.times WHERE chunk.series = ?1 AND chunk.t0 <= ?3 AND times.t1 >= ?2 AND times.every = ?4";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params![series, first, last, every])?;
    let mut known = HashSet::new();
    while let Some(row) = rows.next()? {
        known.extend(codec::decode_times(row.get_ref(0)?.as_blob()?).map_err(|error| garbled(&error))?);
    }
    Ok(known)
}
