//! Business days of a partition, counted by hand. 2026-11-23 is a Monday; Berlin is one hour ahead of UTC in winter.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use chrono_tz::Tz;

use crate::analysis::activity::{BESIDE, Day, Sighting, Tally, Window};
use crate::schedule::{Hours, Outside, Schedule};
use crate::time::Timestamp;

mod days;
mod means;
mod stored;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Open on the first `days` weekdays, by the clocks of Berlin.
fn schedule(hours: &str, days: usize) -> Arc<Schedule> {
    let hours: Hours = hours.parse().unwrap();
    let hours = std::array::from_fn(|day| (day < days).then_some(hours));
    Arc::new(Schedule::new(Tz::Europe__Berlin, hours, Duration::from_secs(60), Outside::Idle, BTreeSet::new()))
}

fn office() -> Arc<Schedule> {
    schedule("07:00-17:00", 5)
}

/// A reading of the service, which stands for a minute; the server has been up since 2026-01-01.
fn seen(at: &str, total: f64) -> Sighting {
    let at = instant(at).timestamp_millis();
    let uptime = (at - instant("2026-01-01T00:00:00Z").timestamp_millis()) as f64 / 1000.0;
    Sighting {
        at,
        every: 60.0,
        live: true,
        follows: true,
        transactions: Some(total),
        uptime: Some(uptime),
        ..Sighting::default()
    }
}

/// The same, which stands for an hour.
fn hourly(at: &str, total: f64) -> Sighting {
    Sighting { every: 3600.0, ..seen(at, total) }
}

/// Readings every so many minutes from one instant to another, both read, growing by `growth` each time from `total` on.
fn steady(from: &str, to: &str, minutes: i64, total: f64, growth: f64) -> Vec<Sighting> {
    let (mut at, to) = (instant(from), instant(to));
    let mut all = Vec::new();
    let mut total = total;
    while at <= to {
        all.push(Sighting { every: 60.0 * minutes as f64, ..seen(&at.to_rfc3339(), total) });
        (at, total) = (at + chrono::TimeDelta::minutes(minutes), total + growth);
    }
    all
}

fn counted(schedule: &Arc<Schedule>, all: impl IntoIterator<Item = Sighting>) -> Vec<Day> {
    let mut tally = Tally::new(schedule.clone(), None);
    all.into_iter().for_each(|sighting| tally.push(&sighting));
    tally.days().collect()
}

fn active(mut sighting: Sighting, window: &str, users: f64) -> Sighting {
    let place = Window::all().position(|one| Some(one) == Window::named(window)).unwrap();
    sighting.active[place] = Some(users);
    sighting
}

fn beside(mut sighting: Sighting, name: &str, total: f64) -> Sighting {
    sighting.beside[place(name)] = Some(total);
    sighting
}

fn place(name: &str) -> usize {
    BESIDE.iter().position(|one| one.name == name).unwrap()
}
