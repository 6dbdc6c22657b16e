//! Partitions that run on this host, found by themselves, beside those that the configuration names.
//!
//! What was found stays found: a server that is down for the night is the same partition in the morning.

use std::path::{Path, PathBuf};

use super::state::KnownPartition;
use crate::sources::Health;
use crate::sources::domino::discovery::Discovery;
use crate::sources::domino::{self, Identity, Settings, identity};

/// How often it is looked for servers, in seconds of the machine's own time.
const EVERY: f64 = 300.0;
/// The name of looking for servers among the sources.
const SOURCE: &str = "discovery";

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    places: Vec<Place>,
    /// Servers into which this agent may not look, and what to do about it.
    hidden: u32,
    problem: Option<String>,
    /// When it was last looked, in seconds since boot.
    looked: Option<f64>,
    /// Whether it is being looked now.
    looking: bool,
}

/// A data directory in which a server was found. Its name stays with it, whoever else comes.
struct Place {
    /// The directory, whatever path leads there.
    identity: Identity,
    name: String,
    data: PathBuf,
    release: Option<String>,
}

impl Found {
    /// Whether it is time to look again; a look that does not end is not begun twice.
    pub(super) fn due(&mut self, boot: f64) -> bool {
        let due = self.looked.is_none_or(|looked| boot - looked >= EVERY);
        if due && self.looking {
            let next = "does a disk hang on which a server's data lies?";
            self.problem = Some(format!("looking for servers does not end; {next}"));
        }
        let start = due && !self.looking;
        if start {
            (self.looked, self.looking) = (Some(boot), true);
        }
        start
    }

    /// Takes what was found; whether a place is new or is reached another way.
    pub(super) fn take(&mut self, discovery: Discovery) -> bool {
        (self.hidden, self.problem, self.looking) = (discovery.hidden, discovery.problem, false);
        let mut new = false;
        for server in discovery.partitions {
            let Some(identity) = identity(&server.data) else { continue };
            match self.places.iter_mut().find(|place| place.identity == identity) {
                Some(place) => {
                    new |= place.data != server.data;
                    (place.data, place.release) = (server.data, server.release);
                }
                None => {
                    let taken = self.places.iter().any(|place| place.name == server.name);
                    let name = if taken { apart(&server.name, &server.data) } else { server.name };
                    self.places.push(Place { identity, name, data: server.data, release: server.release });
                    new = true;
                }
            }
        }
        new
    }

    /// The partitions to watch: those configured, which learn their data directory where they do not say it, then the others.
    /// A name that is configured is the configured partition's, whoever else calls itself so.
    pub(super) fn beside(&self, configured: &[Settings], like: &Settings) -> Vec<Settings> {
        let mut all: Vec<Settings> = configured.to_vec();
        let mut others: Vec<&Place> = self.places.iter().collect();
        for settings in &mut all {
            let own = self.place(settings, &like.host);
            others.retain(|place| own.is_none_or(|own| own.identity != place.identity));
            if let (None, Some(own)) = (&settings.data, own) {
                settings.data = Some(own.data.clone());
            }
        }
        for place in others {
            let taken = all.iter().any(|settings| settings.name == place.name);
            let name = if taken { apart(&place.name, &place.data) } else { place.name.clone() };
            all.push(Settings { name, data: Some(place.data.clone()), ..like.clone() });
        }
        all
    }

    /// The place of a partition: by its directory, or by its name where it says none and runs here.
    fn place(&self, settings: &Settings, host: &str) -> Option<&Place> {
        match settings.data.as_deref().map(identity) {
            Some(own) => self.places.iter().find(|place| own == Some(place.identity)),
            None if settings.host == host => self.places.iter().find(|place| place.name == settings.name),
            None => None,
        }
    }

    /// What is known of a partition that is watched; what the server `said` of its release goes before what its folder says.
    pub(super) fn known(&self, watched: &Settings, said: Option<&String>) -> KnownPartition {
        let place = watched.data.as_deref().and_then(identity);
        let place = self.places.iter().find(|found| place == Some(found.identity));
        KnownPartition {
            name: watched.name.clone(),
            data: watched.data.clone(),
            release: said.cloned().or_else(|| place.and_then(|place| place.release.clone())),
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

/// The name of another server of this name: its directory behind it, as Domino itself writes it in `show server`.
fn apart(name: &str, data: &Path) -> String {
    format!("{name}{}", data.to_string_lossy().replace('/', "."))
}

#[cfg(test)]
mod tests;
