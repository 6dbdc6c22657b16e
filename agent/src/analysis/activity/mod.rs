//! Who used a Domino partition on a business day, and how much: registered and active users, transactions, transactions per user.
//!
//! A [`Tally`] counts one partition day by day as it is seen, live or from the history; [`activity`] reads the newest days back.
//! Transactions are those of NRPC; what Notes users who moved to the web do shows beside them.
//! Refused: transactions that nobody saw (a thin day says what was seen and is kept out of means), a mean of quotients,
//! active users of two windows in one mean.

mod calendar;
mod day;
mod exported;
mod mean;
mod sighting;
mod step;
mod stored;
mod sums;
mod tally;
mod window;

pub use day::Day;
pub use exported::exported;
pub use mean::{Mean, week};
pub use sighting::{BESIDE, Beside, Sighting};
pub use stored::{Options, Registered, activity, tally};
pub use tally::Tally;
pub use window::{WINDOWS, Window};

/// The newest business days of partitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    /// In order of hosts and names.
    pub partitions: Vec<Partition>,
}

/// The newest business days of one partition.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The host it was read on or imported with.
    pub host: String,
    /// Its name.
    pub partition: String,
    /// Days with something in their open hours, oldest first.
    pub days: Vec<Day>,
}

impl Partition {
    /// The mean of its days.
    pub fn mean(&self) -> Mean {
        Mean::of(&self.days)
    }

    /// The mean day of each ISO week, as far as its days are here; oldest first.
    pub fn weeks(&self) -> Vec<(String, Mean)> {
        let weeks = self.days.chunk_by(|a, b| week(a.date) == week(b.date));
        weeks.filter_map(|days| Some((week(days.first()?.date), Mean::of(days)))).collect()
    }
}
