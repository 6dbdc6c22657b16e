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

/// What is shown of `now` in the place of what was read, given what was held for the snapshot before and what `fell` since.
pub(super) fn hold(held: &Held, before: &Snapshot, now: &Snapshot, fell: &[&Reading]) -> Held {
    let mut next = Held::new();
    for (key, shown) in held {
        let same = |reading: &&Reading| reading.metric.name == key.0 && reading.labels == key.1;
        let read = now.readings.iter().find(same).map(|reading| reading.value);
        if read.is_some_and(|read| read < *shown && shown - read < JITTER) {
            next.insert(key.clone(), *shown);
        }
    }
    for reading in fell.iter().filter(|reading| reading.metric.unit == Unit::Seconds) {
        let key = (reading.metric.name, reading.labels.clone());
        let old = before.readings.iter().find(|old| old.metric == reading.metric && old.labels == reading.labels);
        if let Some(old) = old.filter(|old| old.value - reading.value < JITTER && !held.contains_key(&key)) {
            next.insert(key, old.value);
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
        for pair in [500.0, 498.0, 499.0, 501.0, 500.0, 100.0, 110.0].windows(2) {
            let now = snapshot(pair[1]);
            let before = snapshot(pair[0]);
            let fell: Vec<&Reading> = now.falls_from(&before).collect();
            held = hold(&held, &before, &now, &fell);
            shown.push(held.values().next().copied().unwrap_or(pair[1] / 100.0));
        }
        // 4.98 and 4.99 are shown as 5.00; the fall to 1.00 is a restart, also while something is held.
        assert_eq!(shown, [5.0, 5.0, 5.01, 5.01, 1.0, 1.1]);
    }
}
