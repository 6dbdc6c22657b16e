//! `/proc/diskstats`: what block devices did since boot. Layout: the kernel's `iostats.rst`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// How many columns after the device's name there are at least; discards and flushes follow in newer kernels.
/// Partitions have four in kernels before 2.6.25: nothing to be read from those.
const WIDTH: usize = 11;
/// Those that are read, by position. Column 8, requests in flight, is a moment's number.
const COLUMNS: [(usize, &str); 8] = [
    (0, "reads"),
    (2, "sectors_read"),
    (3, "ms_reading"),
    (4, "writes"),
    (6, "sectors_written"),
    (7, "ms_writing"),
    (9, "ms_busy"),
    (10, "ms_weighted"),
];
/// Which of them a volume has rows for: its times say nothing that its disks do not.
const VOLUME_COLUMNS: [&str; 5] = ["reads", "sectors_read", "writes", "sectors_written", "ms_busy"];
/// Devices made of other devices, of files or of memory.
const LAYERS: [&str; 8] = ["dm-", "md", "loop", "zram", "ram", "bcache", "drbd", "zd"];
/// Files below `/sys/block/NAME` that tell one disk from the next of the same name, best first; `diskseq` is of Linux 5.15.
const IDENTITIES: [&str; 4] = ["diskseq", "wwid", "device/wwid", "device/serial"];

pub(super) struct Disks {
    diskstats: KernelFile,
    block: PathBuf,
    known: HashMap<String, Device>,
}

enum Device {
    /// A whole disk and the file that identifies it, if the system has one.
    Disk(Option<KernelFile>),
    Volume,
}

impl Disks {
    pub(super) fn new(root: &Path) -> Disks {
        Disks { diskstats: KernelFile::new(root.join("proc/diskstats")), block: root.join("sys/block"), known: HashMap::new() }
    }
}

impl Source for Disks {
    fn name(&self) -> &'static str {
        "disks"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let Some(text) = self.diskstats.read_if_there()? else { return Ok(()) };
        let mut fault = None;
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace().skip(2);
            let Some(name) = words.next() else { continue };
            let mut columns = [""; WIDTH];
            for (place, word) in columns.iter_mut().zip(words) {
                *place = word;
            }
            // A device that never read nor wrote has nothing to tell.
            if columns[WIDTH - 1].is_empty() || (columns[0] == "0" && columns[4] == "0") {
                continue;
            }
            if !self.known.contains_key(name) {
                self.known.insert(name.to_owned(), classify(&self.block, name));
            }
            let Some(device) = self.known.get_mut(name) else { continue };
            // A disk of which nobody can tell that it is still the same costs only itself.
            if let Err(error) = put_device(name, device, &columns, into) {
                fault.get_or_insert(error);
            }
        }
        fault.map_or(Ok(()), Err)
    }
}

/// What stands in `/sys/block` is a whole device; where that folder cannot be read, nothing is taken for one.
fn classify(block: &Path, name: &str) -> Device {
    let folder = block.join(name.replace('/', "!"));
    if LAYERS.iter().any(|layer| name.starts_with(layer)) || !folder.is_dir() {
        return Device::Volume;
    }
    // A `wwid` may be there for disks that have none, and refuses every reader (ENXIO).
    let identity = IDENTITIES.iter().map(|file| folder.join(file)).find(|path| std::fs::read(path).is_ok());
    Device::Disk(identity.map(KernelFile::new))
}

fn put_device(name: &str, device: &mut Device, columns: &[&str; WIDTH], into: &mut Snapshot) -> Result<(), SourceError> {
    let place = match device {
        Device::Disk(identity) => {
            if let Some(identity) = identity.as_mut().map(KernelFile::read_if_there).transpose()?.flatten() {
                into.note(Place::System, "disk", &[name], identity.trim());
            }
            Place::ProcDiskstats
        }
        Device::Volume => Place::ProcDiskstatsVolume,
    };
    for (column, field) in COLUMNS {
        if place == Place::ProcDiskstatsVolume && !VOLUME_COLUMNS.contains(&field) {
            continue;
        }
        if let Some(number) = count(columns[column]) {
            into.put(place, field, &[name], number);
        }
    }
    Ok(())
}
