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
    wait_for("the word about it", || error(&running, "mail1").is_some_and(|error| error.contains("has not ended")));
    let board = running.shared.latest();
    assert!(board.host().unwrap().before.is_some(), "the host is sampled meanwhile");
    assert_eq!(board.pairs["mail2"].now.value("domino_transactions_total", &["mail2"]), Some(3_993_478.0));
    assert_eq!(error(&running, "mail2"), None);
    assert!(!board.pairs.contains_key("mail1"));
    let process = fs::read_to_string(folder.path().join("pid")).unwrap();
    let process = PathBuf::from("/proc").join(process.trim());
    assert!(process.exists());
    running.stop();
    wait_for("the end of its process", || !process.exists());
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
