//! The commands as a person types them: what they print, and how they end.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

#[path = "cli/arguments.rs"]
mod arguments;
#[path = "cli/doors.rs"]
mod doors;
#[path = "cli/events.rs"]
mod events;
#[path = "cli/half_way.rs"]
mod half_way;
#[path = "cli/partitions.rs"]
mod partitions;
#[path = "cli/service.rs"]
mod service;

/// A folder with a history and a configuration of its own.
struct Place {
    folder: tempfile::TempDir,
}

/// What a command did.
struct Done {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("weekline.toml", "[schedule]\nzone = \"Europe/Berlin\"\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Done {
        self.run_in_zone("UTC", arguments)
    }

    fn run_in_zone(&self, zone: &str, arguments: &[&str]) -> Done {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_weekline"))
            .args(["--config", "weekline.toml", "--history", "history.db"])
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("WEEKLINE_CONFIG")
            .env_remove("WEEKLINE_HISTORY")
            .env("TZ", zone)
            .output()
            .unwrap();
        Done { code: status.code().unwrap(), out: String::from_utf8(stdout).unwrap(), err: String::from_utf8(stderr).unwrap() }
    }

    fn good(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, 0, "{arguments:?}: {}", done.err);
        done.out
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.good(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// One line on stderr, and the exit code.
    fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let done = self.run(arguments);
        assert_eq!(done.err.lines().count(), 1, "{arguments:?}: {}", done.err);
        (done.code, done.err.trim_end().to_owned())
    }
}

/// Two business weeks of `vmstat -t 900` in Berlin: Monday 2026-11-16 and 2026-11-23. Busy is `us`, and the rest is idle:
/// 40 % before noon and 20 % after in the first week; half of that in the second.
fn recording() -> String {
    let mut text = String::from(
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 CET\n",
    );
    let monday: chrono::NaiveDate = "2026-11-16".parse().unwrap();
    for (week, scale) in [(0, 2), (1, 1)] {
        for day in 0..5 {
            for quarter in 0..=40u32 {
                let stamp =
                    (monday + chrono::Days::new(7 * week + day)).and_hms_opt(7 + quarter / 4, quarter % 4 * 15, 0).unwrap();
                let busy = scale * if quarter <= 20 { 20 } else { 10 };
                let _ = writeln!(
                    text,
                    " 1  0      0 100000  65916 2871604    0    0     0    64  600 1131 {busy:2}  0 {}  0  0 {stamp}",
                    100 - busy
                );
            }
        }
    }
    text
}

fn imported() -> Place {
    let place = Place::new();
    place.write("old.txt", &recording());
    place.good(&["import", "old.txt", "--host", "mail1", "--zone", "Europe/Berlin"]);
    place
}

#[test]
fn weeks_of_a_recording_by_hand() {
    // A vmstat row per 15 minutes, 40 an open day: the row at 07:00 describes the quarter before it, and the first of a run is
    // since boot. 20 quarters of 40 % and 20 of 20 %: mean 30 %; in the second week 15 %. 95 % of the time: 40 % and 20 %.
    let place = imported();
    let weeks = place.json(&["weeks"]);
    assert_eq!(
        (&weeks["metric"], &weeks["unit"], &weeks["zone"], &weeks["host"]),
        (&"host_cpu_busy_ratio".into(), &"ratio".into(), &"Europe/Berlin".into(), &"mail1".into())
    );
    let figures = |n: usize, name: &str| weeks["weeks"][n][name].as_f64().unwrap();
    for (n, mean) in [(0, 0.3), (1, 0.15)] {
        assert!((figures(n, "mean") - mean).abs() < 1e-9, "{}", weeks["weeks"][n]);
        assert!((figures(n, "p95") - mean * 4.0 / 3.0).abs() < 1e-9);
        assert!((figures(n, "max") - mean * 4.0 / 3.0).abs() < 1e-9);
        assert!((figures(n, "coverage") - 1.0).abs() < 1e-9, "{}", figures(n, "coverage"));
        assert_eq!(weeks["weeks"][n]["slots"].as_array().unwrap().len(), 200);
    }
    assert_eq!(
        (&weeks["weeks"][1]["week"], &weeks["weeks"][1]["from"], &weeks["weeks"][1]["to"]),
        (&"2026-W48".into(), &"2026-11-23".into(), &"2026-11-27".into())
    );
    assert_eq!(place.json(&["weeks", "--last", "1"])["weeks"].as_array().unwrap().len(), 1);
}

