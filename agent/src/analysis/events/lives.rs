//! The lives of servers: an upgrade or a crash and the restart that belongs to it are one event.

use chrono::TimeDelta;

use super::console::{Console, Crash};
use super::restarts::Restart;
use super::told::SAME;
use super::{Event, Kind, lasted};

/// How long before and after the lines of a crash the server may have started again.
const BEFORE: TimeDelta = TimeDelta::minutes(10);
const AFTER: TimeDelta = TimeDelta::minutes(30);
/// How long before a start the server may have said that it stopped, where it is not known when it was last seen.
const STOPPED: TimeDelta = TimeDelta::hours(1);
/// From two days on hours say nothing more.
const DAY: f64 = 86_400.0;

/// Upgrades with their restarts, crashes with theirs, and the restarts that are left.
pub(super) fn joined(upgrades: Vec<Event>, restarts: Vec<Restart>, console: &Console) -> Vec<Event> {
    let mut restarts = restarts;
    let mut events: Vec<Event> = upgrades.into_iter().map(|upgrade| upgraded(upgrade, &mut restarts)).collect();
    events.extend(console.crashes().into_iter().map(|crash| crashed(crash, &mut restarts)));
    events.extend(restarts.into_iter().map(|restart| restarted(restart, console)));
    events
}

/// An upgrade takes the restart in which it was seen; where the release was read from elsewhere, the one shortly before.
fn upgraded(upgrade: Event, restarts: &mut Vec<Restart>) -> Event {
    let mine = |restart: &Restart| restart.host == upgrade.host && Some(&restart.partition) == upgrade.partition.as_ref();
    let seen_in = |restart: &Restart| {
        restart.before.is_none_or(|(last, _)| last < upgrade.at) && upgrade.at <= restart.seen && upgrade.at >= restart.at - SAME
    };
    let soon_after = |restart: &Restart| restart.seen <= upgrade.at && upgrade.at - restart.seen <= SAME;
    let found = restarts.iter().position(|restart| mine(restart) && seen_in(restart));
    let found = found.or_else(|| restarts.iter().rposition(|restart| mine(restart) && soon_after(restart)));
    match found.map(|place| restarts.remove(place)) {
        Some(restart) => Event { at: restart.at, text: format!("{}, restarted", upgrade.text), ..upgrade },
        None => upgrade,
    }
}

fn crashed(crash: Crash, restarts: &mut Vec<Restart>) -> Event {
    let Crash { first, last, host, partition, text } = crash;
    let mine = |restart: &Restart| {
        restart.host == host && restart.partition == partition && first - BEFORE <= restart.at && restart.at <= last + AFTER
    };
    let restart = restarts.iter().position(mine).map(|place| restarts.remove(place));
    let (at, text) = match restart {
        Some(restart) => (first.min(restart.at), format!("{text}; restarted")),
        None => (first, text),
    };
    Event { at, host, partition: Some(partition), kind: Kind::Crash, before: None, after: None, text }
}

fn restarted(restart: Restart, console: &Console) -> Event {
    let Restart { host, partition, before, at, .. } = restart;
    let ran = before.map(|(_, seconds)| seconds).map_or_else(String::new, |seconds| match seconds {
        days if days >= 2.0 * DAY => format!(" after {:.0} days", (days / DAY).floor()),
        less => format!(" after {}", lasted(less)),
    });
    let since = before.map_or(at - STOPPED, |(last, _)| last);
    let in_order = if console.has_stopped(&host, &partition, since, at) { ", stopped in order" } else { "" };
    let text = format!("restarted{ran}{in_order}");
    Event { at, host, partition: Some(partition), kind: Kind::Restart, before: None, after: None, text }
}
