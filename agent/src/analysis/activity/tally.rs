//! The work of one partition, counted day by day as it is seen.
//!
//! Fed with sightings in order of time, from the history or live; a day says the same either way.
//! A growth between two readings is even in between: a part of it belongs to a day as far as the time does. Where two readings
//! are too far apart the growth is right as a sum, but nobody watched when it happened, so that this time is not covered.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::calendar::Calendar;
use super::day::Day;
use super::sighting::{BESIDE, Sighting};
use super::step::{Reading, Step};
use super::sums::{CONNECTED, LEVELS, Sums, TRAVELER, add};
use super::window::Window;
use crate::schedule::Schedule;
use crate::time::{Millis, Timestamp};

/// How many intervals may pass from one reading to the next before there is a gap.
const LATE: f64 = 1.5;
/// The longest time between two readings over which growth is spread; over longer ones it says nothing of a day.
pub(super) const LONGEST: Millis = 5 * 86_400_000;
/// The longest interval at which somebody still watches.
const SELDOM: Millis = 3_600_000;
/// How many intervals of a recording tell its pace.
const RECENT: usize = 9;

/// The work of one partition, day by day.
#[derive(Debug, Clone)]
pub struct Tally {
    calendar: Calendar,
    window: Option<Window>,
    pace: Pace,
    total: Option<Reading>,
    beside: [Option<Reading>; BESIDE.len()],
    levels: [Option<Standing>; LEVELS],
    registered: Option<f64>,
    newest: Option<Millis>,
    days: BTreeMap<NaiveDate, Sums>,
}

/// A reading of a level, which stands until the next one or until it is too old.
#[derive(Debug, Clone, Copy)]
struct Standing {
    at: Millis,
    value: f64,
    reach: Millis,
}

impl Tally {
    /// Nothing seen yet. `window` chooses whose mean is given as active users; without it the widest that the server offers.
    pub fn new(schedule: Arc<Schedule>, window: Option<Window>) -> Tally {
        Tally {
            calendar: Calendar::new(schedule),
            window,
            pace: Pace::default(),
            total: None,
            beside: [None; BESIDE.len()],
            levels: [None; LEVELS],
            registered: None,
            newest: None,
            days: BTreeMap::new(),
        }
    }

    /// Takes what was seen. What is not newer than everything before it was seen already and is left out.
    pub fn push(&mut self, sighting: &Sighting) {
        let at = sighting.at;
        if self.newest.is_some_and(|newest| at <= newest) {
            return;
        }
        if self.newest.is_some_and(|newest| at - newest > LONGEST) {
            self.settle();
        }
        self.calendar.look(at - LONGEST, at);
        let reach = self.pace.reach(sighting);
        self.count(sighting, reach);
        self.count_beside(sighting);
        self.measure(sighting, reach);
        self.registered = sighting.registered.or(self.registered);
        if let Some((day, hours)) = self.calendar.open_at(at) {
            let sums = self.days.entry(*day).or_default();
            sums.open = Some(hours.clone());
            sums.seen += 1;
            sums.registered = self.registered;
        }
        self.pace.took(sighting, reach);
        self.newest = Some(at);
    }

    /// The days with open hours in which something was seen, oldest first.
    pub fn days(&self) -> impl Iterator<Item = Day> {
        let mut days = self.days.clone();
        for (place, standing) in self.levels.iter().enumerate() {
            standing.iter().for_each(|standing| stand(&mut days, &self.calendar, place, standing, Millis::MAX));
        }
        // A reading that is the last one for now still stands for its interval.
        let until = self.newest.map(|newest| (newest, self.pace.last_reach));
        let (window, zone) = (self.window, self.calendar.zone());
        days.into_iter().filter_map(move |(date, sums)| Day::of(date, &sums, window, zone, until))
    }

    /// When something was last seen.
    pub fn newest(&self) -> Option<Timestamp> {
        self.newest.and_then(Timestamp::from_timestamp_millis)
    }

    /// Takes another schedule from now on; what was counted stays as it is.
    pub fn reschedule(&mut self, schedule: Arc<Schedule>) {
        self.calendar = Calendar::new(schedule);
        if let Some(newest) = self.newest {
            self.calendar.look(newest - LONGEST, newest);
        }
    }

    /// Forgets the days before this one.
    pub fn forget_before(&mut self, date: NaiveDate) {
        self.days = self.days.split_off(&date);
    }

    /// Ends what stands, as long as the calendar knows its days: nothing follows for a long time.
    fn settle(&mut self) {
        let Tally { calendar, days, levels, .. } = self;
        for (place, standing) in levels.iter_mut().enumerate() {
            standing.take().iter().for_each(|standing| stand(days, calendar, place, standing, Millis::MAX));
        }
    }

    fn count(&mut self, sighting: &Sighting, reach: Millis) {
        let Some(total) = sighting.transactions else { return };
        let now = Reading { at: sighting.at, total, uptime: sighting.uptime, follows: sighting.follows };
        let Some(before) = self.total.replace(now).filter(|before| now.at - before.at <= LONGEST) else { return };
        let step = Step::between(&before, &now);
        let (from, certain) = match step {
            Step::Restarted(Some(start), _) => (start.min(now.at - 1), true),
            Step::Restarted(None, _) | Step::Leapt | Step::Stepped => (before.at, false),
            Step::Grew(_) | Step::Ran(_) | Step::Set(_) => (before.at, true),
        };
        let covered = certain && now.at - from <= reach;
        self.place(from..now.at, step.growth(), covered, reach);
        self.tell(step, before.at..now.at);
    }

