//! The history as the sampler sees it: something that keeps snapshots, and is found again when it was lost.
//!
//! The service goes on without a history while it cannot have one (a full disk, another writer), and begins a new one
//! where its file was removed or replaced under it. What was read meanwhile is counted as lost by whoever asked to keep it.

use std::path::{Path, PathBuf};

use chrono::Utc;

use crate::history::{History, HistoryError};
use crate::snapshot::Snapshot;
use crate::sources::chain;
use crate::time::rfc3339;

/// Keeps snapshots in the history at a path.
pub struct Keeper {
    path: PathBuf,
    host: String,
    history: Option<History>,
}

impl Keeper {
    /// Opens the history and begins a run of the service on it.
    ///
    /// # Errors
    /// Where the history is not ours to write. One that merely cannot be written now is tried again at every snapshot.
    pub fn begin(path: &Path, host: &str) -> Result<Keeper, HistoryError> {
        let mut keeper = Keeper { path: path.to_owned(), host: host.to_owned(), history: None };
        match keeper.open() {
            Ok(_) => Ok(keeper),
            Err(error @ (HistoryError::Full { .. } | HistoryError::Busy { .. })) => {
                tracing::error!("{}; the service starts without it and tries again at every sample", chain(&error));
                Ok(keeper)
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps a snapshot, if need be in a history opened anew.
    ///
    /// # Errors
    /// Where it could not be kept; the next one may well be.
    pub fn keep(&mut self, snapshot: &Snapshot) -> Result<(), HistoryError> {
        // First let go of the old one: its lock may lie in the new one's way.
        if let Some(gone) = self.history.take_if(|history| history.is_gone()) {
            tracing::warn!("the history `{}` was removed or replaced while in use, it is opened anew", self.path.display());
            gone.let_go()?;
        }
        self.open()?.append(snapshot)
    }

    /// The history, where there is one now.
    pub fn history(&mut self) -> Option<&mut History> {
        self.history.as_mut()
    }

    fn open(&mut self) -> Result<&mut History, HistoryError> {
        if self.history.is_none() {
            let mut history = History::create(&self.path)?;
            if let Some(previous) = history.begin(&self.host, Utc::now())? {
                let last = rfc3339(previous.last);
                if previous.clean {
                    tracing::info!("the last sample before this run is of {last}");
                } else {
                    tracing::warn!(
                        "the run before this one did not stop cleanly; its last sample is of {last}, and at most the one then under way is lost"
                    );
                }
            }
            self.history = Some(history);
        }
        Ok(self.history.as_mut().expect("it was put there above"))
    }
}
