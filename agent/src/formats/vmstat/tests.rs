use std::fmt::Write;
use std::time::Duration;

use crate::formats::tests::{about, lines, parse, survives_cutting};
use crate::formats::{About, FormatError, detect};
use crate::snapshot::Snapshot;

const GROUPS: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----";
const WORDS: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st";

/// A header; `zone` is its last word, `-` is the layout of RHEL 6, which has none.
fn header(zone: &str) -> String {
    match zone {
        "" => format!("{GROUPS}\n{WORDS}\n"),
        "-" => format!("{GROUPS} ---timestamp---\n{WORDS}\n"),
        zone => format!("{GROUPS} -----timestamp-----\n{WORDS} {zone}\n"),
    }
}

/// A row whose `us` tells it from others.
fn row(us: u32, stamp: &str) -> String {
    format!(" 1  0      0 21362672  65916 2871604    0    0   496    64  {} 1072 {us}  3 {}  0  0 {stamp}\n", 500 + us, 97 - us)
}

fn user(snapshots: &[Snapshot]) -> Vec<u32> {
    let percent = |snapshot: &Snapshot| snapshot.value("host_cpu_mode_ratio", &["user"]).unwrap() * 100.0;
    snapshots.iter().map(|snapshot| percent(snapshot).round() as u32).collect()
}

fn times(snapshots: &[Snapshot]) -> Vec<String> {
    let mark = |snapshot: &Snapshot| if snapshot.follows { "" } else { "!" };
    snapshots.iter().map(|snapshot| format!("{}{}", snapshot.at.format("%H:%M:%S"), mark(snapshot))).collect()
}

fn reasons(result: Result<crate::formats::Parsed, FormatError>) -> Vec<(u64, String)> {
    result.unwrap().skipped.first.into_iter().map(|line| (line.line, line.why)).collect()
}

#[test]
fn a_row_in_full() {
    let text = header("UTC") + &row(1, "2026-11-30 19:15:00") + &row(2, "2026-11-30 19:20:00");
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &About { host: "h".to_owned(), ..About::default() });
    assert_eq!(result.unwrap().time_quality, "row stamp, zone named in the file");
    assert_eq!(
        lines(&snapshots),
        ["h 2026-11-30 19:20:00 300s anew host_tasks_running{}=1 host_tasks_blocked{}=0 host_swap_used_bytes{}=0 \
         host_memory_free_bytes{}=21875376128 host_memory_buffers_bytes{}=67497984 host_swap_in_bytes_per_second{}=0 \
         host_swap_out_bytes_per_second{}=0 host_paged_in_bytes_per_second{}=507904 host_paged_out_bytes_per_second{}=65536 \
         host_interrupts_per_second{}=502 host_context_switches_per_second{}=1072 host_cpu_mode_ratio{user}=0.02 \
         host_cpu_mode_ratio{system}=0.03 host_cpu_mode_ratio{idle}=0.95 host_cpu_mode_ratio{iowait}=0 \
         host_cpu_mode_ratio{steal}=0"]
    );
    assert!(snapshots[0].unknown.is_empty());
}

#[test]
fn old_layouts_leave_nothing_unknown() {
    let text = "   procs                      memory    swap          io     system         cpu\n\
                 r  b  w   swpd   free   buff  cache  si  so    bi    bo   in    cs  us  sy  id\n\
                 1  0  0    304  14236  12256  99088   0   0     5     9   64    91   7   2  91\n\
                 2  0  1    304  14232  12260  99092   0   0     0    12  104    80  10   5  85\n";
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &about());
    assert_eq!(reasons(result), []);
    assert!(snapshots[0].unknown.is_empty());
    assert_eq!(snapshots[0].value("host_cpu_mode_ratio", &["idle"]), Some(0.85));
    let text = "r b swpd free buff cache si so bi bo in cs us sy wa id\n1 0 0 9 9 9 0 0 0 0 1 1 1 2 3 94\n1 0 0 9 9 9 0 0 0 0 1 1 4 5 6 85\n";
    let (snapshots, _) = parse("vmstat", text.as_bytes(), &about());
    assert_eq!(snapshots[0].value("host_cpu_mode_ratio", &["iowait"]), Some(0.06));
    assert_eq!(snapshots[0].value("host_cpu_mode_ratio", &["idle"]), Some(0.85));
}

#[test]
fn a_zone_that_is_not_unique_is_asked_for() {
    let text = header("EST") + &row(1, "2026-11-30 14:15:00") + &row(2, "2026-11-30 14:20:00");
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &About::default());
    assert!(snapshots.is_empty());
    let message = "zone `EST` is not unique; add --zone with an IANA name, like --zone America/New_York";
    assert_eq!(result.unwrap_err().to_string(), message);
    let about = About { zone: Some(chrono_tz::America::New_York), ..About::default() };
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &about);
    assert_eq!(times(&snapshots), ["19:20:00!"]);
    assert_eq!(result.unwrap().time_quality, "row stamp, zone given");
    // RHEL 6: the zone stands in the row.
    let text = header("-") + &row(1, "\t2011-04-12 20:49:26 JST") + &row(2, "\t2011-04-12 20:49:27 JST");
    let about = About { zone: Some(chrono_tz::Asia::Tokyo), ..About::default() };
    assert_eq!(times(&parse("vmstat", text.as_bytes(), &about).0), ["11:49:27!"]);
}

