//! Disks and network devices that come, go, change places and wrap.

use std::os::unix::fs::symlink;

use weekline::snapshot::Snapshot;

use super::host::{Host, close, follows, minute};

const SDA: &str =
    "   8       0 sda 90000 1200 8000000 410000 200000 95000 16000000 1900000 2 700000 2350000 0 0 0 0 31000 40000\n";
const SDA_LATER: &str =
    "   8       0 sda 91200 1210 8024000 416000 201800 95700 16060000 1921000 0 715000 2377000 0 0 0 0 31200 40300\n";

fn devices(snapshot: &Snapshot, metric: &str) -> Vec<String> {
    let of = snapshot.readings.iter().filter(|reading| reading.metric.name == metric);
    of.map(|reading| reading.labels.get(0).unwrap().to_owned()).collect()
}

/// Layers lie on disks: a sum over the rows of disks counts every byte once.
#[test]
fn partitions_and_layers_are_kept_apart_from_whole_disks() {
    let snapshot = Host::new().read();
    assert_eq!(devices(&snapshot, "host_disk_read_bytes_total"), ["sda", "nvme0n1"]);
    assert_eq!(devices(&snapshot, "host_volume_read_bytes_total"), ["loop0", "sda1", "dm-0", "md0", "nvme0n1p1"]);
    let of_disks = snapshot.readings.iter().filter(|reading| reading.metric.name == "host_disk_read_bytes_total");
    assert_eq!(of_disks.map(|reading| reading.value).sum::<f64>(), (8_000_000.0 + 160_000.0) * 512.0);
}

#[test]
fn layers_of_other_kinds_are_no_disks() {
    let mut host = Host::new();
    for name in ["drbd0", "bcache0", "zd0", "zram0", "md127"] {
        host.set(&format!("sys/block/{name}/diskseq"), "77\n");
        host.set("proc/diskstats", host.text("proc/diskstats") + &SDA.replace("sda", name));
    }
    assert_eq!(devices(&host.read(), "host_disk_reads_total"), ["sda", "nvme0n1"]);
}

#[test]
fn a_device_that_was_never_used_is_left_out() {
    let snapshot = Host::new().read();
    let named = |name: &str| snapshot.readings.iter().any(|reading| reading.labels.values().any(|value| value == name));
    assert!(named("loop0") && named("eth0"));
    assert!(!named("ram0") && !named("eth1") && !named("lo"));
}

/// node_exporter 1839 and 584: the same name may be another disk.
#[test]
fn another_disk_under_the_same_name_begins_anew() {
    let (before, now) = minute(|host| host.set("sys/block/sda/diskseq", "17\n"));
    assert!(now.breaks_from(&before));
}

