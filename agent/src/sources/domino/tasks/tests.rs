use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use chrono::DateTime;

use super::super::processes::tests::Host;
use super::*;

const NOTES: &str = "/opt/hcl/domino/notes/latest/linux";

/// A host with one partition whose server and tasks can be started.
struct Partition {
    host: Host,
    data: PathBuf,
    source: Tasks,
}

impl Partition {
    /// Nothing runs yet.
    fn new() -> Partition {
        let host = Host::up(100);
        let data = host.data("notesdata");
        let source = Tasks::new("mail1", &data, host.root());
        Partition { host, data, source }
    }

    fn starts(&self, number: u32, task: &str) {
        self.host.runs(number, &format!("{NOTES}/{task}"), &self.data);
    }

    fn lists(&self, lines: &str) {
        fs::write(self.data.join("pid.nbf"), lines).unwrap();
    }

    fn due(&self, tasks: &str) {
        fs::write(self.data.join("notes.ini"), format!("[Notes]\nServerTasks={tasks}\n")).unwrap();
    }

    fn read(&mut self) -> (Snapshot, Result<(), SourceError>) {
        let mut into = Snapshot::new(DateTime::UNIX_EPOCH, "h", Duration::from_secs(60));
        let result = self.source.read(&mut into);
        assert!(into.unknown.is_empty());
        (into, result)
    }

    /// What was read, where nothing was wrong.
    fn reads(&mut self) -> Snapshot {
        let (into, result) = self.read();
        result.unwrap();
        into
    }

    fn missing(&mut self) -> Option<String> {
        self.reads().facts.into_iter().find(|fact| fact.row.field == "tasks_missing").map(|fact| fact.text)
    }
}

/// The tasks and a number of each, in order.
fn values(snapshot: &Snapshot, metric: &str) -> Vec<(String, f64)> {
    let readings = snapshot.readings.iter().filter(|reading| reading.metric.name == metric);
    readings
        .map(|reading| {
            assert_eq!(reading.labels.get(1), Some("mail1"));
            (reading.labels.get(0).unwrap().to_owned(), reading.value)
        })
        .collect()
}

fn cpu(snapshot: &Snapshot) -> Vec<(String, f64)> {
    values(snapshot, "domino_task_cpu_seconds_total")
}

fn processes(snapshot: &Snapshot) -> Vec<(String, f64)> {
    values(snapshot, "domino_task_processes")
}

fn are(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected.iter().map(|(task, value)| ((*task).to_owned(), *value)).collect()
}

#[test]
fn a_task_is_all_processes_of_its_name() {
    let mut partition = Partition::new();
    for (number, task) in [(10, "server"), (11, "amgr"), (12, "amgr")] {
        partition.starts(number, task);
    }
    partition.lists("1 10 1 server\n1 11 1 amgr\n1 12 1 AMgr\n");
    partition.host.uses(11, "amgr", 1000, (400, 100), 50);
    partition.host.uses(12, "amgr", 1000, (20, 10), 7);
    let first = partition.reads();
    assert_eq!(cpu(&first), are(&[("amgr", 0.0), ("server", 0.0)]), "nothing was watched yet");
    assert_eq!(processes(&first), are(&[("amgr", 2.0), ("server", 1.0)]));
    let page = sysconf(SysconfVar::PAGE_SIZE).unwrap().unwrap() as f64;
    assert_eq!(values(&first, "domino_task_memory_bytes"), are(&[("amgr", 57.0 * page), ("server", 0.0)]));
    // 1.50 s and 0.25 s more.
    partition.host.uses(11, "amgr", 1000, (500, 150), 50);
    partition.host.uses(12, "amgr", 1000, (40, 15), 7);
    assert_eq!(cpu(&partition.reads()), are(&[("amgr", 1.75), ("server", 0.0)]));
}

