//! `/proc/meminfo` and `/proc/vmstat`: memory now, and what was paged and swapped since boot. Layout: proc(5).

use std::path::Path;

use nix::unistd::{SysconfVar, sysconf};

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

pub(super) struct Memory {
    meminfo: KernelFile,
}

impl Memory {
    pub(super) fn new(root: &Path) -> Memory {
        Memory { meminfo: KernelFile::new(root.join("proc/meminfo")) }
    }
}

impl Source for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let before = into.readings.len();
        for line in self.meminfo.read()?.lines() {
            let Some((field, rest)) = line.split_once(':') else { continue };
            if let Some(kibibytes) = rest.split_ascii_whitespace().next().and_then(count) {
                into.put(Place::ProcMeminfo, field, &[], kibibytes);
            }
        }
        if into.readings.len() == before {
            return Err(SourceError::Form { path: self.meminfo.path.clone(), missing: "line `MemTotal:`" });
        }
        Ok(())
    }
}

pub(super) struct Paging {
    vmstat: KernelFile,
    page_size: f64,
}

impl Paging {
    pub(super) fn new(root: &Path) -> Paging {
        let page_size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096);
        Paging { vmstat: KernelFile::new(root.join("proc/vmstat")), page_size: page_size as f64 }
    }
}

impl Source for Paging {
    fn name(&self) -> &'static str {
        "paging"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let before = into.readings.len();
        for line in self.vmstat.read()?.lines() {
            let Some((field, word)) = line.split_once(' ') else { continue };
            let Some(number) = count(word) else { continue };
            // pgpgin and pgpgout are in KiB whatever the page size; pswpin and pswpout are in pages.
            let pages = field.starts_with("pswp");
            into.put(Place::ProcVmstat, field, &[], if pages { number * self.page_size } else { number });
        }
        if into.readings.len() == before {
            return Err(SourceError::Form { path: self.vmstat.path.clone(), missing: "line `pgpgin`" });
        }
        Ok(())
    }
}
