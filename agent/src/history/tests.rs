//! The history from outside: what goes in comes out, whatever happens in between.

mod streams;

use std::time::Duration;

use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::catalog::{self, Metric, Place};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

const MINUTE: Duration = Duration::from_secs(60);

fn start() -> Timestamp {
    "2026-11-23T07:00:00Z".parse().unwrap()
}

/// A snapshot `n` minutes after the start with a load of `load` and a count of context switches.
fn snapshot(n: i64, load: f64, switches: f64) -> Snapshot {
    let mut snapshot = Snapshot::new(start() + TimeDelta::minutes(n), "h", MINUTE);
    snapshot.put(Place::ProcLoadavg, "1", &[], load);
    snapshot.put(Place::ProcStat, "ctxt", &[], switches);
    snapshot.follows = n > 0;
    snapshot
}

fn row(name: &str) -> &'static Metric {
    catalog::metric(name).unwrap()
}

fn loads(history: &History) -> Vec<(Millis, f64)> {
    let all = history.points(row("host_load1"), Span::ALL).unwrap();
    all.iter().flat_map(|series| series.points.iter().map(|point| (point.at, point.value))).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/history.db");
    (folder, path)
}

fn running(path: &Path) -> History {
    let mut history = History::create(path).unwrap();
    history.begin("h", start()).unwrap();
    history
}

#[test]
fn a_reader_sees_what_the_writer_appended_before_and_after_a_fold() {
    let (_folder, path) = folder();
    let mut writer = running(&path);
    let reader = History::open(&path).unwrap();
    for n in 0..FOLD as i64 + 50 {
        writer.append(&snapshot(n, n as f64 / 8.0, 1000.0 * n as f64)).unwrap();
        if n % 100 == 0 {
            assert_eq!(loads(&reader).len() as i64, n + 1);
        }
    }
    let seen = loads(&reader);
    let expected: Vec<(Millis, f64)> =
        (0..FOLD as i64 + 50).map(|n| ((start() + TimeDelta::minutes(n)).timestamp_millis(), n as f64 / 8.0)).collect();
    assert_eq!(seen, expected);
    assert_eq!(reader.totals().unwrap().points, 2 * (FOLD as u64 + 50));
    assert_eq!(reader.snapshots().unwrap(), FOLD as u64 + 50);
}

#[test]
fn points_know_whether_they_follow_across_folds_restarts_and_breaks() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..3).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    let mut hotplug = snapshot(3, 1.0, 1.0);
    hotplug.follows = false;
    history.append(&hotplug).unwrap();
    history.append(&snapshot(4, 1.0, 1.0)).unwrap();
    drop(history);
    let mut history = running(&path);
    let mut first = snapshot(5, 1.0, 1.0);
    first.follows = false;
    history.append(&first).unwrap();
    let all = history.points(row("host_load1"), Span::ALL).unwrap();
    let follows: Vec<bool> = all[0].points.iter().map(|point| point.follows).collect();
    assert_eq!(follows, [false, true, true, false, true, false]);
}

#[test]
fn a_fold_within_a_segment_breaks_nothing() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..2 * FOLD as i64 + 5).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    let all = history.points(row("host_load1"), Span::ALL).unwrap();
    assert_eq!(all[0].points.iter().filter(|point| !point.follows).count(), 1);
}

#[test]
fn a_killed_run_loses_nothing_that_was_appended_and_is_told_of() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..10).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    drop(history);
    let mut history = History::create(&path).unwrap();
    let previous = history.begin("h", start() + TimeDelta::hours(1)).unwrap().unwrap();
    assert_eq!(previous, Previous { last: start() + TimeDelta::minutes(9), clean: false });
    assert_eq!(loads(&history).len(), 10);
    history.append(&snapshot(70, 1.0, 1.0)).unwrap();
    history.end(start() + TimeDelta::hours(2)).unwrap();
    drop(history);
    let previous = History::create(&path).unwrap().begin("h", start()).unwrap().unwrap();
    assert_eq!(previous, Previous { last: start() + TimeDelta::minutes(70), clean: true });
}

