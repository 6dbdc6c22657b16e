//! What the sampler shares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::catalog::Place;
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::sources::Health;
use crate::time::Timestamp;

use super::clocks;
use super::held::Held;

/// What is newest of everything that is sampled.
#[derive(Default)]
pub struct Board {
    /// By stream; the host's own is the one without a name.
    pub pairs: BTreeMap<String, Arc<Pair>>,
    /// What a scrape gets of it: written at the first scrape, the same for all that follow.
    pub text: OnceLock<String>,
}

impl Board {
    /// The newest of the host itself.
    pub fn host(&self) -> Option<&Arc<Pair>> {
        self.pairs.get("")
    }
}

/// The newest snapshot of a stream, and the one before it where something follows from both.
pub struct Pair {
    /// The one before, unless nothing may be computed across the time between.
    pub before: Option<Arc<Snapshot>>,
    /// The newest.
    pub now: Arc<Snapshot>,
    /// What is shown of it in the place of counters that stepped back a little.
    pub held: Held,
}

/// A partition that is known, configured or found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPartition {
    /// Its name.
    pub name: String,
    /// Its data directory, where that is known.
    pub data: Option<PathBuf>,
    /// The release it said last.
    pub release: Option<String>,
    /// The way in; none: found, and not configured.
    pub source: Option<&'static str>,
}

/// Ticks by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticks {
    /// Read in time.
    pub on_time: u64,
    /// Read more than a tenth of the interval late.
    pub late: u64,
    /// Not read.
    pub skipped: u64,
}

/// How the last loading of the configuration went.
#[derive(Debug, Clone)]
pub struct Reload {
    /// When the configuration in force was taken.
    pub at: Timestamp,
    /// Why a newer one was refused.
    pub error: Option<String>,
}

/// How the service fares.
#[derive(Debug, Clone)]
pub struct Status {
    /// When it was started.
    pub started: Timestamp,
    /// The schedule in force.
    pub schedule: Arc<Schedule>,
    /// The configuration.
    pub reload: Reload,
    /// How the sources fare: those of the host under no name, those of a partition under its name.
    pub sources: BTreeMap<String, Vec<Health>>,
    /// The partitions.
    pub partitions: Vec<KnownPartition>,
    /// Ticks so far.
    pub ticks: Ticks,
    /// How long the last sample took.
    pub sample_took: Duration,
    /// CPU seconds of all samples.
    pub sample_cpu_seconds: f64,
    /// Counters that were lower than before, by row.
    pub falls: BTreeMap<&'static str, u64>,
    /// How often time itself jumped.
    pub clock_jumps: u64,
    /// Points read and not kept, by reason.
    pub lost: BTreeMap<&'static str, u64>,
    /// Why the last snapshot was not kept.
    pub history_error: Option<String>,
    /// Fields that no row claims, of the last snapshot of each stream.
    pub unknown: BTreeMap<String, Arc<BTreeSet<(Place, String)>>>,
    /// Size of the history in bytes.
    pub history_bytes: u64,
    /// Points in the history.
    pub history_points: u64,
    /// When the sampler last showed that it lives.
    pub alive: Timestamp,
}

/// The one thing the threads share.
pub struct Shared {
    inner: Mutex<Inner>,
}

struct Inner {
    status: Status,
    latest: Arc<Board>,
}

impl Shared {
    /// Nothing sampled yet.
    pub fn new(started: Timestamp, schedule: Arc<Schedule>) -> Shared {
        let status = Status {
            started,
            schedule,
            reload: Reload { at: started, error: None },
            sources: BTreeMap::new(),
            partitions: Vec::new(),
            ticks: Ticks::default(),
            sample_took: Duration::ZERO,
            sample_cpu_seconds: 0.0,
            falls: BTreeMap::new(),
            clock_jumps: 0,
            lost: BTreeMap::new(),
            history_error: None,
            unknown: BTreeMap::new(),
            history_bytes: 0,
            history_points: 0,
            alive: started,
        };
        Shared { inner: Mutex::new(Inner { status, latest: Arc::default() }) }
    }

    /// How the service fares now.
    pub fn status(&self) -> Status {
        self.lock().status.clone()
    }

    /// When the sampler last showed that it lives.
    pub fn alive(&self) -> Timestamp {
        self.lock().status.alive
    }

    /// What is newest; nothing while the schedule is closed and nothing is read.
    pub fn latest(&self) -> Arc<Board> {
        self.lock().latest.clone()
    }

    /// Changes the status.
    pub fn update(&self, change: impl FnOnce(&mut Status)) {
        change(&mut self.lock().status);
    }

    /// Puts the newest of a stream in the place of what was before.
    pub(super) fn publish(&self, stream: &str, newest: Pair) {
        let mut inner = self.lock();
        let mut pairs = inner.latest.pairs.clone();
        pairs.insert(stream.to_owned(), Arc::new(newest));
        inner.latest = Arc::new(Board { pairs, text: OnceLock::new() });
    }

    /// Takes down what is not to be shown any more.
    pub(super) fn withdraw(&self, old: impl Fn(&str, &Pair) -> bool) {
        let mut inner = self.lock();
        if inner.latest.pairs.iter().any(|(stream, pair)| old(stream, pair)) {
            let mut pairs = inner.latest.pairs.clone();
            pairs.retain(|stream, pair| !old(stream, pair));
            inner.latest = Arc::new(Board { pairs, text: OnceLock::new() });
        }
    }

    /// A thread that panicked with the lock left whole values behind: every change is a plain assignment.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the process itself costs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overhead {
    /// CPU seconds since its start.
    pub cpu_seconds: f64,
    /// Memory now, in bytes.
    pub rss_bytes: f64,
    /// Most memory so far, in bytes.
    pub rss_peak_bytes: f64,
}

impl Overhead {
    /// Reads it; zero where the system does not tell. `VmRSS` and `VmHWM` of proc(5) are in KiB.
    pub fn read() -> Overhead {
        let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let kibibytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0)
        };
        Overhead {
            cpu_seconds: clocks::process_cpu_seconds(),
            rss_bytes: 1024.0 * kibibytes("VmRSS:"),
            rss_peak_bytes: 1024.0 * kibibytes("VmHWM:"),
        }
    }
}
