//! Lines of a console log that somebody should see, or that tell of the life of a server, between its listings.
//!
//! A line has a local time and names nobody: the listings around it say which partition it is of, in which order dates are
//! written and which zone the server keeps. So lines are held back until the next listing, a bounded number of them.
//! Refused: a line without a date, or one that could be of two days.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use chrono::{FixedOffset, NaiveDateTime, TimeDelta};

use super::console;
use super::dates::{DateOrder, Stamp};
use super::prefix;
use crate::catalog::Place;
use crate::formats::clock::{self, LocalClock};
use crate::formats::{About, Skipped};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// How many lines wait for a listing.
const MOST: usize = 1000;
/// What is kept of a line, in characters; a line that is longer holds a dump.
const LONGEST: usize = 500;
/// How far a line may lie outside of the two listings it stands between: printing one takes its time.
const SLACK: TimeDelta = TimeDelta::minutes(1);

/// What a listing says of the lines around it.
pub(super) struct Anchor {
    /// When it was made.
    pub(super) at: Timestamp,
    /// The offset its server named.
    pub(super) offset: Option<FixedOffset>,
    /// The order in which dates are written.
    pub(super) order: Option<DateOrder>,
    /// Whose it is.
    pub(super) partition: String,
}

/// The lines of a file that say something.
pub(super) struct Remarks<'a> {
    about: &'a About,
    held: VecDeque<Remark>,
    /// The listing before those lines.
    before: Option<Anchor>,
    /// How many lines of a kind were in one second.
    seconds: HashMap<(Timestamp, &'static str), u16>,
}

struct Remark {
    line: u64,
    kind: &'static str,
    stamp: Stamp,
    text: String,
}

impl<'a> Remarks<'a> {
    pub(super) fn new(about: &'a About) -> Remarks<'a> {
        Remarks { about, held: VecDeque::new(), before: None, seconds: HashMap::new() }
    }

    /// Takes a line; most say nothing.
    pub(super) fn see(&mut self, line: u64, text: &str, skipped: &mut Skipped, sink: &mut dyn FnMut(Snapshot)) {
        let console = prefix::strip(text);
        let Some(stamp) = console.stamp.filter(|_| !text.chars().any(|c| c.is_control() && c != '\t')) else { return };
        let Some(kind) = console::line(console.text).and_then(|line| line.kind()) else { return };
        if self.held.len() == MOST {
            self.place(None, skipped, sink);
        }
        let text = console.text.trim().chars().take(LONGEST).collect();
        self.held.push_back(Remark { line, kind, stamp, text });
    }

    /// Gives the lines that were held back until this listing.
    pub(super) fn listing(&mut self, next: Anchor, skipped: &mut Skipped, sink: &mut dyn FnMut(Snapshot)) {
        self.place(Some(&next), skipped, sink);
        self.before = Some(next);
    }

    /// Gives the lines behind the last listing.
    pub(super) fn finish(mut self, skipped: &mut Skipped, sink: &mut dyn FnMut(Snapshot)) {
        self.place(None, skipped, sink);
    }

    fn place(&mut self, next: Option<&Anchor>, skipped: &mut Skipped, sink: &mut dyn FnMut(Snapshot)) {
        for remark in std::mem::take(&mut self.held) {
            let anchors = || self.before.iter().chain(next);
            let partition = self.about.partition.clone().or_else(|| Some(anchors().next()?.partition.clone()));
            let Some(partition) = partition else {
                skipped.add(remark.line, "no listing before it or after it says which server this line is of");
                continue;
            };
            let order = remark.stamp.order().or(self.about.date_order).or_else(|| anchors().find_map(|anchor| anchor.order));
            let Some(at) = remark.stamp.at(order).and_then(|local| self.instant(local, next)).filter(clock::plausible) else {
                skipped.add(remark.line, "a line of the console whose time cannot be told");
                continue;
            };
            let mut snapshot = Snapshot::new(self.apart(at, remark.kind), &self.about.host, Duration::ZERO);
            snapshot.note(Place::Console, "finding", &[remark.kind, &partition], &remark.text);
            sink(snapshot);
        }
    }

    /// The instant of a local time: by the zone given, else by the offsets of the listings before and after, whichever puts
    /// the line between them.
    fn instant(&self, local: NaiveDateTime, next: Option<&Anchor>) -> Option<Timestamp> {
        let before = self.before.as_ref();
        if let Some(zone) = self.about.zone {
            return LocalClock::since(zone, before.map(|anchor| anchor.at)).instant(local);
        }
        let offsets = before.into_iter().chain(next).filter_map(|anchor| anchor.offset);
        let possible = offsets.filter_map(|offset| Some(local.and_local_timezone(offset).single()?.to_utc()));
        let fits = |at: &Timestamp| {
            before.is_none_or(|anchor| anchor.at - SLACK <= *at) && next.is_none_or(|anchor| *at <= anchor.at + SLACK)
        };
        possible.clone().find(fits).or_else(|| possible.clone().next())
    }

    /// Consoles write whole seconds. Several lines of a kind in one second are put a millisecond apart, so that all are kept,
    /// and at the same instants when the file is read again.
    fn apart(&mut self, at: Timestamp, kind: &'static str) -> Timestamp {
        self.seconds.retain(|(second, _), _| (at - *second).abs() <= SLACK);
        let count = self.seconds.entry((at, kind)).or_default();
        let apart = at + TimeDelta::milliseconds(i64::from(*count));
        *count = (*count + 1).min(999);
        apart
    }
}
