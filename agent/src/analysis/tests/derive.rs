//! What follows from counters and gauges, and what does not follow from broken ones.

use std::collections::HashMap;
use std::convert::Infallible;

use proptest::prelude::*;

use crate::analysis::derive::series;
use crate::catalog::{self, Metric};
use crate::history::{Point, Series};
use crate::snapshot::Labels;

/// Stored series by metric, as a history would give them.
#[derive(Default)]
struct Stored(HashMap<&'static str, Vec<Series>>);

/// Points at 0, 60, 120, ... seconds; `None` is a tick without this series.
fn points(values: &[Option<f64>]) -> Vec<Point> {
    let point = |(n, value): (usize, &Option<f64>)| {
        value.map(|value| Point { at: 60_000 * n as i64, value, over: 60.0, follows: n > 0, live: true })
    };
    values.iter().enumerate().filter_map(point).collect()
}

fn all(values: &[f64]) -> Vec<Point> {
    points(&values.iter().copied().map(Some).collect::<Vec<_>>())
}

impl Stored {
    fn with(mut self, metric: &str, labels: &[&str], points: Vec<Point>) -> Stored {
        let name = catalog::metric(metric).unwrap().name;
        self.0.entry(name).or_default().push(Series { host: "h".into(), labels: labels.iter().copied().collect(), points });
        self
    }

    fn of(&self, metric: &str) -> Vec<Series> {
        let stored = &mut |row: &'static Metric| Ok::<_, Infallible>(self.0.get(row.name).cloned().unwrap_or_default());
        let Ok(all) = series(catalog::metric(metric).unwrap(), stored);
        all
    }

    /// Minute and value of the only series of a row.
    fn values(&self, metric: &str) -> Vec<(i64, f64)> {
        let all = self.of(metric);
        assert!(all.len() <= 1, "{all:?}");
        all.iter().flat_map(|series| &series.points).map(|point| (point.at / 60_000, point.value)).collect()
    }
}

/// Two processors; per minute 120 s of their time pass.
fn cpu(modes: &[(&str, &[f64])]) -> Stored {
    let ticks = modes[0].1.len();
    let stored = Stored::default().with("host_cpus", &[], all(&vec![2.0; ticks]));
    modes.iter().fold(stored, |stored, (mode, values)| stored.with("host_cpu_seconds_total", &[mode], all(values)))
}

#[test]
fn busy_is_what_is_neither_idle_nor_waiting_nor_stolen() {
    // Growth in the minute: user 30, system 12, idle 60, iowait 12, steal 6, of 120 s: busy 42/120, steal 6/120.
    let stored = cpu(&[
        ("user", &[100.0, 130.0]),
        ("system", &[50.0, 62.0]),
        ("idle", &[900.0, 960.0]),
        ("iowait", &[10.0, 22.0]),
        ("steal", &[1.0, 7.0]),
    ]);
    let close = |metric: &str, expected: f64| {
        let values = stored.values(metric);
        assert_eq!(values.len(), 1);
        assert!((values[0].1 - expected).abs() < 1e-12, "{metric}: {values:?}");
    };
    close("host_cpu_busy_ratio", 0.35);
    close("host_cpu_steal_ratio", 0.05);
    close("host_cpu_iowait_ratio", 0.1);
    close("host_cpu_user_ratio", 0.25);
    close("host_cpu_cores_used", 0.7);
}

#[test]
fn a_small_fall_of_iowait_costs_only_iowait() {
    // iowait falls by 0.02 s; the others account for all 120 s of the second minute.
    let stored = cpu(&[("user", &[0.0, 60.0, 120.0]), ("idle", &[0.0, 59.0, 119.0]), ("iowait", &[5.0, 6.0, 5.98])]);
    let busy = stored.values("host_cpu_busy_ratio");
    assert_eq!(busy, [(1, 0.5), (2, 0.5)]);
}

#[test]
fn a_fall_of_idle_costs_the_interval() {
    let stored = cpu(&[("user", &[0.0, 60.0, 120.0, 180.0]), ("idle", &[500.0, 560.0, 100.0, 160.0])]);
    assert_eq!(stored.values("host_cpu_busy_ratio"), [(1, 0.5), (3, 0.5)]);
}

#[test]
fn stolen_time_that_runs_wild_costs_the_interval() {
    let stored = cpu(&[("user", &[0.0, 60.0, 120.0]), ("idle", &[0.0, 60.0, 120.0]), ("steal", &[0.0, 0.0, 1e8])]);
    assert_eq!(stored.values("host_cpu_busy_ratio"), [(1, 0.5)]);
}

#[test]
fn a_system_without_stolen_time_has_a_busy_ratio_and_no_steal_ratio() {
    let stored = cpu(&[("user", &[0.0, 30.0]), ("idle", &[0.0, 90.0])]);
    assert_eq!(stored.values("host_cpu_busy_ratio"), [(1, 0.25)]);
    assert_eq!(stored.values("host_cpu_steal_ratio"), []);
}

#[test]
fn rates_skip_falls_and_long_intervals() {
    let points =
        points(&[Some(0.0), Some(600.0), Some(300.0), Some(900.0), None, Some(2100.0), None, None, Some(9000.0), Some(9060.0)]);
    // 1: 600/60; 2: fell; 3: 600/60; 5: 1200/120, one tick missing; 8: three intervals, too long; 9: 60/60.
    let stored = Stored::default().with("host_context_switches_total", &[], points);
    assert_eq!(stored.values("host_context_switches_per_second"), [(1, 10.0), (3, 10.0), (5, 10.0), (9, 1.0)]);
}

#[test]
fn nothing_is_computed_across_a_break() {
    let mut points = all(&[0.0, 60.0, 120.0]);
    points[1].follows = false;
    let stored = Stored::default().with("host_context_switches_total", &[], points);
    assert_eq!(stored.values("host_context_switches_per_second"), [(2, 1.0)]);
}

#[test]
fn latency_is_time_over_operations_and_nothing_without_operations() {
    // Minute 1: 3 s + 1 s over 100 + 100 operations: 20 ms. Minute 2: nothing was done.
    let sda = |stored: Stored, metric: &str, values: [f64; 3]| stored.with(metric, &["sda"], all(&values));
    let stored = sda(Stored::default(), "host_disk_read_seconds_total", [0.0, 3.0, 3.0]);
    let stored = sda(stored, "host_disk_write_seconds_total", [0.0, 1.0, 1.0]);
    let stored = sda(stored, "host_disk_reads_total", [0.0, 100.0, 100.0]);
    let stored = sda(stored, "host_disk_writes_total", [0.0, 100.0, 100.0]);
    assert_eq!(stored.values("host_disk_latency_seconds"), [(1, 0.02)]);
    assert_eq!(stored.values("host_disk_operations_per_second").iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn gauges_combine_where_both_are_there() {
    let stored = Stored::default()
        .with("host_memory_available_bytes", &[], points(&[Some(3.0), None, Some(1.0)]))
        .with("host_memory_total_bytes", &[], all(&[4.0, 4.0, 4.0]))
        .with("host_swap_total_bytes", &[], all(&[10.0, 10.0, 10.0]))
        .with("host_swap_free_bytes", &[], points(&[None, Some(4.0), Some(10.0)]));
    assert_eq!(stored.values("host_memory_used_ratio"), [(0, 0.25), (2, 0.75)]);
    assert_eq!(stored.values("host_swap_used_bytes"), [(1, 6.0), (2, 0.0)]);
}

#[test]
fn imported_shares_give_the_same_busy_ratio_as_counters_would() {
    let mode = |stored: Stored, name: &str, value: f64| {
        let imported = all(&[value]).into_iter().map(|point| Point { live: false, ..point }).collect();
        stored.with("host_cpu_mode_ratio", &[name], imported)
    };
    let stored = [("user", 0.2), ("system", 0.05), ("idle", 0.7), ("iowait", 0.05)]
        .into_iter()
        .fold(Stored::default(), |s, (n, v)| mode(s, n, v));
    let busy = stored.values("host_cpu_busy_ratio");
    assert!((busy[0].1 - 0.25).abs() < 1e-12);
}

#[test]
fn the_service_s_own_time_wins_over_what_was_imported_for_it() {
    let import = |at: i64, value: f64| Point { at, value, over: 10.0, follows: false, live: false };
    // Live rates stand for minutes 0 to 2; imported ones lie at 90 s (covered), at 126 s (4 of 10 s
    // covered) and at 200 s.
    let stored = Stored::default().with("host_context_switches_total", &[], all(&[0.0, 60.0, 120.0])).with(
        "host_context_switches_per_second",
        &[],
        vec![import(90_000, 7.0), import(126_000, 8.0), import(200_000, 9.0)],
    );
    let all = stored.of("host_context_switches_per_second");
    let seen: Vec<(i64, f64)> = all[0].points.iter().map(|point| (point.at, point.value)).collect();
    assert_eq!(seen, [(60_000, 1.0), (120_000, 1.0), (126_000, 8.0), (200_000, 9.0)]);
}

#[test]
fn hosts_and_devices_are_never_mixed() {
    let mut stored = Stored::default();
    for (host, device, grown) in [("a", "sda", 60.0), ("a", "sdb", 120.0), ("b", "sda", 180.0)] {
        let labels: Labels = [device].into_iter().collect();
        stored.0.entry("host_disk_read_bytes_total").or_default().push(Series {
            host: host.into(),
            labels,
            points: all(&[0.0, grown]),
        });
    }
    let rates: Vec<f64> = stored.of("host_disk_read_bytes_per_second").iter().map(|series| series.points[0].value).collect();
    assert_eq!(rates, [1.0, 2.0, 3.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever counters do, no rate is negative and no share lies outside 0 to 1.
    #[test]
    fn no_rate_is_negative_and_no_share_is_no_share(values in proptest::collection::vec((0.0..1e9f64, 0.0..1e9f64, 0.0..1e9f64), 2..40)) {
        let column = |pick: fn(&(f64, f64, f64)) -> f64| values.iter().map(pick).collect::<Vec<_>>();
        let stored = cpu(&[("user", &column(|v| v.0)), ("idle", &column(|v| v.1)), ("iowait", &column(|v| v.2))])
            .with("host_context_switches_total", &[], all(&column(|v| v.0)));
        prop_assert!(stored.values("host_context_switches_per_second").iter().all(|(_, rate)| *rate >= 0.0));
        prop_assert!(stored.values("host_cpu_busy_ratio").iter().all(|(_, busy)| (-1e-9..=1.0 + 1e-9).contains(busy)));
    }

    /// The modes of an interval that is kept sum to the whole.
    #[test]
    fn shares_sum_to_one(grown in proptest::collection::vec(0.0..40.0f64, 3)) {
        let idle = 120.0 - grown.iter().sum::<f64>();
        let stored = cpu(&[("user", &[0.0, grown[0]]), ("system", &[0.0, grown[1]]), ("iowait", &[0.0, grown[2]]), ("idle", &[0.0, idle])]);
        let sum: f64 = stored.of("host_cpu_mode_ratio").iter().map(|series| series.points[0].value).sum();
        prop_assert!((sum - 1.0).abs() < 1e-9);
    }
}