#[test]
fn without_stamps_start_and_interval_are_asked_for() {
    let text = header("") + &row(1, "") + &row(2, "") + "1 0 0\n" + &row(3, "");
    for (about, message) in [
        (
            About::default(),
            "no row carries a time; add --start \"2026-11-30 07:00\" and --every 300s and --zone with an IANA name, like --zone Europe/Berlin",
        ),
        (About { every: None, ..about() }, "no row carries a time; add --every 300s"),
        (
            About { start: "2026-10-25T02:30:00".parse().ok(), ..about() },
            "the start 2026-10-25 02:30:00 comes twice in Europe/Berlin; give --start in UTC and add --zone UTC",
        ),
    ] {
        assert_eq!(parse("vmstat", text.as_bytes(), &about).1.unwrap_err().to_string(), message);
    }
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &about());
    // 07:00 in Berlin is 06:00; the cut row had its time, and the row after it keeps its own.
    assert_eq!(times(&snapshots), ["06:05:00!", "06:15:00"]);
    assert_eq!(snapshots[1].every, Duration::from_secs(300));
    assert_eq!(reasons(result), [(5, "expected 17 columns, found 3".to_owned())]);
}

/// `vmstat 300 n` with the header every 21 rows.
fn one_run(rows: u32, stamp: impl Fn(u32) -> String, zone: &str) -> String {
    let mut text = String::new();
    for i in 0..rows {
        if i % 21 == 0 {
            text += &header(zone);
        }
        text += &row(i % 90, &stamp(i));
    }
    text
}

#[test]
fn a_repeated_header_is_no_new_run() {
    let (snapshots, result) = parse("vmstat", one_run(60, |_| String::new(), "").as_bytes(), &about());
    assert_eq!(user(&snapshots), (1..60).collect::<Vec<_>>());
    assert_eq!(snapshots.iter().filter(|snapshot| !snapshot.follows).count(), 1);
    assert_eq!(times(&snapshots).last().unwrap(), "10:55:00");
    assert_eq!(reasons(result), []);
    let minutes = |i| format!("2026-11-30 {:02}:{:02}:00", 7 + i / 60, i % 60);
    let (snapshots, _) = parse("vmstat", one_run(80, minutes, "UTC").as_bytes(), &about());
    assert_eq!(user(&snapshots), (1..80).collect::<Vec<_>>());
}

#[test]
fn cron_makes_every_block_a_run() {
    // `*/5 * * * * vmstat -t 300 2`, and the same with 60 and 5, whose blocks follow each other at the interval.
    for (every, rows) in [(300, 2), (60, 5)] {
        let mut text = String::new();
        for block in 0..4 {
            text += &header("UTC");
            for i in 0..rows {
                let second = block * 300 + i * every;
                text += &row(block * 10 + i, &format!("2026-11-30 19:{:02}:00", second / 60));
            }
        }
        let (snapshots, result) = parse("vmstat", text.as_bytes(), &About::default());
        let kept: Vec<u32> = (0..4).flat_map(|block| (1..rows).map(move |i| block * 10 + i)).collect();
        assert_eq!(user(&snapshots), kept);
        assert_eq!(snapshots.iter().filter(|snapshot| !snapshot.follows).count(), 4);
        assert_eq!(reasons(result), []);
    }
}

#[test]
fn a_run_after_a_pause_is_new_whatever_its_header_count() {
    let stamp = |i| format!("2026-11-30 {:02}:{:02}:00", if i < 21 { 7 } else { 9 }, i);
    let (snapshots, _) = parse("vmstat", one_run(42, stamp, "UTC").as_bytes(), &About::default());
    assert_eq!(user(&snapshots), (1..21).chain(22..42).collect::<Vec<_>>());
    assert!(!snapshots[20].follows);
}

#[test]
fn runs_of_equal_length_are_known_by_their_first_row() {
    // `vmstat -n -t 60 60` every hour: the blocks follow each other at the interval and are all of 60 rows.
    let mut text = String::new();
    for hour in 7..10 {
        text += &header("UTC");
        for minute in 0..60 {
            text += &row(if minute == 0 { 5 } else { 10 + minute }, &format!("2026-11-30 {hour:02}:{minute:02}:00"));
        }
    }
    let (snapshots, _) = parse("vmstat", text.as_bytes(), &About::default());
    assert_eq!(snapshots.len(), 3 * 59);
    assert!(!user(&snapshots).contains(&5));
}

