//! Statistics publication in the formats administrators may choose.

use proptest::prelude::*;

use super::super::statpub::{BodyError, Published, parse};

fn read(body: &str) -> Published {
    parse(body.as_bytes()).unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn stats(body: &str) -> Vec<(String, f64)> {
    read(body).stats
}

fn pairs(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// One publication, its entries by format and delimiter.
fn body(format: &str, rates: &str, delimiter: &str) -> String {
    let fill = |format: &str, name: &str, value: &str| {
        format.replace("$Name$", name).replace("$Value$", value).replace("$Timestamp$", "1793697300").replace("$Newline$", "\n")
    };
    let levels = LEVELS.iter().map(|(name, value)| fill(format, name, value));
    let changes = [("Mail.Delivered", "17"), ("Server.Trans.Total", "4100")].map(|(name, value)| fill(rates, name, value));
    levels.chain(changes).collect::<Vec<_>>().join(&delimiter.replace("$Newline$", "\n"))
}

const LEVELS: &[(&str, &str)] = &[
    ("Database.Database.BufferPool.PerCentReadsInBuffer", "96.958"),
    ("Domino.Cache.Database.HitRate", "92.5"),
    ("Domino.Command.Total", "3"),
    ("Http.Worker.Total.Http.Requests", "255582"),
    ("Mail.Delivered", "33065"),
    ("Monitor.EVENT MONITOR.Warning(High)", "0"),
    ("NewThing.Count", "-4"),
    ("Object.mail\\shared.nsf.SharedBy.05", "1"),
    ("QUERY.VIEW.MAX.ScannedDocs|Entries", "1.5e+09"),
    ("Server.Trans.Total", "2800000"),
];

fn levels() -> Vec<(String, f64)> {
    let values = [96.958, 92.5, 3.0, 255_582.0, 33_065.0, 0.0, -4.0, 1.0, 1_500_000_000.0, 2_800_000.0];
    LEVELS.iter().zip(values).map(|((name, _), value)| ((*name).to_owned(), value)).collect()
}

#[test]
fn formats_of_every_kind_give_the_same_levels() {
    for prefix in [
        "",
        "Domino.mail1.",
        "Domino.Mail.",
        "Domino.Domino.",
        "Domino.mail1.acme.com.",
        "Domino.CN=mail 1/O=Acme.",
        "prod.lotus.mail1.",
        "Server.",
    ] {
        for rates in ["Rate.", "rate.", "PerMinuteStats."] {
            for (after, at) in [("", None), (" $Timestamp$", Some(1_793_697_300_000))] {
                for delimiter in ["$Newline$", ",", ",$Newline$", "$Newline$,", "\r$Newline$", " , "] {
                    let body = body(
                        &format!("{prefix}$Name$ $Value${after}"),
                        &format!("{prefix}{rates}$Name$ $Value${after}"),
                        delimiter,
                    );
                    for body in
                        [format!("{body}\n"), body.clone(), format!("\u{feff}{body},"), format!("# from mail1\n{body}\nend")]
                    {
                        let found = read(&body);
                        assert_eq!((found.stats, found.at), (levels(), at), "{body}");
                        assert_eq!(found.refused, if body.starts_with('#') { 2 } else { 0 }, "{body}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_documented_example() {
    let body = "Domino.mailserver01.Mail.Delivered 33065\nDomino.mailserver01.Rate.Mail.Delivered 1017";
    assert_eq!(read(body), Published { stats: pairs(&[("Mail.Delivered", 33_065.0)]), refused: 0, at: None });
}

#[test]
fn few_entries_have_the_documented_prefix_or_none() {
    for (body, name) in [
        ("Domino.mail1.Server.Trans.Total 5", "Server.Trans.Total"),
        ("Domino.mail1.Domino.Command.Total 5", "Domino.Command.Total"),
        ("Domino.Command.Total 5", "Domino.Command.Total"),
        ("Domino.Mail.Server.Trans.Total 5", "Server.Trans.Total"),
        ("Domino.Mail.Mail.Dead 5", "Mail.Dead"),
        ("Server.Trans.Total 5", "Server.Trans.Total"),
        ("Database.Database.BufferPool.Maximum 5", "Database.Database.BufferPool.Maximum"),
        ("mail1.Server.Trans.Total 5", "Server.Trans.Total"),
        ("Domino.mail1.Http.Worker.Total.Http.Requests 5", "Http.Worker.Total.Http.Requests"),
    ] {
        assert_eq!(stats(body), pairs(&[(name, 5.0)]), "{body}");
    }
}

#[test]
fn rates_alone_are_no_levels() {
    for body in [
        "Domino.mail1.Rate.Mail.Delivered 17",
        "Rate.Mail.Delivered 17\nRate.Server.Trans.Total 3",
        "Domino.m.Rate.Mail.X 1,Domino.m.Rate.SMTP.Y 1",
    ] {
        assert_eq!(read(body), Published { stats: vec![], refused: 0, at: None }, "{body}");
    }
}

#[test]
fn what_comes_twice_is_not_there() {
    let found = read("Mail.Dead 1\nMail.Hold 2\nmail.dead 3\nServer.Users 4");
    assert_eq!((found.stats, found.refused), (pairs(&[("Mail.Hold", 2.0), ("Server.Users", 4.0)]), 2));
    // Levels and rates in one format.
    assert_eq!(parse(b"Mail.Dead 1\nMail.Dead 0"), Err(BodyError::Nothing));
}

#[test]
fn numbers_that_are_not_plain() {
    for value in ["1,5", "1,234", "1'234", "nan", "-inf", "infinity", "1e999", "0x10", "5.", ".5", "+5", "-", "5END", "１"] {
        let found = read(&format!("Mail.A 1\nMail.B {value}\nMail.C 3\nServer.D 4"));
        assert_eq!((found.stats, found.refused), (pairs(&[("Mail.A", 1.0), ("Mail.C", 3.0), ("Server.D", 4.0)]), 1), "{value}");
    }
    // A server that groups: `1.234` is a thousand and more, and nobody can tell.
    for grouped in ["1.234.567", "1,234", "0,5"] {
        let found = read(&format!("Mail.A 1\nMail.B 1.234\nMail.C {grouped}"));
        assert_eq!((found.stats, found.refused), (pairs(&[("Mail.A", 1.0)]), 2), "{grouped}");
    }
    // A release is none.
    assert_eq!(stats("Server.Version.Notes 12.0.2\nMail.B 1.234"), pairs(&[("Mail.B", 1.234)]));
}

#[test]
fn a_comma_inside_a_number_or_a_name_makes_its_neighbours_doubtful() {
    let found = read("Mail.A 1,Mail.B 1,5,Mail.C 3,Mail.D 4,Mail.E 1.5,Mail.F 6");
    assert_eq!((found.stats, found.refused), (pairs(&[("Mail.A", 1.0), ("Mail.D", 4.0), ("Mail.F", 6.0)]), 4));
    let found = read("Mail.A 1,Object.a,b.nsf.SharedBy 5,Mail.D 4");
    assert_eq!((found.stats, found.refused), (pairs(&[("Mail.D", 4.0)]), 3));
    // Lines are the delimiter, and the name has a comma.
    assert_eq!(stats("Mail.A 1\nObject.a,b.nsf.SharedBy 5"), pairs(&[("Mail.A", 1.0), ("Object.a,b.nsf.SharedBy", 5.0)]));
    assert_eq!(parse(b"Mail.A 1,5"), Err(BodyError::Nothing));
}

#[test]
fn timestamps() {
    assert_eq!(read("Mail.A 1 1793697300\nMail.B 2 1793697301").at, Some(1_793_697_301_000));
    assert_eq!(read("Mail.A 1 1793697300123\nMail.B 2 1793697300123").at, Some(1_793_697_300_123));
    assert_eq!(read("Mail.A 1 1793697300\nMail.B 2 1793697361").at, None, "two publications");
    // A large value is no timestamp where the others have none, and a piece that could be both is neither.
    let found = read("Mail.A 1\nMem.Free 1793697300\nMail.C 3\nMail.Of 7 1793697300");
    assert_eq!((found.stats, found.at), (pairs(&[("Mail.A", 1.0), ("Mem.Free", 1_793_697_300.0), ("Mail.C", 3.0)]), None));
    assert_eq!(found.refused, 1);
    let found = read("Mail.A 1 1793697300\nMail.B 2 1793697300\nMail.C 3");
    assert_eq!((found.stats, found.refused), (pairs(&[("Mail.A", 1.0), ("Mail.B", 2.0)]), 1));
}

#[test]
fn what_is_no_publication() {
    let new_relic = r#"{"agent":{"host":"mail1"},"components":[{"metrics":{"Component/Mail/Dead[n]":1}}]}"#;
    for (body, expected) in [
        (new_relic, BodyError::Json),
        (" \r\n[1, 2]", BodyError::Json),
        ("", BodyError::Nothing),
        ("hello", BodyError::Nothing),
        ("<html><body>Error 5</body></html>", BodyError::Nothing),
        ("# TYPE Domino_Mail_Dead gauge\nDomino_Mail_Dead 5", BodyError::Nothing),
        ("a.b 1\nc.d 2", BodyError::Nothing),
        ("5 1793697300", BodyError::Nothing),
        ("Mail. 5", BodyError::Nothing),
        ("Mail.Dead 5\0", BodyError::Nothing),
        ("Mail.D\u{fffd}ad 5", BodyError::Nothing),
    ] {
        assert_eq!(parse(body.as_bytes()), Err(expected), "{body}");
    }
    assert_eq!(parse(&[0xff, 0xfe, b'M', 0, b'a', 0]), Err(BodyError::Nothing));
    assert_eq!(parse("Mail.Dead 5\n".repeat(40_001).as_bytes()), Err(BodyError::TooMany));
    assert!(BodyError::Json.to_string().contains("STATPUB_METRIC_FORMAT=$Name$ $Value$"), "{}", BodyError::Json);
    // One long line, as a reader may send that never ends.
    assert_eq!(parse(format!("Mail.{} 5", "x".repeat(9000)).as_bytes()), Err(BodyError::Nothing));
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(found) = parse(&bytes) {
            prop_assert!(found.stats.iter().all(|(_, value)| value.is_finite()));
        }
    }

    #[test]
    fn any_soup_gives_numbers_and_no_name_twice(pieces in prop::collection::vec(0..SOUP.len(), 0..60)) {
        let body: String = pieces.iter().map(|&i| SOUP[i]).collect();
        if let Ok(found) = parse(body.as_bytes()) {
            let mut names: Vec<_> = found.stats.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), found.stats.len());
            prop_assert!(found.stats.iter().all(|(name, value)| value.is_finite() && name.contains('.')));
        }
    }

    #[test]
    fn what_was_written_is_read(
        stats in prop::collection::btree_map("[A-Z][a-z]{1,8}(\\.[A-Za-z0-9 ()|/_-]{0,8}[A-Za-z)]){0,3}", -1e12..1e12f64, 0..40),
        server in "[A-Za-z0-9-]{1,12}",
        prefixed in any::<bool>(),
        lines in any::<bool>(),
        stamped in any::<bool>(),
    ) {
        // Two facilities at least, as in every publication.
        let mut expected = vec![("Mail.Dead".to_owned(), 0.0), ("Server.Users".to_owned(), 7.0)];
        expected.extend(stats.iter().map(|(name, value)| (format!("Platform.{name}"), *value)));
        let mut seen = std::collections::BTreeSet::new();
        expected.retain(|(name, _)| seen.insert(name.to_ascii_lowercase()));
        let prefix = if prefixed { format!("Domino.{server}.") } else { String::new() };
        let after = if stamped { " 1793697300" } else { "" };
        let entry = |(name, value): &(String, f64)| format!("{prefix}{name} {value}{after}");
        let delimiter = if lines { "\n" } else { "," };
        let found = read(&expected.iter().map(entry).collect::<Vec<_>>().join(delimiter));
        prop_assert_eq!((found.stats, found.refused), (expected, 0));
        prop_assert_eq!(found.at, stamped.then_some(1_793_697_300_000));
    }
}

const SOUP: &[&str] = &[
    "Domino.mail1.",
    "Mail.",
    "Server.",
    "Rate.",
    "Dead",
    "dead",
    "EVENT MONITOR",
    " ",
    " 5",
    " 1.234",
    " 1,234",
    "1793697300",
    " 1793697300",
    "\n",
    "\r\n",
    ",",
    ".",
    "\t",
    "\0",
    "{",
    "ÿ",
];
