//! When a line was written: what it says of itself, between two instants that are known.
//!
//! A date may be two days and a zone's name an hour off, but what was not there at one reading and is at the next was written
//! between them, and a log that is read every minute leaves no doubt. Where the log was not read for long, only a time that
//! can be read in one way is believed; the rest is left out and counted.

use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use crate::formats::domino::dates::{self, Zoned};
use crate::formats::domino::numbers;
use crate::formats::domino::show_stat::Listing;
use crate::time::Timestamp;

/// A server makes its statistics anew every minute: a listing may be so much older than the line that shows it.
const EARLIER: TimeDelta = TimeDelta::seconds(65);
/// By so much may two clocks of a host differ that are read one after the other.
const LATER: TimeDelta = TimeDelta::seconds(5);

/// Something with a time of its own that may be unclear.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// When all that had been written was last read without it.
    pub(super) since: Option<Timestamp>,
    /// The reading in which it appeared, where that is known.
    pub(super) appeared: Option<Timestamp>,
}

/// What instants are measured by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// The present.
    pub(super) now: Timestamp,
    /// How often the log is read.
    pub(super) every: Duration,
    /// The zone of the server.
    pub(super) zone: Option<Tz>,
    /// The last instant that was brought.
    pub(super) last: Option<Timestamp>,
    /// Whether all was read that had been written.
    pub(super) complete: bool,
}

impl Frame {
    /// Whether the log was read often enough that the present is the time of what is new.
    pub(super) fn is_close(&self, seen: &Seen) -> bool {
        seen.since.is_some_and(|since| (self.now - since).to_std().is_ok_and(|gap| gap <= 3 * self.every))
    }

    /// The instant of a time as written, where it is sure.
    pub(super) fn own(&self, written: &Zoned<'_>, seen: &Seen) -> Option<Timestamp> {
        let readings = readings(written, self.zone);
        match seen.since {
            Some(since) if self.is_close(seen) => {
                only(readings.into_iter().flatten().filter(|at| (since - EARLIER..=self.now + LATER).contains(at)))
            }
            _ => {
                let after = seen.since.into_iter().chain(self.last).max()?;
                let inside = |at: &Timestamp| after - EARLIER < *at && *at <= self.now + LATER;
                // Two readings of which one fits are still two.
                let mut fitting = readings.into_iter().filter(|readings| readings.iter().any(inside));
                let fits = fitting.next()?;
                if fitting.next().is_some() { None } else { only(fits.into_iter()) }
            }
        }
    }

    /// The instants of a reading's listings, in their order; `None` where one cannot be told.
    pub(super) fn listings(&self, listings: &[(&Listing, Seen)]) -> Vec<Option<Timestamp>> {
        let own = |(listing, seen): &(&Listing, Seen)| {
            text(listing, "Stats.Time.Current").and_then(dates::zoned).and_then(|written| self.own(&written, seen))
        };
        let mut placed: Vec<_> = listings.iter().map(own).collect();
        let Some(((newest, seen), at)) = listings.last().zip(placed.last_mut()) else { return placed };
        if !self.is_close(seen) {
            return placed;
        }
        if at.is_none() && self.complete {
            *at = seen.appeared;
        }
        let Some(newest_at) = *at else { return placed };
        for ((older, seen), at) in listings.iter().zip(&mut placed).filter(|((_, seen), at)| at.is_none() && self.is_close(seen))
        {
            let back = earlier(older, newest).filter(|back| !back.is_zero());
            *at = back.map(|back| newest_at - back).filter(|at| seen.since.is_some_and(|since| since - EARLIER <= *at));
        }
        placed
    }
}

/// How much earlier a listing is than another of the same run of the server.
fn earlier(older: &Listing, newer: &Listing) -> Option<TimeDelta> {
    let start = text(older, "Server.Time.Start")?;
    if text(newer, "Server.Time.Start")? != start {
        return None;
    }
    let up = |listing| numbers::duration(text(listing, "Server.ElapsedTime")?);
    TimeDelta::from_std(Duration::try_from_secs_f64(up(newer)? - up(older)?).ok()?).ok()
}

/// A statistic's value.
fn text<'a>(listing: &'a Listing, name: &str) -> Option<&'a str> {
    listing.stats.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The instants that a time can mean: for each order of its date one, or more where the zone leaves a doubt.
fn readings(written: &Zoned<'_>, zone: Option<Tz>) -> Vec<Vec<Timestamp>> {
    let mut days: Vec<NaiveDateTime> = written.stamp.orders().filter_map(|order| written.stamp.at(Some(order))).collect();
    days.sort_unstable();
    days.dedup();
    let instants = |local: NaiveDateTime| {
        let by_offset = written.offset.and_then(|offset| local.and_local_timezone(offset).single()).map(|at| at.to_utc());
        let by_zone: Vec<DateTime<Utc>> = zone.map_or_else(Vec::new, |zone| {
            let local = zone.from_local_datetime(&local);
            local.earliest().into_iter().chain(local.latest()).map(|at| at.to_utc()).collect()
        });
        match by_offset {
            // In the hour that comes twice the offset says which it is.
            Some(at) if by_zone.is_empty() || by_zone.contains(&at) => vec![at],
            at => by_zone.into_iter().chain(at).collect(),
        }
    };
    days.into_iter().map(instants).collect()
}

/// The only one of them, whatever how often.
fn only(mut all: impl Iterator<Item = Timestamp>) -> Option<Timestamp> {
    let first = all.next()?;
    all.all(|at| at == first).then_some(first)
}