#[test]
fn a_second_service_is_refused_and_a_reader_and_an_import_are_not() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    history.append(&snapshot(0, 1.0, 1.0)).unwrap();
    let mut second = History::create(&path).unwrap();
    assert!(matches!(second.begin("h", start()), Err(HistoryError::Locked { .. })));
    let mut import = second.import("h", "f", "vmstat", start()).unwrap();
    import.take(snapshot(5, 2.0, 1.0)).unwrap();
    import.finish("given", start()).unwrap();
    history.append(&snapshot(6, 3.0, 1.0)).unwrap();
    assert_eq!(loads(&History::open(&path).unwrap()).len(), 3);
}

#[test]
fn two_names_of_one_file_are_one_history() {
    let (folder, path) = folder();
    let _history = running(&path);
    let other = folder.path().join("other.db");
    std::os::unix::fs::symlink(&path, &other).unwrap();
    assert!(matches!(History::create(&other).unwrap().begin("h", start()), Err(HistoryError::Locked { .. })));
}

#[test]
fn no_name_means_anything_but_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory", "a b#%?.db"] {
        let path = folder.path().join(name);
        running(&path).append(&snapshot(0, 1.0, 1.0)).unwrap();
        assert!(path.is_file(), "{name}");
        assert_eq!(loads(&History::open(&path).unwrap()).len(), 1, "{name}");
    }
    assert!(matches!(History::create(folder.path()), Err(HistoryError::Folder { .. })));
    assert!(matches!(History::open(folder.path()), Err(HistoryError::Folder { .. })));
}

fn import(history: &mut History, snapshots: impl Iterator<Item = Snapshot>) -> Imported {
    let mut import = history.import("h", "file", "vmstat", start()).unwrap();
    snapshots.for_each(|snapshot| import.take(snapshot).unwrap());
    import.finish("row stamp", start()).unwrap()
}

#[test]
fn the_same_file_twice_is_stored_once_and_undone_whole() {
    let (_folder, path) = folder();
    let mut history = History::create(&path).unwrap();
    let file = || (0..100).map(|n| snapshot(n, n as f64, 5.0));
    let first = import(&mut history, file());
    assert_eq!((first.stored, first.known), (200, 0));
    let again = import(&mut history, file());
    assert_eq!((again.batch, again.stored, again.known), (None, 0, 200));
    let longer = import(&mut history, (50..150).map(|n| snapshot(n, n as f64, 5.0)));
    assert_eq!((longer.stored, longer.known), (100, 100));
    assert_eq!(loads(&history).len(), 150);
    let batches = history.batches().unwrap();
    assert_eq!(batches.iter().map(|batch| batch.snapshots).collect::<Vec<_>>(), [100, 50]);
    assert_eq!(history.undo(first.batch.unwrap()).unwrap(), Some(200));
    assert_eq!(history.undo(first.batch.unwrap()).unwrap(), None);
    assert_eq!(loads(&history).len(), 50);
    assert_eq!(history.totals().unwrap().points, 100);
}

#[test]
fn a_finer_recording_of_the_same_time_is_stored_whole_and_comes_first() {
    let (_folder, path) = folder();
    let mut history = History::create(&path).unwrap();
    let every = |minutes: i64, value: f64| {
        (1..=6 / minutes).map(move |n| Snapshot { every: MINUTE * minutes as u32, ..snapshot(n * minutes, value, 1.0) })
    };
    assert_eq!(import(&mut history, every(2, 9.0)).stored, 6);
    assert_eq!(import(&mut history, every(1, 1.0)).stored, 12);
    let all = history.points(row("host_load1"), Span::ALL).unwrap();
    assert_eq!(all[0].points.iter().map(|point| point.value).collect::<Vec<_>>(), [1.0; 6]);
}

#[test]
fn an_import_that_did_not_end_is_undone_whole() {
    let (_folder, path) = folder();
    let mut history = History::create(&path).unwrap();
    let mut import = history.import("h", "file", "vmstat", start()).unwrap();
    (0..60_000).for_each(|n| import.take(snapshot(n, 1.0, 1.0)).unwrap());
    let batch = import.batch();
    assert_eq!(history.undo(batch).unwrap(), Some(100_000));
    assert_eq!((loads(&history).len(), history.batches().unwrap().len(), history.totals().unwrap().points), (0, 0, 0));
}

#[test]
fn a_live_run_cannot_be_undone() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    history.append(&snapshot(0, 1.0, 1.0)).unwrap();
    assert_eq!(history.undo(1).unwrap(), None);
    assert_eq!(loads(&history).len(), 1);
}

