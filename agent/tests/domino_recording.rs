//! Saved `show stat` listings and console logs into snapshots: a listing of our own, and days of a stand-in server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

use std::path::PathBuf;
use std::process::Command;

use weekline::catalog::{self, Place};
use weekline::formats::domino::dates::DateOrder;
use weekline::formats::{self, About, FormatError, Parsed};
use weekline::snapshot::Snapshot;
use weekline::time::Timestamp;

/// A listing with every statistic that the catalog has a row for; all values are invented.
const LISTING: &str = include_str!("fixtures/show_stat.txt");

fn parse(text: &str, about: &About) -> (Vec<Snapshot>, Result<Parsed, FormatError>) {
    let mut all = Vec::new();
    let format = formats::detect(text).unwrap();
    assert_eq!(format.name(), "show-stat");
    let parsed = format.parse(&mut text.as_bytes(), about, &mut |snapshot| all.push(snapshot));
    (all, parsed)
}

fn good(text: &str, about: &About) -> (Vec<Snapshot>, Parsed) {
    let (all, parsed) = parse(text, about);
    (all, parsed.unwrap())
}

#[test]
fn a_listing_in_full() {
    let (all, parsed) = good(LISTING, &About::default());
    assert_eq!((all.len(), parsed.skipped.count), (1, 0));
    // Alone, it stands for the minute in which statistics are usually made anew.
    assert_eq!(all[0].every, std::time::Duration::from_secs(60));
    // 10:15 one hour east of Greenwich.
    assert_eq!(all[0].at, "2026-11-24T09:15:00Z".parse::<Timestamp>().unwrap());
    let value = |metric: &str, labels: &[&str]| all[0].value(metric, labels);
    assert_eq!(value("domino_transactions_total", &["mail1"]), Some(3_993_478.0));
    assert_eq!(value("domino_users_active", &["30m", "mail1"]), Some(858.0));
    assert_eq!(value("domino_disk_free_bytes", &["/local", "mail1"]), Some(199_215_540_633.0));
    // 1 day(s) 04:15:00.
    assert_eq!(value("domino_uptime_seconds", &["mail1"]), Some(101_700.0));
    let told: Vec<(&str, &str)> = all[0].facts.iter().map(|fact| (fact.row.name, fact.text.as_str())).collect();
    assert!(
        told.contains(&("domino_release", "Release 14.5")) && told.contains(&("domino_start", "11/23/2026 06:00:00 ZE1")),
        "{told:?}"
    );
}

#[test]
fn every_statistic_of_the_listing_is_known_and_every_row_of_domino_is_in_it() {
    let (all, _) = good(LISTING, &About::default());
    assert_eq!(all[0].unknown, [].into());
    for metric in catalog::metrics() {
        for found in metric.found.iter().filter(|found| found.place == Place::Domino) {
            let mine = |reading: &&weekline::snapshot::Reading| {
                reading.metric == metric && found.labels.iter().zip(reading.labels.values()).all(|(wanted, is)| *wanted == is)
            };
            assert!(all[0].readings.iter().any(|reading| mine(&reading)), "{found} is in no listing");
        }
    }
    for row in catalog::facts().filter(|row| row.place == Place::Domino) {
        assert!(all[0].facts.iter().any(|fact| fact.row == row), "{} is in no listing", row.name);
    }
}

/// Two listings a minute apart, in which some counters have grown.
#[test]
fn what_follows_from_two_listings() {
    let later = LISTING
        .replace("11/24/2026 10:15:00", "11/24/2026 10:16:00")
        .replace("Server.Trans.Total = 3,993,478", "Server.Trans.Total = 3,999,478")
        .replace("Database.DbCache.Hits = 382", "Database.DbCache.Hits = 442")
        .replace("Database.DbCache.Lookups = 390,167", "Database.DbCache.Lookups = 390,247");
    let (all, _) = good(&format!("{LISTING}{later}"), &About::default());
    let follows = |name: &str| {
        let latest = weekline::analysis::latest(&all[0], &all[1]);
        let (_, series) = latest.into_iter().find(|(row, _)| row.name == name).unwrap();
        series.iter().flat_map(|series| series.points.iter().map(|point| point.value)).collect::<Vec<_>>()
    };
    // 6000 transactions in 60 s; 60 hits of 80 look-ups.
    assert_eq!(follows("domino_transactions_per_second"), [100.0]);
    assert_eq!(follows("domino_database_cache_hit_ratio"), [0.75]);
}

