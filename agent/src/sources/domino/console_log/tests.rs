//! Listings and lines of a log of our own: when they were written, which are brought, and what is said of the rest.

use std::fs::{self, OpenOptions};
use std::io::Write;

use chrono::TimeDelta;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::formats::domino::show_stat;

/// A log that is read every minute from 09:15 on.
struct Bench {
    folder: TempDir,
    log: ConsoleLog,
    now: Timestamp,
    error: String,
}

fn at(text: &str) -> Timestamp {
    format!("2026-11-03T{text}Z").parse().unwrap()
}

impl Bench {
    fn new(zone: Option<Tz>) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("console.log"), "").unwrap();
        let settings = Settings {
            path: folder.path().join("console.log"),
            every: Duration::from_secs(60),
            state: Some(folder.path().join("state.json")),
            zone,
        };
        let mut bench = Bench { folder, log: ConsoleLog::new(settings), now: at("09:14:00"), error: String::new() };
        assert_eq!(bench.read(""), []);
        bench
    }

    /// What is brought a minute later, after this was written.
    fn read(&mut self, text: &str) -> Vec<Brought> {
        let path = self.folder.path().join("console.log");
        OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        self.now += TimeDelta::minutes(1);
        let mut brought = Vec::new();
        self.error = self.log.read(self.now, &mut brought).err().map(|error| error.to_string()).unwrap_or_default();
        brought
    }

    /// The instants of the listings that are brought.
    fn listings(&mut self, text: &str) -> Vec<Timestamp> {
        self.read(text).iter().filter(|brought| matches!(brought.what, What::Listing(_))).map(|brought| brought.at).collect()
    }

    /// The lines that are brought, with their instants.
    fn said(&mut self, text: &str) -> Vec<(Timestamp, &'static str, String)> {
        let said = |brought: Brought| match brought.what {
            What::Said { kind, text } => Some((brought.at, kind, text)),
            _ => None,
        };
        self.read(text).into_iter().filter_map(said).collect()
    }

    fn restart(&mut self) {
        self.log = ConsoleLog::new(self.log.settings.clone());
    }
}

/// A listing that says when it was made, and how long the server had run then.
fn listing(current: &str, up: &str) -> String {
    format!(
        "> show stat\n  Server.ElapsedTime = {up}\n  Server.Time.Start = 11/02/2026 06:00:00 ZE1\n  Server.Users = 7\n  \
         Stats.Time.Current = {current}\n  4 statistics found\n\n"
    )
}

#[test]
fn a_listing_is_of_the_time_it_says_where_that_lies_between_two_readings() {
    let mut bench = Bench::new(None);
    // The eleventh of March or the third of November: only one was since the last reading.
    assert_eq!(bench.listings(&listing("11/03/2026 10:15:40 ZE1", "1 day(s) 04:15:40")), [at("09:15:40")]);
    assert_eq!(bench.listings(""), Vec::<Timestamp>::new());
    assert_eq!(bench.listings(&listing("03.11.2026 10:17:20 ZE1", "1 day(s) 04:17:20")), [at("09:17:20")]);
    assert_eq!(bench.error, "");
}

#[test]
fn a_zone_that_is_an_hour_off_is_corrected_by_the_one_given() {
    // The server writes ZE2 in winter.
    let mut bench = Bench::new(Some(chrono_tz::Europe::Berlin));
    assert_eq!(bench.listings(&listing("11/03/2026 10:15:40 ZE2", "04:15:40")), [at("09:15:40")]);
}

#[test]
fn where_the_own_time_does_not_fit_the_newest_is_of_now_and_the_older_are_counted_back() {
    let mut bench = Bench::new(None);
    let two = listing("11/03/2026 22:15:40 XYZ", "04:15:15") + &listing("11/03/2026 22:15:55 XYZ", "04:15:35");
    assert_eq!(bench.listings(&two), [at("09:15:40"), at("09:16:00")]);
    assert_eq!(bench.error, "");
    // Of another run of the server: nothing says how much earlier it was.
    let other = listing("x", "04:16:15").replace("11/02/2026 06", "11/01/2026 06") + &listing("x", "04:16:55");
    assert_eq!(bench.listings(&other), [at("09:17:00")]);
    assert!(bench.error.starts_with("1 listings or lines of `") && bench.error.contains("; set the zone"), "{}", bench.error);
}

#[test]
fn a_listing_over_two_readings_is_of_the_time_at_which_it_began() {
    let mut bench = Bench::new(None);
    let text = listing("no time", "04:15:40");
    let (first, second) = text.split_at(60);
    assert_eq!(bench.listings(first), Vec::<Timestamp>::new());
    assert_eq!(bench.listings(second), [at("09:16:00")]);
    // Its own time was before the reading in between.
    let text = listing("11/03/2026 10:17:30 ZE1", "04:17:30");
    let (first, second) = text.split_at(60);
    assert_eq!(bench.listings(first), Vec::<Timestamp>::new());
    assert_eq!(bench.listings(second), [at("09:17:30")]);
}

