//! Business hours: when a host is sampled, and which spans of time count when weeks are compared.
//!
//! Plain values: nothing is opened here and no clock is read; instants come in as arguments and go out in UTC.
//! Local hours become instants in one place, [`Hours::span`], which states the rules for the days clocks change.
//! Refused: rounding or drifting ticks. A tick is a multiple of its interval counted from the Unix epoch, so two hosts,
//! and one host before and after a restart, sample at the same instants.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Datelike, Days, NaiveDate, Offset, TimeZone, Weekday};
use chrono_tz::Tz;

use crate::time::{Span, Timestamp};

pub mod holidays;
mod hours;
mod yearly;

#[cfg(test)]
mod tests;

pub use hours::{Hours, HoursError};

/// How many days ahead an opening is looked for. Over two years: a longer row of holidays is a mistake, not a plan.
const HORIZON_DAYS: u64 = 800;

/// One opening of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The civil day that owns it: a window over midnight belongs to the day on which it starts.
    pub day: NaiveDate,
    /// From opening to closing; never empty.
    pub span: Span,
}

/// What happens between openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Nothing.
    Idle,
    /// Samples at this interval.
    Sample(Duration),
}

/// Why the schedule is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The day has an opening, but not now.
    Hours,
    /// The weekday has no hours.
    Weekday,
    /// The opening of a holiday does not happen.
    Holiday,
}

impl Closed {
    /// The value of the label `why` on `/metrics`.
    pub fn name(self) -> &'static str {
        match self {
            Closed::Hours => "hours",
            Closed::Weekday => "weekday",
            Closed::Holiday => "holiday",
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Closed::Hours => "outside hours",
            Closed::Weekday => "closed weekday",
            Closed::Holiday => "holiday",
        })
    }
}

/// One instant at which a snapshot is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// When.
    pub at: Timestamp,
    /// The interval the snapshot stands for, which ends at `at`: the schedule's own also for the tick at an opening's end.
    pub every: Duration,
}

/// Business hours in one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    zone: Tz,
    hours: [Option<Hours>; 7],
    interval: Duration,
    outside: Outside,
    holidays: BTreeSet<NaiveDate>,
}

impl Schedule {
    /// Hours are given Monday first, `None` for a weekday that stays closed. A holiday closes the opening it owns.
    /// An interval of zero means nothing and counts as one second.
    pub fn new(
        zone: Tz,
        hours: [Option<Hours>; 7],
        interval: Duration,
        outside: Outside,
        holidays: BTreeSet<NaiveDate>,
    ) -> Schedule {
        let outside = match outside {
            Outside::Idle => Outside::Idle,
            Outside::Sample(every) => Outside::Sample(positive(every)),
        };
        Schedule { zone, hours, interval: positive(interval), outside, holidays }
    }

    /// The same zone and interval, open all day, every day, holidays included.
    pub fn always(self) -> Schedule {
        Schedule { hours: [Some(Hours::WHOLE_DAY); 7], holidays: BTreeSet::new(), ..self }
    }

    /// The same hours by the clocks of another zone.
    pub fn in_zone(self, zone: Tz) -> Schedule {
        Schedule { zone, ..self }
    }

    /// The zone of the hours.
    pub fn zone(&self) -> Tz {
        self.zone
    }

    /// Time from tick to tick inside an opening.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// What happens between openings.
    pub fn outside(&self) -> Outside {
        self.outside
    }

    /// The hours of this weekday, holidays apart.
    pub fn hours(&self, weekday: Weekday) -> Option<Hours> {
        self.hours[weekday.num_days_from_monday() as usize]
    }

