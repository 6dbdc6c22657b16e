//! The sampler from outside: on a fixture host, on ticks of one second.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::Utc;
use tempfile::TempDir;

mod partitions;

use super::{Control, Keeper, Pair, Sampler, Setup, Shared, Status};
use crate::history::History;
use crate::schedule::{Hours, Outside, Schedule};
use crate::sources::Settings;

fn schedule(hours: Option<Hours>) -> Arc<Schedule> {
    Arc::new(Schedule::new(chrono_tz::UTC, [hours; 7], Duration::from_secs(1), Outside::Idle, [].into()))
}

fn open() -> Arc<Schedule> {
    schedule(Some(Hours::WHOLE_DAY))
}

fn closed() -> Arc<Schedule> {
    schedule(None)
}

fn setup(schedule: Arc<Schedule>, host: &str) -> Setup {
    Setup {
        schedule,
        settings: Settings {
            root: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/host"),
            network_file_systems: false,
        },
        partitions: Vec::new(),
        registered: [].into(),
        window: None,
        host: host.to_owned(),
        keep: Duration::from_secs(86_400),
        keep_bytes: 1 << 30,
        system_zone: None,
    }
}

/// A sampler at work, with a history of its own.
struct Running {
    folder: TempDir,
    shared: Arc<Shared>,
    control: Arc<Sender<Control>>,
    thread: JoinHandle<()>,
}

impl Running {
    fn start(schedule: Arc<Schedule>) -> Running {
        Running::with(setup(schedule, "mail1"))
    }

    fn with(setup: Setup) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::begin(&folder.path().join("state/history.db"), "mail1").unwrap();
        let shared = Arc::new(Shared::new(Utc::now(), setup.schedule.clone()));
        let (control, words) = channel();
        let control = Arc::new(control);
        let sampler = Sampler::new(setup, keeper, shared.clone(), Arc::downgrade(&control));
        let thread = std::thread::spawn(move || sampler.run(&words));
        Running { folder, shared, control, thread }
    }

    /// Ends it; that takes less than a second. What is left is the status and the folder of its history.
    fn stop(self) -> (Status, TempDir) {
        let start = Instant::now();
        self.control.send(Control::Stop).unwrap();
        self.thread.join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        (self.shared.status(), self.folder)
    }
}

fn host(running: &Running) -> Option<Arc<Pair>> {
    running.shared.latest().host().cloned()
}

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(6), "{what} does not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ticks_are_sampled_counted_and_kept() {
    let running = Running::start(open());
    wait_for("the second sample", || host(&running).is_some_and(|latest| latest.before.is_some()));
    let latest = host(&running).unwrap();
    let before = latest.before.as_ref().expect("the second sample follows the first");
    assert!(latest.now.follows && !before.readings.is_empty());
    assert_eq!(latest.now.facts.iter().find(|fact| fact.row.name == "zone").unwrap().text, "UTC");
    let (status, folder) = running.stop();
    let sampled = status.ticks.on_time + status.ticks.late;
    assert!((2..=6).contains(&sampled), "{:?}", status.ticks);
    assert_eq!(status.history_points, sampled * latest.now.readings.len() as u64);
    assert!(status.sample_cpu_seconds > 0.0 && status.history_bytes > 0);
    assert_eq!((status.lost.len(), status.history_error, status.unknown[""].len()), (0, None, 0));
    assert!(status.sources[""].iter().all(|source| source.error.is_none() && source.good.is_some()));
    let history = History::open(&folder.path().join("state/history.db")).unwrap();
    assert_eq!(history.totals().unwrap().points, status.history_points);
    assert_eq!(history.hosts().unwrap(), ["mail1"]);
}

#[test]
fn a_closed_schedule_publishes_nothing() {
    let running = Running::start(closed());
    std::thread::sleep(Duration::from_millis(1200));
    assert!(host(&running).is_none());
    let (status, _folder) = running.stop();
    assert_eq!((status.ticks, status.history_points), (super::Ticks::default(), 0));
}

#[test]
fn a_reload_takes_effect_at_once() {
    let running = Running::start(closed());
    running.control.send(Control::Reload(setup(open(), "mail2"))).unwrap();
    wait_for("the first sample", || host(&running).is_some());
    let latest = host(&running).unwrap();
    assert_eq!(latest.now.host, "mail2");
    assert!(latest.before.is_none() && !latest.now.follows, "nothing goes before what a reload began");
    assert_eq!(running.shared.status().schedule, open());
    // And back: what was sampled is not shown as if it were new.
    running.control.send(Control::Reload(setup(closed(), "mail2"))).unwrap();
    wait_for("the closing", || host(&running).is_none());
    running.stop();
}

#[test]
fn a_history_that_vanishes_is_begun_anew_and_where_that_fails_the_loss_is_counted() {
    let running = Running::start(open());
    let state = running.folder.path().join("state");
    wait_for("the first sample", || host(&running).is_some());
    fs::remove_dir_all(&state).unwrap();
    wait_for("a new history", || History::open(&state.join("history.db")).is_ok_and(|new| new.totals().unwrap().points > 0));
    // A file where the folder was: there is no place for a history any more.
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "in the way").unwrap();
    wait_for("the loss", || !running.shared.status().lost.is_empty());
    let first = host(&running).unwrap().now.at;
    wait_for("another sample", || host(&running).unwrap().now.at > first);
    let (status, _folder) = running.stop();
    assert!(status.lost.values().sum::<u64>() > 0);
    assert!(status.history_error.is_some());
}

/// Whoever could say stop is gone.
#[test]
fn a_sampler_nobody_can_reach_ends() {
    let Running { folder, control, thread, .. } = Running::start(closed());
    drop(control);
    thread.join().unwrap();
    assert!(History::open(&folder.path().join("state/history.db")).is_ok());
}
