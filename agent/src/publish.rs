//! Snapshots and the agent's own state as exposition. Names, help and kinds come from the catalog.

use std::collections::{BTreeMap, HashMap};

use weekline_exporter::{Family, Kind, Point, text};

use crate::analysis::latest;
use crate::catalog::{self, Metric, Place};
use crate::history::Series;
use crate::run::{Board, Overhead, Pair, Status};
use crate::snapshot::{Reading, Snapshot};
use crate::time::Timestamp;

/// What is newest as text: what was read, and what follows from it and what was read before.
///
/// # Errors
/// Where a row has a name that cannot be written; a test of the catalog keeps that from happening.
pub fn sample(board: &Board) -> Result<String, text::EncodeError> {
    let derived: Vec<Derived> = board.pairs.values().map(|pair| derived(pair)).collect();
    // A row may have series of several streams, and a family stands once.
    let mut families: BTreeMap<&str, (&'static Metric, Vec<Point<'_>>)> = BTreeMap::new();
    let mut add = |metric: &'static Metric, point| families.entry(metric.name).or_insert((metric, Vec::new())).1.push(point);
    for pair in board.pairs.values() {
        pair.now.readings.iter().for_each(|reading| add(reading.metric, shown(pair, reading)));
    }
    for (metric, series) in derived.iter().flatten() {
        series.iter().filter_map(point_of_series).for_each(|point| add(metric, point));
    }
    let families = families.into_values().map(|(metric, mut points)| {
        points.sort_by(|a, b| a.labels.cmp(&b.labels));
        family(metric, points)
    });
    let mut out = String::new();
    text::encode(&families.collect::<Vec<_>>(), &mut out)?;
    Ok(out)
}

/// Rows that follow from a pair of snapshots.
type Derived = Vec<(&'static Metric, Vec<Series>)>;

fn derived(pair: &Pair) -> Derived {
    pair.before.as_deref().map(|before| latest(before, &pair.now)).unwrap_or_default()
}

/// What the agent knows of itself, as text.
///
/// # Errors
/// As in [`sample`].
pub fn own(status: &Status, overhead: &Overhead, now: Timestamp) -> Result<String, text::EncodeError> {
    let mut own = Snapshot::new(now, "", std::time::Duration::ZERO);
    put_schedule(&mut own, status);
    put_sources(&mut own, status);
    put_costs(&mut own, status, overhead);
    let mut read = by_metric(&own);
    let families = catalog::metrics()
        .filter_map(|metric| Some(family(metric, read.remove(metric.name)?.into_iter().map(point_of_reading).collect())));
    let mut out = String::new();
    text::encode(&families.collect::<Vec<_>>(), &mut out)?;
    Ok(out)
}

fn put_schedule(own: &mut Snapshot, status: &Status) {
    let now = own.at;
    let mut put = |field: &str, labels: &[&str], number: f64| own.put(Place::Agent, field, labels, number);
    put("build", &[env!("CARGO_PKG_VERSION")], 1.0);
    put("open", &[], f64::from(u8::from(status.schedule.is_open(now))));
    if let Some(why) = status.schedule.why_closed(now) {
        put("closed", &[why.name()], 1.0);
    }
    if let Some(next) = status.schedule.next_open(now) {
        put("next_open", &[], seconds(next));
    }
    put("reload_success", &[], f64::from(u8::from(status.reload.error.is_none())));
    put("reload_at", &[], seconds(status.reload.at));
    put("ticks_on_time", &[], status.ticks.on_time as f64);
    put("ticks_late", &[], status.ticks.late as f64);
    put("ticks_skipped", &[], status.ticks.skipped as f64);
}

fn put_sources(own: &mut Snapshot, status: &Status) {
    for source in status.sources.values().flatten() {
        let labels = [source.name, source.partition.as_str()];
        own.put(Place::Agent, "source_up", &labels, f64::from(u8::from(source.error.is_none())));
        own.put(Place::Agent, "source_duration", &labels, source.took.as_secs_f64());
        if let Some(good) = source.good {
            own.put(Place::Agent, "source_age", &labels, (own.at - good).as_seconds_f64());
        }
        if !source.partition.is_empty() {
            own.put(Place::Agent, "source_refused", &labels, source.refused as f64);
        }
    }
}

fn put_costs(own: &mut Snapshot, status: &Status, overhead: &Overhead) {
    let mut put = |field: &str, labels: &[&str], number: f64| own.put(Place::Agent, field, labels, number);
    put("sample_duration", &[], status.sample_took.as_secs_f64());
    put("sample_cpu", &[], status.sample_cpu_seconds);
    put("cpu", &[], overhead.cpu_seconds);
    put("rss", &[], overhead.rss_bytes);
    put("rss_peak", &[], overhead.rss_peak_bytes);
    put("clock_jumps", &[], status.clock_jumps as f64);
    put("unknown", &[], status.unknown.values().map(|fields| fields.len()).sum::<usize>() as f64);
    put("history_bytes", &[], status.history_bytes as f64);
    put("history_points", &[], status.history_points as f64);
    for (metric, falls) in &status.falls {
        put("falls", &[metric], *falls as f64);
    }
    // The reason that matters most is there before it happens, so that an alert has something to look at.
    put("lost", &["no_room"], status.lost.get("no_room").copied().unwrap_or(0) as f64);
    for (why, points) in status.lost.iter().filter(|(why, _)| **why != "no_room") {
        put("lost", &[why], *points as f64);
    }
}

fn by_metric(snapshot: &Snapshot) -> HashMap<&'static str, Vec<&Reading>> {
    let mut read: HashMap<&'static str, Vec<&Reading>> = HashMap::new();
    for reading in &snapshot.readings {
        read.entry(reading.metric.name).or_default().push(reading);
    }
    read
}

fn family<'a>(metric: &'static Metric, points: Vec<Point<'a>>) -> Family<'a> {
    let kind = match metric.kind {
        catalog::Kind::Counter => Kind::Counter,
        catalog::Kind::Gauge => Kind::Gauge,
    };
    Family { name: metric.name, help: metric.help, kind, labels: metric.labels, points }
}

fn shown<'a>(pair: &Pair, reading: &'a Reading) -> Point<'a> {
    let point = point_of_reading(reading);
    if pair.held.is_empty() {
        return point;
    }
    let held = pair.held.get(&(reading.metric.name, reading.labels.clone()));
    Point { value: held.copied().unwrap_or(point.value), ..point }
}

fn point_of_reading(reading: &Reading) -> Point<'_> {
    Point { labels: reading.labels.values().collect(), value: reading.value }
}

fn point_of_series(series: &Series) -> Option<Point<'_>> {
    Some(Point { labels: series.labels.values().collect(), value: series.points.last()?.value })
}

fn seconds(at: Timestamp) -> f64 {
    at.timestamp_millis() as f64 / 1000.0
}
