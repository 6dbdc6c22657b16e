//! The console's log as a way in: listings that somebody else asks for, and the lines that somebody should see.
//!
//! Nothing is asked of the server: a Program document or an administrator has `show stat` run, and what it prints is read where
//! it is written. A listing may span two readings. After a break in the log the first one counts only if it is whole by itself.
//! Refused: the past, which is for `weekline import`; a listing whose instant cannot be told.

use std::path::PathBuf;
use std::time::Duration;

use chrono_tz::Tz;

use self::hearing::{Hearing, Item};
use self::instants::{Frame, Seen};
use self::remembered::{Remembered, instant};
use super::age::limit;
use super::tail::{Pass, Tail};
use super::{Brought, WayIn, What};
use crate::formats::domino::dates::Zoned;
use crate::formats::domino::show_stat::Listing;
use crate::sources::SourceError;
use crate::time::Timestamp;

mod hearing;
mod instants;
mod remembered;
#[cfg(test)]
mod tests;

/// What a console's log must be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The log.
    pub path: PathBuf,
    /// How often it is read, and a listing expected.
    pub every: Duration,
    /// The file that remembers the place in the log over a start of the agent; `None`: each start begins with the present.
    pub state: Option<PathBuf>,
    /// The zone in which the server writes times.
    pub zone: Option<Tz>,
}

/// How much of what was heard was left out because nothing says when it was written.
#[derive(Default)]
struct LeftOut {
    /// Listings without their last lines.
    endless: usize,
    /// Other listings, and lines.
    timeless: usize,
}

/// A console's log.
pub struct ConsoleLog {
    settings: Settings,
    tail: Tail,
    hearing: Hearing,
    remembered: Remembered,
    /// When the log was last read, in whatever way.
    read: Option<Timestamp>,
    /// When all that had been written was last read.
    complete: Option<Timestamp>,
    /// What is known of the listing that has begun.
    begun: Option<Seen>,
    /// The instant of the last listing.
    listing: Option<Timestamp>,
    /// The last instant brought.
    last: Option<Timestamp>,
    /// Since when a listing is waited for.
    waiting: Option<Timestamp>,
}

impl ConsoleLog {
    /// Not read yet; the place that an earlier run left is looked up.
    pub fn new(settings: Settings) -> ConsoleLog {
        let remembered = settings.state.as_deref().map(Remembered::load).unwrap_or_default();
        let listing = instant(remembered.listing);
        ConsoleLog {
            tail: Tail::new(&settings.path, remembered.mark),
            hearing: Hearing::default(),
            read: None,
            complete: remembered.mark.and(instant(remembered.read)),
            begun: None,
            listing,
            last: listing,
            waiting: None,
            remembered,
            settings,
        }
    }

    /// What was heard, each with what is known of its time.
    fn listen(&mut self, now: Timestamp) -> (Pass, Vec<(Item, Seen)>) {
        let fresh = Seen { since: self.complete, appeared: Some(now) };
        let Self { tail, hearing, begun, .. } = self;
        let mut heard = Vec::new();
        hearing.begin();
        let pass = tail.read(&mut |part| {
            let ended = hearing.ended;
            let item = hearing.hear(&part);
            let seen = if hearing.ended > ended { begun.take() } else { None };
            heard.extend(item.map(|item| (item, seen.unwrap_or(fresh))));
            if hearing.is_between() {
                *begun = None;
            }
        });
        // What is open now began in this reading, unless it was open before.
        *begun = if hearing.is_between() { None } else { begun.take().or(Some(fresh)) };
        heard.extend(hearing.left_out().map(|item| (item, fresh)));
        (pass, heard)
    }

    /// Gives each item its instant; returns what had none.
    fn place(&mut self, heard: Vec<(Item, Seen)>, frame: &Frame, brought: &mut Vec<Brought>) -> LeftOut {
        let listings: Vec<(&Listing, Seen)> = heard.iter().filter_map(|(item, seen)| Some((item.listing()?, *seen))).collect();
        let mut instants = frame.listings(&listings).into_iter();
        let mut running = None;
        let mut left = LeftOut::default();
        let first = brought.len();
        for (item, seen) in heard {
            let (at, what) = match item {
                Item::Listing(listing) => (instants.next().flatten(), What::Listing(listing)),
                Item::Said { kind, text, stamp } => {
                    let own = stamp.and_then(|stamp| frame.own(&Zoned { stamp, zone: "", offset: None }, &seen));
                    // A line without a time of its own stands behind one that had one, or was written just now.
                    (own.or_else(|| frame.is_close(&seen).then_some(frame.now)).or(running), What::Said { kind, text })
                }
            };
            running = at.or(running);
            match (at, &what) {
                (Some(at), _) => brought.push(Brought { at, what }),
                (None, What::Listing(Listing { trailer: None, .. })) => left.endless += 1,
                (None, _) => left.timeless += 1,
            }
        }
        brought[first..].sort_by_key(|brought| brought.at);
        left
    }

