//! The `sysinfo` crate: what there is on systems without `/proc`.
//!
//! It knows no waiting for I/O, no stolen time, no run queue and no disk times, so on Linux the kernel's files are read instead.
//! Its test compares it with them; that is what it is for today, since Weekline supports Linux alone.

use sysinfo::{Disks, Networks, System};

use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// The loopback device, by its name on Linux and on other systems: it is no network.
const LOOPBACK: [&str; 2] = ["lo", "lo0"];

/// Each part is absent where `sysinfo` does not support the system; what it can say is read all the same.
pub(super) struct Portable {
    system: Option<System>,
    disks: Option<Disks>,
    networks: Option<Networks>,
    /// The share of busy CPU time is over the time between two readings, so the first one has none.
    seen: bool,
}

impl Portable {
    pub(super) fn new() -> Portable {
        Portable {
            system: System::new().ok(),
            disks: Disks::new_with_refreshed_list().ok(),
            networks: Networks::new_with_refreshed_list().ok(),
            seen: false,
        }
    }
}

impl Source for Portable {
    fn name(&self) -> &'static str {
        "sysinfo"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        self.put_system(into);
        self.put_devices(into);
        for (field, text) in [("os", System::long_os_version()), ("kernel", System::kernel_version())] {
            if let Ok(text) = text {
                into.note(Place::System, field, &[], &text);
            }
        }
        Ok(())
    }
}

impl Portable {
    fn put_system(&mut self, into: &mut Snapshot) {
        let Some(system) = &mut self.system else { return };
        system.refresh_cpu_usage();
        system.refresh_memory();
        let mut numbers = vec![
            ("cpus", system.cpus().len() as f64),
            ("memory_total", system.total_memory() as f64),
            ("memory_available", system.available_memory() as f64),
            ("swap_total", system.total_swap() as f64),
            ("swap_free", system.free_swap() as f64),
        ];
        if let Ok(load) = System::load_average() {
            numbers.extend([("load1", load.one), ("load5", load.five), ("load15", load.fifteen)]);
        }
        if let Ok(boot) = System::boot_time() {
            numbers.push(("boot_time", boot as f64));
        }
        if std::mem::replace(&mut self.seen, true) {
            numbers.push(("cpu_usage", f64::from(system.global_cpu_usage())));
        }
        for (field, number) in numbers {
            into.put(Place::Sysinfo, field, &[], number);
        }
    }

    fn put_devices(&mut self, into: &mut Snapshot) {
        if let Some(disks) = &mut self.disks {
            disks.refresh(true);
            for disk in disks.iter() {
                let (mount, kind) = (disk.mount_point().to_string_lossy(), disk.file_system().to_string_lossy());
                into.put(Place::Sysinfo, "disk_size", &[&mount, &kind], disk.total_space() as f64);
                into.put(Place::Sysinfo, "disk_available", &[&mount, &kind], disk.available_space() as f64);
            }
        }
        if let Some(networks) = &mut self.networks {
            networks.refresh(true);
            for (name, network) in networks.iter() {
                let name = name.to_string_lossy();
                if LOOPBACK.contains(&name.as_ref()) {
                    continue;
                }
                into.put(Place::Sysinfo, "network_received", &[&name], network.total_received() as f64);
                into.put(Place::Sysinfo, "network_transmitted", &[&name], network.total_transmitted() as f64);
            }
        }
    }
}
