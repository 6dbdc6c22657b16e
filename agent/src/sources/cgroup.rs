//! The control group (version 2) at the top of what this machine sees: its limits, its use, and how often it was held back.
//!
//! A container sees its own group there; a whole machine sees the root, which has no limits and is left alone.
//! Layout: the kernel's `cgroup-v2.rst`.

use std::path::Path;

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

pub(super) struct Cgroup {
    cpu_max: KernelFile,
    cpu_stat: KernelFile,
    memory: [(&'static str, KernelFile); 2],
}

impl Cgroup {
    pub(super) fn new(root: &Path) -> Cgroup {
        let file = |name: &str| KernelFile::new(root.join("sys/fs/cgroup").join(name));
        Cgroup {
            cpu_max: file("cpu.max"),
            cpu_stat: file("cpu.stat"),
            memory: ["memory.current", "memory.max"].map(|name| (name, file(name))),
        }
    }
}

impl Source for Cgroup {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let limit = self.cpu_max.read_if_there()?;
        let mut inside = limit.is_some();
        if let Some(cores) = limit.and_then(cores) {
            into.put(Place::Cgroup, "cpu.max", &[], cores);
        }
        for (name, file) in &mut self.memory {
            let Some(text) = file.read_if_there()? else { continue };
            inside = true;
            // `max` stands for no limit.
            if let Some(bytes) = count(text.trim()) {
                into.put(Place::Cgroup, name, &[], bytes);
            }
        }
        // The root has this file and none of the others: it is the machine itself.
        if !inside {
            return Ok(());
        }
        for line in self.cpu_stat.read_if_there()?.unwrap_or_default().lines() {
            let Some((field, number)) = line.split_once(' ') else { continue };
            if let Some(number) = count(number) {
                into.put(Place::Cgroup, &format!("cpu.stat {field}"), &[], number);
            }
        }
        Ok(())
    }
}

/// `QUOTA PERIOD` in microseconds as processors; `max` is no limit.
fn cores(limit: &str) -> Option<f64> {
    let (quota, period) = limit.trim().split_once(' ')?;
    let period = count(period).filter(|&period| period > 0.0)?;
    Some(count(quota)? / period)
}
