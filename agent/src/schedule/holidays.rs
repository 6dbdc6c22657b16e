//! Holidays from a list of dates or from an iCalendar file (RFC 5545).
//!
//! The text comes in as an argument; whoever has the path reads the file. Only what holiday calendars are made of is
//! understood: events of whole days, single or yearly. What is not understood is refused with its line, never skipped,
//! because a holiday that is missed silently makes a quiet day look like an upgrade's merit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use chrono::{Datelike, Days, NaiveDate};

use super::yearly::Yearly;

/// Longest event in days. A longer one is no holiday, and must not become millions of dates.
const LONGEST_DAYS: i64 = 366;

/// Why a text gives no holidays. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HolidayError {
    /// A line of a list, or a date in a calendar, is no date.
    #[error("line {line}: `{text}` is no date, write it like `{example}`")]
    Date {
        /// Where.
        line: usize,
        /// What is there.
        text: String,
        /// A date as it is expected there.
        example: &'static str,
    },
    /// A line of a calendar is no property, or an `END` does not match its `BEGIN`.
    #[error("line {line}: `{text}` does not fit into an iCalendar file, export the calendar again")]
    Grammar {
        /// Where.
        line: usize,
        /// What is there.
        text: String,
    },
    /// The calendar ends too early.
    #[error("line {line}: `{component}` begins here and never ends, export the calendar again")]
    Cut {
        /// Where it begins.
        line: usize,
        /// What never ends.
        component: String,
    },
    /// An event does not say when it is.
    #[error("line {line}: the event that begins here has no DTSTART, remove it or write the dates as a list")]
    NoStart {
        /// Where it begins.
        line: usize,
    },
    /// An event is not one day to a year long.
    #[error("line {line}: `{text}` makes no event of 1 to 366 days, write the dates as a list, one like `2026-12-25` a line")]
    Length {
        /// Where.
        line: usize,
        /// The end or the duration.
        text: String,
    },
    /// A repetition other than a plain yearly one.
    #[error("line {line}: cannot follow the rule `{text}`, write the dates as a list, one like `2026-12-25` a line")]
    Rule {
        /// Where.
        line: usize,
        /// The rule.
        text: String,
    },
}

/// The dates in a list or in an iCalendar file, which is recognised by its `BEGIN:VCALENDAR`.
///
/// A list has one ISO date a line, with any text after it; `#` starts a comment. Dates that are written out are all
/// returned; events that repeat are expanded over `years`.
pub fn parse(text: &str, years: RangeInclusive<i32>) -> Result<BTreeSet<NaiveDate>, HolidayError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if first.eq_ignore_ascii_case("BEGIN:VCALENDAR") { calendar(text, &years) } else { list(text) }
}

fn list(text: &str) -> Result<BTreeSet<NaiveDate>, HolidayError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.split('#').next().unwrap_or_default().trim()));
    let dated = lines.filter(|(_, line)| !line.is_empty()).map(|(number, line)| {
        let (date, rest) = line.split_at_checked(10).unwrap_or((line, ""));
        let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
        iso_date(date).filter(|_| ends).ok_or_else(|| HolidayError::Date {
            line: number,
            text: excerpt(line),
            example: "2026-12-25 Christmas",
        })
    });
    dated.collect()
}

fn iso_date(text: &str) -> Option<NaiveDate> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    (year.len() == 4 && month.len() == 2).then(|| basic_date(&[year, month, day].concat()))?
}

/// A date as iCalendar writes it, `YYYYMMDD`.
fn basic_date(text: &str) -> Option<NaiveDate> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = digits.then(|| text.parse().ok())??;
    NaiveDate::from_ymd_opt((number / 10_000) as i32, number / 100 % 100, number % 100)
}

/// So much of a line as fits into a message.
fn excerpt(line: &str) -> String {
    if line.chars().count() <= 60 { line.to_owned() } else { line.chars().take(60).chain(['…']).collect() }
}

