//! The activity of partitions as it goes on: today so far, and the days and weeks before.
//!
//! What the history knows of a partition is counted once, when it is first seen; from then on each reading is counted as it comes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{Days, NaiveDate, TimeDelta};

use super::state::{Pair, Shared};
use super::{Held, Keeper};
use crate::analysis::activity::{self, Sighting, Tally, Window};
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::sources::chain;
use crate::sources::domino::BESIDE;
use crate::time::{Span, Timestamp};

/// What the stream of a partition's activity ends with; it is shown and never kept, since it follows from what is.
const STREAM: &str = "/activity";
/// Days that the figures of this week and the last one need, with the night before them.
const KEPT: u64 = 15;

/// The tallies of all partitions.
pub(super) struct Daily {
    schedule: Arc<Schedule>,
    window: Option<Window>,
    shared: Arc<Shared>,
    partitions: HashMap<String, Counted>,
}

struct Counted {
    host: String,
    tally: Tally,
    /// The day that was today when its figures were last shown.
    shown: Option<NaiveDate>,
}

/// The partition that a stream is of or beside; empty for the host.
pub fn partition_of(stream: &str) -> &str {
    let stream = stream.strip_suffix(STREAM).unwrap_or(stream);
    stream.strip_suffix(BESIDE).unwrap_or(stream)
}

/// Whether a stream is one of activity.
pub(super) fn is_activity(stream: &str) -> bool {
    stream.ends_with(STREAM)
}

impl Daily {
    pub(super) fn new(schedule: Arc<Schedule>, window: Option<Window>, shared: Arc<Shared>) -> Daily {
        Daily { schedule, window, shared, partitions: HashMap::new() }
    }

    /// Goes on by this schedule and window, for these partitions; what others make of the past is read anew.
    pub(super) fn set(&mut self, schedule: Arc<Schedule>, window: Option<Window>, partitions: &[&str]) {
        if window != self.window || *schedule != *self.schedule {
            self.partitions.clear();
        }
        self.partitions.retain(|name, _| partitions.contains(&name.as_str()));
        (self.schedule, self.window) = (schedule, window);
    }

    /// Counts what was read of a partition; what the history holds is asked of `keeper` the first time.
    pub(super) fn take(&mut self, partition: &str, snapshot: &Snapshot, keeper: &mut Keeper) {
        let Some(sighting) = Sighting::of(snapshot, partition) else { return };
        let known = self.partitions.get(partition).is_some_and(|counted| counted.host == snapshot.host);
        if !known {
            let tally = self.recall(partition, snapshot, keeper);
            let counted = Counted { host: snapshot.host.clone(), tally, shown: None };
            self.partitions.insert(partition.to_owned(), counted);
        }
        let Some(counted) = self.partitions.get_mut(partition) else { return };
        counted.tally.push(&sighting);
        let today = today(&self.schedule, snapshot.at);
        counted.tally.forget_before(today.checked_sub_days(Days::new(KEPT)).unwrap_or(NaiveDate::MIN));
        counted.show(partition, today, snapshot.at, &self.shared);
    }

    /// What was today yesterday is not today: partitions that say nothing are shown anew when the day changes.
    pub(super) fn turn(&mut self, now: Timestamp) {
        let today = today(&self.schedule, now);
        for (partition, counted) in self.partitions.iter_mut().filter(|(_, counted)| counted.shown != Some(today)) {
            counted.show(partition, today, now, &self.shared);
        }
    }

    fn recall(&self, partition: &str, snapshot: &Snapshot, keeper: &mut Keeper) -> Tally {
        let from = snapshot.at - TimeDelta::days(KEPT as i64);
        let stored = keeper
            .history()
            .map(|history| activity::tally(history, &self.schedule, (&snapshot.host, partition), self.window, from));
        match stored {
            Some(Ok(tally)) => tally,
            Some(Err(error)) => {
                tracing::warn!(partition, "{}; its activity is counted from now on", chain(&error));
                Tally::new(self.schedule.clone(), self.window)
            }
            None => Tally::new(self.schedule.clone(), self.window),
        }
    }
}

impl Counted {
    fn show(&mut self, partition: &str, today: NaiveDate, at: Timestamp, shared: &Shared) {
        self.shown = Some(today);
        let stream = format!("{partition}{STREAM}");
        let mut now = Snapshot::new(at, &self.host, Duration::ZERO).of(&stream);
        let days: Vec<_> = self.tally.days().collect();
        activity::exported(&days, today, &mut now, partition);
        shared.publish(&stream, Pair { before: None, now: Arc::new(now), held: Held::new() });
    }
}

/// The day that owns the present or the last opening.
fn today(schedule: &Schedule, now: Timestamp) -> NaiveDate {
    let week = Span { start: now - TimeDelta::days(7), end: now + TimeDelta::milliseconds(1) };
    let last = schedule.openings(week).last().map(|opening| opening.day);
    last.unwrap_or_else(|| now.with_timezone(&schedule.zone()).date_naive())
}
