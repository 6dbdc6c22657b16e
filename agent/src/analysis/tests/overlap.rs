//! Time that was recorded twice, and what is left of it.

use std::collections::BTreeMap;
use std::convert::Infallible;

use proptest::prelude::*;

use crate::analysis::overlap::{joined, once};
use crate::analysis::{derive, weeks};
use crate::catalog::{self, Metric};
use crate::history::{Point, Series};
use crate::schedule::{Hours, Outside, Schedule};
use crate::time::Timestamp;

const MINUTE: i64 = 60;

fn live(second: i64, over: i64, value: f64) -> Point {
    Point { at: second * 1000, value, over: over as f32, follows: true, live: true }
}

fn imported(second: i64, over: i64, value: f64) -> Point {
    Point { live: false, ..live(second, over, value) }
}

fn of(metric: &str, stored: &[(&str, &[&str], Vec<Point>)]) -> Vec<Series> {
    let read = &mut |row: &'static Metric| {
        let mine = stored.iter().filter(|(name, ..)| *name == row.name);
        let series = |(_, labels, points): &(&str, &[&str], Vec<Point>)| Series {
            host: "h".into(),
            labels: labels.iter().copied().collect(),
            points: points.clone(),
        };
        Ok::<_, Infallible>(mine.map(series).collect())
    };
    let Ok(all) = derive::series(catalog::metric(metric).unwrap(), read);
    all
}

fn seen(points: &[Point]) -> Vec<(i64, f64)> {
    points.iter().map(|point| (point.at / 1000, point.value)).collect()
}

#[test]
fn an_hour_recorded_twice_is_an_hour() {
    // 60 minutes of 1.0 read by the service, and six imported rows of 9.0 beside them, from 10:00 on Monday 2026-11-23.
    let ten = "2026-11-23T10:00:00Z".parse::<Timestamp>().unwrap().timestamp();
    let mut points: Vec<Point> = (1..=60).map(|n| live(ten + n * MINUTE, 60, 1.0)).collect();
    points.extend((1..=6).map(|n| imported(ten + n * 600 + 1, 600, 9.0)));
    points.sort_by_key(|point| point.at);
    let hours: Hours = "07:00-17:00".parse().unwrap();
    let hours = std::array::from_fn(|_| Some(hours));
    let schedule = Schedule::new(chrono_tz::UTC, hours, std::time::Duration::from_secs(60), Outside::Idle, Default::default());
    let metric = catalog::metric("host_load1").unwrap();
    let days = chrono::NaiveDate::MIN..chrono::NaiveDate::MAX;
    let all = weeks::fold(metric, of("host_load1", &[("host_load1", &[], points)]), &schedule, &days);
    let week = &all[0].weeks[0];
    assert_eq!((week.mean, week.max), (1.0, 1.0));
    assert!((week.coverage - 1.0 / 70.0).abs() < 1e-9, "{}", week.coverage);
}

#[test]
fn of_two_recordings_the_finer_one_counts_and_the_other_fills_its_gaps() {
    // Rows of five minutes until 900 s, and of ten minutes until 1801 s.
    let five = (1..=3).map(|n| imported(n * 300, 300, 1.0));
    let ten = (1..=3).map(|n| imported(n * 600 + 1, 600, 2.0));
    let mut points: Vec<Point> = five.chain(ten).collect();
    points.sort_by_key(|point| point.at);
    // Ten minutes to 601 s: taken but for a second. To 1201 s: 299 of 600 s taken, so it stays.
    assert_eq!(seen(&once(points)), [(300, 1.0), (600, 1.0), (900, 1.0), (1201, 2.0), (1801, 2.0)]);
    // Half is enough to go.
    assert_eq!(seen(&once(vec![imported(300, 300, 1.0), imported(600, 600, 2.0)])), [(300, 1.0)]);
}

#[test]
fn what_comes_after_a_dropped_point_does_not_follow_it() {
    let points =
        vec![live(60, 60, 1.0), imported(90, 60, 2.0), imported(150, 60, 2.0), imported(210, 60, 2.0), live(400, 60, 1.0)];
    let kept = once(points);
    assert_eq!(seen(&kept), [(60, 1.0), (150, 2.0), (210, 2.0), (400, 1.0)]);
    assert_eq!(kept.iter().map(|point| point.follows).collect::<Vec<_>>(), [true, false, true, true]);
}

