//! What the system tells about itself: its releases, its processors, its boot.

use std::path::{Path, PathBuf};

use super::kernel_file::{KernelFile, first_line};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// Lines of `/proc/cpuinfo` that name the processor, by architecture: x86, Power, s390, Arm.
const MODEL_LINES: [&str; 4] = ["model name", "cpu", "vendor_id", "CPU part"];

pub(super) struct System {
    /// Cannot change while this process lives, so they are read once.
    fixed: Vec<(&'static str, String)>,
    /// An upgrade puts another file in its place under the running agent.
    os_release: PathBuf,
    online: KernelFile,
}

impl System {
    pub(super) fn new(root: &Path) -> System {
        let read = |path: &str| first_line(&root.join(path));
        let facts = [
            ("kernel", read("proc/sys/kernel/osrelease")),
            ("cpu_model", cpu_model(root)),
            ("boot_id", read("proc/sys/kernel/random/boot_id")),
        ];
        let fixed = facts.into_iter().filter_map(|(field, text)| Some((field, text?))).collect();
        System {
            fixed,
            os_release: root.join("etc/os-release"),
            online: KernelFile::new(root.join("sys/devices/system/cpu/online")),
        }
    }
}

impl Source for System {
    fn name(&self) -> &'static str {
        "system"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        if let Some(os) = os_name(&self.os_release) {
            into.note(Place::System, "os", &[], &os);
        }
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
    first_line(&root.join("proc/sys/kernel/hostname")).or_else(|| sysinfo::System::host_name().ok())
}

/// Opened each time: a file held open would go on to say what the one that was replaced said.
fn os_name(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

fn cpu_model(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join("proc/cpuinfo")).ok()?;
    let value = |wanted: &str| text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == wanted);
    MODEL_LINES.iter().find_map(|wanted| value(wanted)).map(|(_, model)| model.trim().to_owned())
}
