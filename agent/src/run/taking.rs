//! What becomes of a snapshot: it is told what it follows, kept, and shown.
//!
//! Streams know nothing of each other. A jump of time breaks all of them, a restart of a partition only its own.

use std::collections::HashMap;
use std::sync::Arc;

use super::clocks::Jump;
use super::daily::is_activity;
use super::held::{Held, hold};
use super::keeper::Keeper;
use super::state::{Pair, Shared};
use crate::catalog::Place;
use crate::history::HistoryError;
use crate::snapshot::{Reading, Snapshot};
use crate::sources::chain;

/// Takes snapshots.
pub(super) struct Taking {
    pub(super) keeper: Keeper,
    shared: Arc<Shared>,
    streams: HashMap<String, Stream>,
    /// Jumps of time that no snapshot of the host in the history tells of yet.
    untold: Vec<Jump>,
}

/// Where a stream stands.
#[derive(Default)]
struct Stream {
    /// Its last snapshot.
    before: Option<Arc<Snapshot>>,
    /// Nothing may be computed from the last snapshot to the next.
    anew: bool,
    /// A break that the history was not told of.
    untold: bool,
    held: Held,
}

impl Taking {
    pub(super) fn new(keeper: Keeper, shared: Arc<Shared>) -> Taking {
        Taking { keeper, shared, streams: HashMap::new(), untold: Vec::new() }
    }

    /// Nothing may be computed across this moment, in any stream.
    pub(super) fn break_all(&mut self, jump: Option<Jump>) {
        self.untold.extend(jump);
        for stream in self.streams.values_mut() {
            stream.anew = true;
            stream.untold |= jump.is_some();
        }
    }

    /// What was sampled is over: it is not shown as if it were new.
    pub(super) fn rest(&mut self) {
        self.streams.values_mut().for_each(|stream| stream.before = None);
        self.shared.withdraw(|stream, _| !is_activity(stream));
    }

    /// Takes a snapshot, and gives it as it was kept and shown; nothing where it was texts alone.
    pub(super) fn take(&mut self, mut now: Snapshot) -> Option<Arc<Snapshot>> {
        // Texts alone continue nothing and break nothing.
        if now.readings.is_empty() {
            let kept = self.keeper.keep(&now);
            self.record(&now, &[], kept);
            return None;
        }
        let stream = self.streams.entry(now.stream.clone()).or_default();
        let last = stream.before.take();
        let anew = std::mem::take(&mut stream.anew);
        let before = last.clone().filter(|last| !anew && now.follows && !now.breaks_from(last));
        let host = now.stream.is_empty();
        let tells = host && !self.untold.is_empty();
        // What the history was not told of is told with the first snapshot it keeps, and broken there.
        now.follows = before.is_some() && !stream.untold && !tells;
        if tells {
            let jumps: Vec<String> = self.untold.iter().map(ToString::to_string).collect();
            now.note(Place::Agent, "clock", &[], &jumps.join("; "));
        }
        let kept = self.keeper.keep(&now);
        if kept.is_ok() {
            stream.untold = false;
            if host {
                self.untold.clear();
            }
        }
        let fallen: Vec<&Reading> = last.iter().flat_map(|last| now.falls_from(last)).collect();
        // Prometheus knows nothing of breaks: what was shown before one is still what it compares with.
        stream.held = last.as_deref().map(|last| hold(&stream.held, last, &now, &fallen)).unwrap_or_default();
        let held = stream.held.clone();
        self.record(&now, if before.is_some() { &fallen } else { &[] }, kept);
        let now = Arc::new(now);
        if let Some(stream) = self.streams.get_mut(&now.stream) {
            stream.before = Some(now.clone());
        }
        self.shared.publish(&now.stream, Pair { before, now: now.clone(), held });
        Some(now)
    }

    /// Tells how it went.
    fn record(&mut self, now: &Snapshot, fallen: &[&Reading], kept: Result<(), HistoryError>) {
        let points = now.readings.len() as u64;
        let bytes = self.keeper.history().and_then(|history| history.bytes());
        self.shared.update(|status| {
            if points > 0 {
                status.unknown.insert(now.stream.clone(), Arc::new(now.unknown.clone()));
            }
            for reading in fallen {
                *status.falls.entry(reading.metric.name).or_default() += 1;
            }
            status.history_bytes = bytes.unwrap_or_default();
            match &kept {
                Err(error) => *status.lost.entry(error.why()).or_default() += points,
                Ok(()) => status.history_points += points,
            }
            let text = kept.err().map(|error| chain(&error));
            if text != status.history_error {
                match &text {
                    Some(error) => tracing::error!("{error}; sampling and /metrics go on, the loss is counted"),
                    None => tracing::info!("the history is written again"),
                }
            }
            status.history_error = text;
        });
    }
}
