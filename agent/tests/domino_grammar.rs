//! The grammars of Domino text on whole outputs: those of the stand-in server, spoilt and not, and the few real ones that are public.
//!
//! Both stand beside the workspace, in `shared/`, or in `$WEEKLINE_SHARED`; where they are missing the tests say so and pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use weekline::formats::domino::console::{self, Finding, Line};
use weekline::formats::domino::dates;
use weekline::formats::domino::numbers::{Profile, Value};
use weekline::formats::domino::prefix;
use weekline::formats::domino::show_stat::{Completeness, Listing, Names, completeness, listings};
use weekline::formats::domino::{show_tasks, show_transactions, show_users};

const AT: &str = "2026-11-03T10:15";

/// A path in the shared folder; says loudly that it is not there.
fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let found = std::env::var_os("WEEKLINE_SHARED").map_or_else(beside, PathBuf::from).join(path);
    if found.exists() {
        return Some(found);
    }
    // Past the test harness, which keeps to itself what a passing test prints.
    writeln!(std::io::stderr(), "SKIPPED: no {}", found.display()).expect("stderr is open");
    None
}

/// A stand-in for one partition.
struct Server {
    program: PathBuf,
    data: tempfile::TempDir,
}

impl Server {
    fn new(options: &[&str]) -> Option<Server> {
        let program = shared("checks/domino-sim")?;
        if Command::new("python3").arg("--version").output().is_err() {
            writeln!(std::io::stderr(), "SKIPPED: no python3").expect("stderr is open");
            return None;
        }
        let server = Server { program, data: tempfile::tempdir().unwrap() };
        server.run("init", &[&["--started", "2026-10-20T06:00", "--pid", "59483"], options].concat());
        Some(server)
    }

    fn run(&self, command: &str, options: &[&str]) -> String {
        let mut python = Command::new("python3");
        python.arg("-B").arg(&self.program).arg(command);
        if command == "server" {
            python.args(["--at", AT, "--stdout", "--data"]);
        }
        let output = python.arg(self.data.path()).args(options).output().unwrap();
        assert!(output.status.success(), "{command} {options:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn listing(&self) -> String {
        self.run("show-stat", &["--at", AT])
    }

    /// Spoils the next output, and only that.
    fn spoil(&self, mode: &str) {
        self.run("fault", &["--mode", mode, "--at", "2026-11-03T10:10", "--count", "1"]);
    }
}

fn profile(listing: &Listing) -> Profile {
    Profile::infer(listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str())), None).unwrap()
}

fn whole(text: &str) -> Listing {
    let mut found = listings(text);
    assert_eq!(found.len(), 1);
    assert_eq!(completeness(&found[0], None), Completeness::Whole, "{:?}", found[0]);
    found.remove(0)
}

#[test]
fn numbers_are_the_same_in_every_locale() {
    for release in ["7.0.2", "8.5.3", "9.0.1", "12.0.2", "14.5"] {
        let Some(us) = Server::new(&["--release", release, "--locale", "us"]) else { return };
        let us = whole(&us.listing());
        let expected: Vec<_> = us.stats.iter().map(|(_, value)| profile(&us).parse(value)).collect();
        assert!(expected.iter().filter(|value| matches!(value, Value::Number(_))).count() > 150);
        assert!(!expected.contains(&Value::Ambiguous));
        for options in [
            &["--locale", "de"][..],
            &["--locale", "ch"],
            &["--locale", "fr"],
            &["--locale", "in"],
            &["--locale", "plain"],
            &["--locale", "de", "--longs", "plain", "--trailer", "%d Statistiken gefunden", "--zone-names", "keep"],
        ] {
            let server = Server::new(&[&["--release", release], options].concat()).unwrap();
            let twin = whole(&server.listing());
            let profile = profile(&twin);
            assert_eq!(twin.stats.len(), us.stats.len());
            for (((name, text), (us_name, _)), expected) in twin.stats.iter().zip(&us.stats).zip(&expected) {
                assert_eq!(name, us_name);
                assert_eq!(&profile.parse(text), expected, "{release} {options:?}: {name} = {text}");
                if name == "Server.Task" {
                    assert!(show_tasks::value(text).unwrap().since.unwrap().offset.is_some(), "{text}");
                }
                if name == "Server.Time.Start" {
                    // The zone is +02:00 in October, and `keep` still calls it ZE1.
                    let hour = if options.contains(&"keep") { "05" } else { "04" };
                    let start = dates::zoned(text).unwrap().at(None).unwrap().to_utc().to_rfc3339();
                    assert_eq!(start, format!("2026-10-20T{hour}:00:00+00:00"));
                }
            }
        }
    }
}

