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

/// Decides when to forget, and which present to reckon from.
#[derive(Debug)]
pub(super) struct Retention {
    /// Since when the clock has gone on without being set, in seconds since boot.
    steady_since: f64,
    /// When points were last forgotten, in seconds since boot.
    forgot: f64,
}

impl Retention {
    /// Begins now, at `boot` seconds since boot.
    pub(super) fn new(boot: f64) -> Retention {
        Retention { steady_since: boot, forgot: boot }
    }

    /// The clock was set.
    pub(super) fn stepped(&mut self, boot: f64) {
        self.steady_since = boot;
    }

    /// Whether it is time to forget.
    pub(super) fn due(&mut self, boot: f64) -> bool {
        let due = boot - self.forgot >= EVERY;
        if due {
            self.forgot = boot;
        }
        due
    }

    /// The present to reckon from: what the clock says if it is to be believed, else what was `believed` before.
    pub(super) fn present(&self, believed: Timestamp, now: Timestamp, boot: f64) -> Timestamp {
        if now - believed <= NEAR || boot - self.steady_since >= STEADY { now } else { believed }
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
        let (believed, wild) = (at("2026-11-30T10:00:00Z"), at("2038-01-19T09:00:00Z"));
        let mut retention = Retention::new(0.0);
        assert_eq!(retention.present(believed, wild, 7.0 * HOUR), believed);
        // The clock is set right before the day is over, and is near what was believed.
        retention.stepped(8.0 * HOUR);
        let right = at("2026-11-30T18:00:00Z");
        assert_eq!(retention.present(believed, right, 14.0 * HOUR), right);
        // A machine that was off for a year is believed after a day.
        let later = at("2027-12-02T10:00:00Z");
        let retention = Retention::new(0.0);
        assert_eq!(
            (retention.present(believed, later, 23.0 * HOUR), retention.present(believed, later, 24.0 * HOUR)),
            (believed, later)
        );
    }

    #[test]
    fn points_are_looked_for_every_six_hours() {
        let mut retention = Retention::new(0.0);
        assert_eq!((1..=24).filter(|hour| retention.due(HOUR * f64::from(*hour))).collect::<Vec<_>>(), [6, 12, 18, 24]);
    }
}
