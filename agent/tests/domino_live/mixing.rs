//! Two partitions on one host, of other users, releases and locales: what is read of one is never said of the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;

use serde_json::Value;
use weekline::analysis::events::{self, Kind};
use weekline::analysis::series;
use weekline::catalog::{self, Place};
use weekline::sources::domino::{Settings, Way};
use weekline::time::Span;

use super::agent::{Agent, watched};
use super::server::{Server, at, every};
use super::texts::{SELDOM, console, seldom, set_clock, write_at};
use super::verdict::{day, figures, late};

/// Half hours from 6:30 to 17:30.
const READINGS: usize = 23;

#[test]
fn two_partitions_of_other_users_and_releases_never_mix() {
    let Some(mut first) = Server::new("mail1", "de", "9.0.1") else { return };
    let Some(second) = Server::new("mail2", "fr", "12.0.2") else { return };
    let users = give(&first.data(), 65534) && give(&second.data(), 65533);
    if !users {
        eprintln!("SKIPPED: only root can give commands as two other users; both partitions are of this one");
    }
    let of = |server: &Server, name| Settings { data: Some(server.data()), ..watched(name, console(server), SELDOM) };
    let mut agent = Agent::new(vec![of(&first, "mail1"), of(&second, "mail2")], at("06:29"));
    for now in every(SELDOM, "06:30", "17:30") {
        // Of all that happens, everything happens to the first.
        first.live_until(now);
        set_clock(&first, now);
        set_clock(&second, now);
        agent.look(now);
    }
    if users {
        let asked_by = |server: &Server| fs::read_to_string(server.data().join("asked-by")).unwrap();
        assert_eq!((asked_by(&first), asked_by(&second)), ("65534\n".to_owned(), "65533\n".to_owned()));
    }
    // Only files stand for the servers; that each has no process is told of each, and nothing else is wrong.
    let idle = |server: &Server| format!("no process of this partition runs in `{}`", server.data().display());
    let told = |what: &str| agent.faults.iter().filter(|fault| fault.starts_with(what)).count();
    assert_eq!((told(&idle(&first)), told(&idle(&second)), agent.faults.len()), (READINGS, READINGS, 2 * READINGS));
    assert_eq!(agent.kept, 2 * READINGS);
    figures(&day(&agent, "mail1"), &first.expected(SELDOM, &[]), late(&agent, "mail1", SELDOM));
    figures(&day(&agent, "mail2"), &second.expected(SELDOM, &[]), late(&agent, "mail2", SELDOM));
    assert_eq!(day(&agent, "mail1").notes, seldom(&Value::Null).notes);
    assert_eq!(day(&agent, "mail2").notes, [""; 0]);

    let facts = facts(&agent);
    let told = |row: &str, partition: &str| facts[&(row.to_owned(), partition.to_owned())].clone();
    assert_eq!(told("domino_release", "mail1"), set(&["Release 14.5", "Release 9.0.1"]));
    assert_eq!(told("domino_release", "mail2"), set(&["Release 12.0.2"]));
    assert_eq!(told("domino_name", "mail1"), set(&["CN=mail1/O=Acme"]));
    assert_eq!(told("domino_name", "mail2"), set(&["CN=mail2/O=Acme"]));
    let digests = ["mail1", "mail2"].map(|partition| told("domino_notes_ini", partition));
    assert!(digests[0].len() == 1 && digests[1].len() == 1 && digests[0] != digests[1], "{digests:?}");

    let happened = events::events(&agent.history, &agent.schedule, &events::Options::all(Span::ALL)).unwrap();
    let happened: Vec<_> = happened.iter().map(|event| (event.kind, event.about())).collect();
    assert_eq!(happened, [(Kind::Restart, "mail1"), (Kind::Upgrade, "mail1")]);

    // A restart of one breaks nothing of the other: only its first reading has no rate.
    assert_eq!(points(&agent, "domino_transactions_per_second", "mail1"), READINGS - 4);
    assert_eq!(points(&agent, "domino_transactions_per_second", "mail2"), READINGS - 1);
    every_series_has_a_partition_of_its_own(&agent);
}

