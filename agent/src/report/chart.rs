//! The geometry of the weekly chart, in unit squares: what the text and the SVG draw.
//!
//! Days stand side by side on one time of day, without the nights between them; every line breaks where a slot is missing.

use super::clock;
use super::number::Axis;
use crate::analysis::weeks::{SLOT_MINUTES, Slot, Week, Weeks};

/// How many weeks are told apart: the newest and those before it; older ones look alike.
pub const SHADES: usize = 6;

/// The chart of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The weekdays that occur, in order, each a column of the same width.
    pub days: Vec<Day>,
    /// The time of day at the left edge of every column, as `07` or `07:30`.
    pub from: String,
    /// The time of day at the right edge.
    pub to: String,
    /// The axis of the values.
    pub axis: Axis,
    /// The weeks, oldest first.
    pub lines: Vec<Line>,
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// ISO weekday, 1 = Monday.
    pub weekday: u8,
    /// Its name in three letters.
    pub name: &'static str,
}

/// One week's line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How it is drawn: 0 is the newest, [`SHADES`] - 1 the oldest.
    pub shade: usize,
    /// Its unbroken parts.
    pub runs: Vec<Run>,
}

/// Slots that follow each other without a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The column, counted from 0.
    pub day: usize,
    /// Points in the unit square of the column: time to the right, value upwards.
    pub points: Vec<(f64, f64)>,
}

impl Chart {
    /// The chart of these weeks; none if no week has a slot.
    pub fn new(series: &Weeks) -> Option<Chart> {
        let slots = || series.weeks.iter().flat_map(|week| &week.slots).filter(|slot| slot.mean.is_finite());
        let start = slots().map(|slot| slot.minute).min()?;
        let end = slots().map(|slot| slot.minute.saturating_add(SLOT_MINUTES)).max()?;
        let (min, max) = slots().fold((0.0_f64, 0.0_f64), |(min, max), slot| (min.min(slot.mean), max.max(slot.mean)));
        let axis = Axis::new(series.metric.unit, min, max);
        let mut weekdays: Vec<u8> = slots().map(|slot| slot.weekday).collect();
        weekdays.sort_unstable();
        weekdays.dedup();
        let place = |slot: &Slot| {
            let middle = f64::from(slot.minute - start) + f64::from(SLOT_MINUTES) / 2.0;
            (middle / f64::from(end - start), axis.at(slot.mean))
        };
        let line = |(position, week): (usize, &Week)| Line {
            shade: shade(series.weeks.len() - 1 - position),
            runs: runs(&week.slots, &weekdays, place),
        };
        let lines = series.weeks.iter().enumerate().map(line).collect();
        let days = weekdays.iter().map(|&weekday| Day { weekday, name: name(weekday) }).collect();
        Some(Chart { days, from: hour(start), to: hour_at_end(end), axis, lines })
    }
}

/// How a week is drawn that is `age` weeks older than the newest.
pub fn shade(age: usize) -> usize {
    age.min(SHADES - 1)
}

fn runs(slots: &[Slot], weekdays: &[u8], place: impl Fn(&Slot) -> (f64, f64)) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before: Option<&Slot> = None;
    for slot in slots.iter().filter(|slot| slot.mean.is_finite()) {
        let follows =
            before.is_some_and(|b| b.weekday == slot.weekday && b.minute.checked_add(SLOT_MINUTES) == Some(slot.minute));
        let day = weekdays.partition_point(|&weekday| weekday < slot.weekday);
        match runs.last_mut() {
            Some(run) if follows => run.points.push(place(slot)),
            _ => runs.push(Run { day, points: vec![place(slot)] }),
        }
        before = Some(slot);
    }
    runs
}

fn name(weekday: u8) -> &'static str {
    match weekday {
        1 => "Mon",
        2 => "Tue",
        3 => "Wed",
        4 => "Thu",
        5 => "Fri",
        6 => "Sat",
        _ => "Sun",
    }
}

/// The hour alone where that is the whole truth.
fn hour(minute: u16) -> String {
    let time = clock(minute);
    time.strip_suffix(":00").map(str::to_owned).unwrap_or(time)
}

/// The end of a day that reaches midnight is 24, not 00.
fn hour_at_end(minute: u16) -> String {
    if minute == 1440 { "24".to_owned() } else { hour(minute) }
}