#[test]
fn a_process_that_ends_never_makes_the_sum_fall_and_a_new_one_counts_from_its_start() {
    let mut partition = Partition::new();
    partition.starts(10, "server");
    partition.starts(11, "amgr");
    partition.lists("1 10 1 server\n1 11 1 amgr\n1 12 1 amgr\n1 13 1 amgr\n");
    partition.reads();
    partition.host.uses(11, "amgr", 1000, (300, 0), 1);
    partition.host.stays_up(160);
    assert_eq!(cpu(&partition.reads())[0].1, 3.0);
    // One ends; one began at 170 s; and one at 150 s, before the last reading, that came into sight only now.
    partition.host.ends(11);
    for (number, began) in [(12, 17_000), (13, 15_000)] {
        partition.starts(number, "amgr");
        partition.host.uses(number, "amgr", began, (200, 0), 1);
    }
    partition.host.stays_up(220);
    assert_eq!(cpu(&partition.reads())[0].1, 5.0);
    // The number of the one is another's now, with less CPU time.
    partition.host.uses(12, "amgr", 23_000, (50, 0), 1);
    partition.host.uses(13, "amgr", 15_000, (210, 0), 1);
    partition.host.stays_up(280);
    assert_eq!(cpu(&partition.reads())[0].1, 5.6);
}

#[test]
fn a_task_that_ended_keeps_its_counter_and_is_empty_once() {
    let mut partition = Partition::new();
    partition.starts(10, "server");
    partition.starts(11, "http");
    partition.lists("1 10 1 server\n1 11 1 http\n");
    partition.reads();
    partition.host.uses(11, "http", 1000, (200, 0), 9);
    partition.reads();
    partition.host.ends(11);
    let after = partition.reads();
    assert_eq!(cpu(&after), are(&[("http", 2.0), ("server", 0.0)]));
    assert_eq!(processes(&after), are(&[("http", 0.0), ("server", 1.0)]));
    assert_eq!(values(&after, "domino_task_memory_bytes")[0].1, 0.0);
    let later = partition.reads();
    assert_eq!(cpu(&later), are(&[("http", 2.0), ("server", 0.0)]));
    assert_eq!(processes(&later), are(&[("server", 1.0)]));
    assert_eq!(values(&later, "domino_task_memory_bytes"), are(&[("server", 0.0)]));
}

#[test]
fn a_list_left_by_a_crash_is_believed_only_where_it_is_true() {
    let mut partition = Partition::new();
    let (other, linux) = (partition.host.data("other"), NOTES);
    partition.starts(10, "server");
    // Numbers that others have now: a shell, and a task of another partition.
    partition.host.runs(11, "/bin/bash", &partition.data);
    partition.host.runs(12, &format!("{linux}/http"), &other);
    partition.starts(14, "averylongtaskname");
    partition.lists("1 10 1 server\n1 11 1 router\n1 12 1 http\n1 13 1 replica\n1 14 1 AVeryLongTaskName\n0 15 1 smtp\n");
    partition.starts(15, "smtp");
    assert_eq!(processes(&partition.reads()), are(&[("averylongtaskname", 1.0), ("server", 1.0)]));
}

#[test]
fn without_a_list_processes_are_found_by_the_data_directory() {
    let mut partition = Partition::new();
    let other = partition.host.data("other");
    partition.starts(10, "server");
    partition.starts(11, "http");
    partition.host.runs(12, "/bin/bash", &partition.data);
    partition.host.runs(13, &format!("{NOTES}/http"), &other);
    // A command given to the server.
    partition.starts(14, "server");
    fs::write(partition.host.file(14, "cmdline"), "server\0-c\0show stat\0").unwrap();
    assert_eq!(processes(&partition.reads()), are(&[("http", 1.0), ("server", 1.0)]));
    partition.starts(15, "router");
    partition.host.ends(11);
    assert_eq!(processes(&partition.reads()), are(&[("http", 0.0), ("router", 1.0), ("server", 1.0)]));
    // A list that is there, but of no process that runs.
    partition.lists("1 900 1 server\n");
    assert_eq!(processes(&partition.reads()), are(&[("router", 1.0), ("server", 1.0)]));
}