#[test]
fn a_way_that_leads_to_another_server_is_refused_and_nothing_of_it_is_kept() {
    let Some(first) = Server::new("mail1", "us", "12.0.2") else { return };
    let Some(second) = Server::new("mail2", "ch", "9.0.1") else { return };
    let paths = [first.path("stat.txt"), second.path("stat.txt")];
    let file = |number: usize, name| watched(name, Way::File(paths[number].clone()), SELDOM);
    let mut agent = Agent::new(vec![file(0, "mail1"), file(1, "mail2")], at("06:29"));
    for now in every(SELDOM, "06:30", "17:30") {
        let mistaken = at("11:00") <= now && now <= at("12:00");
        let (mail1, mail2) = (first.listing(now, &[]), second.listing(now, &[]));
        write_at(&paths[0], &mail1, now);
        write_at(&paths[1], if mistaken { &mail1 } else { &mail2 }, now);
        agent.look(now);
    }
    let refusal = "the listing is of server `CN=mail1/O=Acme`, and those before were of `CN=mail2/O=Acme`";
    assert!(agent.faults.len() == 3 && agent.faults.iter().all(|fault| fault.starts_with(refusal)), "{:?}", agent.faults);
    assert_eq!((agent.kept, agent.refused["mail2"], agent.refused["mail1"]), (2 * READINGS - 3, 3, 0));
    figures(&day(&agent, "mail1"), &first.expected(SELDOM, &[]), 0);
    // The counter went on, so that the sum is right; two hours of ten were not watched.
    let found = day(&agent, "mail2");
    assert_eq!((found.transactions, found.coverage), (Some(2_800_000.0), 0.8));
    assert!(found.notes.len() == 1 && found.notes[0].starts_with("gap 10:30-12:30: "), "{found:?}");
    let facts = facts(&agent);
    let told = |row: &str, partition: &str| facts[&(row.to_owned(), partition.to_owned())].clone();
    assert_eq!(told("domino_release", "mail2"), set(&["Release 9.0.1"]));
    assert_eq!(told("domino_name", "mail2"), set(&["CN=mail2/O=Acme"]));
    // One rate less for the first reading, and one for each of those that were refused and for the one after.
    assert_eq!(points(&agent, "domino_transactions_per_second", "mail2"), READINGS - 1 - 4);
    assert_eq!(points(&agent, "domino_transactions_per_second", "mail1"), READINGS - 1);
    every_series_has_a_partition_of_its_own(&agent);
}

/// Gives a folder and what is in it to another user; only root can.
fn give(path: &Path, user: u32) -> bool {
    let inside =
        if path.is_dir() { fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect() } else { Vec::new() };
    chown(path, Some(user), Some(user)).is_ok() && inside.iter().all(|path| give(path, user))
}

/// All that was ever told of a partition, by row and partition.
fn facts(agent: &Agent) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut all: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let take = &mut |fact: weekline::history::StoredFact| {
        let partition = fact.about.values().last().unwrap_or_default().to_owned();
        all.entry((fact.row.name.to_owned(), partition)).or_default().insert(fact.text);
    };
    agent.history.each_fact(weekline::time::Timestamp::MAX_UTC, take).unwrap();
    all
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// How many points a row has of a partition.
fn points(agent: &Agent, row: &str, partition: &str) -> usize {
    let all = series(&agent.history, catalog::metric(row).unwrap(), Span::ALL).unwrap();
    all.iter().filter(|series| series.labels.values().last() == Some(partition)).map(|series| series.points.len()).sum()
}

/// Everything that was read of one has its name, and both have as much to say.
fn every_series_has_a_partition_of_its_own(agent: &Agent) {
    let read = catalog::metrics().filter(|metric| metric.found.iter().any(|found| found.place == Place::Domino));
    let mut count = BTreeMap::new();
    for metric in read {
        for series in agent.history.named(metric).unwrap() {
            *count.entry(series.labels.values().last().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
    }
    assert_eq!(count.keys().collect::<Vec<_>>(), ["mail1", "mail2"]);
    assert!(count.values().all(|series| *series > 100), "{count:?}");
}
