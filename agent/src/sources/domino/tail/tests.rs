//! Logs that grow, are cut, renamed, and written in a circle: every line once or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A log and who follows it.
struct Bench {
    folder: TempDir,
    tail: Tail,
    lines: Vec<String>,
    breaks: usize,
    pass: Pass,
}

impl Bench {
    /// With a file that holds this, and a first reading.
    fn new(text: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("console.log");
        fs::write(&path, text).unwrap();
        let mut bench = Bench { folder, tail: Tail::new(&path, None), lines: Vec::new(), breaks: 0, pass: Pass::default() };
        bench.read();
        assert_eq!((bench.lines.len(), bench.pass.complete), (0, true));
        bench
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("console.log")
    }

    fn append(&self, text: &str) {
        OpenOptions::new().append(true).open(self.path()).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn read(&mut self) -> &mut Bench {
        let (lines, breaks) = (&mut self.lines, &mut self.breaks);
        self.pass = self.tail.read(&mut |heard| match heard {
            Heard::Line(line) => lines.push(line.to_owned()),
            Heard::Break => *breaks += 1,
        });
        self
    }

    /// The agent starts again.
    fn restart(&mut self) {
        let mark = self.tail.mark();
        assert!(mark.is_some());
        self.tail = Tail::new(&self.path(), mark);
    }

    fn new_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.read().lines)
    }

    fn lost(&self) -> String {
        self.pass.lost.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

#[test]
fn the_past_is_left_out_and_a_line_is_given_when_it_is_whole() {
    let mut bench = Bench::new("past\nhalf");
    bench.append(" a line\nnew\nhal");
    assert_eq!(bench.new_lines(), ["new"]);
    assert!(bench.new_lines().is_empty());
    bench.append("f\n");
    assert_eq!(bench.new_lines(), ["half"]);
    assert!(bench.new_lines().is_empty() && bench.pass.complete);
    assert_eq!(bench.lost(), "");
}

#[test]
fn a_renamed_file_is_read_to_its_end_before_the_new_one() {
    let mut bench = Bench::new("past\n");
    bench.append("one\n");
    bench.read();
    bench.append("two\n");
    fs::rename(bench.path(), bench.folder.path().join("console.log.1")).unwrap();
    assert_eq!(bench.new_lines(), ["one", "two"]);
    let mut old = OpenOptions::new().append(true).open(bench.folder.path().join("console.log.1")).unwrap();
    old.write_all(b"three\nnever en").unwrap();
    fs::write(bench.path(), "four\n").unwrap();
    assert_eq!(bench.new_lines(), ["three", "four"]);
    assert_eq!((bench.breaks, bench.pass.complete), (1, true));
    bench.append("five\n");
    assert_eq!(bench.new_lines(), ["five"]);
}

#[test]
fn a_file_that_was_cut_is_read_from_its_start() {
    let mut bench = Bench::new("past\n");
    bench.append("one\n");
    assert_eq!(bench.new_lines(), ["one"]);
    let file = OpenOptions::new().write(true).open(bench.path()).unwrap();
    file.set_len(0).unwrap();
    bench.append("two\n");
    assert_eq!((bench.new_lines(), bench.breaks), (vec!["two".to_owned()], 1));
    // Longer than before: what was there cannot be found again.
    let path = bench.path();
    fs::write(path, format!("{}\n", "another text\n".repeat(9))).unwrap();
    assert!(bench.new_lines().is_empty());
    assert!(bench.lost().contains("was written over further than it was read"), "{}", bench.lost());
    bench.append("three\n");
    assert_eq!(bench.new_lines(), ["three"]);
    assert_eq!(bench.lost(), "");
}

#[test]
fn a_file_that_lost_its_end_only_is_not_read_again() {
    let mut bench = Bench::new(&"past\n".repeat(100));
    bench.append("one\ntwo\n");
    assert_eq!(bench.new_lines(), ["one", "two"]);
    OpenOptions::new().write(true).open(bench.path()).unwrap().set_len(400).unwrap();
    assert!(bench.new_lines().is_empty());
    bench.append("three\n");
    assert_eq!(bench.new_lines(), ["three"]);
}

#[test]
fn a_log_that_comes_later_is_new_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("console.log");
    let mut tail = Tail::new(&path, None);
    let failed = tail.read(&mut |_| panic!("nothing to hear")).failed.unwrap().to_string();
    assert!(failed.starts_with(&format!("`{}` is not there; see that `path`", path.display())), "{failed}");
    fs::write(&path, "one\n").unwrap();
    let mut lines = Vec::new();
    let pass = tail.read(&mut |heard| {
        if let Heard::Line(line) = heard {
            lines.push(line.to_owned());
        }
    });
    assert_eq!((lines, pass.complete, pass.failed.is_none()), (vec!["one".to_owned()], true, true));
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let failed = Tail::new(folder.path(), None).read(&mut |_| {}).failed.unwrap().to_string();
    assert!(failed.contains("is no file; give the partition's `path` its console.log"), "{failed}");
}

