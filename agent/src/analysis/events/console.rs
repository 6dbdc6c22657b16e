//! What consoles said: findings, the same one within an hour once, and the ends and beginnings of servers.

use std::collections::HashMap;

use chrono::TimeDelta;

use super::{Event, Kind};
use crate::history::StoredFact;
use crate::time::Timestamp;

/// How long a finding that is said again is the same one.
const AGAIN: TimeDelta = TimeDelta::hours(1);
/// How far apart the lines of one crash may be: a dump of a large server takes a while.
const ONE_CRASH: TimeDelta = TimeDelta::minutes(30);

/// What was said in a span, oldest first.
#[derive(Default)]
pub(super) struct Console {
    findings: Vec<Finding>,
    /// Where in `findings` the newest of each text stands.
    newest: HashMap<Key, usize>,
    life: Vec<Life>,
}

/// Host, partition, kind and text.
type Key = (String, String, String, String);

struct Finding {
    at: Timestamp,
    host: String,
    partition: String,
    kind: String,
    text: String,
    times: u32,
    /// When it was said last.
    last: Timestamp,
}

/// A line about the life of a server: `stopped`, `unclean`, `recovered` or `fault`.
struct Life {
    at: Timestamp,
    host: String,
    partition: String,
    kind: String,
    text: String,
}

/// The lines of one crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Crash {
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
    pub(super) host: String,
    pub(super) partition: String,
    pub(super) text: String,
}

impl Console {
    /// Takes a line; they come in order of time.
    pub(super) fn take(&mut self, fact: &StoredFact) {
        let label = |position| fact.about.get(position).unwrap_or_default().to_owned();
        let (at, host, kind, partition, text) = (fact.since, fact.host.clone(), label(0), label(1), fact.text.clone());
        match kind.as_str() {
            // Starts are told by the uptime.
            "started" => {}
            "stopped" | "unclean" | "recovered" | "fault" => self.life.push(Life { at, host, partition, kind, text }),
            _ => self.finding(Finding { at, host, partition, kind, text, times: 1, last: at }),
        }
    }

    fn finding(&mut self, finding: Finding) {
        // Of lines that are numbers, one says as much as another.
        let text = if finding.kind == "numbers_only" { "" } else { finding.text.as_str() };
        let key = (finding.host.clone(), finding.partition.clone(), finding.kind.clone(), text.to_owned());
        if let Some(same) = self.newest.get(&key).and_then(|&place| self.findings.get_mut(place))
            && finding.at - same.at < AGAIN
        {
            // The same line of the same second was read twice: live, and out of the log.
            same.times += u32::from(finding.at.timestamp() != same.last.timestamp());
            same.last = finding.at;
            return;
        }
        self.newest.insert(key, self.findings.len());
        self.findings.push(finding);
    }

    /// The findings that are no crash.
    pub(super) fn events(&self) -> impl Iterator<Item = Event> {
        self.findings.iter().map(|finding| {
            let what = finding.kind.replace('_', " ");
            let times = if finding.times > 1 { format!(", {} times", finding.times) } else { String::new() };
            Event {
                at: finding.at,
                host: finding.host.clone(),
                partition: Some(finding.partition.clone()),
                kind: Kind::Log,
                before: None,
                after: None,
                text: format!("{what}{times}: {}", finding.text),
            }
        })
    }

    /// Crashes, several lines of one being one.
    pub(super) fn crashes(&self) -> Vec<Crash> {
        let mut crashes: Vec<Crash> = Vec::new();
        for Life { at, host, partition, kind, text } in self.life.iter().filter(|life| life.kind != "stopped") {
            let same = |crash: &&mut Crash| crash.host == *host && crash.partition == *partition && *at - crash.last <= ONE_CRASH;
            match crashes.iter_mut().rev().find(same) {
                Some(crash) => crash.last = *at,
                None => {
                    let what = if kind == "unclean" { "unclean start" } else { kind };
                    let (host, partition, text) = (host.clone(), partition.clone(), format!("{what}: {text}"));
                    crashes.push(Crash { first: *at, last: *at, host, partition, text });
                }
            }
        }
        crashes
    }

    /// Whether a server said between two instants that it stopped in order.
    pub(super) fn has_stopped(&self, host: &str, partition: &str, from: Timestamp, to: Timestamp) -> bool {
        let said = |life: &Life| {
            life.kind == "stopped" && life.host == host && life.partition == partition && from <= life.at && life.at <= to
        };
        self.life.iter().any(said)
    }
}
