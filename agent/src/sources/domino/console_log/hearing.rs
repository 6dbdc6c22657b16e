//! What is heard in the lines of a console: listings, and lines that somebody should see.

use super::super::tail::Heard;
use crate::formats::domino::console::{self, Finding};
use crate::formats::domino::dates::Stamp;
use crate::formats::domino::prefix;
use crate::formats::domino::show_stat::{self, Completeness, Listing, Listings};

/// How many lines are brought in one reading.
const MOST: usize = 100;
/// As much of a line as is kept, in characters.
const LONGEST: usize = 200;

/// What was heard.
#[derive(Debug, PartialEq)]
pub(super) enum Item {
    /// A listing that ended.
    Listing(Listing),
    /// A line that somebody should see.
    Said {
        /// What kind of line.
        kind: &'static str,
        /// Its text.
        text: String,
        /// Its time, as written.
        stamp: Option<Stamp>,
    },
}

impl Item {
    /// The listing, if it is one.
    pub(super) fn listing(&self) -> Option<&Listing> {
        match self {
            Item::Listing(listing) => Some(listing),
            Item::Said { .. } => None,
        }
    }
}

/// A listener; what has begun in one reading may end in the next.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    listings: Listings,
    /// Whether a listing can be trusted to have been heard from its beginning.
    connected: bool,
    /// Lines of this reading that were brought, and those beyond.
    said: usize,
    left_out: usize,
    /// The kind of the first line beyond, and its time.
    beyond: Option<(&'static str, Option<Stamp>)>,
    /// Whether the reading before ended among message numbers.
    numbers_before: bool,
    /// Whether message numbers were heard in this reading.
    pub(super) numbers_only: bool,
    /// How many listings ended in this reading, whole or not.
    pub(super) ended: usize,
}

impl Hearing {
    /// A reading begins.
    pub(super) fn begin(&mut self) {
        self.numbers_before = self.numbers_only;
        (self.said, self.left_out, self.beyond) = (0, 0, None);
        (self.numbers_only, self.ended) = (false, 0);
    }

    /// Takes what was read.
    pub(super) fn hear(&mut self, part: &Heard<'_>) -> Option<Item> {
        match part {
            Heard::Break => {
                self.listings = Listings::new();
                self.connected = false;
                None
            }
            Heard::Line(line) => match self.listings.push(line) {
                Some(listing) => self.listing(listing),
                None => self.said(line),
            },
        }
    }

    /// Whether no listing has begun that has not ended.
    pub(super) fn is_between(&self) -> bool {
        !self.listings.is_open()
    }

    /// The word on the lines that were too many.
    pub(super) fn left_out(&mut self) -> Option<Item> {
        let (kind, stamp) = self.beyond.take()?;
        Some(Item::Said { kind, text: format!("{} more lines that somebody should see were left out", self.left_out), stamp })
    }

    fn listing(&mut self, listing: Listing) -> Option<Item> {
        self.ended += 1;
        // Half of one listing and half of a later one can have as many lines as one.
        let connected = std::mem::replace(&mut self.connected, true);
        let counts = connected || show_stat::completeness(&listing, None) == Completeness::Whole;
        counts.then_some(Item::Listing(listing))
    }

    fn said(&mut self, line: &str) -> Option<Item> {
        let console = prefix::strip(line);
        let (kind, text) = worth(console.text)?;
        if kind == Finding::NumbersOnly.name() {
            let before = std::mem::replace(&mut self.numbers_only, true);
            // Then every line is one: the first says it all.
            if before || self.numbers_before {
                return None;
            }
        }
        if self.said == MOST {
            self.left_out += 1;
            self.beyond.get_or_insert((kind, console.stamp));
            return None;
        }
        self.said += 1;
        let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        Some(Item::Said { kind, text: text.chars().take(LONGEST).map(plain).collect(), stamp: console.stamp })
    }
}

/// The kind of a line that somebody should see, and its text.
fn worth(text: &str) -> Option<(&'static str, &str)> {
    Some((console::line(text)?.kind()?, text.trim()))
}
