//! One partition, live: its way in, and what stands beside its statistics.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use chrono::TimeDelta;

use super::age::{limit, spoken};
use super::reader::{Field, Reader};
use super::registered::Registered;
use super::{Brought, WayIn, What, url};
use crate::catalog::Place;
use crate::formats::domino::stats::Named;
use crate::snapshot::Snapshot;
use crate::sources::{self, SourceError, Watched};
use crate::time::Timestamp;

/// What the stream of a partition's processes and files ends with; a partition's own name holds no slash.
pub const BESIDE: &str = "/beside";

/// What a partition must be told.
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// Its name.
    pub name: String,
    /// The host it runs on.
    pub host: String,
    /// How often what is read is renewed.
    pub every: Duration,
    /// The way in; none: only what stands beside the statistics is read.
    pub way: Option<super::Way>,
    /// Its data directory, where it lies on this host.
    pub data: Option<PathBuf>,
    /// Statistics that no row claims and that are wanted all the same.
    pub named: Vec<Named>,
    /// Where the samples of another application go; empty for Domino.
    pub fields: Vec<Field>,
    /// Where `/proc` lies.
    pub root: PathBuf,
    /// Where its registered users are counted; none: somebody else knows them, or nobody.
    pub registered: Option<url::Settings>,
}

/// How long anything may take that has no deadline of its own, and what is allowed beyond a deadline.
const MARGIN: Duration = Duration::from_secs(5);

impl Settings {
    /// How long a reading may take before something is wrong.
    pub fn patience(&self) -> Duration {
        MARGIN + self.way.as_ref().map_or(Duration::ZERO, super::Way::deadline)
    }

    /// Of a partition whose statistics are not read, without name and directory.
    pub fn beside_only(host: &str, every: Duration, root: &Path) -> Settings {
        Settings {
            name: String::new(),
            host: host.to_owned(),
            every,
            way: None,
            data: None,
            named: Vec::new(),
            fields: Vec::new(),
            root: root.to_owned(),
            registered: None,
        }
    }

    /// What its readings are called where they are not told apart.
    pub fn way_name(&self) -> &'static str {
        self.way.as_ref().map_or("beside", super::Way::name)
    }
}

/// One partition.
pub struct Partition {
    name: String,
    host: String,
    way: Option<Way>,
    /// Its users, where they are counted.
    registered: Option<Counted>,
    /// Its processes and files.
    beside: Vec<Watched>,
}

struct Counted {
    users: Registered,
    health: sources::Health,
}

struct Way {
    way: Box<dyn WayIn>,
    reader: Reader,
    every: Duration,
    health: sources::Health,
    /// Since when it is tried.
    since: Option<Timestamp>,
    /// What was not kept, as long as nothing new was taken since.
    refusal: Option<Refusal>,
}

/// What was not kept, and what to do about it.
#[derive(Clone)]
struct Refusal {
    what: String,
    next: String,
}

/// What came of one reading of a partition.
pub struct Report {
    /// The partition.
    pub partition: String,
    /// What was read, in order of time within each stream.
    pub snapshots: Vec<Snapshot>,
    /// How its sources fare.
    pub sources: Vec<sources::Health>,
}

impl Partition {
    /// Ready to read; nothing is opened yet. `stop` has a reading that waits end soon.
    pub fn new(settings: &Settings, stop: &Arc<AtomicBool>) -> Partition {
        let Settings { name, host, every, named, fields, .. } = settings;
        let way = settings.way.as_ref().map(|way| {
            let way = way.open(name, *every, stop.clone());
            let health = sources::Health::new(way.name(), name);
            Way { way, reader: Reader::new(name, host, named, fields), every: *every, health, since: None, refusal: None }
        });
        let beside = settings.data.as_deref().map(|data| super::beside(name, data, &settings.root)).unwrap_or_default();
        let beside = beside.into_iter().map(|source| Watched::of(source, name)).collect();
        let registered = settings.registered.clone().map(|counted| Counted::new(counted, name));
        Partition { name: name.clone(), host: host.clone(), way, registered, beside }
    }

