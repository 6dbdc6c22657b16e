//! Rows of the operating system.
//!
//! Sources: proc(5), the kernel's `Documentation/admin-guide/iostats.rst`, `Documentation/accounting/psi.rst` and
//! `Documentation/admin-guide/cgroup-v2.rst`; vmstat(8), sar(1) and sadf(1) for the columns of files.

use super::Better::{Higher, Lower};
use super::{Derive, FactRow, Found, LeftOut, Metric, Place, Unit, at, counter, gauge};

/// The kernel's accounting ticks in a second (USER_HZ): proc(5), the same on every architecture Rust runs Linux on.
const TICKS: f64 = 100.0;
const KIB: f64 = 1024.0;
const MILLI: f64 = 1e3;
const MICRO: f64 = 1e6;
const PERCENT: f64 = 100.0;
/// Unit of the sector counts in `/proc/diskstats`, whatever the disk's own sector size (iostats.rst).
const SECTOR: f64 = 512.0;

const fn tick(place: Place, field: &'static str, mode: &'static [&'static str]) -> Found {
    at(place, field).labelled(mode).per(TICKS)
}

const fn percent(place: Place, field: &'static str, mode: &'static [&'static str]) -> Found {
    at(place, field).labelled(mode).per(PERCENT)
}

pub(super) const CPU: &[Metric] = &[
    counter(
        "host_cpu_seconds_total",
        Unit::Seconds,
        "CPU time of all processors by mode since boot; guest time is inside user and nice.",
    )
    .labels(&["mode"])
    .found(&[
        tick(Place::ProcStat, "user", &["user"]),
        tick(Place::ProcStat, "nice", &["nice"]),
        tick(Place::ProcStat, "system", &["system"]),
        tick(Place::ProcStat, "idle", &["idle"]),
        tick(Place::ProcStat, "iowait", &["iowait"]),
        tick(Place::ProcStat, "irq", &["irq"]),
        tick(Place::ProcStat, "softirq", &["softirq"]),
        tick(Place::ProcStat, "steal", &["steal"]),
    ]),
    counter(
        "host_cpu_guest_seconds_total",
        Unit::Seconds,
        "CPU time given to virtual machines since boot; already counted in user and nice.",
    )
    .labels(&["mode"])
    .found(&[tick(Place::ProcStat, "guest", &["user"]), tick(Place::ProcStat, "guest_nice", &["nice"])]),
    counter(
        "host_cpu_core_seconds_total",
        Unit::Seconds,
        "CPU time of one processor by mode since boot; guest time is inside user and nice.",
    )
    .labels(&["mode", "cpu"])
    .found(&[
        tick(Place::ProcStatCpu, "user", &["user"]),
        tick(Place::ProcStatCpu, "nice", &["nice"]),
        tick(Place::ProcStatCpu, "system", &["system"]),
        tick(Place::ProcStatCpu, "idle", &["idle"]),
        tick(Place::ProcStatCpu, "iowait", &["iowait"]),
        tick(Place::ProcStatCpu, "irq", &["irq"]),
        tick(Place::ProcStatCpu, "softirq", &["softirq"]),
        tick(Place::ProcStatCpu, "steal", &["steal"]),
    ]),
    gauge("host_cpus", Unit::Count, "Processors that are online.")
        .found(&[at(Place::ProcStat, "cpus"), at(Place::Sysinfo, "cpus")]),
    gauge("host_cpu_mode_ratio", Unit::Ratio, "Share of the CPU time of all processors spent in each mode.")
        .labels(&["mode"])
        .found(&[
            percent(Place::Vmstat, "us", &["user"]),
            percent(Place::Vmstat, "sy", &["system"]),
            percent(Place::Vmstat, "id", &["idle"]),
            percent(Place::Vmstat, "wa", &["iowait"]),
            percent(Place::Vmstat, "st", &["steal"]),
            percent(Place::Vmstat, "gu", &["guest"]),
            percent(Place::Sar, "%user", &["user"]),
            percent(Place::Sar, "%usr", &["user"]),
            percent(Place::Sar, "%nice", &["nice"]),
            percent(Place::Sar, "%system", &["system"]),
            percent(Place::Sar, "%sys", &["system"]),
            percent(Place::Sar, "%iowait", &["iowait"]),
            percent(Place::Sar, "%steal", &["steal"]),
            percent(Place::Sar, "%irq", &["irq"]),
            percent(Place::Sar, "%soft", &["softirq"]),
            percent(Place::Sar, "%guest", &["guest"]),
            percent(Place::Sar, "%gnice", &["guest_nice"]),
            percent(Place::Sar, "%idle", &["idle"]),
        ])
        .derived(Derive::Shares { of: "host_cpu_seconds_total", over: "mode", capacity: "host_cpus" }),
    // Busy is what the software asked for: waiting for a disk is not work, and stolen time is the hypervisor's.
    gauge(
        "host_cpu_idle_ratio",
        Unit::Ratio,
        "Share of CPU time without work: idle, waiting for I/O, or taken by the hypervisor.",
    )
    .better(Higher)
    .derived(Derive::Sum {
        of: "host_cpu_mode_ratio",
        over: "mode",
        values: &["idle", "iowait", "steal"],
        optional: &["iowait", "steal"],
    }),
    gauge(
        "host_cpu_busy_ratio",
        Unit::Ratio,
        "Share of CPU time spent working: 1 - idle - iowait - steal, from one reading of all modes.",
    )
    .better(Lower)
    .found(&[percent(Place::Sysinfo, "cpu_usage", &[])])
    .derived(Derive::OneMinus("host_cpu_idle_ratio")),
    gauge("host_cpu_user_ratio", Unit::Ratio, "Share of CPU time in user mode: user and nice.").better(Lower).derived(
        Derive::Sum {
            of: "host_cpu_mode_ratio",
            over: "mode",
            values: &["user", "nice", "guest", "guest_nice"],
            optional: &["nice", "guest", "guest_nice"],
        },
    ),
    gauge("host_cpu_system_ratio", Unit::Ratio, "Share of CPU time in the kernel: system, irq and softirq.")
        .better(Lower)
        .derived(Derive::Sum {
            of: "host_cpu_mode_ratio",
            over: "mode",
            values: &["system", "irq", "softirq"],
            optional: &["irq", "softirq"],
        }),
    gauge("host_cpu_iowait_ratio", Unit::Ratio, "Share of CPU time idle while a disk request was pending.")
        .better(Lower)
        .derived(Derive::Sum { of: "host_cpu_mode_ratio", over: "mode", values: &["iowait"], optional: &[] }),
    gauge(
        "host_cpu_steal_ratio",
        Unit::Ratio,
        "Share of CPU time the hypervisor gave to others while this machine wanted to run.",
    )
    .better(Lower)
    .derived(Derive::Sum { of: "host_cpu_mode_ratio", over: "mode", values: &["steal"], optional: &[] }),
    gauge("host_cpu_cores_used", Unit::Cores, "Processors kept busy: the busy share times the processors online.")
        .better(Lower)
        .derived(Derive::Product("host_cpu_busy_ratio", "host_cpus")),
    gauge("host_load1", Unit::Count, "Load average over one minute.").better(Lower).found(&[
        at(Place::ProcLoadavg, "1"),
        at(Place::Sar, "ldavg-1"),
        at(Place::Sysinfo, "load1"),
    ]),
    gauge("host_load5", Unit::Count, "Load average over five minutes.").better(Lower).found(&[
        at(Place::ProcLoadavg, "5"),
        at(Place::Sar, "ldavg-5"),
        at(Place::Sysinfo, "load5"),
    ]),
    gauge("host_load15", Unit::Count, "Load average over fifteen minutes.").better(Lower).found(&[
        at(Place::ProcLoadavg, "15"),
        at(Place::Sar, "ldavg-15"),
        at(Place::Sysinfo, "load15"),
    ]),
    gauge("host_tasks_running", Unit::Count, "Tasks running or waiting for a processor: the run queue.")
        .better(Lower)
        .found(&[at(Place::ProcStat, "procs_running"), at(Place::Vmstat, "r")]),
    gauge("host_tasks_blocked", Unit::Count, "Tasks blocked waiting for I/O.").better(Lower).found(&[
        at(Place::ProcStat, "procs_blocked"),
        at(Place::Vmstat, "b"),
        at(Place::Sar, "blocked"),
    ]),
    counter("host_context_switches_total", Unit::Count, "Context switches since boot.").found(&[at(Place::ProcStat, "ctxt")]),
    gauge("host_context_switches_per_second", Unit::PerSecond, "Context switches per second.")
        .better(Lower)
        .found(&[at(Place::Vmstat, "cs"), at(Place::Sar, "cswch/s")])
        .derived(Derive::Rate(&["host_context_switches_total"])),
    counter("host_interrupts_total", Unit::Count, "Interrupts served since boot.").found(&[at(Place::ProcStat, "intr")]),
    gauge("host_interrupts_per_second", Unit::PerSecond, "Interrupts per second.")
        .better(Lower)
        .found(&[at(Place::Vmstat, "in")])
        .derived(Derive::Rate(&["host_interrupts_total"])),
    counter("host_forks_total", Unit::Count, "Processes and threads created since boot.")
        .found(&[at(Place::ProcStat, "processes")]),
    gauge("host_forks_per_second", Unit::PerSecond, "Processes and threads created per second.")
        .found(&[at(Place::Sar, "proc/s")])
        .derived(Derive::Rate(&["host_forks_total"])),
    gauge("host_boot_timestamp_seconds", Unit::Timestamp, "When the system booted.")
        .found(&[at(Place::ProcStat, "btime"), at(Place::Sysinfo, "boot_time")]),
];

pub(super) const MEMORY: &[Metric] = &[
    gauge("host_memory_total_bytes", Unit::Bytes, "Usable memory.")
        .found(&[at(Place::ProcMeminfo, "MemTotal").times(KIB), at(Place::Sysinfo, "memory_total")]),
    gauge(
        "host_memory_available_bytes",
        Unit::Bytes,
        "Memory that new work could get without swapping, as the kernel estimates it.",
    )
    .better(Higher)
    .found(&[
        at(Place::ProcMeminfo, "MemAvailable").times(KIB),
        at(Place::Sar, "kbavail").times(KIB),
        at(Place::Sysinfo, "memory_available"),
    ]),
    gauge("host_memory_free_bytes", Unit::Bytes, "Memory nobody uses, not even as cache; low is normal.").found(&[
        at(Place::ProcMeminfo, "MemFree").times(KIB),
        at(Place::Vmstat, "free").times(KIB),
        at(Place::Sar, "kbmemfree").times(KIB),
    ]),
    gauge("host_memory_cached_bytes", Unit::Bytes, "Page cache without swap cache and buffers.")
        .found(&[at(Place::ProcMeminfo, "Cached").times(KIB), at(Place::Sar, "kbcached").times(KIB)]),
    gauge("host_memory_buffers_bytes", Unit::Bytes, "Buffers of raw block devices.").found(&[
        at(Place::ProcMeminfo, "Buffers").times(KIB),
        at(Place::Vmstat, "buff").times(KIB),
        at(Place::Sar, "kbbuffers").times(KIB),
    ]),
    gauge("host_memory_dirty_bytes", Unit::Bytes, "Memory waiting to be written to disk.")
        .found(&[at(Place::ProcMeminfo, "Dirty").times(KIB), at(Place::Sar, "kbdirty").times(KIB)]),
    gauge("host_memory_used_ratio", Unit::Ratio, "Share of memory that new work could not get: 1 - available / total.")
        .better(Lower)
        .derived(Derive::Remaining { part: "host_memory_available_bytes", whole: "host_memory_total_bytes" }),
    gauge("host_swap_total_bytes", Unit::Bytes, "Swap space.")
        .found(&[at(Place::ProcMeminfo, "SwapTotal").times(KIB), at(Place::Sysinfo, "swap_total")]),
    gauge("host_swap_free_bytes", Unit::Bytes, "Swap space not in use.").found(&[
        at(Place::ProcMeminfo, "SwapFree").times(KIB),
        at(Place::Sar, "kbswpfree").times(KIB),
        at(Place::Sysinfo, "swap_free"),
    ]),
    gauge("host_swap_used_bytes", Unit::Bytes, "Swap space in use.")
        .better(Lower)
        .found(&[at(Place::Vmstat, "swpd").times(KIB), at(Place::Sar, "kbswpused").times(KIB)])
        .derived(Derive::Difference { from: "host_swap_total_bytes", less: "host_swap_free_bytes" }),
    counter(
        "host_paged_in_bytes_total",
        Unit::Bytes,
        "Bytes read from block devices since boot, by file systems and swap alike.",
    )
    .found(&[at(Place::ProcVmstat, "pgpgin").times(KIB)]),
    counter(
        "host_paged_out_bytes_total",
        Unit::Bytes,
        "Bytes written to block devices since boot, by file systems and swap alike.",
    )
    .found(&[at(Place::ProcVmstat, "pgpgout").times(KIB)]),
    gauge("host_paged_in_bytes_per_second", Unit::BytesPerSecond, "Bytes read from block devices per second.")
        .found(&[at(Place::Vmstat, "bi").times(KIB), at(Place::Sar, "pgpgin/s").times(KIB)])
        .derived(Derive::Rate(&["host_paged_in_bytes_total"])),
    gauge("host_paged_out_bytes_per_second", Unit::BytesPerSecond, "Bytes written to block devices per second.")
        .found(&[at(Place::Vmstat, "bo").times(KIB), at(Place::Sar, "pgpgout/s").times(KIB)])
        .derived(Derive::Rate(&["host_paged_out_bytes_total"])),
    // The kernel counts pages; only the reader knows how large this machine's pages are, and gives bytes.
    counter("host_swap_in_bytes_total", Unit::Bytes, "Bytes swapped in from disk since boot.")
        .found(&[at(Place::ProcVmstat, "pswpin")]),
    counter("host_swap_out_bytes_total", Unit::Bytes, "Bytes swapped out to disk since boot.")
        .found(&[at(Place::ProcVmstat, "pswpout")]),
    gauge("host_swap_in_bytes_per_second", Unit::BytesPerSecond, "Bytes swapped in per second: the sign of too little memory.")
        .better(Lower)
        .found(&[at(Place::Vmstat, "si").times(KIB)])
        .derived(Derive::Rate(&["host_swap_in_bytes_total"])),
    gauge("host_swap_out_bytes_per_second", Unit::BytesPerSecond, "Bytes swapped out per second: the sign of too little memory.")
        .better(Lower)
        .found(&[at(Place::Vmstat, "so").times(KIB)])
        .derived(Derive::Rate(&["host_swap_out_bytes_total"])),
    counter("host_major_faults_total", Unit::Count, "Page faults since boot that had to wait for a disk.")
        .found(&[at(Place::ProcVmstat, "pgmajfault")]),
    gauge("host_major_faults_per_second", Unit::PerSecond, "Page faults per second that had to wait for a disk.")
        .better(Lower)
        .found(&[at(Place::Sar, "majflt/s")])
        .derived(Derive::Rate(&["host_major_faults_total"])),
];

const DEVICE: &[&str] = &["device"];

pub(super) const DISK: &[Metric] = &[
    counter("host_disk_reads_total", Unit::Count, "Reads completed by a whole disk since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "reads")]),
    counter("host_disk_writes_total", Unit::Count, "Writes completed by a whole disk since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "writes")]),
    counter("host_disk_read_bytes_total", Unit::Bytes, "Bytes read from a whole disk since boot.").labels(DEVICE).found(&[at(
        Place::ProcDiskstats,
        "sectors_read",
    )
    .times(SECTOR)]),
    counter("host_disk_written_bytes_total", Unit::Bytes, "Bytes written to a whole disk since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "sectors_written").times(SECTOR)]),
    counter("host_disk_read_seconds_total", Unit::Seconds, "Time all reads of a whole disk took since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "ms_reading").per(MILLI)]),
    counter("host_disk_write_seconds_total", Unit::Seconds, "Time all writes of a whole disk took since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "ms_writing").per(MILLI)]),
    counter("host_disk_busy_seconds_total", Unit::Seconds, "Time a whole disk had at least one request in flight since boot.")
        .labels(DEVICE)
        .found(&[at(Place::ProcDiskstats, "ms_busy").per(MILLI)]),
    counter(
        "host_disk_weighted_seconds_total",
        Unit::Seconds,
        "Time of a whole disk weighted by its requests in flight since boot.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstats, "ms_weighted").per(MILLI)]),
    gauge(
        "host_disk_busy_ratio",
        Unit::Ratio,
        "Share of time a whole disk had at least one request in flight; on SSDs and SANs this is not saturation.",
    )
    .labels(DEVICE)
    .better(Lower)
    .found(&[percent(Place::SarDisk, "%util", &[])])
    .derived(Derive::Rate(&["host_disk_busy_seconds_total"])),
    gauge("host_disk_latency_seconds", Unit::Seconds, "Mean time a request to a whole disk took, reads and writes together.")
        .labels(DEVICE)
        .better(Lower)
        .found(&[at(Place::SarDisk, "await").per(MILLI)])
        .derived(Derive::Quotient {
            parts: &["host_disk_read_seconds_total", "host_disk_write_seconds_total"],
            whole: &["host_disk_reads_total", "host_disk_writes_total"],
        }),
    gauge("host_disk_operations_per_second", Unit::PerSecond, "Reads and writes completed by a whole disk per second.")
        .labels(DEVICE)
        .derived(Derive::Rate(&["host_disk_reads_total", "host_disk_writes_total"])),
    gauge("host_disk_read_bytes_per_second", Unit::BytesPerSecond, "Bytes read from a whole disk per second.")
        .labels(DEVICE)
        .found(&[at(Place::SarDisk, "rkB/s").times(KIB), at(Place::SarDisk, "rd_sec/s").times(SECTOR)])
        .derived(Derive::Rate(&["host_disk_read_bytes_total"])),
    gauge("host_disk_written_bytes_per_second", Unit::BytesPerSecond, "Bytes written to a whole disk per second.")
        .labels(DEVICE)
        .found(&[at(Place::SarDisk, "wkB/s").times(KIB), at(Place::SarDisk, "wr_sec/s").times(SECTOR)])
        .derived(Derive::Rate(&["host_disk_written_bytes_total"])),
    // Partitions, device-mapper, md and loop devices lie on whole disks: their own rows, so that a sum over a row never counts a byte twice.
    counter(
        "host_volume_reads_total",
        Unit::Count,
        "Reads completed by a partition, device-mapper, md or loop device since boot; contained in its disks.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstatsVolume, "reads")]),
    counter(
        "host_volume_writes_total",
        Unit::Count,
        "Writes completed by a partition, device-mapper, md or loop device since boot; contained in its disks.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstatsVolume, "writes")]),
    counter(
        "host_volume_read_bytes_total",
        Unit::Bytes,
        "Bytes read from a partition, device-mapper, md or loop device since boot; contained in its disks.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstatsVolume, "sectors_read").times(SECTOR)]),
    counter(
        "host_volume_written_bytes_total",
        Unit::Bytes,
        "Bytes written to a partition, device-mapper, md or loop device since boot; contained in its disks.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstatsVolume, "sectors_written").times(SECTOR)]),
    counter(
        "host_volume_busy_seconds_total",
        Unit::Seconds,
        "Time a partition, device-mapper, md or loop device had a request in flight since boot.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcDiskstatsVolume, "ms_busy").per(MILLI)]),
];

const MOUNT: &[&str] = &["mountpoint", "fstype"];

pub(super) const FILE_SYSTEM: &[Metric] = &[
    gauge("host_filesystem_size_bytes", Unit::Bytes, "Size of a file system.")
        .labels(MOUNT)
        .found(&[at(Place::Statvfs, "size"), at(Place::Sysinfo, "disk_size")]),
    gauge("host_filesystem_available_bytes", Unit::Bytes, "Space in a file system that users other than root may fill.")
        .labels(MOUNT)
        .better(Higher)
        .found(&[at(Place::Statvfs, "available"), at(Place::Sysinfo, "disk_available")]),
    gauge("host_filesystem_files", Unit::Count, "Inodes of a file system.").labels(MOUNT).found(&[at(Place::Statvfs, "files")]),
    gauge("host_filesystem_files_free", Unit::Count, "Inodes of a file system that are free.")
        .labels(MOUNT)
        .better(Higher)
        .found(&[at(Place::Statvfs, "files_free")]),
    gauge(
        "host_filesystem_used_ratio",
        Unit::Ratio,
        "Share of a file system that users other than root cannot fill: 1 - available / size.",
    )
    .labels(MOUNT)
    .better(Lower)
    .derived(Derive::Remaining { part: "host_filesystem_available_bytes", whole: "host_filesystem_size_bytes" }),
];

pub(super) const NETWORK: &[Metric] = &[
    counter("host_network_receive_bytes_total", Unit::Bytes, "Bytes received by a network device since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "receive bytes"), at(Place::Sysinfo, "network_received")]),
    counter("host_network_receive_packets_total", Unit::Count, "Packets received by a network device since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "receive packets")]),
    counter("host_network_receive_errors_total", Unit::Count, "Errors of a network device while receiving since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "receive errs")]),
    counter(
        "host_network_receive_drops_total",
        Unit::Count,
        "Packets a network device dropped while receiving since it came up.",
    )
    .labels(DEVICE)
    .found(&[at(Place::ProcNetDev, "receive drop")]),
    counter("host_network_transmit_bytes_total", Unit::Bytes, "Bytes sent by a network device since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "transmit bytes"), at(Place::Sysinfo, "network_transmitted")]),
    counter("host_network_transmit_packets_total", Unit::Count, "Packets sent by a network device since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "transmit packets")]),
    counter("host_network_transmit_errors_total", Unit::Count, "Errors of a network device while sending since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "transmit errs")]),
    counter("host_network_transmit_drops_total", Unit::Count, "Packets a network device dropped while sending since it came up.")
        .labels(DEVICE)
        .found(&[at(Place::ProcNetDev, "transmit drop")]),
    gauge("host_network_receive_bytes_per_second", Unit::BytesPerSecond, "Bytes received by a network device per second.")
        .labels(DEVICE)
        .found(&[at(Place::SarNetwork, "rxkB/s").times(KIB), at(Place::SarNetwork, "rxbyt/s")])
        .derived(Derive::Rate(&["host_network_receive_bytes_total"])),
    gauge("host_network_transmit_bytes_per_second", Unit::BytesPerSecond, "Bytes sent by a network device per second.")
        .labels(DEVICE)
        .found(&[at(Place::SarNetwork, "txkB/s").times(KIB), at(Place::SarNetwork, "txbyt/s")])
        .derived(Derive::Rate(&["host_network_transmit_bytes_total"])),
];

const fn stalled(field: &'static str, labels: &'static [&'static str]) -> Found {
    at(Place::ProcPressure, field).labelled(labels).per(MICRO)
}

pub(super) const PRESSURE: &[Metric] = &[
    counter(
        "host_pressure_seconds_total",
        Unit::Seconds,
        "Time in which some or all tasks stood still for want of a resource since boot.",
    )
    .labels(&["resource", "tasks"])
    .found(&[
        stalled("cpu some", &["cpu", "some"]),
        stalled("cpu full", &["cpu", "full"]),
        stalled("memory some", &["memory", "some"]),
        stalled("memory full", &["memory", "full"]),
        stalled("io some", &["io", "some"]),
        stalled("io full", &["io", "full"]),
    ]),
    gauge("host_pressure_ratio", Unit::Ratio, "Share of time in which some or all tasks stood still for want of a resource.")
        .labels(&["resource", "tasks"])
        .better(Lower)
        .found(&[
            percent(Place::Sar, "%scpu", &["cpu", "some"]),
            percent(Place::Sar, "%smem", &["memory", "some"]),
            percent(Place::Sar, "%fmem", &["memory", "full"]),
            percent(Place::Sar, "%sio", &["io", "some"]),
            percent(Place::Sar, "%fio", &["io", "full"]),
        ])
        .derived(Derive::Rate(&["host_pressure_seconds_total"])),
];

pub(super) const CGROUP: &[Metric] = &[
    gauge("host_cgroup_cpu_limit_cores", Unit::Cores, "Processors the machine's control group may use; absent without a limit.")
        .found(&[at(Place::Cgroup, "cpu.max")]),
    counter("host_cgroup_cpu_seconds_total", Unit::Seconds, "CPU time used by the machine's control group by mode.")
        .labels(&["mode"])
        .found(&[
            at(Place::Cgroup, "cpu.stat user_usec").labelled(&["user"]).per(MICRO),
            at(Place::Cgroup, "cpu.stat system_usec").labelled(&["system"]).per(MICRO),
        ]),
    counter(
        "host_cgroup_cpu_periods_total",
        Unit::Count,
        "Scheduling periods in which the machine's control group wanted to run.",
    )
    .found(&[at(Place::Cgroup, "cpu.stat nr_periods")]),
    counter(
        "host_cgroup_cpu_throttled_periods_total",
        Unit::Count,
        "Scheduling periods in which the machine's control group was held back by its limit.",
    )
    .found(&[at(Place::Cgroup, "cpu.stat nr_throttled")]),
    counter(
        "host_cgroup_cpu_throttled_seconds_total",
        Unit::Seconds,
        "Time the machine's control group was held back by its limit.",
    )
    .found(&[at(Place::Cgroup, "cpu.stat throttled_usec").per(MICRO)]),
    gauge("host_cgroup_memory_bytes", Unit::Bytes, "Memory used by the machine's control group, cache included.")
        .found(&[at(Place::Cgroup, "memory.current")]),
    gauge("host_cgroup_memory_limit_bytes", Unit::Bytes, "Memory the machine's control group may use; absent without a limit.")
        .found(&[at(Place::Cgroup, "memory.max")]),
    gauge(
        "host_cgroup_cpu_throttled_ratio",
        Unit::Ratio,
        "Share of scheduling periods in which the machine's control group was held back by its limit.",
    )
    .better(Lower)
    .derived(Derive::Quotient { parts: &["host_cgroup_cpu_throttled_periods_total"], whole: &["host_cgroup_cpu_periods_total"] }),
];

const fn told(name: &'static str, field: &'static str, help: &'static str) -> FactRow {
    FactRow { name, labels: &[], place: Place::System, field, breaks: false, event: false, help }
}

pub(super) const FACTS: &[FactRow] = &[
    told("os", "os", "Name and version of the operating system."),
    told("kernel", "kernel", "Release of the kernel."),
    told("cpu_model", "cpu_model", "Model of the processors."),
    told("zone", "zone", "Time zone of the schedule."),
    FactRow {
        name: "boot_id",
        labels: &[],
        place: Place::System,
        field: "boot_id",
        breaks: true,
        event: false,
        help: "Identity of this boot; every counter begins anew with it.",
    },
    FactRow {
        name: "cpus_online",
        labels: &[],
        place: Place::System,
        field: "cpus_online",
        breaks: true,
        event: false,
        help: "Which processors are online.",
    },
    FactRow {
        name: "disk",
        labels: &["device"],
        place: Place::System,
        field: "disk",
        breaks: true,
        event: false,
        help: "Identity of a disk; another disk may come under the same name.",
    },
    FactRow {
        name: "clock",
        labels: &[],
        place: Place::Agent,
        field: "clock",
        breaks: true,
        event: true,
        help: "A stepped clock or a suspended machine.",
    },
];

pub(super) const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        place: Place::ProcMeminfo,
        field: "*",
        why: "the kernel's own bookkeeping; a row is added when a question needs it",
    },
    LeftOut { place: Place::ProcVmstat, field: "*", why: "some 180 kernel internals; a row is added when a question needs it" },
    LeftOut { place: Place::Cgroup, field: "*", why: "finer splits of the same seconds, and burst accounting" },
    LeftOut { place: Place::Vmstat, field: "cache", why: "holds reclaimable slabs, so it is not meminfo's Cached" },
    LeftOut { place: Place::Vmstat, field: "w", why: "processes swapped out whole, which kernels since 2.6 do not do" },
    LeftOut { place: Place::Vmstat, field: "inact", why: "a split of the page cache that says nothing about load" },
    LeftOut { place: Place::Vmstat, field: "active", why: "a split of the page cache that says nothing about load" },
    LeftOut {
        place: Place::Sar,
        field: "*",
        why: "network protocol internals, kernel tables and fields whose meaning changed between versions of sysstat",
    },
    LeftOut { place: Place::SarDisk, field: "*", why: "discards, and means that follow from the other columns" },
    LeftOut { place: Place::SarNetwork, field: "*", why: "packet rates; bytes tell the load" },
];
