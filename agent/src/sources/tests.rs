//! What needs a look inside. What the sources read of a whole host, and what follows from it, is tested in `tests/live`.

mod file_systems;
mod kernel_file;
mod portable;

use std::time::Duration;

use chrono::DateTime;

use crate::snapshot::Snapshot;

fn snapshot() -> Snapshot {
    Snapshot::new(DateTime::UNIX_EPOCH, "h", Duration::from_secs(60))
}
