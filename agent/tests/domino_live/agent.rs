//! An agent over its library: partitions are read, what they say is kept in a history and counted on the way.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use chrono_tz::Europe::Berlin;
use weekline::analysis::activity::{self, Day, Sighting, Tally};
use weekline::history::History;
use weekline::schedule::{Hours, Outside, Schedule};
use weekline::sources::domino::{Partition, Report, Settings, Way};
use weekline::time::Timestamp;

/// The host that everything runs on.
pub(crate) const HOST: &str = "big";

/// How a partition is watched; it is asked every so many minutes.
pub(crate) fn watched(name: &str, way: Way, minutes: i64) -> Settings {
    Settings {
        name: name.to_owned(),
        host: HOST.to_owned(),
        every: Duration::from_mins(minutes.unsigned_abs()),
        way: Some(way),
        data: None,
        named: Vec::new(),
        fields: Vec::new(),
        root: PathBuf::from("/"),
        registered: None,
    }
}

/// The agent.
pub(crate) struct Agent {
    pub(crate) history: History,
    pub(crate) schedule: Arc<Schedule>,
    every: Duration,
    settings: Vec<Settings>,
    partitions: Vec<Partition>,
    tallies: HashMap<String, Tally>,
    /// Snapshots with readings that were kept.
    pub(crate) kept: usize,
    /// How many readings of each partition were refused.
    pub(crate) refused: HashMap<String, u64>,
    /// What was wrong with sources, as they said it.
    pub(crate) faults: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Agent {
    /// Begins to watch these partitions from 7 to 17 on workdays.
    pub(crate) fn new(settings: Vec<Settings>, now: Timestamp) -> Agent {
        let folder = tempfile::tempdir().unwrap();
        let every = settings[0].every;
        let hours: Hours = "07:00-17:00".parse().unwrap();
        let week = std::array::from_fn(|day| (day < 5).then_some(hours));
        let schedule = Arc::new(Schedule::new(Berlin, week, every, Outside::Sample(every), [].into()));
        let mut history = History::create(&folder.path().join("history.db")).unwrap();
        history.begin(HOST, now).unwrap();
        let partitions = settings.iter().map(open).collect();
        let tallies = HashMap::new();
        Agent {
            history,
            schedule,
            every,
            settings,
            partitions,
            tallies,
            kept: 0,
            refused: HashMap::new(),
            faults: Vec::new(),
            _folder: folder,
        }
    }

    /// Reads every partition once.
    pub(crate) fn look(&mut self, now: Timestamp) {
        let reports: Vec<Report> = self.partitions.iter_mut().map(|partition| partition.read(now, self.every)).collect();
        for report in reports {
            for snapshot in &report.snapshots {
                self.history.append(snapshot).unwrap();
                self.kept += usize::from(!snapshot.readings.is_empty() && snapshot.stream == report.partition);
                if let Some(sighting) = Sighting::of(snapshot, &report.partition) {
                    self.tally(&report.partition).push(&sighting);
                }
            }
            self.refused.insert(report.partition, report.sources.iter().map(|source| source.refused).sum());
            self.faults.extend(report.sources.into_iter().filter_map(|source| source.error));
        }
    }

    fn tally(&mut self, partition: &str) -> &mut Tally {
        self.tallies.entry(partition.to_owned()).or_insert_with(|| Tally::new(self.schedule.clone(), None))
    }

    /// Ends, and begins anew with what the history and remembered places tell.
    pub(crate) fn restart(&mut self, now: Timestamp) {
        self.history.end(now).unwrap();
        self.history.begin(HOST, now).unwrap();
        self.partitions = self.settings.iter().map(open).collect();
        for (partition, tally) in &mut self.tallies {
            let whose = (HOST, partition.as_str());
            *tally = activity::tally(&self.history, &self.schedule, whose, None, Timestamp::MIN_UTC).unwrap();
        }
    }

    /// The days of a partition: as they were counted live, and as the history gives them.
    pub(crate) fn days(&self, partition: &str) -> (Vec<Day>, Vec<Day>) {
        let options =
            activity::Options { host: None, partition: Some(partition), last: 10, window: None, registered: &|_, _| None };
        let found = activity::activity(&self.history, &self.schedule, &options).unwrap().partitions;
        let stored = found.into_iter().flat_map(|partition| partition.days).collect();
        (self.tallies[partition].days().collect(), stored)
    }
}

fn open(settings: &Settings) -> Partition {
    Partition::new(settings, &Arc::new(AtomicBool::new(false)))
}