#[test]
fn several_runs_without_stamps_are_refused() {
    let text = (header("") + &row(1, "") + &row(2, "")).repeat(2);
    let message = parse("vmstat", text.as_bytes(), &about()).1.unwrap_err().to_string();
    assert!(message.starts_with("a second run begins at line 7 and no row carries a time; record with `vmstat -t`"), "{message}");
}

#[test]
fn the_hour_that_comes_twice_and_the_one_left_out() {
    let rows = |stamps: &[&str]| stamps.iter().zip(1..).fold(header("CET"), |text, (stamp, us)| text + &row(us, stamp));
    let autumn = rows(&["2026-10-25 02:00:00", "2026-10-25 02:30:00", "2026-10-25 02:00:00", "2026-10-25 02:30:00"]);
    assert_eq!(times(&parse("vmstat", autumn.as_bytes(), &about()).0), ["00:30:00!", "01:00:00", "01:30:00"]);
    let spring = rows(&["2026-03-29 01:30:00", "2026-03-29 01:45:00", "2026-03-29 02:00:00", "2026-03-29 03:00:00"]);
    let (snapshots, result) = parse("vmstat", spring.as_bytes(), &about());
    assert_eq!(times(&snapshots), ["00:45:00!", "01:00:00"]);
    assert_eq!(reasons(result), [(5, "its stamp is no time in this zone".to_owned())]);
}

#[test]
fn what_is_not_understood_is_counted() {
    let mut text = "Mon Nov 30 19:15:00 UTC 2026\n5 5 5\n\n".to_owned() + &header("UTC") + &row(0, "2026-11-30 19:15:00");
    for (i, line) in [
        row(1, "2026-11-30 19:15:60"),
        row(2, "2026-11-30 19:16:00").replace("21362672", "9223372036854775808"),
        row(3, "2026-11-30 19:16:00").replace("65916", "-65916"),
        row(4, "2026-11-30 19:16:00").replace("65916", "64M"),
        row(5, "2026-11-30 19:16:00").replace(" 0  0 2026", " 0  101 2026"),
        row(6, "2026-11-30 19:16:00").replace(" 6  3 91", " 0  0 0"),
        row(7, "2026-11-30 19:15:00"),
        row(8, "2026-11-30 19:16:00"),
        "## FooterBegin\n".to_owned(),
        row(9, "2026-11-30 19:17:00").trim_end().to_owned(),
    ]
    .iter()
    .enumerate()
    {
        write!(text, "{line}").unwrap_or_else(|_| panic!("line {i}"));
    }
    let (snapshots, result) = parse("vmstat", text.as_bytes(), &About::default());
    assert_eq!(user(&snapshots), [8]);
    let all = [
        (1, "neither a header nor a row"),
        (2, "no header before this row"),
        (7, "`2026-11-30 19:15:60` is no date and time"),
        (8, "`free` is 9223372036854775808, which cannot be"),
        (9, "`buff` is -65916, which cannot be"),
        (10, "`buff` is `64M`, not a number"),
        (11, "`st` is 101 %"),
        (12, "its shares of CPU time are all 0"),
        (13, "its stamp is not later than the one before"),
        (15, "neither a header nor a row"),
        (16, "last line is cut"),
    ];
    assert_eq!(reasons(result), all.map(|(line, why)| (line, why.to_owned())));
}

#[test]
fn averages_since_boot_alone_are_refused() {
    let text = header("PDT") + &row(1, "2021-09-16 20:31:30") + "\n";
    let message = parse("vmstat", text.as_bytes(), &About::default()).1.unwrap_err().to_string();
    assert!(message.starts_with("holds nothing but averages since boot"), "{message}");
    assert!(matches!(parse("vmstat", b"nothing\n", &about()).1, Err(FormatError::Refused(_))));
}

#[test]
fn the_header_must_come_early() {
    let found = |text: String| detect(&text).is_some_and(|format| format.name() == "vmstat");
    assert!(found("\u{feff}\r\n".to_owned() + &header("").replace('\n', "\r\n")));
    assert!(found("Mon Nov 30 19:15:00 UTC 2026\n".to_owned() + &header("EST")));
    assert!(!found("some log\n".repeat(30) + &header("")));
    assert!(!found("           10 disks\n            0 partitions\n".to_owned()));
}

#[test]
fn cut_anywhere() {
    let minutes = |i| format!("2026-11-30 07:{i:02}:00");
    survives_cutting("vmstat", &one_run(24, minutes, "CET"));
    survives_cutting("vmstat", &one_run(24, |_| String::new(), ""));
    survives_cutting("vmstat", &(header("UTC") + &row(1, &minutes(1)) + &row(2, &minutes(2))).repeat(2));
    let german = "procs --memory-- -swap- -io- -system- -cpu- -Zeitstempel-\nr b swpd frei buff Cache si so bi bo in cs us sy id wa st UTC\n";
    survives_cutting("vmstat", &(german.to_owned() + &row(1, &minutes(1)) + &row(2, &minutes(2))));
}
