//! The newest weeks of a row, read back from the end a few weeks at a time.
//!
//! Reading everything for the last week would cost time and memory with the age of the history.
//! Each series counts its own weeks, from its own newest: a server that was replaced has its last weeks, too.
//! What a week says does not depend on where a stretch begins, since a week is read whole and with what borders on it.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{Datelike, Days, NaiveDate, NaiveTime, TimeDelta};

use super::derive;
use super::weeks::{self, Week, Weeks};
use crate::catalog::Metric;
use crate::history::{History, HistoryError, Series};
use crate::schedule::Schedule;
use crate::time::{Span, Timestamp};

/// Weeks read at a time. Four of minutes around the clock are 40 000 points a series, one megabyte.
const STRETCH: u64 = 4;
/// How far before its first day a stretch is read: zones are up to 14 hours ahead, and intervals need a beginning.
const BEFORE: TimeDelta = TimeDelta::days(1);
/// How far after its last day: zones are up to 12 hours behind, and a day's hours may run through the next.
const AFTER: TimeDelta = TimeDelta::days(2);

/// The newest `last` weeks of each series of a row, oldest week first; series without any are left out.
///
/// # Errors
/// Where the history cannot be read.
pub fn weeks(
    history: &History,
    metric: &'static Metric,
    host: Option<&str>,
    schedule: &Schedule,
    last: usize,
) -> Result<Vec<Weeks>, HistoryError> {
    let mine = |mut all: Vec<Series>| {
        all.retain(|series| host.is_none_or(|host| &*series.host == host));
        all
    };
    // What follows from series without points has no points, but says which series there can be.
    let possible = derive::series(metric, &mut |row| history.named(row).map(mine))?;
    let mut all: BTreeMap<_, Vec<Week>> =
        possible.into_iter().map(|series| ((series.host.to_string(), series.labels), Vec::new())).collect();
    let mut end = NaiveDate::MAX;
    let mut stretch = STRETCH.min(last as u64);
    while all.values().any(|weeks| weeks.len() < last) {
        let Some(monday) = last_monday(history, end, schedule)? else { break };
        let days = back(monday, 7 * (stretch - 1))..end;
        let series = derive::series(metric, &mut |row| history.points(row, around(&days)).map(mine))?;
        for older in weeks::fold(metric, series, schedule, &days) {
            let weeks = all.entry((older.host, older.labels)).or_default();
            weeks.splice(..0, older.weeks);
        }
        (end, stretch) = (days.start, STRETCH);
    }
    all.retain(|_, weeks| !weeks.is_empty());
    let newest = |((host, labels), mut weeks): (_, Vec<Week>)| {
        weeks.drain(..weeks.len().saturating_sub(last));
        Weeks { metric, host, labels, weeks }
    };
    Ok(all.into_iter().map(newest).collect())
}

/// Monday of the newest week before `end` that anything read may belong to; none where nothing is older.
fn last_monday(history: &History, end: NaiveDate, schedule: &Schedule) -> Result<Option<NaiveDate>, HistoryError> {
    let newest = history.newest_before(around(&(end..end)).end)?;
    // What was read after the end may still belong to the night before it.
    let day = newest.map(|at| at.with_timezone(&schedule.zone()).date_naive().min(back(end, 1)));
    Ok(day.map(|day| back(day, day.weekday().num_days_from_monday().into())))
}

/// The time in which what belongs to these days can have been read.
pub(super) fn around(days: &Range<NaiveDate>) -> Span {
    let midnight = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    let start = midnight(days.start).checked_sub_signed(BEFORE).unwrap_or(Timestamp::MIN_UTC);
    let end = midnight(days.end).checked_add_signed(AFTER).unwrap_or(Timestamp::MAX_UTC);
    Span { start, end }
}

/// The day so many days earlier.
pub(super) fn back(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(days)).unwrap_or(NaiveDate::MIN)
}
