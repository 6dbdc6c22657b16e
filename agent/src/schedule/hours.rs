//! The hours of one day as they are written, and as instants.

use std::fmt;
use std::str::FromStr;

use chrono::{Days, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::{GapInfo, Tz};

use super::Span;
use crate::time::Timestamp;

const DAY_MINUTES: u16 = 24 * 60;

/// Local hours of one day, in minutes since local midnight.
///
/// `start` is below 1440. An `end` not after `start` is on the next day; an `end` of 1440 is the end of the day itself.
/// Minutes past these limits are no time of day, and such hours never happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// Minute of the day at which they begin.
    pub start: u16,
    /// Minute at which they end, itself outside.
    pub end: u16,
}

/// Why a text gives no hours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HoursError {
    /// It is not two times of day with a dash between them.
    #[error("`{text}` is no span of hours, write it like `07:00-17:00`")]
    Grammar {
        /// What was written.
        text: String,
    },
    /// Both times are the same, which could mean no time at all or a whole day.
    #[error("`{text}` starts and ends at the same time, write it like `07:00-17:00`, or `00:00-24:00` for the whole day")]
    Equal {
        /// What was written.
        text: String,
    },
}

impl Hours {
    /// From midnight to midnight.
    pub const WHOLE_DAY: Hours = Hours { start: 0, end: DAY_MINUTES };

    /// These hours on one day as instants, or `None` if nothing of them exists.
    ///
    /// The rules for the days clocks change, stated here and nowhere else:
    ///
    /// * A start or an end that does not exist, because clocks skip it, is the first instant after the gap. Hours that lie
    ///   wholly inside the gap are therefore empty and do not happen.
    /// * A start that happens twice is the earlier of the two instants, an end that happens twice is the later: the
    ///   window covers both passes of a repeated hour.
    /// * `24:00` is the start of the next civil day, by the rule for a start, so that whole days touch and never overlap,
    ///   also in zones that repeat the hour after midnight.
    pub fn span(self, day: NaiveDate, zone: Tz) -> Option<Span> {
        let start = earliest(at(day, self.start)?, zone)?;
        let next = day.checked_add_days(Days::new(1));
        let end = match self.end {
            DAY_MINUTES => earliest(next?.into(), zone)?,
            end if end <= self.start => latest(at(next?, end)?, zone)?,
            end => latest(at(day, end)?, zone)?,
        };
        (start < end).then_some(Span { start, end })
    }
}

impl FromStr for Hours {
    type Err = HoursError;

    fn from_str(text: &str) -> Result<Hours, HoursError> {
        let parts = text.split_once('-').and_then(|(start, end)| Some((minutes(start.trim())?, minutes(end.trim())?)));
        match parts {
            Some((start, end)) if start == end => Err(HoursError::Equal { text: text.to_owned() }),
            Some((start, end)) if start < DAY_MINUTES => Ok(Hours { start, end }),
            _ => Err(HoursError::Grammar { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hours { start, end } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", start / 60, start % 60, end / 60, end % 60)
    }
}

/// `HH:MM` as minutes; `24:00` is the only time with that hour.
fn minutes(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let digits = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hour) || !digits(minute) || minute.len() != 2 {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60).then_some(hour * 60 + minute).filter(|total| *total <= DAY_MINUTES)
}

/// The civil time at a minute of a day.
fn at(day: NaiveDate, minute: u16) -> Option<NaiveDateTime> {
    let midnight = day.and_time(NaiveTime::MIN);
    (minute < DAY_MINUTES).then(|| midnight.checked_add_signed(TimeDelta::minutes(minute.into())))?
}

fn earliest(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(only) => Some(only.with_timezone(&Utc)),
        MappedLocalTime::Ambiguous(earlier, _) => Some(earlier.with_timezone(&Utc)),
        MappedLocalTime::None => after_gap(local, zone),
    }
}

fn latest(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(only) => Some(only.with_timezone(&Utc)),
        MappedLocalTime::Ambiguous(_, later) => Some(later.with_timezone(&Utc)),
        MappedLocalTime::None => after_gap(local, zone),
    }
}

fn after_gap(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    GapInfo::new(&local, &zone)?.end.map(|end| end.with_timezone(&Utc))
}