#[test]
fn an_import_that_overlaps_the_service_adds_only_other_instants_and_breaks_what_it_cuts() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..5).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    history.end(start()).unwrap();
    let between = Snapshot { at: start() + TimeDelta::seconds(90), ..snapshot(1, 9.0, 1.0) };
    import(&mut history, [snapshot(2, 9.0, 1.0), between].into_iter());
    let all = history.points(row("host_load1"), Span::ALL).unwrap();
    let seen: Vec<(f64, bool, bool)> = all[0].points.iter().map(|point| (point.value, point.live, point.follows)).collect();
    let expected =
        [(1.0, true, false), (1.0, true, true), (9.0, false, false), (1.0, true, false), (1.0, true, true), (1.0, true, true)];
    assert_eq!(seen, expected);
}

#[test]
fn facts_are_kept_when_they_change() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    for (n, kernel) in [(0, "6.1.0"), (1, "6.1.0"), (2, "6.2.0"), (3, "6.1.0")] {
        let mut snapshot = snapshot(n, 1.0, 1.0);
        snapshot.note(Place::System, "kernel", &[], kernel);
        snapshot.note(Place::System, "disk", &["sda"], "7");
        history.append(&snapshot).unwrap();
    }
    let facts = History::open(&path).unwrap().facts().unwrap();
    let told: Vec<(&str, &str, i64)> =
        facts.iter().map(|f| (f.row.name, f.text.as_str(), (f.since - start()).num_minutes())).collect();
    assert_eq!(told, [("disk", "7", 0), ("kernel", "6.1.0", 0), ("kernel", "6.2.0", 2), ("kernel", "6.1.0", 3)]);
    assert_eq!(facts[0].about.values().collect::<Vec<_>>(), ["sda"]);
}

#[test]
fn old_points_are_forgotten_by_age_and_by_size() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    // Chunks of FOLD minutes each; noise does not press well, so the file grows.
    (0..10 * FOLD as i64).for_each(|n| history.append(&snapshot(n, (n as f64 * 0.7).sin(), n as f64)).unwrap());
    let before = start() + TimeDelta::minutes(3 * FOLD as i64);
    assert_eq!(history.prune(before).unwrap(), 2 * 3 * FOLD as u64);
    assert!(loads(&history).iter().all(|&(at, _)| at >= before.timestamp_millis()));
    assert_eq!(history.totals().unwrap().points, 2 * 7 * FOLD as u64);
    // By size the oldest weeks go, and the newest stays.
    let newest = loads(&history).last().unwrap().0;
    history.prune_to(1).unwrap();
    let oldest = loads(&history)[0].0;
    assert!(newest - oldest < 2 * 7 * 24 * 3_600_000, "{} ms", newest - oldest);
    assert_eq!(history.totals().unwrap().points, loads(&history).len() as u64 * 2);
}

#[test]
fn what_is_no_history_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.db");
    assert!(matches!(History::open(&path), Err(HistoryError::Absent { .. })));
    for content in ["", "just a note\n", &"x".repeat(8192)] {
        std::fs::write(&path, content).unwrap();
        let error = History::open(&path).err().unwrap();
        assert!(matches!(error, HistoryError::Empty { .. } | HistoryError::Foreign { .. }), "{error:?}");
        if !content.is_empty() {
            assert!(matches!(History::create(&path), Err(HistoryError::Foreign { .. })));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert!(matches!(History::create(&path), Err(HistoryError::Foreign { .. })));
}

#[test]
fn a_newer_history_is_refused_by_its_version() {
    let (_folder, path) = folder();
    drop(running(&path));
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    for error in [History::open(&path).err().unwrap(), History::create(&path).err().unwrap()] {
        assert!(matches!(error, HistoryError::Newer { found: 7, .. }), "{error:?}");
    }
}

#[test]
fn a_garbled_column_is_damage_and_names_the_file() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..FOLD as i64).for_each(|n| history.append(&snapshot(n, 1.5, 1.0)).unwrap());
    rusqlite::Connection::open(&path).unwrap().execute("UPDATE chunk SET blob = x'0102'", []).unwrap();
    let error = history.points(row("host_load1"), Span::ALL).unwrap_err();
    assert_eq!(error.why(), "damaged");
    assert!(error.to_string().contains(&path.display().to_string()));
}

