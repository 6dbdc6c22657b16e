//! Rows of `sadf -d` in time: rows with one stamp are one snapshot.

use std::io::BufRead;
use std::time::Duration;

use chrono::DateTime;

use super::header::Header;
use crate::formats::clock::{self, LocalClock};
use crate::formats::lines::{self, Lines};
use crate::formats::{About, FormatError, Parsed, Skipped};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// One file on its way.
pub(super) struct Reader<'a> {
    about: &'a About,
    sink: &'a mut dyn FnMut(Snapshot),
    skipped: Skipped,
    local: Option<LocalClock>,
    header: Option<Header>,
    /// The rows with one stamp, or why they cannot be taken.
    open: Option<Result<Snapshot, String>>,
    host: String,
    stamp: String,
    /// The stamp before, in this table.
    last: Option<Timestamp>,
    /// Whether the next snapshot continues the one before.
    follows: bool,
    quality: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(about: &'a About, sink: &'a mut dyn FnMut(Snapshot)) -> Reader<'a> {
        Reader {
            about,
            sink,
            skipped: Skipped::default(),
            local: about.zone.map(LocalClock::new),
            header: None,
            open: None,
            host: String::new(),
            stamp: String::new(),
            last: None,
            follows: false,
            quality: "none",
        }
    }

    pub(super) fn read(mut self, input: &mut dyn BufRead) -> Result<Parsed, FormatError> {
        let mut lines = Lines::new(input);
        while let Some((number, text)) = lines.next_line(&mut self.skipped)? {
            match Header::of(&text) {
                Some(header) => self.begin(header),
                None => self.row(number, &text)?,
            }
        }
        self.close();
        if self.header.is_none() {
            return Err(FormatError::Refused("holds no header of `sadf -d`".to_owned()));
        }
        Ok(Parsed { time_quality: self.quality, skipped: self.skipped })
    }

    /// A header begins a table, which has its own order of time.
    fn begin(&mut self, header: Header) {
        self.close();
        self.header = Some(header);
        self.last = None;
        self.follows = false;
        if let Some(clock) = &mut self.local {
            clock.restart();
        }
    }

    /// Gives away the rows with one stamp.
    fn close(&mut self) {
        if let Some(Ok(mut snapshot)) = self.open.take()
            && !(snapshot.readings.is_empty() && snapshot.unknown.is_empty())
        {
            snapshot.follows = std::mem::replace(&mut self.follows, true);
            (self.sink)(snapshot);
        }
    }

    fn row(&mut self, number: u64, text: &str) -> Result<(), FormatError> {
        let mut words = text.split(';');
        let (Some(host), Some(interval), Some(stamp), Some(first)) = (words.next(), words.next(), words.next(), words.next())
        else {
            self.skipped.add(number, "neither a header nor a row");
            return Ok(());
        };
        if interval == "-1" && first.starts_with("LINUX-RESTART") {
            self.close();
            self.follows = false;
            return Ok(());
        }
        // What somebody wrote into the recording (`sadc -C`).
        if interval == "-1" && first.starts_with("COM") {
            return Ok(());
        }
        match &self.header {
            None => {
                self.skipped.add(number, "no header before this row");
                return Ok(());
            }
            Some(header) if header.left_alone() => return Ok(()),
            Some(_) => {}
        }
        if self.open.is_none() || self.host != host || self.stamp != stamp {
            self.close();
            self.open = Some(self.snapshot(host, interval, stamp)?);
            host.clone_into(&mut self.host);
            stamp.clone_into(&mut self.stamp);
        }
        let words: Vec<&str> = std::iter::once(first).chain(words).collect();
        let result = match (&mut self.open, &self.header) {
            (Some(Ok(snapshot)), Some(header)) => header.put(&words, snapshot),
            (Some(Err(why)), _) => Err(why.clone()),
            _ => Ok(()),
        };
        if let Err(why) = result {
            self.skipped.add(number, why);
        }
        Ok(())
    }

    /// The snapshot that rows with this stamp belong to, or why there is none.
    fn snapshot(&mut self, host: &str, interval: &str, stamp: &str) -> Result<Result<Snapshot, String>, FormatError> {
        // A day's recordings are a day long; no interval is longer than a year.
        let every = interval.parse().ok().filter(|seconds| (1..=366 * 86_400).contains(seconds)).map(Duration::from_secs);
        let Some(every) = every else {
            return Ok(Err(format!("interval `{}` cannot be", lines::clip(interval))));
        };
        let at = match self.instant(stamp)? {
            Ok(at) => at,
            Err(why) => return Ok(Err(why)),
        };
        if self.last.replace(at).is_some_and(|last| at <= last) {
            self.follows = false;
            return Ok(Err("its stamp is not later than the one before".to_owned()));
        }
        let host = if self.about.host_given || host.is_empty() { &self.about.host } else { host };
        Ok(Ok(Snapshot::new(at, host, every)))
    }

    /// The instant of a stamp, or why it is none.
    fn instant(&mut self, stamp: &str) -> Result<Result<Timestamp, String>, FormatError> {
        let wrong = || format!("`{}` is no date and time", lines::clip(stamp));
        if let Ok(seconds) = stamp.parse() {
            self.quality = "row stamp in seconds since 1970";
            return Ok(DateTime::from_timestamp(seconds, 0).filter(clock::plausible).ok_or_else(wrong));
        }
        let mut words = stamp.split(' ');
        let (date, time, zone) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next());
        let Some(local) = clock::stamp(date, time).filter(clock::plausible) else { return Ok(Err(wrong())) };
        if zone == Some("UTC") {
            self.quality = "row stamp in UTC";
            return Ok(Ok(local.and_utc()));
        }
        let Some(clock) = &mut self.local else {
            return Err(FormatError::Missing {
                what: "stamps are local times and no zone is named".to_owned(),
                flag: "add --zone with an IANA name, like --zone Europe/Berlin".to_owned(),
            });
        };
        self.quality = "row stamp, zone given";
        Ok(clock.instant(local).ok_or_else(|| format!("{stamp} does not exist in {}", clock.zone())))
    }
}
