//! Dates as Notes writes them: the order is the system's, the zone a name of its own.
//!
//! `01/08/2026` is one of two days. A [`Stamp`] keeps the parts and answers only where all readings agree, the parts rule the
//! others out, or the order is given. Seen: `20.03.2022 07:36:42`, `12/31/2019 05:16:40 PM`, `2010-07-30 00:52:58`, `20.08.96 16:12:20`.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};

use super::leading_number;

/// The order in which a date is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// Year, month, day.
    Ymd,
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
}

impl DateOrder {
    const ALL: [DateOrder; 3] = [DateOrder::Ymd, DateOrder::Dmy, DateOrder::Mdy];
}

/// A date and a time of day as written, without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The three numbers of the date, as they stand.
    pub parts: [u32; 3],
    /// Which of the numbers has four digits and so is the year; `None` where the year has two.
    pub year_at: Option<usize>,
    /// The time of day, whole seconds.
    pub time: NaiveTime,
}

impl Stamp {
    /// Reads a stamp at the beginning of a text; gives what follows it as well.
    pub fn strip(text: &str) -> Option<(Stamp, &str)> {
        // Most lines of a listing begin with a name.
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (parts, year_at, rest) = date(text)?;
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        if blanks == 0 {
            return None;
        }
        let (time, rest) = time(&rest[blanks..])?;
        let stamp = Stamp { parts, year_at, time };
        stamp.orders().next().map(|_| (stamp, rest))
    }

    /// The orders in which these numbers are a date.
    pub fn orders(&self) -> impl Iterator<Item = DateOrder> {
        DateOrder::ALL.into_iter().filter(|order| self.date(*order).is_some())
    }

    /// The order, where the numbers allow only one: what decides the other stamps of the same file.
    pub fn order(&self) -> Option<DateOrder> {
        let mut orders = self.orders();
        let only = orders.next()?;
        orders.next().is_none().then_some(only)
    }

    /// The local time meant: under the order given, which must fit; else where all possible orders mean the same day.
    pub fn at(&self, order: Option<DateOrder>) -> Option<NaiveDateTime> {
        let date = match order {
            Some(order) => self.date(order)?,
            None => {
                let mut dates = self.orders().filter_map(|order| self.date(order));
                let first = dates.next()?;
                dates.all(|date| date == first).then_some(first)?
            }
        };
        Some(date.and_time(self.time))
    }

    fn date(&self, order: DateOrder) -> Option<NaiveDate> {
        let [a, b, c] = self.parts;
        let ((year, month, day), place) = match order {
            DateOrder::Ymd => ((a, b, c), 0),
            DateOrder::Dmy => ((c, b, a), 2),
            DateOrder::Mdy => ((c, a, b), 2),
        };
        let year = match self.year_at {
            Some(at) => (at == place).then_some(year)?,
            // Release 4 wrote two digits; there was no Domino before 1970.
            None if year < 70 => 2000 + year,
            None => 1900 + year,
        };
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    }
}

/// A stamp with the zone that Notes writes behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zoned<'a> {
    /// Date and time on the zone's clock.
    pub stamp: Stamp,
    /// The zone as written: `ZE1`, `EDT`; empty where there is none.
    pub zone: &'a str,
    /// The offset it stands for; `None` for a name that is not known.
    pub offset: Option<FixedOffset>,
}

impl Zoned<'_> {
    /// The instant, where the order of the date and the offset of the zone are known.
    pub fn at(&self, order: Option<DateOrder>) -> Option<DateTime<FixedOffset>> {
        self.stamp.at(order)?.and_local_timezone(self.offset?).single()
    }
}

/// A date that is the whole text, in brackets or not: `[08/01/2026 02:08:41 ZE1]`.
pub fn zoned(text: &str) -> Option<Zoned<'_>> {
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
    let (stamp, rest) = Stamp::strip(text)?;
    let zone = rest.trim();
    let named = rest.is_empty() || rest.starts_with(' ') && zone.bytes().all(|byte| byte.is_ascii_alphanumeric());
    named.then(|| Zoned { stamp, zone, offset: offset(zone) })
}

/// What a zone's name stands for: `ZE5B` is five and a half hours east of Greenwich, `ZW5` five west.
///
/// Names such as `EDT` carry daylight time; whether `ZE1` does is the server's affair.
pub fn offset(zone: &str) -> Option<FixedOffset> {
    let hours = |hours: i32| FixedOffset::east_opt(hours * 3600);
    match zone {
        "GMT" | "UTC" => return hours(0),
        "EDT" => return hours(-4),
        "EST" | "CDT" => return hours(-5),
        "CST" | "MDT" => return hours(-6),
        "MST" | "PDT" => return hours(-7),
        "PST" => return hours(-8),
        _ => {}
    }
    let (sign, rest) = match zone.strip_prefix("ZE") {
        Some(rest) => (1, rest),
        None => (-1, zone.strip_prefix("ZW")?),
    };
    let (count, half) = match leading_number(rest)? {
        (count @ 0..=14, "") => (count, 0),
        (count @ 0..=14, "B") => (count, 1800),
        _ => return None,
    };
    FixedOffset::east_opt(sign * (i32::try_from(count).ok()? * 3600 + half))
}

/// Three numbers between the same signs.
fn date(text: &str) -> Option<([u32; 3], Option<usize>, &str)> {
    let mut parts = [0; 3];
    let mut year_at = None;
    let mut rest = text;
    let mut sign = None;
    for (at, part) in parts.iter_mut().enumerate() {
        if at > 0 {
            let next = rest.chars().next().filter(|c| matches!(c, '.' | '/' | '-'))?;
            if *sign.get_or_insert(next) != next {
                return None;
            }
            rest = &rest[1..];
        }
        let (number, after) = leading_number(rest)?;
        match rest.len() - after.len() {
            1 | 2 => {}
            4 if at != 1 && year_at.is_none() => year_at = Some(at),
            _ => return None,
        }
        *part = u32::try_from(number).ok()?;
        rest = after;
    }
    Some((parts, year_at, rest))
}

/// `07:36:42`, `05:16:40 PM`, `07.36.42`.
fn time(text: &str) -> Option<(NaiveTime, &str)> {
    let (hour, rest) = leading_number(text)?;
    let sign = rest.chars().next().filter(|c| matches!(c, ':' | '.'))?;
    if text.len() - rest.len() > 2 {
        return None;
    }
    let (minute, rest) = two_digits(rest.strip_prefix(sign)?)?;
    let (second, rest) = two_digits(rest.strip_prefix(sign)?)?;
    let mut hour = u32::try_from(hour).ok()?;
    let mut rest = rest;
    for (word, noon) in [(" AM", 0), (" PM", 12)] {
        if let Some(after) = super::strip_word(rest, word).filter(|after| !after.starts_with(|c: char| c.is_alphanumeric())) {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + noon;
            rest = after;
            break;
        }
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((NaiveTime::from_hms_opt(hour, minute, second)?, rest))
}

fn two_digits(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((if whole { digits.parse().ok()? } else { return None }, rest))
}
