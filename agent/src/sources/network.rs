//! `/proc/net/dev`: what network devices moved since they came up. Layout: the two header lines of the file itself.
//!
//! Left out: the loopback device, and this host's ends of the cables to containers (`veth…`), which come and go with them under
//! names that never come again; what they move goes through a bridge or another device that is read.

use std::path::Path;

use super::kernel_file::{KernelFile, count};
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// The columns after the colon that are read, by position.
const COLUMNS: [(usize, &str); 8] = [
    (0, "receive bytes"),
    (1, "receive packets"),
    (2, "receive errs"),
    (3, "receive drop"),
    (8, "transmit bytes"),
    (9, "transmit packets"),
    (10, "transmit errs"),
    (11, "transmit drop"),
];

pub(super) struct Network {
    dev: KernelFile,
}

impl Network {
    pub(super) fn new(root: &Path) -> Network {
        Network { dev: KernelFile::new(root.join("proc/net/dev")) }
    }
}

impl Source for Network {
    fn name(&self) -> &'static str {
        "network"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        for line in self.dev.read()?.lines() {
            // A long name leaves no blank before the first number.
            let Some((name, rest)) = line.split_once(':') else { continue };
            let name = name.trim();
            let mut words = [""; 16];
            for (place, word) in words.iter_mut().zip(rest.split_ascii_whitespace()) {
                *place = word;
            }
            // A device that never moved a byte has nothing to tell.
            if name == "lo" || name.starts_with("veth") || words[15].is_empty() || (words[0] == "0" && words[8] == "0") {
                continue;
            }
            for (column, field) in COLUMNS {
                if let Some(number) = count(words[column]) {
                    into.put(Place::ProcNetDev, field, &[name], number);
                }
            }
        }
        Ok(())
    }
}
