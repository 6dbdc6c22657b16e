//! Counters of time that stepped back a little, as they are shown to Prometheus.
//!
//! The kernel's iowait and idle fall by hundredths of a second now and then (node_exporter's issues 1686 and 1903).
//! Prometheus takes any fall for a restart and adds the whole counter, years of seconds, to the rate.
//! So what was shown last stays until the counter has passed it again. The history keeps what was read.

use std::collections::HashMap;

use crate::catalog::Unit;
use crate::snapshot::{Labels, Reading, Snapshot};

/// The largest fall that is taken for jitter, in seconds; a larger one is a restart, as in node_exporter's `cpu_linux.go`.
const JITTER: f64 = 3.0;

/// Numbers shown in the place of what was read, by row and labels.
pub type Held = HashMap<(&'static str, Labels), f64>;

/// What is shown of `now`, given what was shown of `before` and held then.
pub(super) fn hold(held: &Held, before: &Snapshot, now: &Snapshot) -> Held {
    let passed = |key: &(&'static str, Labels), shown: f64| {
        let same = |reading: &&Reading| reading.metric.name == key.0 && reading.labels == key.1;
        now.readings.iter().find(same).is_none_or(|reading| reading.value >= shown)
    };
    let mut next: Held =
        held.iter().filter(|(key, shown)| !passed(key, **shown)).map(|(key, shown)| (key.clone(), *shown)).collect();
    for reading in now.falls_from(before).filter(|reading| reading.metric.unit == Unit::Seconds) {
        let old = before.readings.iter().find(|old| old.metric == reading.metric && old.labels == reading.labels);
        if let Some(old) = old.filter(|old| old.value - reading.value < JITTER) {
            next.entry((reading.metric.name, reading.labels.clone())).or_insert(old.value);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::catalog::Place;

    fn snapshot(iowait: f64) -> Snapshot {
        let mut snapshot = Snapshot::new(chrono::DateTime::UNIX_EPOCH, "h", Duration::from_secs(1));
        snapshot.put(Place::ProcStat, "iowait", &[], iowait);
        snapshot
    }

    #[test]
    fn a_small_fall_is_held_until_it_is_made_good() {
        let mut held = Held::new();
        let mut shown = Vec::new();
        // In ticks of a hundredth of a second.
        for pair in [500.0, 498.0, 499.0, 501.0, 100.0, 110.0].windows(2) {
            let now = snapshot(pair[1]);
            held = hold(&held, &snapshot(pair[0]), &now);
            shown.push(held.values().next().copied().unwrap_or(pair[1] / 100.0));
        }
        // 4.98 and 4.99 are shown as 5.00; the fall to 1.00 is a restart.
        assert_eq!(shown, [5.0, 5.0, 5.01, 1.0, 1.1]);
    }
}
