//! When old points may be forgotten.
//!
//! A clock that wakes up in another decade must not delete what was recorded in this one. So the present is believed
//! when it lies near what was believed before, or when the machine has run with it for a day.

use chrono::TimeDelta;

use crate::time::Timestamp;

/// How often old points are looked for, in seconds of the machine's own time.
const EVERY: f64 = 6.0 * 3600.0;
/// How long a clock must have gone on without a jump before it is believed whatever it says, in seconds.
const STEADY: f64 = 24.0 * 3600.0;
/// How far the present may lead what was believed: a service that was off for a month is nothing strange.
const NEAR: TimeDelta = TimeDelta::days(31);

/// Decides when to forget, and up to when.
#[derive(Debug)]
pub(super) struct Retention {
    /// The newest instant that is believed.
    believed: Timestamp,
    /// Since when the clock has gone on without a jump, in seconds since boot.
    steady_since: f64,
    /// When points were last forgotten, in seconds since boot.
    forgot: f64,
}

impl Retention {
    /// Begins with the newest instant of earlier runs, or the present where there was none. `boot` is in seconds since boot.
    pub(super) fn new(believed: Timestamp, boot: f64) -> Retention {
        Retention { believed, steady_since: boot, forgot: boot }
    }

    /// The clock was set or the machine slept.
    pub(super) fn jumped(&mut self, boot: f64) {
        self.steady_since = boot;
    }

    /// The present to reckon from, if it is time to forget.
    pub(super) fn due(&mut self, now: Timestamp, boot: f64) -> Option<Timestamp> {
        if now - self.believed <= NEAR || boot - self.steady_since >= STEADY {
            self.believed = now;
        }
        if boot - self.forgot < EVERY {
            return None;
        }
        self.forgot = boot;
        Some(self.believed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: f64 = 3600.0;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_clock_in_another_decade_is_not_believed_until_it_has_gone_on_for_a_day() {
        let before = at("2026-11-30T10:00:00Z");
        let mut retention = Retention::new(before, 0.0);
        assert_eq!(retention.due(at("2038-01-19T03:00:00Z"), 60.0), None);
        assert_eq!(retention.due(at("2038-01-19T09:00:00Z"), 7.0 * HOUR), Some(before));
        // The clock is set right before the day is over.
        retention.jumped(8.0 * HOUR);
        assert_eq!(retention.due(at("2026-11-30T18:00:00Z"), 14.0 * HOUR), Some(at("2026-11-30T18:00:00Z")));
        // A machine that was off for a year is believed after a day.
        let mut retention = Retention::new(before, 0.0);
        assert_eq!(retention.due(at("2027-12-01T10:00:00Z"), 7.0 * HOUR), Some(before));
        assert_eq!(retention.due(at("2027-12-02T10:00:00Z"), 25.0 * HOUR), Some(at("2027-12-02T10:00:00Z")));
    }

    #[test]
    fn points_are_looked_for_every_six_hours() {
        let start = at("2026-11-30T10:00:00Z");
        let mut retention = Retention::new(start, 0.0);
        let due = (1..=24).filter(|hour| retention.due(start + TimeDelta::hours(*hour), HOUR * *hour as f64).is_some());
        assert_eq!(due.collect::<Vec<_>>(), [6, 12, 18, 24]);
    }
}
