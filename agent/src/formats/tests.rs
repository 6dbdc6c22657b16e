//! What every format must survive.

use std::time::Duration;

use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;

/// Everything a user could say about a file.
pub(super) fn about() -> About {
    About {
        host: "mail1".to_owned(),
        host_given: false,
        zone: Some(chrono_tz::Europe::Berlin),
        start: NaiveDate::from_ymd_opt(2026, 11, 30).and_then(|day| day.and_hms_opt(7, 0, 0)),
        partition: None,
        date_order: None,
        named: Vec::new(),
        every: Some(Duration::from_secs(300)),
    }
}

/// The snapshots of a file and what came beside them.
pub(super) fn parse(format: &str, bytes: &[u8], about: &About) -> (Vec<Snapshot>, Result<Parsed, FormatError>) {
    let mut all = Vec::new();
    let mut input = bytes;
    let result = named(format).unwrap().parse(&mut input, about, &mut |snapshot| all.push(snapshot));
    (all, result)
}

/// One line of each snapshot, to compare and to read: when, how long, whether it begins anew, and its readings.
pub(super) fn lines(snapshots: &[Snapshot]) -> Vec<String> {
    snapshots.iter().map(line).collect()
}

fn line(snapshot: &Snapshot) -> String {
    let readings = snapshot.readings.iter().map(|reading| {
        let labels: Vec<&str> = reading.labels.values().collect();
        format!(" {}{{{}}}={}", reading.metric.name, labels.join(","), reading.value)
    });
    let follows = if snapshot.follows { "" } else { " anew" };
    let head = format!("{} {} {}s{follows}", snapshot.host, snapshot.at.format("%F %T"), snapshot.every.as_secs());
    std::iter::once(head).chain(readings).collect()
}

/// Cuts a file at every byte: nothing panics, and only the last snapshot may hold less than in the whole file.
pub(super) fn survives_cutting(format: &str, text: &str) {
    let (whole, _) = parse(format, text.as_bytes(), &about());
    let whole = lines(&whole);
    for end in 0..text.len() {
        let (part, _) = parse(format, &text.as_bytes()[..end], &about());
        let part = lines(&part);
        assert!(part.len() <= whole.len(), "cut at {end}");
        for (i, line) in part.iter().enumerate() {
            let last = i + 1 == part.len();
            assert!(*line == whole[i] || last && whole[i].starts_with(line.as_str()), "cut at {end}: {line}");
        }
    }
}

const SOUP: &[&str] = &[
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st UTC",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    "1 0 0 21362672 65916 2871604 0 0 496 64 584 1072 2 3 95 0 0 2026-11-30 19:15:26",
    "1 0 0 21362672 65916 2871604 0 0 496 64 584 1072 2 3 95 0 0 2026-10-25 02:15:26 CET",
    "1 0 0 21362672 65916 2871604 0 0 496 64 584 1072 2 3 95 0 0",
    "# hostname;interval;timestamp;CPU;%user;%idle[...];DEV;await[...];kbdirty",
    "# hostname;interval;timestamp;DEV;await;%util",
    "vm;2;2026-11-30 19:15:52 UTC;sda;1,5;9223372036854775808.00",
    "vm;2;2026-03-29 02:15:52;-1;89.70;0.00;vda;nan;1;vdb;2",
    "vm;-1;9999999999999;LINUX-RESTART\t(2 CPU)",
    "vm;31622400;253402300799;;;",
    "99999999999999999999 -1 nan",
    "\u{feff}## FooterBegin; ;",
    "\r",
    "",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        detect(&String::from_utf8_lossy(&bytes));
        for format in ALL {
            prop_assert!(parse(format.name(), &bytes, &about()).0.is_empty());
        }
    }

    #[test]
    fn shuffled_lines_never_panic(order in prop::collection::vec(0..SOUP.len(), 0..60), bare in any::<bool>()) {
        let text: String = order.iter().flat_map(|&i| [SOUP[i], "\n"]).collect();
        let about = if bare { About::default() } else { about() };
        detect(&text);
        for format in ALL {
            for snapshot in parse(format.name(), text.as_bytes(), &about).0 {
                prop_assert!(snapshot.readings.iter().all(|reading| reading.value.is_finite() && reading.value >= 0.0));
                prop_assert!(!snapshot.every.is_zero());
            }
        }
    }
}

#[test]
fn formats_are_told_apart() {
    for (i, line) in SOUP.iter().enumerate() {
        let name = detect(line).map(Format::name);
        assert_eq!(
            name,
            match i {
                1 | 2 => Some("vmstat"),
                6 | 7 => Some("sadf"),
                _ => None,
            }
        );
    }
    assert!(ALL.iter().all(|format| named(format.name()).is_some()));
    assert!(named("sar").is_none());
}
