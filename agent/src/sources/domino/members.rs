//! Which processes belong to a partition.
//!
//! Domino lists them in `pid.nbf` in the data directory. After a crash the list is of processes that are gone, or whose
//! numbers others have now, so that each is looked at. Where the list does not lead to every task that is expected, processes
//! are searched for those of Domino's programs that work in the data directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::notes_ini::Stamp;
use super::plain_file::regular;
use super::processes::{COMM, Directory, MORE_RIGHTS, Process, Processes, is_server, program_folder};
use crate::sources::SourceError;

/// The task that all others belong to.
pub(super) const SERVER: &str = "server";
/// A list of processes has some lines; more than so many bytes are none.
const LARGEST: usize = 1 << 20;
/// Seconds by which a time since the boot may be off: the kernel tells the boot in whole seconds.
const ROUNDED: i64 = 2;
/// Every so many searches, what was passed over is looked at again: a shell that goes to the data directory and becomes a
/// server keeps its number, and numbers come again.
const SEARCHES: u32 = 10;

/// The processes of one partition.
pub(super) struct Members {
    data: PathBuf,
    processes: Processes,
    list: List,
    /// What was found in the list or by searching and looked at: when each began.
    sure: BTreeMap<u32, u64>,
    /// Which of them were found by searching.
    found: BTreeSet<u32>,
    /// What is known not to belong here.
    strangers: BTreeSet<u32>,
    /// Those of the strangers that are called as the server is and may not be looked into.
    hidden: BTreeSet<u32>,
    searches: u32,
}

/// A process of the partition.
#[derive(Debug)]
pub(super) struct Member {
    /// Its number.
    pub(super) number: u32,
    /// Its task, in lower case.
    pub(super) task: String,
    /// What it uses.
    pub(super) process: Process,
}

impl Members {
    /// Those of the partition with this data directory, below a root.
    pub(super) fn new(data: &Path, root: &Path) -> Members {
        Members {
            data: data.to_owned(),
            processes: Processes::new(root),
            list: List::new(data),
            sure: BTreeMap::new(),
            found: BTreeSet::new(),
            strangers: BTreeSet::new(),
            hidden: BTreeSet::new(),
            searches: 0,
        }
    }

    /// How long the system has been up, in seconds.
    pub(super) fn uptime(&self) -> Option<f64> {
        self.processes.uptime()
    }

    /// All that run now. A search is made where a task of `due` is not among them otherwise.
    pub(super) fn now(&mut self, due: &BTreeSet<String>) -> Vec<Member> {
        self.list.refresh();
        let mut members = self.listed();
        let listed = !members.is_empty();
        self.add_found(&mut members);
        let complete = due.iter().all(|task| members.values().any(|member| cut(&member.task) == cut(task)));
        if !listed || !complete {
            self.search(&members);
            self.add_found(&mut members);
        }
        self.sure = members.values().map(|member| (member.number, member.process.began)).collect();
        members.into_values().collect()
    }

    /// Those of the list that are what it says.
    fn listed(&mut self) -> BTreeMap<u32, Member> {
        let mut members = BTreeMap::new();
        for (number, task) in &self.list.entries {
            let Some(process) = self.processes.read(*number) else { continue };
            let is_sure = self.sure.get(number) == Some(&process.began);
            if cut(&process.comm.to_lowercase()) == cut(task) && (is_sure || self.may_work_here(*number, process.began)) {
                members.insert(*number, Member { number: *number, task: task.clone(), process });
            }
        }
        members
    }

    /// Where it may not be known in which directory a process works, the list is believed as far as it can know it.
    fn may_work_here(&self, number: u32, began: u64) -> bool {
        let works = self.processes.works_in(number, &Directory::new(&self.data));
        works.unwrap_or_else(|error| error.kind() == io::ErrorKind::PermissionDenied && self.may_be_listed(number, began))
    }

