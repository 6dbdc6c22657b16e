//! Listings, whole and otherwise.

use proptest::prelude::*;

use super::super::show_stat::{Completeness, Listing, Listings, Names, completeness, listings};

const UNFINISHED: Completeness = Completeness::Unfinished;

fn one(text: &str) -> Listing {
    let mut found = listings(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn pairs(listing: &Listing) -> Vec<(&str, &str)> {
    listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn names_and_values_of_every_kind() {
    let text = "> show stat\r\n  Disk./local.Free = 1,234,567\r\n  Mail.Domain =\r\n\
                \x20 Monitor.Last.EVENT MONITOR.Warning(High) = threshold = 90 exceeded\r\n\r\n\
                \x20 Object.mail\\shared.nsf.SharedBy.01 = 579\r\n  QUERY.NSF.ScannedDocs|Entries = 7\r\n\
                \x20 Server.Task = Router: Idle\r\n  Server.Task = Router: Idle\r\n  Zebra.x = ÿ\r\n  8 Statistiken gefunden\r\n\r\n";
    let listing = one(text);
    assert_eq!(
        pairs(&listing),
        [
            ("Disk./local.Free", "1,234,567"),
            ("Mail.Domain", ""),
            ("Monitor.Last.EVENT MONITOR.Warning(High)", "threshold = 90 exceeded"),
            ("Object.mail\\shared.nsf.SharedBy.01", "579"),
            ("QUERY.NSF.ScannedDocs|Entries", "7"),
            ("Server.Task", "Router: Idle"),
            ("Server.Task", "Router: Idle"),
            ("Zebra.x", "ÿ"),
        ]
    );
    assert_eq!((listing.foreign, listing.junk, listing.trailer), (0, 0, Some(8)));
    assert_eq!(completeness(&listing, None), Completeness::Whole);
}

#[test]
fn trailers_of_every_language() {
    for trailer in
        ["  2 statistics found", "  2 статистик найдено", "  2件の統計", "  2 statistiques trouvées", "  2 Statistik(en)"]
    {
        let listing = one(&format!("  Mail.Dead = 0\n  Mail.Hold = 0\n{trailer}\n\n"));
        assert_eq!(completeness(&listing, None), Completeness::Whole, "{trailer}");
    }
    let listing = one("  Mail.Dead = 0\n  3 statistics found\n");
    assert_eq!(completeness(&listing, None), Completeness::Disagrees { said: 3, found: 1 });
    for not in ["2 statistics found", "  2", "  2 = two", "  07:92: 0A:0A", "  two statistics"] {
        let listing = one(&format!("  Mail.Dead = 0\n  Mail.Hold = 0\n{not}\n\n"));
        assert_eq!((listing.trailer, completeness(&listing, None)), (None, UNFINISHED), "{not}");
    }
}

#[test]
fn other_lines_inside() {
    let text = "[59483:00014-0F] > show stat\n[59483:00014-0F]   Mail.Dead = 0\n\n\
                [59553:00010-0A] 03.11.2026 10:00:00   AMgr: Agent message box: runs = 135\n\
                Unable to bind to port Port = 6400 errno = 98 \"Address already in use\"\n\
                Server.Users = 5\n[59553:00010-0A]   Path = /local\n[1:2-3] 03.11.2026 10:00:00   Server.Users = 7\n\
                [59483:00014-0F]   Mail.Hold = 1\n[59483:00014-0F]   2 statistics found\n\n";
    let listing = one(text);
    assert_eq!(pairs(&listing), [("Mail.Dead", "0"), ("Mail.Hold", "1")]);
    assert_eq!((listing.foreign, completeness(&listing, None)), (5, Completeness::Whole));
    assert_eq!(listings("Unable to bind to port Port = 6400 errno = 98\n  some.thing = 5\n  else\n"), []);
}

#[test]
fn damage_is_counted_and_makes_no_number() {
    let listing = one("  Mail.Dead = 0\n\u{0}junk\n  Mai\u{1b}[2Jl.Hold = 3\n  2 statistics found\n");
    assert_eq!((listing.junk, completeness(&listing, None)), (2, Completeness::Disagrees { said: 2, found: 1 }));
    let long = format!("  Mail.Dead = {}\n  Mail.Hold = 0\n  2 statistics found\n", "1".repeat(10_000));
    assert_eq!(completeness(&one(&long), None), Completeness::Disagrees { said: 2, found: 1 });
    // A narrow console breaks a long line inside its number.
    let name = "Database.NSF.Replicate.UnreadMarks.LocalUnreadOperationsOfTheDay";
    let wrapped = one(&format!("  {name} = 1234\n567\n  Mail.Hold = 0\n  2 statistics found\n"));
    assert_eq!(pairs(&wrapped), [(name, "1234\n567"), ("Mail.Hold", "0")]);
}

#[test]
fn the_tabbed_form_has_no_trailer() {
    let mut reader = Listings::new();
    assert_eq!(reader.push("Mail.Dead\t0"), None);
    assert_eq!(reader.push("Mail.Hold\t1"), None);
    assert_eq!(reader.push("Mail.Waiting\t2"), None);
    let first = reader.push("Mail.Dead\t0").unwrap();
    assert_eq!(pairs(&first), [("Mail.Dead", "0"), ("Mail.Hold", "1")]);
    assert_eq!(completeness(&first, None), UNFINISHED);
    assert_eq!(completeness(&first, Some(&Names::of(&first))), Completeness::Whole);
}

#[test]
fn without_trailer_only_what_is_followed_and_nearly_complete() {
    let lines: String = (0..40).map(|i| format!("  Mail.X{i:02} = {i}\n")).collect();
    let known = Names::of(&one(&format!("{}  40 statistics found\n", lines.to_uppercase())));
    let judge = |text: &str| completeness(&listings(text)[0], Some(&known));
    let next = "> show stat\n";
    assert_eq!(judge(&format!("{lines}{next}")), Completeness::Whole);
    assert_eq!(judge(&lines), UNFINISHED);
    assert_eq!(judge(&format!("{lines}03.11.2026 10:00:00   Router: x\n")), UNFINISHED);
    let cut = |n: usize| lines.split_inclusive('\n').take(n).collect::<String>() + next;
    // The last line of each may have been cut and is not kept.
    assert_eq!(judge(&cut(39)), Completeness::Whole);
    assert_eq!(judge(&cut(38)), UNFINISHED);
    assert_eq!(completeness(&listings(&cut(40))[0], None), UNFINISHED);
    assert_eq!(completeness(&listings(&cut(40))[0], Some(&Names::default())), UNFINISHED);
}

#[test]
fn newer_lines_over_older_ones_are_not_one_listing() {
    let seam = "[1A:2-3]   Mail.Dead = 0\n[1A:2-3]   Mail.Hold = 0\n [1A:2-9]   Mail.Hold = 0\n\
                [1A:2-9]   Mail.Waiting = 7\n[1A:2-9]   3 statistics found\n";
    assert_eq!(completeness(&one(seam), None), Completeness::Disagrees { said: 3, found: 2 });
    // Threads that take turns print one.
    let turns =
        "[1A:2-3]   Mail.Dead = 0\n[1A:2-9]   Mail.Hold = 0\n[1A:2-3]   Mail.Waiting = 7\n[1A:2-9]   3 statistics found\n";
    assert_eq!(completeness(&one(turns), None), Completeness::Whole);
}

#[test]
fn memory_is_bounded() {
    let mut reader = Listings::new();
    for i in 0..50_000 {
        assert_eq!(reader.push(&format!("  Mail.X{i} = {i}")), None);
    }
    let listing = reader.push("  50000 statistics found").unwrap();
    assert_eq!(listing.stats.len(), 20_000);
    assert!(matches!(completeness(&listing, None), Completeness::Disagrees { .. }));
}

#[test]
fn commands_that_list() {
    for (command, lists) in [
        ("show stat", true),
        ("Sh Stat query", true),
        ("SHOW STATISTICS", true),
        ("!show stats", true),
        ("show tasks", false),
        ("s stat", false),
        ("show", false),
    ] {
        let mut reader = Listings::new();
        reader.push("  Mail.Dead = 0");
        reader.push("  Mail.Hold = 0");
        assert_eq!(reader.push(&format!("> {command}")).is_some(), lists, "{command}");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "(\\PC|[ .=\t\n\r0-9>\\[\\]:]|  Mail.X = |  3 statistics found\n){0,120}", cut in any::<prop::sample::Index>()) {
        let at = text.floor_char_boundary(cut.index(text.len() + 1));
        for listing in listings(&text).iter().chain(&listings(&text[..at])) {
            let whole = completeness(listing, None) == Completeness::Whole;
            prop_assert_eq!(whole, listing.trailer == Some(listing.stats.len() as u64));
        }
    }
}