    /// Reads once; faults are told in the report and cost only their source.
    pub fn read(&mut self, now: Timestamp, every: Duration) -> Report {
        let mut snapshots = Vec::new();
        // First, since it is of this moment: a way may take its time.
        if !self.beside.is_empty() {
            let mut into = Snapshot::new(now, &self.host, every).of(&format!("{}{BESIDE}", self.name));
            sources::read_all(&mut self.beside, &mut into);
            snapshots.push(into);
        }
        if let Some(way) = &mut self.way {
            way.read(now, every, &mut snapshots);
        }
        if let Some(registered) = &mut self.registered {
            registered.read(now);
            let own = snapshots.iter_mut().filter(|snapshot| snapshot.stream == self.name);
            own.for_each(|snapshot| registered.put(&self.name, snapshot));
        }
        let beside = self.beside.iter().map(|watched| watched.health.clone());
        let own = self.way.iter().map(|way| &way.health).chain(self.registered.iter().map(|counted| &counted.health));
        let sources = own.cloned().chain(beside).collect();
        Report { partition: self.name.clone(), snapshots, sources }
    }
}

impl Counted {
    fn new(settings: url::Settings, partition: &str) -> Counted {
        let users = Registered::new(settings);
        let health = sources::Health::new(users.name(), partition);
        Counted { users, health }
    }

    fn read(&mut self, now: Timestamp) {
        let result = sources::timed(&mut self.health, || self.users.read(now));
        self.health.judge(result, self.users.good());
    }

    /// Puts the number beside what a server said of itself.
    fn put(&self, partition: &str, snapshot: &mut Snapshot) {
        if snapshot.readings.is_empty() {
            return;
        }
        if let Some(users) = self.users.at(snapshot.at) {
            snapshot.put(Place::Partition, "registered", &[partition], users as f64);
        }
    }
}

impl Way {
    fn read(&mut self, now: Timestamp, tick: Duration, snapshots: &mut Vec<Snapshot>) {
        // What is renewed every five minutes is no better for being read every minute, and the other way round.
        let every = self.every.max(tick);
        let Way { way, reader, health, refusal, .. } = self;
        let mut refused = 0;
        reader.look_at(now);
        let result = sources::timed(health, || {
            let mut brought: Vec<Brought> = Vec::new();
            let mut result = way.read(now, &mut brought);
            refused += take_down(&result, refusal);
            apart(&mut brought);
            for brought in brought {
                let last = reader.last();
                let taken = reader.take(brought, every).map(|snapshot| snapshots.extend(snapshot));
                refused += take_down(&taken, refusal);
                if reader.last() != last {
                    *refusal = None;
                }
                result = result.and(taken);
            }
            result
        });
        health.refused += refused;
        let since = *self.since.get_or_insert(now);
        let standing = self.refusal.clone().map_or(Ok(()), |Refusal { what, next }| Err(SourceError::NotKept { what, next }));
        let result = result.and(standing).and_then(|()| fresh(reader_age(&self.reader, since, now), every));
        self.health.judge(result, self.reader.last());
    }
}

/// Notes what was not kept, so that it is told until something is; returns how many readings that were.
fn take_down(result: &Result<(), SourceError>, refusal: &mut Option<Refusal>) -> u64 {
    let Err(SourceError::NotKept { what, next }) = result else { return 0 };
    *refusal = Some(Refusal { what: what.clone(), next: next.clone() });
    1
}

/// Lines of the console that were found together come a millisecond apart, so that each is an event of its own.
fn apart(brought: &mut [Brought]) {
    let said = brought.iter_mut().filter(|brought| matches!(brought.what, What::Said { .. }));
    for (i, brought) in (0..).zip(said) {
        brought.at += TimeDelta::milliseconds(i);
    }
}

/// How long ago something new was taken, or how long it is tried without.
fn reader_age(reader: &Reader, since: Timestamp, now: Timestamp) -> TimeDelta {
    now - reader.last().unwrap_or(since)
}

fn fresh(age: TimeDelta, every: Duration) -> Result<(), SourceError> {
    if age.to_std().unwrap_or_default() <= limit(every) {
        return Ok(());
    }
    Err(SourceError::Refused {
        what: format!("nothing new for {}", spoken(age)),
        next: "does the server still write its statistics? Where it does so less often, set `every` in its [[partition]]"
            .to_owned(),
    })
}
