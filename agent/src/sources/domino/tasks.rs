//! The tasks of a partition as the system sees them: their CPU time, their memory, and which of them do not run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nix::unistd::{SysconfVar, sysconf};

use super::members::{Member, Members, SERVER, cut};
use super::notes_ini::{IniFile, Settings};
use crate::catalog::Place;
use crate::snapshot::Snapshot;
use crate::sources::{Source, SourceError};

/// Tasks that do their work and end, so that nobody misses them.
const RUN_ONCE: [&str; 12] =
    ["backup", "catalog", "chronos", "compact", "convert", "dbmt", "design", "fixup", "object", "restore", "statlog", "updall"];

/// What the processes of a partition tell.
pub struct Tasks {
    partition: String,
    members: Members,
    ini: IniFile,
    ticks_per_second: f64,
    page_bytes: f64,
    /// The processes of the last reading: when each began and its CPU time, in clock ticks.
    known: BTreeMap<u32, (u64, u64)>,
    /// Every task that ran since the agent began.
    tasks: BTreeMap<String, Task>,
    /// When the last reading was, in seconds since the boot.
    last: Option<f64>,
    /// The tasks that did not run at the last reading; nothing where the server did not.
    missed: Option<BTreeSet<String>>,
}

/// A task: all processes of one name.
#[derive(Default)]
struct Task {
    /// CPU time it used while the agent watched, in clock ticks. It never falls.
    ticks: u64,
    pages: u64,
    processes: u32,
    /// Whether it ran at the reading before.
    ran: bool,
}

impl Tasks {
    /// The tasks of the partition with this data directory, of the processes below `root`.
    pub fn new(partition: &str, data: &Path, root: &Path) -> Tasks {
        let of_system = |which, usual| sysconf(which).ok().flatten().unwrap_or(usual) as f64;
        Tasks {
            partition: partition.to_owned(),
            members: Members::new(data, root),
            ini: IniFile::new(data),
            ticks_per_second: of_system(SysconfVar::CLK_TCK, 100),
            page_bytes: of_system(SysconfVar::PAGE_SIZE, 4096),
            known: BTreeMap::new(),
            tasks: BTreeMap::new(),
            last: None,
            missed: None,
        }
    }

    /// Counts what every process used since the last reading towards its task.
    fn count(&mut self, members: &[Member], now: Option<f64>) {
        for task in self.tasks.values_mut() {
            *task = Task { ticks: task.ticks, ran: task.processes > 0, ..Task::default() };
        }
        let mut known = BTreeMap::new();
        for Member { number, task, process } in members {
            let before = match self.known.get(number) {
                Some((began, ticks)) if *began == process.began => *ticks,
                _ if self.began_since(process.began) => 0,
                // It was there all along, and what it used before it came into sight is not of this time.
                _ => process.ticks,
            };
            let task = self.tasks.entry(task.clone()).or_default();
            task.ticks += process.ticks.saturating_sub(before);
            task.pages += process.pages;
            task.processes += 1;
            known.insert(*number, (process.began, process.ticks));
        }
        self.known = known;
        self.last = now;
    }

    /// Whether a process began after the last reading.
    fn began_since(&self, began: u64) -> bool {
        self.last.is_some_and(|last| began as f64 / self.ticks_per_second >= last)
    }

    /// A task that ended keeps its counter. That it has no memory and no process is said once.
    fn put(&self, into: &mut Snapshot) {
        for (name, task) in &self.tasks {
            let labels = [name.as_str(), &self.partition];
            into.put(Place::Partition, "task_cpu", &labels, task.ticks as f64 / self.ticks_per_second);
            if task.processes > 0 || task.ran {
                into.put(Place::Partition, "task_memory", &labels, task.pages as f64 * self.page_bytes);
                into.put(Place::Partition, "task_processes", &labels, f64::from(task.processes));
            }
        }
    }

    /// A task is missed from the second reading in a row without it: a server that starts has not started all of them yet.
    fn note_missing(&mut self, due: &BTreeSet<String>, into: &mut Snapshot) {
        let runs = |name: &String| self.tasks.iter().any(|(task, state)| state.processes > 0 && cut(task) == cut(name));
        let missing: BTreeSet<String> = due.iter().filter(|name| !runs(name)).cloned().collect();
        // At the first reading it is not known yet whether what does not run is missed.
        if self.missed.is_some() || missing.is_empty() {
            let before = self.missed.take().unwrap_or_default();
            let lasting: Vec<&str> = missing.intersection(&before).map(String::as_str).collect();
            into.note(Place::Partition, "tasks_missing", &[&self.partition], &lasting.join(","));
        }
        self.missed = Some(missing);
    }
}

impl Source for Tasks {
    fn name(&self) -> &'static str {
        "tasks"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        // That a notes.ini cannot be read is said by its own source; the settings known before go on to hold.
        let _ = self.ini.refresh(into.at);
        let due = self.ini.settings.as_ref().and_then(due);
        let mut wanted = due.clone().unwrap_or_default();
        wanted.insert(SERVER.to_owned());
        let now = self.members.uptime();
        let members = self.members.now(&wanted);
        self.count(&members, now);
        self.put(into);
        let server = members.iter().any(|member| member.task == SERVER);
        // Where tasks of this partition run and there is a server nobody may look into, it is theirs.
        let serves = server || (!members.is_empty() && self.members.hides_a_server());
        if !serves {
            self.missed = None;
            return Err(self.members.no_server());
        }
        if let Some(due) = due {
            self.note_missing(&due, into);
        }
        if server { Ok(()) } else { Err(self.members.no_server()) }
    }
}

/// The tasks that `ServerTasks` starts with the server and that stay, by the names of their processes.
fn due(settings: &Settings) -> Option<BTreeSet<String>> {
    let tasks = settings.get("ServerTasks")?.split(',');
    let names = tasks.filter_map(|task| Some(task.split_ascii_whitespace().next()?.to_lowercase()));
    Some(names.filter(|name| !RUN_ONCE.contains(&name.as_str())).collect())
}

#[cfg(test)]
mod tests;
