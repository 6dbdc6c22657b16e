//! Both directions: what the fixture yields is known, and what the catalog finds live is yielded by the fixture.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use weekline::catalog::{self, Found, Metric, Place};
use weekline::publish;
use weekline::run::{Overhead, Shared};
use weekline::schedule::{Outside, Schedule};
use weekline::snapshot::Snapshot;
use weekline::sources::Health;

use super::host::Host;

/// Where this system's own sources read.
const LIVE: [Place; 12] = [
    Place::ProcStat,
    Place::ProcStatCpu,
    Place::ProcLoadavg,
    Place::ProcMeminfo,
    Place::ProcVmstat,
    Place::ProcDiskstats,
    Place::ProcDiskstatsVolume,
    Place::Statvfs,
    Place::ProcNetDev,
    Place::ProcPressure,
    Place::Cgroup,
    Place::System,
];
/// Facts that no source reads, and who gives them.
const FACTS_FROM_ELSEWHERE: [(&str, &str); 2] =
    [("zone", "the sampler, from its schedule"), ("clock", "the sampler, when time jumps; `run::clocks` has its test")];

fn yielded(snapshot: &Snapshot, metric: &Metric, found: &Found) -> bool {
    let of = |labels: &mut dyn Iterator<Item = &str>| found.labels.iter().all(|wanted| labels.next() == Some(wanted));
    snapshot.readings.iter().any(|reading| reading.metric == metric && of(&mut reading.labels.values()))
}

#[test]
fn every_field_of_the_fixture_is_known_or_left_out_on_purpose() {
    let mut host = Host::new();
    assert_eq!(host.read().unknown, [].into());
    assert_eq!(host.errors(), [""; 0]);
}

#[test]
fn every_live_row_is_produced_by_the_fixture() {
    let snapshot = Host::new().read();
    let fields = catalog::metrics().flat_map(|metric| metric.found.iter().map(move |found| (metric, found)));
    // A file system without a fixed number of inodes has no row of them, and the test may run on one.
    let live = fields.filter(|(_, found)| LIVE.contains(&found.place) && found.field != "files");
    let missing: Vec<String> =
        live.filter(|(metric, found)| !yielded(&snapshot, metric, found)).map(|(_, found)| found.to_string()).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_fact_is_told_by_the_fixture() {
    let snapshot = Host::new().read();
    let told: BTreeMap<&str, &str> = snapshot.facts.iter().map(|fact| (fact.row.name, fact.text.as_str())).collect();
    // What a Domino server tells of itself has its test in `domino_recording`, what stands beside it in `domino_live`.
    for row in catalog::facts().filter(|row| !row.name.starts_with("domino_")) {
        let elsewhere = FACTS_FROM_ELSEWHERE.iter().any(|(name, _)| *name == row.name);
        assert_eq!(LIVE.contains(&row.place) && told.contains_key(row.name), !elsewhere, "{}", row.name);
    }
    assert_eq!(told["os"], "Example Linux 12 (invented)");
    assert_eq!(told["kernel"], "6.1.0-28-amd64");
    assert_eq!(told["cpu_model"], "Example(R) Server CPU @ 2.40GHz");
    assert_eq!(told["cpus_online"], "0-1");
    let disks: Vec<_> = snapshot.facts.iter().filter(|fact| fact.row.name == "disk").collect();
    let disks: Vec<_> = disks.iter().map(|fact| (fact.about.get(0).unwrap(), fact.text.as_str())).collect();
    assert_eq!(disks, [("sda", "9"), ("nvme0n1", "12")]);
}

/// A service that has seen everything and is closed shows every row about itself.
#[test]
fn every_row_of_the_agent_is_produced() {
    let hours = Some("07:00-17:00".parse().unwrap());
    let week = [hours, hours, hours, hours, hours, None, None];
    let schedule = Schedule::new(chrono_tz::UTC, week, Duration::from_secs(60), Outside::Idle, [].into());
    let saturday = "2026-11-28T12:00:00Z".parse().unwrap();
    let shared = Shared::new(Utc::now(), Arc::new(schedule));
    let mut host = Host::new();
    host.read();
    shared.update(|status| {
        status.sources = [(String::new(), host.healths()), ("mail1".to_owned(), vec![Health::new("file", "mail1")])].into();
        status.falls.insert("host_cpu_seconds_total", 1);
    });
    let text = publish::own(&shared.status(), &Overhead::read(), saturday).unwrap();
    let own = catalog::metrics().filter(|metric| metric.found.iter().any(|found| found.place == Place::Agent));
    let missing: Vec<_> = own.filter(|metric| !text.contains(&format!("\n{}", metric.name))).map(|metric| metric.name).collect();
    assert_eq!(missing, [""; 0]);
    assert!(text.contains("\nweekline_business_closed_info{why=\"weekday\"} 1\n"));
    // Monday at seven.
    let monday = saturday + TimeDelta::hours(43);
    assert!(text.contains(&format!("\nweekline_next_open_timestamp_seconds {}\n", monday.timestamp())), "{text}");
}
