//! Events that facts tell: what is another text now than before, and what was said.

use std::collections::HashMap;

use super::console::Console;
use super::{Event, Kind};
use crate::catalog::FactRow;
use crate::history::{History, HistoryError, StoredFact};
use crate::snapshot::Labels;
use crate::time::{Span, Timestamp};

/// How long after a release its build may be read for both to be one change.
pub(super) const SAME: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// What the facts of a span tell.
#[derive(Default)]
pub(super) struct Told {
    changes: Vec<Change>,
    /// Names of changed settings, and jumps of the clock.
    said: Vec<StoredFact>,
    /// What consoles said.
    pub(super) console: Console,
}

/// A text that is another now.
struct Change {
    at: Timestamp,
    host: String,
    row: &'static FactRow,
    about: Labels,
    before: String,
    after: String,
}

/// Another text for the start of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) at: Timestamp,
    pub(super) host: String,
    pub(super) partition: String,
}

/// Follows every fact from the beginning of the history, since what was before a change may be years old, and keeps the changes.
pub(super) fn read(history: &History, span: Span, is_of: impl Fn(&str) -> bool) -> Result<Told, HistoryError> {
    let mut told = Told::default();
    let mut last: HashMap<(String, &'static str, Labels), String> = HashMap::new();
    history.each_fact(span.end, &mut |fact| {
        if !is_of(&fact.host) {
            return;
        }
        let inside = span.contains(fact.since);
        if fact.row.event {
            if inside {
                told.said(fact);
            }
            return;
        }
        let StoredFact { host, row, about, since: at, text: after } = fact;
        match last.get_mut(&(host.clone(), row.name, about.clone())) {
            None => drop(last.insert((host, row.name, about), after)),
            Some(before) if *before == after => {}
            Some(before) => {
                let before = std::mem::replace(before, after.clone());
                if inside {
                    told.changes.push(Change { at, host, row, about, before, after });
                }
            }
        }
    })?;
    Ok(told)
}

impl Told {
    fn said(&mut self, fact: StoredFact) {
        match fact.row.name {
            "domino_console_finding" => self.console.take(&fact),
            _ => self.said.push(fact),
        }
    }

    /// All but what concerns the lives of servers, which the uptime has a say in.
    pub(super) fn events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.changes.iter().filter_map(|change| self.change(change)).collect();
        events.extend(self.said.iter().filter_map(|fact| self.saying(fact)));
        events.extend(self.console.events());
        events
    }

    fn change(&self, change: &Change) -> Option<Event> {
        Some(match change.row.name {
            "domino_notes_ini" => {
                let keys = self.said.iter().find(|fact| is_keys(fact) && is_beside(fact, change));
                config(change.at, &change.host, &change.about, keys.map(|fact| fact.text.as_str()))
            }
            "domino_tasks_missing" => tasks(change),
            "boot_id" => {
                let text = "the machine was booted anew".to_owned();
                Event { before: None, after: None, ..change.event(Kind::Restart, text) }
            }
            "kernel" | "cpus_online" | "cpu_model" | "os" | "zone" => change.event(Kind::Host, host_text(change.row.name)),
            "disk" => {
                let name = change.about.get(0).unwrap_or_default();
                change.event(Kind::Host, format!("another disk is {name}"))
            }
            _ => return None,
        })
    }

    fn saying(&self, fact: &StoredFact) -> Option<Event> {
        let StoredFact { host, about, since, .. } = fact;
        match fact.row.name {
            "clock" => Some(Event {
                at: *since,
                host: host.clone(),
                partition: None,
                kind: Kind::Clock,
                before: None,
                after: None,
                text: fact.text.clone(),
            }),
            // With a digest that changed they are one event, which is made from that.
            _ if is_keys(fact) && !self.changes.iter().any(|change| is_digest(change) && is_beside(fact, change)) => {
                Some(config(*since, host, about, Some(&fact.text)))
            }
            _ => None,
        }
    }

    /// Every change of a release, and those of a build alone.
    pub(super) fn upgrades(&self) -> Vec<Event> {
        let named = |name: &'static str| self.changes.iter().filter(move |change| change.row.name == name);
        let released = |build: &Change| {
            let same = |release: &Change| {
                release.host == build.host && release.about == build.about && (release.at - build.at).abs() <= SAME
            };
            named("domino_release").any(same)
        };
        let release = |change: &Change| Event {
            before: Some(release(&change.before)),
            after: Some(release(&change.after)),
            ..change.event(Kind::Upgrade, "release changed".to_owned())
        };
        let build = |change: &Change| Event {
            before: Some(format!("build {}", change.before)),
            after: Some(format!("build {}", change.after)),
            ..change.event(Kind::Upgrade, "build changed".to_owned())
        };
        let builds = named("domino_build").filter(|change| !released(change)).map(build);
        named("domino_release").map(release).chain(builds).collect()
    }

    /// Starts by what servers say of them, where it is not the clocks that changed.
    pub(super) fn starts(&self) -> Vec<Start> {
        let starts = self.changes.iter().filter(|change| change.row.name == "domino_start");
        let real = starts.filter(|change| !is_same_start(&change.before, &change.after));
        let start = |change: &Change| Some(Start { at: change.at, host: change.host.clone(), partition: change.partition()? });
        real.filter_map(start).collect()
    }

    /// Whether a clock of the host was set between two instants, the first left out.
    pub(super) fn is_clock_set(&self, host: &str, after: Timestamp, until: Timestamp) -> bool {
        let set = |fact: &StoredFact| fact.row.name == "clock" && fact.host == host && after < fact.since && fact.since <= until;
        self.said.iter().any(set)
    }
}

