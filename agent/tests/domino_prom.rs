//! domprom's file against the listing of the same server at the same instant: one row, one label, one number, by two spellings.
//!
//! The stand-in server stands beside the workspace, in `shared/`, or in `$WEEKLINE_SHARED`; where it is missing the tests say so
//! and pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use weekline::catalog::{self, Claim, Place};
use weekline::formats::domino::exposition::samples;
use weekline::formats::domino::numbers::{Profile, Value};
use weekline::formats::domino::show_stat::listings;
use weekline::sources::domino::prom_file::PromFile;
use weekline::sources::domino::{WayIn, What};

const AT: &str = "2026-11-03T10:15";

/// A stand-in for one partition.
struct Server {
    program: PathBuf,
    data: tempfile::TempDir,
}

impl Server {
    fn new(options: &[&str]) -> Option<Server> {
        let shared = std::env::var_os("WEEKLINE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
        let program = shared.join("checks/domino-sim");
        if !program.exists() || Command::new("python3").arg("--version").output().is_err() {
            writeln!(std::io::stderr(), "SKIPPED: no python3 with {}", program.display()).expect("stderr is open");
            return None;
        }
        let server = Server { program, data: tempfile::tempdir().unwrap() };
        server.run("init", &[&["--started", "2026-10-20T06:00", "--tz", "Europe/Berlin"], options].concat());
        Some(server)
    }

    fn run(&self, command: &str, options: &[&str]) -> String {
        let mut python = Command::new("python3");
        let output = python.arg("-B").arg(&self.program).arg(command).arg(self.data.path()).args(options).output().unwrap();
        assert!(output.status.success(), "{command} {options:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// domprom's file, as it is at the one instant.
    fn prom(&self) -> PathBuf {
        let path = self.data.path().join("domino.prom");
        self.run("prom", &["--at", AT, "--out", path.to_str().unwrap()]);
        path
    }

    /// What the listing of that instant holds, without what domprom leaves out: texts and durations.
    fn listed(&self) -> BTreeMap<String, f64> {
        let listing = listings(&self.run("show-stat", &["--at", AT])).remove(0);
        let profile = Profile::infer(listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str())), None).unwrap();
        rows(listing.stats.iter().filter_map(|(name, value)| match profile.parse(value) {
            Value::Number(number) => series(Place::Domino, name, number),
            _ => None,
        }))
    }
}

/// The row, the labels its name implies and its part, as domprom spells it; and the number in the row's unit.
fn series(place: Place, name: &str, number: f64) -> Option<(String, f64)> {
    match catalog::claim(place, name) {
        Claim::Row { metric, found, part } => {
            let spell = |c: char| {
                if c == '/' {
                    'C'
                } else if c.is_ascii_alphanumeric() {
                    c
                } else {
                    '_'
                }
            };
            let part: String = part.unwrap_or_default().chars().map(spell).collect();
            Some((format!("{} {:?} {part}", metric.name, found.labels), number * found.times / found.per))
        }
        Claim::LeftOut => None,
        Claim::Unknown if catalog::fact(place, name).is_some() => None,
        Claim::Unknown => panic!("{name} is not known"),
    }
}

fn rows(all: impl Iterator<Item = (String, f64)>) -> BTreeMap<String, f64> {
    all.fold(BTreeMap::new(), |mut rows, (key, number)| {
        assert!(!rows.contains_key(&key), "{key} comes twice");
        rows.insert(key, number);
        rows
    })
}

/// The rows of domprom's file.
fn published(path: &Path) -> BTreeMap<String, f64> {
    let parsed = samples(&fs::read_to_string(path).unwrap());
    assert_eq!((parsed.refused.count, parsed.cut), (0, false));
    rows(parsed.samples.iter().filter_map(|sample| series(Place::Domprom, &sample.name, sample.value)))
}

#[test]
fn two_spellings_lead_to_the_same_rows_and_numbers() {
    for options in [&["--release", "12.0.2", "--locale", "de"], &["--release", "8.5.3", "--locale", "fr"]] {
        let Some(server) = Server::new(options) else { return };
        let (listed, mut published) = (server.listed(), published(&server.prom()));
        // 14 days and 4:15 by the clock, and the hour that came twice; domprom has three decimals of a day.
        let uptime = published.remove("domino_uptime_seconds [] ").unwrap();
        assert!((uptime - (14.0 * 86_400.0 + 5.25 * 3600.0)).abs() <= 43.2, "{uptime}");
        assert_eq!(published.keys().collect::<Vec<_>>(), listed.keys().collect::<Vec<_>>(), "{options:?}");
        assert!(listed.len() > 130, "{}", listed.len());
        for (row, number) in &listed {
            assert!(
                (published[row] - number).abs() <= 0.0005_f64.max(number.abs() * 1e-12),
                "{row}: {} {number}",
                published[row]
            );
        }
    }
}

#[test]
fn a_negative_number_comes_through_domprom_s_unsigned_one() {
    let Some(server) = Server::new(&["--locale", "us"]) else { return };
    server.run("fault", &["--mode", "counter-wrap", "--before-wrap", "100", "--at", "2026-11-03T10:00"]);
    let row = "domino_transactions_total [] ";
    let (listed, published) = (server.listed()[row], published(&server.prom())[row]);
    assert!(published < 0.0 && published == listed, "{published} {listed}");
}

#[test]
fn the_file_is_brought_with_the_time_it_gives_and_not_when_it_is_cut() {
    let Some(server) = Server::new(&["--locale", "us"]) else { return };
    // 10:15 in Berlin in winter.
    let at = chrono::DateTime::from_timestamp(1_793_697_300, 0).unwrap();
    let read = |path: PathBuf| {
        fs::File::options().write(true).open(&path).unwrap().set_modified((at + chrono::TimeDelta::seconds(2)).into()).unwrap();
        let mut brought = Vec::new();
        let result = PromFile::new(path, Duration::from_secs(60)).read(at + chrono::TimeDelta::seconds(30), &mut brought);
        result.map(|()| brought)
    };
    let brought = read(server.prom()).unwrap();
    assert!(
        matches!(&brought[..], [one] if one.at == at && matches!(&one.what, What::Exposition(samples) if samples.len() > 200))
    );
    server.run("fault", &["--mode", "truncate", "--at", AT, "--count", "1"]);
    assert_eq!(read(server.prom()).unwrap(), []);
}
