//! What `weekline events` prints, and how a log comes in and goes out again with what it said.

use super::Place;

const LISTING: &str = include_str!("../fixtures/show_stat.txt");

/// Two listings of mail1 with an upgrade between them, a minute after a finding: 10:15 and 10:25 in Berlin, started at 10:20.
fn with_log() -> Place {
    let later = LISTING
        .replace("11/24/2026 10:15:00", "11/24/2026 10:25:00")
        .replace("Server.ElapsedTime = 1 day(s) 04:15:00", "Server.ElapsedTime = 00:05:00")
        .replace("Release 14.5", "Release 14.5.1");
    let place = Place::new();
    let finding = "11/24/2026 10:19:00   Unable to replicate with server HUB1/Acme\n";
    place.write("console.log", &format!("{LISTING}{finding}{later}"));
    let file = &place.json(&["import", "--host", "h", "console.log"])["files"][0];
    // A line of the log is no snapshot.
    assert_eq!(file["snapshots"], 2);
    place
}

#[test]
fn events_have_a_line_each_and_the_chart_is_marked() {
    let place = with_log();
    assert_eq!(
        place.good(&["events"]),
        "2026-11-24 10:19  mail1  log      replication: Unable to replicate with server\n\
         \x20                                 HUB1/Acme\n\
         2026-11-24 10:20  mail1  upgrade  14.5 -> 14.5.1\n"
    );
    let weeks = place.good(&["weeks", "domino_users_connected"]);
    assert!(weeks.contains("\n▲ 2026-W48 upgrade 14.5 → 14.5.1\n"), "{weeks}");
}

#[test]
fn events_are_an_object_for_programs() {
    let place = with_log();
    let upgrade = &place.json(&["events", "--kind", "upgrade"])["events"];
    assert_eq!(
        *upgrade,
        serde_json::json!([{
            "at": "2026-11-24T10:20:00+01:00", "about": "mail1", "host": "h", "kind": "upgrade",
            "before": "14.5", "after": "14.5.1", "text": "release changed, restarted",
        }])
    );
    let week = &place.json(&["weeks", "domino_users_connected"])["weeks"][0];
    assert_eq!(week["events"], *upgrade);
    let count = |arguments: &[&str]| place.json(&[&["events"], arguments].concat())["events"].as_array().unwrap().len();
    assert_eq!(count(&["--kind", "log", "--kind", "upgrade"]), 2);
    assert_eq!(count(&["--host", "h", "--partition", "mail1", "--last", "1"]), 2);
    assert_eq!(count(&["--from", "2026-11-24T09:20:00Z"]), 1);
    assert_eq!(count(&["--to", "2026-11-23"]), 0);
    assert_eq!(count(&["--from", "2026-11-24", "--to", "2026-11-24"]), 2);
}

#[test]
fn what_is_not_there_is_said() {
    let place = with_log();
    let done = place.run(&["events", "--kind", "crash"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""));
    assert_eq!(done.err, "no events of this kind in the last 4 weeks of the history; --last N looks further back\n");
    let refused = |arguments: &[&str]| place.refused(&[&["events"], arguments].concat());
    assert_eq!(
        refused(&["--partition", "mail2"]),
        (1, "weekline: the history has no partition `mail2`, it has mail1".to_owned())
    );
    assert_eq!(refused(&["--host", "x"]), (1, "weekline: the history has no host `x`, it has h".to_owned()));
    let done = place.run(&["events", "--kind", "upgrad"]);
    assert!(done.code == 2 && done.err.contains("there is no kind `upgrad`, did you mean `upgrade`?"), "{}", done.err);
}

#[test]
fn a_log_that_is_read_twice_says_it_once_and_goes_out_whole() {
    let place = with_log();
    let before = place.json(&["events"]);
    let again = place.json(&["import", "--host", "h", "console.log"]);
    assert_eq!(again["files"][0]["batch"], serde_json::Value::Null);
    assert_eq!(place.json(&["events"]), before);
    place.good(&["import", "--undo", "1"]);
    let facts: i64 = rusqlite::Connection::open(place.path("history.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM fact", [], |row| row.get(0))
        .unwrap();
    assert_eq!(facts, 0);
}

#[test]
fn what_an_import_adds_in_lines_alone_is_an_import_that_can_be_undone() {
    let place = with_log();
    let log = std::fs::read_to_string(place.path("console.log")).unwrap();
    place.write("longer.log", &format!("{log}11/24/2026 10:30:00   http has terminated abnormally\n"));
    let longer = place.json(&["import", "--host", "h", "longer.log"]);
    assert_eq!((&longer["files"][0]["stored"], &longer["files"][0]["batch"]), (&0.into(), &2.into()));
    place.write("longest.log", &format!("{log}11/24/2026 10:31:00   Database u1.nsf is corrupt\n"));
    let sentence = place.good(&["import", "--host", "h", "longest.log"]);
    assert!(sentence.ends_with("; only lines of the console are new in it\n"), "{sentence}");
    place.good(&["import", "--undo", "3"]);
    let crashes = || place.json(&["events", "--kind", "crash"])["events"].as_array().unwrap().len();
    assert_eq!(crashes(), 1);
    place.good(&["import", "--undo", "2"]);
    assert_eq!(crashes(), 0);
    assert_eq!(place.json(&["events"])["events"].as_array().unwrap().len(), 2);
}
