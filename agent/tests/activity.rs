//! `weekline activity` over console logs of a stand-in server, against what that server says an observer must find.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use weekline::analysis::activity::{self, Activity, Options};
use weekline::history::History;
use weekline::report;
use weekline::schedule::{Hours, Outside, Schedule};

/// A folder with a history of its own.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.path("weekline.toml"), "[schedule]\nzone = \"Europe/Berlin\"\n").unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_weekline"))
            .args(["--config", "weekline.toml", "--history", "history.db"])
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("WEEKLINE_CONFIG")
            .env_remove("WEEKLINE_HISTORY")
            .output()
            .unwrap();
        (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    fn good(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {err}");
        out
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.good(&[arguments, &["--json"]].concat())).unwrap()
    }
}

/// The stand-in server, where it lies beside the project.
fn stand_in() -> Option<PathBuf> {
    let shared = std::env::var_os("WEEKLINE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let program = shared.join("checks/domino-sim");
    if !program.exists() {
        eprintln!("SKIPPED: no stand-in server at {}; WEEKLINE_SHARED names the folder", program.display());
    }
    program.exists().then_some(program)
}

/// What the stand-in prints.
fn say(program: &Path, folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let done = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

/// A console log of Tuesday 2026-11-24 with a listing every so many seconds, imported as a partition, and what must be found.
fn a_day(program: &Path, place: &Place, name: &str, locale: &str, every: &str, events: &[&str]) -> Value {
    let folder = place.folder.path();
    say(program, folder, &["init", name, "--name", name, "--started", "2026-11-23T06:00", "--locale", locale]);
    let day = ["--from", "2026-11-24T06:58", "--to", "2026-11-24T17:02", "--every", every, "--messy"];
    let log = format!("{name}.log");
    std::fs::write(place.path(&log), say(program, folder, &[&["log", name], &day[..], events].concat())).unwrap();
    place.good(&["import", &log, "--host", "big", "--partition", name]);
    let expected = say(program, folder, &[&["expect", name, "--day", "2026-11-24", "--every", every], events].concat());
    serde_json::from_slice(&expected).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn days_with_all_that_happens_to_a_server_come_out_in_every_locale() {
    let Some(program) = stand_in() else { return };
    let events = [
        ["--restart", "2026-11-24T10:15:20", "--down", "5m"],
        ["--set-stat", "2026-11-24T13:00:30", "--router-restart", "2026-11-24T11:00"],
        ["--upgrade", "2026-11-24T15:00=14.5", "--router-restart", "2026-11-24T16:00"],
    ]
    .concat();
    let place = Place::new();
    let quiet = a_day(&program, &place, "quiet", "us", "60", &[]);
    let expected: Vec<(&str, Value)> = ["us", "de", "ch", "fr"]
        .into_iter()
        .map(|locale| (locale, a_day(&program, &place, locale, locale, "120", &events)))
        .collect();
    let found = place.json(&["activity"]);
    let day = |partition: &str| {
        let days = found["days"].as_array().unwrap().iter();
        days.filter(|day| day["partition"] == partition).collect::<Vec<_>>()
    };
    let plain = day("quiet")[0];
    assert_eq!((plain["transactions"].clone(), number(&plain["active_users"])), (quiet["transactions"].clone(), 700.0));
    assert_eq!((number(&plain["transactions_per_user"]), number(&plain["coverage"])), (4000.0, 1.0));
    assert_eq!((&plain["notes"], &plain["date"]), (&Value::Array(Vec::new()), &"2026-11-24".into()));
    assert_eq!(plain["active_users_from"], "domino_users_active{window=\"30m\"}");
    assert!((number(&plain["connected_users"]) - number(&quiet["connected_mean"])).abs() < 1e-6);
    for (locale, expected) in expected {
        let [day] = day(locale)[..] else { panic!("{locale}: not one day") };
        // What an observer can count who looks every other minute.
        assert_eq!(day["transactions"], expected["sampled"]["transactions"], "{locale}");
        // Each reading counts once there and for its time here.
        let (active, connected) = (&expected["active_mean"]["Active30Min"], &expected["connected_mean"]);
        assert!((number(&day["active_users"]) / number(active) - 1.0).abs() < 0.001, "{locale}: {}", day["active_users"]);
        assert!((number(&day["connected_users"]) / number(connected) - 1.0).abs() < 0.001, "{locale}");
        // Down for five minutes twice, and each time nobody knows the seconds before.
        let up = number(&expected["up_seconds"]) / 36_000.0;
        assert!(
            number(&day["coverage"]) <= up && number(&day["coverage"]) > up - 240.0 / 36_000.0,
            "{locale}: {}",
            day["coverage"]
        );
        let notes: Vec<&str> = day["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
        assert_eq!(
            notes,
            ["the server was restarted at 10:20", "counter reset by hand at 13:02", "the server was restarted at 15:05"],
            "{locale}"
        );
        // The router began anew twice by itself and twice with the server; what it delivered in the minutes before is lost.
        let delivered = number(&day["beside"]["mail_delivered"]) / number(&plain["beside"]["mail_delivered"]);
        assert!((0.96..=1.001).contains(&delivered), "{locale}: {delivered}");
    }
}

/// Registered and active users, transactions and transactions per user of a day, as they were reported.
const REPORTED: [(u64, u64, u64, &str, &str); 6] = [
    (2120, 700, 2_800_000, "300", "2,120 700 33% 2,800,000 4,000"),
    (1413, 537, 2_300_000, "60", "1,413 537 38% 2,300,000 4,283"),
    (4080, 1387, 7_500_000, "300", "4,080 1,387 34% 7,500,000 5,407"),
    (3992, 1277, 6_500_000, "300", "3,992 1,277 32% 6,500,000 5,090"),
    (3985, 1235, 7_000_000, "300", "3,985 1,235 31% 7,000,000 5,668"),
    (4001, 1320, 7_000_000, "300", "4,001 1,320 33% 7,000,000 5,303"),
];

/// A business week of one of them, a log a day with the server's own statistics.
fn a_week(program: &Path, place: &Place, name: &str, row: usize) {
    let (registered, active, transactions, every, _) = REPORTED[row];
    let folder = place.folder.path();
    let [registered, active, transactions] = [registered, active, transactions].map(|number| number.to_string());
    let load = ["--registered", &registered, "--active", &active, "--tx-per-day", &transactions];
    say(program, folder, &[&["init", name, "--started", "2026-11-22T06:00"], &load[..]].concat());
    for day in 23..28 {
        let at = |time: &str| format!("2026-11-{day}T{time}");
        let log = format!("{name}-{day}.log");
        let span = ["--from", &at("07:00"), "--to", &at("17:00:01"), "--every", every, "--stat", "Server.*"];
        std::fs::write(place.path(&log), say(program, folder, &[&["log", name], &span[..]].concat())).unwrap();
        let (start, every) = (at("07:00"), format!("{every}s"));
        let told = ["--host", "big", "--partition", name, "--zone", "Europe/Berlin", "--start", &start, "--every", &every];
        place.good(&[&["import", &log], &told[..]].concat());
    }
}

#[test]
fn weeks_like_those_reported_come_out_as_reported() {
    let Some(program) = stand_in() else { return };
    let place = Place::new();
    let names = ["p1", "p2", "p3", "p4", "p5", "p6"];
    for (row, name) in names.iter().enumerate() {
        a_week(&program, &place, name, row);
    }
    let found = place.json(&["activity"]);
    let means = found["partitions"].as_array().unwrap();
    assert_eq!((means.len(), found["weeks"].as_array().unwrap().len(), found["days"].as_array().unwrap().len()), (6, 6, 30));
    for (mean, (_, active, transactions, _, _)) in means.iter().zip(REPORTED) {
        assert_eq!((&mean["days"], &mean["transactions_per_day"]), (&5.into(), &transactions.into()), "{mean}");
        assert_eq!(number(&mean["active_users"]).round() as u64, active, "{mean}");
    }
    assert_eq!(found["weeks"][0]["week"], "2026-W48");
    let text = report::activity::text(&registered(&place), "Mon–Fri 07:00–17:00, Europe/Berlin");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let table: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("mean of 5 days"))
        .map(|line| line.split_whitespace().skip(4).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(table, REPORTED.map(|(.., line)| format!("{line} 100%")));
    // The newest days only.
    let last = place.json(&["activity", "--last", "2", "--partition", "p3"]);
    let dates: Vec<&str> = last["days"].as_array().unwrap().iter().map(|day| day["date"].as_str().unwrap()).collect();
    assert_eq!((dates, &last["partitions"][0]["days"]), (vec!["2026-11-26", "2026-11-27"], &2.into()));
}

/// The days with the users that are registered, which no statistic tells.
fn registered(place: &Place) -> Activity {
    let hours: Hours = "07:00-17:00".parse().unwrap();
    let week = std::array::from_fn(|day| (day < 5).then_some(hours));
    let schedule = Schedule::new(chrono_tz::Europe::Berlin, week, Duration::from_secs(60), Outside::Idle, BTreeSet::new());
    let users = |name: &str, _| Some((REPORTED[name[1..].parse::<usize>().unwrap() - 1].0, None));
    let options = Options { host: None, partition: None, last: 5, window: None, registered: &users };
    activity::activity(&History::open(&place.path("history.db")).unwrap(), &Arc::new(schedule), &options).unwrap()
}

#[test]
fn nothing_to_show_says_what_to_do() {
    let place = Place::new();
    let (code, _, err) = place.run(&["activity"]);
    assert_eq!((code, err.contains("there is no history at `history.db`")), (1, true), "{err}");
    let vmstat = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n 1  0      0 100000  65916 2871604    0    0     0    64  600 1131 10  0 90  0  0 2026-11-24 09:00:00\n 1  0      0 100000  65916 2871604    0    0     0    64  600 1131 10  0 90  0  0 2026-11-24 09:01:00\n";
    std::fs::write(place.path("host.txt"), vmstat).unwrap();
    place.good(&["import", "host.txt", "--host", "big", "--zone", "UTC"]);
    let (code, out, err) = place.run(&["activity"]);
    assert_eq!(
        (code, out.as_str(), err.contains("[[partition]]") && err.contains("weekline import FILE")),
        (1, "", true),
        "{err}"
    );
    let empty = place.json(&["activity"]);
    assert_eq!(
        (&empty["days"], &empty["partitions"], &empty["zone"]),
        (&Value::Array(Vec::new()), &Value::Array(Vec::new()), &"Europe/Berlin".into())
    );
    // One listing at 10:15 in Berlin, and what is not there.
    std::fs::write(place.path("mail1.txt"), include_str!("fixtures/show_stat.txt")).unwrap();
    place.good(&["import", "mail1.txt", "--host", "big"]);
    let refused = |arguments: &[&str]| {
        let (code, _, err) = place.run(arguments);
        assert_eq!(code, 1, "{err}");
        err
    };
    assert!(refused(&["activity", "--host", "small"]).contains("the history has no host `small`, it has big"));
    assert!(refused(&["activity", "--partition", "mail9"]).contains("nothing of partition `mail9`, there is of mail1"));
    assert_eq!(place.run(&["activity", "--last", "0"]).0, 2);
    // A day of which one reading is all that was seen has users and no transactions.
    let day = &place.json(&["activity"])["days"][0];
    assert_eq!(
        (&day["transactions"], &day["active_users"], &day["so_far"]),
        (&Value::Null, &858.0.into(), &true.into()),
        "{day}"
    );
    // Elsewhere that is in the night.
    std::fs::write(place.path("weekline.toml"), "[schedule]\nzone = \"America/Los_Angeles\"\n").unwrap();
    assert!(
        refused(&["activity"])
            .contains("nothing of a Domino server in business hours, Mon–Fri 07:00–17:00 (America/Los_Angeles)")
    );
}
