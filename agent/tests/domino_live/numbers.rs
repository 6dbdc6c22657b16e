//! Ways that bring numbers alone: pushed statistics, domprom's file, and the same text at an address.
//!
//! None of them tells the release: an upgrade is a restart here.

use std::fs;
use std::sync::Arc;

use chrono::TimeDelta;
use weekline::sources::domino::Way;
use weekline::sources::domino::push::Inbox;
use weekline::time::Timestamp;

use super::agent::{Agent, watched};
use super::loopback::{Page, posts};
use super::server::{Server, at, every, iso};
use super::texts::{SELDOM, address, seldom, write_at};
use super::verdict::Wanted;

#[test]
fn a_day_that_is_pushed() {
    let Some(mut server) = Server::new("mail1", "fr", "9.0.1") else { return };
    let (url, bodies) = posts();
    let inbox = Arc::new(Inbox::new());
    let mut now = at("06:50");
    let mut agent = Agent::new(vec![watched("mail1", Way::Push(inbox.clone()), 1)], now);
    for end in Server::stretches(at("17:05")) {
        let count = (end - now).num_minutes() + 1;
        let times = ["--at", &iso(now), "--count", &count.to_string(), "--every", "60", "--sleep", "0"];
        server.sim("push", &[&["--url", &url], &times[..]].concat());
        for body in (0..count).map(|_| bodies.recv().unwrap()) {
            inbox.receive(now, &body).unwrap();
            agent.look(now + TimeDelta::seconds(5));
            now += TimeDelta::minutes(1);
        }
        server.live_until(end);
    }
    let expected = server.expected(1, &[]);
    let wanted = Wanted {
        minutes: 1,
        readings: 616,
        // 45 s from 10:01 to the start at 10:01:45, and as many from 15:01.
        coverage: 1.0 - 2.0 * 45.0 / 36_000.0,
        notes: ["the server was restarted at 10:01", "counter reset by hand at 12:11", "the server was restarted at 15:01"],
        tells_release: false,
        ..seldom(&expected)
    };
    wanted.judge(&agent, "mail1", "fr");
}

#[test]
fn a_day_in_domprom_s_file() {
    for (locale, release) in [("de", "12.0.2"), ("us", "9.0.1")] {
        let Some(mut server) = Server::new("mail1", locale, release) else { return };
        let path = server.path("domino.prom");
        let mut agent = Agent::new(vec![watched("mail1", Way::PromFile(path.clone()), SELDOM)], at("06:29"));
        for now in every(SELDOM, "06:30", "17:30") {
            let text = domprom(&mut server, now);
            // Copied a while after it was made.
            write_at(&path, &text, now + TimeDelta::seconds(15));
            agent.look(now + TimeDelta::seconds(20));
        }
        coarse(&server.expected(SELDOM, &[])).judge(&agent, "mail1", locale);
    }
}

#[test]
fn a_day_of_domprom_s_at_an_address() {
    for (locale, release) in [("ch", "12.0.2"), ("fr", "9.0.1")] {
        let Some(mut server) = Server::new("mail1", locale, release) else { return };
        let page = Page::new();
        let mut agent = Agent::new(vec![watched("mail1", address(&page), SELDOM)], at("06:29"));
        for now in every(SELDOM, "06:30", "17:30") {
            page.show(domprom(&mut server, now));
            agent.look(now);
        }
        coarse(&server.expected(SELDOM, &[])).judge(&agent, "mail1", locale);
    }
}

/// What domprom writes at an instant.
fn domprom(server: &mut Server, now: Timestamp) -> Vec<u8> {
    server.live_until(now);
    let out = server.path("made.prom");
    server.sim("prom", &["--at", &iso(now), "--out", out.to_str().unwrap()]);
    fs::read(out).unwrap()
}

/// A day by half hours with an uptime in thousandths of a day.
fn coarse(expected: &serde_json::Value) -> Wanted<'_> {
    Wanted {
        // 28 min 15 s are written as 0.020 days, 28 min 48 s, which may be a thousandth more, 86.4 s: since 9:59:46 and so, as
        // far as anybody knows, since the reading at 10:00.
        coverage: 1.0,
        notes: ["the server was restarted at 10:00", "counter reset by hand at 12:30", "the server was restarted at 15:00"],
        tells_release: false,
        // Half of a thousandth of a day.
        tolerance: 44,
        ..seldom(expected)
    }
}
