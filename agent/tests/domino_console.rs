//! The console as a way in, against a stand-in server and small programs of our own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{SubsecRound, TimeDelta};
use weekline::formats::domino::show_stat::{Completeness, Listing, completeness};
use weekline::sources::domino::console::{Console, Settings};
use weekline::sources::domino::{Brought, WayIn, What};
use weekline::time::Timestamp;

/// Long enough for an interpreter on a busy machine; an answer ends it early.
const LONG: Duration = Duration::from_secs(60);

/// A partition in a folder of its own, and what stands for `server`.
struct Partition {
    folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
}

impl Partition {
    /// With a program of our own, which gets the file's name in `$file`.
    fn scripted(script: &str) -> Partition {
        let partition = Partition { folder: tempfile::tempdir().unwrap(), stop: Arc::default() };
        fs::set_permissions(partition.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(partition.data()).unwrap();
        fs::write(partition.program(), format!("#!/bin/sh\nfile=${{2#*>}}\n{script}\n")).unwrap();
        fs::set_permissions(partition.program(), fs::Permissions::from_mode(0o755)).unwrap();
        partition
    }

    /// With the stand-in server, where it lies beside the project.
    fn simulated(options: &[&str]) -> Option<Partition> {
        let shared = std::env::var_os("WEEKLINE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
        let program = shared.join("checks/domino-sim");
        if !program.exists() {
            eprintln!("SKIPPED: no stand-in server at {}; WEEKLINE_SHARED names the folder", program.display());
            return None;
        }
        let partition = Partition { folder: tempfile::tempdir().unwrap(), stop: Arc::default() };
        symlink(program.canonicalize().unwrap(), partition.program()).unwrap();
        symlink(program.canonicalize().unwrap(), partition.folder.path().join("sim")).unwrap();
        partition.sim(&[&["init"], options].concat());
        Some(partition)
    }

    /// A command of the stand-in server's about this partition.
    fn sim(&self, arguments: &[&str]) -> String {
        let (command, options) = arguments.split_first().unwrap();
        let done = Command::new(self.folder.path().join("sim")).arg(command).arg(self.data()).args(options).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("server")
    }

    fn console(&self, deadline: Duration) -> Console {
        Console::new(Settings {
            partition: "mail 1".to_owned(),
            program: self.program(),
            data: self.data(),
            user: None,
            deadline,
            stop: Arc::clone(&self.stop),
        })
    }

    /// What one reading brings; nothing may be left behind by it.
    fn read(&self, deadline: Duration) -> Result<Listing, String> {
        let read = read(&mut self.console(deadline));
        assert_eq!(self.left(), Vec::<String>::new());
        read
    }

    fn left(&self) -> Vec<String> {
        let names = fs::read_dir(self.data()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("weekline")).collect()
    }

    /// The processes that work in the data directory.
    fn processes(&self) -> Vec<PathBuf> {
        let data = self.data().canonicalize().unwrap();
        let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        all.filter(|process| process.join("cwd").read_link().is_ok_and(|cwd| cwd == data)).collect()
    }
}

/// Whoever wrote the answer may live a moment longer than it takes to read it.
fn nobody_is_left(partition: &Partition) {
    let start = Instant::now();
    while !partition.processes().is_empty() && start.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(partition.processes(), Vec::<PathBuf>::new());
}

fn now() -> Timestamp {
    "2026-11-24T09:15:00Z".parse().unwrap()
}

fn read(console: &mut Console) -> Result<Listing, String> {
    let mut brought = Vec::new();
    let result = console.read(now(), &mut brought);
    match (result, brought.pop()) {
        (Ok(()), Some(Brought { at, what: What::Listing(listing) })) => {
            // When it was whole, to the millisecond.
            let after = at - now();
            assert!(after >= TimeDelta::zero() && after < TimeDelta::seconds(10) && at == at.trunc_subsecs(3), "{at}");
            assert!(brought.is_empty());
            Ok(listing)
        }
        (Err(error), None) => Err(error.to_string()),
        other => panic!("{other:?}"),
    }
}

fn total(listing: &str) -> u64 {
    let line = listing.lines().find(|line| line.contains("Server.Trans.Total = ")).unwrap();
    line.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn a_listing_comes_whole_and_leaves_nothing_behind() {
    let Some(partition) = Partition::simulated(&["--locale", "de", "--trailer", "%d Statistiken gefunden"]) else { return };
    let before = partition.sim(&["show-stat"]);
    let listing = partition.read(LONG).unwrap();
    let after = partition.sim(&["show-stat"]);
    assert_eq!(completeness(&listing, None), Completeness::Whole);
    // All lines but the trailer and the blank one after it.
    assert_eq!(listing.stats.len(), before.lines().count() - 2);
    let read = listing.stats.iter().map(|(name, value)| format!("{name} = {value}\n")).collect::<String>();
    assert!((total(&before)..=total(&after)).contains(&total(&read)));
    nobody_is_left(&partition);
}

#[test]
fn lines_of_others_inside_cost_nothing() {
    let Some(partition) = Partition::simulated(&[]) else { return };
    partition.sim(&["fault", "--mode", "interleave"]);
    let listing = partition.read(LONG).unwrap();
    assert_eq!(completeness(&listing, None), Completeness::Whole);
    // Nine, of which some may be blank.
    assert!((1..=9).contains(&listing.foreign), "{}", listing.foreign);
}

/// What a fault of the stand-in server leads to. The deadline must let it finish what it does at all.
fn fault(mode: &str, expected: &str) {
    let Some(partition) = Partition::simulated(&["--redirect-delay", "1"]) else { return };
    partition.sim(&["fault", "--mode", mode]);
    let error = partition.read(Duration::from_secs(6)).unwrap_err();
    assert!(error.contains(expected) && error.contains("; "), "{mode}: {error}");
    nobody_is_left(&partition);
}

#[test]
fn silence() {
    fault("silent", "no answer after 6.0 s; the command has ended, it says nothing; see whether the server answers at all");
}

#[test]
fn a_command_that_does_not_return() {
    fault("hang", "no answer after 6.0 s, and the command has not ended, it says nothing; see whether the server hangs");
}

#[test]
fn a_question_for_a_password() {
    fault("password", "the command asks for a password; try `cd ");
}

#[test]
fn a_listing_that_is_cut() {
    fault("truncate", "the listing is incomplete after 6.0 s; see whether the disk of ");
}

#[test]
fn a_listing_without_its_end() {
    fault("missing-trailer", "the listing is incomplete after 6.0 s");
}

#[test]
fn message_numbers_instead_of_texts() {
    fault("numbers-only", "the server prints message numbers instead of texts; install Domino's language files");
}

#[test]
fn a_listing_with_damaged_lines() {
    fault("binary-junk", "the listing says 4");
}

#[test]
fn a_server_that_does_not_run() {
    let Some(partition) = Partition::simulated(&["--started", "2050-01-03T06:00"]) else { return };
    let error = partition.read(Duration::from_secs(4)).unwrap_err();
    assert!(error.starts_with("the server is not running: it says `domino-sim: mail1/Acme is down at"), "{error}");
}

#[test]
fn after_the_deadline_the_command_and_its_children_are_gone() {
    let partition = Partition::scripted("trap '' TERM; sleep 600 & sleep 600");
    let mut seen = Vec::new();
    thread::scope(|scope| {
        let reading = scope.spawn(|| partition.read(Duration::from_secs(3)));
        let start = Instant::now();
        while seen.len() < 3 && start.elapsed() < LONG {
            seen = partition.processes();
        }
        assert!(reading.join().unwrap().unwrap_err().contains("has not ended"));
    });
    // The shell and what it waits for.
    assert_eq!(seen.len(), 3);
    nobody_is_left(&partition);
}

#[test]
fn a_stop_is_obeyed_at_once() {
    let partition = Partition::scripted("sleep 600");
    partition.stop.store(true, Ordering::Relaxed);
    let start = Instant::now();
    assert!(partition.read(LONG).unwrap_err().starts_with("the agent was stopped"));
    assert!(start.elapsed() < LONG / 2);
}

#[test]
fn the_file_grows_while_it_is_looked_at() {
    let script = "exec >\"$file\"; sleep 0.2; printf '  Server.Users = 7\\n  Mail.Dead'; sleep 0.2; \
                  printf ' = 12\\n'; sleep 0.2; printf '  2 statistics fou'; sleep 0.2; printf 'nd\\n\\n'";
    let listing = Partition::scripted(script).read(LONG).unwrap();
    let expected = [("Server.Users", "7"), ("Mail.Dead", "12")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(listing.stats, expected);
}

#[test]
fn a_failing_command_is_quoted() {
    let error = Partition::scripted("echo; echo 'cannot open notes.ini'; exit 5").read(Duration::from_secs(2)).unwrap_err();
    assert!(error.contains("the command failed: exit status 5, it says `cannot open notes.ini`; try `cd "), "{error}");
}

#[test]
fn what_stands_in_the_place_of_the_answer_is_not_followed() {
    let partition = Partition::scripted("ln -s /etc/passwd \"$file\"");
    let error = partition.read(Duration::from_secs(1)).unwrap_err();
    assert!(error.starts_with("the file for the answer in `"), "{error}");
    assert!(error.contains("cannot be opened"), "{error}");
    assert!(Path::new("/etc/passwd").exists());
}

#[test]
fn left_overs_are_removed_and_files_of_others_are_not() {
    let partition = Partition::scripted("printf '  Server.Users = 7\\n  1 statistics found\\n\\n' >\"$file\"");
    let put = |name: &str| fs::write(partition.data().join(name), "x").unwrap();
    // The blank in the partition's name is no part of a file's.
    for number in ["1", "20260101", "2-1", ""] {
        put(&format!("weekline-mail_1-{number}.txt"));
    }
    symlink("elsewhere", partition.data().join("weekline-mail_1-3.txt")).unwrap();
    read(&mut partition.console(LONG)).unwrap();
    let mut left = partition.left();
    left.sort();
    assert_eq!(left, ["weekline-mail_1-.txt", "weekline-mail_1-2-1.txt", "weekline-mail_1-3.txt"]);
}

#[test]
fn the_command_is_given_by_the_owner_of_the_data() {
    let partition = Partition::scripted(
        "printf '  Server.Users = %s\\n  Server.Tasks = %s\\n  Server.Home = %s\\n  3 statistics found\\n\\n' \
         \"$(id -u)\" \"$(id -G)\" \"$HOME\" >\"$file\"",
    );
    if chown(partition.data(), Some(65534), Some(65534)).is_err() {
        eprintln!("SKIPPED: only root can give a command as another user");
        let mut settings_of_root = partition.console(LONG);
        assert!(read(&mut settings_of_root).is_ok());
        let refused = read(&mut Console::new(Settings {
            partition: "mail1".to_owned(),
            program: partition.program(),
            data: PathBuf::from("/"),
            user: None,
            deadline: LONG,
            stop: Arc::default(),
        }));
        assert!(refused.unwrap_err().contains("run the agent as root or use another source"));
        return;
    }
    let listing = partition.read(LONG).unwrap();
    let values: Vec<&str> = listing.stats.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(&values[..2], ["65534", "65534"]);
    assert_ne!(values[2], std::env::var("HOME").unwrap_or_default());
}

#[test]
fn what_is_not_there_is_named() {
    let partition = Partition::scripted("true");
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings {
            partition: "mail1".to_owned(),
            program: partition.program(),
            data: partition.data(),
            user: None,
            deadline: LONG,
            stop: Arc::default(),
        };
        change(&mut settings);
        read(&mut Console::new(settings)).unwrap_err()
    };
    let program = with(&|settings| settings.program = "/nowhere/server".into());
    assert!(program.starts_with("`/nowhere/server` does not exist; give the partition's `program`"), "{program}");
    let program = with(&|settings| settings.program = "/etc/passwd".into());
    assert!(program.starts_with("`/etc/passwd` is no program that can be run; "), "{program}");
    let data = with(&|settings| settings.data = "/nowhere/notesdata".into());
    assert!(data.starts_with("the data directory `/nowhere/notesdata` does not exist; give"), "{data}");
    let data = with(&|settings| settings.data = "/etc/passwd".into());
    assert!(data.starts_with("`/etc/passwd` is no directory; "), "{data}");
    let user = with(&|settings| settings.user = Some("nobody-of-this-name".to_owned()));
    assert!(user.starts_with("there is no user `nobody-of-this-name`; name the user"), "{user}");
    fs::write(partition.program(), "#!/nowhere/sh\n").unwrap();
    let interpreter = with(&|_| {});
    assert!(interpreter.contains("/server` cannot be started: No such file"), "{interpreter}");
}