#[test]
fn a_listing_cut_anywhere_is_no_snapshot() {
    let (whole, _) = good(LISTING, &About::default());
    let trailer = LISTING.trim_end().len();
    for end in LISTING.char_indices().map(|(i, _)| i).filter(|i| *i % 7 == 0 || trailer - 30 < *i) {
        let Some(format) = formats::detect(&LISTING[..end]) else { continue };
        let mut all = Vec::new();
        let _ = format.parse(&mut &LISTING.as_bytes()[..end], &About::default(), &mut |snapshot| all.push(snapshot));
        // Only the line after the trailer may be missing.
        assert!(all.is_empty() || (end > trailer && all[0].readings.len() == whole[0].readings.len()), "cut at {end}");
    }
}

#[test]
fn a_trailer_that_disagrees_is_counted_and_nothing_is_kept() {
    let missing = LISTING.replacen("  Mail.Dead = ", "  Mail.Dead (", 1);
    let (all, parsed) = good(&missing, &About::default());
    assert_eq!(all.len(), 0);
    let why = &parsed.skipped.first[0].why;
    assert!(why.starts_with("listing says ") && why.contains("statistics and has"), "{why}");
}

/// Days and months up to twelve everywhere, so that nothing tells which is which.
fn two_ways() -> String {
    LISTING.replace("11/24/2026", "11/03/2026").replace("11/23/2026", "11/02/2026")
}

#[test]
fn what_the_file_does_not_say_is_asked_for_and_taken_from_the_user() {
    let asked = |text: &str, about: &About| parse(text, about).1.unwrap_err().to_string();
    let order = |date_order| About { date_order: Some(date_order), ..About::default() };
    assert_eq!(
        asked(&two_ways(), &About::default()),
        "`11/03/2026 10:15:00 ZE1` is one of two days; add --date-order dmy, mdy or ymd"
    );
    let day = |about: &About| good(&two_ways(), about).0[0].at.date_naive().to_string();
    assert_eq!((day(&order(DateOrder::Mdy)), day(&order(DateOrder::Dmy))), ("2026-11-03".to_owned(), "2026-03-11".to_owned()));
    // Points between the parts stand for the day first.
    assert_eq!(good(&two_ways().replace('/', "."), &About::default()).0[0].at.date_naive().to_string(), "2026-03-11");
    let unnamed = LISTING.replace("Server.Name = CN=mail1/O=Acme", "Server.Name = /");
    assert_eq!(asked(&unnamed, &About::default()), "a listing does not name its server; add --partition NAME");
    let named = About { partition: Some("p2".to_owned()), ..About::default() };
    assert!(good(&unnamed, &named).0[0].value("domino_mail_dead", &["p2"]).is_some());
    let zoneless = LISTING.replace(" ZE1", " XYZ");
    assert!(asked(&zoneless, &About::default()).contains("zone `XYZ`"));
    let berlin = About { zone: Some(chrono_tz::Europe::Berlin), ..About::default() };
    assert_eq!(good(&zoneless, &berlin).0[0].at, "2026-11-24T09:15:00Z".parse::<Timestamp>().unwrap());
}

#[test]
fn listings_without_a_time_follow_the_start_and_interval_given() {
    let timeless = LISTING.replace("Stats.Time.Current", "Stats.Time.Unknown");
    let about = About {
        zone: Some(chrono_tz::Europe::Berlin),
        start: "2026-11-24T07:00:00".parse().ok(),
        every: Some(std::time::Duration::from_secs(300)),
        ..About::default()
    };
    assert!(parse(&timeless, &About::default()).1.unwrap_err().to_string().contains("add --start"));
    let (all, parsed) = good(&timeless.repeat(3), &about);
    let times: Vec<String> = all.iter().map(|snapshot| snapshot.at.format("%H:%M").to_string()).collect();
    assert_eq!(
        (times.as_slice(), parsed.time_quality),
        (&["06:00".to_owned(), "06:05".to_owned(), "06:10".to_owned()][..], "start and interval given")
    );
    assert_eq!(all.iter().map(|snapshot| snapshot.follows).collect::<Vec<_>>(), [false, true, true]);
}

