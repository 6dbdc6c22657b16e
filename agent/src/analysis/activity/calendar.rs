//! Which open hours and which civil days a stretch of time lies in, remembered from one question to the next.

use std::ops::Range;
use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta};
use chrono_tz::Tz;

use crate::schedule::{Hours, Schedule};
use crate::time::{Millis, Span, Timestamp};

/// How far ahead is looked at a time: readings follow each other, so that the next questions are answered already.
const AHEAD: TimeDelta = TimeDelta::days(2);

/// A day and its time: its open hours, or all of it.
pub(super) type DayTime = (NaiveDate, Range<Millis>);

/// Days of a schedule around the time last asked for.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    schedule: Arc<Schedule>,
    known: Range<Millis>,
    open: Vec<DayTime>,
    civil: Vec<DayTime>,
}

impl Calendar {
    pub(super) fn new(schedule: Arc<Schedule>) -> Calendar {
        Calendar { schedule, known: 0..0, open: Vec::new(), civil: Vec::new() }
    }

    pub(super) fn zone(&self) -> Tz {
        self.schedule.zone()
    }

    /// Looks up the days between these instants, both inside.
    pub(super) fn look(&mut self, from: Millis, to: Millis) {
        if self.known.start <= from && to < self.known.end {
            return;
        }
        let instant = |at: Millis| Timestamp::from_timestamp_millis(at).unwrap_or(Timestamp::MIN_UTC);
        let span = Span { start: instant(from), end: instant(to).checked_add_signed(AHEAD).unwrap_or(Timestamp::MAX_UTC) };
        let millis = |span: Span| span.start.timestamp_millis()..span.end.timestamp_millis();
        self.known = millis(span);
        self.open = self.schedule.openings(span).map(|opening| (opening.day, millis(opening.span))).collect();
        let zone = self.zone();
        let local = |at: Timestamp| at.with_timezone(&zone).date_naive();
        let days = local(span.start).iter_days().take_while(|day| *day <= local(span.end));
        self.civil = days.filter_map(|day| Some((day, millis(Hours::WHOLE_DAY.span(day, zone)?)))).collect();
    }

    /// The day in whose open hours an instant lies that was looked up.
    pub(super) fn open_at(&self, at: Millis) -> Option<&DayTime> {
        self.open.iter().find(|(_, hours)| hours.contains(&at))
    }

    /// The open hours that meet a time that was looked up, and the part of it that lies in them.
    pub(super) fn open(&self, time: Range<Millis>) -> impl Iterator<Item = (&DayTime, Range<Millis>)> {
        parts(&self.open, time)
    }

    /// The civil days that meet a time that was looked up, and the part of it that lies in them.
    pub(super) fn civil(&self, time: Range<Millis>) -> impl Iterator<Item = (&DayTime, Range<Millis>)> {
        parts(&self.civil, time)
    }
}

fn parts(days: &[DayTime], time: Range<Millis>) -> impl Iterator<Item = (&DayTime, Range<Millis>)> {
    let part = move |day: &Range<Millis>| day.start.max(time.start)..day.end.min(time.end);
    days.iter().map(move |day| (day, part(&day.1))).filter(|(_, part)| !part.is_empty())
}