    /// Keeps the order of time over all readings; returns how many listings were older than one before.
    fn keep_order(&mut self, brought: &mut Vec<Brought>, first: usize) -> usize {
        let mut older = 0;
        let new: Vec<Brought> = brought.drain(first..).collect();
        for mut item in new {
            if matches!(item.what, What::Listing(_)) {
                if self.listing.is_some_and(|listing| item.at <= listing) {
                    // The same statistics printed twice are no fault.
                    older += usize::from(self.listing != Some(item.at));
                    continue;
                }
                self.listing = Some(item.at);
            } else if let Some(last) = self.last {
                item.at = item.at.max(last);
            }
            self.last = self.last.max(Some(item.at));
            brought.push(item);
        }
        older
    }

    /// An error where no listing has come for long.
    fn quiet(&mut self, now: Timestamp, heard_listing: bool) -> Option<SourceError> {
        let longest = limit(self.settings.every);
        // Where nobody read for long, nobody waited.
        let followed = self.read.is_some_and(|read| (now - read).to_std().is_ok_and(|gap| gap <= longest));
        if heard_listing || !followed {
            self.waiting = Some(now);
        }
        let waited = (now - self.waiting?).to_std().ok().filter(|waited| *waited > longest)?;
        let last = self.listing.map_or(String::new(), |at| format!(", the last was of {}", crate::time::rfc3339(at)));
        Some(refused(
            format!("no listing in `{}` for {} min{last}", self.settings.path.display(), waited.as_secs() / 60),
            "see that `show stat` is run regularly, for instance by a Program document, or use source = \"console\"",
        ))
    }

    /// Writes down the place, where it has moved.
    fn remember(&mut self) -> Result<(), SourceError> {
        let Some(path) = &self.settings.state else { return Ok(()) };
        let mark = self.tail.mark();
        let listing = self.listing.map(|at| at.timestamp_millis());
        if mark.is_none() || (mark, listing) == (self.remembered.mark, self.remembered.listing) {
            return Ok(());
        }
        let remembered = Remembered { mark, read: self.complete.map(|at| at.timestamp_millis()), listing };
        remembered.save(path)?;
        self.remembered = remembered;
        Ok(())
    }
}

impl WayIn for ConsoleLog {
    fn name(&self) -> &'static str {
        "console_log"
    }

    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        let first = brought.len();
        let (pass, heard) = self.listen(now);
        let Settings { every, zone, .. } = self.settings;
        let frame = Frame { now, every, zone, last: self.last, complete: pass.complete };
        let LeftOut { endless, timeless } = self.place(heard, &frame, brought);
        let unclear = timeless + self.keep_order(brought, first);
        if pass.complete {
            self.complete = Some(now);
        }
        let quiet = self.quiet(now, self.hearing.ended > 0);
        self.read = Some(now);
        let remembered = self.remember();
        let numbers = self.hearing.numbers_only.then(|| {
            refused(
                format!("`{}` holds message numbers instead of texts", self.settings.path.display()),
                "install Domino's language files for its LANG, or set LANG to a language that is installed",
            )
        });
        let endless = (endless > 0).then(|| {
            not_kept(
                format!("listings without an end in `{}`: {endless}", self.settings.path.display()),
                "they were not kept; were they cut, or did the server stop?",
            )
        });
        let unclear = (unclear > 0).then(|| {
            not_kept(
                format!(
                    "{unclear} listings or lines of `{}` were left out: when they were written cannot be told",
                    self.settings.path.display()
                ),
                "set the zone of the schedule to the server's, or import the log with `weekline import --date-order`",
            )
        });
        let errors = [pass.failed, pass.lost, numbers, endless, unclear, remembered.err(), quiet];
        errors.into_iter().flatten().next().map_or(Ok(()), Err)
    }
}

fn refused(what: String, next: &str) -> SourceError {
    SourceError::Refused { what, next: next.to_owned() }
}

fn not_kept(what: String, next: &str) -> SourceError {
    SourceError::NotKept { what, next: next.to_owned() }
}
