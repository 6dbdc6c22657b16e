//! Memory given to a host or taken from it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Event, Kind, instant};
use crate::catalog;
use crate::history::{History, HistoryError};
use crate::time::Span;

/// A new kernel keeps a little more or less for itself; that is no other machine.
const MORE: f64 = 0.01;

/// Where the memory of a host became another, in stretches that follow each other.
pub(super) fn changes(history: &History, stretches: &[Span]) -> Result<Vec<Event>, HistoryError> {
    let mut events = Vec::new();
    let mut sizes: HashMap<Arc<str>, f64> = HashMap::new();
    let Some(total) = catalog::metric("host_memory_total_bytes") else { return Ok(events) };
    for stretch in stretches {
        for series in history.points(total, *stretch)? {
            for point in &series.points {
                let before = *sizes.entry(series.host.clone()).or_insert(point.value);
                if (point.value - before).abs() <= MORE * before {
                    continue;
                }
                sizes.insert(series.host.clone(), point.value);
                events.push(Event {
                    at: instant(point.at),
                    host: series.host.to_string(),
                    partition: None,
                    kind: Kind::Host,
                    before: Some(size(before)),
                    after: Some(size(point.value)),
                    text: "memory changed".to_owned(),
                });
            }
        }
    }
    Ok(events)
}

fn size(bytes: f64) -> String {
    format!("{:.1} GiB", bytes / (1024.0 * 1024.0 * 1024.0))
}
