//! `/proc/pressure`: time in which tasks stood still for want of a resource. Layout: the kernel's `psi.rst`.

use std::path::Path;

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

const RESOURCES: [&str; 3] = ["cpu", "memory", "io"];

pub(super) struct Pressure {
    files: [KernelFile; 3],
}

impl Pressure {
    pub(super) fn new(root: &Path) -> Pressure {
        Pressure { files: RESOURCES.map(|resource| KernelFile::new(root.join("proc/pressure").join(resource))) }
    }
}

impl Source for Pressure {
    fn name(&self) -> &'static str {
        "pressure"
    }

    /// A kernel without pressure accounting has no such files, and `cpu` has no `full` before Linux 5.13: both are no fault.
    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        for (resource, file) in RESOURCES.iter().zip(&mut self.files) {
            let Some(text) = file.read_if_there()? else { continue };
            for line in text.lines() {
                let Some((tasks, rest)) = line.split_once(' ') else { continue };
                if let Some(micros) = rest.rsplit_once("total=").and_then(|(_, total)| count(total)) {
                    into.put(Place::ProcPressure, &format!("{resource} {tasks}"), &[], micros);
                }
            }
        }
        Ok(())
    }
}
