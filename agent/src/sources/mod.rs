//! What can be read live: one file per subject.
//!
//! A source is grammar: it turns a kernel file into fields and puts them into a snapshot; the catalog knows what they are.
//! One that fails costs only itself and says so. What a source puts is right even where it fails half way.
//! Everything is read below a root given at the start, so a test brings its own `/proc`.
//! Refused: external commands (but for the console of a Domino partition, on that partition's own thread), blocking without a
//! deadline, knowledge of the history.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::snapshot::Snapshot;

mod cgroup;
mod disks;
pub mod domino;
mod file_systems;
mod health;
mod kernel_file;
mod load;
mod memory;
mod network;
mod portable;
mod pressure;
mod processors;
mod system;
#[cfg(test)]
mod tests;

pub use health::{Health, Watched, read_all, timed};
pub use system::host_name;

/// Something that can be read at every tick.
pub trait Source: Send {
    /// Its name in `weekline_source_up` and in `weekline status`.
    fn name(&self) -> &'static str;

    /// Reads it once.
    ///
    /// # Errors
    /// Where something could not be read; what was put before is right all the same.
    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError>;
}

/// Why a source could not be read, or not in full.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The system refused.
    #[error("cannot read `{path}`")]
    Read {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file does not look as documented.
    #[error("`{path}` has no {missing}")]
    Form {
        /// What was read.
        path: PathBuf,
        /// What was expected.
        missing: &'static str,
    },
    /// File systems that do not answer.
    #[error("no answer within the deadline from {}; the others were read", .0.join(", "))]
    NoAnswer(Vec<String>),
    /// Something is not as it must be.
    #[error("{what}; {next}")]
    Refused {
        /// What was found.
        what: String,
        /// What to do about it.
        next: String,
    },
    /// What was read was not kept, because it may not be whole or not be what was asked for.
    #[error("{what}; {next}")]
    NotKept {
        /// What was found.
        what: String,
        /// What to do about it.
        next: String,
    },
    /// A mistake in this program.
    #[error("the source itself failed: {0}; please report this")]
    Panicked(String),
}

/// What a source must be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where `/proc`, `/sys` and `/etc` lie.
    pub root: PathBuf,
    /// Whether file systems on the network are asked for their size.
    pub network_file_systems: bool,
}

/// Every source of this system, in the order in which people should read them.
pub fn all(settings: &Settings) -> Vec<Box<dyn Source>> {
    if !cfg!(target_os = "linux") {
        return vec![Box::new(portable::Portable::new())];
    }
    let root = settings.root.as_path();
    vec![
        Box::new(system::System::new(root)),
        Box::new(processors::Processors::new(root)),
        Box::new(load::Load::new(root)),
        Box::new(memory::Memory::new(root)),
        Box::new(memory::Paging::new(root)),
        Box::new(disks::Disks::new(root)),
        Box::new(network::Network::new(root)),
        Box::new(pressure::Pressure::new(root)),
        Box::new(cgroup::Cgroup::new(root)),
        // It may wait for its deadline, and what was read before is then still of one instant.
        Box::new(file_systems::FileSystems::new(root, settings.network_file_systems)),
    ]
}

/// An error and its causes in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