#[test]
fn a_cut_listing_is_never_whole() {
    let Some(server) = Server::new(&["--locale", "fr", "--release", "9.0.1"]) else { return };
    let text = server.run("show-stat", &["--at", AT, "--stat", "server"]);
    let known = Names::of(&whole(&text));
    assert!(text.ends_with("found\n\n"));
    for at in (0..text.len() - 1).filter(|at| text.is_char_boundary(*at)) {
        for known in [None, Some(&known)] {
            assert!(listings(&text[..at]).iter().all(|cut| completeness(cut, known) != Completeness::Whole), "cut at {at}");
        }
    }
}

/// Every listing that is whole has exactly the values of one that was printed.
#[test]
fn nothing_spoilt_is_whole() {
    for locale in ["us", "fr"] {
        let Some(server) = Server::new(&["--locale", locale]) else { return };
        let good = whole(&server.listing());
        let known = Names::of(&good);
        for (mode, wholes) in [
            ("truncate", 0),
            ("interleave", 1),
            ("missing-trailer", 0),
            ("wrap", 1),
            ("binary-junk", 0),
            ("stale", 1),
            ("numbers-only", 0),
            ("counter-wrap", 1),
        ] {
            server.spoil(mode);
            let text = server.listing();
            let found: Vec<_> =
                listings(&text).into_iter().filter(|found| completeness(found, Some(&known)) == Completeness::Whole).collect();
            assert_eq!(found.len(), wholes, "{locale} {mode}");
            if ["interleave", "wrap"].contains(&mode) {
                assert_eq!(found[0].stats, good.stats, "{locale} {mode}");
            }
            if mode == "interleave" {
                assert!(found[0].foreign >= 8);
            }
            if mode == "counter-wrap" {
                let total = found[0].stats.iter().find(|(name, _)| name == "Server.Trans.Total").unwrap();
                assert!(matches!(profile(&found[0]).parse(&total.1), Value::Number(total) if total < 0.0), "{total:?}");
            }
            if mode == "numbers-only" {
                let finding = |line: &str| matches!(console::line(line), Some(Line::Finding(Finding::NumbersOnly, _)));
                assert!(text.lines().filter(|line| !line.is_empty()).all(finding));
            }
        }
        // Without its trailer a listing counts when the next one has begun.
        server.spoil("missing-trailer");
        let spoilt = server.listing();
        let text = format!("{spoilt}{spoilt}");
        let judged: Vec<_> = listings(&text).iter().map(|found| completeness(found, Some(&known))).collect();
        assert_eq!(judged, [Completeness::Whole, Completeness::Unfinished]);
    }
}

#[test]
fn a_messy_log_gives_each_listing_whole() {
    for (locale, release) in [("de", "9.0.1"), ("us", "14.5"), ("fr", "8.5.3")] {
        let Some(server) = Server::new(&["--locale", locale, "--release", release]) else { return };
        let log = server.run("log", &["--from", "2026-11-03T10:00", "--to", "2026-11-03T10:16", "--messy"]);
        let found = listings(&log);
        assert_eq!(found.len(), 16, "{locale}");
        assert!(found.iter().all(|found| completeness(found, None) == Completeness::Whole), "{locale}");
        assert!(found.iter().any(|found| found.foreign > 0));
        assert_eq!(found[15].stats, whole(&server.listing()).stats, "{locale}");
        // A log that is cut off at its head and its end, as a circular one, gives what lies whole in between.
        let (head, end) = (log.floor_char_boundary(3000), log.floor_char_boundary(log.len() - 30_000));
        let cut = listings(&log[head..end]);
        let wholes: Vec<_> = cut.iter().filter(|found| completeness(found, None) == Completeness::Whole).collect();
        assert!(wholes.len() >= 12 && wholes.iter().all(|one| found.iter().any(|found| found.stats == one.stats)));
    }
}

#[test]
fn a_circular_log_gives_no_mixture() {
    let Some(server) = Server::new(&["--locale", "us", "--release", "9.0.1"]) else { return };
    let log = server.run("log", &["--from", "2026-11-03T10:00", "--to", "2026-11-03T10:04"]);
    let newer = server.run("log", &["--from", "2026-11-03T11:00", "--to", "2026-11-03T11:02"]);
    let good: Vec<_> = listings(&log).into_iter().chain(listings(&newer)).collect();
    for at in (0..newer.len().min(log.len())).step_by(997).filter(|at| newer.is_char_boundary(*at) && log.is_char_boundary(*at)) {
        // A server writes whole lines.
        let at = newer[..at].rfind('\n').map_or(0, |end| end + 1);
        if !log.is_char_boundary(at) {
            continue;
        }
        let mixed = format!("{}{}", &newer[..at], &log[at..]);
        for found in listings(&mixed).iter().filter(|found| completeness(found, None) == Completeness::Whole) {
            assert!(good.iter().any(|good| good.stats == found.stats), "seam at {at}");
        }
    }
}

