//! The newest weeks, read back from the end.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta};
use chrono_tz::Tz;

use crate::analysis::weeks::{Weeks, fold};
use crate::analysis::{newest, series};
use crate::catalog::{self, Place};
use crate::history::History;
use crate::schedule::{Hours, Outside, Schedule};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

fn schedule(zone: Tz, hours: &str) -> Schedule {
    let hours: Hours = hours.parse().unwrap();
    Schedule::new(zone, [Some(hours); 7], Duration::from_secs(60), Outside::Idle, BTreeSet::new())
}

/// A history, and who has points of which disk in which time: every three hours and a bit, so that every weekday has some.
fn history(parts: &[(&str, &str, &str, &str)]) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::create(&folder.path().join("history.db")).unwrap();
    for &(host, disk, from, to) in parts {
        let (mut at, to): (Timestamp, Timestamp) = (from.parse().unwrap(), to.parse().unwrap());
        let mut import = history.import(host, "x", "x", DateTime::UNIX_EPOCH).unwrap();
        while at < to {
            let mut snapshot = Snapshot::new(at, host, Duration::from_secs(1800));
            let value = (at.timestamp() / 100 % 977) as f64;
            snapshot.put(Place::SarDisk, "%util", &[disk], value / 10.0);
            import.take(snapshot).unwrap();
            at += TimeDelta::minutes(187);
        }
        import.finish("x", DateTime::UNIX_EPOCH).unwrap();
    }
    (folder, history)
}

/// All weeks folded at once and the surplus dropped: what reading back must come to.
fn at_once(history: &History, host: Option<&str>, schedule: &Schedule, last: usize) -> Vec<Weeks> {
    let metric = catalog::metric("host_disk_busy_ratio").unwrap();
    let all = series(history, metric, Span::ALL).unwrap();
    let mut all = fold(metric, all, schedule, &(NaiveDate::MIN..NaiveDate::MAX));
    all.retain(|one| !one.weeks.is_empty() && host.is_none_or(|host| one.host == host));
    all.iter_mut().for_each(|one| drop(one.weeks.drain(..one.weeks.len().saturating_sub(last))));
    all
}

fn read_back(history: &History, host: Option<&str>, schedule: &Schedule, last: usize) -> Vec<Weeks> {
    newest::weeks(history, catalog::metric("host_disk_busy_ratio").unwrap(), host, schedule, last).unwrap()
}

#[test]
fn reading_back_finds_what_reading_everything_finds() {
    // A server that was replaced, a gap of two years, a disk that is gone, and a disk that is new.
    let (_folder, history) = history(&[
        ("old", "sda", "2023-01-02T00:00:00Z", "2023-03-01T12:00:00Z"),
        ("new", "sda", "2025-06-01T00:00:00Z", "2025-12-08T01:00:00Z"),
        ("new", "sdb", "2025-06-01T00:00:00Z", "2025-07-01T00:00:00Z"),
        ("new", "sdc", "2025-11-29T00:00:00Z", "2025-12-08T01:00:00Z"),
    ]);
    for zone in [Tz::UTC, Tz::Europe__Berlin, Tz::Pacific__Kiritimati, Tz::Etc__GMTPlus12] {
        for hours in ["07:00-17:00", "22:00-06:00", "00:00-24:00"] {
            let schedule = schedule(zone, hours);
            for last in [1, 2, 5, 13, 1000] {
                for host in [None, Some("old"), Some("new")] {
                    let (expected, found) =
                        (at_once(&history, host, &schedule, last), read_back(&history, host, &schedule, last));
                    assert_eq!(found, expected, "{zone} {hours} {last} {host:?}");
                }
            }
        }
    }
}

#[test]
fn a_history_that_began_tonight_has_the_week_of_last_night() {
    // Monday 01:00 belongs to Sunday's night, whose week has no other point.
    let (_folder, history) = history(&[("h", "sda", "2025-12-08T01:00:00Z", "2025-12-08T01:01:00Z")]);
    let night = schedule(Tz::UTC, "22:00-06:00");
    let weeks = read_back(&history, None, &night, 1);
    assert_eq!(weeks[0].weeks[0].week, "2025-W49");
    assert_eq!(read_back(&history, None, &schedule(Tz::UTC, "07:00-17:00"), 1), []);
    assert_eq!(read_back(&history, Some("other"), &night, 1), []);
}
