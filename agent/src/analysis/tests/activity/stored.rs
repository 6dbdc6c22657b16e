//! Days read back from the history.

use chrono::{DateTime, TimeDelta};

use super::*;
use crate::analysis::activity::{Activity, Options, activity};
use crate::catalog::Place;
use crate::history::History;
use crate::snapshot::Snapshot;

/// Who has listings in which time, so many minutes apart.
struct Part {
    host: &'static str,
    partition: &'static str,
    from: &'static str,
    to: &'static str,
    minutes: i64,
}

fn snapshots(part: &Part) -> Vec<Snapshot> {
    let (mut at, to) = (instant(part.from), instant(part.to));
    let mut all = Vec::new();
    let start = instant("2022-01-01T00:00:00Z");
    while at < to {
        let mut snapshot = Snapshot::new(at, part.host, Duration::from_secs(60 * part.minutes as u64));
        let second = (at - start).num_seconds() as f64;
        snapshot.put(Place::Domino, "Server.Trans.Total", &[part.partition], (second / 7.0).floor());
        snapshot.put(Place::Domino, "Server.ElapsedTime", &[part.partition], second);
        snapshot.put(Place::Domino, "Server.Users", &[part.partition], 100.0 + (second / 60.0) % 37.0);
        snapshot.put(Place::Domino, "Server.Users.Active15Min", &[part.partition], 50.0 + (second / 60.0) % 31.0);
        all.push(snapshot);
        at += TimeDelta::minutes(part.minutes);
    }
    all
}

fn history(parts: &[Part]) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::create(&folder.path().join("history.db")).unwrap();
    for part in parts {
        let mut import = history.import(part.host, "x", "x", DateTime::UNIX_EPOCH).unwrap();
        snapshots(part).into_iter().for_each(|snapshot| import.take(snapshot).unwrap());
        import.finish("x", DateTime::UNIX_EPOCH).unwrap();
    }
    (folder, history)
}

fn options(last: usize) -> Options<'static> {
    Options { host: None, partition: None, last, window: None, registered: &|_, _| None }
}

fn names(found: &Activity) -> Vec<(&str, &str, usize)> {
    found.partitions.iter().map(|of| (of.host.as_str(), of.partition.as_str(), of.days.len())).collect()
}

#[test]
fn reading_back_finds_what_counting_everything_finds() {
    let parts = [
        // One that is gone, one after a gap of a year, and a new one.
        Part { host: "old", partition: "mail1", from: "2023-01-02T00:00:00Z", to: "2023-04-01T12:00:00Z", minutes: 45 },
        Part { host: "new", partition: "mail1", from: "2025-07-01T00:00:00Z", to: "2025-12-08T11:00:00Z", minutes: 45 },
        Part { host: "new", partition: "mail2", from: "2025-12-03T00:00:00Z", to: "2025-12-08T11:00:00Z", minutes: 45 },
        // One that nobody read for two weeks, from the middle of a day on.
        Part { host: "odd", partition: "mail1", from: "2025-09-01T00:00:00Z", to: "2025-11-05T10:30:00Z", minutes: 45 },
        Part { host: "odd", partition: "mail1", from: "2025-11-20T00:00:00Z", to: "2025-12-08T11:00:00Z", minutes: 45 },
    ];
    let (_folder, history) = history(&parts);
    let of = |one: &Part, other: &Part| one.host == other.host && one.partition == other.partition;
    for hours in ["07:00-17:00", "22:00-06:00", "00:00-24:00"] {
        let schedule = schedule(hours, 5);
        let whole: Vec<Vec<Day>> = parts
            .iter()
            .map(|part| {
                let sighting = |snapshot: &Snapshot| Sighting { live: false, ..Sighting::of(snapshot, part.partition).unwrap() };
                counted(&schedule, parts.iter().filter(|other| of(part, other)).flat_map(snapshots).map(|one| sighting(&one)))
            })
            .collect();
        for last in [1, 5, 20, 60, 1000] {
            let found = activity(&history, &schedule, &options(last)).unwrap();
            for (part, mut days) in parts.iter().zip(whole.clone()) {
                days.drain(..days.len().saturating_sub(last));
                let of = found.partitions.iter().find(|of| of.host == part.host && of.partition == part.partition).unwrap();
                assert_eq!(of.days, days, "{hours} {last} {} {}", part.host, part.partition);
            }
        }
    }
}