#[test]
fn a_start_goes_on_where_the_last_run_ended() {
    let mut bench = Bench::new("past\n");
    bench.append("one\nha");
    assert_eq!(bench.new_lines(), ["one"]);
    bench.append("lf\ntwo\n");
    bench.restart();
    assert_eq!(bench.new_lines(), ["half", "two"]);
    assert!(bench.pass.complete);
    // Replaced while nobody looked.
    bench.restart();
    fs::rename(bench.path(), bench.folder.path().join("console.log.1")).unwrap();
    fs::write(bench.path(), "three\n").unwrap();
    assert_eq!(bench.new_lines(), ["three"]);
    assert!(bench.lost().contains("was replaced while nobody read it"), "{}", bench.lost());
    // Written over while nobody looked.
    bench.restart();
    fs::write(bench.path(), "other\n".repeat(9)).unwrap();
    assert!(bench.new_lines().is_empty());
    assert!(bench.lost().contains("written over"));
}

#[test]
fn more_than_is_read_at_once_comes_the_next_time() {
    let mut bench = Bench::new("past\n");
    let line = "x".repeat(1023);
    let file = OpenOptions::new().append(true).open(bench.path()).unwrap();
    for _ in 0..20 {
        (&file).write_all(format!("{line}\n").repeat(1024).as_bytes()).unwrap();
    }
    let mut counts = Vec::new();
    while counts.last() != Some(&0) {
        counts.push(bench.new_lines().len());
        assert_eq!(bench.pass.complete, counts.len() >= 3);
    }
    // 20 MiB in lines of 1 KiB, 8 MiB at once.
    assert_eq!(counts, [8192, 8192, 4096, 0]);
}

/// Whoever writes a log in a circle.
struct Circle {
    file: File,
    size: u64,
    at: u64,
    /// Whether the break at the end may be inside a line.
    breaks_lines: bool,
}

impl Circle {
    fn write(&mut self, text: &str) {
        let mut text = text.as_bytes();
        while !text.is_empty() {
            let end = if self.breaks_lines {
                text.len()
            } else {
                text.iter().position(|b| *b == b'\n').map_or(text.len(), |at| at + 1)
            };
            let room = usize::try_from(self.size - self.at).unwrap();
            let length = if end <= room || self.breaks_lines { end.min(room) } else { 0 };
            self.file.write_all_at(&text[..length], self.at).unwrap();
            self.at += length as u64;
            text = &text[length..];
            if length < end {
                self.at = 0;
            }
        }
    }
}

/// Line number `n`, of no more than 90 bytes.
fn line(n: usize) -> String {
    format!("[{:05}] {}{n}\n", n % 7, "Server.Users.Active = ".repeat(1 + n * n % 3))
}

/// The numbers of the lines that were given; each must be as it was written.
fn numbers(lines: &[String]) -> Vec<usize> {
    let number = |text: &String| {
        let n = text.rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(format!("{text}\n"), line(n));
        n
    };
    lines.iter().map(number).collect()
}

/// Lines written in a circle in these amounts, with a reading after each; returns the numbers of the lines given.
fn circle(size: u64, breaks_lines: bool, amounts: &[usize], restarts: bool) -> (Vec<usize>, usize, usize) {
    let mut bench = Bench::new("");
    let file = OpenOptions::new().write(true).open(bench.path()).unwrap();
    let mut circle = Circle { file, size, at: 0, breaks_lines };
    let (mut written, mut rounds) = (0, 0);
    for (turn, amount) in amounts.iter().enumerate() {
        let text: String = (written..written + amount).map(line).collect();
        written += amount;
        let before = circle.at;
        circle.write(&text);
        rounds += usize::from(circle.at < before);
        bench.read();
        assert_eq!(bench.lost(), "", "turn {turn}");
        // Before the first line the place is not known, and a start finds it as the first one did.
        if restarts && turn % 5 == 4 && bench.tail.mark().is_some() {
            bench.restart();
        }
    }
    (numbers(&bench.lines), written, rounds)
}

