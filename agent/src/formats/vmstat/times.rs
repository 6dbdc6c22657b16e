//! When a row ended: by its stamp, or by the start and the interval that the user knows.

use std::time::Duration;

use chrono::{MappedLocalTime, NaiveDateTime, TimeZone};

use crate::formats::clock::{self, LocalClock};
use crate::formats::{About, FormatError};
use crate::time::Timestamp;

/// What is known about the time of a file.
pub(super) struct Times {
    local: Option<LocalClock>,
    start: Option<NaiveDateTime>,
    every: Option<Duration>,
    /// The instant of `start`, once worked out.
    from: Option<Timestamp>,
    quality: &'static str,
}

impl Times {
    pub(super) fn new(about: &About) -> Times {
        Times {
            local: about.zone.map(LocalClock::new),
            start: about.start,
            every: about.every.filter(|every| !every.is_zero()),
            from: None,
            quality: "none",
        }
    }

    /// What the instants rest on; of several the weakest would be the later one, as a file names UTC throughout or not at all.
    pub(super) fn quality(&self) -> &'static str {
        self.quality
    }

    /// The instant of a stamp; `None` where the zone leaves that time out.
    ///
    /// Only UTC says which zone it is: EST is New York's, Indiana's and Sydney's, and the header's word stays when summer comes.
    pub(super) fn stamped(&mut self, local: NaiveDateTime, zone: &str) -> Result<Option<Timestamp>, FormatError> {
        if matches!(zone, "UTC" | "GMT") {
            self.quality = "row stamp, zone named in the file";
            return Ok(Some(local.and_utc()));
        }
        let Some(clock) = &mut self.local else {
            return Err(FormatError::Missing {
                what: format!("zone `{}` is not unique", crate::formats::lines::clip(zone)),
                flag: "add --zone with an IANA name, like --zone America/New_York".to_owned(),
            });
        };
        self.quality = "row stamp, zone given";
        Ok(clock.instant(local))
    }

    /// The end of the interval row with this number, from 1, and its interval; `None` where no recording can be of that time.
    pub(super) fn counted(&mut self, row: u32) -> Result<Option<(Timestamp, Duration)>, FormatError> {
        let (from, every) = match (self.from, self.start, self.every, &self.local) {
            (Some(from), _, Some(every), _) => (from, every),
            (_, Some(start), Some(every), Some(clock)) => (the_one(start, clock)?, every),
            _ => return Err(self.missing()),
        };
        self.from = Some(from);
        self.quality = "start and interval given";
        let end = every.checked_mul(row).and_then(|passed| chrono::TimeDelta::from_std(passed).ok());
        Ok(end.and_then(|passed| from.checked_add_signed(passed)).filter(clock::plausible).map(|at| (at, every)))
    }

    fn missing(&self) -> FormatError {
        let wanted = [
            (self.start.is_none(), "--start \"2026-11-30 07:00\""),
            (self.every.is_none(), "--every 300s"),
            (self.local.is_none(), "--zone with an IANA name, like --zone Europe/Berlin"),
        ];
        let wanted: Vec<&str> = wanted.iter().filter(|(missing, _)| *missing).map(|(_, flag)| *flag).collect();
        FormatError::Missing { what: "no row carries a time".to_owned(), flag: format!("add {}", wanted.join(" and ")) }
    }
}

/// A start that the zone has twice or not at all is asked for again, not chosen.
fn the_one(start: NaiveDateTime, clock: &LocalClock) -> Result<Timestamp, FormatError> {
    let how_often = match clock.zone().from_local_datetime(&start) {
        MappedLocalTime::Single(at) => return Ok(at.to_utc()),
        MappedLocalTime::Ambiguous(..) => "comes twice",
        MappedLocalTime::None => "does not exist",
    };
    Err(FormatError::Missing {
        what: format!("the start {start} {how_often} in {}", clock.zone()),
        flag: "give --start in UTC and add --zone UTC".to_owned(),
    })
}
