//! Events out of histories made by hand: each kind, and what must not look like one.

mod gaps;
mod told;
mod uptime;

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use chrono_tz::Tz;

use crate::analysis::events::{self, Event, Kind, Options};
use crate::catalog::Place;
use crate::history::History;
use crate::schedule::{Hours, Outside, Schedule};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

const MINUTE: Duration = Duration::from_secs(60);

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Monday to Friday, 07:00 to 17:00 in Berlin.
fn schedule() -> Schedule {
    let hours: Hours = "07:00-17:00".parse().unwrap();
    let hours = [Some(hours), Some(hours), Some(hours), Some(hours), Some(hours), None, None];
    Schedule::new(Tz::Europe__Berlin, hours, MINUTE, Outside::Idle, BTreeSet::new())
}

/// A history on its way.
struct Made {
    _folder: tempfile::TempDir,
    history: History,
}

impl Made {
    fn new() -> Made {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::create(&folder.path().join("history.db")).unwrap();
        history.begin("h", DateTime::UNIX_EPOCH).unwrap();
        Made { _folder: folder, history }
    }

    /// A snapshot of the service.
    fn live(&mut self, time: Timestamp, fill: impl FnOnce(&mut Snapshot)) {
        let mut snapshot = Snapshot::new(time, "h", MINUTE);
        fill(&mut snapshot);
        self.history.append(&snapshot).unwrap();
    }

    /// A file with these snapshots, of a host.
    fn import(&mut self, host: &str, every: Duration, all: impl IntoIterator<Item = (Timestamp, Fill)>) {
        let mut import = self.history.import(host, "f", "x", DateTime::UNIX_EPOCH).unwrap();
        for (time, fill) in all {
            let mut snapshot = Snapshot::new(time, host, every);
            fill(&mut snapshot);
            import.take(snapshot).unwrap();
        }
        import.finish("x", DateTime::UNIX_EPOCH).unwrap();
    }

    fn events(&self) -> Vec<Event> {
        self.of(&Options::all(Span::ALL))
    }

    fn of(&self, options: &Options) -> Vec<Event> {
        events::events(&self.history, &schedule(), options).unwrap()
    }

    /// Events as `2026-11-24 12:03:00 mail1 upgrade 12.0.2>14.5 text`, times in Greenwich.
    fn told(&self) -> Vec<String> {
        self.events().iter().map(line).collect()
    }

    /// The same without gaps, of histories with few points.
    fn told_without_gaps(&self) -> Vec<String> {
        self.events().iter().filter(|event| event.kind != Kind::Gap).map(line).collect()
    }
}

/// Puts something into a snapshot.
type Fill = Box<dyn Fn(&mut Snapshot)>;

fn line(event: &Event) -> String {
    let sides = match (&event.before, &event.after) {
        (None, None) => String::new(),
        (before, after) => format!(" {}>{}", before.as_deref().unwrap_or("-"), after.as_deref().unwrap_or("-")),
    };
    format!("{} {} {}{sides} {}", event.at.format("%Y-%m-%d %H:%M:%S"), event.about(), event.kind, event.text)
}

/// How many seconds a server has run, in the numbers of a listing.
fn uptime(snapshot: &mut Snapshot, partition: &str, seconds: f64) {
    snapshot.put(Place::Domino, "Server.ElapsedTime", &[partition], seconds);
}

fn release(snapshot: &mut Snapshot, partition: &str, release: &str, build: &str) {
    snapshot.note(Place::Domino, "Server.Version.Notes", &[partition], release);
    snapshot.note(Place::Domino, "Server.Version.Notes.BuildNumber", &[partition], build);
}

fn finding(snapshot: &mut Snapshot, kind: &str, text: &str) {
    snapshot.note(Place::Console, "finding", &[kind, "mail1"], text);
}

#[test]
fn what_is_asked_for_is_what_comes() {
    let mut made = Made::new();
    for (n, kernel) in [(0, "5.14"), (1, "5.15")] {
        let time = at("2026-11-24T09:00:00Z") + TimeDelta::minutes(n);
        made.live(time, |s| {
            s.note(Place::System, "kernel", &[], kernel);
            release(s, "mail1", kernel, "1");
            release(s, "mail2", kernel, "1");
        });
        let fill: Fill = Box::new(move |s| {
            s.put(Place::ProcLoadavg, "1", &[], 1.0);
            s.note(Place::System, "kernel", &[], kernel);
        });
        made.import("other", MINUTE, [(time, fill)]);
    }
    let abouts = |options: &Options| made.of(options).iter().map(|event| event.about().to_owned()).collect::<Vec<_>>();
    let all = Options::all(Span::ALL);
    assert_eq!(abouts(&all), ["h", "mail1", "mail2", "other"]);
    assert_eq!(abouts(&Options { host: Some("h".to_owned()), ..all.clone() }), ["h", "mail1", "mail2"]);
    assert_eq!(abouts(&Options { partition: Some("mail2".to_owned()), ..all.clone() }), ["mail2"]);
    assert_eq!(abouts(&Options { kinds: vec![Kind::Host], ..all }), ["h", "other"]);
    let change = at("2026-11-24T09:01:00Z");
    assert_eq!(made.of(&Options::all(Span { start: change, end: change + TimeDelta::seconds(1) })).len(), 4);
    assert_eq!(made.of(&Options::all(Span { start: at("2026-11-20T00:00:00Z"), end: change })), []);
    assert_eq!(made.of(&Options::all(Span { start: change + TimeDelta::milliseconds(1), ..Span::ALL })), []);
    assert_eq!(events::partitions(&made.history).unwrap().into_iter().collect::<Vec<_>>(), ["mail1", "mail2"]);
}

#[test]
fn the_last_weeks_count_from_the_newest_point_in_whole_days_of_the_zone() {
    let mut made = Made::new();
    assert_eq!(events::last_weeks(&made.history, 4, &schedule()).unwrap(), None);
    made.live(at("2026-11-24T23:30:00Z"), |s| s.put(Place::ProcLoadavg, "1", &[], 1.0));
    // Half past midnight of the 25th in Berlin; four weeks before it is summer no longer.
    let span = events::last_weeks(&made.history, 4, &schedule()).unwrap().unwrap();
    assert_eq!((span.start, span.end), (at("2026-10-27T23:00:00Z"), Span::ALL.end));
    let span = events::last_weeks(&made.history, 5, &schedule()).unwrap().unwrap();
    assert_eq!(span.start, at("2026-10-20T22:00:00Z"));
}

#[test]
fn every_kind_has_a_name_of_its_own() {
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.name()), Some(kind));
    }
    assert_eq!(Kind::named("upgrades"), None);
}
