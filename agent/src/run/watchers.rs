//! Partitions, each read on a thread of its own: one that hangs costs nobody else.
//!
//! A thread is asked at every tick and answers when it is done. What it says comes back as a word to the sampler,
//! which alone keeps and shows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;

use super::clocks::thread_cpu_seconds;
use super::sampler::Control;
use crate::sources::Health;
use crate::sources::domino::{Partition, Settings, discovery};
use crate::time::{Timestamp, rfc3339};

/// How long the last reading before a pause is waited for.
const PATIENCE: TimeDelta = TimeDelta::minutes(1);

/// A tick: when, and the time between two of them.
type Ask = (Timestamp, Duration);

/// The threads.
pub(super) struct Watchers {
    words: Weak<Sender<Control>>,
    all: BTreeMap<String, Watcher>,
}

struct Watcher {
    settings: Settings,
    asks: SyncSender<Ask>,
    /// Has a reading under way end soon.
    stop: Arc<AtomicBool>,
    /// The tick that was asked for and is not answered yet.
    open: Option<Timestamp>,
}

impl Watchers {
    pub(super) fn new(words: Weak<Sender<Control>>) -> Watchers {
        Watchers { words, all: BTreeMap::new() }
    }

    /// Watches these partitions; those that go on as they were keep what they know.
    pub(super) fn set(&mut self, wanted: &[Settings]) {
        let mut old = std::mem::take(&mut self.all);
        for settings in wanted {
            let kept = old.remove(&settings.name).filter(|watcher| watcher.settings == *settings);
            let watcher = kept.map_or_else(|| self.start(settings), Ok);
            match watcher {
                Ok(watcher) => drop(self.all.insert(settings.name.clone(), watcher)),
                Err(error) => tracing::error!("cannot start a thread for partition {}: {error}", settings.name),
            }
        }
    }

    fn start(&self, settings: &Settings) -> std::io::Result<Watcher> {
        let (asks, asked) = sync_channel(1);
        let (words, settings, own) = (self.words.clone(), settings.clone(), settings.clone());
        // Deep enough for a grammar, and no more: there may be dozens.
        let thread = std::thread::Builder::new().name(format!("partition {}", own.name)).stack_size(1 << 20);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        thread.spawn(move || watch(&own, &stopped, &asked, &words))?;
        Ok(Watcher { settings, asks, stop, open: None })
    }

    /// Looks for servers, on a thread that ends when it has looked.
    pub(super) fn discover(&self, root: &Path) {
        let (words, root) = (self.words.clone(), root.to_owned());
        let look = move || {
            let discovery = discovery::scan(&root);
            if let Some(words) = words.upgrade() {
                // A sampler that ended needs no answer.
                let _ = words.send(Control::Found(discovery));
            }
        };
        if let Err(error) = std::thread::Builder::new().name("discovery".to_owned()).spawn(look) {
            tracing::warn!("cannot look for Domino servers: {error}");
        }
    }

    /// Asks every partition; gives how those fare that did not answer the tick before.
    pub(super) fn ask(&mut self, at: Timestamp, every: Duration) -> Vec<Health> {
        self.all.values_mut().filter_map(|watcher| watcher.ask(at, every)).collect()
    }

    /// Whether a partition is still being read that was asked not long ago.
    pub(super) fn busy(&self, now: Timestamp) -> bool {
        self.all.values().filter_map(|watcher| watcher.open).any(|asked| now - asked < PATIENCE)
    }

    /// Takes down that a partition answered.
    pub(super) fn answered(&mut self, partition: &str) {
        if let Some(watcher) = self.all.get_mut(partition) {
            watcher.open = None;
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Watcher {
    fn ask(&mut self, at: Timestamp, every: Duration) -> Option<Health> {
        let asked = match self.open {
            Some(_) => Err(TrySendError::Full((at, every))),
            None => self.asks.try_send((at, every)),
        };
        let error = match asked {
            Ok(()) => {
                self.open = Some(at);
                return None;
            }
            Err(TrySendError::Full(_)) => format!(
                "the reading begun at {} has not ended; does its disk or its network hang?",
                self.open.map_or_else(String::new, rfc3339)
            ),
            Err(TrySendError::Disconnected(_)) => "its thread ended by a fault of this program; please report this".to_owned(),
        };
        let mut health = Health::new(self.settings.way_name(), &self.settings.name);
        health.error = Some(error);
        Some(health)
    }
}

/// The thread.
fn watch(settings: &Settings, stop: &Arc<AtomicBool>, asked: &Receiver<Ask>, words: &Weak<Sender<Control>>) {
    let mut partition = Partition::new(settings, stop);
    for (at, every) in asked {
        let cpu = thread_cpu_seconds();
        let report = partition.read(at, every);
        let cpu = thread_cpu_seconds() - cpu;
        // Held only while a word is said: a sampler that nobody else can reach is to end.
        let said = words.upgrade().is_some_and(|words| words.send(Control::Read(report, cpu)).is_ok());
        if !said {
            return;
        }
    }
}
