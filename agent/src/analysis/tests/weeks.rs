//! Points into weeks.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::NaiveDate;
use chrono_tz::Tz;
use proptest::prelude::*;

use crate::analysis::weeks::{Slot, Week, Weeks, fold};
use crate::catalog;
use crate::history::{Point, Series};
use crate::schedule::{Hours, Outside, Schedule};
use crate::snapshot::Labels;
use crate::time::Timestamp;

fn schedule(zone: Tz, hours: &str, days: std::ops::Range<usize>) -> Schedule {
    let span: Hours = hours.parse().unwrap();
    let hours = std::array::from_fn(|day| days.contains(&day).then_some(span));
    Schedule::new(zone, hours, Duration::from_secs(60), Outside::Idle, BTreeSet::new())
}

fn office() -> Schedule {
    schedule(Tz::UTC, "07:00-17:00", 0..5)
}

fn point(at: &str, over: f32, value: f64) -> Point {
    Point { at: at.parse::<Timestamp>().unwrap().timestamp_millis(), value, over, follows: true, live: true }
}

fn weeks(points: Vec<Point>, schedule: &Schedule) -> Vec<Week> {
    let series = Series { host: "h".into(), labels: Labels::default(), points };
    let mut all: Vec<Weeks> =
        fold(catalog::metric("host_cpu_busy_ratio").unwrap(), vec![series], schedule, &(NaiveDate::MIN..NaiveDate::MAX));
    all.remove(0).weeks
}

#[test]
fn means_are_weighted_with_the_time_a_point_stands_for() {
    // Monday 2026-11-23. 5 min of 0.2 and 15 min of 0.6: (300*0.2 + 900*0.6) / 1200 = 0.5; a mean of the ratios would be 0.4.
    let all = weeks(vec![point("2026-11-23T07:05:00Z", 300.0, 0.2), point("2026-11-23T07:20:00Z", 900.0, 0.6)], &office());
    assert_eq!(all.len(), 1);
    let week = &all[0];
    assert_eq!(
        (week.week.as_str(), week.from.to_string().as_str(), week.to.to_string().as_str()),
        ("2026-W48", "2026-11-23", "2026-11-27")
    );
    assert!((week.mean - 0.5).abs() < 1e-12);
    assert_eq!((week.max, week.p95), (0.6, 0.6));
    // 20 minutes of 50 hours.
    assert!((week.coverage - 20.0 / 3000.0).abs() < 1e-12);
    // The first slot holds 5 min of 0.2 and 10 of 0.6: 7/15; the second the other 5 minutes of 0.6.
    assert_eq!(week.slots.len(), 2);
    assert!((week.slots[0].mean - 7.0 / 15.0).abs() < 1e-12);
    assert_eq!(week.slots[1], Slot { weekday: 1, minute: 435, mean: 0.6 });
}

#[test]
fn what_lies_outside_open_hours_counts_nowhere() {
    let night = vec![
        point("2026-11-23T06:59:00Z", 60.0, 1.0),
        point("2026-11-21T12:00:00Z", 60.0, 1.0),
        point("2026-11-23T17:05:00Z", 60.0, 1.0),
    ];
    assert_eq!(weeks(night, &office()), []);
    // Ten minutes across the opening: only the five inside.
    let all = weeks(vec![point("2026-11-23T07:05:00Z", 600.0, 0.5)], &office());
    assert!((all[0].coverage - 5.0 / 3000.0).abs() < 1e-12);
    // The point at the closing instant describes the minute before it.
    let all = weeks(vec![point("2026-11-23T17:00:00Z", 60.0, 0.5)], &office());
    assert_eq!(all[0].slots, [Slot { weekday: 1, minute: 16 * 60 + 45, mean: 0.5 }]);
}

#[test]
fn a_week_belongs_to_its_iso_year_and_holidays_shorten_it() {
    let zone = Tz::Europe__Berlin;
    let span: Hours = "07:00-17:00".parse().unwrap();
    let hours = std::array::from_fn(|day| (day < 5).then_some(span));
    let new_year = BTreeSet::from(["2027-01-01".parse().unwrap()]);
    let schedule = Schedule::new(zone, hours, Duration::from_secs(60), Outside::Idle, new_year);
    // 06:30 UTC is 07:30 in Berlin. Friday 2027-01-01 lies in week 53 of 2026 and is a holiday: Mon to Thu are left, 40 h.
    let all = weeks(vec![point("2026-12-28T06:30:00Z", 1440.0, 0.5), point("2027-01-01T10:00:00Z", 60.0, 1.0)], &schedule);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].week.as_str(), all[0].to.to_string().as_str()), ("2026-W53", "2026-12-31"));
    assert!((all[0].coverage - 0.01).abs() < 1e-12);
    assert_eq!(all[0].slots[0].minute, 7 * 60);
}

#[test]
fn a_night_belongs_to_the_day_it_began() {
    let night = schedule(Tz::UTC, "22:00-06:00", 0..5);
    // Saturday 01:10 is Friday's night, 27 hours after Friday's midnight less ten minutes short of the slot.
    let all = weeks(vec![point("2026-11-28T01:10:00Z", 60.0, 0.5)], &night);
    assert_eq!(all[0].slots, [Slot { weekday: 5, minute: 25 * 60, mean: 0.5 }]);
}