impl Change {
    fn partition(&self) -> Option<String> {
        of_partition(self.row, &self.about)
    }

    fn event(&self, kind: Kind, text: String) -> Event {
        Event {
            at: self.at,
            host: self.host.clone(),
            partition: self.partition(),
            kind,
            before: Some(self.before.clone()),
            after: Some(self.after.clone()),
            text,
        }
    }
}

/// The partition that a fact is about, if it is about one.
pub(super) fn of_partition(row: &FactRow, about: &Labels) -> Option<String> {
    let position = row.labels.iter().position(|label| *label == "partition")?;
    about.get(position).map(str::to_owned)
}

fn is_digest(change: &Change) -> bool {
    change.row.name == "domino_notes_ini"
}

fn is_keys(fact: &StoredFact) -> bool {
    fact.row.name == "domino_notes_ini_change"
}

/// Whether both were read of the same thing at the same instant.
fn is_beside(fact: &StoredFact, change: &Change) -> bool {
    fact.since == change.at && fact.host == change.host && fact.about == change.about
}

fn config(at: Timestamp, host: &str, about: &Labels, keys: Option<&str>) -> Event {
    let text = match keys {
        Some(keys) => format!("notes.ini changed: {keys}"),
        None => "notes.ini changed; which settings is not known: the agent did not run".to_owned(),
    };
    let partition = about.get(0).map(str::to_owned);
    Event { at, host: host.to_owned(), partition, kind: Kind::Config, before: None, after: None, text }
}

/// Tasks that stopped running, and tasks that run again.
fn tasks(change: &Change) -> Event {
    let list = |text: &str| -> Vec<String> {
        text.split(',').map(str::trim).filter(|task| !task.is_empty()).map(str::to_owned).collect()
    };
    let (before, after) = (list(&change.before), list(&change.after));
    let without = |from: &[String], those: &[String]| -> Vec<String> {
        from.iter().filter(|task| !those.contains(task)).cloned().collect()
    };
    let (stopped, again) = (without(&after, &before), without(&before, &after));
    let say = |tasks: &[String], one: &str, more: &str| {
        (!tasks.is_empty()).then(|| format!("{} {}", tasks.join(", "), if tasks.len() == 1 { one } else { more }))
    };
    let texts = [say(&stopped, "does not run", "do not run"), say(&again, "runs again", "run again")];
    let text = texts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let side = |tasks: &[String]| (!tasks.is_empty()).then(|| tasks.join(", "));
    Event { before: side(&before), after: side(&after), ..change.event(Kind::TaskMissing, text) }
}

fn host_text(row: &str) -> String {
    let what = match row {
        "cpus_online" => "processors online",
        "cpu_model" => "model of the processors",
        "os" => "operating system",
        "zone" => "time zone",
        other => other,
    };
    format!("{what} changed")
}

/// `14.5` of `Release 14.5`.
fn release(text: &str) -> String {
    text.trim().strip_prefix("Release ").unwrap_or(text).trim().to_owned()
}

/// Whether two texts can be of one start: written in another form, or before and after the clocks changed, when minute and
/// second are the same and the hours are one apart. A server that really starts so costs an event that only its uptime tells.
fn is_same_start(before: &str, after: &str) -> bool {
    let (Some(before), Some(after)) = (start(before), start(after)) else { return false };
    if before.past_hour != after.past_hour {
        return false;
    }
    match before.hour.abs_diff(after.hour) {
        0 | 1 => before.date == after.date,
        // Over midnight the date is the next one.
        23 => true,
        _ => false,
    }
}

/// A start as far as it can be told without knowing the order of its date.
struct Written {
    /// The numbers of the date, smallest first.
    date: [u32; 3],
    hour: u32,
    /// Minute and second.
    past_hour: [u32; 2],
}

fn start(text: &str) -> Option<Written> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u32>().ok());
    let mut next = || numbers.next();
    let mut date = [next()?, next()?, next()?];
    date.sort_unstable();
    let (hour, past_hour) = (next()?, [next()?, next()?]);
    let noon = if text.contains("PM") { 12 } else { 0 };
    let halves = text.contains("PM") || text.contains("AM");
    Some(Written { date, hour: if halves { hour % 12 + noon } else { hour }, past_hour })
}
