//! Forgetting: by age and by size.

use rusqlite::{Transaction, params};

use super::{History, HistoryError};
use crate::time::{Millis, Timestamp};

impl History {
    /// Forgets what the service read and that ended before `before`, and the series that are left without points.
    /// Gives the number of points. What was imported stays: somebody asked for it, and `undo` takes it out.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn prune(&mut self, before: Timestamp) -> Result<u64, HistoryError> {
        let before = before.timestamp_millis();
        self.forget("SELECT times.id FROM times JOIN batch ON batch.id = batch WHERE t1 < ?1 AND kind = 'live'", before)
    }

    fn forget(&mut self, which: &str, before: Millis) -> Result<u64, HistoryError> {
        // Most of the time there is nothing to forget, and that is found out beside other writers.
        if !self.ask::<bool>(&format!("SELECT EXISTS ({which})"), [before])? {
            return Ok(0);
        }
        let points = self.change(|change, memo| {
            // What is not folded yet keeps its series too.
            super::live::fold_all(change)?;
            let points = remove(change, which, before)?;
            change.execute("DELETE FROM series WHERE id NOT IN (SELECT series FROM chunk)", [])?;
            *memo.series = super::series::Known::default();
            Ok(points)
        })?;
        self.give_back()?;
        Ok(points)
    }

    /// Forgets the oldest weeks until the file is no larger than `limit` bytes. Gives the number of points.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn prune_to(&mut self, limit: u64) -> Result<u64, HistoryError> {
        const WEEK: Millis = 7 * 24 * 3600 * 1000;
        let mut points = 0;
        while self.used_bytes()? > limit {
            let oldest: Option<Millis> = self.ask("SELECT min(t1) FROM times", [])?;
            let Some(before) = oldest.and_then(|oldest| Timestamp::from_timestamp_millis(oldest + WEEK)) else { break };
            points += self.forget("SELECT id FROM times WHERE t1 < ?1", before.timestamp_millis())?;
        }
        Ok(points)
    }

    /// Bytes of the file that hold something.
    fn used_bytes(&self) -> Result<u64, HistoryError> {
        self.ask(
            "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
            [],
        )
    }

    /// Gives pages that are free back to the file system.
    fn give_back(&self) -> Result<(), HistoryError> {
        let give = || {
            // It frees one page a step, and a statement that is only executed is stepped once.
            let mut vacuum = self.db.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        give().map_err(|source| self.refused(source))
    }
}

/// Removes the instants that `which` chooses, their chunks, and gives the number of points.
pub(super) fn remove(change: &Transaction<'_>, which: &str, key: i64) -> rusqlite::Result<u64> {
    let count = format!(
        "SELECT coalesce(sum(times.n), 0) FROM chunk JOIN times ON times.id = chunk.times WHERE chunk.times IN ({which})"
    );
    let points: u64 = change.query_row(&count, [key], |row| row.get(0))?;
    change.execute(&format!("DELETE FROM chunk WHERE times IN ({which})"), [key])?;
    change.execute(&format!("DELETE FROM times WHERE id IN ({which})"), [key])?;
    change.execute("UPDATE total SET points = points - ?1", params![points])?;
    Ok(points)
}
