//! Saved `show stat` listings and console logs that hold them, as a recording of one partition.
//!
//! A listing dates itself: `Stats.Time.Current` is the server's own clock with its zone. One that does not is placed by the
//! start and interval the user gives. Only whole listings are kept; the signs of numbers are learnt from them and remembered.
//! What a console says between them is kept as facts at its own time (`remarks.rs`).
//! Refused: a day that could be two days, a number that could be two numbers, a partition without a name.

use std::io::BufRead;
use std::time::Duration;

use chrono::FixedOffset;

use super::dates::{self, DateOrder};
use super::numbers::Profile;
use super::remarks::{Anchor, Remarks};
use super::show_stat::{self, Completeness, Listing, Listings, Names};
use super::stats::Stats;
use crate::formats::clock::{self, LocalClock};
use crate::formats::lines::Lines;
use crate::formats::{About, Format, FormatError, Parsed, Skipped};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// How many statistics the beginning of a file must show to be taken for a recording of them.
const ENOUGH: usize = 3;
/// How often statistics are usually saved: what a single listing stands for.
const USUAL: Duration = Duration::from_secs(60);
/// The longest time between two listings that one of them stands for: the statistics collector's own default is an hour.
const LONGEST: Duration = Duration::from_secs(3600);

/// `show stat`, in a file of its own or in a console log.
pub(in crate::formats) struct ShowStat;

impl Format for ShowStat {
    fn name(&self) -> &'static str {
        "show-stat"
    }

    fn matches(&self, head: &str) -> bool {
        show_stat::listings(head).iter().any(|listing| listing.stats.len() >= ENOUGH)
    }

    fn parse(&self, input: &mut dyn BufRead, about: &About, sink: &mut dyn FnMut(Snapshot)) -> Result<Parsed, FormatError> {
        Recording::new(about, sink).read(input)
    }
}

/// A file on its way.
struct Recording<'a> {
    about: &'a About,
    sink: &'a mut dyn FnMut(Snapshot),
    skipped: Skipped,
    local: Option<LocalClock>,
    profile: Option<Profile>,
    order: Option<DateOrder>,
    /// The offset that the last listing named.
    offset: Option<FixedOffset>,
    names: Option<Names>,
    remarks: Remarks<'a>,
    /// Listings found, whole or not.
    listings: u32,
    /// The last snapshot, held back until the next one is there, and when its server started.
    held: Option<(Snapshot, String)>,
    /// Whether the snapshot held back is the file's first.
    first: bool,
    /// What the instants rest on.
    quality: &'static str,
}