#[test]
fn after_long_silence_of_the_agent_only_a_time_that_is_sure_counts() {
    let mut bench = Bench::new(Some(chrono_tz::Europe::Berlin));
    assert_eq!(bench.listings(&listing("2026-11-03 10:15:40 ZE1", "04:15:40")), [at("09:15:40")]);
    bench.now += TimeDelta::hours(5);
    let night = [
        listing("2026-11-03 12:00:00 ZE1", "06:00:00"),
        // Offset and zone say two hours.
        listing("2026-11-03 12:30:00 ZE2", "06:30:00"),
        // Only the zone says one.
        listing("2026-11-03 13:00:00", "07:00:00"),
        // Before the last one.
        listing("2026-11-03 08:00:00 ZE1", "02:00:00"),
    ];
    assert_eq!(bench.listings(&night.concat()), [at("11:00:00"), at("12:00:00")]);
    assert!(bench.error.starts_with("2 listings or lines"), "{}", bench.error);
}

#[test]
fn no_listing_is_brought_twice_or_out_of_order() {
    let mut bench = Bench::new(None);
    let one = listing("2026-11-03 10:15:40 ZE1", "04:15:40");
    assert_eq!(bench.listings(&(one.clone() + &one)), [at("09:15:40")]);
    assert_eq!(bench.error, "");
    let (later, earlier) = (listing("2026-11-03 10:16:50 ZE1", "04:16:50"), listing("2026-11-03 10:16:20 ZE1", "04:16:20"));
    assert_eq!(bench.listings(&(later + &earlier)), [at("09:16:20"), at("09:16:50")]);
}

#[test]
fn after_a_break_only_a_whole_listing_counts() {
    let mut bench = Bench::new(None);
    let text = listing("2026-11-03 10:15:40 ZE1", "04:15:40");
    bench.read(&text[..70]);
    // Cut and begun anew in the middle of another one, so that the lines of both add up to four.
    fs::write(bench.folder.path().join("console.log"), "").unwrap();
    let rest = &text[text.find("  Server.Users").unwrap()..];
    assert_eq!(bench.listings(rest), Vec::<Timestamp>::new());
    assert_eq!(bench.listings(&listing("2026-11-03 10:17:40 ZE1", "04:17:40")), [at("09:17:40")]);
}

#[test]
fn lines_that_somebody_should_see() {
    let mut bench = Bench::new(Some(chrono_tz::Europe::Berlin));
    let lines = "[004103:000002-00007F12] HCL Domino (r) Server (64 Bit), Release 14.5, June 17, 2025\n\
        [004103:000002-00007F12] 11/03/2026 10:15:20   Server started on physical node mail1\n\
        [004103:000002-00007F12] 11/03/2026 10:15:30   Database mail/x.nsf is corrupt\x1b[2J\n\
        [004103:000002-00007F12] 11/03/2026 10:15:40   http: nothing of importance\n\
        [004103:000002-00007F12] 11/03/2026 10:15:50   Server shutdown complete\n";
    let said = bench.said(lines);
    assert_eq!(
        said,
        [
            (at("09:15:20"), "started", "Server started on physical node mail1".to_owned()),
            (at("09:15:30"), "corruption", "Database mail/x.nsf is corrupt\u{fffd}[2J".to_owned()),
            (at("09:15:50"), "stopped", "Server shutdown complete".to_owned()),
        ]
    );
    let long = format!("PANIC: {}\n", "x".repeat(500));
    assert_eq!(bench.said(&long)[0].2.chars().count(), 200);
}

#[test]
fn a_listing_that_ends_before_it_says_its_time_is_told_as_one_without_an_end() {
    let mut bench = Bench::new(Some(chrono_tz::Europe::Berlin));
    let first = listing("11/03/2026 10:14:50 ZE1", "1 day 04:14:50");
    assert_eq!(bench.listings(&first).len(), 1);
    let cut = "> show stat\n  Server.ElapsedTime = 1 day 04:15:20\n  Server.Users = 7\n  Serv";
    let whole = listing("11/03/2026 10:15:50 ZE1", "1 day 04:15:50");
    assert_eq!(bench.listings(&format!("{cut}\n{whole}")), [at("09:15:50")]);
    assert!(
        bench.error.starts_with("listings without an end in `") && bench.error.contains("console.log`: 1; "),
        "{}",
        bench.error
    );
}

