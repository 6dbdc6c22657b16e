//! One business day of one partition, as far as it was seen.

use std::ops::Range;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::sighting::BESIDE;
use super::sums::{CONNECTED, Level, Sums, TRAVELER};
use super::window::Window;
use crate::time::{Millis, Timestamp};

/// How much of its open hours must have been watched for a day to be one to compare.
const ENOUGH: f64 = 0.8;
/// What the note of a day begins with that is not over.
pub(super) const SO_FAR: &str = "so far, until";
/// How many gaps of a day are told one by one.
const TOLD: usize = 6;
/// What part of the time that any window is known for the window chosen must be known for.
const MOSTLY: f64 = 0.5;

/// One business day of one partition.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    /// The day that owns the open hours.
    pub date: NaiveDate,
    /// Users registered.
    pub registered: Option<u64>,
    /// The day that number is of, where it is known.
    pub registered_on: Option<NaiveDate>,
    /// Mean of active users over the open hours, weighted with time.
    pub active: Option<f64>,
    /// In which window they count as active.
    pub active_from: Option<Window>,
    /// The highest reading of active users in the open hours, and when.
    pub active_peak: Option<(f64, Timestamp)>,
    /// Mean of connected users over the open hours, weighted with time.
    pub connected: Option<f64>,
    /// NRPC transactions in the open hours, as far as they were seen; never extrapolated.
    pub transactions: Option<f64>,
    /// NRPC transactions of the whole civil day.
    pub transactions_all_day: Option<f64>,
    /// Share of the open hours in which transactions were watched, 0 to 1.
    pub coverage: f64,
    /// Share of the whole civil day in which transactions were watched, 0 to 1.
    pub coverage_all_day: f64,
    /// Until when it was seen, where its open hours were not over by then.
    pub so_far: Option<Timestamp>,
    /// Share of the open hours until then, 0 to 1; the same as `coverage` where they are over.
    pub coverage_so_far: f64,
    /// Growth of [`BESIDE`] in the open hours.
    pub beside: [Option<f64>; BESIDE.len()],
    /// Mean of Traveler's users online over the open hours.
    pub traveler_online: Option<f64>,
    /// What a reader should know of it.
    pub notes: Vec<String>,
}

impl Day {
    /// Share of the registered users who were active.
    pub fn active_share(&self) -> Option<f64> {
        quotient(self.active, self.registered())
    }

    /// Transactions in the open hours per active user.
    pub fn per_active(&self) -> Option<f64> {
        quotient(self.transactions, self.active)
    }

    /// Transactions in the open hours per connected user.
    pub fn per_connected(&self) -> Option<f64> {
        quotient(self.transactions, self.connected)
    }

    /// Transactions in the open hours per registered user.
    pub fn per_registered(&self) -> Option<f64> {
        quotient(self.transactions, self.registered())
    }

    /// Whether enough of it was watched for means over several days.
    pub fn is_whole(&self) -> bool {
        self.coverage >= ENOUGH
    }

    pub(super) fn registered(&self) -> Option<f64> {
        self.registered.map(|users| users as f64)
    }

    /// A day with what was summed up of it; nothing where it has no open hours or none was seen. `until` says when something
    /// was last seen of the partition, and how long that stands.
    pub(super) fn of(
        date: NaiveDate,
        sums: &Sums,
        window: Option<Window>,
        zone: Tz,
        until: Option<(Millis, Millis)>,
    ) -> Option<Day> {
        let open = sums.open.as_ref().filter(|_| sums.seen > 0)?;
        let chosen = window.or_else(|| widest(&sums.levels)).filter(|window| sums.levels[window.place()].time > 0);
        let level = chosen.map(|window| &sums.levels[window.place()]);
        let so_far = until.filter(|&(newest, reach)| newest + reach < open.end).map(|(newest, _)| newest);
        let share = |part: Millis, whole: Millis| if whole > 0 { (part as f64 / whole as f64).min(1.0) } else { 0.0 };
        let coverage = share(sums.covered, open.end - open.start);
        let instant = |at: Millis| Timestamp::from_timestamp_millis(at);
        Some(Day {
            date,
            registered: sums.registered.filter(|users| *users >= 0.0).map(|users| users.round() as u64),
            registered_on: None,
            active: level.and_then(Level::mean),
            active_from: chosen,
            active_peak: level.and_then(|level| level.peak).and_then(|(users, at)| Some((users, instant(at)?))),
            connected: sums.levels[CONNECTED].mean(),
            transactions: sums.transactions,
            transactions_all_day: sums.all_day,
            coverage,
            coverage_all_day: share(sums.covered_all_day, sums.length),
            so_far: so_far.and_then(instant),
            coverage_so_far: so_far.map_or(coverage, |newest| share(sums.covered, newest - open.start)),
            beside: sums.beside,
            traveler_online: sums.levels[TRAVELER].mean(),
            notes: notes(sums, coverage, so_far, zone),
        })
    }
}

/// One number divided by another, where both are known and there is something to divide by.
pub(super) fn quotient(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    part.zip(whole).filter(|&(_, whole)| whole > 0.0).map(|(part, whole)| part / whole)
}

/// The widest window that was known most of the time; a server may begin to tell one in the middle of a day.
fn widest(levels: &[Level]) -> Option<Window> {
    let time = |window: Window| levels[window.place()].time as f64;
    let longest = Window::all().map(time).fold(0.0, f64::max);
    Window::all().rev().find(|window| time(*window) > 0.0 && time(*window) >= MOSTLY * longest)
}

/// What a reader should know, in sentences without an end.
fn notes(sums: &Sums, coverage: f64, so_far: Option<Millis>, zone: Tz) -> Vec<String> {
    let clock = |at: Millis| {
        let local = Timestamp::from_timestamp_millis(at).map(|at| at.with_timezone(&zone).format("%H:%M").to_string());
        local.unwrap_or_default()
    };
    let mut notes = Vec::new();
    if let Some(newest) = so_far {
        notes.push(format!("{SO_FAR} {}", clock(newest)));
    }
    if coverage < ENOUGH {
        notes.push(format!("coverage {} %, not in means", (coverage * 100.0 + 1e-9).floor()));
    }
    notes.extend(sums.events.iter().map(|(at, what)| format!("{what} at {}", clock(*at))));
    let gap = |(time, transactions): &(Range<Millis>, f64)| {
        format!("gap {}-{}: {transactions:.0} transactions spread over it", clock(time.start), clock(time.end))
    };
    notes.extend(sums.gaps.iter().take(TOLD).map(gap));
    if let Some(rest) = sums.gaps.get(TOLD..).filter(|rest| !rest.is_empty()) {
        let minutes = rest.iter().map(|(time, _)| time.end - time.start).sum::<Millis>() / 60_000;
        notes.push(format!("{} more gaps, {minutes} min together", rest.len()));
    }
    notes
}