    /// Whether the instant is inside an opening. The end of an opening is outside.
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.on_days(days_around(at, at)).any(|opening| opening.span.contains(at))
    }

    /// Why it is closed at this instant, or `None` while it is open. A day that is both a closed weekday and a holiday
    /// counts as the former; the night after a holiday counts as the holiday as far as that holiday's hours would run.
    pub fn why_closed(&self, at: Timestamp) -> Option<Closed> {
        if self.is_open(at) {
            return None;
        }
        let (first, last) = days_around(at, at);
        let missed = |day: NaiveDate| {
            let hours = self.hours(day.weekday()).filter(|_| self.holidays.contains(&day));
            hours.and_then(|hours| hours.span(day, self.zone)).is_some_and(|span| span.contains(at))
        };
        if days(first, last).any(missed) {
            return Some(Closed::Holiday);
        }
        let today = self.civil_day(at);
        Some(match self.hours(today.weekday()) {
            None => Closed::Weekday,
            Some(_) if self.holidays.contains(&today) => Closed::Holiday,
            Some(_) => Closed::Hours,
        })
    }

    /// The first tick strictly after `now`.
    ///
    /// Inside an opening ticks run from its start to its end inclusive. Between openings there are those of
    /// [`Outside::Sample`], if it is set, wherever no opening's tick falls and the schedule is closed.
    /// `None` if no opening with a tick is found within 800 days, for instance because no weekday has hours: there is then
    /// no opening to be between, and no outside tick either.
    pub fn next_tick(&self, now: Timestamp) -> Option<Tick> {
        let inside = self.ahead(now).find_map(|Opening { span, .. }| {
            let at = if now < span.start { aligned(span.start, self.interval) } else { after(now, self.interval) };
            at.filter(|at| *at <= span.end)
        })?;
        if let Outside::Sample(every) = self.outside
            && let Some(at) = self.closed_multiple(now, every, inside)
        {
            return Some(Tick { at, every });
        }
        Some(Tick { at: inside, every: self.interval })
    }

    /// The first instant strictly after `at` at which a closed schedule opens. Openings that touch count as one.
    /// `None` if that does not happen within 800 days.
    pub fn next_open(&self, at: Timestamp) -> Option<Timestamp> {
        let mut closed_since = None;
        for Opening { span, .. } in self.ahead(at) {
            if span.start > at && closed_since != Some(span.start) {
                return Some(span.start);
            }
            closed_since = Some(span.end);
        }
        None
    }

    /// The first instant strictly after `at` at which an open schedule closes. Openings that touch count as one.
    /// `None` if that does not happen within 800 days.
    pub fn next_close(&self, at: Timestamp) -> Option<Timestamp> {
        let mut close = None;
        for Opening { span, .. } in self.ahead(at).filter(|opening| opening.span.end > at) {
            if close.is_some_and(|close| close < span.start) {
                break;
            }
            close = Some(span.end);
        }
        // Openings that still touch at the horizon never close, as far as anybody needs to know.
        let horizon = at.checked_add_days(Days::new(HORIZON_DAYS)).unwrap_or(Timestamp::MAX_UTC);
        close.filter(|close| *close <= horizon)
    }

    /// Every opening that meets the span, whole and not clipped to it, in order of time. Openings never overlap: where the
    /// hours of one day run into those of the next, the later opening begins where the earlier one has ended.
    /// Days are worked out one by one as the iterator is asked.
    pub fn openings(&self, span: Span) -> impl Iterator<Item = Opening> {
        self.on_days(days_around(span.start, span.end))
            .skip_while(move |opening| opening.span.end <= span.start)
            .take_while(move |opening| opening.span.start < span.end)
    }

    /// Openings from the last one that could have a tick after `at`, up to the horizon.
    fn ahead(&self, at: Timestamp) -> impl Iterator<Item = Opening> {
        let (first, last) = days_around(at, at);
        self.on_days((first, last.checked_add_days(Days::new(HORIZON_DAYS)).unwrap_or(NaiveDate::MAX)))
            .skip_while(move |opening| opening.span.end < at)
    }

    /// The openings these days own. Only the day before can reach into a day, so what `first` itself yields may overlap.
    fn on_days(&self, (first, last): (NaiveDate, NaiveDate)) -> impl Iterator<Item = Opening> {
        let mut free_from = Timestamp::MIN_UTC;
        days(first, last).filter_map(move |day| {
            let hours = self.hours(day.weekday()).filter(|_| !self.holidays.contains(&day))?;
            let mut span = hours.span(day, self.zone)?;
            span.start = span.start.max(free_from);
            free_from = free_from.max(span.end);
            (span.start < span.end).then_some(Opening { day, span })
        })
    }

    /// The first multiple of `every` after `now` and before `end` at which the schedule is closed.
    fn closed_multiple(&self, now: Timestamp, every: Duration, end: Timestamp) -> Option<Timestamp> {
        let mut at = after(now, every)?;
        for Opening { span, .. } in self.ahead(now).take_while(|opening| opening.span.start < end) {
            if span.contains(at) {
                at = aligned(span.end, every)?;
            }
        }
        (at < end).then_some(at)
    }

    /// The local date at an instant.
    fn civil_day(&self, at: Timestamp) -> NaiveDate {
        let offset = self.zone.offset_from_utc_datetime(&at.naive_utc()).fix();
        at.naive_utc().checked_add_offset(offset).unwrap_or(at.naive_utc()).date()
    }
}

/// Days that can own an opening which meets the time from `start` to `end`, and one more before them.
///
/// A local date is at most one day off the date in UTC, and an opening ends at most one day after the day that owns it.
fn days_around(start: Timestamp, end: Timestamp) -> (NaiveDate, NaiveDate) {
    let first = start.date_naive().checked_sub_days(Days::new(3)).unwrap_or(NaiveDate::MIN);
    let last = end.date_naive().checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
    (first, last)
}

fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}

fn positive(interval: Duration) -> Duration {
    if interval.is_zero() { Duration::from_secs(1) } else { interval }
}

/// The first multiple of `every`, counted from the Unix epoch, strictly after `at`.
fn after(at: Timestamp, every: Duration) -> Option<Timestamp> {
    let every = every.as_nanos() as i128;
    instant((nanoseconds(at).div_euclid(every) + 1) * every)
}

/// The first multiple of `every`, counted from the Unix epoch, not before `at`.
fn aligned(at: Timestamp, every: Duration) -> Option<Timestamp> {
    let every = every.as_nanos() as i128;
    let at = nanoseconds(at);
    instant(at + (-at).rem_euclid(every))
}

/// Nanoseconds since the Unix epoch; wide enough for every instant there is.
fn nanoseconds(at: Timestamp) -> i128 {
    i128::from(at.timestamp()) * 1_000_000_000 + i128::from(at.timestamp_subsec_nanos())
}

fn instant(nanoseconds: i128) -> Option<Timestamp> {
    let seconds = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).ok()?;
    DateTime::from_timestamp(seconds, nanoseconds.rem_euclid(1_000_000_000) as u32)
}

/// Days and hours for people, days of the same hours together: `Mon–Thu 07:00–17:00, Fri 07:00–13:00`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        let mut groups: Vec<(usize, usize, Hours)> = Vec::new();
        for (day, hours) in self.hours.iter().enumerate() {
            let Some(hours) = *hours else { continue };
            match groups.last_mut() {
                Some((_, last, same)) if *last + 1 == day && *same == hours => *last = day,
                _ => groups.push((day, day, hours)),
            }
        }
        for (i, (first, last, hours)) in groups.into_iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let span = hours.to_string().replace('-', "–");
            if first == last {
                write!(f, "{comma}{} {span}", days[first])?
            } else {
                write!(f, "{comma}{}–{} {span}", days[first], days[last])?
            }
        }
        Ok(())
    }
}
