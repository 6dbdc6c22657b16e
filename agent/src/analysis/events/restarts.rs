//! Restarts of servers, from their uptime: a server that has run for less time than has passed was started in between.
//!
//! Where no uptime was read or a clock was set, what the server says of its start has to do.

use std::collections::HashMap;
use std::sync::Arc;

use super::instant;
use super::told::{Start, Told};
use crate::catalog;
use crate::history::{History, HistoryError, Point};
use crate::snapshot::Labels;
use crate::time::{Millis, Span, Timestamp};

/// How far two clocks may be apart, in seconds: both are read to the second.
const TOLERANCE: f64 = 2.0;
/// Days with three decimals, in seconds: how domprom writes the uptime.
const COARSE: f64 = 86.4;

/// A start of a server that ran before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Restart {
    pub(super) host: String,
    pub(super) partition: String,
    /// When the run before was last seen, and how many seconds it had run; none where only the text of the start tells.
    pub(super) before: Option<(Timestamp, f64)>,
    /// When it started; where only the text tells, when that was read.
    pub(super) at: Timestamp,
    /// When it was first seen.
    pub(super) seen: Timestamp,
}

/// The restarts in these stretches, which follow each other.
pub(super) fn restarts(history: &History, stretches: &[Span], told: &Told) -> Result<Vec<Restart>, HistoryError> {
    let mut starts: Vec<(Start, bool)> = told.starts().into_iter().map(|start| (start, false)).collect();
    let mut restarts = Vec::new();
    let mut before: HashMap<(Arc<str>, Labels), Point> = HashMap::new();
    let Some(uptime) = catalog::metric("domino_uptime_seconds") else { return Ok(restarts) };
    for stretch in stretches {
        for series in history.points(uptime, *stretch)? {
            let partition = series.labels.get(0).unwrap_or_default().to_owned();
            let mut last = before.get(&(series.host.clone(), series.labels.clone())).copied();
            for point in &series.points {
                // Where a clock was set in between, what has passed is not known, nor which reading came first.
                let set = |last: &Point| told.is_clock_set(&series.host, instant(last.at), instant(point.at));
                if let Some(last) = last.filter(|last| !set(last)) {
                    judge(&mut starts, &series.host, &partition, &last, point);
                    restarts.extend(restart(&series.host, &partition, &last, point));
                }
                last = Some(*point);
            }
            before.extend(last.map(|last| ((series.host, series.labels), last)));
        }
    }
    let unjudged = starts.into_iter().filter(|(_, judged)| !judged).map(|(start, _)| start);
    restarts.extend(unjudged.map(|Start { at, host, partition }| Restart { host, partition, before: None, at, seen: at }));
    Ok(restarts)
}

/// Two readings of the uptime decide about every start that was told between them.
fn judge(starts: &mut [(Start, bool)], host: &str, partition: &str, last: &Point, point: &Point) {
    for (start, judged) in starts {
        let between = last.at < start.at.timestamp_millis() && start.at.timestamp_millis() <= point.at;
        *judged |= between && start.host == host && start.partition == partition;
    }
}

fn restart(host: &str, partition: &str, last: &Point, point: &Point) -> Option<Restart> {
    let at = started_between(last, point)?;
    Some(Restart {
        host: host.to_owned(),
        partition: partition.to_owned(),
        before: Some((instant(last.at), last.value)),
        at: instant(at),
        seen: instant(point.at),
    })
}

/// When the server was started, if that was after the earlier reading. That it ran for less time than before is not enough:
/// two sources may be read in turn, one of them coarse, or a clock may have been set back; the start must lie between.
fn started_between(last: &Point, point: &Point) -> Option<Millis> {
    let tolerance = tolerance(last).max(tolerance(point));
    let start = point.at - (point.value * 1000.0).round() as Millis;
    let after = (start - last.at) as f64 / 1000.0;
    let fell = point.value < last.value - tolerance;
    (after > tolerance || fell && after > -tolerance).then(|| start.clamp(last.at + 1, point.at))
}

/// A multiple of the coarse step is taken for coarse; an exact reading that happens to be one is only judged more mildly.
fn tolerance(point: &Point) -> f64 {
    let steps = point.value / COARSE;
    let coarse = (steps - steps.round()).abs() * COARSE < 0.01;
    if coarse { COARSE + TOLERANCE } else { TOLERANCE }
}
