//! Expositions of one writer, one after the other: whether each is one, and whether it is new.
//!
//! domprom says in its text when it made it. A text can be fetched or copied anew while nobody makes it any more.

use chrono::{DateTime, TimeDelta};

use super::answer::Flaw;
use crate::formats::domino::exposition::{Parsed, Sample};
use crate::time::Timestamp;

/// Names under which domprom's releases give the time of their figures, in seconds since 1970.
const MADE: [&str; 2] = ["DominoHealth_stat_update_timestamp", "DominoHealth_StatUpdateEpochTime"];

/// What was seen of a writer.
#[derive(Debug, Default)]
pub(super) struct Expositions {
    /// The time that its last text gave, and when that was seen first.
    last: Option<(Timestamp, Timestamp)>,
    /// Lines of its last text that were no samples.
    refused: u64,
}

/// An exposition that is new.
#[derive(Debug, PartialEq)]
pub(super) struct New {
    pub(super) samples: Vec<Sample>,
    /// When it was made, in its own words.
    pub(super) made: Option<Timestamp>,
}

impl New {
    /// The instant of its samples: its own where that can be true, which is not after now and within `patience` of the time
    /// `other` at which it was written or fetched; else that one.
    pub(super) fn at(&self, other: Timestamp, now: Timestamp, patience: TimeDelta) -> Timestamp {
        self.made.filter(|made| *made <= now && (*made - other).abs() <= patience).unwrap_or(other)
    }
}

impl Expositions {
    /// Takes a text; nothing where its own time is that of the one before. A time that stands still for longer than `patience`
    /// is a flaw; `of` names the text in the log.
    pub(super) fn take(&mut self, of: &str, parsed: Parsed, now: Timestamp, patience: TimeDelta) -> Result<Option<New>, Flaw> {
        if parsed.cut {
            return Err(Flaw::Cut);
        }
        self.log(of, &parsed);
        let made = made(&parsed.samples);
        match (made, self.last) {
            (Some(made), Some((last, since))) if made == last => {
                return if now - since > patience { Err(Flaw::Still(now - since)) } else { Ok(None) };
            }
            (made, _) => self.last = made.map(|made| (made, now)),
        }
        Ok(Some(New { samples: parsed.samples, made }))
    }

    /// Lines that are left out each time are told once.
    fn log(&mut self, of: &str, parsed: &Parsed) {
        let refused = &parsed.refused;
        if let Some(first) = refused.first.first().filter(|_| refused.count != self.refused) {
            tracing::warn!("{of}: {} lines are no samples, the first is line {}: {}", refused.count, first.line, first.why);
        }
        self.refused = refused.count;
    }
}

/// When domprom made these samples.
fn made(samples: &[Sample]) -> Option<Timestamp> {
    let sample = samples.iter().find(|sample| MADE.iter().any(|name| name.eq_ignore_ascii_case(&sample.name)))?;
    DateTime::from_timestamp(sample.value as i64, 0).filter(|_| sample.value > 0.0)
}
