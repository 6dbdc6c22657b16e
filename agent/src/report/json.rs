//! Results for programs, in shapes that other tools rely on.
//!
//! Nothing is built beforehand: a year of slots as a tree of values takes ten times what its weeks do.

use std::collections::BTreeMap;

use serde::ser::{Serialize, Serializer};

use super::clock;
use crate::analysis::weeks::{Slot, Week, Weeks};

/// The weeks of one series as an object, of several as an array of such objects; numbers in full precision.
pub fn weeks<'a>(series: &'a [Weeks], zone: &'a str) -> impl Serialize {
    All { series, zone }
}

struct All<'a> {
    series: &'a [Weeks],
    zone: &'a str,
}

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.series {
            [one] => SeriesObject::new(one, self.zone).serialize(serializer),
            several => serializer.collect_seq(several.iter().map(|one| SeriesObject::new(one, self.zone))),
        }
    }
}

#[derive(serde::Serialize)]
struct SeriesObject<'a> {
    host: &'a str,
    labels: BTreeMap<&'a str, &'a str>,
    metric: &'a str,
    unit: String,
    #[serde(serialize_with = "each_week")]
    weeks: &'a [Week],
    zone: &'a str,
}

impl<'a> SeriesObject<'a> {
    fn new(series: &'a Weeks, zone: &'a str) -> SeriesObject<'a> {
        SeriesObject {
            host: &series.host,
            labels: series.metric.labels.iter().copied().zip(series.labels.values()).collect(),
            metric: series.metric.name,
            unit: series.metric.unit.to_string(),
            weeks: &series.weeks,
            zone,
        }
    }
}

fn each_week<S: Serializer>(weeks: &&[Week], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(weeks.iter().map(WeekObject::new))
}

#[derive(serde::Serialize)]
struct WeekObject<'a> {
    coverage: f64,
    from: String,
    max: f64,
    mean: f64,
    p95: f64,
    #[serde(serialize_with = "each_slot")]
    slots: &'a [Slot],
    to: String,
    week: &'a str,
}

impl<'a> WeekObject<'a> {
    fn new(one: &'a Week) -> WeekObject<'a> {
        let &Week { ref week, from, to, mean, p95, max, coverage, ref slots } = one;
        WeekObject { coverage, from: from.to_string(), max, mean, p95, slots, to: to.to_string(), week }
    }
}

fn each_slot<S: Serializer>(slots: &&[Slot], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(slots.iter().map(|slot| SlotObject {
        mean: slot.mean,
        time: clock(slot.minute),
        weekday: slot.weekday,
    }))
}

#[derive(serde::Serialize)]
struct SlotObject {
    mean: f64,
    time: String,
    weekday: u8,
}
