//! What false counters of the field do to what follows from them: a gap or a break, never a wrong number.

use weekline::snapshot::Snapshot;

use super::host::{Host, close, follows, minute};

/// The total `cpu` line of the fixture's first and second state.
const CPU: &str = "cpu  811000 2000 200000 4436000 60000 0 10000 4000 60000 0";
const CPU_LATER: &str = "cpu  814000 2060 200900 4443200 60480 0 10120 4240 60600 0";
const MODES: [&str; 8] = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];

/// Two readings a minute apart whose second has this total `cpu` line.
fn with_cpu(line: &str) -> (Snapshot, Snapshot) {
    minute(|host| host.edit("proc/stat", CPU_LATER, line))
}

fn falls(before: &Snapshot, now: &Snapshot) -> Vec<String> {
    let falls = now.falls_from(before);
    falls.map(|fall| format!("{}{:?}", fall.metric.name, fall.labels.values().collect::<Vec<_>>())).collect()
}

/// node_exporter 737, opentelemetry-collector-contrib 48024: guest time is already inside user and nice.
#[test]
fn guest_time_is_not_counted_twice() {
    let (before, now) = minute(|_| {});
    let grown = |snapshot: &Snapshot| {
        let of = |mode: &&str| snapshot.value("host_cpu_seconds_total", &[mode]).unwrap();
        MODES.iter().map(of).sum::<f64>()
    };
    // Two processors, sixty seconds.
    assert!(close(Some(grown(&now) - grown(&before)), 120.0));
    let shares = MODES.iter().map(|mode| follows(&before, &now, "host_cpu_mode_ratio", &[mode]).unwrap());
    assert!(close(Some(shares.sum()), 1.0));
    assert_eq!(follows(&before, &now, "host_cpu_mode_ratio", &["guest"]), None);
    // The processors' own lines split the same time.
    for cpu in ["0", "1"] {
        let of =
            |s: &Snapshot| MODES.iter().map(|mode| s.value("host_cpu_core_seconds_total", &[mode, cpu]).unwrap()).sum::<f64>();
        assert!(close(Some(of(&now) - of(&before)), 60.0));
    }
}

/// node_exporter 1686, 1372 and 1853, prometheus 2856: waiting for I/O is known to step back by hundredths.
#[test]
fn iowait_that_falls_by_hundredths_is_a_gap_and_the_rest_is_kept() {
    // 480 of the fixture's iowait went to idle, and iowait fell by two hundredths instead.
    let (before, now) = with_cpu("cpu  814000 2060 200900 4443680 59998 0 10120 4240 60600 0");
    assert_eq!(falls(&before, &now), ["host_cpu_seconds_total[\"iowait\"]"]);
    // 4080 of 12000 ticks, as without the fall.
    assert!(close(follows(&before, &now, "host_cpu_busy_ratio", &[]), 0.34));
    assert!(close(follows(&before, &now, "host_cpu_mode_ratio", &["idle"]), 0.64));
    assert!(follows(&before, &now, "host_cpu_iowait_ratio", &[]).is_none_or(|share| share == 0.0));
}

/// node_exporter 1903: where idle falls by a lot, nobody knows what it grew by.
#[test]
fn idle_that_falls_by_a_lot_leaves_no_share_at_all() {
    let (before, now) = with_cpu("cpu  814000 2060 200900 4430000 60480 0 10120 4240 60600 0");
    assert_eq!(falls(&before, &now), ["host_cpu_seconds_total[\"idle\"]"]);
    for metric in ["host_cpu_busy_ratio", "host_cpu_idle_ratio", "host_cpu_cores_used", "host_cpu_user_ratio"] {
        assert_eq!(follows(&before, &now, metric, &[]), None, "{metric}");
    }
    // What has nothing to do with it is there.
    assert!(close(follows(&before, &now, "host_context_switches_per_second", &[]), 4400.0));
}

/// node_exporter 742: stolen time that leaps by a hundred million seconds, forwards and back.
#[test]
fn steal_that_runs_wild_drops_its_interval() {
    let wild = "cpu  814000 2060 200900 4443200 60480 0 10120 10000004240 60600 0";
    let mut host = Host::new();
    let first = host.read();
    host.work();
    host.edit("proc/stat", CPU_LATER, wild);
    let second = host.read();
    host.edit("proc/stat", wild, CPU_LATER);
    let third = host.read();
    for (before, now) in [(&first, &second), (&second, &third)] {
        assert_eq!(follows(before, now, "host_cpu_busy_ratio", &[]), None);
        assert_eq!(follows(before, now, "host_cpu_steal_ratio", &[]), None);
    }
    assert!(close(follows(&first, &third, "host_cpu_busy_ratio", &[]), 0.34));
}

