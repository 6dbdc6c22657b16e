//! A partition whose statistics come by a file: what is cut, mixed or of another server is never kept, and is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::TimeDelta;
use tempfile::TempDir;

use weekline::snapshot::Snapshot;
use weekline::sources::domino::{Partition, Settings, Way};
use weekline::time::Timestamp;

const MINUTE: Duration = Duration::from_secs(60);
const TOTAL: &str = "domino_transactions_total";

/// A partition that is read every minute.
struct Bench {
    folder: TempDir,
    partition: Partition,
    now: Timestamp,
}

/// What came of a reading.
struct Found {
    snapshots: Vec<Snapshot>,
    error: String,
    refused: u64,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            name: "mail1".to_owned(),
            host: "host".to_owned(),
            every: MINUTE,
            way: Some(Way::File(folder.path().join("stat.txt"))),
            data: None,
            named: Vec::new(),
            fields: Vec::new(),
            root: PathBuf::from("/"),
            registered: None,
        };
        Bench { folder, partition: Partition::new(&settings, &Arc::default()), now: "2026-11-03T09:15:00Z".parse().unwrap() }
    }

    /// A minute later, with this in the file.
    fn write(&mut self, text: &[u8]) -> Found {
        let path = self.folder.path().join("stat.txt");
        fs::write(&path, text).unwrap();
        let written = SystemTime::from(self.now + TimeDelta::seconds(59));
        File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
        self.read()
    }

    /// A minute later, with nothing new in it.
    fn read(&mut self) -> Found {
        self.now += TimeDelta::minutes(1);
        let report = self.partition.read(self.now, MINUTE);
        let health = &report.sources[0];
        Found { snapshots: report.snapshots, error: health.error.clone().unwrap_or_default(), refused: health.refused }
    }
}

impl Found {
    /// The transactions of every snapshot.
    fn totals(&self) -> Vec<Option<f64>> {
        self.snapshots.iter().map(|snapshot| snapshot.value(TOTAL, &["mail1"])).collect()
    }
}

/// A listing in a German locale, made so many minutes after 10:15; a transaction takes a millisecond.
fn listing(minute: u32) -> String {
    format!(
        "> show stat\n  Disk.D.Size = 53.687.091.200\n  Mail.Dead = 0\n  Server.ElapsedTime = 2 days 04:{minute:02}:00\n  \
         Server.Name = CN=mail1/O=Acme\n  Server.Time.Start = 01.11.2026 06:00:00 CET\n  Server.Trans.Total = 8.{:03}.517\n  \
         Server.Users = 1.212\n  Stats.Time.Current = 03.11.2026 10:{minute:02}:00 CET\n  8 Statistiken gefunden\n\n",
        100 + minute
    )
}

fn total(minute: u32) -> f64 {
    f64::from(8_100_517 + 1000 * minute)
}

/// All of it is kept, or nothing, in every look of numbers and lines.
#[test]
fn cut_at_any_byte_nothing_is_kept_of_a_listing() {
    let plain = listing(17);
    let french = plain.replace("Statistiken gefunden", "statistiques trouv\u{e9}es");
    let french = ["53.687.091.200", "8.117.517", "1.212"]
        .iter()
        .fold(french, |text, number| text.replace(number, &number.replace('.', "\u{a0}")));
    for text in [plain.replace('\n', "\r\n"), french, plain] {
        for cut in 0..=text.len() {
            cut_at(text.as_bytes(), cut);
        }
    }
}

fn cut_at(text: &[u8], cut: usize) {
    // The end of the last line is the proof; the blank line after it proves nothing more.
    let whole = text.len() - if text.contains(&b'\r') { 2 } else { 1 };
    let mut bench = Bench::new();
    let found = bench.write(&text[..cut]);
    if cut >= whole {
        assert_eq!((found.totals(), found.error.as_str()), (vec![Some(total(17))], ""), "{cut}");
        return;
    }
    // A file that is being written is no fault; one that stays as it is becomes one.
    assert_eq!((found.snapshots.len(), found.error.as_str()), (0, ""), "{cut}");
    let kept: usize = (0..3).map(|_| bench.read().snapshots.len()).sum();
    let last = bench.read();
    assert_eq!(kept + last.snapshots.len(), 0, "{cut}");
    assert!(last.error.contains("stat.txt") && last.error.contains("; see "), "{cut}: {}", last.error);
    let next = bench.write(listing(22).as_bytes());
    assert_eq!((next.totals(), next.error.as_str()), (vec![Some(total(22))], ""), "{cut}");
}

#[test]
fn what_was_not_kept_is_counted_and_told_until_something_is() {
    let mut bench = Bench::new();
    bench.write(listing(16).as_bytes());
    let short = listing(17).replace("  Mail.Dead = 0\n", "");
    let found = bench.write(short.as_bytes());
    let said = "a listing says 8 statistics and has 7; it was not kept; lines of it were lost or belong to another";
    assert_eq!((found.snapshots.len(), found.error.as_str(), found.refused), (0, said, 1));
    // The file is as it was: nothing new is refused, and nothing is well.
    let found = bench.read();
    assert_eq!((found.snapshots.len(), found.error.as_str(), found.refused), (0, said, 1));
    let other = listing(18).replace("mail1", "mail2");
    let found = bench.write(other.as_bytes());
    assert!(found.error.starts_with("the listing is of server `CN=mail2/O=Acme`, and those before were of `CN=mail1/O=Acme`; "));
    assert_eq!((found.snapshots.len(), found.refused), (0, 2));
    let found = bench.write(listing(19).as_bytes());
    assert_eq!((found.totals(), found.error.as_str(), found.refused), (vec![Some(total(19))], "", 2));
    assert_eq!(bench.read().error, "");
}

/// A file that stays cut is counted each time it is looked at, from when it is a fault.
#[test]
fn a_file_without_its_end_is_counted() {
    let mut bench = Bench::new();
    bench.write(listing(16).as_bytes());
    let text = listing(17);
    let mut counts = vec![bench.write(&text.as_bytes()[..200]).refused];
    counts.extend((0..4).map(|_| bench.read().refused));
    // Three intervals may pass, and the file was written a second before the first reading.
    assert_eq!(counts, [0, 0, 0, 1, 2]);
}