/// One line of an iCalendar file.
struct Property {
    line: usize,
    name: String,
    parameters: String,
    value: String,
}

/// One event: where it begins, and its properties in order.
struct Event {
    line: usize,
    properties: Vec<Property>,
}

fn calendar(text: &str, years: &RangeInclusive<i32>) -> Result<BTreeSet<NaiveDate>, HolidayError> {
    let events = events(text)?;
    // An event with a RECURRENCE-ID stands in for that one occurrence of the series with its UID.
    let mut replaced: BTreeMap<&str, BTreeSet<NaiveDate>> = BTreeMap::new();
    for event in &events {
        if let Some(property) = event.all("RECURRENCE-ID").find(|property| property.parameters.contains("THISANDFUTURE")) {
            return Err(property.no_rule());
        }
        replaced.entry(event.value("UID")).or_default().extend(event.dates("RECURRENCE-ID")?);
    }
    let mut holidays = BTreeSet::new();
    for event in events.iter().filter(|event| !event.value("STATUS").eq_ignore_ascii_case("CANCELLED")) {
        let mut without = event.dates("EXDATE")?;
        if event.all("RECURRENCE-ID").next().is_none() {
            without.extend(replaced.get(event.value("UID")).into_iter().flatten());
        }
        event.expand(years, &without, &mut holidays)?;
    }
    Ok(holidays)
}

/// The events of a calendar. Other components, also those inside an event such as alarms, are left out.
fn events(text: &str) -> Result<Vec<Event>, HolidayError> {
    let mut events: Vec<Event> = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for (line, content) in unfolded(text) {
        let grammar = || HolidayError::Grammar { line, text: excerpt(&content) };
        let property = property(line, &content).ok_or_else(grammar)?;
        let component = property.value.to_ascii_uppercase();
        match (property.name.as_str(), open.last()) {
            ("BEGIN", _) => {
                if component == "VEVENT" {
                    events.push(Event { line, properties: Vec::new() });
                }
                open.push((line, component));
            }
            ("END", Some((_, inside))) if *inside == component => drop(open.pop()),
            ("END", _) => return Err(grammar()),
            (_, Some((_, inside))) if inside == "VEVENT" => {
                events.last_mut().expect("an open event is the last one begun").properties.push(property);
            }
            _ => {}
        }
    }
    match open.pop() {
        Some((line, component)) => Err(HolidayError::Cut { line, component: excerpt(&component) }),
        None => Ok(events),
    }
}

/// Content lines with the number of their first line: a line that starts with a blank continues the one before.
fn unfolded(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some((_, before))) => before.push_str(rest),
            _ if line.trim().is_empty() => {}
            _ => lines.push((index + 1, line.to_owned())),
        }
    }
    lines
}

fn property(line: usize, content: &str) -> Option<Property> {
    let mut quoted = false;
    let colon = content.find(|char| {
        quoted ^= char == '"';
        char == ':' && !quoted
    })?;
    let (name, parameters) = content[..colon].split_once(';').unwrap_or((&content[..colon], ""));
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| Property {
        line,
        name: name.to_ascii_uppercase(),
        parameters: parameters.to_ascii_uppercase(),
        value: content[colon + 1..].trim().to_owned(),
    })
}

impl Property {
    /// The dates of a list of dates or of dates with a time, each with its time as written.
    fn dates(&self) -> Result<Vec<(NaiveDate, &str)>, HolidayError> {
        let date =
            |text| dated(text).ok_or_else(|| HolidayError::Date { line: self.line, text: excerpt(text), example: "20261225" });
        self.value.split(',').map(date).collect()
    }

    fn no_rule(&self) -> HolidayError {
        let text = if self.name == "RRULE" { self.value.clone() } else { format!("{}:{}", self.name, self.value) };
        HolidayError::Rule { line: self.line, text: excerpt(&text) }
    }
}