/// sysstat 14: one field that regresses must not sink its neighbours, whichever it is.
#[test]
fn a_fall_of_any_small_mode_never_gives_a_share_outside_zero_and_one() {
    for (mode, place) in MODES.iter().zip(1..) {
        let mut words: Vec<String> = CPU_LATER.split_whitespace().map(str::to_owned).collect();
        let before: Vec<&str> = CPU.split_whitespace().collect();
        words[place] = before[place].parse::<u64>().unwrap().saturating_sub(1).to_string();
        let (before, now) = with_cpu(&words.join(" "));
        for metric in MODES.map(|mode| follows(&before, &now, "host_cpu_mode_ratio", &[mode])) {
            assert!(metric.is_none_or(|share| (0.0..=1.0).contains(&share)), "{mode}: {metric:?}");
        }
        let busy = follows(&before, &now, "host_cpu_busy_ratio", &[]);
        // The shares of the others are kept where these account for 98 % of the time; steal had exactly the missing fiftieth.
        if *mode != "steal" {
            assert_eq!(busy.is_some(), ["nice", "irq", "softirq"].contains(mode), "{mode}: {busy:?}");
        }
    }
}

/// lxcfs 581, sysstat 157 and 224: processors that come and go make totals jump.
#[test]
fn processors_going_offline_and_online_begin_anew() {
    let mut host = Host::new();
    let both = host.read();
    host.work();
    host.edit("sys/devices/system/cpu/online", "0-1", "0");
    let cpu1 = "cpu1 400000 1100 102300 2229400 30180 0 4860 2060 20000 0\n";
    host.edit("proc/stat", cpu1, "");
    let one = host.read();
    assert!(one.breaks_from(&both));
    assert_eq!(one.value("host_cpus", &[]), Some(1.0));
    host.set("sys/devices/system/cpu/online", "0-1\n");
    assert!(host.read().breaks_from(&one));
    // The same processors do not.
    let same = host.read();
    assert!(!host.read().breaks_from(&same));
}

#[test]
fn another_boot_begins_anew() {
    let mut host = Host::new();
    let before = host.read();
    host.set("proc/sys/kernel/random/boot_id", "0c3d8d52-54a0-4f7e-8a7a-0d6a7e1f2b33\n");
    host.start();
    assert!(host.read().breaks_from(&before));
}

/// A break is told by `follows`, and then nothing is computed however the numbers look.
#[test]
fn nothing_follows_across_a_break() {
    let (before, mut now) = minute(|_| {});
    now.follows = false;
    for metric in weekline::catalog::metrics().filter(|metric| metric.name.ends_with("_per_second")) {
        assert_eq!(follows(&before, &now, metric.name, &[]), None, "{}", metric.name);
    }
    assert_eq!(follows(&before, &now, "host_cpu_busy_ratio", &[]), None);
    // What follows from one reading alone is there.
    assert!(close(follows(&before, &now, "host_memory_used_ratio", &[]), 0.65));
}

/// One missing sample may be bridged, a night may not.
#[test]
fn an_interval_longer_than_twice_its_schedule_has_no_rate() {
    for (late, known) in [(0, true), (60, true), (72, false), (14 * 3600, false)] {
        let mut host = Host::new();
        let before = host.read();
        host.work();
        host.wait(late);
        let now = host.read();
        for (metric, labels) in [("host_forks_per_second", &[][..]), ("host_disk_busy_ratio", &["sda"])] {
            assert_eq!(follows(&before, &now, metric, labels).is_some(), known, "{metric} {late} s late");
        }
        let busy = follows(&before, &now, "host_cpu_busy_ratio", &[]);
        assert_eq!(busy.is_some(), known, "{late} s late: {busy:?}");
    }
}

/// A clock that was set: time does not run backwards, and a rate over nothing is none.
#[test]
fn readings_of_the_same_instant_or_an_earlier_one_have_no_rate() {
    for back in [60, 3600] {
        let mut host = Host::new();
        let before = host.read();
        host.work();
        host.wait(-back);
        let now = host.read();
        assert_eq!(follows(&before, &now, "host_forks_per_second", &[]), None);
        assert_eq!(follows(&before, &now, "host_cpu_busy_ratio", &[]), None);
    }
}

/// procfs 94: a count of tasks that was below zero for a moment, printed as an unsigned number.
#[test]
fn a_negative_count_printed_unsigned_is_missing() {
    let (_, now) = minute(|host| host.edit("proc/stat", "procs_blocked 0", "procs_blocked 18446744073709551615"));
    assert_eq!(now.value("host_tasks_blocked", &[]), None);
    assert_eq!(now.value("host_tasks_running", &[]), Some(2.0));
}
