//! What comes from outside does not reach the terminal as it is, and what is wrong outside is told.

use super::Place;

/// Sets the title of a terminal, moves its cursor and turns the direction of the text.
const HOSTILE: &str = "m\u{1b}]2,x\u{7}\u{9b}2J\u{202e}ail1";

fn clean(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || c == '\t' || !(c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)))
}

/// `sadf -d` of a Monday in Berlin, a row every ten minutes from 07:10 to 17:00.
fn sadf(host: &str) -> String {
    let rows = (1..=60).map(|row| {
        let (hour, minute) = (6 + row / 6, row % 6 * 10);
        format!("{host};600;2026-11-16 {hour:02}:{minute:02}:00 UTC;-1;10.00;0.00;5.00;1.00;0.00;84.00\n")
    });
    format!("# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n{}", rows.collect::<String>())
}

#[test]
fn no_name_from_outside_speaks_to_the_terminal() {
    let place = Place::new();
    let name = format!("{HOSTILE}.txt");
    place.write(&name, &sadf(HOSTILE));
    place.write("wrong\u{1b}]0;x\u{7}.txt", "nothing of ours\n");
    let said: Vec<_> = [
        &["import", &name][..],
        &["import", "wrong\u{1b}]0;x\u{7}.txt"],
        &["import", "absent\u{1b}[2J.txt"],
        &["import", "--list"],
        &["weeks"],
        &["weeks", "--host", "mail\u{1b}[2J"],
        &["weeks", "host\u{1b}[2J"],
        &["status", "--listen", "127.0.0.1:1"],
        &["export", "--format", "csv"],
    ]
    .into_iter()
    .map(|arguments| place.run(arguments))
    .collect();
    for done in &said {
        assert!(clean(&done.out) && clean(&done.err), "{:?} {:?}", done.out, done.err);
    }
    assert!(said[0].out.contains("60 snapshots of m]2,x2Jail1"), "{}", said[0].out);
    assert!(said[4].out.contains("on m]2,x2Jail1"), "{}", said[4].out);
}

/// A program gets the name as it is.
#[test]
fn json_keeps_what_a_terminal_would_obey_and_escapes_it() {
    let place = Place::new();
    place.write("sa.txt", &sadf(HOSTILE));
    let out = place.good(&["import", "sa.txt", "--json"]);
    assert!(clean(&out), "{out:?}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["files"][0]["host"], HOSTILE);
}

#[test]
fn the_zone_of_the_environment_is_understood_or_named() {
    let place = Place::new();
    place.write("weekline.toml", "[schedule]\n");
    for (zone, expected) in [
        ("", "(UTC)"),
        (":", "(UTC)"),
        ("Europe/Berlin", "(Europe/Berlin)"),
        (":Europe/Berlin", "(Europe/Berlin)"),
        ("/usr/share/zoneinfo/Europe/Berlin", "(Europe/Berlin)"),
        (":/usr/share/zoneinfo/Europe/Berlin", "(Europe/Berlin)"),
    ] {
        let done = place.run_in_zone(zone, &["config", "check"]);
        assert_eq!((done.code, done.out.contains(expected)), (0, true), "{zone}: {}{}", done.out, done.err);
    }
    for zone in ["/etc/localtime", ":/etc/localtime"] {
        let done = place.run_in_zone(zone, &["config", "check"]);
        assert_eq!(done.code, 0, "{zone}: {}", done.err);
    }
    for zone in ["CET-1CEST", "Europe/Berlni", "/somewhere/else"] {
        let done = place.run_in_zone(zone, &["config", "check"]);
        assert_eq!(done.code, 4, "{zone}: {}", done.out);
        assert!(done.err.contains(&format!("TZ is `{zone}`")) && done.err.contains("`zone` in [schedule]"), "{}", done.err);
    }
}

/// A host's instants are its own; sections of one file that repeat them are not more of them.
#[test]
fn snapshots_are_counted_per_host() {
    let place = Place::new();
    place.write("sa.txt", &format!("{}{}{}", sadf("mail1"), sadf("mail2"), sadf("mail1")));
    let json = place.json(&["import", "sa.txt"]);
    assert_eq!((&json["files"][0]["snapshots"], &json["files"][0]["host"]), (&120.into(), &"mail1,mail2".into()));
}
