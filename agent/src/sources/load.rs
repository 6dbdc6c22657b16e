//! `/proc/loadavg`: the load averages. Layout: proc(5).

use std::path::Path;

use super::kernel_file::KernelFile;
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

pub(super) struct Load {
    loadavg: KernelFile,
}

impl Load {
    pub(super) fn new(root: &Path) -> Load {
        Load { loadavg: KernelFile::new(root.join("proc/loadavg")) }
    }
}

impl Source for Load {
    fn name(&self) -> &'static str {
        "load"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let text = self.loadavg.read()?;
        let mut averages = text.split_ascii_whitespace().map(str::parse::<f64>);
        for minutes in ["1", "5", "15"] {
            let Some(load) = averages.next().and_then(Result::ok).filter(|load| *load >= 0.0) else {
                return Err(SourceError::Form { path: self.loadavg.path.clone(), missing: "three load averages" });
            };
            into.put(Place::ProcLoadavg, minutes, &[], load);
        }
        Ok(())
    }
}
