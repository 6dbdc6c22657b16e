//! Several streams in one run of the service, and files of the version before there were any.

use super::*;

/// A listing of a partition, at the same instants as the host's own snapshots.
fn listing(partition: &str, n: i64, total: f64) -> Snapshot {
    let mut listing = Snapshot::new(start() + TimeDelta::minutes(n), "h", MINUTE).of(partition);
    listing.put(Place::Domino, "Server.Trans.Total", &[partition], total);
    listing.follows = n > 0;
    listing
}

fn totals(history: &History) -> Vec<(String, Vec<(f64, bool)>)> {
    let all = history.points(row("domino_transactions_total"), Span::ALL).unwrap();
    let points = |series: &Series| series.points.iter().map(|point| (point.value, point.follows)).collect();
    all.iter().map(|series| (series.labels.get(0).unwrap().to_owned(), points(series))).collect()
}

#[test]
fn a_restart_breaks_its_own_stream_and_no_other() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    for n in 0..4 {
        history.append(&snapshot(n, n as f64, 1.0)).unwrap();
        for partition in ["mail1", "mail2"] {
            let mut listing = listing(partition, n, n as f64);
            listing.follows &= !(partition == "mail2" && n == 2);
            history.append(&listing).unwrap();
        }
    }
    let unbroken = vec![(0.0, false), (1.0, true), (2.0, true), (3.0, true)];
    let broken = vec![(0.0, false), (1.0, true), (2.0, false), (3.0, true)];
    let expected = [("mail1".to_owned(), unbroken.clone()), ("mail2".to_owned(), broken)];
    assert_eq!(totals(&history), expected);
    let host = |history: &History| -> Vec<(f64, bool)> {
        let all = history.points(row("host_load1"), Span::ALL).unwrap();
        all[0].points.iter().map(|point| (point.value, point.follows)).collect()
    };
    assert_eq!(host(&history), unbroken);
    // Folded, it is the same; the snapshots of one instant count once.
    history.end(start()).unwrap();
    assert_eq!((totals(&history).as_slice(), host(&history)), (&expected[..], unbroken));
    assert_eq!((history.snapshots().unwrap(), history.totals().unwrap().points), (4, 4 * (2 + 1 + 1)));
}

#[test]
fn each_stream_is_folded_by_its_own_length_and_texts_alone_are_no_tick() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    for n in 0..FOLD as i64 {
        history.append(&listing("mail1", n, n as f64)).unwrap();
        if n % 2 == 0 {
            history.append(&listing("mail2", n, n as f64)).unwrap();
        }
        let mut said = Snapshot::new(start() + TimeDelta::minutes(n), "h", MINUTE).of("mail1");
        said.note(Place::Console, "finding", &["fault", "mail1"], "the same each time");
        history.append(&said).unwrap();
    }
    let tail: i64 = history.ask("SELECT count(*) FROM tail", []).unwrap();
    assert_eq!(tail, FOLD as i64 / 2);
    assert_eq!(history.facts().unwrap().len(), FOLD);
    assert!(totals(&history)[0].1[1..].iter().all(|(_, follows)| *follows));
}

/// The tables of version 1, in which the tail was keyed by instant and batch.
const TAIL_1: &str = "DROP TABLE tail;
    CREATE TABLE tail (t INTEGER NOT NULL, batch INTEGER NOT NULL, segment INTEGER NOT NULL, every INTEGER NOT NULL,
        n INTEGER NOT NULL, blob BLOB NOT NULL, PRIMARY KEY (t, batch));
    INSERT INTO tail SELECT * FROM kept; DROP TABLE kept; PRAGMA user_version = 1;";

#[test]
fn a_history_of_version_1_is_brought_along_with_what_its_tail_holds() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..3).for_each(|n| history.append(&snapshot(n, n as f64, 1.0)).unwrap());
    let before = loads(&history);
    drop(history);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(&format!("CREATE TABLE kept AS SELECT * FROM tail; {TAIL_1}")).unwrap();
    drop(old);
    // A reader needs nothing changed.
    assert_eq!(loads(&History::open(&path).unwrap()), before);
    let mut history = History::create(&path).unwrap();
    assert_eq!(history.ask::<i32>("PRAGMA user_version", []).unwrap(), 2);
    assert_eq!(loads(&history), before);
    history.begin("h", start()).unwrap();
    assert_eq!(loads(&history), before);
}

#[test]
fn events_of_one_instant_are_all_kept_and_read_again_they_are_the_same() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    for _ in 0..2 {
        for text in ["one.nsf is corrupt", "two.nsf is corrupt", "three.nsf is corrupt"] {
            let mut said = Snapshot::new(start(), "h", MINUTE).of("mail1");
            said.note(Place::Console, "finding", &["corruption", "mail1"], text);
            history.append(&said).unwrap();
        }
    }
    let facts = history.facts().unwrap();
    let facts: Vec<_> = facts.iter().map(|fact| ((fact.since - start()).num_milliseconds(), fact.text.as_str())).collect();
    assert_eq!(facts, [(0, "one.nsf is corrupt"), (1, "two.nsf is corrupt"), (2, "three.nsf is corrupt")]);
}