/// Given once, in order; how many are missing.
fn missing(given: &[usize], written: usize) -> usize {
    assert!(given.windows(2).all(|pair| pair[0] < pair[1]), "{given:?}");
    written - given.len()
}

#[test]
fn a_circle_is_followed_line_by_line() {
    // 200 readings of 40 lines, some 2 KB, in 20 KB.
    let (given, written, rounds) = circle(20_000, false, &[40; 200], false);
    assert!(rounds > 15, "{rounds}");
    // A line whose end happens to be what stood there before cannot be told at the seam, nor at the very end.
    assert!(missing(&given, written) <= 2 * rounds + 1, "{} in {rounds} rounds", missing(&given, written));
    assert!(missing(&given, written) * 100 < written);
}

#[test]
fn a_circle_that_breaks_lines_costs_a_line_a_round() {
    let (given, written, rounds) = circle(20_000, true, &[40; 200], false);
    assert!(rounds > 15 && missing(&given, written) <= 2 * rounds + 1);
}

#[test]
fn a_start_in_a_circle_is_behind_by_one_reading_and_loses_nothing() {
    let (given, written, rounds) = circle(50_000, false, &[40; 100], true);
    assert!(rounds >= 3 && missing(&given, written) <= 2 * rounds + 50, "{}", missing(&given, written));
}

#[test]
fn the_place_in_a_full_circle_is_found_by_what_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("console.log");
    let file = File::create(&path).unwrap();
    let mut circle = Circle { file, size: 100_000, at: 0, breaks_lines: false };
    circle.write(&(0..4800).map(line).collect::<String>());
    assert!((10_000..90_000).contains(&circle.at), "{}", circle.at);
    let mut bench = Bench { tail: Tail::new(&path, None), folder, lines: Vec::new(), breaks: 0, pass: Pass::default() };
    for turn in 0..30 {
        bench.read();
        assert_eq!(bench.lost(), "");
        circle.write(&(4800 + turn * 100..4900 + turn * 100).map(line).collect::<String>());
    }
    let given = numbers(&bench.lines);
    // The first three readings find the place; of the rest, nothing but a line at each seam is missing.
    assert!(given[0] >= 4700 && given[0] <= 5000, "{}", given[0]);
    assert!(given.len() >= 2500 && given.windows(2).all(|pair| pair[0] < pair[1]), "{}", given.len());
}

#[test]
fn more_than_a_round_is_lost_and_said() {
    let mut bench = Bench::new("");
    let file = OpenOptions::new().write(true).open(bench.path()).unwrap();
    let mut circle = Circle { file, size: 20_000, at: 0, breaks_lines: false };
    let mut write = |range: std::ops::Range<usize>| circle.write(&range.map(line).collect::<String>());
    write(0..200);
    assert_eq!(bench.new_lines().len(), 200);
    write(200..1000);
    assert!(bench.new_lines().is_empty());
    assert!(bench.lost().contains("raise CONSOLE_LOG_MAX_KBYTES"), "{}", bench.lost());
    let mut given = Vec::new();
    for turn in 0..20 {
        write(1000 + turn * 100..1100 + turn * 100);
        given.extend(bench.new_lines());
    }
    let given = numbers(&given);
    assert!(given.len() > 1500 && given.windows(2).all(|pair| pair[0] < pair[1]), "{}", given.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_of_a_log_gives_the_same_lines(cuts in proptest::collection::vec(1..400_usize, 1..40), restart in 0..5_usize) {
        let text: String = (0..120).map(line).collect();
        let mut bench = Bench::new("");
        let mut rest = text.as_str();
        for (turn, cut) in cuts.iter().enumerate() {
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            bench.append(now);
            bench.read();
            if turn % 5 == restart && bench.tail.mark().is_some() {
                bench.restart();
            }
            rest = later;
        }
        bench.append(rest);
        bench.read();
        prop_assert_eq!(numbers(&bench.lines), (0..120).collect::<Vec<_>>());
    }

    #[test]
    fn no_circle_gives_a_line_twice_or_two_in_one(
        size in 6_000..30_000_u64, breaks_lines: bool, amounts in proptest::collection::vec(0..45_usize, 20..80), restarts: bool,
    ) {
        let (given, written, rounds) = circle(size, breaks_lines, &amounts, restarts);
        let missing = missing(&given, written);
        prop_assert!(restarts || missing <= 2 * rounds + 50, "{} of {} in {} rounds", missing, written, rounds);
    }
}