#[test]
fn an_old_kernel_tells_disks_apart_by_what_they_have() {
    let mut host = Host::with(|host| {
        host.remove("sys/block/sda/diskseq");
        host.remove("sys/block/nvme0n1/diskseq");
        host.set("sys/block/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
        host.set("sys/block/nvme0n1/size", "1000\n");
    });
    let before = host.read();
    assert_eq!(devices(&before, "host_disk_reads_total"), ["sda", "nvme0n1"]);
    let told: Vec<&str> = before.facts.iter().filter(|fact| fact.row.name == "disk").map(|fact| fact.text.as_str()).collect();
    assert_eq!(told, ["naa.5000c500a1b2c3d4"]);
    host.set("sys/block/sda/device/wwid", "naa.5000c500ffffffff\n");
    assert!(host.read().breaks_from(&before));
}

/// Garbage where a disk's identity stood, or the identity of another one under way.
#[test]
fn a_disk_whose_identity_cannot_be_read_costs_only_itself() {
    let mut host = Host::new();
    let before = host.read();
    host.set("sys/block/sda/diskseq", [0xff, 0xfe]);
    let now = host.read();
    assert_eq!(devices(&now, "host_disk_reads_total"), ["nvme0n1"]);
    assert_eq!(devices(&now, "host_volume_reads_total"), devices(&before, "host_volume_reads_total"));
    assert!(host.health("disks").error.as_deref().is_some_and(|error| error.contains("sda/diskseq")), "{:?}", host.errors());
    host.set("sys/block/sda/diskseq", "9\n");
    assert_eq!(devices(&host.read(), "host_disk_reads_total"), ["sda", "nvme0n1"]);
    assert_eq!(host.errors(), [""; 0]);
}

/// The file may be there and refuse every reader, as a process's memory does at 0.
#[test]
fn an_identity_that_cannot_be_read_from_the_beginning_is_passed_over() {
    let mut host = Host::with(|host| {
        host.remove("sys/block/sda/diskseq");
        symlink("/proc/self/mem", host.path("sys/block/sda/wwid")).unwrap();
        host.set("sys/block/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
    });
    let snapshot = host.read();
    assert_eq!(devices(&snapshot, "host_disk_reads_total"), ["sda", "nvme0n1"]);
    assert!(snapshot.facts.iter().any(|fact| fact.text == "naa.5000c500a1b2c3d4"));
    assert_eq!(host.errors(), [""; 0]);
}

/// Each container's would be a series of its own that nobody ever continues.
#[test]
fn the_ends_of_cables_to_containers_are_left_out() {
    let mut host = Host::new();
    let eth0 = host.text("proc/net/dev").lines().find(|line| line.contains("eth0")).unwrap().to_owned();
    let more: String = ["veth1a2b3c4", "docker0", "br-5d6e"].iter().map(|name| eth0.replace("eth0", name) + "\n").collect();
    host.set("proc/net/dev", host.text("proc/net/dev") + &more);
    assert_eq!(devices(&host.read(), "host_network_receive_bytes_total"), ["eth0", "enp0s20f0u1u4", "docker0", "br-5d6e"]);
}

#[test]
fn a_disk_that_is_plugged_in_breaks_nothing_and_has_no_rate_at_first() {
    let sdb = |line: &str| line.replace("8       0 sda", "8      16 sdb");
    let mut host = Host::new();
    let first = host.read();
    host.set("sys/block/sdb/diskseq", "18\n");
    host.set("proc/diskstats", host.text("proc/diskstats") + &sdb(SDA));
    let second = host.read();
    host.edit("proc/diskstats", &sdb(SDA), &sdb(SDA_LATER));
    let third = host.read();
    assert!(!second.breaks_from(&first) && !third.breaks_from(&second));
    assert_eq!(second.value("host_disk_reads_total", &["sdb"]), Some(90_000.0));
    assert_eq!(follows(&first, &second, "host_disk_operations_per_second", &["sdb"]), None);
    assert_eq!(follows(&first, &second, "host_disk_latency_seconds", &["sdb"]), None);
    assert!(close(follows(&first, &second, "host_disk_operations_per_second", &["sda"]), 0.0));
    assert!(close(follows(&second, &third, "host_disk_operations_per_second", &["sdb"]), 50.0));
}

#[test]
fn a_disk_that_is_pulled_out_is_gone_and_breaks_nothing() {
    let (before, now) = minute(|host| {
        host.edit("proc/diskstats", SDA_LATER, "");
        host.remove("sys/block/sda");
    });
    assert!(!now.breaks_from(&before));
    assert_eq!(now.value("host_disk_reads_total", &["sda"]), None);
    assert_eq!(follows(&before, &now, "host_disk_operations_per_second", &["sda"]), None);
    assert!(close(follows(&before, &now, "host_disk_operations_per_second", &["nvme0n1"]), 0.0));
}

/// windows_exporter 1299: counters of milliseconds are 32 bits wide in older kernels and wrap after 49 days of work.
#[test]
fn a_counter_that_wraps_leaves_a_gap_and_never_a_huge_number() {
    let mut host = Host::new();
    host.edit("proc/diskstats", SDA, &SDA.replace(" 700000 ", " 4294960000 "));
    let before = host.read();
    host.work();
    host.edit("proc/diskstats", SDA_LATER, &SDA_LATER.replace(" 715000 ", " 7704 "));
    let now = host.read();
    assert_eq!(follows(&before, &now, "host_disk_busy_ratio", &["sda"]), None);
    assert_eq!(now.falls_from(&before).map(|fall| fall.metric.name).collect::<Vec<_>>(), ["host_disk_busy_seconds_total"]);
    assert!(close(follows(&before, &now, "host_disk_latency_seconds", &["sda"]), 0.009));
}

/// Where one part of a quotient wrapped, half a latency would be a wrong one.
#[test]
fn a_latency_of_which_one_part_wrapped_is_missing() {
    let (before, now) = minute(|host| host.edit("proc/diskstats", SDA_LATER, &SDA_LATER.replace(" 1921000 ", " 12 ")));
    assert_eq!(follows(&before, &now, "host_disk_latency_seconds", &["sda"]), None);
    assert!(close(follows(&before, &now, "host_disk_busy_ratio", &["sda"]), 0.25));
}

/// 11 columns after the name until Linux 4.18, then 15 with discards, 17 with flushes since 5.5; four of a partition before 2.6.25.
#[test]
fn lines_of_every_kernel_are_read_and_short_ones_are_not() {
    for (columns, known) in [(17, true), (15, true), (11, true), (10, false), (4, false), (0, false)] {
        let line: Vec<&str> = SDA.split_whitespace().take(3 + columns).collect();
        let mut host = Host::new();
        host.edit("proc/diskstats", SDA, &format!("{}\n", line.join(" ")));
        let snapshot = host.read();
        assert_eq!(snapshot.value("host_disk_weighted_seconds_total", &["sda"]), known.then_some(2350.0), "{columns}");
        assert_eq!(snapshot.value("host_disk_reads_total", &["sda"]), known.then_some(90_000.0), "{columns}");
        assert!(snapshot.value("host_disk_reads_total", &["nvme0n1"]).is_some());
        assert_eq!(host.errors(), [""; 0]);
    }
}

#[test]
fn a_long_name_glued_to_its_first_number_is_read() {
    let snapshot = Host::new().read();
    assert_eq!(snapshot.value("host_network_receive_bytes_total", &["enp0s20f0u1u4"]), Some(123_456_789.0));
    assert_eq!(snapshot.value("host_network_transmit_bytes_total", &["enp0s20f0u1u4"]), Some(23_456_789.0));
}

#[test]
fn a_network_device_that_disappears_takes_only_its_rows_along() {
    let (before, now) = minute(|host| {
        let dev = host.text("proc/net/dev");
        let kept: Vec<&str> = dev.lines().filter(|line| !line.contains("eth0")).collect();
        host.set("proc/net/dev", kept.join("\n") + "\n");
    });
    assert!(!now.breaks_from(&before));
    assert_eq!(devices(&now, "host_network_receive_bytes_total"), ["enp0s20f0u1u4"]);
    assert_eq!(follows(&before, &now, "host_network_receive_bytes_per_second", &["eth0"]), None);
    assert!(close(follows(&before, &now, "host_network_transmit_bytes_per_second", &["enp0s20f0u1u4"]), 500.0));
}

/// A device that went down and up counts from zero again.
#[test]
fn a_network_device_that_counts_anew_leaves_a_gap() {
    let (before, now) = minute(|host| host.edit("proc/net/dev", "886000000", "12000"));
    assert_eq!(follows(&before, &now, "host_network_receive_bytes_per_second", &["eth0"]), None);
    assert!(close(follows(&before, &now, "host_network_transmit_bytes_per_second", &["eth0"]), 50_000.0));
}
