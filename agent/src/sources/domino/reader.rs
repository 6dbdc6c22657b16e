//! What a way brought, judged and put: one reader a partition.
//!
//! The reader knows what a single listing does not show: the signs of numbers and the names of the listing before, which
//! server speaks here, since when it runs, and what it said last, so that nothing is taken twice.
//! Refused: a listing that may not be whole, one of another server, and the same one again.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::{Brought, What};
use crate::catalog::{Metric, Place};
use crate::formats::domino::exposition::Sample;
use crate::formats::domino::numbers::{self, Profile};
use crate::formats::domino::show_stat::{self, Completeness, Listing, Names};
use crate::formats::domino::stats::{self, Named, Stats};
use crate::snapshot::Snapshot;
use crate::sources::SourceError;
use crate::time::{Timestamp, rfc3339};

#[cfg(test)]
mod tests;

/// How far two readings of a server's uptime may contradict the time between them, in seconds: both are whole seconds.
const SLACK: f64 = 2.0;
/// Since when the server runs, as domprom says: local time in the shape of seconds since 1970, and so a mark and no instant.
const STARTED: &str = "DominoHealth_Server_Time_Start";

/// A row, and which samples of another application add up to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The row.
    pub metric: &'static Metric,
    /// Values of its labels before the last, which is the partition.
    pub labels: Vec<String>,
    /// The name of the samples.
    pub name: String,
    /// Labels that they must have.
    pub with: Vec<(String, String)>,
}

/// Reads one partition.
pub(super) struct Reader {
    partition: String,
    host: String,
    named: Vec<Named>,
    fields: Vec<Field>,
    profile: Option<Profile>,
    names: Option<Names>,
    /// The server's own name, as it was first said.
    server: Option<String>,
    /// The last name in what was published before.
    ending: Option<String>,
    last: Option<Last>,
}

/// What was taken last.
struct Last {
    at: Timestamp,
    /// What stands for the whole of what was said: the same again is nothing new.
    mark: Mark,
    run: Run,
}

#[derive(PartialEq)]
enum Mark {
    /// The server's clock.
    Clock(String),
    /// All that was said.
    Digest(u64),
}

/// What tells one run of a server from another.
#[derive(Default)]
struct Run {
    /// Seconds since the start.
    uptime: Option<f64>,
    /// The start in the server's own words, which may change with the clocks in spring and autumn.
    start: Option<String>,
}

impl Run {
    /// Whether the server was started anew `passed` seconds or less ago.
    fn is_another(&self, before: &Run, passed: f64) -> bool {
        match (self.uptime, before.uptime) {
            (Some(now), Some(before)) => now < before || now < passed - SLACK,
            _ => self.start.is_some() && before.start.is_some() && self.start != before.start,
        }
    }
}

impl Reader {
    pub(super) fn new(partition: &str, host: &str, named: &[Named], fields: &[Field]) -> Reader {
        Reader {
            partition: partition.to_owned(),
            host: host.to_owned(),
            named: named.to_vec(),
            fields: fields.to_vec(),
            profile: None,
            names: None,
            server: None,
            ending: None,
            last: None,
        }
    }