#[test]
fn no_room_costs_the_sample_and_nothing_else() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    history.append(&snapshot(0, 1.0, 1.0)).unwrap();
    let pages: i64 = history.ask("PRAGMA page_count", []).unwrap();
    history.db.pragma_update(None, "max_page_count", pages).unwrap();
    let full = (1..2000).find_map(|n| history.append(&snapshot(n, n as f64, 1.0)).err()).unwrap();
    assert_eq!(full.why(), "no_room");
    let kept = loads(&history).len();
    history.db.pragma_update(None, "max_page_count", 1_000_000).unwrap();
    history.append(&snapshot(3000, 1.0, 1.0)).unwrap();
    assert_eq!(loads(&history).len(), kept + 1);
}

#[test]
fn a_reader_never_sees_a_fold_half_done() {
    let (_folder, path) = folder();
    let mut writer = running(&path);
    writer.append(&snapshot(0, 1.0, 1.0)).unwrap();
    let reader = History::open(&path).unwrap();
    let written = std::sync::atomic::AtomicUsize::new(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..4 * FOLD {
                writer.append(&snapshot(n as i64, 1.0, 1.0)).unwrap();
                written.store(n + 1, std::sync::atomic::Ordering::SeqCst);
            }
        });
        while written.load(std::sync::atomic::Ordering::SeqCst) < 4 * FOLD {
            let least = written.load(std::sync::atomic::Ordering::SeqCst);
            let seen = loads(&reader).len();
            assert!(seen >= least, "{seen} of at least {least}");
        }
    });
}

#[test]
fn several_reads_at_once_are_of_one_moment() {
    let (_folder, path) = folder();
    let mut writer = running(&path);
    writer.append(&snapshot(0, 1.0, 1.0)).unwrap();
    let reader = History::open(&path).unwrap();
    let (before, after) = reader
        .at_once(|| {
            let before = loads(&reader).len();
            writer.append(&snapshot(1, 1.0, 1.0)).unwrap();
            Ok::<_, HistoryError>((before, loads(&reader).len()))
        })
        .unwrap();
    assert_eq!((before, after, loads(&reader).len()), (1, 1, 2));
}

#[test]
fn a_break_that_was_not_kept_is_made_good_by_the_next_snapshot() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..3).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    history.db.pragma_update(None, "query_only", true).unwrap();
    let mut restarted = snapshot(3, 1.0, 0.0);
    restarted.follows = false;
    assert!(history.append(&restarted).is_err());
    history.db.pragma_update(None, "query_only", false).unwrap();
    history.append(&snapshot(4, 1.0, 1e9)).unwrap();
    let all = history.points(row("host_context_switches_total"), Span::ALL).unwrap();
    let follows: Vec<bool> = all[0].points.iter().map(|point| point.follows).collect();
    assert_eq!(follows, [false, true, true, false]);
}

#[test]
fn what_one_process_remembers_of_series_does_not_outlive_what_another_forgets() {
    let (_folder, path) = folder();
    let mut service = running(&path);
    let mut other = History::create(&path).unwrap();
    let old = |n: i64, host: &str| Snapshot { host: host.to_owned(), ..snapshot(n, 2.0, 1.0) };
    let first = import(&mut other, (0..100).map(|n| old(n, "old"))).batch.unwrap();
    // The first import is taken out by the service, which then meets new series of its own.
    service.undo(first).unwrap();
    service.append(&snapshot(0, 7.0, 1.0)).unwrap();
    import(&mut other, (100..200).map(|n| old(n, "old")));
    let all = service.points(row("host_load1"), Span::ALL).unwrap();
    let seen: Vec<(&str, bool)> =
        all.iter().map(|s| (&*s.host, s.points.iter().all(|p| (p.value == 2.0) == (&*s.host == "old")))).collect();
    assert_eq!(seen, [("h", true), ("old", true)]);
}

#[test]
fn age_takes_what_the_service_read_and_leaves_what_was_imported() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    import(&mut history, (0..100).map(|n| Snapshot { host: "old".to_owned(), ..snapshot(n, 1.0, 1.0) }));
    (0..100).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    history.end(start()).unwrap();
    assert_eq!(history.prune(start() + TimeDelta::days(30)).unwrap(), 200);
    assert_eq!((loads(&history).len(), history.hosts().unwrap()), (100, vec!["old".to_owned()]));
}

