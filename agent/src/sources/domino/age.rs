//! How old what is read may become, and how a time is said.

use std::time::Duration;

use chrono::TimeDelta;

/// What was read is old after this many of its intervals,
const INTERVALS: u32 = 3;
/// and not before this time: statistics that are renewed each minute may be missed twice.
const LEAST: Duration = Duration::from_mins(3);

/// How old something may become that is renewed this often.
pub fn limit(every: Duration) -> Duration {
    intervals(every).max(LEAST)
}

/// So many intervals that one that is missed does not matter.
pub(super) fn intervals(every: Duration) -> Duration {
    every.saturating_mul(INTERVALS)
}

/// A length of time for people, in one unit.
pub(super) fn spoken(time: TimeDelta) -> String {
    match (time.num_seconds(), time.num_minutes(), time.num_hours()) {
        (seconds, ..120, _) if seconds % 60 != 0 && seconds < 600 => format!("{seconds} s"),
        (_, minutes @ ..120, _) => format!("{minutes} min"),
        (_, _, hours @ ..48) => format!("{hours} h"),
        (_, _, hours) => format!("{} days", hours / 24),
    }
}
