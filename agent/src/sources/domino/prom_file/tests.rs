//! domprom's file and others: which instant its samples are of, and when there is nothing new.

use std::fs;
use std::time::SystemTime;

use chrono::{DateTime, TimeDelta};

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
/// 10:15 on a Tuesday, in seconds.
const START: i64 = 1_793_697_300;

struct Case {
    folder: tempfile::TempDir,
    way: PromFile,
}

impl Case {
    fn new() -> Case {
        let folder = tempfile::tempdir().unwrap();
        let way = PromFile::new(folder.path().join("domino.prom"), MINUTE);
        Case { folder, way }
    }

    /// Writes a file whose time is `at` seconds after the start.
    fn write(&self, text: &str, at: i64) {
        let path = self.folder.path().join("domino.prom");
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(SystemTime::from(after(at))).unwrap();
    }

    /// How many samples were brought, of how many seconds after the start.
    fn read(&mut self, now: i64) -> Result<Vec<(usize, i64)>, String> {
        let mut brought = Vec::new();
        let result = self.way.read(after(now), &mut brought);
        let found = brought.into_iter().map(|brought| match brought.what {
            What::Exposition(samples) => (samples.len(), brought.at.timestamp() - START),
            what => panic!("{what:?}"),
        });
        let found = found.collect();
        result.map(|()| found).map_err(|error| error.to_string())
    }
}

fn after(seconds: i64) -> Timestamp {
    DateTime::from_timestamp(START, 0).unwrap() + TimeDelta::seconds(seconds)
}

fn made(at: i64) -> String {
    format!("# TYPE Domino_Server_Users gauge\nDomino_Server_Users 12\nDominoHealth_stat_update_timestamp {}\n", START + at)
}

#[test]
fn the_time_is_domprom_s_where_it_can_be_true() {
    for (stamp, file, at) in [(0, 0, 0), (0, 2, 0), (-170, 0, -170), (-181, 0, 0), (20, 0, 0), (7200, 5, 5)] {
        let mut case = Case::new();
        case.write(&made(stamp), file);
        assert_eq!(case.read(10), Ok(vec![(2, at)]), "{stamp} in a file of {file}");
    }
    let mut case = Case::new();
    case.write("node_load1 0.5\n", 3);
    assert_eq!(case.read(10), Ok(vec![(1, 3)]));
}

#[test]
fn the_same_figures_are_brought_once_though_the_file_is_written_anew() {
    let mut case = Case::new();
    case.write(&made(0), 0);
    assert_eq!(case.read(1), Ok(vec![(2, 0)]));
    assert_eq!(case.read(61), Ok(vec![]));
    for at in [60, 120, 180] {
        case.write(&made(0), at);
        assert_eq!(case.read(at + 1), Ok(vec![]), "{at}");
    }
    case.write(&made(0), 240);
    let said = case.read(241).unwrap_err();
    assert!(said.contains("has been the same for 4 min; see whether domprom still runs"), "{said}");
    case.write(&made(300), 300);
    assert_eq!(case.read(301), Ok(vec![(2, 300)]));
}

#[test]
fn a_file_that_is_cut_or_empty_is_not_taken() {
    let whole = made(0);
    for end in 0..whole.len() {
        let mut case = Case::new();
        case.write(&whole[..end], 0);
        let brought = case.read(0).unwrap();
        // Cut just behind a line it is a text like any other.
        let lines = whole[..end].matches('\n').count();
        assert_eq!(brought.len(), usize::from(lines == 2 && whole[..end].ends_with('\n')), "{end}");
    }
    let mut case = Case::new();
    for at in [0, 60, 120, 180] {
        case.write(&whole[..whole.len() - 1], at);
        assert_eq!(case.read(at), Ok(vec![]));
    }
    case.write(&whole[..whole.len() - 1], 200);
    assert!(case.read(200).unwrap_err().contains("ends in the middle of a line"));
}

#[test]
fn a_listing_is_told_from_an_exposition_and_a_late_file_is_late() {
    let mut case = Case::new();
    case.write("  Mail.Dead = 0\n  1 statistics found\n", 0);
    let said = case.read(0).unwrap_err();
    assert!(said.contains("set `source` of the partition to \"file\""), "{said}");
    case.write(&made(0), 0);
    let said = case.read(181).unwrap_err();
    assert!(said.contains("181 s old"), "{said}");
}