/// The stand-in server, where it lies beside the project.
fn stand_in() -> Option<PathBuf> {
    let shared = std::env::var_os("WEEKLINE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let program = shared.join("checks/domino-sim");
    if !program.exists() {
        eprintln!("SKIPPED: no stand-in server at {}; WEEKLINE_SHARED names the folder", program.display());
    }
    program.exists().then_some(program)
}

/// A console log of a business day with a listing a minute and other lines in between, and what an observer must find.
fn a_day(program: &PathBuf, locale: &str, events: &[&str]) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let partition = folder.path().join("mail1");
    let run = |arguments: &[&str]| {
        let done = Command::new(program).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let partition = partition.to_str().unwrap();
    run(&["init", partition, "--name", "mail1", "--started", "2026-11-23T06:00", "--locale", locale]);
    let day = ["--from", "2026-11-24T06:59", "--to", "2026-11-24T17:02", "--every", "60", "--messy"];
    let log = run(&[&["log", partition], &day[..], events].concat());
    let expected = run(&[&["expect", partition, "--day", "2026-11-24"], events].concat());
    (log, serde_json::from_str(&expected).unwrap())
}

/// Positive differences inside business hours; after a restart the counter itself.
fn transactions(all: &[Snapshot]) -> f64 {
    let (from, to) = ("2026-11-24T06:00:00Z".parse::<Timestamp>().unwrap(), "2026-11-24T16:00:00Z".parse::<Timestamp>().unwrap());
    let totals: Vec<(bool, f64)> = all
        .iter()
        .filter(|snapshot| from <= snapshot.at && snapshot.at <= to && !snapshot.readings.is_empty())
        .map(|snapshot| (snapshot.follows, snapshot.value("domino_transactions_total", &["mail1"]).unwrap()))
        .collect();
    totals.windows(2).map(|pair| if pair[1].0 { pair[1].1 - pair[0].1 } else { pair[1].1 }).sum()
}

#[test]
fn a_day_of_the_stand_in_server_comes_out_to_the_transaction_in_every_locale() {
    let Some(program) = stand_in() else { return };
    for locale in ["us", "de", "ch", "fr"] {
        let (log, expected) = a_day(&program, locale, &[]);
        let (all, parsed) = good(&log, &About { partition: Some("mail1".to_owned()), ..About::default() });
        assert_eq!(parsed.skipped.count, 0, "{locale}: {:?}", parsed.skipped);
        assert_eq!(transactions(&all), expected["transactions"].as_f64().unwrap(), "{locale}");
        assert!(all.iter().all(|snapshot| snapshot.unknown.is_empty()), "{locale}: {:?}", all[0].unknown);
        let active: Vec<f64> =
            all.iter().filter_map(|snapshot| snapshot.value("domino_users_active", &["30m", "mail1"])).collect();
        assert_eq!(active.len(), all.len(), "{locale}");
    }
}

#[test]
fn a_restart_is_a_break_and_an_upgrade_a_new_release() {
    let Some(program) = stand_in() else { return };
    let (log, expected) = a_day(&program, "de", &["--upgrade", "2026-11-24T12:00=14.5", "--down", "3m"]);
    let (mut all, _) = good(&log, &About { partition: Some("mail1".to_owned()), ..About::default() });
    all.retain(|snapshot| !snapshot.readings.is_empty());
    let breaks: Vec<String> = all.iter().skip(1).filter(|s| !s.follows).map(|s| s.at.format("%H:%M").to_string()).collect();
    assert_eq!(breaks.len(), 1, "{breaks:?}");
    let releases: std::collections::BTreeSet<&str> = all
        .iter()
        .flat_map(|s| s.facts.iter().filter(|fact| fact.row.name == "domino_release").map(|fact| fact.text.as_str()))
        .collect();
    assert_eq!(releases.len(), 2, "{releases:?}");
    // What happened between the last listing before and the end is lost: at most two minutes of the day's 600.
    let (found, expected) = (transactions(&all), expected["transactions_exact"].as_f64().unwrap());
    assert!(found <= expected && found >= expected * (1.0 - 2.0 / 300.0), "{found} of {expected}");
}

/// The listing at another time, in a zone, as `MM/DD/YYYY HH:MM:SS ZE1`.
fn listing_at(time: &str) -> String {
    LISTING.replace("11/24/2026 10:15:00 ZE1", time)
}

/// What a file says beside its listings: time in Greenwich, kind, text.
fn said(text: &str, about: &About) -> (Vec<(String, String, String)>, Parsed) {
    let (all, parsed) = good(text, about);
    let facts = all.iter().filter(|snapshot| snapshot.readings.is_empty()).map(|snapshot| {
        let [fact] = snapshot.facts.as_slice() else { panic!("{snapshot:?}") };
        assert_eq!((fact.row.name, fact.about.get(1)), ("domino_console_finding", Some("mail1")));
        let kind = fact.about.get(0).unwrap().to_owned();
        (snapshot.at.format("%Y-%m-%d %H:%M:%S%.f").to_string(), kind, fact.text.clone())
    });
    (facts.collect(), parsed)
}

fn kinds(text: &str) -> Vec<(String, String)> {
    said(text, &About::default()).0.into_iter().map(|(at, kind, _)| (at, kind)).collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[test]
fn lines_between_listings_are_kept_as_facts_at_their_own_time() {
    let thread = "[007577:000017-00007F621246D700]";
    let text = format!(
        "{thread} 11/24/2026 10:14:01   Database mail/u1.nsf is corrupt\n\
         {thread} 11/24/2026 10:14:01   Database mail/u2.nsf is corrupt\n\
         {thread} 11/24/2026 10:14:02   Router: Message 00567C4FD9 delivered to User 1262/\n\
         {thread} Unable to bind to port, no space left on device\n\
         {LISTING}\
         {thread} 11/24/2026 10:15:10   Server shutdown complete\n\
         {thread} 11/24/2026 10:16:00 AM  Performing consistency check on log.nsf...\n\
         {thread} 11/24/2026 10:17:00   Server started on physical node mail1\n\
         {thread} 11/24/2026 10:17:05   Server mail1/Acme has faulted and is now back up and running.\n\
         {thread} 11/24/2026 10:18:00   Unable to replicate with server HUB1/Acme\n\
         {thread} 11/24/2026 10:19:00   http has terminated abnormally\n"
    );
    let expected = [
        ("2026-11-24 09:14:01", "corruption"),
        ("2026-11-24 09:14:01.001", "corruption"),
        ("2026-11-24 09:15:10", "stopped"),
        ("2026-11-24 09:16:00", "unclean"),
        ("2026-11-24 09:17:00", "started"),
        ("2026-11-24 09:17:05", "recovered"),
        ("2026-11-24 09:18:00", "replication"),
        ("2026-11-24 09:19:00", "fault"),
    ];
    assert_eq!(kinds(&text), owned(&expected));
    let (all, parsed) = good(&text, &About::default());
    assert_eq!(parsed.skipped.count, 0, "{:?}", parsed.skipped);
    // They end no run of listings, and the listing is what it is without them.
    assert!(all.iter().filter(|snapshot| snapshot.readings.is_empty()).all(|snapshot| snapshot.follows));
    let listings: Vec<&Snapshot> = all.iter().filter(|snapshot| !snapshot.readings.is_empty()).collect();
    assert_eq!((listings.len(), listings[0].readings.len()), (1, good(LISTING, &About::default()).0[0].readings.len()));
}

#[test]
fn a_line_lies_between_its_listings_when_the_clocks_change() {
    let around = |before: &str, line: &str, after: &str| {
        kinds(&format!("{}{line}   Server shutdown complete\n{}", listing_at(before), listing_at(after)))
    };
    // From 02:00 to 03:00 in spring: five past three is quarter of an hour after ten to two.
    assert_eq!(
        around("03/29/2026 01:50:00 ZE1", "03/29/2026 03:05:00", "03/29/2026 03:10:00 ZE2"),
        owned(&[("2026-03-29 01:05:00", "stopped")])
    );
    // Back from 03:00 to 02:00 in autumn: five to three was before, ten past two after.
    assert_eq!(
        around("10/25/2026 02:50:00 ZE2", "10/25/2026 02:55:00", "10/25/2026 02:10:00 ZE1"),
        owned(&[("2026-10-25 00:55:00", "stopped")])
    );
    assert_eq!(
        around("10/25/2026 02:50:00 ZE2", "10/25/2026 02:05:00", "10/25/2026 02:10:00 ZE1"),
        owned(&[("2026-10-25 01:05:00", "stopped")])
    );
    // The same by a zone that the user gives.
    let text = format!("{}10/25/2026 02:05:00   Server shutdown complete\n", listing_at("10/25/2026 02:50:00 ZE2"));
    let berlin = About { zone: Some(chrono_tz::Europe::Berlin), ..About::default() };
    assert_eq!(said(&text, &berlin).0[0].0, "2026-10-25 01:05:00");
}

#[test]
fn lines_wait_for_a_listing_in_bounded_number_and_what_cannot_be_placed_is_counted() {
    use std::fmt::Write;
    let mut text = String::new();
    for n in 0..1200 {
        let _ = writeln!(text, "11/24/2026 09:{:02}:{:02}   Unable to replicate with server HUB{n}", n / 60, n % 60);
    }
    text.push_str(LISTING);
    let named = |zone, partition: Option<&str>| About { zone, partition: partition.map(str::to_owned), ..About::default() };
    // Found by its name: the beginning of such a file shows no listing.
    let parse = |about: &About| {
        let mut all = Vec::new();
        let format = formats::named("show-stat").unwrap();
        let parsed = format.parse(&mut text.as_bytes(), about, &mut |snapshot| all.push(snapshot)).unwrap();
        (all.iter().filter(|snapshot| snapshot.readings.is_empty()).count(), parsed.skipped)
    };
    let (kept, skipped) = parse(&About::default());
    assert_eq!((kept, skipped.count), (200, 1000));
    assert_eq!(skipped.first[0].why, "no listing before it or after it says which server this line is of");
    let (kept, skipped) = parse(&named(None, Some("mail1")));
    assert_eq!((kept, skipped.count), (200, 1000));
    assert_eq!(skipped.first[0].why, "a line of the console whose time cannot be told");
    let (kept, skipped) = parse(&named(Some(chrono_tz::Europe::Berlin), Some("mail1")));
    assert_eq!((kept, skipped.count), (1200, 0));
}

/// A log taken into a history, and what it then tells of: local time, kind, what was before and after.
fn events(log: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut history = weekline::history::History::create(&folder.path().join("history.db")).unwrap();
    let epoch = chrono::DateTime::UNIX_EPOCH;
    let mut import = history.import("h", "console.log", "show-stat", epoch).unwrap();
    let about = About { host: "h".to_owned(), ..About::default() };
    let (all, _) = good(log, &about);
    all.into_iter().for_each(|snapshot| import.take(snapshot).unwrap());
    import.finish("x", epoch).unwrap();
    let zone = chrono_tz::Europe::Berlin;
    let hours: weekline::schedule::Hours = "07:00-17:00".parse().unwrap();
    let (minute, outside) = (std::time::Duration::from_secs(60), weekline::schedule::Outside::Idle);
    let schedule = weekline::schedule::Schedule::new(zone, [Some(hours); 7], minute, outside, [].into());
    let options = weekline::analysis::events::Options::all(weekline::time::Span::ALL);
    let found = weekline::analysis::events::events(&history, &schedule, &options).unwrap();
    let told = found.into_iter().map(|event| {
        assert_eq!((event.about(), event.host.as_str()), ("mail1", "h"), "{event:?}");
        let sides = event.before.zip(event.after).map(|(before, after)| format!(" {before} to {after}")).unwrap_or_default();
        format!("{} {}{sides}", event.at.with_timezone(&zone).format("%H:%M"), event.kind)
    });
    told.collect()
}

#[test]
fn the_stand_in_server_is_upgraded_and_restarted_and_nothing_else_happens() {
    let Some(program) = stand_in() else { return };
    let upgrade = ["--upgrade", "2026-11-24T12:00=14.5", "--restart", "2026-11-24T14:30", "--down", "3m"];
    let no_event = ["--set-stat", "2026-11-24T10:00", "--router-restart", "2026-11-24T11:00"];
    let (log, _) = a_day(&program, "de", &[&upgrade[..], &no_event[..]].concat());
    // Down for three minutes each, then it starts.
    assert_eq!(events(&log), ["12:03 upgrade 12.0.2 to 14.5", "14:33 restart"]);
    // A day with nothing but those that are none.
    let (log, _) = a_day(&program, "us", &no_event);
    assert_eq!(events(&log), Vec::<String>::new());
}