#[test]
fn weeks_as_text_and_as_a_picture() {
    let place = imported();
    insta::assert_snapshot!("weeks", place.good(&["weeks"]));
    assert!(place.good(&["weeks", "--width", "120"]).lines().all(|line| line.chars().count() <= 120));
    place.good(&["weeks", "--svg", "weeks.svg"]);
    let picture = std::fs::read_to_string(place.path("weeks.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>") && picture.contains("2026-W48"));
}

#[test]
fn weeks_without_anything_to_show_say_what_to_do() {
    let place = Place::new();
    let (code, line) = place.refused(&["weeks"]);
    assert_eq!(
        (code, line.contains("there is no history at `history.db`") && line.contains("weekline run")),
        (1, true),
        "{line}"
    );
    let place = imported();
    assert_eq!(place.run(&["weeks", "host_load1"]).out, "");
    assert!(place.run(&["weeks", "host_load1"]).err.contains("no points of `host_load1` yet"));
    let (code, line) = place.refused(&["weeks", "host_cpu_bussy_ratio"]);
    assert_eq!(
        (code, line.as_str()),
        (1, "weekline: there is no metric `host_cpu_bussy_ratio`, did you mean `host_cpu_busy_ratio`?")
    );
    assert_eq!(
        place.refused(&["weeks", "--host", "mail2"]),
        (1, "weekline: the history has no host `mail2`, it has mail1".to_owned())
    );
    place.write("weekline.toml", "[schedule]\nzone = \"Asia/Tokyo\"\nhours = \"03:00-05:00\"\n");
    let shown = place.run(&["weeks"]);
    assert!(shown.err.contains("nothing in business hours, Mon–Fri 03:00–05:00 (Asia/Tokyo)"), "{}", shown.err);
    assert!(shown.out.contains("Mon–Sun 00:00–24:00") && shown.out.contains("2026-W48"), "{}", shown.out);
    assert_eq!(place.json(&["weeks"])["weeks"], Value::Array(Vec::new()));
    assert_eq!(place.json(&["weeks", "--always"])["weeks"].as_array().unwrap().len(), 2);
}

#[test]
fn weeks_of_what_has_no_mean_are_refused() {
    let place = imported();
    for (metric, expected) in [
        ("host_context_switches_total", "only grows; did you mean `host_context_switches_per_second`?"),
        ("host_disk_reads_total", "only grows; did you mean `host_disk_operations_per_second`?"),
        ("host_cpu_seconds_total", "only grows; did you mean `host_cpu_mode_ratio`?"),
        ("host_cpu_guest_seconds_total", "only grows and no metric follows from it; `weekline metrics` lists the others"),
        ("host_boot_timestamp_seconds", "is an instant, and a mean of instants says nothing"),
        ("weekline_build_info", "is a text in labels, and there is nothing to take a mean of"),
    ] {
        assert_eq!(place.refused(&["weeks", metric]), (1, format!("weekline: `{metric}` {expected}")));
    }
}

#[test]
fn a_row_that_is_computed_is_not_exported() {
    let place = imported();
    for metric in ["host_cpu_busy_ratio", "host_cpu_idle_ratio"] {
        let done = place.run(&["export", "--format", "csv", "--metric", metric]);
        let expected = format!(
            "weekline: `{metric}` is computed, and only what is stored is exported; it follows from `host_cpu_mode_ratio`\n"
        );
        assert_eq!((done.code, done.out.as_str(), done.err), (1, "", expected));
    }
    // What could be stored and is not has no points, and that is no mistake.
    assert_eq!(place.good(&["export", "--format", "csv", "--metric", "host_load1"]).lines().count(), 1);
}

