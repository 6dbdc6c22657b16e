use std::io::Write;

use super::super::portable::Portable;
use super::super::{Settings, Source, all};
use super::snapshot;
use crate::catalog::{self, Place};

/// Numbers that no two readings a moment apart may differ in, and how far they may.
const STEADY: [(&str, f64); 4] =
    [("host_memory_total_bytes", 0.0), ("host_swap_total_bytes", 0.0), ("host_cpus", 0.0), ("host_boot_timestamp_seconds", 2.0)];
/// What sysinfo reads of devices, of which a machine may have none.
const OF_DEVICES: [&str; 4] = ["disk_size", "disk_available", "network_received", "network_transmitted"];

#[test]
fn sysinfo_agrees_with_the_kernel_s_files() {
    if !cfg!(target_os = "linux") {
        writeln!(std::io::stderr(), "SKIPPED: no kernel files to compare sysinfo with").expect("stderr is open");
        return;
    }
    let (mut kernel, mut portable) = (snapshot(), snapshot());
    for source in &mut all(&Settings { root: "/".into(), network_file_systems: false }) {
        // A source may fail on the machine of a test; what is compared here is looked for below.
        drop(source.read(&mut kernel));
    }
    Portable::new().read(&mut portable).unwrap();
    assert_eq!(kernel.unknown, [].into());
    for (metric, tolerance) in STEADY {
        let (ours, theirs) = (kernel.value(metric, &[]).unwrap(), portable.value(metric, &[]).unwrap());
        assert!((ours - theirs).abs() <= tolerance, "{metric}: {ours} from the kernel, {theirs} from sysinfo");
    }
}

#[test]
fn every_field_of_sysinfo_is_read_from_the_second_time_on() {
    let mut source = Portable::new();
    let mut first = snapshot();
    source.read(&mut first).unwrap();
    assert_eq!(first.value("host_cpu_busy_ratio", &[]), None);
    let mut second = snapshot();
    source.read(&mut second).unwrap();
    let found = catalog::metrics().flat_map(|metric| metric.found.iter().map(move |found| (metric, found)));
    for (metric, found) in found.filter(|(_, found)| found.place == Place::Sysinfo && !OF_DEVICES.contains(&found.field)) {
        assert!(second.value(metric.name, &[]).is_some(), "{found}");
    }
    assert_eq!(second.unknown, [].into());
    assert!(second.readings.iter().all(|reading| !reading.labels.values().any(|value| value == "lo" || value == "lo0")));
}
