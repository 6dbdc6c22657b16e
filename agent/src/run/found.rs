//! Partitions that run on this host, found by themselves, beside those that the configuration names.
//!
//! What was found stays found: a server that is down for the night is the same partition in the morning.

use std::collections::BTreeMap;
use std::path::Path;

use super::state::KnownPartition;
use crate::sources::Health;
use crate::sources::domino::discovery::{Discovered, Discovery};
use crate::sources::domino::{self, Settings};

/// How often it is looked for servers, in seconds of the machine's own time.
const EVERY: f64 = 300.0;
/// The name of looking for servers among the sources.
const SOURCE: &str = "discovery";

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    partitions: BTreeMap<String, Discovered>,
    /// Servers into which this agent may not look, and what to do about it.
    hidden: u32,
    problem: Option<String>,
    /// When it was last looked, in seconds since boot.
    looked: Option<f64>,
}

impl Found {
    /// Whether it is time to look again.
    pub(super) fn due(&mut self, boot: f64) -> bool {
        let due = self.looked.is_none_or(|looked| boot - looked >= EVERY);
        if due {
            self.looked = Some(boot);
        }
        due
    }

    /// Takes what was found; whether something is new.
    pub(super) fn take(&mut self, discovery: Discovery) -> bool {
        (self.hidden, self.problem) = (discovery.hidden, discovery.problem);
        let mut new = false;
        for partition in discovery.partitions {
            let known = self.partitions.get(&partition.name);
            new |= known.is_none_or(|known| known.data != partition.data);
            self.partitions.insert(partition.name.clone(), partition);
        }
        new
    }

    /// The partitions to watch: those configured, which learn their data directory where they do not say it, then the others.
    pub(super) fn beside(&self, configured: &[Settings], like: &Settings) -> Vec<Settings> {
        let mut all: Vec<Settings> = configured.to_vec();
        for settings in all.iter_mut().filter(|settings| settings.data.is_none() && settings.host == like.host) {
            settings.data = self.partitions.get(&settings.name).map(|found| found.data.clone());
        }
        let others = self.partitions.values().filter(|found| !configured.iter().any(|settings| is(settings, found)));
        let watched = |found: &Discovered| Settings { name: found.name.clone(), data: Some(found.data.clone()), ..like.clone() };
        let others: Vec<Settings> = others.map(watched).collect();
        all.extend(others);
        all
    }

    /// What is known of a partition that is watched.
    pub(super) fn known(&self, watched: &Settings) -> KnownPartition {
        let found = self.partitions.values().find(|found| is(watched, found));
        KnownPartition {
            name: watched.name.clone(),
            data: watched.data.clone().or_else(|| found.map(|found| found.data.clone())),
            release: found.and_then(|found| found.release.clone()),
            source: watched.way.as_ref().map(domino::Way::name),
        }
    }

    /// How looking for servers fares, where something is worth a word: servers that nobody names and nobody may look into.
    pub(super) fn health(&self, configured: &[Settings]) -> Option<Health> {
        let named = configured.iter().filter(|settings| settings.data.is_some()).count();
        let problem = self.problem.clone().filter(|_| self.hidden as usize > named || self.hidden == 0)?;
        let mut health = Health::new(SOURCE, "");
        health.error = Some(problem);
        Some(health)
    }
}

/// Whether a configured partition is the one that was found: by its directory, whatever leads there, or by its name.
fn is(settings: &Settings, found: &Discovered) -> bool {
    let same = |own: &Path| own == found.data || own.canonicalize().is_ok_and(|own| own == found.data);
    settings.data.as_deref().map_or(settings.name == found.name, same)
}