/// A date as iCalendar writes it, and behind it nothing or a time. The time's zone is left alone: a holiday is a date on the wall calendar.
pub(super) fn dated(text: &str) -> Option<(NaiveDate, &str)> {
    let (date, time) = text.split_at_checked(8)?;
    (time.is_empty() || time.starts_with('T')).then(|| basic_date(date))?.map(|date| (date, time))
}

impl Event {
    fn all(&self, name: &str) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(move |property| property.name == name)
    }

    /// The value of the first property with this name, or nothing.
    fn value(&self, name: &str) -> &str {
        self.all(name).next().map_or("", |property| &property.value)
    }

    fn dates(&self, name: &str) -> Result<BTreeSet<NaiveDate>, HolidayError> {
        let mut all = BTreeSet::new();
        for property in self.all(name) {
            all.extend(property.dates()?.into_iter().map(|(date, _)| date));
        }
        Ok(all)
    }

    /// Adds every day of every occurrence, but for those that begin on a day in `without`.
    fn expand(
        &self,
        years: &RangeInclusive<i32>,
        without: &BTreeSet<NaiveDate>,
        into: &mut BTreeSet<NaiveDate>,
    ) -> Result<(), HolidayError> {
        if let Some(property) = self.all("EXRULE").next() {
            return Err(property.no_rule());
        }
        let start = self.all("DTSTART").next().ok_or(HolidayError::NoStart { line: self.line })?;
        let Some(&(first, time)) = start.dates()?.first() else { return Err(HolidayError::NoStart { line: self.line }) };
        let length = self.length(first, time)?;
        let days = |begin: NaiveDate| (0..length).filter_map(move |day| begin.checked_add_days(Days::new(day)));
        let mut single = self.dates("RDATE")?;
        let mut repeated = BTreeSet::new();
        for property in self.all("RRULE") {
            let rule = Yearly::parse(&property.value).ok_or_else(|| property.no_rule())?;
            repeated.extend(rule.dates(first, *years.end()));
        }
        if self.all("RRULE").next().is_none() {
            single.insert(first);
        }
        into.extend(single.difference(without).copied().flat_map(days));
        into.extend(repeated.difference(without).copied().flat_map(days).filter(|day| years.contains(&day.year())));
        Ok(())
    }

    /// Its length in days. An end is the first day outside; with times, a part of a day counts as a day.
    fn length(&self, first: NaiveDate, time: &str) -> Result<u64, HolidayError> {
        let (property, days) = if let Some(property) = self.all("DTEND").next() {
            let days = property.dates()?.first().map(|(end, until)| match (*end - first).num_days() {
                // The same day is written by programs that mean the last day.
                0 => 1,
                days => days + i64::from(days > 0 && *until > time),
            });
            (property, days)
        } else if let Some(property) = self.all("DURATION").next() {
            (property, duration_days(&property.value))
        } else {
            return Ok(1);
        };
        let days = days.filter(|days| (1..=LONGEST_DAYS).contains(days)).map(i64::cast_unsigned);
        days.ok_or_else(|| HolidayError::Length { line: property.line, text: excerpt(&property.value) })
    }
}

/// `P3D`, `P1W`, or with a time of up to a day behind it, which counts as a day unless it is zero.
fn duration_days(text: &str) -> Option<i64> {
    let text = text.strip_prefix('+').unwrap_or(text).strip_prefix('P')?;
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let days = match (date.strip_suffix('D'), date.strip_suffix('W')) {
        (Some(days), _) => i64::from(days.parse::<u32>().ok()?),
        (_, Some(weeks)) => i64::from(weeks.parse::<u32>().ok()?) * 7,
        _ if date.is_empty() => 0,
        _ => return None,
    };
    let hours: u32 = time.split_once('H').map_or(Some(0), |(hours, _)| hours.parse().ok())?;
    let part = time.contains(|char: char| ('1'..='9').contains(&char));
    (hours <= 24).then_some(days + i64::from(part))
}
