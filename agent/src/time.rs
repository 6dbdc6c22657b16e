//! Instants and spans of them.

use chrono::{DateTime, SecondsFormat, TimeZone, Utc};

/// An instant; zones belong to the schedule and to printing.
pub type Timestamp = DateTime<Utc>;

/// Milliseconds since 1970-01-01 00:00 UTC: an instant as it is stored.
pub type Millis = i64;

/// An instant for programs, to the second: `2026-10-05T07:00:00Z`, or with the offset of its zone.
pub fn rfc3339<Z: TimeZone>(at: DateTime<Z>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A stretch of time: `start` is inside, `end` is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first instant inside.
    pub start: Timestamp,
    /// The first instant after.
    pub end: Timestamp,
}

impl Span {
    /// All of time that a history can hold.
    pub const ALL: Span = Span { start: DateTime::<Utc>::MIN_UTC, end: DateTime::<Utc>::MAX_UTC };

    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        (self.end - self.start).as_seconds_f64()
    }

    /// Whether the instant lies inside.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }
}
