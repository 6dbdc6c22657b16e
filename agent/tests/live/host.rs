//! A host in a temporary folder, whose files a test may change between two readings.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::TimeDelta;
use tempfile::TempDir;
use weekline::analysis::latest;
use weekline::snapshot::{Labels, Snapshot};
use weekline::sources::{self, Health, Settings, Watched, read_all};
use weekline::time::Timestamp;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);
/// Folders on which the fixture's mounts lie, so that there is something to ask.
const MOUNT_POINTS: [&str; 5] = ["local/notesdata", "srv/mail", "mnt/My Backups", "net/archive", "home/ops/remote"];

pub(crate) struct Host {
    folder: TempDir,
    sources: Vec<Watched>,
    now: Timestamp,
}

impl Host {
    /// The fixture host at nine o'clock, not read yet.
    pub(crate) fn new() -> Host {
        Host::with(|_| {})
    }

    /// The same, changed before the sources were made.
    pub(crate) fn with(change: impl FnOnce(&Host)) -> Host {
        let folder = tempfile::tempdir().unwrap();
        copy(&fixture("host"), folder.path());
        for point in MOUNT_POINTS {
            fs::create_dir_all(folder.path().join(point)).unwrap();
        }
        let mut host = Host { folder, sources: Vec::new(), now: "2026-11-30T09:00:00Z".parse().unwrap() };
        change(&host);
        host.start();
        host
    }

    /// Makes the sources anew, as a restarted agent would.
    pub(crate) fn start(&mut self) {
        let settings = Settings { root: self.folder.path().to_owned(), network_file_systems: false };
        self.sources = sources::all(&settings).into_iter().map(Watched::new).collect();
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Replaces what a file says. It stays the same file, as the kernel's do.
    pub(crate) fn set(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    pub(crate) fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// Replaces one piece of a file, which must be there.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.text(file);
        assert!(text.contains(from), "{file} has no `{from}`");
        self.set(file, text.replace(from, to));
    }

    pub(crate) fn remove(&self, file: &str) {
        let path = self.path(file);
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }

    /// Sixty seconds of work.
    pub(crate) fn work(&self) {
        copy(&fixture("host-later"), self.folder.path());
    }

    /// Reads everything; the next reading is a minute later.
    pub(crate) fn read(&mut self) -> Snapshot {
        let mut snapshot = Snapshot::new(self.now, "mail1", MINUTE);
        read_all(&mut self.sources, &mut snapshot);
        self.now += TimeDelta::seconds(60);
        snapshot
    }

    /// Lets more time pass than there is between two readings.
    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now += TimeDelta::seconds(seconds);
    }

    pub(crate) fn health(&self, source: &str) -> &Health {
        self.sources.iter().map(|watched| &watched.health).find(|health| health.name == source).unwrap()
    }

    pub(crate) fn healths(&self) -> Vec<Health> {
        self.sources.iter().map(|watched| watched.health.clone()).collect()
    }

    /// Why sources failed at the last reading.
    pub(crate) fn errors(&self) -> Vec<&str> {
        self.sources.iter().filter_map(|watched| watched.health.error.as_deref()).collect()
    }
}

/// Two readings of the fixture host, of which the second is a minute's work later.
pub(crate) fn minute(change: impl FnOnce(&Host)) -> (Snapshot, Snapshot) {
    let mut host = Host::new();
    let before = host.read();
    host.work();
    change(&host);
    (before, host.read())
}

/// What follows from two readings for one series of a row, as on `/metrics`.
pub(crate) fn follows(before: &Snapshot, now: &Snapshot, metric: &str, labels: &[&str]) -> Option<f64> {
    let labels: Labels = labels.iter().copied().collect();
    let all = latest(before, now).into_iter().find(|(row, _)| row.name == metric).map(|(_, all)| all).unwrap_or_default();
    let series = all.into_iter().find(|series| series.labels == labels)?;
    series.points.last().map(|point| point.value)
}

pub(crate) fn close(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Lays one tree over another.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