#[test]
fn hosts_and_partitions_are_chosen() {
    let (from, to) = ("2025-12-01T00:00:00Z", "2025-12-03T00:00:00Z");
    let part = |host, partition| Part { host, partition, from, to, minutes: 30 };
    let (_folder, history) = history(&[part("a", "mail1"), part("a", "mail2"), part("b", "mail1")]);
    let found = |host, partition| activity(&history, &office(), &Options { host, partition, ..options(5) }).unwrap();
    assert_eq!(names(&found(None, None)), [("a", "mail1", 2), ("a", "mail2", 2), ("b", "mail1", 2)]);
    assert_eq!(names(&found(Some("a"), None)), [("a", "mail1", 2), ("a", "mail2", 2)]);
    assert_eq!(names(&found(None, Some("mail1"))), [("a", "mail1", 2), ("b", "mail1", 2)]);
    assert_eq!(names(&found(Some("b"), Some("mail2"))), []);
}

#[test]
fn registered_users_are_those_somebody_says_or_the_last_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::create(&folder.path().join("history.db")).unwrap();
    let mut import = history.import("h", "x", "x", DateTime::UNIX_EPOCH).unwrap();
    // Ten weeks of a listing every half hour in open hours; 900 are registered in the first of them, and it is stored once.
    let first = instant("2026-09-14T06:00:00Z");
    for (week, day) in (0..10).flat_map(|week| (0..5).map(move |day| (week, day))) {
        for half in 0..20 {
            let at = first + TimeDelta::weeks(week) + TimeDelta::days(day) + TimeDelta::minutes(30 * half);
            let mut snapshot = Snapshot::new(at, "h", Duration::from_secs(1800));
            snapshot.put(Place::Domino, "Server.Users", &["mail1"], 10.0);
            if at == first {
                snapshot.put(Place::Partition, "registered", &["mail1"], 900.0);
            }
            import.take(snapshot).unwrap();
        }
    }
    import.finish("x", DateTime::UNIX_EPOCH).unwrap();
    let all = |registered: crate::analysis::activity::Registered<'_>| {
        let found = activity(&history, &office(), &Options { registered, ..options(100) }).unwrap();
        let days = found.partitions[0].days.iter();
        days.map(|day| (day.registered, day.registered_on)).collect::<Vec<_>>()
    };
    assert_eq!(all(&|_, _| None), vec![(Some(900), None); 50]);
    let taken = date("2026-11-01");
    let said = all(&|partition, day| (partition == "mail1" && day > taken).then_some((950, Some(taken))));
    // Seven weeks until 30 October, three after it.
    assert_eq!((&said[..35], &said[35..]), (&vec![(Some(900), None); 35][..], &vec![(Some(950), Some(taken)); 15][..]));
}

#[test]
fn what_was_recorded_twice_counts_once() {
    let hour =
        |partition, minutes| Part { host: "h", partition, from: "2026-11-23T06:00:00Z", to: "2026-11-23T16:01:00Z", minutes };
    let (_folder, once) = history(&[hour("mail1", 1)]);
    let (_other, twice) = history(&[hour("mail1", 1), hour("mail1", 5), hour("mail1", 7)]);
    let found = |history: &History| activity(history, &office(), &options(5)).unwrap();
    assert_eq!(found(&twice), found(&once));
    assert_eq!(names(&found(&once)), [("h", "mail1", 1)]);
}