#[test]
fn what_is_forgotten_makes_the_file_smaller() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    // A point an hour over most of a year; noise does not press well.
    let hour =
        |n: i64| Snapshot { at: start() + TimeDelta::hours(n), ..snapshot(n, (n as f64 * 0.7).sin(), (n as f64 * 1.3).cos()) };
    (0..8000).for_each(|n| history.append(&hour(n)).unwrap());
    history.end(start()).unwrap();
    let large = std::fs::metadata(&path).unwrap().len();
    assert!(history.prune_to(large / 2).unwrap() > 0);
    let small = std::fs::metadata(&path).unwrap().len();
    assert!(small <= large / 2 + 8192, "{large} bytes became {small}");
}

#[test]
fn an_import_undone_leaves_no_series_and_no_fact() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    history.append(&snapshot(0, 1.0, 1.0)).unwrap();
    let mut told = Snapshot { host: "wrong".to_owned(), ..snapshot(0, 1.0, 1.0) };
    told.note(Place::System, "kernel", &[], "6.1.0");
    let imported = import(&mut history, [told].into_iter());
    assert_eq!((history.hosts().unwrap().len(), history.facts().unwrap().len()), (2, 1));
    history.undo(imported.batch.unwrap()).unwrap();
    assert_eq!((history.hosts().unwrap(), history.facts().unwrap().len()), (vec!["h".to_owned()], 0));
    assert_eq!(loads(&history).len(), 1);
}

#[test]
fn a_history_replaced_under_the_service_is_not_touched() {
    let (folder, path) = folder();
    let other = folder.path().join("other.db");
    let mut backup = running(&other);
    (0..500).for_each(|n| backup.append(&snapshot(n, 2.0, 1.0)).unwrap());
    backup.end(start()).unwrap();
    drop(backup);
    let mut history = running(&path);
    (0..50).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    std::fs::rename(&other, &path).unwrap();
    assert!(history.is_gone());
    history.end(start()).unwrap();
    drop(history);
    let replaced = History::open(&path).unwrap();
    assert_eq!(replaced.ask::<String>("PRAGMA integrity_check", []).unwrap(), "ok");
    let seen = loads(&replaced);
    assert!(seen.len() == 500 && seen.iter().all(|(_, value)| *value == 2.0), "{} points", seen.len());
}

#[test]
fn of_two_points_of_one_instant_the_next_follows_only_the_one_that_is_kept() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..3).for_each(|n| history.append(&snapshot(n, 1.0, 100.0)).unwrap());
    history.end(start()).unwrap();
    import(&mut history, (2..5).map(|n| Snapshot { every: MINUTE * 2, ..snapshot(n, 9.0, 5000.0) }));
    let all = history.points(row("host_context_switches_total"), Span::ALL).unwrap();
    let seen: Vec<(f64, bool)> = all[0].points.iter().map(|point| (point.value, point.follows)).collect();
    assert_eq!(seen, [(100.0, false), (100.0, true), (100.0, true), (5000.0, false), (5000.0, true)]);
}

#[test]
fn the_same_jump_of_the_clock_twice_is_two_events() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    for n in 0..3 {
        let mut snapshot = snapshot(n, 1.0, 1.0);
        snapshot.note(Place::Agent, "clock", &[], "clock stepped by +60.0 s");
        history.append(&snapshot).unwrap();
    }
    assert_eq!(history.facts().unwrap().len(), 3);
}

#[test]
fn a_history_in_a_folder_one_may_only_read_is_read() {
    let (_folder, path) = folder();
    let mut history = running(&path);
    (0..5).for_each(|n| history.append(&snapshot(n, 1.0, 1.0)).unwrap());
    history.end(start()).unwrap();
    drop(history);
    let alone = rusqlite::Connection::open_with_flags(
        schema::unchanging(&path),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
    );
    assert_eq!(loads(&History::with(alone.unwrap(), &path)).len(), 5);
    assert_eq!(schema::unchanging(Path::new("/a b/c%?#.db")), "file:/a b/c%25%3f%23.db?immutable=1");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_values_come_back_to_the_bit(values in proptest::collection::vec(-1e300..1e300f64, 1..200)) {
        let (_folder, path) = folder();
        let mut history = History::create(&path).unwrap();
        import(&mut history, values.iter().enumerate().map(|(n, value)| snapshot(n as i64, *value, 1.0)));
        let back: Vec<u64> = loads(&history).iter().map(|(_, value)| value.to_bits()).collect();
        prop_assert_eq!(back, values.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
    }
}
