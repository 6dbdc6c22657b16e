//! Gaps: business hours in which the service sampled nothing of a host or of a partition.
//!
//! A host or a partition is there when any of a few rows that are always read has a point. What was imported fills a gap as well,
//! but before the first point of the service and after its last one nothing is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use chrono_tz::Tz;

use super::{Event, Kind, instant, lasted};
use crate::catalog;
use crate::history::{History, HistoryError};
use crate::schedule::Schedule;
use crate::time::{Millis, Span, Timestamp};

/// Rows that every reading of a host has, live or imported.
const OF_HOSTS: [&str; 3] = ["host_load1", "host_memory_available_bytes", "host_cpu_mode_ratio"];
/// Rows that every reading of a partition has.
const OF_PARTITIONS: [&str; 3] = ["domino_uptime_seconds", "domino_transactions_total", "domino_users_connected"];
/// The longest time without a sample that is no gap, in milliseconds, and in intervals of the samples.
const SHORTEST: Millis = 300_000;
const INTERVALS: f64 = 3.0;
/// A host and its partitions are not read in the same second.
const APART: TimeDelta = TimeDelta::minutes(5);

/// A host, and one of its partitions.
type Key = (Arc<str>, Option<String>);

/// A reading of anything.
#[derive(Clone, Copy)]
struct Seen {
    at: Millis,
    /// What it stands for, in milliseconds.
    over: Millis,
    live: bool,
}

/// Business hours without a sample.
struct Gap {
    from: Timestamp,
    to: Timestamp,
    open_seconds: f64,
}

/// One host or partition on its way through time.
#[derive(Default)]
struct Watch {
    last: Option<Seen>,
    /// Whether the service has read it yet.
    live: bool,
    /// Gaps that count once the service reads it again.
    pending: Vec<Gap>,
    gaps: Vec<Gap>,
}

/// The gaps in stretches that follow each other. A gap of a partition that is one of its host, too, is told of the host alone
/// if `once`.
pub(super) fn gaps(history: &History, schedule: &Schedule, stretches: &[Span], once: bool) -> Result<Vec<Event>, HistoryError> {
    let mut watches: BTreeMap<Key, Watch> = BTreeMap::new();
    for stretch in stretches {
        for (key, seen) in readings(history, *stretch)? {
            let watch = watches.entry(key).or_default();
            seen.into_iter().for_each(|seen| watch.see(seen, schedule));
        }
    }
    let of_host = |(host, partition): &Key, gap: &Gap| {
        let whole = watches.get(&(host.clone(), None)).filter(|_| once && partition.is_some());
        let around = |whole: &Gap| whole.from - APART <= gap.from && gap.to <= whole.to + APART;
        whole.is_some_and(|host| host.gaps.iter().any(around))
    };
    let told = |(key, watch): (&Key, &Watch)| {
        let mine = watch.gaps.iter().filter(|gap| !of_host(key, gap));
        mine.map(|gap| gap.event(key, schedule.zone())).collect::<Vec<_>>()
    };
    Ok(watches.iter().flat_map(told).collect())
}

/// When each host and each partition was read in a stretch.
fn readings(history: &History, stretch: Span) -> Result<BTreeMap<Key, Vec<Seen>>, HistoryError> {
    let mut all: BTreeMap<Key, Vec<Seen>> = BTreeMap::new();
    for metric in OF_HOSTS.iter().chain(&OF_PARTITIONS).filter_map(|name| catalog::metric(name)) {
        let position = metric.labels.iter().position(|label| *label == "partition");
        for series in history.points(metric, stretch)? {
            let partition = position.and_then(|position| series.labels.get(position)).map(str::to_owned);
            let seen = series.points.iter().map(|point| {
                let over = (f64::from(point.over) * 1000.0).round() as Millis;
                Seen { at: point.at, over, live: point.live }
            });
            let of = all.entry((series.host.clone(), partition)).or_default();
            of.extend(seen);
            // Once now, so that several rows of the same instants do not stand in memory together.
            of.sort_unstable_by_key(|seen| (seen.at, !seen.live));
            of.dedup_by_key(|seen| seen.at);
        }
    }
    Ok(all)
}

impl Watch {
    fn see(&mut self, seen: Seen, schedule: &Schedule) {
        if let Some(last) = self.last.filter(|_| self.live) {
            self.pending.extend(gap(last, seen, schedule));
        }
        if seen.live {
            self.live = true;
            self.gaps.append(&mut self.pending);
        }
        self.last = Some(seen);
    }
}

/// The gap between two readings that follow each other, if there is one.
fn gap(last: Seen, seen: Seen, schedule: &Schedule) -> Option<Gap> {
    let longest = SHORTEST.max((INTERVALS * last.over.min(seen.over) as f64) as Millis);
    // A row of a file describes the time before it; the service reads at the instant.
    let end = if seen.live { seen.at } else { seen.at - seen.over };
    if end - last.at <= longest {
        return None;
    }
    let (start, end) = (instant(last.at), instant(end));
    let open: Vec<Span> = schedule.openings(Span { start, end }).map(|opening| opening.span).collect();
    let from = open.first()?.start.max(start);
    let to = open.last()?.end.min(end);
    let open_seconds: f64 = open.iter().map(|span| Span { start: span.start.max(start), end: span.end.min(end) }.seconds()).sum();
    (open_seconds * 1000.0 > longest as f64).then_some(Gap { from, to, open_seconds })
}

impl Gap {
    fn event(&self, (host, partition): &Key, zone: Tz) -> Event {
        let (from, to) = (self.from.with_timezone(&zone), self.to.with_timezone(&zone));
        let form = if from.date_naive() == to.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
        let (first, last, open) = (from.format(form), to.format(form), lasted(self.open_seconds));
        Event {
            at: self.from,
            host: host.to_string(),
            partition: partition.clone(),
            kind: Kind::Gap,
            before: None,
            after: None,
            text: format!("no samples from {first} to {last} ({open} of business hours)"),
        }
    }
}
