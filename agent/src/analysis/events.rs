//! What happened to hosts and partitions: upgrades, restarts, crashes, changes, findings, and gaps in what was sampled.
//!
//! Facts tell what changed. Restarts of a server are told by its uptime, because its start is written in local time and seems to
//! move with the clocks. What is one thing to a person is one event: an upgrade and its restart, a line said again and again.
//! Refused: an event at first sight, when nothing is known of the time before.

mod console;
mod gaps;
mod lives;
mod memory;
mod restarts;
mod told;

use std::collections::BTreeSet;
use std::fmt;

use chrono::{Datelike, Days, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use super::weeks::Weeks;
use crate::catalog;
use crate::history::{History, HistoryError};
use crate::schedule::Schedule;
use crate::time::{Millis, Span, Timestamp};

/// How far before the span is read: over a week-end with holidays on both sides, so that what happened then is seen.
const LEAD: TimeDelta = TimeDelta::days(7);
/// How much is read at a time. Four weeks of minutes around the clock are 40 000 points a series, one megabyte.
const STRETCH: TimeDelta = TimeDelta::weeks(4);

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Another release or build of the server.
    Upgrade,
    /// A server or a host started anew.
    Restart,
    /// A server or a task of it ended by a fault.
    Crash,
    /// Settings of the server changed.
    Config,
    /// A task that should run did not, or runs again.
    TaskMissing,
    /// A line of the console that somebody should see.
    Log,
    /// The host changed: kernel, processors, memory, disks, zone.
    Host,
    /// The clock was set, or the machine slept.
    Clock,
    /// Nothing was sampled in business hours.
    Gap,
}

impl Kind {
    /// All kinds; of several events at one instant these come in this order.
    pub const ALL: [Kind; 9] = [
        Kind::Upgrade,
        Kind::Restart,
        Kind::Crash,
        Kind::Config,
        Kind::TaskMissing,
        Kind::Log,
        Kind::Host,
        Kind::Clock,
        Kind::Gap,
    ];

    /// Its name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Upgrade => "upgrade",
            Kind::Restart => "restart",
            Kind::Crash => "crash",
            Kind::Config => "config",
            Kind::TaskMissing => "task_missing",
            Kind::Log => "log",
            Kind::Host => "host",
            Kind::Clock => "clock",
            Kind::Gap => "gap",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When it happened, as far as that is known; else when it was first seen.
    pub at: Timestamp,
    /// The host.
    pub host: String,
    /// The partition it happened to; none: the host itself.
    pub partition: Option<String>,
    /// What kind of thing.
    pub kind: Kind,
    /// What was there before, where that is a text: a release, a list of tasks.
    pub before: Option<String>,
    /// What came in its place.
    pub after: Option<String>,
    /// What happened, in words.
    pub text: String,
}

impl Event {
    /// What it happened to: the partition, else the host.
    pub fn about(&self) -> &str {
        self.partition.as_deref().unwrap_or(&self.host)
    }
}

/// Which events are looked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// When they happened.
    pub span: Span,
    /// On this host alone.
    pub host: Option<String>,
    /// To this partition alone; what happened to its host is left out, too.
    pub partition: Option<String>,
    /// Of these kinds; of all where none is named.
    pub kinds: Vec<Kind>,
}

impl Options {
    /// All events of a span.
    pub fn all(span: Span) -> Options {
        Options { span, host: None, partition: None, kinds: Vec::new() }
    }

    fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    fn is_of(&self, host: &str) -> bool {
        self.host.as_deref().is_none_or(|only| only == host)
    }

    fn takes(&self, event: &Event) -> bool {
        self.span.contains(event.at)
            && self.wants(event.kind)
            && self.is_of(&event.host)
            && (self.partition.is_none() || event.partition == self.partition)
    }
}

