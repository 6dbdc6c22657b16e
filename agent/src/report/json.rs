//! Results for programs, in shapes that other tools rely on.
//!
//! Nothing is built beforehand: a year of slots as a tree of values takes ten times what its weeks do.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use serde::ser::{Serialize, Serializer};

use super::clock;
use super::events::EventObject;
use crate::analysis::events::{self, Event, Mark};
use crate::analysis::weeks::{Slot, Week, Weeks};

/// The weeks of one series as an object, of several as an array of such objects; numbers in full precision. A week has a list
/// of the upgrades and changes of the host that happened in it, where there are any.
pub fn weeks<'a>(series: &'a [Weeks], events: &'a [Event], zone: Tz) -> impl Serialize {
    All { series, events, zone }
}

struct All<'a> {
    series: &'a [Weeks],
    events: &'a [Event],
    zone: Tz,
}

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.series {
            [one] => SeriesObject::new(one, self.events, self.zone).serialize(serializer),
            several => serializer.collect_seq(several.iter().map(|one| SeriesObject::new(one, self.events, self.zone))),
        }
    }
}

#[derive(serde::Serialize)]
struct SeriesObject<'a> {
    host: &'a str,
    labels: BTreeMap<&'a str, &'a str>,
    metric: &'a str,
    unit: String,
    weeks: EachWeek<'a>,
    zone: &'static str,
}

impl<'a> SeriesObject<'a> {
    fn new(series: &'a Weeks, events: &'a [Event], zone: Tz) -> SeriesObject<'a> {
        SeriesObject {
            host: &series.host,
            labels: series.metric.labels.iter().copied().zip(series.labels.values()).collect(),
            metric: series.metric.name,
            unit: series.metric.unit.to_string(),
            weeks: EachWeek { weeks: &series.weeks, marks: events::marks(events, series, zone), zone },
            zone: zone.name(),
        }
    }
}

struct EachWeek<'a> {
    weeks: &'a [Week],
    marks: Vec<Mark<'a>>,
    zone: Tz,
}

impl Serialize for EachWeek<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.weeks.iter().map(|week| {
            let mine = self.marks.iter().filter(|mark| mark.week == week.week);
            WeekObject::new(week, mine.map(|mark| EventObject { event: mark.event, zone: self.zone }).collect())
        }))
    }
}

#[derive(serde::Serialize)]
struct WeekObject<'a> {
    coverage: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<EventObject<'a>>,
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
    fn new(one: &'a Week, events: Vec<EventObject<'a>>) -> WeekObject<'a> {
        let &Week { ref week, from, to, mean, p95, max, coverage, ref slots } = one;
        WeekObject { coverage, events, from: from.to_string(), max, mean, p95, slots, to: to.to_string(), week }
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