impl<'a> Recording<'a> {
    fn new(about: &'a About, sink: &'a mut dyn FnMut(Snapshot)) -> Recording<'a> {
        Recording {
            about,
            sink,
            skipped: Skipped::default(),
            local: about.zone.map(LocalClock::new),
            profile: None,
            order: about.date_order,
            offset: None,
            names: None,
            remarks: Remarks::new(about),
            listings: 0,
            held: None,
            first: true,
            quality: "none",
        }
    }

    fn read(mut self, input: &mut dyn BufRead) -> Result<Parsed, FormatError> {
        let mut lines = Lines::new(input);
        let mut listings = Listings::new();
        let mut last = 0;
        while let Some((number, text)) = lines.next_line(&mut self.skipped)? {
            last = number;
            self.remarks.see(number, &text, &mut self.skipped, self.sink);
            if let Some(listing) = listings.push(&text) {
                self.listing(&listing, number)?;
            }
        }
        if let Some(listing) = listings.finish() {
            self.listing(&listing, last)?;
        }
        if let Some((snapshot, _)) = self.held.take() {
            (self.sink)(snapshot);
        }
        self.remarks.finish(&mut self.skipped, self.sink);
        Ok(Parsed { time_quality: self.quality, skipped: self.skipped })
    }

    /// Takes the listing that ended with this line.
    fn listing(&mut self, listing: &Listing, line: u64) -> Result<(), FormatError> {
        self.listings += 1;
        match show_stat::completeness(listing, self.names.as_ref()) {
            Completeness::Whole => {}
            Completeness::Disagrees { said, found } => {
                self.skipped.add(line, format!("listing says {said} statistics and has {found}"));
                return Ok(());
            }
            Completeness::Unfinished => {
                self.skipped.add(line, "listing without its end");
                return Ok(());
            }
        }
        self.names = Some(Names::of(listing));
        let stats = Stats::of(listing);
        let Some(at) = self.instant(&stats, line)? else { return Ok(()) };
        let partition = match &self.about.partition {
            Some(name) => name.clone(),
            None => partition(&stats)?,
        };
        let anchor = Anchor { at, offset: self.offset, order: self.order, partition: partition.clone() };
        self.remarks.listing(anchor, &mut self.skipped, self.sink);
        let mut snapshot = Snapshot::new(at, &self.about.host, self.about.every.unwrap_or(USUAL));
        self.put(&stats, &partition, line, &mut snapshot);
        self.give(snapshot, stats.text("Server.Time.Start").unwrap_or_default());
        Ok(())
    }

    /// When the listing was made; `None` where it cannot be told and was counted.
    fn instant(&mut self, stats: &Stats<'_>, line: u64) -> Result<Option<Timestamp>, FormatError> {
        let Some(now) = stats.text("Stats.Time.Current").and_then(|text| Some((text, dates::zoned(text)?))) else {
            return self.counted_from_start().map(Some);
        };
        let (text, zoned) = now;
        self.offset = zoned.offset;
        // A date that can be read in one way only needs no help, and after an upgrade the form may be another.
        let order = zoned.stamp.order().or(self.order).or_else(|| stats.date_order());
        self.order = order.or(self.order);
        let missing = |what: String, flag: &str| FormatError::Missing { what, flag: flag.to_owned() };
        let Some(local) = zoned.stamp.at(order) else {
            return Err(missing(format!("`{text}` is one of two days"), "add --date-order dmy, mdy or ymd"));
        };
        let at = match (zoned.offset, &mut self.local) {
            (Some(offset), _) => local.and_local_timezone(offset).single().map(|at| at.to_utc()),
            (None, Some(clock)) => clock.instant(local),
            (None, None) => {
                let what = format!("zone `{}` of `{text}` is not known", zoned.zone);
                return Err(missing(what, "add --zone with an IANA name, like --zone Europe/Berlin"));
            }
        };
        self.quality = if zoned.offset.is_some() { "the server's clock with its zone" } else { "the server's clock, zone given" };
        let at = at.filter(clock::plausible);
        if at.is_none() {
            self.skipped.add(line, format!("listing of a time that cannot be: `{text}`"));
        }
        Ok(at)
    }

    /// The listings follow each other in the interval given, from the start given.
    fn counted_from_start(&mut self) -> Result<Timestamp, FormatError> {
        let (Some(start), Some(every), Some(clock)) = (self.about.start, self.about.every, &mut self.local) else {
            return Err(FormatError::Missing {
                what: "a listing without `Stats.Time.Current` does not say when it was made".to_owned(),
                flag: "add --start \"2026-11-30 07:00\" --every 300s and --zone with an IANA name".to_owned(),
            });
        };
        let first = clock.instant(start).ok_or_else(|| FormatError::Missing {
            what: format!("`{start}` does not exist in {}", clock.zone()),
            flag: "give another --start".to_owned(),
        })?;
        self.quality = "start and interval given";
        let passed =
            chrono::TimeDelta::from_std(every).ok().and_then(|every| every.checked_mul(i32::try_from(self.listings - 1).ok()?));
        passed
            .and_then(|passed| first.checked_add_signed(passed))
            .ok_or_else(|| FormatError::Refused("the interval leads out of time".to_owned()))
    }

    fn put(&mut self, stats: &Stats<'_>, partition: &str, line: u64, into: &mut Snapshot) {
        let put = stats.put(partition, &self.about.named, &mut self.profile, into);
        if let Some(conflict) = put.conflict {
            self.skipped.add(line, format!("numbers contradict each other: `{}` and `{}`", conflict.first, conflict.second));
        }
        if put.unclear > 0 {
            self.skipped.add(line, format!("{} numbers that could be two numbers", put.unclear));
        }
    }

    /// Gives the snapshot before this one. Each stands for the time since the one before it, the first for the time to the next.
    fn give(&mut self, mut snapshot: Snapshot, start: &str) {
        snapshot.follows = false;
        if let Some((mut before, before_start)) = self.held.take() {
            let gap = (snapshot.at - before.at).to_std().ok().filter(|gap| !gap.is_zero() && *gap <= LONGEST);
            if let Some(gap) = gap {
                snapshot.follows = before_start == start;
                snapshot.every = gap;
                if self.first {
                    before.every = gap;
                }
            }
            self.first = false;
            (self.sink)(before);
        }
        self.held = Some((snapshot, start.to_owned()));
    }
}

/// The common name of the server: `mail1` of `CN=mail1/O=Acme`.
fn partition(stats: &Stats<'_>) -> Result<String, FormatError> {
    let name = stats.text("Server.Name").map(|name| name.split('/').next().unwrap_or_default());
    let name = name.map(|name| name.trim_start_matches("CN=").trim()).filter(|name| !name.is_empty());
    name.map(str::to_owned).ok_or_else(|| FormatError::Missing {
        what: "a listing does not name its server".to_owned(),
        flag: "add --partition NAME".to_owned(),
    })
}
