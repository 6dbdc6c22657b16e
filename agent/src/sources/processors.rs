//! `/proc/stat`: CPU time by mode, and the kernel's own counts. Layout: proc(5).

use std::path::Path;

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// The columns of a `cpu` line in order. The last two are contained in the first two.
const MODES: [&str; 10] = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];
/// How many of them split the time of a processor without counting any twice.
const DISJOINT: usize = 8;

pub(super) struct Processors {
    stat: KernelFile,
}

impl Processors {
    pub(super) fn new(root: &Path) -> Processors {
        Processors { stat: KernelFile::new(root.join("proc/stat")) }
    }
}

impl Source for Processors {
    fn name(&self) -> &'static str {
        "processors"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let mut processors = 0;
        for line in self.stat.read()?.lines() {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("cpu") => put_modes(&MODES, words, Place::ProcStat, &[], into),
                Some(word) if word.starts_with("cpu") => {
                    processors += 1;
                    put_modes(&MODES[..DISJOINT], words, Place::ProcStatCpu, &[&word["cpu".len()..]], into);
                }
                // Its name is that of a CPU mode, but the line counts events.
                Some("softirq") | None => {}
                Some(field) => {
                    if let Some(number) = words.next().and_then(count) {
                        into.put(Place::ProcStat, field, &[], number);
                    }
                }
            }
        }
        if processors == 0 {
            return Err(SourceError::Form { path: self.stat.path.clone(), missing: "line of a processor" });
        }
        into.put(Place::ProcStat, "cpus", &[], f64::from(processors));
        Ok(())
    }
}

fn put_modes<'a>(modes: &[&str], words: impl Iterator<Item = &'a str>, place: Place, labels: &[&str], into: &mut Snapshot) {
    for (mode, word) in modes.iter().zip(words) {
        if let Some(ticks) = count(word) {
            into.put(place, mode, labels, ticks);
        }
    }
}