    /// Gives each day its part of what grew in a time.
    fn place(&mut self, time: Range<Millis>, growth: f64, covered: bool, reach: Millis) {
        let Tally { calendar, days, .. } = self;
        let share = |part: &Range<Millis>| growth * length(part) as f64 / length(&time) as f64;
        for ((day, hours), part) in calendar.open(time.clone()) {
            let sums = days.entry(*day).or_default();
            sums.open = Some(hours.clone());
            add(&mut sums.transactions, share(&part));
            if covered {
                sums.covered += length(&part);
            } else if length(&part) > reach {
                sums.gaps.push((part.clone(), share(&part)));
            }
        }
        for ((day, whole), part) in calendar.civil(time.clone()) {
            let sums = days.entry(*day).or_default();
            sums.length = length(whole);
            add(&mut sums.all_day, share(&part));
            sums.covered_all_day += if covered { length(&part) } else { 0 };
        }
    }

    /// Notes what happened to a counter on the days in whose open hours it did.
    fn tell(&mut self, step: Step, between: Range<Millis>) {
        let what = match step {
            Step::Grew(_) => return,
            Step::Ran(_) => "the counter of transactions passed the end of its range",
            Step::Restarted(..) => "the server was restarted",
            Step::Set(_) => "counter reset by hand",
            Step::Leapt => "the counter of transactions leapt, which was not counted",
            Step::Stepped => "two recordings overlap and their clocks differ",
        };
        let when = match step {
            Step::Restarted(Some(start), _) => start..start + 1,
            _ => between,
        };
        let Tally { calendar, days, .. } = self;
        for ((day, _), part) in calendar.open(when) {
            days.entry(*day).or_default().events.push((part.end, what));
        }
    }

    fn count_beside(&mut self, sighting: &Sighting) {
        let Tally { calendar, days, beside, .. } = self;
        for (place, (last, value)) in beside.iter_mut().zip(sighting.beside).enumerate() {
            let Some(total) = value else { continue };
            // Each of these begins anew with its own task, which the server's uptime does not tell.
            let now = Reading { at: sighting.at, total, uptime: None, follows: sighting.follows };
            let Some(before) = last.replace(now).filter(|before| now.at - before.at <= LONGEST) else { continue };
            let growth = Step::between(&before, &now).growth();
            for ((day, _), part) in calendar.open(before.at..now.at) {
                let share = growth * length(&part) as f64 / (now.at - before.at) as f64;
                add(&mut days.entry(*day).or_default().beside[place], share);
            }
        }
    }

    fn measure(&mut self, sighting: &Sighting, reach: Millis) {
        let others = [sighting.connected, sighting.traveler_online];
        let values: Vec<Option<f64>> = sighting.active.into_iter().chain(others).collect();
        debug_assert_eq!((values.len(), CONNECTED + 1), (LEVELS, TRAVELER));
        let Tally { calendar, days, levels, .. } = self;
        for (place, (standing, value)) in levels.iter_mut().zip(values).enumerate() {
            let Some(value) = value else { continue };
            let now = Standing { at: sighting.at, value, reach };
            if let Some(before) = standing.replace(now) {
                let before = Standing { reach: before.reach.max(reach), ..before };
                stand(days, calendar, place, &before, now.at);
            }
            if let Some((day, _)) = calendar.open_at(now.at) {
                days.entry(*day).or_default().levels[place].read(value, now.at);
            }
        }
    }
}

/// Gives each day the time a reading stood for in its open hours, up to the next reading.
fn stand(days: &mut BTreeMap<NaiveDate, Sums>, calendar: &Calendar, place: usize, standing: &Standing, next: Millis) {
    let time = standing.at..next.min(standing.at + standing.reach);
    for ((day, _), part) in calendar.open(time) {
        days.entry(*day).or_default().levels[place].stood(standing.value, length(&part));
    }
}

fn length(time: &Range<Millis>) -> Millis {
    time.end - time.start
}

/// How often a partition is seen.
#[derive(Debug, Clone, Default)]
struct Pace {
    /// The newest intervals between two sightings, whatever was claimed of them.
    recent: VecDeque<Millis>,
    /// When the last sighting was, and the interval it stood for where it was live.
    last: Option<(Millis, Millis)>,
    /// How long the last sighting may stand.
    last_reach: Millis,
}

impl Pace {
    /// How long, in milliseconds, after the sighting before this one there is a gap.
    ///
    /// A tick of the service knows its interval. A row of a file stands for the time since the row before it, however long that
    /// is, so that only the rows before it can tell how often there should have been one.
    fn reach(&self, sighting: &Sighting) -> Millis {
        let every = (sighting.every * 1000.0).round() as Millis;
        let usual = if sighting.live {
            every.max(self.last.map_or(0, |(_, every)| every))
        } else {
            let mut recent: Vec<Millis> = self.recent.iter().copied().collect();
            recent.sort_unstable();
            recent.get(recent.len() / 2).copied().unwrap_or(every).min(SELDOM)
        };
        (LATE * usual as f64) as Millis
    }

    fn took(&mut self, sighting: &Sighting, reach: Millis) {
        // What the pace is asked for is the counter; other things may be read in between.
        if sighting.transactions.is_some() {
            let every = if sighting.live { (sighting.every * 1000.0).round() as Millis } else { 0 };
            if let Some((at, _)) = self.last.replace((sighting.at, every)) {
                self.recent.push_back(sighting.at - at);
                self.recent.drain(..self.recent.len().saturating_sub(RECENT));
            }
        }
        self.last_reach = reach;
    }
}
