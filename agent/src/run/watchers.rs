//! Partitions, each read on a thread of its own: one that hangs costs nobody else.
//!
//! A thread is asked at every tick and answers when it is done. What it says comes back as a word to the sampler,
//! which alone keeps and shows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::TimeDelta;

use super::clocks::thread_cpu_seconds;
use super::sampler::{Answer, Control};
use crate::sources::SourceError;
use crate::sources::domino::{Partition, Settings, discovery};
use crate::time::{Timestamp, rfc3339};

/// How long the last reading before a pause is waited for.
const PATIENCE: TimeDelta = TimeDelta::minutes(1);

/// How long a reading under way may take to end after the word to stop.
const GRACE: Duration = Duration::from_millis(800);

/// A tick: when, and the time between two of them.
type Ask = (Timestamp, Duration);

/// The threads.
pub(super) struct Watchers {
    words: Weak<Sender<Control>>,
    all: BTreeMap<String, Watcher>,
    /// How many were started; each has its number, so that what an older one says late is not taken for a newer one's.
    started: u64,
}

/// A partition that should have answered.
pub(super) struct Behind {
    pub(super) partition: String,
    pub(super) source: &'static str,
    pub(super) error: SourceError,
}

struct Watcher {
    number: u64,
    settings: Settings,
    asks: SyncSender<Ask>,
    /// Has a reading under way end soon.
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// The tick that was asked for and is not answered yet.
    open: Option<Timestamp>,
}

impl Watchers {
    pub(super) fn new(words: Weak<Sender<Control>>) -> Watchers {
        Watchers { words, all: BTreeMap::new(), started: 0 }
    }

    /// Watches these partitions; those that go on as they were keep what they know.
    pub(super) fn set(&mut self, wanted: &[Settings]) {
        let mut old = std::mem::take(&mut self.all);
        for settings in wanted {
            if self.all.contains_key(&settings.name) {
                tracing::error!(partition = settings.name, "two partitions have one name, the second is not watched");
                continue;
            }
            let kept = old.remove(&settings.name).filter(|watcher| watcher.settings == *settings);
            let watcher = kept.map_or_else(|| self.start(settings), Ok);
            match watcher {
                Ok(watcher) => drop(self.all.insert(settings.name.clone(), watcher)),
                Err(error) => tracing::error!("cannot start a thread for partition {}: {error}", settings.name),
            }
        }
    }

    fn start(&mut self, settings: &Settings) -> std::io::Result<Watcher> {
        let (asks, asked) = sync_channel(1);
        let (words, settings, own) = (self.words.clone(), settings.clone(), settings.clone());
        // Deep enough for a grammar, and no more: there may be dozens.
        let thread = std::thread::Builder::new().name("partition".to_owned()).stack_size(1 << 20);
        let stop = Arc::new(AtomicBool::new(false));
        self.started += 1;
        let (stopped, number) = (stop.clone(), self.started);
        let thread = thread.spawn(move || watch(number, &own, &stopped, &asked, &words))?;
        Ok(Watcher { number, settings, asks, stop, thread: Some(thread), open: None })
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

    /// Asks every partition; gives those that should have answered by now, with the name of their source and what is wrong.
    pub(super) fn ask(&mut self, at: Timestamp, every: Duration) -> Vec<Behind> {
        self.all.values_mut().filter_map(|watcher| watcher.ask(at, every)).collect()
    }

    /// Whether a partition is still being read that was asked not long ago.
    pub(super) fn busy(&self, now: Timestamp) -> bool {
        self.all.values().filter_map(|watcher| watcher.open).any(|asked| now - asked < PATIENCE)
    }

    /// Takes down that a partition answered; whether the answer is of one that is still watched.
    pub(super) fn answered(&mut self, partition: &str, number: u64) -> bool {
        let watcher = self.all.get_mut(partition).filter(|watcher| watcher.number == number);
        watcher.map(|watcher| watcher.open = None).is_some()
    }
}

/// What was begun is ended before the service is: a command of a console, and the file it writes.
impl Drop for Watchers {
    fn drop(&mut self) {
        let all = std::mem::take(&mut self.all);
        let busy: Vec<JoinHandle<()>> = all.into_values().filter_map(Watcher::end).collect();
        let start = Instant::now();
        while busy.iter().any(|thread| !thread.is_finished()) && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Watcher {
    /// Has it end; its thread, where a reading is under way.
    fn end(mut self) -> Option<JoinHandle<()>> {
        self.thread.take().filter(|_| self.open.is_some())
    }

    fn ask(&mut self, at: Timestamp, every: Duration) -> Option<Behind> {
        let asked = match self.open {
            // It may take as long as it was told to.
            Some(open) if (at - open).to_std().unwrap_or_default() < self.settings.patience() => return None,
            Some(_) => Err(TrySendError::Full((at, every))),
            None => self.asks.try_send((at, every)),
        };
        let (what, next) = match asked {
            Ok(()) => {
                self.open = Some(at);
                return None;
            }
            Err(TrySendError::Full(_)) => (
                format!("the reading begun at {} has not ended", self.open.map_or_else(String::new, rfc3339)),
                "does its disk or its network hang?",
            ),
            Err(TrySendError::Disconnected(_)) => {
                ("its thread ended by a fault of this program".to_owned(), "please report this, and restart the agent")
            }
        };
        let error = SourceError::Refused { what, next: next.to_owned() };
        Some(Behind { partition: self.settings.name.clone(), source: self.settings.way_name(), error })
    }
}

/// The thread.
fn watch(number: u64, settings: &Settings, stop: &Arc<AtomicBool>, asked: &Receiver<Ask>, words: &Weak<Sender<Control>>) {
    let mut partition = Partition::new(settings, stop);
    for (at, every) in asked {
        let cpu = thread_cpu_seconds();
        let report = partition.read(at, every);
        let cpu = thread_cpu_seconds() - cpu;
        // Held only while a word is said: a sampler that nobody else can reach is to end.
        let said = words.upgrade().is_some_and(|words| words.send(Control::Read(Answer { report, cpu, number })).is_ok());
        if !said {
            return;
        }
    }
}
