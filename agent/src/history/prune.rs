//! Forgetting: by age and by size.

use rusqlite::{Transaction, params};

use super::{History, HistoryError};
use crate::time::{Millis, Timestamp};

/// Instants of the service that ended before an instant.
const LIVE_BEFORE: &str = "SELECT times.id FROM times JOIN batch ON batch.id = batch WHERE t1 < ?1 AND kind = 'live'";

impl History {
    /// Forgets what the service read and that ended before `before`, and the series that are left without points.
    /// Gives the number of points. What was imported stays: somebody asked for it, and `undo` takes it out.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn prune(&mut self, before: Timestamp) -> Result<u64, HistoryError> {
        let before = before.timestamp_millis();
        self.forget(LIVE_BEFORE, before)
    }

    fn forget(&mut self, which: &str, before: Millis) -> Result<u64, HistoryError> {
        // Most of the time there is nothing to forget, and that is found out beside other writers.
        if !self.ask::<bool>(&format!("SELECT EXISTS ({which})"), [before])? {
            return Ok(0);
        }
        let points = self.change(|change, memo| {
            let points = remove(change, which, before)?;
            remove_empty_series(change)?;
            memo.forget();
            Ok(points)
        })?;
        if let Err(error) = self.give_back() {
            tracing::warn!("{error}; the room that was freed stays within the file");
        }
        Ok(points)
    }

    /// Forgets the oldest weeks the service read until the file is no larger than `limit` bytes; the newest week stays, and
    /// so does what was imported. Gives the number of points.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn prune_to(&mut self, limit: u64) -> Result<u64, HistoryError> {
        const WEEK: Millis = 7 * 24 * 3600 * 1000;
        let edges = "SELECT min(t1), max(t1) FROM times JOIN batch ON batch.id = batch WHERE kind = 'live'";
        let mut points = 0;
        while self.used_bytes()? > limit {
            let edges =
                self.db.query_row(edges, [], |row| Ok((row.get::<_, Option<Millis>>(0)?, row.get::<_, Option<Millis>>(1)?)));
            let (Some(oldest), Some(newest)) = edges.map_err(|source| self.refused(source))? else { break };
            let before = oldest + WEEK;
            if before > newest - WEEK {
                break;
            }
            points += self.forget(LIVE_BEFORE, before)?;
        }
        Ok(points)
    }

    /// The newest present that was believed when old points were forgotten; the begin of the first run at the latest.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn believed(&self) -> Result<Option<Timestamp>, HistoryError> {
        let believed: Option<Millis> = self.ask("SELECT believed FROM total", [])?;
        Ok(believed.and_then(Timestamp::from_timestamp_millis))
    }

    /// Remembers a present that is believed.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn believe(&mut self, present: Timestamp) -> Result<(), HistoryError> {
        self.change(|change, _| change.execute("UPDATE total SET believed = ?1", [present.timestamp_millis()]).map(drop))
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

/// Removes the series that are left without points. What is not folded yet is folded first, because it keeps its series too.
pub(super) fn remove_empty_series(change: &Transaction<'_>) -> rusqlite::Result<()> {
    super::live::fold_all(change)?;
    change.execute("DELETE FROM series WHERE id NOT IN (SELECT series FROM chunk)", []).map(drop)
}
