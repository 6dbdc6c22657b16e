//! A day on its way: what was counted and measured of it so far.

use std::ops::Range;

use super::sighting::BESIDE;
use super::window::WINDOWS;
use crate::time::Millis;

/// What a mean is taken of: the windows of active users, then connected users, then users of Traveler.
pub(super) const LEVELS: usize = WINDOWS.len() + 2;
/// The place of connected users among them.
pub(super) const CONNECTED: usize = WINDOWS.len();
/// The place of users of Traveler.
pub(super) const TRAVELER: usize = WINDOWS.len() + 1;

/// The sums of one day.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// Its open hours; none on a day without.
    pub open: Option<Range<Millis>>,
    /// Its time on the calendar, in milliseconds.
    pub length: Millis,
    /// Instants in its open hours at which something was read.
    pub seen: u32,
    /// Transactions in its open hours; none where they were never read.
    pub transactions: Option<f64>,
    /// Milliseconds of its open hours in which transactions were watched.
    pub covered: Millis,
    /// Transactions of the whole day.
    pub all_day: Option<f64>,
    /// Milliseconds of the whole day in which transactions were watched.
    pub covered_all_day: Millis,
    /// Growth of what is counted beside them, in its open hours.
    pub beside: [Option<f64>; BESIDE.len()],
    /// Means on their way.
    pub levels: [Level; LEVELS],
    /// Users registered, as last read.
    pub registered: Option<f64>,
    /// What happened in its open hours, and when.
    pub events: Vec<(Millis, &'static str)>,
    /// Stretches of its open hours that nobody watched, with the transactions spread over them.
    pub gaps: Vec<(Range<Millis>, f64)>,
}

/// A mean over time on its way, in the open hours of a day.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    /// Value times milliseconds.
    sum: f64,
    /// Milliseconds.
    pub time: Millis,
    /// The highest reading, and when.
    pub peak: Option<(f64, Millis)>,
}

impl Level {
    /// A value that stood for a time.
    pub(super) fn stood(&mut self, value: f64, time: Millis) {
        self.sum += value * time as f64;
        self.time += time;
    }

    /// A value that was read.
    pub(super) fn read(&mut self, value: f64, at: Millis) {
        if self.peak.is_none_or(|(highest, _)| value > highest) {
            self.peak = Some((value, at));
        }
    }

    /// The mean over the time it was known.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.time > 0).then(|| self.sum / self.time as f64)
    }
}

/// Adds to a sum that begins with its first part.
pub(super) fn add(sum: &mut Option<f64>, part: f64) {
    *sum = Some(sum.unwrap_or(0.0) + part);
}
