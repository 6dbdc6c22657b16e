//! The console's log as a way in, written by a stand-in server: in pieces, renamed, cut, in a circle, damaged.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use chrono::TimeDelta;

use weekline::formats::domino::show_stat::{Completeness, Listing, Names, completeness};
use weekline::sources::domino::console_log::{ConsoleLog, Settings};
use weekline::sources::domino::{WayIn, What};
use weekline::time::Timestamp;

/// A partition of the stand-in server's, whose log is read.
struct Partition {
    folder: tempfile::TempDir,
    sim: PathBuf,
    log: ConsoleLog,
    names: Option<Names>,
    brought: Vec<(Timestamp, Listing)>,
    said: Vec<&'static str>,
    errors: Vec<String>,
}

impl Partition {
    /// `None` where the stand-in server does not lie beside the project.
    fn new(options: &[&str]) -> Option<Partition> {
        let shared = std::env::var_os("WEEKLINE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
        let sim = shared.join("checks/domino-sim");
        if !sim.exists() {
            eprintln!("SKIPPED: no stand-in server at {}; WEEKLINE_SHARED names the folder", sim.display());
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let log = follow(&folder);
        let partition = Partition { folder, sim, log, names: None, brought: vec![], said: vec![], errors: vec![] };
        partition.run(&[&["init", &partition.data(), "--name", "mail1", "--started", "2026-11-23T06:00"], options].concat());
        Some(partition)
    }

    fn data(&self) -> String {
        self.folder.path().join("mail1").to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let done = Command::new(&self.sim).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    }

    /// What the server says on the console from 07:00 on, with a listing a minute.
    fn hour(&self, minutes: u32, options: &[&str]) -> Vec<u8> {
        let to = format!("2026-11-24T{:02}:{:02}", 7 + minutes / 60, minutes % 60);
        self.run(&[&["log", &self.data(), "--from", "2026-11-24T07:00", "--to", &to, "--every", "60"], options].concat())
    }

    /// The server is asked at that minute after 07:00; the log is read half a minute later.
    fn ask(&mut self, minute: u32) {
        let at = format!("2026-11-24T{:02}:{:02}", 7 + minute / 60, minute % 60);
        self.run(&["server", "-c", "show stat", "--at", &at, "--data", &self.data()]);
        self.read(seven() + TimeDelta::minutes(minute.into()) + TimeDelta::seconds(30));
    }

    fn fault(&self, mode: &str, minute: u32) {
        let at = format!("2026-11-24T{:02}:{:02}", 7 + minute / 60, minute % 60);
        self.run(&["fault", &self.data(), "--mode", mode, "--at", &at]);
    }

    fn path(&self) -> PathBuf {
        path(&self.folder)
    }

    fn append(&self, bytes: &[u8]) {
        OpenOptions::new().append(true).create(true).open(self.path()).unwrap().write_all(bytes).unwrap();
    }

    /// Reads the log; keeps what a reader would: whole listings, by their trailers or by the names of the last whole one.
    fn read(&mut self, now: Timestamp) {
        let mut brought = Vec::new();
        self.errors.extend(self.log.read(now, &mut brought).err().map(|error| error.to_string()));
        for item in brought {
            match item.what {
                What::Listing(listing) if completeness(&listing, self.names.as_ref()) == Completeness::Whole => {
                    self.names = listing.trailer.map(|_| Names::of(&listing)).or(self.names.take());
                    self.brought.push((item.at, listing));
                }
                What::Said { kind, .. } => self.said.push(kind),
                _ => {}
            }
        }
    }

    /// The agent starts again.
    fn restart(&mut self) {
        self.log = follow(&self.folder);
    }

    /// Every listing brought is one of the server's, at its time, once; returns the minutes.
    fn check(&self, truth: &BTreeMap<Timestamp, Vec<(String, String)>>) -> Vec<i64> {
        for (at, listing) in &self.brought {
            let expected = truth.get(at).unwrap_or_else(|| panic!("no listing was made at {at}"));
            assert!(expected.starts_with(&listing.stats), "at {at}");
            assert!(expected.len() - listing.stats.len() <= usize::from(listing.trailer.is_none()), "at {at}");
        }
        assert!(self.brought.windows(2).all(|pair| pair[0].0 < pair[1].0));
        self.brought.iter().map(|(at, _)| (*at - seven()).num_minutes()).collect()
    }
}

fn path(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("mail1/IBM_TECHNICAL_SUPPORT/console.log")
}

fn follow(folder: &tempfile::TempDir) -> ConsoleLog {
    ConsoleLog::new(Settings {
        path: path(folder),
        every: Duration::from_secs(60),
        state: Some(folder.path().join("state.json")),
        zone: Some(chrono_tz::Europe::Berlin),
    })
}

/// 07:00 in Berlin.
fn seven() -> Timestamp {
    "2026-11-24T06:00:00Z".parse().unwrap()
}

/// The listings of a log without faults by their minute, taken apart without any grammar of ours.
fn truth(log: &[u8]) -> BTreeMap<Timestamp, Vec<(String, String)>> {
    let mut all = BTreeMap::new();
    let mut stats = Vec::new();
    for line in String::from_utf8_lossy(log).lines() {
        let text = line.split_once("] ").map_or(line, |(_, text)| text);
        if let Some((name, value)) = text.strip_prefix("  ").and_then(|text| text.split_once(" = ")) {
            stats.push((name.to_owned(), value.to_owned()));
        } else if text.ends_with(" statistics found") {
            all.insert(seven() + TimeDelta::minutes(all.len() as i64), std::mem::take(&mut stats));
        }
    }
    all
}

/// A log in pieces that each begin with a command.
fn pieces(log: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        if pieces.is_empty() || line.ends_with(b"> show stat\n") {
            pieces.push(Vec::new());
        }
        pieces.last_mut().unwrap().extend(line);
    }
    pieces
}

fn total(listing: &Listing) -> u64 {
    let (_, value) = listing.stats.iter().find(|(name, _)| name == "Server.Trans.Total").unwrap();
    value.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn an_hour_in_pieces_comes_out_to_the_transaction() {
    for locale in ["us", "de"] {
        let Some(mut partition) = Partition::new(&["--locale", locale]) else { return };
        let truth = truth(&partition.hour(61, &[]));
        let log = partition.hour(61, &["--messy"]);
        partition.read(seven() - TimeDelta::seconds(20));
        let begins: Vec<usize> = (12..=log.len()).filter(|end| log[..*end].ends_with(b"> show stat\n")).collect();
        let mut written = 0;
        for piece in log.chunks(7001) {
            partition.append(piece);
            written += piece.len();
            // A reading a little after the last listing that has begun.
            let begun = begins.iter().filter(|end| **end <= written).count() as i64;
            partition.read(seven() + TimeDelta::minutes(begun - 1) + TimeDelta::seconds(9));
        }
        assert_eq!(partition.check(&truth), (0..61).collect::<Vec<_>>());
        assert_eq!(partition.errors, Vec::<String>::new());
        let expected = partition.run(&["expect", &partition.data(), "--day", "2026-11-24", "--from", "07:00", "--to", "08:00"]);
        let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
        let found = total(&partition.brought[60].1) - total(&partition.brought[0].1);
        assert_eq!(expected["transactions"].as_u64(), Some(found));
    }
}

#[test]
fn renamed_cut_and_after_a_start_every_listing_comes_once() {
    let Some(mut partition) = Partition::new(&["--locale", "us"]) else { return };
    let log = partition.hour(60, &[]);
    let truth = truth(&log);
    partition.read(seven() - TimeDelta::seconds(20));
    for (minute, piece) in pieces(&log).iter().enumerate() {
        match minute {
            10 => {
                // The writer goes on in the old file and leaves it in the middle of the time between two readings.
                let old = partition.folder.path().join("mail1/console1.log");
                fs::rename(partition.path(), &old).unwrap();
                OpenOptions::new().append(true).open(&old).unwrap().write_all(piece).unwrap();
                fs::write(partition.path(), "").unwrap();
            }
            20 => {
                OpenOptions::new().write(true).open(partition.path()).unwrap().set_len(0).unwrap();
                partition.append(piece);
            }
            30 => {
                partition.append(piece);
                partition.restart();
            }
            // The agent was away for two minutes.
            40 | 41 => {
                partition.append(piece);
                continue;
            }
            42 => {
                partition.restart();
                partition.append(piece);
            }
            _ => partition.append(piece),
        }
        partition.read(seven() + TimeDelta::minutes(minute as i64) + TimeDelta::seconds(30));
    }
    assert_eq!(partition.check(&truth), (0..60).collect::<Vec<_>>());
    assert_eq!(partition.errors, Vec::<String>::new());
}

#[test]
fn a_log_in_a_circle_gives_each_listing_once() {
    // Three listings and a half.
    let Some(mut partition) = Partition::new(&["--locale", "us", "--log-max-kb", "120"]) else { return };
    let truth = truth(&partition.hour(24, &[]));
    partition.read(seven() - TimeDelta::seconds(20));
    for minute in 0..24 {
        partition.ask(minute);
        if minute == 12 {
            partition.restart();
        }
    }
    let minutes = partition.check(&truth);
    // What runs over the end of the file may lack a line there, and is then no whole listing.
    assert!(minutes.len() >= 22, "{minutes:?}, {:?}", partition.errors);
    assert!(partition.errors.iter().all(|error| !error.contains("lost")), "{:?}", partition.errors);
}

#[test]
fn a_full_circle_is_joined_after_a_few_readings() {
    let Some(mut partition) = Partition::new(&["--locale", "us", "--log-max-kb", "200"]) else { return };
    let truth = truth(&partition.hour(22, &[]));
    for minute in 0..8 {
        let at = format!("2026-11-24T07:{minute:02}");
        partition.run(&["server", "-c", "show stat", "--at", &at, "--data", &partition.data()]);
    }
    partition.read(seven() + TimeDelta::minutes(7) + TimeDelta::seconds(40));
    for minute in 8..22 {
        partition.ask(minute);
    }
    let minutes = partition.check(&truth);
    assert!(minutes.first().is_some_and(|first| *first <= 10) && minutes.len() >= 10, "{minutes:?}");
    assert_eq!(minutes.last(), Some(&21));
}

#[test]
fn no_fault_ever_yields_a_wrong_listing() {
    let Some(mut partition) = Partition::new(&["--locale", "us"]) else { return };
    let truth = truth(&partition.hour(40, &[]));
    partition.read(seven() - TimeDelta::seconds(20));
    let modes =
        ["none", "interleave", "none", "truncate", "none", "missing-trailer", "none", "binary-junk", "none", "numbers-only"];
    for (turn, mode) in (0..).zip(modes) {
        partition.fault(mode, 3 * turn);
        (3 * turn..3 * turn + 3).for_each(|minute| partition.ask(minute));
    }
    let minutes = partition.check(&truth);
    // Healthy and interleaved ones come, those without their ends by their names, once the next has begun.
    for (minute, expected) in
        [(0, true), (4, true), (7, true), (10, false), (13, true), (16, true), (22, false), (25, true), (28, false)]
    {
        assert_eq!(minutes.contains(&minute), expected, "{minute} in {minutes:?}");
    }
    assert_eq!(partition.said.iter().filter(|kind| **kind == "numbers_only").count(), 1);
    assert!(partition.errors.iter().any(|error| error.contains("message numbers instead of texts")), "{:?}", partition.errors);
    // From now on the log goes in a circle at the size it has.
    partition.fault("wrap", 30);
    (30..40).for_each(|minute| partition.ask(minute));
    let minutes = partition.check(&truth);
    assert_eq!(minutes[minutes.len() - 10..], (30..40).collect::<Vec<_>>());
}