#[test]
fn answers_to_show_commands() {
    for (locale, release) in [("de", "9.0.1"), ("us", "14.5"), ("fr", "12.0.2"), ("ch", "7.0.2")] {
        let Some(server) = Server::new(&["--locale", locale, "--release", release]) else { return };
        let ask = |command: &str| server.run("server", &["-c", command]);
        let text = ask("show server");
        let fields: Vec<_> = text.lines().filter_map(|line| console::line(prefix::strip(line).text)).collect();
        assert!(matches!(fields[0], Line::Header { release: found, .. } if found == release), "{text}");
        assert_eq!(fields.len(), 10, "{fields:?}");

        let text = ask("show tasks");
        let tasks = show_tasks::table(text.lines());
        let listing = whole(&server.listing());
        let stated: Vec<_> = listing.stats.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Server.Task")).collect();
        assert_eq!((tasks.tasks.len(), tasks.refused), (stated.len(), 0), "{text}");
        for (task, (_, stated)) in tasks.tasks.iter().zip(stated) {
            let stated = show_tasks::value(stated).unwrap();
            assert_eq!((task.name, task.status), (stated.name, stated.status));
        }

        let text = ask("show users");
        let users = show_users::table(text.lines());
        let connected = listing.stats.iter().find(|(name, _)| name.eq_ignore_ascii_case("Server.Users")).unwrap();
        assert_eq!(profile(&listing).parse(&connected.1), Value::Number(users.users.len() as f64));
        assert_eq!(users.refused, 0);

        let text = ask("show transactions");
        let found = show_transactions::table(text.lines());
        assert_eq!((found.functions.len(), found.refused), (10, 0), "{text}");
        assert!(found.functions.iter().all(|f| f.average == f.total / f.count && f.min == 0 && f.max > 1000));
    }
}

fn real(name: &str) -> Option<String> {
    shared(&format!("data/domino/{name}")).map(|path| read(&path))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn real_listings() {
    let Some(text) = real("show_stat_query_11.0.1.txt") else { return };
    assert_eq!(whole(&text).stats.len(), 38);
    // No trailer, nothing behind: five of six lines, and not whole.
    let found = listings(&real("show_stat_object_r4_ru.txt").unwrap());
    assert_eq!((found.len(), found[0].stats.len()), (1, 5));
    assert_eq!(found[0].stats[1], ("Object.mail\\shared.nsf.SharedBy.01".to_owned(), "579".to_owned()));
    assert_eq!(completeness(&found[0], Some(&Names::of(&found[0]))), Completeness::Unfinished);
}

#[test]
fn real_console_lines() {
    let Some(banners) = real("banners.txt") else { return };
    let releases: Vec<_> = banners
        .lines()
        .map(|line| match console::line(prefix::strip(line).text) {
            Some(Line::Banner(banner)) => banner.release,
            Some(Line::Header { release, .. }) => release,
            other => panic!("{line}: {other:?}"),
        })
        .collect();
    assert_eq!(releases, ["7.0.2", "8.0", "V85_M2_08202008", "9.0.1FP10", "9.0.1", "8.5"]);

    let german = real("startup_8.0_linux_de.txt").unwrap();
    let said: Vec<_> = german.lines().filter_map(|line| console::line(prefix::strip(line).text)).collect();
    assert!(matches!(said[..], [Line::Banner(_), Line::Unclean(_), Line::Started("test")]), "{said:?}");
    let us = real("startup_8.5beta_linux_us.txt").unwrap();
    let said: Vec<_> = us.lines().filter_map(|line| console::line(prefix::strip(line).text)).collect();
    assert!(matches!(said[..], [Line::Banner(_), Line::Started(_)]), "{said:?}");
    let stamped = us.lines().filter_map(|line| prefix::strip(line).stamp).collect::<Vec<_>>();
    assert!(stamped.len() > 10 && stamped.iter().all(|stamp| stamp.at(None).is_some()));
    assert_eq!(listings(&us), []);

    let server = real("show_server_9.0.1_linux64.txt").unwrap();
    assert_eq!(server.lines().filter_map(console::line).count(), 10);
}

#[test]
fn real_transactions() {
    let Some(text) = real("show_trans.txt") else { return };
    let found = show_transactions::table(text.lines());
    assert_eq!((found.functions.len(), found.refused), (11, 0));
    assert!(found.functions.iter().all(|f| f.average.abs_diff(f.total / f.count) <= 1));
    let localised = real("show_trans_headers_localised.txt").unwrap();
    let rows: Vec<_> = localised.lines().filter_map(|line| line.split_once(": ")).map(|(_, row)| row).collect();
    let open_db = rows.iter().find(|row| row.starts_with("OPEN_DB")).unwrap();
    for header in rows.iter().filter(|row| !row.starts_with("OPEN_DB")) {
        let found = show_transactions::table([*header, *open_db]);
        assert_eq!((found.functions[0].max, found.functions[0].total), (1410, 212_142), "{header}");
    }
}
