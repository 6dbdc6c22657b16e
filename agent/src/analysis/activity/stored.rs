//! The newest business days of every partition, read back from the end a few weeks at a time.
//!
//! Reading everything for the last days would cost time and memory with the age of the history. Each partition counts its own
//! days, from its own newest. What a day says does not depend on where a stretch begins: it is read with as much time on either
//! side as growth is ever spread over.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use chrono::{Days, NaiveDate};

use super::sighting::{self, Key, TELLING};
use super::tally::{LONGEST, Tally};
use super::window::Window;
use super::{Activity, Day, Partition};
use crate::analysis::newest::{around, back};
use crate::catalog;
use crate::history::{History, HistoryError};
use crate::schedule::Schedule;
use crate::time::{Span, Timestamp};

/// Days read at a time.
const STRETCH: u64 = 28;
/// Days read on either side of them.
const ASIDE: u64 = (LONGEST / 86_400_000) as u64;

/// Users registered on a partition on a day, and the day that number is of.
pub type Registered<'a> = &'a dyn Fn(&str, NaiveDate) -> Option<(u64, Option<NaiveDate>)>;

/// What is asked for.
pub struct Options<'a> {
    /// Only this host.
    pub host: Option<&'a str>,
    /// Only this partition.
    pub partition: Option<&'a str>,
    /// How many business days with data of each partition, counted back from its newest.
    pub last: usize,
    /// In which window users count as active; without it the widest that a server offers.
    pub window: Option<Window>,
    /// Users registered, as somebody says; where nobody does, the history is asked.
    pub registered: Registered<'a>,
}

/// The newest business days of the partitions asked for; those without any are left out.
///
/// # Errors
/// Where the history cannot be read.
pub fn activity(history: &History, schedule: &Arc<Schedule>, options: &Options<'_>) -> Result<Activity, HistoryError> {
    let mut all: BTreeMap<Key, Vec<Day>> = known(history, options)?.into_iter().map(|key| (key, Vec::new())).collect();
    let mut end = NaiveDate::MAX;
    // Five business days lie in seven, and a holiday or two beside them.
    let mut stretch = (options.last as u64 * 7 / 5 + 4).min(STRETCH);
    loop {
        let short: BTreeSet<Key> = all.iter().filter(|(_, days)| days.len() < options.last).map(|(key, _)| key.clone()).collect();
        let Some(newest) = newest_day(history, end, schedule, &short)? else { break };
        let days = back(newest, stretch - 1)..end;
        for (key, older) in read(history, schedule, options.window, &days, &short)? {
            let known = all.entry(key).or_default();
            let more_follows = !known.is_empty();
            known.splice(..0, older.into_iter().map(|day| if more_follows { finished(day) } else { day }));
        }
        (end, stretch) = (days.start, STRETCH);
    }
    all.retain(|_, days| !days.is_empty());
    let partition = |((host, partition), mut days): (Key, Vec<Day>)| {
        fill_registered(&mut days, &partition, options.registered);
        days.drain(..days.len().saturating_sub(options.last));
        Partition { host: host.to_string(), partition, days }
    };
    Ok(Activity { partitions: all.into_iter().map(partition).collect() })
}

/// The work of one partition since `from`, as far as it is stored, to be counted on.
///
/// # Errors
/// Where the history cannot be read.
pub fn tally(
    history: &History,
    schedule: &Arc<Schedule>,
    (host, partition): (&str, &str),
    window: Option<Window>,
    from: Timestamp,
) -> Result<Tally, HistoryError> {
    let span = Span { start: from, end: Timestamp::MAX_UTC };
    let sightings = sighting::in_history(history, span, &|(on, name)| **on == *host && name == partition)?;
    let mut tally = Tally::new(schedule.clone(), window);
    sightings.values().flat_map(BTreeMap::values).for_each(|sighting| tally.push(sighting));
    Ok(tally)
}

/// Every partition that the history has or had something of and that is asked for.
fn known(history: &History, options: &Options<'_>) -> Result<BTreeSet<Key>, HistoryError> {
    let mut all = BTreeSet::new();
    for metric in TELLING.iter().filter_map(|name| catalog::metric(name)) {
        for series in history.named(metric)? {
            let Some(partition) = sighting::partition(&series.labels) else { continue };
            let wanted = |wanted: Option<&str>, is: &str| wanted.is_none_or(|wanted| wanted == is);
            if wanted(options.host, &series.host) && wanted(options.partition, partition) {
                all.insert((series.host.clone(), partition.to_owned()));
            }
        }
    }
    Ok(all)
}

/// The newest day before `end` that something read of anything may belong to; none where nothing is older, or nothing is asked.
fn newest_day(
    history: &History,
    end: NaiveDate,
    schedule: &Schedule,
    short: &BTreeSet<Key>,
) -> Result<Option<NaiveDate>, HistoryError> {
    if short.is_empty() {
        return Ok(None);
    }
    let newest = history.newest_before(around(&(end..end)).end)?;
    // What was read after the end may still belong to the night before it.
    Ok(newest.map(|at| at.with_timezone(&schedule.zone()).date_naive().min(back(end, 1))))
}

/// The business days among `days` of the partitions `wanted`.
fn read(
    history: &History,
    schedule: &Arc<Schedule>,
    window: Option<Window>,
    days: &Range<NaiveDate>,
    wanted: &BTreeSet<Key>,
) -> Result<BTreeMap<Key, Vec<Day>>, HistoryError> {
    let span = around(&(back(days.start, ASIDE)..days.end.checked_add_days(Days::new(ASIDE)).unwrap_or(NaiveDate::MAX)));
    let sightings = sighting::in_history(history, span, &|key| wanted.contains(key))?;
    let counted = |(key, sightings): (Key, BTreeMap<_, sighting::Sighting>)| {
        let mut tally = Tally::new(schedule.clone(), window);
        sightings.values().for_each(|sighting| tally.push(sighting));
        (key, tally.days().filter(|day| days.contains(&day.date)).collect())
    };
    Ok(sightings.into_iter().map(counted).collect())
}

/// A day after which others follow, so that it is over, whenever it was last seen.
fn finished(mut day: Day) -> Day {
    if day.so_far.take().is_some() {
        day.coverage_so_far = day.coverage;
        day.notes.retain(|note| !note.starts_with(super::day::SO_FAR));
    }
    day
}

/// Users registered: what somebody says, else what was last stored up to that day.
fn fill_registered(days: &mut [Day], partition: &str, said: Registered<'_>) {
    let mut stored = None;
    for day in days {
        stored = day.registered.or(stored);
        match said(partition, day.date) {
            Some((users, on)) => (day.registered, day.registered_on) = (Some(users), on),
            None => day.registered = stored,
        }
    }
}
