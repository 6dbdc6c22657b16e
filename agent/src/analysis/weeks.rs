//! One line per week: a quantity folded into the weekday and time of day of open hours.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{Datelike, Days, IsoWeek, NaiveDate};

use crate::catalog::Metric;
use crate::history::{Point, Series};
use crate::schedule::{Opening, Schedule};
use crate::snapshot::Labels;
use crate::time::{Millis, Span, Timestamp};

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

/// Folds series into weeks of the schedule's open hours, as far as `days` own them.
///
/// A point counts for the time it stands for, `over` seconds up to its instant, in every slot that time touches;
/// what lies outside open hours counts nowhere.
pub fn fold(metric: &'static Metric, all: Vec<Series>, schedule: &Schedule, days: &Range<NaiveDate>) -> Vec<Weeks> {
    let weeks = |series: Series| Weeks {
        metric,
        host: series.host.to_string(),
        weeks: fold_one(&series.points, schedule, days),
        labels: series.labels,
    };
    all.into_iter().map(weeks).collect()
}

fn fold_one(points: &[Point], schedule: &Schedule, days: &Range<NaiveDate>) -> Vec<Week> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    // Points are in order of their ends; which begin before an instant, only the longest of them tells.
    let longest = points.iter().map(|point| seconds(point.over)).max().unwrap_or(0);
    let (Some(start), Some(end)) = (instant(first.at - longest), instant(last.at + 1)) else { return Vec::new() };
    let mut weeks: BTreeMap<IsoWeek, Sums> = BTreeMap::new();
    let mut next = 0;
    for opening in schedule.openings(Span { start, end }).filter(|opening| days.contains(&opening.day)) {
        let open = opening.span.start.timestamp_millis()..opening.span.end.timestamp_millis();
        next += points[next..].partition_point(|point| point.at <= open.start);
        let inside = points[next..].iter().take_while(|point| point.at - longest < open.end);
        let sums = weeks.entry(opening.day.iso_week()).or_default();
        inside.for_each(|point| sums.take(point, &opening, &open, schedule));
    }
    weeks.into_iter().filter_map(|(week, sums)| sums.week(week, schedule)).collect()
}

/// A week on its way.
#[derive(Default)]
struct Sums {
    /// What was measured: value and milliseconds, in order of time.
    points: Vec<(f64, Millis)>,
    /// Per weekday and start of the slot: value times milliseconds, and milliseconds.
    slots: BTreeMap<(u8, u16), (f64, Millis)>,
}

impl Sums {
    fn take(&mut self, point: &Point, opening: &Opening, open: &Range<Millis>, schedule: &Schedule) {
        let mut from = (point.at - seconds(point.over)).max(open.start);
        let to = point.at.min(open.end);
        if from >= to {
            return;
        }
        self.points.push((point.value, to - from));
        while from < to {
            let (minute, until) = slot(from, opening, schedule);
            let part = until.min(to) - from;
            let weekday = opening.day.weekday().number_from_monday() as u8;
            let (sum, time) = self.slots.entry((weekday, minute)).or_default();
            *sum += point.value * part as f64;
            *time += part;
            from += part;
        }
    }

    fn week(mut self, week: IsoWeek, schedule: &Schedule) -> Option<Week> {
        let measured: Millis = self.points.iter().map(|&(_, time)| time).sum();
        if measured == 0 {
            return None;
        }
        let monday = NaiveDate::from_isoywd_opt(week.year(), week.week(), chrono::Weekday::Mon)?;
        let days: Vec<Opening> = openings_of(monday, schedule);
        let open: f64 = days.iter().map(|opening| opening.span.seconds()).sum();
        let mean = self.points.iter().map(|&(value, time)| value * time as f64).sum::<f64>() / measured as f64;
        self.points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let slots =
            self.slots.into_iter().map(|((weekday, minute), (sum, time))| Slot { weekday, minute, mean: sum / time as f64 });
        Some(Week {
            week: format!("{}-W{:02}", week.year(), week.week()),
            from: days.first()?.day,
            to: days.last()?.day,
            mean,
            p95: percentile(&self.points, 0.95),
            max: self.points.last()?.0,
            coverage: (measured as f64 / 1000.0 / open).min(1.0),
            slots: slots.collect(),
        })
    }
}

/// The openings of the days of an ISO week.
fn openings_of(monday: NaiveDate, schedule: &Schedule) -> Vec<Opening> {
    // Two days on either side hold every zone and every window over midnight.
    let edge = |date: NaiveDate| date.and_time(chrono::NaiveTime::MIN).and_utc();
    let span = Span { start: edge(monday - Days::new(2)), end: edge(monday + Days::new(9)) };
    let mine = |opening: &Opening| opening.day.iso_week() == monday.iso_week();
    schedule.openings(span).filter(mine).collect()
}

/// The slot an instant lies in, by the local clock of the opening's day, and the instant at which the slot ends.
fn slot(at: Millis, opening: &Opening, schedule: &Schedule) -> (u16, Millis) {
    let Some(local) = instant(at).map(|at| at.with_timezone(&schedule.zone()).naive_local()) else { return (0, Millis::MAX) };
    let midnight = opening.day.and_time(chrono::NaiveTime::MIN);
    let passed = (local - midnight).num_milliseconds().max(0);
    let length = Millis::from(SLOT_MINUTES) * 60_000;
    let minute = (passed / length) * Millis::from(SLOT_MINUTES);
    (u16::try_from(minute).unwrap_or(u16::MAX), at + length - passed % length)
}

/// The smallest value that is not passed in a share `p` of the time; `sorted` by value, each with its time.
fn percentile(sorted: &[(f64, Millis)], p: f64) -> f64 {
    let all: Millis = sorted.iter().map(|&(_, time)| time).sum();
    let mut passed = 0;
    let reached = |&&(_, time): &&(f64, Millis)| {
        passed += time;
        passed as f64 >= p * all as f64
    };
    sorted.iter().find(reached).or(sorted.last()).map_or(f64::NAN, |&(value, _)| value)
}

fn seconds(over: f32) -> Millis {
    (f64::from(over) * 1000.0).round() as Millis
}

fn instant(at: Millis) -> Option<Timestamp> {
    Timestamp::from_timestamp_millis(at)
}
