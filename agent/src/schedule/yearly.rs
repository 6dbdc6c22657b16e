//! The yearly repetitions of an iCalendar file.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate, Weekday};

use super::holidays::dated;

/// Last year a rule is followed to: dates in iCalendar have four digits.
const LAST_YEAR: i32 = 9999;

/// A yearly repetition (RFC 5545, 3.3.10).
#[derive(Default)]
pub(super) struct Yearly {
    interval: usize,
    count: Option<usize>,
    until: Option<NaiveDate>,
    months: BTreeSet<i32>,
    month_days: BTreeSet<i32>,
    /// Weekdays, each with which of the month it is, from the end if negative, or 0 for every one.
    weekdays: Vec<(i32, Weekday)>,
}

impl Yearly {
    /// `None` for every rule that is not understood as a whole.
    pub(super) fn parse(text: &str) -> Option<Yearly> {
        let mut rule = Yearly { interval: 1, ..Yearly::default() };
        let mut yearly = false;
        for part in text.to_ascii_uppercase().split(';').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=')?;
            match key {
                "FREQ" => yearly = value == "YEARLY",
                "INTERVAL" => rule.interval = value.parse().ok().filter(|interval| *interval > 0)?,
                "COUNT" => rule.count = Some(value.parse().ok()?),
                "UNTIL" => rule.until = Some(dated(value)?.0),
                "BYMONTH" => rule.months = numbers(value, 12).filter(|months| months.iter().all(|month| *month > 0))?,
                "BYMONTHDAY" => rule.month_days = numbers(value, 31)?,
                "BYDAY" => rule.weekdays = value.split(',').map(nth_weekday).collect::<Option<_>>()?,
                // Where a week starts matters only to rules that count weeks.
                "WKST" => {}
                _ => return None,
            }
        }
        // Without a month a weekday is counted from the start of the year, which no holiday needs.
        (yearly && (rule.weekdays.is_empty() || !rule.months.is_empty())).then_some(rule)
    }

    /// The dates from `first` to the end of a year.
    pub(super) fn dates(&self, first: NaiveDate, last_year: i32) -> impl Iterator<Item = NaiveDate> {
        let months: Vec<u32> = match (self.months.is_empty(), self.month_days.is_empty()) {
            (false, _) => self.months.iter().map(|month| month.cast_unsigned()).collect(),
            (true, true) => vec![first.month()],
            (true, false) => (1..=12).collect(),
        };
        (first.year()..=last_year.min(LAST_YEAR))
            .step_by(self.interval)
            .flat_map(move |year| months.clone().into_iter().map(move |month| (year, month)))
            .flat_map(|(year, month)| (1..=31).filter_map(move |day| NaiveDate::from_ymd_opt(year, month, day)))
            .filter(move |date| *date >= first && self.matches(*date, first))
            .take_while(|date| self.until.is_none_or(|until| *date <= until))
            .take(self.count.unwrap_or(usize::MAX))
    }

    /// Whether a date in one of the rule's months is one of its days.
    fn matches(&self, date: NaiveDate, first: NaiveDate) -> bool {
        let day = date.day() as i32;
        let from_end = i32::from(date.num_days_in_month()) + 1 - day;
        if self.month_days.is_empty() && self.weekdays.is_empty() {
            return date.day() == first.day();
        }
        let weekday =
            |(nth, weekday): &(i32, Weekday)| *weekday == date.weekday() && [0, (day + 6) / 7, -(from_end + 6) / 7].contains(nth);
        (self.month_days.is_empty() || self.month_days.contains(&day) || self.month_days.contains(&-from_end))
            && (self.weekdays.is_empty() || self.weekdays.iter().any(weekday))
    }
}

/// A list of numbers from 1 to `limit`, or of such counted from the end.
fn numbers(text: &str, limit: i32) -> Option<BTreeSet<i32>> {
    let number = |part: &str| part.parse::<i32>().ok().filter(|number| (1..=limit).contains(&number.saturating_abs()));
    text.split(',').map(number).collect()
}

/// `TH`, `4TH` or `-1MO`.
fn nth_weekday(text: &str) -> Option<(i32, Weekday)> {
    let (nth, weekday) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let weekday = match weekday {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    };
    let nth = if nth.is_empty() { 0 } else { nth.parse().ok().filter(|nth: &i32| (1..=5).contains(&nth.saturating_abs()))? };
    Some((nth, weekday))
}
