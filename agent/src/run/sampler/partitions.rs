//! The sampler's partitions: which there are, and what becomes of what they bring.

use super::{Answer, Sampler};
use crate::catalog::Place;
use crate::run::clocks::{Clocks, thread_cpu_seconds};
use crate::run::daily::partition_of;
use crate::snapshot::Snapshot;
use crate::sources::domino;
use crate::sources::domino::discovery::Discovery;

impl Sampler {
    /// Takes what a partition brought.
    pub(super) fn read(&mut self, answer: Answer) {
        let Answer { report, cpu, number } = answer;
        if !self.watchers.answered(&report.partition, number) {
            return;
        }
        let before = thread_cpu_seconds();
        for mut snapshot in report.snapshots {
            self.register(&report.partition, &mut snapshot);
            self.release(&report.partition, &snapshot);
            if let Some(taken) = self.taking.take(snapshot) {
                self.daily.take(&report.partition, &taken, &mut self.taking.keeper);
            }
        }
        let cpu = cpu + thread_cpu_seconds() - before;
        self.shared.update(|status| {
            status.sources.insert(report.partition, report.sources);
            status.sample_cpu_seconds += cpu;
        });
    }

    /// Puts the users registered beside what a server says of itself.
    fn register(&self, partition: &str, snapshot: &mut Snapshot) {
        if snapshot.stream != partition || snapshot.readings.is_empty() {
            return;
        }
        let day = snapshot.at.with_timezone(&self.setup.schedule.zone()).date_naive();
        if let Some((users, _)) = self.setup.registered.get(partition).and_then(|registered| registered.on(day)) {
            snapshot.put(Place::Partition, "registered", &[partition], users as f64);
        }
    }

    /// Remembers the release that a partition says.
    fn release(&mut self, partition: &str, snapshot: &Snapshot) {
        let Some(fact) = snapshot.facts.iter().find(|fact| fact.row.name == "domino_release") else { return };
        if self.said.get(partition) != Some(&fact.text) {
            self.said.insert(partition.to_owned(), fact.text.clone());
            self.tell();
        }
    }

    /// The partitions of the setup, and those found beside them.
    fn partitions(&self) -> Vec<domino::Settings> {
        let like = domino::Settings::beside_only(&self.setup.host, self.setup.schedule.interval(), &self.setup.settings.root);
        self.found.beside(&self.setup.partitions, &like)
    }

    /// Watches the partitions, and shows nothing more of others.
    pub(super) fn watch(&mut self) {
        let all = self.partitions();
        self.watchers.set(&all);
        let names: Vec<&str> = all.iter().map(|partition| partition.name.as_str()).collect();
        self.daily.set(self.setup.schedule.clone(), self.setup.window, &names);
        let gone = |stream: &str| {
            let partition = partition_of(stream);
            !partition.is_empty() && !names.contains(&partition)
        };
        self.said.retain(|partition, _| !gone(partition));
        self.shared.withdraw(|stream, _| gone(stream));
        self.shared.update(|status| {
            status.sources.retain(|partition, _| !gone(partition));
            status.unknown.retain(|stream, _| !gone(stream));
        });
        self.tell();
    }

    /// Tells which partitions there are.
    pub(super) fn tell(&self) {
        let all = self.partitions();
        let known = all.iter().map(|partition| self.found.known(partition, self.said.get(&partition.name))).collect();
        self.shared.update(|status| status.partitions = known);
    }

    /// Looks for servers now and then, on a thread that may take its time.
    pub(super) fn discover(&mut self) {
        if cfg!(target_os = "linux") && self.found.due(Clocks::read().boot) {
            self.watchers.discover(&self.setup.settings.root);
        }
    }

    pub(super) fn found(&mut self, discovery: Discovery) {
        if self.found.take(discovery) { self.watch() } else { self.tell() }
    }
}
