//! What the system tells about itself: its releases, its processors, its boot.

use std::path::Path;

use super::kernel_file::{KernelFile, first_line};
use super::{Source, SourceError, below};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// Lines of `/proc/cpuinfo` that name the processor, by architecture: x86, Power, s390, Arm.
const MODEL_LINES: [&str; 4] = ["model name", "cpu", "vendor_id", "CPU part"];

pub(super) struct System {
    /// Cannot change while this process lives, so they are read once.
    fixed: Vec<(&'static str, String)>,
    online: KernelFile,
}

impl System {
    pub(super) fn new(root: &Path) -> System {
        let read = |path: &str| first_line(&below(root, path));
        let facts = [
            ("os", os_release(root)),
            ("kernel", read("proc/sys/kernel/osrelease")),
            ("cpu_model", cpu_model(root)),
            ("boot_id", read("proc/sys/kernel/random/boot_id")),
        ];
        let fixed = facts.into_iter().filter_map(|(field, text)| Some((field, text?))).collect();
        System { fixed, online: KernelFile::new(below(root, "sys/devices/system/cpu/online")) }
    }
}

impl Source for System {
    fn name(&self) -> &'static str {
        "system"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        for (field, text) in &self.fixed {
            into.note(Place::System, field, &[], text);
        }
        if let Some(online) = self.online.read_if_there()? {
            into.note(Place::System, "cpus_online", &[], online.trim());
        }
        Ok(())
    }
}

/// The name of this host.
pub fn host_name(root: &Path) -> Option<String> {
    first_line(&below(root, "proc/sys/kernel/hostname")).or_else(|| sysinfo::System::host_name().ok())
}

fn os_release(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(below(root, "etc/os-release")).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

fn cpu_model(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(below(root, "proc/cpuinfo")).ok()?;
    let value = |wanted: &str| text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == wanted);
    MODEL_LINES.iter().find_map(|wanted| value(wanted)).map(|(_, model)| model.trim().to_owned())
}
