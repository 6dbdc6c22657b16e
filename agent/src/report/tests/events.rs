//! Golden files of events, and of charts that are marked with them.

use super::super::events as list;
use super::*;
use crate::analysis::events::{Event, Kind};

fn event(at: &str, partition: Option<&str>, kind: Kind, sides: Option<(&str, &str)>, text: &str) -> Event {
    let (before, after) = sides.map(|(before, after)| (before.to_owned(), after.to_owned())).unzip();
    let (host, partition) = ("mail1".to_owned(), partition.map(str::to_owned));
    Event { at: at.parse().unwrap(), host, partition, kind, before, after, text: text.to_owned() }
}

/// One of each kind; those of the weeks of `two_weeks` are the last three.
fn every_kind() -> Vec<Event> {
    let dpar = Some("dpar1");
    vec![
        event("2026-10-25T00:30:00Z", None, Kind::Clock, None, "clock stepped by +3600.0 s"),
        event("2026-11-02T09:05:00Z", None, Kind::Gap, None, "no samples from 10:05 to 10:41 (36 min of business hours)"),
        event("2026-11-03T09:00:00Z", dpar, Kind::Crash, None, "fault: Server mail1 has faulted; restarted"),
        event(
            "2026-11-03T12:00:00Z",
            dpar,
            Kind::Config,
            None,
            "notes.ini changed: SERVERTASKS, HTTP_Port, Server_Max_Concurrent_Trans",
        ),
        event("2026-11-03T12:01:00Z", dpar, Kind::TaskMissing, None, "HTTP does not run"),
        event("2026-11-04T07:00:00Z", dpar, Kind::Log, None, "corruption, 3 times: mail/u\u{1b}[31m1.nsf is corrupt"),
        event("2026-11-05T05:00:00Z", dpar, Kind::Restart, None, "restarted after 3 days, stopped in order"),
        event("2026-11-26T05:00:00Z", dpar, Kind::Upgrade, Some(("12.0.2", "14.5")), "release changed, restarted"),
        event("2026-11-29T23:30:00Z", None, Kind::Host, Some(("5.14.0", "5.15.1")), "kernel changed"),
        event("2026-12-01T05:00:00Z", Some("dpar2"), Kind::Upgrade, Some(("build 502", "build 503")), "build changed"),
    ]
}

#[test]
fn golden_events() {
    insta::assert_snapshot!("events_80", list::text(&every_kind(), ZONE, 80));
    let json = serde_json::to_string_pretty(&list::json(&every_kind()[6..8], ZONE)).unwrap();
    insta::assert_snapshot!("events_json", json);
}

#[test]
fn golden_marks() {
    insta::assert_snapshot!("weeks_marked", text::weeks(&two_weeks(), &every_kind(), HOURS, ZONE, &PLAIN));
    insta::assert_snapshot!("weeks_marked_svg", svg::weeks(&two_weeks(), &every_kind(), HOURS, ZONE));
}

#[test]
fn lines_of_events_keep_to_the_width_and_nothing_in_them_is_obeyed() {
    for width in [40, 61, 80, 200] {
        for line in list::text(&every_kind(), ZONE, width).lines() {
            assert!(line.chars().count() <= width && !line.contains('\u{1b}'), "{line}");
        }
    }
    assert_eq!(list::text(&[], ZONE, 80), "");
    let long = event("2026-11-04T07:00:00Z", None, Kind::Log, None, &"word ".repeat(100));
    let lines: Vec<String> = list::text(&[long], ZONE, 80).lines().map(str::to_owned).collect();
    assert!(lines.len() == 3 && lines[1].starts_with(&" ".repeat(30)) && lines[2].ends_with("word…"), "{lines:?}");
}

#[test]
fn weeks_in_json_hold_what_happened_in_them_and_no_list_where_nothing_did() {
    let json = serde_json::to_value(json::weeks(&[two_weeks()], &every_kind(), ZONE)).unwrap();
    let kinds = |week: usize| -> Vec<String> {
        let events = json["weeks"][week]["events"].as_array().unwrap();
        events.iter().map(|event| format!("{} {}", event["about"].as_str().unwrap(), event["kind"].as_str().unwrap())).collect()
    };
    // Half past eleven on Sunday night in Greenwich is Monday in Berlin, of the week after.
    assert_eq!(
        (kinds(0), kinds(1)),
        (vec!["dpar1 upgrade".to_owned()], vec!["mail1 host".to_owned(), "dpar2 upgrade".to_owned()])
    );
    let json = serde_json::to_value(json::weeks(&[two_weeks()], &every_kind()[..7], ZONE)).unwrap();
    assert_eq!(json["weeks"][0].get("events"), None);
}

#[test]
fn a_chart_of_a_partition_is_marked_with_its_own_upgrades_and_changes_of_its_host() {
    let series = |partition: &str, host: &str| {
        let metric = catalog::metric("domino_users_connected").unwrap();
        Weeks { metric, host: host.to_owned(), labels: [partition].into_iter().collect(), weeks: two_weeks().weeks }
    };
    let marks = |partition: &str, host: &str| {
        let text = text::weeks(&series(partition, host), &every_kind(), HOURS, ZONE, &PLAIN);
        text.lines().filter(|line| line.starts_with('▲')).map(str::to_owned).collect::<Vec<_>>()
    };
    let kernel = "▲ 2026-W49 kernel changed: 5.14.0 → 5.15.1";
    assert_eq!(marks("dpar1", "mail1"), ["▲ 2026-W48 upgrade 12.0.2 → 14.5", kernel]);
    assert_eq!(marks("dpar2", "mail1"), [kernel, "▲ 2026-W49 upgrade build 502 → build 503"]);
    assert_eq!(marks("dpar1", "mail2"), Vec::<String>::new());
}

#[test]
fn many_marks_are_a_few_lines_and_a_pointer() {
    let many = vec![every_kind().remove(8); 30];
    let text = text::weeks(&two_weeks(), &many, HOURS, ZONE, &PLAIN);
    let marks: Vec<&str> = text.lines().filter(|line| line.starts_with('▲')).collect();
    assert_eq!((marks.len(), marks[0]), (9, "▲ and 22 before them; `weekline events` lists all"));
}
