//! One line per week: a quantity folded into the weekday and time of day of open hours.

use chrono::NaiveDate;

use crate::catalog::Metric;
use crate::snapshot::Labels;

/// Length of a slot in minutes: the step of a week's line (`reference/statistics`: weekday × 15 minutes).
pub const SLOT_MINUTES: u16 = 15;

/// The weeks of one series, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Weeks {
    /// The row.
    pub metric: &'static Metric,
    /// The host.
    pub host: String,
    /// Which of the row's series.
    pub labels: Labels,
    /// Weeks with at least one point in open hours, oldest first.
    pub weeks: Vec<Week>,
}

/// One ISO week.
#[derive(Debug, Clone, PartialEq)]
pub struct Week {
    /// Monday's ISO year and week, as `2026-W48`.
    pub week: String,
    /// First open day by the schedule.
    pub from: NaiveDate,
    /// Last open day by the schedule.
    pub to: NaiveDate,
    /// Mean over the time measured, each point weighted with the time it stands for.
    pub mean: f64,
    /// 95th percentile of the time measured.
    pub p95: f64,
    /// Largest point.
    pub max: f64,
    /// Share of the week's open time that was measured, 0 to 1.
    pub coverage: f64,
    /// Means of the slots that have points, in order of weekday and time.
    pub slots: Vec<Slot>,
}

/// One slot of a week.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// ISO weekday of the day that owns it, 1 = Monday.
    pub weekday: u8,
    /// Minutes from that day's local midnight; past 1440 in a window that runs over midnight.
    pub minute: u16,
    /// Mean over the time measured.
    pub mean: f64,
}