#[test]
fn weeks_of_a_partition() {
    let place = Place::new();
    // One listing at 10:15 on Tuesday 2026-11-24 in Berlin: a single point that stands for a minute.
    let listing = include_str!("fixtures/show_stat.txt");
    place.write("mail1.txt", listing);
    place.write("mail2.txt", &listing.replace("CN=mail1/", "CN=mail2/").replace("Server.Users = 1,053", "Server.Users = 2,106"));
    place.good(&["import", "mail1.txt", "mail2.txt", "--host", "big"]);
    let weeks = place.json(&["weeks", "domino_users_connected", "--partition", "mail2"]);
    assert_eq!((&weeks["labels"]["partition"], &weeks["weeks"][0]["mean"]), (&"mail2".into(), &2106.0.into()));
    assert_eq!(place.json(&["weeks", "domino_users_connected"]).as_array().unwrap().len(), 2);
    let refused = |arguments: &[&str]| place.refused(arguments).1;
    assert!(refused(&["weeks", "domino_users_connected", "--partition", "mail3"]).contains("there is of mail1, mail2"));
    assert!(refused(&["weeks", "--partition", "mail1"]).contains("is of the host"));
}

#[test]
fn import_twice_list_and_undo() {
    let place = imported();
    let again = place.json(&["import", "old.txt", "--host", "mail1", "--zone", "Europe/Berlin"]);
    let file = &again["files"][0];
    // Ten days of 41 rows; the first row of the file is since boot.
    assert_eq!(
        (&file["format"], &file["host"], &file["snapshots"], &file["stored"]),
        (&"vmstat".into(), &"mail1".into(), &409.into(), &0.into())
    );
    assert_eq!((&file["first"], &file["last"]), (&"2026-11-16T06:15:00Z".into(), &"2026-11-27T16:00:00Z".into()));
    let list = place.json(&["import", "--list"]);
    assert_eq!(
        (&list["batches"][0]["path"], &list["batches"][0]["snapshots"], list["batches"].as_array().unwrap().len()),
        (&"old.txt".into(), &409.into(), 1)
    );
    let batch = list["batches"][0]["batch"].to_string();
    place.good(&["import", "--undo", &batch]);
    assert_eq!(place.json(&["import", "--list"])["batches"], Value::Array(Vec::new()));
    let (code, line) = place.refused(&["import", "--undo", &batch]);
    assert_eq!((code, line.contains("--list")), (1, true));
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let place = Place::new();
    place.write("old.txt", &recording());
    place.write("note.txt", "just a note\n");
    place.write("empty.txt", "");
    let done = place.run(&["import", "note.txt", "absent.txt", "empty.txt", "old.txt", "--zone", "Europe/Berlin", "--json"]);
    assert_eq!(done.code, 1);
    let files: Value = serde_json::from_str(&done.out).unwrap();
    let snapshots: Vec<i64> = files["files"].as_array().unwrap().iter().map(|file| file["snapshots"].as_i64().unwrap()).collect();
    assert_eq!(snapshots, [0, 0, 0, 409]);
    assert!(files["files"][0]["error"].as_str().unwrap().contains("not recognised"));
    assert!(files["files"][1]["error"].as_str().unwrap().contains("cannot open"));
    let done = place.run(&["import", "old.txt"]);
    assert_eq!((done.code, done.out.contains("add --zone")), (1, true), "{}", done.out);
}

#[test]
fn a_dry_run_keeps_nothing() {
    let place = Place::new();
    place.write("old.txt", &recording());
    let said = place.good(&["import", "--dry-run", "old.txt", "--host", "mail1", "--zone", "Europe/Berlin"]);
    assert!(said.contains("409 snapshots of mail1") && said.contains("nothing kept"), "{said}");
    assert!(!place.path("history.db").exists());
}