#[test]
fn a_flood_of_lines_is_cut_and_counted() {
    let mut bench = Bench::new(None);
    let said = bench.said(&"disk is full\n".repeat(137));
    assert_eq!(said.len(), 101);
    assert_eq!((said[100].1, said[100].2.as_str()), ("disk_full", "37 more lines that somebody should see were left out"));
    assert_eq!(bench.said(&"disk is full\n".repeat(100)).len(), 100);
}

#[test]
fn message_numbers_are_an_error_and_said_once() {
    let mut bench = Bench::new(None);
    let numbers = "[004103:000002-00007F12] 11/03/2026 10:15:20   07:92: 0A:0A\n".repeat(9);
    for expected in [1, 0] {
        let said = bench.said(&numbers);
        assert_eq!(said.iter().filter(|(_, kind, _)| *kind == "numbers_only").count(), expected);
        assert!(bench.error.contains("message numbers instead of texts; install Domino's language files"), "{}", bench.error);
    }
    bench.read("a text\n");
    assert_eq!(bench.error, "");
}

#[test]
fn silence_of_the_server_is_told_with_its_age() {
    let mut bench = Bench::new(None);
    bench.read(&listing("2026-11-03 10:15:40 ZE1", "04:15:40"));
    for minute in 1..=3 {
        bench.read("a line\n");
        assert_eq!(bench.error, "", "{minute}");
    }
    bench.read("a line\n");
    let path = bench.folder.path().join("console.log");
    let expected = format!(
        "no listing in `{}` for 4 min, the last was of 2026-11-03T09:15:40Z; see that `show stat` is run regularly, \
         for instance by a Program document, or use source = \"console\"",
        path.display()
    );
    assert_eq!(bench.error, expected);
    // After a night nobody has waited yet.
    bench.now += TimeDelta::hours(14);
    bench.read("");
    assert_eq!(bench.error, "");
}

#[test]
fn a_start_goes_on_where_the_last_run_ended_and_a_damaged_state_is_ignored() {
    let mut bench = Bench::new(None);
    bench.listings(&listing("2026-11-03 10:15:40 ZE1", "04:15:40"));
    bench.restart();
    assert_eq!(bench.listings(&listing("2026-11-03 10:16:40 ZE1", "04:16:40")), [at("09:16:40")]);
    let state = bench.folder.path().join("state.json");
    fs::write(&state, "{\"mark\":{\"device\":1").unwrap();
    bench.restart();
    assert_eq!(bench.listings(&listing("2026-11-03 10:17:40 ZE1", "04:17:40")), Vec::<Timestamp>::new());
    assert_eq!(bench.listings(&listing("2026-11-03 10:18:40 ZE1", "04:18:40")), [at("09:18:40")]);
    fs::remove_file(&state).unwrap();
    fs::create_dir(&state).unwrap();
    bench.listings(&listing("2026-11-03 10:19:40 ZE1", "04:19:40"));
    assert!(bench.error.contains("cannot be remembered in `") && bench.error.contains("let the agent write there"));
}

/// A log of seven listings with other lines in between, one of them in the middle.
fn log() -> String {
    let between = "[004103:000002-00007F12] 11/03/2026 10:15:40   http: nothing\n";
    let listings = (0..7).map(|n| {
        let text = listing(&format!("2026-11-03 10:{:02}:00 ZE1", 15 + n), "04:15:40").replace("= 7\n", &format!("= 7{n}\n"));
        if n % 2 == 0 { text.replace("  Server.Users", &format!("{between}  Server.Users")) } else { text + between }
    });
    listings.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_into_readings_gives_the_same_listings(cuts in proptest::collection::vec(1..300_usize, 0..20)) {
        let text = log();
        let expected = show_stat::listings(&text);
        let mut bench = Bench::new(None);
        bench.now = at("09:14:00");
        let mut all = Vec::new();
        let mut read = 0;
        for cut in cuts.into_iter().chain([text.len()]) {
            let end = (read + cut).min(text.len());
            // A reading in the middle of a listing is a little later than the listing says.
            let begun = i64::try_from(text[..end].matches("show stat").count()).unwrap();
            let moment = at("09:14:05") + TimeDelta::minutes(begun);
            bench.now = moment.max(bench.now + TimeDelta::seconds(1)) - TimeDelta::minutes(1);
            all.extend(bench.read(&text[read..end]));
            read = end;
        }
        let listings: Vec<Listing> = all.iter().filter_map(|brought| match &brought.what {
            What::Listing(listing) => Some(listing.clone()),
            _ => None,
        }).collect();
        prop_assert_eq!(listings, expected);
        prop_assert!(all.windows(2).all(|pair| pair[0].at < pair[1].at));
    }
}
