//! Instants are worked out by hand from the zones' rules and written in UTC. In 2026 clocks change in Berlin on
//! 29 March and 25 October at 01:00 UTC, in New York on 8 March at 07:00 UTC and on 1 November at 06:00 UTC.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{NaiveDate, TimeDelta, Weekday};
use chrono_tz::Tz;
use proptest::prelude::*;

use super::{Closed, Hours, Opening, Outside, Schedule, Span, Tick};
use crate::time::Timestamp;

mod holidays;

const MINUTE: Duration = Duration::from_secs(60);
const QUARTER: Duration = Duration::from_secs(900);

fn utc(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn dates(text: &str) -> BTreeSet<NaiveDate> {
    text.split_whitespace().map(date).collect()
}

/// Minutely, closed on Saturday and Sunday, idle outside.
fn weekdays(zone: &str, hours: &str) -> Schedule {
    let hours = Some(hours.parse().unwrap());
    let week = [hours, hours, hours, hours, hours, None, None];
    Schedule::new(zone.parse().unwrap(), week, MINUTE, Outside::Idle, BTreeSet::new())
}

fn every_day(zone: &str, hours: &str) -> Schedule {
    Schedule { hours: [Some(hours.parse().unwrap()); 7], ..weekdays(zone, hours) }
}

fn ticks(schedule: &Schedule, after: &str, until: &str) -> Vec<Tick> {
    let until = utc(until);
    let next = |tick: &Tick| schedule.next_tick(tick.at);
    std::iter::successors(schedule.next_tick(utc(after)), next).take_while(|tick| tick.at <= until).collect()
}

#[test]
fn hours_of_one_day_as_instants() {
    let table = [
        ("Europe/Berlin", "2026-03-27", "07:00-17:00", "2026-03-27T06:00:00Z 2026-03-27T16:00:00Z"),
        ("Europe/Berlin", "2026-03-29", "07:00-17:00", "2026-03-29T05:00:00Z 2026-03-29T15:00:00Z"),
        ("Europe/Berlin", "2026-03-29", "02:00-03:00", ""),
        ("Europe/Berlin", "2026-03-29", "02:10-02:50", ""),
        ("Europe/Berlin", "2026-03-29", "01:00-02:30", "2026-03-29T00:00:00Z 2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29", "02:30-04:00", "2026-03-29T01:00:00Z 2026-03-29T02:00:00Z"),
        ("Europe/Berlin", "2026-03-28", "22:00-06:00", "2026-03-28T21:00:00Z 2026-03-29T04:00:00Z"),
        ("Europe/Berlin", "2026-03-28", "22:00-02:30", "2026-03-28T21:00:00Z 2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29", "00:00-24:00", "2026-03-28T23:00:00Z 2026-03-29T22:00:00Z"),
        ("Europe/Berlin", "2026-10-23", "07:00-17:00", "2026-10-23T05:00:00Z 2026-10-23T15:00:00Z"),
        ("Europe/Berlin", "2026-10-25", "07:00-17:00", "2026-10-25T06:00:00Z 2026-10-25T16:00:00Z"),
        ("Europe/Berlin", "2026-10-25", "01:00-02:30", "2026-10-24T23:00:00Z 2026-10-25T01:30:00Z"),
        ("Europe/Berlin", "2026-10-25", "02:00-03:00", "2026-10-25T00:00:00Z 2026-10-25T02:00:00Z"),
        ("Europe/Berlin", "2026-10-25", "02:30-04:00", "2026-10-25T00:30:00Z 2026-10-25T03:00:00Z"),
        ("Europe/Berlin", "2026-10-24", "22:00-06:00", "2026-10-24T20:00:00Z 2026-10-25T05:00:00Z"),
        ("Europe/Berlin", "2026-10-24", "22:00-02:30", "2026-10-24T20:00:00Z 2026-10-25T01:30:00Z"),
        ("Europe/Berlin", "2026-10-25", "00:00-24:00", "2026-10-24T22:00:00Z 2026-10-25T23:00:00Z"),
        ("America/New_York", "2026-03-06", "07:00-17:00", "2026-03-06T12:00:00Z 2026-03-06T22:00:00Z"),
        ("America/New_York", "2026-03-09", "07:00-17:00", "2026-03-09T11:00:00Z 2026-03-09T21:00:00Z"),
        ("America/New_York", "2026-03-08", "02:00-03:00", ""),
        ("America/New_York", "2026-03-07", "22:00-06:00", "2026-03-08T03:00:00Z 2026-03-08T10:00:00Z"),
        ("America/New_York", "2026-03-08", "00:00-24:00", "2026-03-08T05:00:00Z 2026-03-09T04:00:00Z"),
        ("America/New_York", "2026-11-01", "00:30-01:30", "2026-11-01T04:30:00Z 2026-11-01T06:30:00Z"),
        ("America/New_York", "2026-10-31", "22:00-06:00", "2026-11-01T02:00:00Z 2026-11-01T11:00:00Z"),
        ("America/New_York", "2026-11-01", "00:00-24:00", "2026-11-01T04:00:00Z 2026-11-02T05:00:00Z"),
        ("Asia/Kolkata", "2026-03-29", "07:00-17:00", "2026-03-29T01:30:00Z 2026-03-29T11:30:00Z"),
        ("Asia/Kolkata", "2026-10-25", "22:00-06:00", "2026-10-25T16:30:00Z 2026-10-26T00:30:00Z"),
        ("Asia/Kolkata", "2026-10-25", "00:00-24:00", "2026-10-24T18:30:00Z 2026-10-25T18:30:00Z"),
        // Ends of a month, of a year and of a leap February.
        ("Europe/Berlin", "2026-04-30", "00:00-24:00", "2026-04-29T22:00:00Z 2026-04-30T22:00:00Z"),
        ("Europe/Berlin", "2026-12-31", "22:00-06:00", "2026-12-31T21:00:00Z 2027-01-01T05:00:00Z"),
        ("Europe/Berlin", "2028-02-28", "22:00-06:00", "2028-02-28T21:00:00Z 2028-02-29T05:00:00Z"),
        ("Europe/Berlin", "2028-02-29", "07:00-17:00", "2028-02-29T06:00:00Z 2028-02-29T16:00:00Z"),
        // The hour after midnight happens twice: both passes belong to the new day.
        ("Atlantic/Azores", "2026-10-24", "00:00-24:00", "2026-10-24T00:00:00Z 2026-10-25T00:00:00Z"),
        ("Atlantic/Azores", "2026-10-25", "00:00-24:00", "2026-10-25T00:00:00Z 2026-10-26T01:00:00Z"),
        // Half an hour is repeated, and a whole day left out.
        ("Australia/Lord_Howe", "2026-04-05", "01:45-05:00", "2026-04-04T14:45:00Z 2026-04-04T18:30:00Z"),
        ("Pacific/Apia", "2011-12-30", "00:00-24:00", ""),
        ("Pacific/Apia", "2011-12-29", "22:00-06:00", "2011-12-30T08:00:00Z 2011-12-30T10:00:00Z"),
    ];
    for (zone, day, hours, expected) in table {
        let expected: Vec<_> = expected.split_whitespace().map(utc).collect();
        let noon = date(day).and_hms_opt(12, 0, 0).unwrap().and_utc();
        let around = Span { start: noon - TimeDelta::days(3), end: noon + TimeDelta::days(3) };
        let opening = every_day(zone, hours).openings(around).find(|opening| opening.day == date(day));
        let got = opening.map_or(vec![], |Opening { span, .. }| vec![span.start, span.end]);
        assert_eq!(got, expected, "{zone} {day} {hours}");
    }
}

#[test]
fn hours_are_read_and_written_back() {
    for text in ["07:00-17:00", "22:00-06:00", "00:00-24:00", "23:59-00:00", "00:01-24:00"] {
        assert_eq!(text.parse::<Hours>().unwrap().to_string(), text);
    }
    assert_eq!(" 7:05 - 9:00 ".parse(), Ok(Hours { start: 425, end: 540 }));
    assert_eq!("00:00-24:00".parse(), Ok(Hours::WHOLE_DAY));
    let refused =
        "25:00-26:00|24:00-06:00|07:00-24:01|07:60-08:00|7-17|07:00|07:00-|-|+7:00-08:00|07:0-08:00|07:00-17:00-18:00||ä:öü-ß";
    for text in refused.split('|') {
        let error = text.parse::<Hours>().unwrap_err().to_string();
        assert_eq!(error, format!("`{text}` is no span of hours, write it like `07:00-17:00`"));
    }
    let equal = "07:00-07:00".parse::<Hours>().unwrap_err().to_string();
    assert!(equal.starts_with("`07:00-07:00` starts and ends at the same time") && equal.contains("`00:00-24:00`"));
}

#[test]
fn a_week_opens_and_closes() {
    let schedule = weekdays("Europe/Berlin", "07:00-17:00");
    // 2026-07-24 is a Friday; Berlin is two hours ahead of UTC.
    let table = [
        ("2026-07-24T04:59:59Z", Some(Closed::Hours), "2026-07-24T05:00:00Z", "2026-07-24T15:00:00Z"),
        ("2026-07-24T05:00:00Z", None, "2026-07-27T05:00:00Z", "2026-07-24T15:00:00Z"),
        ("2026-07-24T14:59:59Z", None, "2026-07-27T05:00:00Z", "2026-07-24T15:00:00Z"),
        ("2026-07-24T15:00:00Z", Some(Closed::Hours), "2026-07-27T05:00:00Z", "2026-07-27T15:00:00Z"),
        ("2026-07-24T21:59:59Z", Some(Closed::Hours), "2026-07-27T05:00:00Z", "2026-07-27T15:00:00Z"),
        ("2026-07-24T22:00:00Z", Some(Closed::Weekday), "2026-07-27T05:00:00Z", "2026-07-27T15:00:00Z"),
    ];
    for (at, why, open, close) in table {
        let at = utc(at);
        assert_eq!(schedule.why_closed(at), why, "{at}");
        assert_eq!(schedule.is_open(at), why.is_none(), "{at}");
        assert_eq!((schedule.next_open(at), schedule.next_close(at)), (Some(utc(open)), Some(utc(close))), "{at}");
    }
    let always = schedule.always();
    assert!(always.is_open(utc("2026-07-26T00:00:00Z")));
    assert_eq!(always.next_open(utc("2026-07-26T00:00:00Z")), None);
    assert_eq!(always.next_close(utc("2026-07-26T00:00:00Z")), None);
}

#[test]
fn each_day_has_its_own_hours() {
    let mut week = [None; 7];
    week[0] = Some("07:00-17:00".parse().unwrap());
    week[4] = Some("07:00-13:00".parse().unwrap());
    let schedule = Schedule::new(Tz::UTC, week, MINUTE, Outside::Idle, BTreeSet::new());
    let span = Span { start: utc("2026-07-20T00:00:00Z"), end: utc("2026-07-27T00:00:00Z") };
    let got: Vec<_> = schedule.openings(span).map(|opening| (opening.day, opening.span.seconds() / 3600.0)).collect();
    assert_eq!(got, [(date("2026-07-20"), 10.0), (date("2026-07-24"), 6.0)]);
    assert_eq!(schedule.hours(Weekday::Fri), Some(Hours { start: 420, end: 780 }));
    assert_eq!(schedule.hours(Weekday::Tue), None);
    assert_eq!(schedule.why_closed(utc("2026-07-21T08:00:00Z")), Some(Closed::Weekday));
}

#[test]
fn a_holiday_takes_the_window_it_owns() {
    let schedule = Schedule { holidays: dates("2026-12-24"), ..every_day("UTC", "22:00-06:00") };
    let table = [
        ("2026-12-24T05:59:59Z", None),
        ("2026-12-24T12:00:00Z", Some(Closed::Holiday)),
        ("2026-12-24T23:00:00Z", Some(Closed::Holiday)),
        ("2026-12-25T05:59:59Z", Some(Closed::Holiday)),
        ("2026-12-25T06:00:00Z", Some(Closed::Hours)),
        ("2026-12-25T22:00:00Z", None),
    ];
    for (at, why) in table {
        assert_eq!(schedule.why_closed(utc(at)), why, "{at}");
    }
    assert_eq!(schedule.next_open(utc("2026-12-24T06:00:00Z")), Some(utc("2026-12-25T22:00:00Z")));
    let named: Vec<_> = [Closed::Hours, Closed::Weekday, Closed::Holiday].map(|why| format!("{}: {why}", why.name())).into();
    assert_eq!(named, ["hours: outside hours", "weekday: closed weekday", "holiday: holiday"]);
}

#[test]
fn hours_that_run_into_the_next_day_do_not_overlap() {
    let mut week = [Some("22:00-10:00".parse().unwrap()); 7];
    week[1] = Some("09:00-12:00".parse().unwrap());
    week[2] = Some("01:00-02:00".parse().unwrap());
    let schedule = Schedule::new(Tz::UTC, week, MINUTE, Outside::Idle, BTreeSet::new());
    // Monday 2026-07-20 reaches into Tuesday.
    let span = Span { start: utc("2026-07-21T09:30:00Z"), end: utc("2026-07-21T10:30:00Z") };
    let got: Vec<_> = schedule.openings(span).map(|opening| (opening.day, opening.span.start)).collect();
    assert_eq!(got, [(date("2026-07-20"), utc("2026-07-20T22:00:00Z")), (date("2026-07-21"), utc("2026-07-21T10:00:00Z"))]);
    assert_eq!(schedule.next_close(span.start), Some(utc("2026-07-21T12:00:00Z")));
}

#[test]
fn ticks_run_from_opening_to_closing_inclusive() {
    let schedule = weekdays("Europe/Berlin", "07:00-17:00");
    let day = ticks(&schedule, "2026-07-23T22:00:00Z", "2026-07-24T22:00:00Z");
    assert_eq!(day.len(), 601);
    assert!(day.iter().all(|tick| tick.every == MINUTE));
    assert_eq!((day[0].at, day[600].at), (utc("2026-07-24T05:00:00Z"), utc("2026-07-24T15:00:00Z")));
    let monday = Tick { at: utc("2026-07-27T05:00:00Z"), every: MINUTE };
    assert_eq!(schedule.next_tick(day[600].at), Some(monday));
    assert_eq!(schedule.next_tick(utc("2026-07-24T05:00:00.001Z")).unwrap().at, utc("2026-07-24T05:01:00Z"));
    // Whole days that touch share the tick between them.
    let always = ticks(&schedule.always(), "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
    assert_eq!(always.len(), 25 * 60);
    // Seven minutes are counted from the epoch, neither from the opening nor to the closing.
    let odd = Schedule { interval: 7 * MINUTE, ..weekdays("Europe/Berlin", "07:00-17:00") };
    let odd = ticks(&odd, "2026-07-24T00:00:00Z", "2026-07-24T23:00:00Z");
    assert_eq!((odd.len(), odd[0].at, odd[85].at), (86, utc("2026-07-24T05:03:00Z"), utc("2026-07-24T14:58:00Z")));
}

#[test]
fn outside_ticks_lie_between_openings() {
    let schedule = Schedule { outside: Outside::Sample(QUARTER), ..weekdays("Europe/Berlin", "07:00-17:00") };
    let night = ticks(&schedule, "2026-07-23T14:58:30Z", "2026-07-24T05:01:00Z");
    let (first, rest) = night.split_at(2);
    let minute = |at: &str| Tick { at: utc(at), every: MINUTE };
    let quarter = |at: &str| Tick { at: utc(at), every: QUARTER };
    assert_eq!(first, [minute("2026-07-23T14:59:00Z"), minute("2026-07-23T15:00:00Z")]);
    assert_eq!((rest[0], rest[54]), (quarter("2026-07-23T15:15:00Z"), quarter("2026-07-24T04:45:00Z")));
    assert_eq!(rest[55..], [minute("2026-07-24T05:00:00Z"), minute("2026-07-24T05:01:00Z")]);
}

#[test]
fn a_schedule_that_never_opens_has_no_tick() {
    let now = utc("2026-07-24T12:00:00Z");
    let closed = Schedule::new(Tz::UTC, [None; 7], MINUTE, Outside::Sample(QUARTER), BTreeSet::new());
    assert_eq!((closed.next_tick(now), closed.next_open(now), closed.next_close(now)), (None, None, None));
    let years = date("2026-01-01").iter_days().take(3000).collect();
    assert_eq!(Schedule { holidays: years, ..every_day("UTC", "07:00-17:00") }.next_tick(now), None);
    let zero = Schedule::new(Tz::UTC, [Some(Hours::WHOLE_DAY); 7], Duration::ZERO, Outside::Idle, BTreeSet::new());
    assert_eq!(zero.next_tick(now).unwrap().at, utc("2026-07-24T12:00:01Z"));
    for edge in [Timestamp::MIN_UTC, Timestamp::MAX_UTC] {
        assert!(zero.next_tick(edge).is_none_or(|tick| tick.at > edge));
        let _ = (zero.next_open(edge), zero.next_close(edge), zero.why_closed(edge));
    }
}

#[test]
fn three_years_of_openings() {
    let span = Span { start: utc("2025-12-31T23:00:00Z"), end: utc("2028-12-31T23:00:00Z") };
    assert_eq!(weekdays("Europe/Berlin", "07:00-17:00").openings(span).count(), 782);
    let inside = Span { start: utc("2026-07-24T08:00:00Z"), end: utc("2026-07-24T08:00:01Z") };
    let whole = weekdays("Europe/Berlin", "07:00-17:00").openings(inside).next().unwrap().span;
    assert_eq!((whole.start, whole.end), (utc("2026-07-24T05:00:00Z"), utc("2026-07-24T15:00:00Z")));
}

fn hours() -> impl Strategy<Value = Option<Hours>> {
    let some = (0_u16..1440, 0_u16..=1440).prop_filter("equal", |(start, end)| start != end);
    proptest::option::weighted(0.8, some.prop_map(|(start, end)| Hours { start, end }))
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Atlantic/Azores", "Australia/Lord_Howe", "UTC"];
    let outside = prop_oneof![Just(Outside::Idle), (1_u64..7200).prop_map(|s| Outside::Sample(Duration::from_secs(s)))];
    let holidays = proptest::collection::btree_set((0_u64..400).prop_map(|n| date("2026-01-01") + chrono::Days::new(n)), 0..40);
    (prop::sample::select(zones.to_vec()), prop::array::uniform7(hours()), 1_u64..7200, outside, holidays).prop_map(
        |(zone, hours, seconds, outside, holidays)| {
            Schedule::new(zone.parse().unwrap(), hours, Duration::from_secs(seconds), outside, holidays)
        },
    )
}

/// Instants of 2026, above all around the days on which clocks change.
fn instants() -> impl Strategy<Value = Timestamp> {
    let around = ["2026-03-08T07:00:00Z", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-11-01T06:00:00Z"];
    let near = (prop::sample::select(around.to_vec()), -200_000_i64..200_000).prop_map(|(at, s)| utc(at) + TimeDelta::seconds(s));
    prop_oneof![near, (0_i64..31_536_000).prop_map(|s| utc("2026-01-01T00:00:00Z") + TimeDelta::seconds(s))]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn ticks_increase_and_are_open_or_outside(schedule in schedules(), now in instants()) {
        let mut last = now;
        for _ in 0..60 {
            let Some(tick) = schedule.next_tick(last) else { break };
            prop_assert!(tick.at > last);
            prop_assert_eq!(tick.at.timestamp() % tick.every.as_secs() as i64, 0);
            let touching = Span { start: tick.at - TimeDelta::seconds(1), end: tick.at + TimeDelta::seconds(1) };
            let inside = schedule.openings(touching).any(|o| o.span.start <= tick.at && tick.at <= o.span.end);
            let of_opening = inside && tick.every == schedule.interval();
            prop_assert!(of_opening || (!schedule.is_open(tick.at) && schedule.outside() == Outside::Sample(tick.every)));
            last = tick.at;
        }
    }

    #[test]
    fn no_tick_is_left_out(schedule in schedules(), now in instants()) {
        let Some(next) = schedule.next_tick(now) else { return Ok(()) };
        let multiples = |every: Duration| {
            let every = every.as_secs() as i64;
            let first = now.timestamp().div_euclid(every) + 1;
            (first..first + 200).map(move |n| Timestamp::from_timestamp(n * every, 0).unwrap()).take_while(|at| *at < next.at)
        };
        let edge = TimeDelta::nanoseconds(1);
        prop_assert!(multiples(schedule.interval()).all(|at| !schedule.is_open(at) && !schedule.is_open(at - edge)));
        if let Outside::Sample(every) = schedule.outside() {
            prop_assert!(multiples(every).all(|at| schedule.is_open(at)));
        }
    }

    #[test]
    fn openings_do_not_overlap_and_agree_with_is_open(schedule in schedules(), now in instants(), step in 60_i64..7200) {
        let span = Span { start: now, end: now + TimeDelta::days(9) };
        let openings: Vec<_> = schedule.openings(span).collect();
        prop_assert!(openings.iter().all(|o| o.span.start < span.end && o.span.end > now && o.span.start < o.span.end));
        prop_assert!(openings.is_sorted_by(|a, b| a.span.end <= b.span.start && a.day < b.day));
        for at in (0..9 * 86_400 / step).map(|n| now + TimeDelta::seconds(n * step)) {
            prop_assert_eq!(schedule.is_open(at), openings.iter().any(|o| o.span.contains(at)));
        }
        let edge = TimeDelta::nanoseconds(1);
        if let Some(open) = schedule.next_open(now) {
            prop_assert!(open > now && schedule.is_open(open) && !schedule.is_open(open - edge));
        }
        if let Some(close) = schedule.next_close(now) {
            prop_assert!(close > now && !schedule.is_open(close) && schedule.is_open(close - edge));
        }
    }
}
