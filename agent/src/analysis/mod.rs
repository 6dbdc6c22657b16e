//! What the history means: series stored or derived, and their weeks.
//!
//! Takes points and gives values. Nothing is printed, stored or asked of a clock here.
//! Refused: an average of ratios (means are weighted with time), a rate across a restart, a fall or more than one tick that is missing,
//! and time counted twice that was recorded twice.

mod derive;
pub mod events;
pub mod newest;
mod overlap;
pub mod registered;
#[cfg(test)]
mod tests;
pub mod weeks;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use crate::catalog::{self, Metric};
use crate::history::{History, HistoryError, Point, Series};
use crate::snapshot::Snapshot;
use crate::time::Span;

/// How much before a span is read, so that its first interval has a beginning.
const LEAD: chrono::TimeDelta = chrono::TimeDelta::hours(1);

/// The series of any row over a span: what was stored, and what follows from other rows where it was not.
///
/// # Errors
/// Where the history cannot be read.
pub fn series(history: &History, metric: &'static Metric, span: Span) -> Result<Vec<Series>, HistoryError> {
    let start = span.start.checked_sub_signed(LEAD).unwrap_or(span.start);
    let mut all = derive::series(metric, &mut |row| history.points(row, Span { start, ..span }))?;
    let first = span.start.timestamp_millis();
    for series in &mut all {
        series.points.retain(|point| point.at >= first);
    }
    all.retain(|series| !series.points.is_empty());
    Ok(all)
}

/// The newest value of every series of every row that was not read but follows from the last two snapshots of one host.
pub fn latest(before: &Snapshot, now: &Snapshot) -> Vec<(&'static Metric, Vec<Series>)> {
    let mut known = side_by_side(before, now);
    let mut latest = Vec::new();
    for metric in catalog::metrics() {
        let Some(derive) = metric.derive.filter(|_| !known.contains_key(metric.name)) else { continue };
        // Rows follow from rows that stand before them in the table (a test), so each is computed once.
        let of = &mut |row: &'static Metric| Ok::<_, Infallible>(known.get(row.name).cloned().unwrap_or_default());
        let Ok(mut all) = derive::follow(derive, of);
        for series in &mut all {
            series.points.retain(|point| point.at == now.at.timestamp_millis());
        }
        all.retain(|series| !series.points.is_empty());
        all.sort_by(|a, b| a.labels.cmp(&b.labels));
        known.insert(metric.name, all.clone());
        latest.push((metric, all));
    }
    latest
}

/// What was read, row by row, with one point of each snapshot.
fn side_by_side(before: &Snapshot, now: &Snapshot) -> HashMap<&'static str, Vec<Series>> {
    let host: Arc<str> = now.host.as_str().into();
    let mut read: HashMap<&'static str, Vec<Series>> = HashMap::new();
    for (reading, old) in now.beside(before) {
        let points = old.map(|old| point(before, old.value)).into_iter().chain([point(now, reading.value)]).collect();
        let series = Series { host: host.clone(), labels: reading.labels.clone(), points };
        read.entry(reading.metric.name).or_default().push(series);
    }
    read
}

fn point(snapshot: &Snapshot, value: f64) -> Point {
    Point { at: snapshot.at.timestamp_millis(), value, over: snapshot.every.as_secs_f32(), follows: snapshot.follows, live: true }
}