#[test]
fn nothing_follows_a_point_of_another_origin() {
    let stored = vec![imported(60, 60, 1.0), imported(120, 60, 1.0), imported(300, 60, 1.0)];
    let derived = vec![live(180, 60, 2.0), live(240, 60, 2.0), live(300, 60, 2.0), live(360, 60, 2.0)];
    let all = joined(stored, derived);
    assert_eq!(seen(&all), [(60, 1.0), (120, 1.0), (180, 2.0), (240, 2.0), (300, 2.0), (360, 2.0)]);
    assert_eq!(all.iter().map(|point| point.follows).collect::<Vec<_>>(), [false, true, false, true, true, true]);
}

#[test]
fn clocks_that_drift_cost_nothing() {
    let points: Vec<Point> = [60, 119, 179, 240].into_iter().map(|second| imported(second, 60, 1.0)).collect();
    assert_eq!(once(points.clone()), points);
}

#[test]
fn a_sum_is_taken_of_one_recording_before_overlaps_are_settled() {
    // sar knows nice and vmstat does not: a minute of vmstat has no sum, and the ten minutes of sar have all they need.
    let both = |fine: f64, coarse: f64| vec![imported(540, 60, fine), imported(600, 60, fine), imported(601, 600, coarse)];
    let stored = [
        ("host_cpu_mode_ratio", &["user"][..], both(0.5, 0.2)),
        ("host_cpu_mode_ratio", &["nice"], vec![imported(601, 600, 0.1)]),
        ("host_cpu_mode_ratio", &["idle"], both(0.5, 0.7)),
    ];
    let user = of("host_cpu_user_ratio", &stored);
    assert_eq!(seen(&user[0].points), [(601, 0.2 + 0.1)]);
    assert_eq!(seen(&of("host_cpu_idle_ratio", &stored)[0].points), [(540, 0.5), (600, 0.5), (601, 0.7)]);
}

/// Points by instant, in seconds: length and whether they are live, which are then one after the other.
fn recordings() -> impl Strategy<Value = Vec<Point>> {
    let point = (0..2000_i64, prop_oneof![Just(30_i64), Just(60), Just(300), Just(600), 1..700_i64], prop::bool::weighted(0.3));
    prop::collection::vec(point, 0..60).prop_map(|points| {
        let by_instant: BTreeMap<i64, (i64, bool)> = points.into_iter().map(|(at, over, live)| (at, (over, live))).collect();
        let mut closed = i64::MIN;
        let mut all = Vec::new();
        for (at, (over, is_live)) in by_instant {
            let over = if is_live { over.min(at.saturating_sub(closed)) } else { over };
            closed = if is_live { at } else { closed };
            all.push(Point { live: is_live, ..live(at, over, at as f64) });
        }
        all
    })
}

/// Seconds of the grid that points stand for.
fn seconds(point: &Point) -> std::ops::Range<usize> {
    let end = (point.at / 1000 + 1000) as usize;
    end - point.over as usize..end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// The rule again, second by second; and with it: live points stay, and time is counted twice for less than half a point.
    #[test]
    fn no_time_counts_twice_by_more_than_the_half_rule_allows(points in recordings()) {
        let mut taken = vec![false; 4000];
        let mut expected: Vec<Point> = points.iter().filter(|point| point.live).copied().collect();
        expected.iter().for_each(|point| taken[seconds(point)].fill(true));
        let of_live = taken.iter().filter(|taken| **taken).count();
        let mut others: Vec<&Point> = points.iter().filter(|point| !point.live).collect();
        others.sort_by_key(|point| (point.over as i64, point.at));
        for point in others {
            let already = taken[seconds(point)].iter().filter(|taken| **taken).count();
            if 2 * already < seconds(point).len() {
                taken[seconds(point)].fill(true);
                expected.push(*point);
            }
        }
        expected.sort_by_key(|point| point.at);
        let kept = once(points.clone());
        prop_assert_eq!(seen(&kept), seen(&expected));

        let time = |of: fn(&Point) -> bool| kept.iter().filter(|point| of(point)).map(|point| seconds(point).len()).sum::<usize>();
        let union = taken.iter().filter(|taken| **taken).count();
        prop_assert_eq!(time(|point| point.live), of_live);
        prop_assert!(time(|point| !point.live) <= 2 * (union - of_live));
        let mut all_time = vec![false; 4000];
        points.iter().for_each(|point| all_time[seconds(point)].fill(true));
        prop_assert!(kept.iter().map(|point| seconds(point).len()).sum::<usize>() <= 2 * all_time.iter().filter(|t| **t).count());
        // Whoever follows follows the point that stood before it.
        for pair in kept.windows(2).filter(|pair| pair[1].follows) {
            let now = points.iter().position(|point| point.at == pair[1].at).unwrap();
            prop_assert_eq!(points[now - 1].at, pair[0].at);
        }
    }
}
