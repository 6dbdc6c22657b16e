//! What the history means: series stored or derived, and their weeks.
//!
//! Takes points and gives values. Nothing is printed, stored or asked of a clock here.
//! Refused: an average of ratios (means are weighted with time), a rate across a restart, a fall or more than one tick that is missing,
//! and time counted twice that was recorded twice.

mod derive;
pub mod newest;
mod overlap;
#[cfg(test)]
mod tests;
pub mod weeks;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use crate::catalog::Metric;
use crate::history::{History, HistoryError, Point, Series};
use crate::snapshot::{Labels, Snapshot};
use crate::time::{Millis, Span};

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

/// The last two snapshots of one host, ready for what follows from them.
pub struct Latest {
    at: Millis,
    read: HashMap<&'static str, Vec<Series>>,
}

impl Latest {
    /// Lays two snapshots side by side.
    pub fn new(before: &Snapshot, now: &Snapshot) -> Latest {
        let host: Arc<str> = now.host.as_str().into();
        let earlier: HashMap<(&str, &Labels), f64> =
            before.readings.iter().map(|old| ((old.metric.name, &old.labels), old.value)).collect();
        let mut read: HashMap<&'static str, Vec<Series>> = HashMap::new();
        for reading in &now.readings {
            let old = earlier.get(&(reading.metric.name, &reading.labels)).map(|&value| point(before, value));
            let points = old.into_iter().chain([point(now, reading.value)]).collect();
            read.entry(reading.metric.name).or_default().push(Series {
                host: host.clone(),
                labels: reading.labels.clone(),
                points,
            });
        }
        Latest { at: now.at.timestamp_millis(), read }
    }

    /// The newest value of every series of a row that was not read but follows from what was.
    pub fn follows(&self, metric: &'static Metric) -> Vec<Series> {
        let stored = &mut |row: &'static Metric| Ok::<_, Infallible>(self.read.get(row.name).cloned().unwrap_or_default());
        let Ok(mut all) = derive::series(metric, stored);
        for series in &mut all {
            series.points.retain(|point| point.at == self.at);
        }
        all.retain(|series| !series.points.is_empty());
        all
    }
}

fn point(snapshot: &Snapshot, value: f64) -> Point {
    Point { at: snapshot.at.timestamp_millis(), value, over: snapshot.every.as_secs_f32(), follows: snapshot.follows, live: true }
}