    /// When something was last taken.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.last.as_ref().map(|last| last.at)
    }

    /// The present, as the next readings see it. Where it lies before the last reading, the clock was set back,
    /// and what is said from now on is not compared with what was said then.
    pub(super) fn look_at(&mut self, now: Timestamp) {
        self.last.take_if(|last| last.at > now);
    }

    /// Makes a snapshot of what was brought, which stands for the time `every` before it; none where it is nothing new.
    pub(super) fn take(&mut self, brought: Brought, every: Duration) -> Result<Option<Snapshot>, SourceError> {
        let late = self.last.as_ref().filter(|last| brought.at <= last.at).map(|last| last.at);
        let mut into = Snapshot::new(brought.at, &self.host, every).of(&self.partition);
        let (mark, run) = match brought.what {
            What::Said { kind, text } => {
                into.note(Place::Console, "finding", &[kind, &self.partition], &text);
                return Ok(Some(into));
            }
            _ if late == Some(brought.at) => return Ok(None),
            _ if late.is_some() => {
                let last = late.map_or_else(String::new, rfc3339);
                return Err(refused(
                    format!("what is of {} came after what is of {last}", rfc3339(brought.at)),
                    "it was not kept; see whether the clocks of this host and the server agree",
                ));
            }
            What::Listing(listing) => match self.listing(&listing, &mut into)? {
                Some(found) => found,
                None => return Ok(None),
            },
            What::Exposition(samples) if self.fields.is_empty() => self.domprom(&samples, &mut into)?,
            What::Exposition(samples) => self.application(&samples, &mut into)?,
            What::Published(stats) => self.published(&stats, &mut into),
        };
        keep_first(&mut into);
        Ok(self.follow(into, mark, run))
    }

    /// Says whether the snapshot continues the one before; `None` for the same again.
    fn follow(&mut self, mut into: Snapshot, mark: Mark, run: Run) -> Option<Snapshot> {
        into.follows = false;
        if let Some(last) = &self.last {
            // An application that rests says the same again; a server's clock does not rest.
            if last.mark == mark && self.fields.is_empty() {
                return None;
            }
            into.follows = !run.is_another(&last.run, (into.at - last.at).as_seconds_f64());
        }
        self.last = Some(Last { at: into.at, mark, run });
        Some(into)
    }

    fn listing(&mut self, listing: &Listing, into: &mut Snapshot) -> Result<Option<(Mark, Run)>, SourceError> {
        match show_stat::completeness(listing, self.names.as_ref()) {
            Completeness::Whole => {}
            Completeness::Disagrees { said, found } => {
                return Err(refused(
                    format!("a listing says {said} statistics and has {found}"),
                    "it was not kept; lines of it were lost or belong to another",
                ));
            }
            Completeness::Unfinished => {
                return Err(refused("a listing has no end".to_owned(), "it was not kept; was it cut?"));
            }
        }
        let stats = Stats::of(listing);
        let server = stats.text("Server.Name");
        self.same_server(server)?;
        let put = stats.put(&self.partition, &self.named, &mut self.profile, into);
        if let Some(conflict) = put.conflict {
            return Err(refused(conflict.to_string(), "the listing was not kept; it seems to be of two servers"));
        }
        // Only now: a listing that is refused must teach nothing.
        if !self.names.as_ref().is_some_and(|names| names.is_of_as_many(listing)) {
            self.names = Some(Names::of(listing));
        }
        self.server = self.server.take().or_else(|| server.map(str::to_owned));
        let elapsed = stats.text("Server.ElapsedTime");
        let run = Run { uptime: elapsed.and_then(numbers::duration), start: stats.text("Server.Time.Start").map(str::to_owned) };
        let clock = stats.text("Stats.Time.Current").or(elapsed).map(str::to_owned);
        let mark = clock.map_or_else(|| Mark::Digest(digest(listing.stats.iter())), Mark::Clock);
        Ok(Some((mark, run)))
    }

    /// A way that leads to another server, by a path mistyped or a directory moved, must not mix two servers.
    fn same_server(&self, name: Option<&str>) -> Result<(), SourceError> {
        match (&self.server, name) {
            (Some(known), Some(name)) if known != name => Err(refused(
                format!("the listing is of server `{name}`, and those before were of `{known}`"),
                "it was not kept; correct the [[partition]], or restart the agent if the server was renamed",
            )),
            _ => Ok(()),
        }
    }

    fn domprom(&self, samples: &[Sample], into: &mut Snapshot) -> Result<(Mark, Run), SourceError> {
        for sample in samples.iter().filter(|sample| sample.labels.is_empty()) {
            match self.named.iter().find(|named| named.is_spelled(&sample.name)) {
                None => into.put(Place::Domprom, &sample.name, &[&self.partition], sample.value),
                Some(named) => stats::put(&named.statistic, sample.value, &self.partition, &self.named, into),
            }
        }
        if into.readings.is_empty() {
            return Err(refused(
                "none of the samples is a statistic of Domino".to_owned(),
                "set kind = \"prometheus\" and [partition.fields] for another application",
            ));
        }
        let uptime = into.value("domino_uptime_seconds", &[&self.partition]);
        Ok((digest_of_samples(samples), Run { uptime, start: start_of(samples, STARTED) }))
    }

    fn application(&self, samples: &[Sample], into: &mut Snapshot) -> Result<(Mark, Run), SourceError> {
        for field in &self.fields {
            let mut sum = None;
            for sample in samples.iter().filter(|sample| field.claims(sample)) {
                sum = Some(sum.unwrap_or(0.0) + sample.value);
            }
            let Some(sum) = sum else {
                return Err(refused(format!("no sample for `{}`", field.name), "nothing was kept; correct [partition.fields]"));
            };
            let labels: Vec<&str> = field.labels.iter().map(String::as_str).chain([self.partition.as_str()]).collect();
            into.put_row(field.metric, &labels, sum);
        }
        Ok((digest_of_samples(samples), Run { uptime: None, start: start_of(samples, "process_start_time_seconds") }))
    }

    /// A body that was cut looks like a whole one, and its last number may be short. So the last entry counts only where an
    /// earlier body ended with it.
    fn published(&mut self, stats: &[(String, f64)], into: &mut Snapshot) -> (Mark, Run) {
        let ending = stats.last().map(|(name, _)| name.clone());
        let sure = stats.len() - usize::from(ending.is_some() && ending != self.ending);
        self.ending = ending;
        for (name, number) in &stats[..sure] {
            // Published by itself, it is the uptime at full precision; in a listing it stands beside it.
            if name.eq_ignore_ascii_case("Server.ElapsedTimeDays") {
                into.put(Place::Domino, "Server.ElapsedTime", &[&self.partition], number * 86_400.0);
            } else {
                stats::put(name, *number, &self.partition, &self.named, into);
            }
        }
        let uptime = into.value("domino_uptime_seconds", &[&self.partition]);
        (Mark::Digest(digest(stats.iter().map(|(name, number)| (name, number.to_bits())))), Run { uptime, start: None })
    }
}

impl Field {
    fn claims(&self, sample: &Sample) -> bool {
        sample.name == self.name && self.with.iter().all(|with| sample.labels.contains(with))
    }
}

/// Of two numbers of one series the first stays.
fn keep_first(into: &mut Snapshot) {
    let mut seen = HashSet::with_capacity(into.readings.len());
    let first: Vec<bool> = into.readings.iter().map(|reading| seen.insert((reading.metric.name, &reading.labels))).collect();
    let mut first = first.into_iter();
    into.readings.retain(|_| first.next().unwrap_or(true));
}

/// The start as a sample says it.
fn start_of(samples: &[Sample], name: &str) -> Option<String> {
    samples.iter().find(|sample| sample.name == name).map(|sample| sample.value.to_string())
}

fn digest_of_samples(samples: &[Sample]) -> Mark {
    Mark::Digest(digest(samples.iter().map(|sample| (&sample.name, &sample.labels, sample.value.to_bits()))))
}

fn digest<T: Hash>(all: impl Iterator<Item = T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    all.for_each(|one| one.hash(&mut hasher));
    hasher.finish()
}

fn refused(what: String, next: &str) -> SourceError {
    SourceError::NotKept { what, next: next.to_owned() }
}
