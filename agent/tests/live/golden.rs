//! The whole of `/metrics` for the fixture host: a change of any metric is a difference to be read here.

use std::sync::Arc;

use weekline::publish;
use weekline::run::{Board, Held, Pair};
use weekline::snapshot::Snapshot;

use super::host::{Host, close, follows, minute};

fn exposition(before: Option<Snapshot>, now: Snapshot) -> String {
    let pair = Pair { before: before.map(Arc::new), now: Arc::new(now), held: Held::new() };
    publish::sample(&Board { pairs: [(String::new(), Arc::new(pair))].into(), ..Board::default() }).unwrap()
}

/// Sizes of file systems are those of the machine the test runs on; which there are is the fixture's.
/// A file system without a fixed number of inodes has no such row, and what is full differs: both are left to the unit tests.
fn without_sizes(text: &str) -> String {
    let machine_s = ["host_filesystem_files", "host_filesystem_used_ratio"];
    let kept = text.lines().filter(|line| !machine_s.iter().any(|name| line.contains(name)));
    let lines = kept.map(|line| match line.rsplit_once(' ') {
        Some((series, _)) if series.starts_with("host_filesystem_") => format!("{series} [of this machine]\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn the_exposition_of_the_fixture_host() {
    let (before, now) = minute(|_| {});
    insta::assert_snapshot!(without_sizes(&exposition(Some(before), now)));
}

#[test]
fn the_first_sample_has_nothing_that_follows() {
    let text = exposition(None, Host::new().read());
    assert!(text.contains("host_cpu_seconds_total"));
    let derived = weekline::catalog::metrics().filter(|metric| metric.found.is_empty());
    let shown: Vec<_> = derived.filter(|metric| text.contains(metric.name)).map(|metric| metric.name).collect();
    assert_eq!(shown, [""; 0]);
    assert!(!text.contains("_per_second"));
}

/// What follows from the fixture's two states, worked out by hand from the difference of the files.
#[test]
fn what_follows_is_what_the_files_say() {
    let (before, now) = minute(|_| {});
    let table: [(&str, &[&str], f64); 39] = [
        // Growth of the `cpu` line in ticks: 3000 user, 60 nice, 900 system, 7200 idle, 480 iowait, 0 irq, 120 softirq,
        // 240 steal; together 12000, which is 2 processors x 60 s x 100. Guest time, 600, is inside user.
        ("host_cpu_mode_ratio", &["user"], 0.25),
        ("host_cpu_mode_ratio", &["nice"], 0.005),
        ("host_cpu_mode_ratio", &["system"], 0.075),
        ("host_cpu_mode_ratio", &["idle"], 0.6),
        ("host_cpu_mode_ratio", &["iowait"], 0.04),
        ("host_cpu_mode_ratio", &["irq"], 0.0),
        ("host_cpu_mode_ratio", &["softirq"], 0.01),
        ("host_cpu_mode_ratio", &["steal"], 0.02),
        ("host_cpu_idle_ratio", &[], 0.66),
        ("host_cpu_busy_ratio", &[], 0.34),
        ("host_cpu_cores_used", &[], 0.68),
        ("host_cpu_user_ratio", &[], 0.255),
        ("host_cpu_system_ratio", &[], 0.085),
        ("host_cpu_iowait_ratio", &[], 0.04),
        ("host_cpu_steal_ratio", &[], 0.02),
        // 264000, 150000 and 90 in 60 s.
        ("host_context_switches_per_second", &[], 4400.0),
        ("host_interrupts_per_second", &[], 2500.0),
        ("host_forks_per_second", &[], 1.5),
        // 1 - 2800000 / 8000000; no swap in use; 12000 and 30000 KiB and 30 faults in 60 s.
        ("host_memory_used_ratio", &[], 0.65),
        ("host_swap_used_bytes", &[], 0.0),
        ("host_swap_in_bytes_per_second", &[], 0.0),
        ("host_swap_out_bytes_per_second", &[], 0.0),
        ("host_paged_in_bytes_per_second", &[], 204_800.0),
        ("host_paged_out_bytes_per_second", &[], 512_000.0),
        ("host_major_faults_per_second", &[], 0.5),
        // sda: busy 15000 ms of 60000; 1200 reads in 6000 ms and 1800 writes in 21000 ms; 24000 and 60000 sectors of 512 bytes.
        ("host_disk_busy_ratio", &["sda"], 0.25),
        ("host_disk_latency_seconds", &["sda"], 0.009),
        ("host_disk_operations_per_second", &["sda"], 50.0),
        ("host_disk_read_bytes_per_second", &["sda"], 204_800.0),
        ("host_disk_written_bytes_per_second", &["sda"], 512_000.0),
        ("host_disk_busy_ratio", &["nvme0n1"], 0.0),
        ("host_disk_operations_per_second", &["nvme0n1"], 0.0),
        // 6000000 and 3000000 bytes in 60 s.
        ("host_network_receive_bytes_per_second", &["eth0"], 100_000.0),
        ("host_network_transmit_bytes_per_second", &["eth0"], 50_000.0),
        // 1.2, 3.0 and 1.8 s in 60 s.
        ("host_pressure_ratio", &["cpu", "some"], 0.02),
        ("host_pressure_ratio", &["io", "some"], 0.05),
        ("host_pressure_ratio", &["io", "full"], 0.03),
        ("host_pressure_ratio", &["memory", "full"], 0.0),
        // Held back in 30 of 600 periods.
        ("host_cgroup_cpu_throttled_ratio", &[], 0.05),
    ];
    for (metric, labels, expected) in table {
        let value = follows(&before, &now, metric, labels);
        assert!(close(value, expected), "{metric}{labels:?}: {value:?} instead of {expected}");
    }
    // Every derived row of the host is in the table; the one of file systems depends on the machine of the test.
    for metric in weekline::catalog::metrics().filter(|metric| metric.derive.is_some() && metric.name.starts_with("host_")) {
        let listed = table.iter().any(|(name, ..)| *name == metric.name);
        assert!(listed || metric.name == "host_filesystem_used_ratio", "{} is not worked out by hand", metric.name);
    }
    // A disk without requests has no latency.
    assert_eq!(follows(&before, &now, "host_disk_latency_seconds", &["nvme0n1"]), None);
}

#[test]
fn swap_is_counted_in_the_machine_s_own_pages() {
    let mut host = Host::with(|host| {
        host.edit("proc/meminfo", "SwapFree:        2000000", "SwapFree:        1990000");
        host.edit("proc/vmstat", "pswpin 0\npswpout 0", "pswpin 1000\npswpout 4000");
    });
    let before = host.read();
    host.edit("proc/vmstat", "pswpin 1000\npswpout 4000", "pswpin 1060\npswpout 4600");
    let now = host.read();
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).unwrap().unwrap() as f64;
    assert_eq!(before.value("host_swap_out_bytes_total", &[]), Some(4000.0 * page));
    // 60 and 600 pages in 60 s; 10000 KiB in use.
    assert!(close(follows(&before, &now, "host_swap_in_bytes_per_second", &[]), page));
    assert!(close(follows(&before, &now, "host_swap_out_bytes_per_second", &[]), 10.0 * page));
    assert!(close(follows(&before, &now, "host_swap_used_bytes", &[]), 10_240_000.0));
}
