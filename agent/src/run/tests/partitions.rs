//! The sampler beside partitions: one that hangs, one that comes and goes.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;
use crate::sources::domino::{Settings as Partition, Way};

const LISTING: &str = include_str!("../../../tests/fixtures/show_stat.txt");

fn partition(name: &str, way: Way) -> Partition {
    let like = Partition::beside_only("mail1", Duration::from_secs(1), Path::new("/nowhere"));
    Partition { name: name.to_owned(), way: Some(way), ..like }
}

fn with(partitions: Vec<Partition>) -> Setup {
    Setup { partitions, ..setup(open(), "mail1") }
}

/// A program that writes its process id beside itself and does not end.
fn hanging(folder: &TempDir) -> PathBuf {
    let program = folder.path().join("server");
    fs::write(&program, "#!/bin/sh\necho $$ > \"${0%/*}/pid\"\nexec sleep 600\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// The error of a partition's only source.
fn error(running: &Running, partition: &str) -> Option<String> {
    running.shared.status().sources.get(partition).and_then(|sources| sources[0].error.clone())
}

#[test]
fn a_console_that_hangs_costs_nobody_else_and_is_ended_with_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let (program, data) = (hanging(&folder), folder.path().to_owned());
    let file = folder.path().join("mail2.txt");
    fs::write(&file, LISTING).unwrap();
    let console = Way::Console { program, data, user: None, deadline: Duration::from_secs(60) };
    let running = Running::with(with(vec![partition("mail1", console), partition("mail2", Way::File(file))]));
    wait_for("the second sample", || running.shared.latest().host().is_some_and(|host| host.before.is_some()));
    wait_for("the other partition", || running.shared.latest().pairs.contains_key("mail2"));
    wait_for("the command", || fs::read_to_string(folder.path().join("pid")).is_ok_and(|pid| !pid.is_empty()));
    let board = running.shared.latest();
    assert_eq!(board.pairs["mail2"].now.value("domino_transactions_total", &["mail2"]), Some(3_993_478.0));
    assert_eq!(error(&running, "mail2"), None);
    assert!(!board.pairs.contains_key("mail1"));
    let process = fs::read_to_string(folder.path().join("pid")).unwrap();
    let process = PathBuf::from("/proc").join(process.trim());
    assert!(process.exists());
    running.stop();
    assert!(!process.exists(), "its process goes before the service does");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("weekline-")), "{left:?}");
}

#[test]
fn partitions_come_and_go_with_a_reload_and_those_that_stay_keep_what_they_know() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let file = folder.path().join(name);
        fs::write(&file, LISTING).unwrap();
        partition(name, Way::File(file))
    };
    let running = Running::with(with(vec![file("mail1"), file("mail2")]));
    wait_for("both", || ["mail1", "mail2"].iter().all(|name| running.shared.latest().pairs.contains_key(*name)));
    running.control.send(Control::Reload(with(vec![file("mail1"), file("mail3")]))).unwrap();
    wait_for("the third", || running.shared.latest().pairs.contains_key("mail3"));
    let status = running.shared.status();
    let names: Vec<&str> = status.partitions.iter().map(|partition| partition.name.as_str()).collect();
    assert_eq!(names, ["mail1", "mail3"]);
    assert!(!status.sources.contains_key("mail2"));
    let shown: Vec<String> = running.shared.latest().pairs.keys().cloned().collect();
    assert!(shown.iter().all(|stream| !stream.starts_with("mail2")), "{shown:?}");
    // The same listing, written again: nothing new of the partition that stays.
    let (status, folder) = running.stop();
    assert!(status.lost.is_empty());
    let history = History::open(&folder.path().join("state/history.db")).unwrap();
    let metric = crate::catalog::metric("domino_transactions_total").unwrap();
    let points: Vec<usize> =
        history.points(metric, crate::time::Span::ALL).unwrap().iter().map(|series| series.points.len()).collect();
    assert_eq!(points, [1, 1, 1]);
}

#[test]
fn a_partition_may_take_its_time_and_is_told_of_when_it_took_more() {
    let folder = tempfile::tempdir().unwrap();
    let (program, data) = (hanging(&folder), folder.path().to_owned());
    let console = Way::Console { program, data, user: None, deadline: Duration::from_secs(20) };
    let (_words, weak) = {
        let words = Arc::new(channel().0);
        (words.clone(), Arc::downgrade(&words))
    };
    let mut watchers = super::super::watchers::Watchers::new(weak);
    watchers.set(&[partition("mail1", console)]);
    let start = Utc::now();
    let mut behind = |seconds: i64| {
        let behind = watchers.ask(start + chrono::TimeDelta::seconds(seconds), Duration::from_secs(10));
        behind.iter().map(|behind| (behind.partition.clone(), behind.source, behind.error.to_string())).collect::<Vec<_>>()
    };
    assert_eq!((behind(0), behind(10), behind(24)), (vec![], vec![], vec![]));
    let error = format!("the reading begun at {} has not ended; does its disk or its network hang?", crate::time::rfc3339(start));
    assert_eq!(behind(25), [("mail1".to_owned(), "console", error)]);
}
