//! An import that the history refuses half way.

use std::fmt::Write;

use rusqlite::Connection;

use super::{Place, imported};

/// Long enough to be written in several parts: `vmstat -t 1` through a night.
fn long() -> String {
    let mut text = String::from(
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n",
    );
    for second in 0..20_000 {
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let _ = writeln!(
            text,
            " 1  0      0 100000  65916 2871604    0    0     0    64  600 1131 20  0 80  0  0 2026-12-01 {hour:02}:{minute:02}:{second:02}"
        );
    }
    text
}

/// A history that refuses every second part of an import.
fn refusing() -> Place {
    let place = imported();
    place.write("long.txt", &long());
    change(
        &place,
        "CREATE TRIGGER refuse BEFORE INSERT ON chunk WHEN EXISTS (
            SELECT 1 FROM times WHERE batch = (SELECT batch FROM times WHERE id = NEW.times) AND id < NEW.times)
         BEGIN SELECT RAISE(ABORT, 'no more'); END",
    );
    place
}

fn change(place: &Place, sql: &str) {
    Connection::open(place.path("history.db")).unwrap().execute_batch(sql).unwrap();
}

fn import(place: &Place) -> (i32, String) {
    let done = place.run(&["import", "long.txt", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["files"][0]["snapshots"], 0);
    (done.code, json["files"][0]["error"].as_str().unwrap().to_owned())
}

#[test]
fn nothing_of_it_is_kept() {
    let place = refusing();
    let (code, error) = import(&place);
    assert_eq!((code, error.contains("no more")), (1, true), "{error}");
    assert_eq!(place.json(&["import", "--list"])["batches"].as_array().unwrap().len(), 1);
}

#[test]
fn what_could_not_be_taken_out_again_is_named() {
    let place = refusing();
    change(&place, "CREATE TRIGGER keep BEFORE DELETE ON batch BEGIN SELECT RAISE(ABORT, 'not that either'); END");
    let (code, error) = import(&place);
    assert_eq!(code, 1);
    assert!(error.contains("no more") && error.contains("weekline import --undo 2"), "{error}");
    change(&place, "DROP TRIGGER keep; DROP TRIGGER refuse");
    place.good(&["import", "--undo", "2"]);
    assert_eq!(place.json(&["import", "--list"])["batches"].as_array().unwrap().len(), 1);
    assert_eq!(place.json(&["import", "long.txt"])["files"][0]["snapshots"], 19_999);
}
