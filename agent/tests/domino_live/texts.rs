//! Ways that bring listings: the console, a file, the console's log and an address, in four locales each.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use chrono::TimeDelta;
use chrono_tz::Europe::Berlin;
use weekline::sources::domino::{Way, url};
use weekline::time::Timestamp;

use super::agent::{Agent, watched};
use super::loopback::Page;
use super::server::{DAY, Server, at, every, iso, what_if};
use super::verdict::Wanted;

/// How numbers are written, and which release begins the day.
const CASES: [(&str, &str); 4] = [("us", "12.0.2"), ("de", "9.0.1"), ("ch", "12.0.2"), ("fr", "9.0.1")];
/// An answer ends the waiting early, also on a busy machine.
const LONG: Duration = Duration::from_secs(60);
/// Each reading starts an interpreter, so that there is one every half hour; sums are as exact as with more.
pub(crate) const SELDOM: i64 = 30;

/// A day that is read every half hour from 6:30 to 17:30.
pub(crate) fn seldom(expected: &serde_json::Value) -> Wanted<'_> {
    Wanted {
        expected,
        minutes: SELDOM,
        readings: 23,
        agents: 0,
        // 105 s from 10:00 to the start at 10:01:45, and as many from 15:00, of ten hours.
        coverage: 1.0 - 2.0 * 105.0 / 36_000.0,
        notes: ["the server was restarted at 10:01", "counter reset by hand at 12:30", "the server was restarted at 15:01"],
        tells_release: true,
        tolerance: 0,
        waits: false,
    }
}

/// Writes a file as of an instant.
pub(crate) fn write_at(path: &Path, text: &[u8], at: Timestamp) {
    fs::write(path, text).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(at.into()).unwrap();
}

#[test]
fn a_day_on_the_console() {
    for (locale, release) in CASES {
        let Some(mut server) = Server::new("mail1", locale, release) else { return };
        let way = console(&server);
        let mut agent = Agent::new(vec![watched("mail1", way, SELDOM)], at("06:29"));
        for now in every(SELDOM, "06:30", "17:30") {
            server.live_until(now);
            set_clock(&server, now);
            agent.look(now);
        }
        // What did happen is what would have happened.
        let expected = server.expected(SELDOM, &[]);
        let what_if = what_if();
        assert_eq!(expected, server.expected(SELDOM, &what_if.iter().map(String::as_str).collect::<Vec<_>>()), "{locale}");
        Wanted { waits: true, ..seldom(&expected) }.judge(&agent, "mail1", locale);
    }
}

/// The stand-in as a console, behind a program that tells it the time from a file beside the data, and leaves in the data
/// directory the number of the user who asked.
pub(crate) fn console(server: &Server) -> Way {
    let (program, clock, stand_in) = (server.path("console"), server.path("clock"), server.path("server"));
    let script =
        format!("#!/bin/sh\nid -u >asked-by\nDOMINO_SIM_NOW=$(cat {}) exec {} \"$@\"\n", clock.display(), stand_in.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Way::Console { program, data: server.data(), user: None, deadline: LONG }
}

/// Sets the clock of [`console`].
pub(crate) fn set_clock(server: &Server, now: Timestamp) {
    fs::write(server.path("clock"), iso(now)).unwrap();
}

#[test]
fn a_day_in_a_file() {
    let what_if = what_if();
    let what_if: Vec<&str> = what_if.iter().map(String::as_str).collect();
    for (locale, release) in CASES {
        let Some(server) = Server::new("mail1", locale, release) else { return };
        let path = server.path("stat.txt");
        let mut agent = Agent::new(vec![watched("mail1", Way::File(path.clone()), SELDOM)], at("06:29"));
        for now in every(SELDOM, "06:30", "17:30") {
            write_at(&path, &server.listing(now, &what_if), now);
            agent.look(now + TimeDelta::seconds(20));
            // Looked at again it is nothing new.
            agent.look(now + TimeDelta::minutes(10));
        }
        seldom(&server.expected(SELDOM, &what_if)).judge(&agent, "mail1", locale);
    }
}

#[test]
fn a_day_at_an_address() {
    let what_if = what_if();
    let what_if: Vec<&str> = what_if.iter().map(String::as_str).collect();
    for (locale, release) in CASES {
        let Some(server) = Server::new("mail1", locale, release) else { return };
        let page = Page::new();
        let mut agent = Agent::new(vec![watched("mail1", address(&page), SELDOM)], at("06:29"));
        for now in every(SELDOM, "06:30", "17:30") {
            page.show(server.listing(now, &what_if));
            agent.look(now);
        }
        seldom(&server.expected(SELDOM, &what_if)).judge(&agent, "mail1", locale);
    }
}

/// The address of a page.
pub(crate) fn address(page: &Page) -> Way {
    Way::Url(url::Settings { url: page.url.clone(), token_file: None, basic_auth_file: None, timeout: LONG, ca_file: None })
}

#[test]
fn a_day_in_the_console_s_log() {
    let what_if = what_if();
    let what_if: Vec<&str> = what_if.iter().map(String::as_str).collect();
    for (locale, release) in CASES {
        let Some(server) = Server::new("mail1", locale, release) else { return };
        let (from, to) = (format!("{DAY}T06:50"), format!("{DAY}T17:10"));
        let day = ["--from", &from, "--to", &to, "--every", "5m", "--messy"];
        let log = server.sim("log", &[&day[..], &what_if].concat());
        let agent = followed(&server, &log);
        let expected = server.expected(5, &what_if);
        let notes = ["the server was restarted at 10:01", "counter reset by hand at 12:15", "the server was restarted at 15:01"];
        Wanted { minutes: 5, readings: 124, agents: 1, notes, ..seldom(&expected) }.judge(&agent, "mail1", locale);
    }
}

/// An agent that read a log every five minutes while it was written, and was away for ten minutes in the middle of the day.
fn followed(server: &Server, log: &[u8]) -> Agent {
    let (path, state) = (server.path("console.log"), server.path("console.json"));
    fs::write(&path, "").unwrap();
    let way = Way::ConsoleLog { path: path.clone(), state: Some(state), zone: Some(Berlin) };
    let mut agent = Agent::new(vec![watched("mail1", way, 5)], at("06:49"));
    agent.look(at("06:49:59"));
    let mut log_file = OpenOptions::new().append(true).open(&path).unwrap();
    let pieces = pieces(log);
    assert_eq!(pieces.len(), 124);
    let mut kept_back: &[u8] = b"";
    for (number, (now, piece)) in every(5, "06:50", "17:05").zip(pieces).enumerate() {
        // Of every third piece a half is written late, and the first half ends in the middle of a listing and of a line.
        let cut = if number % 3 == 2 { piece.len() / 2 } else { piece.len() };
        log_file.write_all(&[kept_back, &piece[..cut]].concat()).unwrap();
        kept_back = &piece[cut..];
        let away = at("11:30") <= now && now < at("11:40");
        if !away {
            if now == at("11:40") {
                agent.restart(now);
            }
            agent.look(now + TimeDelta::seconds(299));
        }
    }
    agent
}

/// A log in pieces that each begin with the command for a listing.
fn pieces(log: &[u8]) -> Vec<&[u8]> {
    let mut begins: Vec<usize> = vec![0];
    let mut at = 0;
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_end().ends_with(b"> show stat") && at > 0 {
            begins.push(at);
        }
        at += line.len();
    }
    begins.iter().zip(begins.iter().skip(1).chain([&log.len()])).map(|(from, to)| &log[*from..*to]).collect()
}