    /// Whether the list can mean this process: one that is left from before may name numbers that other servers have now,
    /// but not a process of its own user that began before it was written.
    fn may_be_listed(&self, number: u32, began: u64) -> bool {
        let Some((owner, written)) = self.list.written else { return false };
        let began = self.processes.began_at(began);
        self.processes.user(number) == Some(owner) && began.is_some_and(|began| began <= written + ROUNDED)
    }

    /// Adds what a search found and what is still there.
    fn add_found(&mut self, members: &mut BTreeMap<u32, Member>) {
        let (processes, sure) = (&mut self.processes, &self.sure);
        self.found.retain(|&number| {
            if members.contains_key(&number) {
                return true;
            }
            let process = processes.read(number).filter(|process| sure.get(&number) == Some(&process.began));
            let there = process.is_some();
            if let Some(process) = process {
                let task = process.comm.to_lowercase();
                members.insert(number, Member { number, task, process });
            }
            there
        });
    }

    /// Looks at every process that is new.
    fn search(&mut self, members: &BTreeMap<u32, Member>) {
        let all = self.processes.all().unwrap_or_default();
        self.searches += 1;
        let again = self.searches.is_multiple_of(SEARCHES);
        let stays = |number: &u32| !again && all.binary_search(number).is_ok();
        self.strangers.retain(stays);
        self.hidden.retain(stays);
        let data = Directory::new(&self.data);
        for number in all {
            if self.strangers.contains(&number) || members.contains_key(&number) {
                continue;
            }
            match self.processes.works_in(number, &data) {
                Ok(true) => self.look(number),
                Ok(false) => drop(self.strangers.insert(number)),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self.pass_over(number),
                // It ended just now.
                Err(_) => {}
            }
        }
    }

    /// A process in the data directory belongs there if it is one of Domino's programs. Somebody's shell is none,
    /// and neither is a command given to the server, which bears its name.
    fn look(&mut self, number: u32) {
        let Some(process) = self.processes.read(number) else { return };
        let domino = self.processes.program(number).is_ok_and(|program| program_folder(&program).is_some());
        if domino && (process.comm != SERVER || is_server(&self.processes.arguments(number))) {
            self.found.insert(number);
            self.sure.insert(number, process.began);
        } else {
            self.strangers.insert(number);
        }
    }

    /// A process that may not be looked into.
    fn pass_over(&mut self, number: u32) {
        self.strangers.insert(number);
        if self.processes.read(number).is_some_and(|process| process.comm == SERVER) {
            self.hidden.insert(number);
        }
    }

    /// Whether there is a server that may not be looked into, so that it may be this partition's.
    pub(super) fn hides_a_server(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Why the server is not among the processes, and what to do.
    pub(super) fn no_server(&self) -> SourceError {
        let data = self.data.display();
        let (what, next) = if self.processes.hides() {
            let what = format!("no server is seen in `{data}`, since `/proc` is mounted with `hidepid`");
            (what, format!("if another user runs it, {MORE_RIGHTS}, or mount `/proc` with `gid=` of a group the agent is in"))
        } else if self.hides_a_server() {
            let list = self.list.refused.as_ref().map(|error| format!(", and cannot read `pid.nbf`: {error}"));
            let list = list.unwrap_or_default();
            let count = self.hidden.len();
            let what =
                format!("no server is seen in `{data}`; where {count} of the processes `server` work may not be read{list}");
            (what, format!("if another user runs it, {MORE_RIGHTS}"))
        } else {
            let what = format!("no process of this partition runs in `{data}`");
            (what, "start the server, or correct `data` in its [[partition]]".to_owned())
        };
        SourceError::Refused { what, next }
    }
}

/// A task's name as far as the kernel keeps it.
pub(super) fn cut(task: &str) -> &[u8] {
    &task.as_bytes()[..task.len().min(COMM)]
}

/// `pid.nbf`: a line `STATUS PID PARENT TASK` for each process, read again only where it changed.
struct List {
    path: PathBuf,
    stamp: Option<Stamp>,
    /// The processes it says run, and their tasks in lower case.
    entries: Vec<(u32, String)>,
    /// Whose it is, and when it was written, in seconds since 1970.
    written: Option<(u32, i64)>,
    /// Why it could not be read.
    refused: Option<io::Error>,
}

impl List {
    fn new(data: &Path) -> List {
        List { path: data.join("pid.nbf"), stamp: None, entries: Vec::new(), written: None, refused: None }
    }

