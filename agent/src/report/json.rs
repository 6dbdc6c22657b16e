//! Results for programs, in shapes that other tools rely on.

use serde_json::{Map, Value, json};

use super::clock;
use crate::analysis::weeks::{Week, Weeks};

/// The weeks of one series as an object, of several as an array of such objects; numbers in full precision.
pub fn weeks(series: &[Weeks], zone: &str) -> Value {
    match series {
        [one] => object(one, zone),
        several => several.iter().map(|one| object(one, zone)).collect(),
    }
}

fn object(series: &Weeks, zone: &str) -> Value {
    let labels: Map<String, Value> =
        series.metric.labels.iter().zip(series.labels.values()).map(|(&name, value)| (name.to_owned(), value.into())).collect();
    json!({
        "metric": series.metric.name,
        "unit": series.metric.unit.to_string(),
        "zone": zone,
        "host": series.host,
        "labels": labels,
        "weeks": series.weeks.iter().map(week).collect::<Vec<_>>(),
    })
}

fn week(week: &Week) -> Value {
    let slots: Vec<Value> =
        week.slots.iter().map(|slot| json!({"weekday": slot.weekday, "time": clock(slot.minute), "mean": slot.mean})).collect();
    json!({
        "week": week.week,
        "from": week.from.to_string(),
        "to": week.to.to_string(),
        "mean": week.mean,
        "p95": week.p95,
        "max": week.max,
        "coverage": week.coverage,
        "slots": slots,
    })
}
