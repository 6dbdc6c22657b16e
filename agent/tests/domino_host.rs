//! What a partition shows on its own host, with real processes: programs of the system under the names of Domino's.
//!
//! Every process is ended by its number. Where something is missing on this machine, the test says so and passes.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use weekline::snapshot::Snapshot;
use weekline::sources::domino::discovery::{Discovery, scan};
use weekline::sources::domino::tasks::Tasks;
use weekline::sources::{Source, SourceError};

/// Names a user without rights a second run of this program, and where the data directory of a server of root lies.
const OTHERS_DATA: &str = "WEEKLINE_TEST_OTHERS_DATA";
/// A user and group that own nothing.
const NOBODY: u32 = 65534;

fn skipped(why: &str) {
    // Past the test harness, which keeps to itself what a passing test prints.
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("stderr is open");
}

/// A process that ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program folder and a data directory.
struct Host {
    folder: TempDir,
    /// The name of the data directory: what runs on a machine at the same time must not have one name.
    data: String,
}

impl Host {
    fn new(name: &str) -> Host {
        let data = format!("weekline-test-{name}");
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("notes/latest/linux")).unwrap();
        fs::create_dir_all(folder.path().join(&data)).unwrap();
        Host { folder, data }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join(&self.data)
    }

    /// A copy of a program of the system, run as a task in the data directory. A link would not do: the kernel names what it leads to.
    fn runs(&self, program: &str, task: &str, arguments: &[&str]) -> Running {
        let copy = self.folder.path().join("notes/latest/linux").join(task);
        copied(Path::new(program), &copy);
        let running = Running(Command::new(&copy).args(arguments).current_dir(self.data()).spawn().unwrap());
        let comm = format!("/proc/{}/comm", running.0.id());
        wait_until(|| fs::read_to_string(&comm).is_ok_and(|comm| comm.trim() == task));
        running
    }
}

/// Copies by a process of its own: a program that is open for writing cannot be started, and a child that another test starts
/// in that moment would hold it open.
fn copied(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg(from).arg(to).status().unwrap().success());
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn read(source: &mut Tasks) -> (Snapshot, Result<(), SourceError>) {
    let mut into = Snapshot::new(chrono::DateTime::UNIX_EPOCH, "h", Duration::from_secs(60));
    let result = source.read(&mut into);
    (into, result)
}

/// The partitions found below this host's folder; another may run here too.
fn found(host: &Host) -> Vec<(String, PathBuf)> {
    let all = scan(Path::new("/")).partitions.into_iter();
    all.filter(|found| found.data.starts_with(host.folder.path())).map(|found| (found.name, found.data)).collect()
}