    fn refresh(&mut self) {
        let read = fs::metadata(&self.path).and_then(|meta| {
            let stamp = Stamp::of(&meta);
            self.written = Some((meta.uid(), meta.mtime()));
            if self.stamp == Some(stamp) { Ok(None) } else { regular(&self.path, LARGEST).map(|bytes| Some((stamp, bytes))) }
        });
        match read {
            Ok(None) => {}
            Ok(Some((stamp, bytes))) => {
                let entries = String::from_utf8_lossy(&bytes).lines().filter_map(entry).collect();
                (self.stamp, self.entries, self.refused) = (Some(stamp), entries, None);
            }
            Err(error) => (self.stamp, self.entries, self.refused) = (None, Vec::new(), Some(error)),
        }
    }
}

/// A line of `pid.nbf`, if it is of a process that runs.
fn entry(line: &str) -> Option<(u32, String)> {
    let mut words = line.split_ascii_whitespace();
    let (status, number, _, task) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let name = task.rsplit('/').next()?.to_lowercase();
    (status == "1" && !name.is_empty()).then_some((number.parse().ok()?, name))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::super::processes::tests::Host;
    use super::*;

    #[test]
    fn a_line_of_the_list_names_a_process_that_runs() {
        for (line, found) in [
            ("1 86243 1 replica", Some((86243, "replica"))),
            ("1 86270 1 /opt/hcl/domino/notes/latest/linux/Router -x", Some((86270, "router"))),
            ("2 86243 1 replica", None),
            ("1 86243 1", None),
            ("1 x 1 replica", None),
            ("1 99999999999 1 replica", None),
            ("1 86243 1 bin/", None),
            ("", None),
        ] {
            assert_eq!(entry(line), found.map(|(number, task)| (number, task.to_owned())), "{line:?}");
        }
    }

    #[test]
    fn names_are_cut_as_the_kernel_cuts_them() {
        assert_eq!(cut("averylongtaskname"), b"averylongtaskna");
        assert_eq!(cut("http"), b"http");
        assert_eq!(cut(""), b"");
    }

    /// After the machine starts anew, a list that was left names numbers that others have now.
    #[test]
    fn a_list_is_believed_of_processes_of_its_user_that_began_before_it() {
        let host = Host::up(100);
        let data = host.data("notesdata");
        // Booted at 1,000,000 s after 1970; the process began 50.00 s later.
        fs::write(host.root().join("proc/stat"), "cpu  1 2 3 4\nbtime 1000000\nprocesses 5\n").unwrap();
        host.runs(7, "/x/server", host.root());
        fs::write(data.join("pid.nbf"), "1 7 1 server\n").unwrap();
        let own = fs::metadata(&data).unwrap().uid();
        let is = |user: u32| fs::write(host.file(7, "status"), format!("Uid:\t1\t{user}\t3\t4\n")).unwrap();
        let mut members = Members::new(&data, host.root());
        let mut believed = |written: u64| {
            let file = fs::File::options().write(true).open(data.join("pid.nbf")).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(written)).unwrap();
            members.list.refresh();
            members.may_be_listed(7, 5000)
        };
        is(own);
        for (written, expected) in [(1_000_047, false), (1_000_048, true), (1_000_060, true), (2_000_000, true), (900_000, false)]
        {
            assert_eq!(believed(written), expected, "{written}");
        }
        is(own + 1);
        assert!(!believed(1_000_060), "a process of another user");
        is(own);
        fs::remove_file(host.root().join("proc/stat")).unwrap();
        assert!(!believed(1_000_060), "nobody knows when it began");
    }
}