#[test]
fn a_list_without_the_server_or_without_a_task_that_is_due_leads_to_a_search() {
    let mut partition = Partition::new();
    partition.due("HTTP,Sched");
    for (number, task) in [(10, "server"), (11, "http"), (12, "sched")] {
        partition.starts(number, task);
    }
    partition.lists("1 11 1 http\n");
    assert_eq!(processes(&partition.reads()), are(&[("http", 1.0), ("sched", 1.0), ("server", 1.0)]));
    assert_eq!(partition.missing().as_deref(), Some(""));
    // What is neither due nor listed is not searched for.
    partition.starts(13, "domprom");
    assert_eq!(processes(&partition.reads()).len(), 3);
    partition.lists("1 11 1 http\n1 13 1 domprom\n");
    assert_eq!(processes(&partition.reads()).len(), 4);
}

/// A start script is a shell at first, somewhere else, and then becomes the server.
#[test]
fn what_was_passed_over_is_looked_at_again() {
    let mut partition = Partition::new();
    partition.host.runs(10, "/bin/bash", partition.host.root());
    assert!(partition.read().1.is_err());
    partition.host.ends(10);
    partition.starts(10, "server");
    let tries = (0..10).take_while(|_| partition.read().1.is_err()).count();
    assert_eq!(tries, 8, "the tenth search in all finds it");
}

#[test]
fn a_task_is_missed_from_the_second_reading_without_it() {
    let mut partition = Partition::new();
    partition.due("Update, HTTP ,Sched,RunJava ISpy,Updall -R,Statlog,,AMgr");
    for (number, task) in [(10, "server"), (11, "update"), (12, "runjava"), (13, "amgr")] {
        partition.starts(number, task);
    }
    assert_eq!(partition.missing(), None, "the server may be starting");
    partition.starts(14, "http");
    assert_eq!(partition.missing().as_deref(), Some("sched"));
    partition.host.ends(11);
    partition.host.ends(13);
    assert_eq!(partition.missing().as_deref(), Some("sched"));
    assert_eq!(partition.missing().as_deref(), Some("amgr,sched,update"));
    for (number, task) in [(21, "update"), (22, "sched"), (23, "amgr")] {
        partition.starts(number, task);
    }
    assert_eq!(partition.missing().as_deref(), Some(""));
}

#[test]
fn nothing_is_missed_where_the_server_does_not_run_or_nothing_is_said_of_tasks() {
    let mut partition = Partition::new();
    partition.starts(10, "server");
    assert_eq!(partition.missing(), None, "no notes.ini");
    partition.due("HTTP");
    assert_eq!(partition.missing(), None);
    assert_eq!(partition.missing().as_deref(), Some("http"));
    partition.host.ends(10);
    let (snapshot, result) = partition.read();
    let error = result.unwrap_err().to_string();
    assert!(error.contains("no process of this partition runs") && error.contains("start the server"), "{error}");
    assert!(snapshot.facts.is_empty());
    assert_eq!(cpu(&snapshot), are(&[("server", 0.0)]), "what is right is there all the same");
    partition.starts(20, "server");
    partition.host.uses(20, "server", 10_500, (30, 0), 1);
    assert_eq!(partition.missing(), None, "as at the first reading");
    assert_eq!(partition.missing().as_deref(), Some("http"));
}

#[test]
fn a_proc_that_hides_processes_is_named() {
    let mut partition = Partition::new();
    fs::write(partition.host.root().join("proc/mounts"), "proc /proc proc rw,hidepid=2 0 0\n").unwrap();
    let error = partition.read().1.unwrap_err().to_string();
    assert!(
        error.contains("`/proc` is mounted with `hidepid`") && error.contains("`CapabilityBoundingSet=CAP_SYS_PTRACE`"),
        "{error}"
    );
}