/// What happened, oldest first.
///
/// Memory grows with what happened in the span, not with the age of the history.
///
/// # Errors
/// Where the history cannot be read.
pub fn events(history: &History, schedule: &Schedule, options: &Options) -> Result<Vec<Event>, HistoryError> {
    let start = options.span.start.checked_sub_signed(LEAD).unwrap_or(Timestamp::MIN_UTC);
    let span = Span { start, ..options.span };
    let told = told::read(history, span, |host| options.is_of(host))?;
    let stretches = stretches(history, span)?;
    let mut events = told.events();
    if [Kind::Upgrade, Kind::Restart, Kind::Crash].into_iter().any(|kind| options.wants(kind)) {
        let restarts = restarts::restarts(history, &stretches, &told)?;
        events.extend(lives::joined(told.upgrades(), restarts, &told.console));
    }
    if options.wants(Kind::Host) {
        events.extend(memory::changes(history, &stretches)?);
    }
    if options.wants(Kind::Gap) {
        events.extend(gaps::gaps(history, schedule, &stretches, options.partition.is_none())?);
    }
    events.retain(|event| options.takes(event));
    events.sort_by(|a, b| (a.at, &a.host, &a.partition, a.kind, &a.text).cmp(&(b.at, &b.host, &b.partition, b.kind, &b.text)));
    Ok(events)
}

/// From the midnight so many weeks before the newest point on; none where the history is empty.
///
/// # Errors
/// Where the history cannot be read.
pub fn last_weeks(history: &History, weeks: u16, schedule: &Schedule) -> Result<Option<Span>, HistoryError> {
    let Some((_, newest)) = history.totals()?.span else { return Ok(None) };
    let day = newest.with_timezone(&schedule.zone()).date_naive();
    let first = day.checked_sub_days(Days::new(7 * u64::from(weeks))).unwrap_or(chrono::NaiveDate::MIN);
    // A midnight that the clocks left out is an hour away at most, which decides nothing here.
    let midnight = first.and_time(NaiveTime::MIN);
    let start = midnight.and_local_timezone(schedule.zone()).earliest().map_or(midnight.and_utc(), |at| at.to_utc());
    Ok(Some(Span { start, end: Timestamp::MAX_UTC }))
}

/// The names of all partitions that facts or readings are of, in order.
///
/// # Errors
/// Where the history cannot be read.
pub fn partitions(history: &History) -> Result<BTreeSet<String>, HistoryError> {
    let mut partitions = BTreeSet::new();
    history.each_fact(Timestamp::MAX_UTC, &mut |fact| partitions.extend(told::of_partition(fact.row, &fact.about)))?;
    if let Some(uptime) = catalog::metric("domino_uptime_seconds") {
        let named = history.named(uptime)?;
        partitions.extend(named.iter().filter_map(|series| series.labels.get(0)).map(str::to_owned));
    }
    Ok(partitions)
}

/// An event, and the week it is marked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark<'a> {
    /// Its ISO week, as `2026-W48`.
    pub week: String,
    /// What happened.
    pub event: &'a Event,
}

/// The upgrades and changes of the host that a chart of these weeks is marked with, oldest first: those of its host and, where
/// it is of a partition, of that one alone. What happened in a week that is not shown is not marked.
pub fn marks<'a>(events: &'a [Event], series: &Weeks, zone: Tz) -> Vec<Mark<'a>> {
    let position = series.metric.labels.iter().position(|label| *label == "partition");
    let partition = position.and_then(|position| series.labels.get(position));
    let mine = |event: &&Event| {
        let same = event.partition.is_none() || partition.is_none() || event.partition.as_deref() == partition;
        matches!(event.kind, Kind::Upgrade | Kind::Host) && event.host == series.host && same
    };
    let marked = |event: &'a Event| {
        let week = event.at.with_timezone(&zone).date_naive().iso_week();
        Mark { week: format!("{}-W{:02}", week.year(), week.week()), event }
    };
    let shown = |mark: &Mark<'_>| series.weeks.iter().any(|week| week.week == mark.week);
    events.iter().filter(mine).map(marked).filter(shown).collect()
}

/// What of a span the history has points in, a stretch at a time.
fn stretches(history: &History, span: Span) -> Result<Vec<Span>, HistoryError> {
    let Some((first, last)) = history.totals()?.span else { return Ok(Vec::new()) };
    let end = span.end.min(last + TimeDelta::milliseconds(1));
    let begins = std::iter::successors(Some(span.start.max(first)), |start| start.checked_add_signed(STRETCH));
    let stretch = |start: Timestamp| Span { start, end: end.min(start + STRETCH) };
    Ok(begins.take_while(|start| *start < end).map(stretch).collect())
}

fn instant(at: Millis) -> Timestamp {
    Timestamp::from_timestamp_millis(at).unwrap_or_default()
}

/// A length of time in words, in whole minutes: `36 min`, `2 h 5 min`.
fn lasted(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as i64;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
