//! The file's shape as it is written, and the step from there to checked values.

use std::fmt;
use std::time::Duration;

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use toml::Table;

use super::units::{bytes, duration};
use super::{Config, Holidays, ScheduleSettings};
use crate::catalog;
use crate::nearest::nearest;
use crate::schedule::{Hours, Outside};

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Shorter intervals would measure the agent; longer ones do not fill a slot of the weekly line.
const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);
/// A smaller file would not hold a week.
const LEAST_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    host: HostSection,
    schedule: ScheduleSection,
    history: HistorySection,
    web: WebSection,
    activity: ActivitySection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostSection {
    name: String,
    network_file_systems: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleSection {
    zone: String,
    days: Vec<String>,
    hours: HoursShape,
    interval: String,
    outside: String,
    outside_interval: String,
    holidays: HolidaysShape,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistorySection {
    path: String,
    keep: String,
    keep_bytes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebSection {
    listen: String,
    push_token_file: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActivitySection {
    active_window: String,
}

/// One span of hours for every day, or a table of them.
struct HoursShape(Vec<(String, String)>);

impl<'de> Deserialize<'de> for HoursShape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<HoursShape, D::Error> {
        struct Hours;
        impl<'de> Visitor<'de> for Hours {
            type Value = HoursShape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("hours like \"07:00-17:00\", or a table of them with default, mon, ... sun")
            }

            fn visit_str<E>(self, text: &str) -> Result<HoursShape, E> {
                Ok(HoursShape(vec![("default".to_owned(), text.to_owned())]))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HoursShape, A::Error> {
                let mut days = Vec::new();
                while let Some(day) = map.next_entry()? {
                    days.push(day);
                }
                Ok(HoursShape(days))
            }
        }
        deserializer.deserialize_any(Hours)
    }
}

/// A list of dates, or the path of a file with them.
enum HolidaysShape {
    Dates(Vec<String>),
    Path(String),
}

impl<'de> Deserialize<'de> for HolidaysShape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<HolidaysShape, D::Error> {
        struct Holidays;
        impl<'de> Visitor<'de> for Holidays {
            type Value = HolidaysShape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of dates like [\"2026-12-25\"], or the path of a file")
            }

            fn visit_str<E>(self, text: &str) -> Result<HolidaysShape, E> {
                Ok(HolidaysShape::Path(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<HolidaysShape, A::Error> {
                let mut dates = Vec::new();
                while let Some(date) = seq.next_element()? {
                    dates.push(date);
                }
                Ok(HolidaysShape::Dates(dates))
            }
        }
        deserializer.deserialize_any(Holidays)
    }
}

/// The table as checked settings, or the first thing wrong with it.
pub(super) fn config(table: Table) -> Result<Config, String> {
    let file: File = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let listen = &file.web.listen;
    Ok(Config {
        host: some(file.host.name),
        network_file_systems: file.host.network_file_systems,
        schedule: schedule(file.schedule)?,
        history: some(file.history.path).map(Into::into),
        keep: duration(&file.history.keep)?,
        keep_bytes: at_least(bytes(&file.history.keep_bytes)?, LEAST_BYTES)?,
        listen: listen.parse().map_err(|_| format!("`{listen}` is no address with a port, write it like `127.0.0.1:9717`"))?,
        push_token_file: some(file.web.push_token_file).map(Into::into),
        active_window: active_window(&file.activity.active_window)?,
        // Lists are read entry by entry, elsewhere.
        partitions: Vec::new(),
        named: Vec::new(),
    })
}

/// One of the windows that Domino counts active users in; none where it is to be the widest.
fn active_window(text: &str) -> Result<Option<&'static str>, String> {
    let found = catalog::metric("domino_users_active").into_iter().flat_map(|metric| metric.found);
    let windows: Vec<&str> = found.filter_map(|found| found.labels.first().copied()).collect();
    match windows.iter().find(|window| **window == text) {
        Some(window) => Ok(Some(window)),
        None if text == "widest" => Ok(None),
        None => Err(format!("`{text}` is no window, write widest, {}", windows.join(", "))),
    }
}

pub(super) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn at_least(bytes: u64, least: u64) -> Result<u64, String> {
    if bytes < least { Err(format!("{bytes} bytes hold no history, give it at least 1MiB")) } else { Ok(bytes) }
}

fn schedule(section: ScheduleSection) -> Result<ScheduleSettings, String> {
    Ok(ScheduleSettings {
        zone: zone(&section.zone, "system")?,
        hours: hours(&section.days, &section.hours)?,
        interval: interval(&section.interval)?,
        outside: outside(&section.outside, interval(&section.outside_interval)?)?,
        holidays: holidays(section.holidays)?,
    })
}

/// A zone by its IANA name; none where it is that which `other` stands for.
pub(super) fn zone(name: &str, other: &str) -> Result<Option<chrono_tz::Tz>, String> {
    if name == other {
        return Ok(None);
    }
    name.parse().map(Some).map_err(|_| {
        let near = nearest(name, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()));
        let near = near.map(|zone| format!(", did you mean `{zone}`?"));
        format!(
            "unknown zone `{name}`{}",
            near.unwrap_or_else(|| format!(", write an IANA name like `Europe/Berlin`, or `{other}`"))
        )
    })
}

/// Time between two samples as people write it, within reason.
///
/// # Errors
/// What to write instead.
pub fn interval(text: &str) -> Result<Duration, String> {
    let interval = duration(text)?;
    if INTERVALS.contains(&interval) { Ok(interval) } else { Err(format!("`{text}` is not between 1s and 1h")) }
}

fn outside(text: &str, interval: Duration) -> Result<Outside, String> {
    match text {
        "idle" => Ok(Outside::Idle),
        "sample" => Ok(Outside::Sample(interval)),
        _ => Err(format!("`{text}` is neither `idle` nor `sample`")),
    }
}

fn day(name: &str) -> Result<usize, String> {
    DAYS.iter().position(|day| *day == name).ok_or_else(|| format!("unknown day `{name}`, write {}", DAYS.join(", ")))
}

fn hours(days: &[String], shape: &HoursShape) -> Result<[Option<Hours>; 7], String> {
    if days.is_empty() {
        return Err("no day is open, list at least one, like [\"mon\"]".to_owned());
    }
    let spans = shape
        .0
        .iter()
        .map(|(name, text)| Ok((name.as_str(), text.parse().map_err(|error: crate::schedule::HoursError| error.to_string())?)));
    let spans: Vec<(&str, Hours)> = spans.collect::<Result<_, String>>()?;
    if let Some((name, _)) = spans.iter().find(|(name, _)| *name != "default" && day(name).is_err()) {
        return Err(format!("unknown day `{name}` in hours, write default, {}", DAYS.join(", ")));
    }
    let of = |name: &str| spans.iter().find(|(day, _)| *day == name).map(|(_, span)| *span);
    let mut open = [None; 7];
    for name in days {
        open[day(name)?] = of(name).or_else(|| of("default"));
    }
    let without = days.iter().map(String::as_str).filter(|name| of(name).or_else(|| of("default")).is_none());
    let closed = spans.iter().map(|(name, _)| *name).filter(|name| *name != "default" && !days.iter().any(|day| day == name));
    let problems: Vec<String> = without
        .map(|name| format!("no hours for `{name}`, add default = \"07:00-17:00\" to [schedule.hours]"))
        .chain(closed.map(|name| format!("`{name}` in hours is not among `days`")))
        .collect();
    if problems.is_empty() { Ok(open) } else { Err(problems.join("; ")) }
}

/// The days that a table of hours names, for it to be tried alone beside them.
pub(super) fn days_of(name: &str, value: &toml::Value) -> Option<toml::Value> {
    let days = value.as_table().filter(|_| name == "hours")?.keys().filter(|key| *key != "default");
    let days: Vec<toml::Value> = days.map(|day| toml::Value::String(day.clone())).collect();
    (!days.is_empty()).then_some(toml::Value::Array(days))
}

fn holidays(shape: HolidaysShape) -> Result<Holidays, String> {
    let date = |text: &String| text.parse::<NaiveDate>().map_err(|_| format!("`{text}` is no date, write it like `2026-12-25`"));
    match shape {
        HolidaysShape::Path(path) => Ok(Holidays::File(path.into())),
        HolidaysShape::Dates(dates) => Ok(Holidays::Dates(dates.iter().map(date).collect::<Result<_, _>>()?)),
    }
}