/// The stand-in server makes the data directory of this process, if it lies beside the project.
fn made_by_the_stand_in(host: &Host, server: u32) -> bool {
    let shared = std::env::var_os("WEEKLINE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let program = shared.join("checks/domino-sim");
    if !program.exists() || Command::new("python3").arg("--version").output().is_err() {
        skipped("no stand-in server, or no python3");
        return false;
    }
    let mut python = Command::new("python3");
    python.arg("-B").arg(program).arg("init").arg(host.data()).args(["--name", "CN=weekline-test/O=Acme"]);
    let made = python.args(["--started", "2026-11-02T06:00", "--pid", &server.to_string()]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    true
}

#[test]
fn a_server_is_found_and_its_tasks_are_counted() {
    let host = Host::new("found");
    let server = host.runs("/bin/sleep", "server", &["600"]);
    let number = server.0.id();
    let data = host.data().canonicalize().unwrap();
    let made = made_by_the_stand_in(&host, number);
    let name = if made { "weekline-test" } else { "weekline-test-found" };
    assert_eq!(found(&host), [(name.to_owned(), data)]);
    // The list of the stand-in names many tasks; only the server is a living process of that name.
    let mut source = Tasks::new("mail1", &host.data(), Path::new("/"));
    let (first, result) = read(&mut source);
    result.unwrap();
    assert_eq!(first.value("domino_task_processes", &["server", "mail1"]), Some(1.0));
    assert!(first.value("domino_task_memory_bytes", &["server", "mail1"]).unwrap() > 4096.0);
    assert_eq!((first.readings.len(), first.facts.len()), (3, 0));
    // `ServerTasks` of the stand-in, sorted.
    let missing = made.then(|| "adminp,amgr,calconn,http,ldap,replica,router,sched,smtp,update".to_owned());
    assert_eq!(read(&mut source).0.facts.pop().map(|fact| fact.text), missing);
    drop(server);
    let error = read(&mut source).1.unwrap_err().to_string();
    assert!(error.contains("no process of this partition runs"), "{error}");
    assert!(found(&host).is_empty());
}

/// The loop of a shell takes CPU time, and the counter follows it from the second reading on.
#[test]
fn a_task_that_works_is_seen_to_work() {
    let host = Host::new("works");
    let _server = host.runs("/bin/sleep", "server", &["600"]);
    let http = host.runs("/bin/sh", "http", &["-c", "while :; do :; done"]);
    let mut source = Tasks::new("mail1", &host.data(), Path::new("/"));
    let mut seconds = || {
        let (into, result) = read(&mut source);
        result.unwrap();
        into.value("domino_task_cpu_seconds_total", &["http", "mail1"]).unwrap()
    };
    let start = Instant::now();
    assert_eq!(seconds(), 0.0);
    let mut last = 0.0;
    wait_until(|| {
        last = seconds();
        last >= 0.05
    });
    assert!(last <= start.elapsed().as_secs_f64() + 0.02, "{last}");
    drop(http);
    assert!(seconds() >= last, "what it used stays counted");
}

/// Run by root, this starts itself again as a user who may see the server and not look into it.
#[test]
fn a_server_of_another_user_is_counted_and_said() {
    if let Some(data) = std::env::var_os(OTHERS_DATA) {
        return as_nobody(Path::new(&data));
    }
    if fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta)).ok() != Some(0) {
        return skipped("only root can start a process as another user");
    }
    let host = Host::new("hidden");
    // What everybody may look into; the directory the server works in stays secret all the same.
    fs::set_permissions(host.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let _server = host.runs("/bin/sleep", "server", &["600"]);
    let myself = host.folder.path().join("test");
    copied(&std::env::current_exe().unwrap(), &myself);
    let mut again = Command::new(myself);
    again.args(["--exact", "a_server_of_another_user_is_counted_and_said"]).env(OTHERS_DATA, host.data());
    let output = again.current_dir("/").uid(NOBODY).gid(NOBODY).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

fn as_nobody(data: &Path) {
    let Discovery { partitions, hidden, problem } = scan(Path::new("/"));
    assert!(partitions.iter().all(|found| found.data != data));
    assert!(hidden >= 1);
    let problem = problem.unwrap();
    assert!(
        problem.contains("`AmbientCapabilities=CAP_SYS_PTRACE`") && problem.contains("[[partition]] with `data`"),
        "{problem}"
    );
    let mut source = Tasks::new("mail1", data, Path::new("/"));
    let (into, result) = read(&mut source);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("may not be read") && error.contains("cannot read `pid.nbf`"), "{error}");
    assert!(into.readings.is_empty() && into.facts.is_empty());
    tasks_beside_a_hidden_server();
}

/// Where tasks of a partition run, the one server nobody may look into is theirs, and what is known of the tasks is told.
fn tasks_beside_a_hidden_server() {
    let data = tempfile::tempdir().unwrap();
    let task = Running(Command::new("sleep").arg("600").current_dir(data.path()).spawn().unwrap());
    // The first process may not be looked into either, and it is root's.
    let first = fs::read_to_string("/proc/1/comm").unwrap();
    fs::write(data.path().join("pid.nbf"), format!("1 {} 1 Sleep\n1 1 1 {first}\n", task.0.id())).unwrap();
    fs::write(data.path().join("notes.ini"), "[Notes]\nServerTasks=Sleep\n").unwrap();
    let (into, result) = read(&mut Tasks::new("mail1", data.path(), Path::new("/")));
    let error = result.unwrap_err().to_string();
    assert!(error.contains("may not be read") && !error.contains("pid.nbf"), "{error}");
    assert_eq!(into.value("domino_task_processes", &["sleep", "mail1"]), Some(1.0));
    assert_eq!(into.readings.iter().filter(|reading| reading.metric.name == "domino_task_processes").count(), 1);
    assert_eq!(into.facts.iter().map(|fact| fact.text.as_str()).collect::<Vec<_>>(), [""]);
}