#[test]
fn export_gives_every_point_of_the_days_asked_for() {
    let place = imported();
    let all = place.good(&["export", "--format", "csv", "--metric", "host_tasks_running"]);
    assert_eq!(all.lines().count(), 1 + 409);
    // One civil day in Berlin: 41 rows from 07:00 to 17:00.
    let day = place.good(&[
        "export",
        "--format",
        "csv",
        "--metric",
        "host_cpu_mode_ratio",
        "--from",
        "2026-11-24",
        "--to",
        "2026-11-24",
    ]);
    assert_eq!(day.lines().filter(|line| line.contains("mode=\"\"user\"\"")).count(), 41);
    assert_eq!(day.lines().next(), Some("time,metric,labels,value"));
    let first = "2026-11-24T06:00:00.000Z,host_cpu_mode_ratio,\"{host=\"\"mail1\"\",mode=\"\"idle\"\"}\",0.8";
    assert!(day.lines().any(|line| line == first), "{}", day.lines().nth(1).unwrap());
    assert_eq!(place.refused(&["export", "--format", "csv", "--from", "24.11.2026"]).0, 1);
}

#[test]
fn the_configuration_is_checked_and_shown() {
    let place = Place::new();
    assert_eq!(place.good(&["config", "default"]), include_str!("../default.toml"));
    assert_eq!(place.good(&["config", "show"]), "[schedule]\nzone = \"Europe/Berlin\"\n");
    assert!(place.good(&["config", "check"]).contains("Mon–Fri 07:00–17:00 (Europe/Berlin), every 60 s"));
    let always = "[schedule]\ndays = [\"mon\", \"tue\", \"wed\", \"thu\", \"fri\", \"sat\", \"sun\"]\nhours = \"00:00-24:00\"\n";
    place.write("weekline.toml", always);
    assert!(place.good(&["config", "check"]).contains("it never closes"));
    place.write("weekline.toml", "[schedule]\nintreval = \"60s\"\nzone = \"Mars/Olympus\"\nholidays = \"holidays.ics\"\n");
    let done = place.run(&["config", "check"]);
    assert_eq!(done.code, 4);
    let expected = "`weekline.toml`: line 2: unknown setting `intreval` in [schedule], did you mean `interval`?\n\
        `weekline.toml`: line 3: `zone` in [schedule]: unknown zone `Mars/Olympus`, write an IANA name like `Europe/Berlin`, or `system`\n";
    assert_eq!(done.err, expected);
    let run = place.run(&["run"]);
    assert_eq!((run.code, run.err.replace("weekline: ", "")), (1, expected.to_owned()));
    place.write("weekline.toml", "[schedule]\nholidays = \"holidays.ics\"\n");
    let (code, line) = place.refused(&["config", "check"]);
    assert_eq!((code, line.contains("`holidays.ics`") && line.contains("holidays")), (4, true), "{line}");
    std::fs::remove_file(place.path("weekline.toml")).unwrap();
    let (code, line) = place.refused(&["config", "check"]);
    assert_eq!((code, line.contains("cannot read the configuration `weekline.toml`")), (4, true), "{line}");
    assert_eq!(place.refused(&["run"]).0, 1);
}

#[test]
fn usage_is_answered_with_two() {
    let place = Place::new();
    for arguments in [
        &["wekes"][..],
        &["import"],
        &["import", "--list", "--undo", "1"],
        &["weeks", "--last", "0"],
        &["export"],
        &["run", "--interval", "0s"],
    ] {
        assert_eq!(place.run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn the_catalog_is_listed_with_its_places() {
    let place = Place::new();
    let metrics = place.json(&["metrics"]);
    let busy = metrics["metrics"].as_array().unwrap().iter().find(|row| row["name"] == "host_cpu_mode_ratio").unwrap().clone();
    assert!(busy["found"].as_array().unwrap().contains(&"sar:%user".into()));
    assert_eq!(
        (&busy["kind"], &busy["unit"], &busy["labels"][0], &busy["derived"][0]),
        (&"gauge".into(), &"ratio".into(), &"mode".into(), &"host_cpu_seconds_total".into())
    );
    assert!(place.good(&["metrics"]).contains("host_cpu_busy_ratio\n    gauge, ratio."));
}

#[test]
fn status_without_a_service_tells_of_the_history() {
    let place = imported();
    let done = place.run(&["status", "--listen", "127.0.0.1:1", "--json"]);
    let status: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((done.code, done.err.starts_with("no agent answers at 127.0.0.1:1")), (0, true));
    assert_eq!((&status["started"], &status["history"]["snapshots"]), (&Value::Null, &409.into()));
}