#[test]
fn slots_follow_the_local_clock_over_a_change_of_clocks() {
    let berlin = schedule(Tz::Europe__Berlin, "07:00-17:00", 0..5);
    // Clocks go back on Sunday 2026-10-25: 07:15 is 05:15 UTC on Friday before and 06:15 UTC on Monday after.
    let all = weeks(vec![point("2026-10-23T05:15:00Z", 60.0, 0.1), point("2026-10-26T06:15:00Z", 60.0, 0.2)], &berlin);
    assert_eq!(
        all.iter().map(|week| (week.week.as_str(), week.slots[0].weekday, week.slots[0].minute)).collect::<Vec<_>>(),
        [("2026-W43", 5, 7 * 60), ("2026-W44", 1, 7 * 60)]
    );
}

#[test]
fn the_percentile_is_of_time_and_not_of_points() {
    // 95 minutes of 0.1 and 5 minutes of 0.9: for 95 % of the time it was 0.1. One minute more of 0.9, and it was not.
    let points =
        |high: f32| vec![point("2026-11-23T08:35:00Z", 95.0 * 60.0, 0.1), point("2026-11-23T08:41:00Z", high * 60.0, 0.9)];
    assert_eq!(weeks(points(5.0), &office())[0].p95, 0.1);
    assert_eq!(weeks(points(6.0), &office())[0].p95, 0.9);
}

#[test]
fn long_points_among_short_ones_count_for_all_their_time() {
    // An hour of 0.8 that ends at 17:30 among minutes of 0.2: the minute at 17:10 begins after closing and ends the short
    // ones, the hour reaches back to 16:30. Two minutes of 0.2 and thirty of 0.8: (2*0.2 + 30*0.8) / 32 = 0.7625.
    let minute = |at| point(at, 60.0, 0.2);
    let all = weeks(
        vec![
            minute("2026-11-23T16:29:00Z"),
            minute("2026-11-23T16:30:00Z"),
            minute("2026-11-23T17:10:00Z"),
            point("2026-11-23T17:30:00Z", 3600.0, 0.8),
        ],
        &office(),
    );
    assert!((all[0].mean - 0.7625).abs() < 1e-9, "{}", all[0].mean);
    assert!((all[0].coverage - 32.0 / 3000.0).abs() < 1e-9);
    // The first point is a short one and a later one begins before it, in an opening of its own: the Sunday before.
    let every_day = schedule(Tz::UTC, "07:00-17:00", 0..7);
    let all = weeks(vec![minute("2026-11-23T06:00:00Z"), point("2026-11-23T06:30:00Z", 57600.0, 0.5)], &every_day);
    // 14:30 to 17:00 on Sunday.
    assert_eq!((all[0].week.as_str(), (all[0].coverage * 4200.0).round()), ("2026-W47", 150.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A day told minute by minute or in means of five minutes gives the same week.
    #[test]
    fn the_step_of_sampling_does_not_matter(values in proptest::collection::vec(0.0..1.0f64, 600)) {
        let minute = |n: usize| (("2026-11-23T07:00:00Z".parse::<Timestamp>().unwrap()) + chrono::TimeDelta::minutes(n as i64)).timestamp_millis();
        let fine = values.iter().enumerate().map(|(n, &value)| Point { at: minute(n + 1), value, over: 60.0, follows: true, live: true }).collect();
        let coarse = values.chunks(5).enumerate().map(|(n, five)| Point { at: minute(5 * n + 5), value: five.iter().sum::<f64>() / 5.0, over: 300.0, follows: true, live: true });
        let (fine, coarse) = (weeks(fine, &office()), weeks(coarse.collect(), &office()));
        prop_assert!((fine[0].mean - coarse[0].mean).abs() < 1e-9);
        prop_assert!((fine[0].coverage - 0.2).abs() < 1e-9 && (coarse[0].coverage - 0.2).abs() < 1e-9);
        for (a, b) in fine[0].slots.iter().zip(&coarse[0].slots) {
            prop_assert!(a.minute == b.minute && (a.mean - b.mean).abs() < 1e-9);
        }
    }

    /// Idle weekends and nights change nothing.
    #[test]
    fn points_outside_open_hours_change_nothing(values in proptest::collection::vec(0.0..1.0f64, 1..30)) {
        let inside: Vec<Point> = values.iter().enumerate().map(|(n, &value)| point(&format!("2026-11-23T08:{n:02}:00Z"), 60.0, value)).collect();
        let mut more = inside.clone();
        more.extend((0..20).map(|n| point(&format!("2026-11-23T20:{n:02}:00Z"), 60.0, 0.0)));
        more.extend((0..20).map(|n| point(&format!("2026-11-28T12:{n:02}:00Z"), 60.0, 0.0)));
        prop_assert_eq!(weeks(inside, &office()), weeks(more, &office()));
    }
}
