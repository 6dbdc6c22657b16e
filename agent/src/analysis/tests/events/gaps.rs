//! Business hours without samples.

use super::*;

/// Minutes of a host from one time to another, the last one included.
fn host(made: &mut Made, from: &str, to: &str) {
    minutes(from, to).for_each(|time| made.live(time, |s| s.put(Place::ProcLoadavg, "1", &[], 1.0)));
}

/// The same of a host and a partition.
fn both(made: &mut Made, from: &str, to: &str) {
    minutes(from, to).for_each(|time| {
        made.live(time, |s| {
            s.put(Place::ProcLoadavg, "1", &[], 1.0);
            s.put(Place::Domino, "Server.Users", &["mail1"], 7.0);
        })
    });
}

fn minutes(from: &str, to: &str) -> impl Iterator<Item = Timestamp> {
    let to = at(to);
    std::iter::successors(Some(at(from)), |time| Some(*time + TimeDelta::minutes(1))).take_while(move |time| *time <= to)
}

/// A file of a host with a row every ten minutes from one time to another.
fn file(made: &mut Made, from: &str, to: &str) {
    let to = at(to);
    let times =
        std::iter::successors(Some(at(from)), |time| Some(*time + TimeDelta::minutes(10))).take_while(move |time| *time <= to);
    let row = |time| {
        let fill: Fill = Box::new(|s| s.put(Place::Vmstat, "us", &[], 20.0));
        (time, fill)
    };
    made.import("h", Duration::from_secs(600), times.map(row).collect::<Vec<_>>());
}

#[test]
fn a_gap_is_told_in_local_time_and_nights_are_none() {
    let mut made = Made::new();
    // Monday 16:00 to closing, Tuesday from opening on with 36 minutes missing, and five that are not enough.
    host(&mut made, "2026-11-23T15:00:00Z", "2026-11-23T16:00:00Z");
    host(&mut made, "2026-11-24T06:00:00Z", "2026-11-24T09:05:00Z");
    host(&mut made, "2026-11-24T09:41:00Z", "2026-11-24T10:00:00Z");
    host(&mut made, "2026-11-24T10:05:00Z", "2026-11-24T11:00:00Z");
    assert_eq!(made.told(), ["2026-11-24 09:05:00 h gap no samples from 10:05 to 10:41 (36 min of business hours)"]);
}

#[test]
fn of_a_gap_over_night_the_business_hours_count() {
    let mut made = Made::new();
    host(&mut made, "2026-11-19T08:00:00Z", "2026-11-20T15:30:00Z");
    // Friday 16:30 to Tuesday 08:10: half an hour, ten hours, and 70 minutes.
    host(&mut made, "2026-11-24T07:10:00Z", "2026-11-24T08:00:00Z");
    // Wednesday was opened late.
    host(&mut made, "2026-11-24T08:01:00Z", "2026-11-24T16:00:00Z");
    host(&mut made, "2026-11-25T06:20:00Z", "2026-11-25T06:30:00Z");
    assert_eq!(
        made.told(),
        [
            "2026-11-20 15:30:00 h gap no samples from 2026-11-20 16:30 to 2026-11-24 08:10 (11 h 40 min of business hours)",
            "2026-11-25 06:00:00 h gap no samples from 07:00 to 07:20 (20 min of business hours)",
        ]
    );
}

#[test]
fn what_was_imported_fills_a_gap_and_makes_none() {
    let mut made = Made::new();
    host(&mut made, "2026-11-24T09:00:00Z", "2026-11-24T10:00:00Z");
    host(&mut made, "2026-11-24T12:00:00Z", "2026-11-24T12:10:00Z");
    // Two hours are missing; the file has the time from 10:30 to 11:30, and more before and after with holes of its own.
    file(&mut made, "2026-11-24T10:40:00Z", "2026-11-24T11:30:00Z");
    file(&mut made, "2026-11-23T09:00:00Z", "2026-11-23T09:30:00Z");
    file(&mut made, "2026-11-23T12:00:00Z", "2026-11-23T12:30:00Z");
    file(&mut made, "2026-11-24T14:00:00Z", "2026-11-24T14:30:00Z");
    assert_eq!(
        made.told(),
        [
            "2026-11-24 10:00:00 h gap no samples from 11:00 to 11:30 (30 min of business hours)",
            "2026-11-24 11:30:00 h gap no samples from 12:30 to 13:00 (30 min of business hours)",
        ]
    );
}

#[test]
fn a_partition_has_gaps_of_its_own_and_those_of_its_host_are_told_once() {
    let mut made = Made::new();
    both(&mut made, "2026-11-24T09:00:00Z", "2026-11-24T09:10:00Z");
    host(&mut made, "2026-11-24T09:11:00Z", "2026-11-24T09:39:00Z");
    both(&mut made, "2026-11-24T09:40:00Z", "2026-11-24T10:00:00Z");
    both(&mut made, "2026-11-24T11:00:00Z", "2026-11-24T11:10:00Z");
    assert_eq!(
        made.told(),
        [
            "2026-11-24 09:10:00 mail1 gap no samples from 10:10 to 10:40 (30 min of business hours)",
            "2026-11-24 10:00:00 h gap no samples from 11:00 to 12:00 (1 h of business hours)",
        ]
    );
    let of_it = Options { partition: Some("mail1".to_owned()), ..Options::all(Span::ALL) };
    assert_eq!(made.of(&of_it).len(), 2);
}
