//! Several days together, and what of them is exported.

use super::*;
use crate::analysis::activity::{Mean, Partition, exported};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// A business day with so many users, each with so many transactions, watched to this share of its ten hours.
fn day(day: u32, users: f64, each: f64, hours: i64) -> Vec<Sighting> {
    let from = format!("2026-11-{day:02}T06:00:00Z");
    let to = instant(&from) + chrono::TimeDelta::hours(hours);
    let all = steady(&from, &to.to_rfc3339(), 60, f64::from(day) * 1e7, users * each / 10.0);
    all.into_iter().map(|one| Sighting { connected: Some(2.0 * users), ..active(one, "30m", users) }).collect()
}

fn days(all: impl IntoIterator<Item = Vec<Sighting>>) -> Vec<Day> {
    let mut days = counted(&office(), all.into_iter().flatten());
    days.iter_mut().for_each(|day| day.registered = Some(1000));
    days
}

#[test]
fn per_user_is_all_transactions_over_all_person_days() {
    // 100 users with 10 each and 300 with 2 each: 1600 of 400 person-days. The mean of 10 and 2 would be 6.
    let mean = Mean::of(&days([day(23, 100.0, 10.0, 10), day(24, 300.0, 2.0, 10)]));
    assert_eq!((mean.days, mean.transactions, mean.active, mean.per_active), (2, Some(800.0), Some(200.0), Some(4.0)));
    assert_eq!((mean.per_connected, mean.per_registered, mean.active_share), (Some(2.0), Some(0.8), Some(0.2)));
    assert_eq!((mean.registered, mean.active_from, mean.coverage), (Some(1000), Window::named("30m"), Some(1.0)));
    assert_eq!(mean.notes, Vec::<String>::new());
}

#[test]
fn a_thin_day_says_what_was_seen_and_has_no_part_in_means() {
    let all = days([day(23, 100.0, 10.0, 10), day(24, 100.0, 10.0, 7), day(25, 100.0, 10.0, 8)]);
    // Seven of ten hours, and then a night that is a gap: its part of the growth is small and counted.
    assert_eq!((all[1].coverage, all[1].is_whole(), all[2].is_whole()), (0.7, false, true));
    assert!(all[1].notes.contains(&"coverage 70 %, not in means".to_owned()), "{:?}", all[1].notes);
    let mean = Mean::of(&all);
    assert_eq!((mean.days, mean.transactions), (2, Some((1000.0 + 800.0) / 2.0)));
    assert_eq!(mean.notes, ["1 day left out for coverage"]);
    assert_eq!(Mean::of(&all[1..2]).transactions, None);
}

#[test]
fn active_users_of_two_windows_are_not_mixed() {
    let mut all = days([day(23, 100.0, 10.0, 10), day(24, 300.0, 2.0, 10)]);
    all[0].active_from = Window::named("5m");
    let mean = Mean::of(&all);
    assert_eq!((mean.days, mean.active, mean.per_active, mean.transactions), (2, Some(300.0), Some(2.0), Some(800.0)));
    assert_eq!(mean.notes, ["1 day left out of active users, whose window was another"]);
}

#[test]
fn weeks_are_those_of_the_days() {
    let days = days([day(19, 50.0, 2.0, 10), day(20, 100.0, 2.0, 10), day(23, 100.0, 10.0, 10)]);
    let partition = Partition { host: "h".to_owned(), partition: "mail1".to_owned(), days };
    let weeks = partition.weeks();
    let figures: Vec<_> = weeks.iter().map(|(week, mean)| (week.as_str(), mean.days, mean.per_active)).collect();
    assert_eq!(figures, [("2026-W47", 2, Some(2.0)), ("2026-W48", 1, Some(10.0))]);
}

#[test]
fn what_is_exported_of_today_the_last_day_and_two_weeks() {
    // Thursday and Friday of last week; Monday, and Tuesday until 12:00 or for five hours.
    let all = days([day(19, 50.0, 2.0, 10), day(20, 100.0, 2.0, 10), day(23, 100.0, 10.0, 10), day(24, 200.0, 10.0, 5)]);
    let mut snapshot = Snapshot::new(instant("2026-11-24T11:00:00Z"), "h", Duration::from_secs(60));
    exported(&all, date("2026-11-24"), &mut snapshot, "mail1");
    let figures =
        |row: &str| ["today", "last_day", "this_week", "last_week"].map(|period| snapshot.value(row, &[period, "mail1"]));
    // A night between two days of which the first was watched to its end adds nothing to either.
    assert_eq!(figures("domino_business_transactions"), [Some(1000.0), Some(1000.0), Some(1000.0), Some(150.0)]);
    assert_eq!(figures("domino_business_active_users"), [Some(200.0), Some(100.0), Some(100.0), Some(75.0)]);
    assert_eq!(figures("domino_business_active_users_peak"), [Some(200.0), Some(100.0), Some(100.0), Some(100.0)]);
    assert_eq!(figures("domino_business_connected_users"), [Some(400.0), Some(200.0), Some(200.0), Some(150.0)]);
    assert_eq!(figures("domino_business_active_share_ratio"), [Some(0.2), Some(0.1), Some(0.1), Some(0.075)]);
    // Of today the part that has passed was watched in full.
    assert_eq!(figures("domino_business_coverage_ratio"), [Some(1.0); 4]);
    let per = |per: &str, period: &str| snapshot.value("domino_business_transactions_per_user", &[per, period, "mail1"]);
    assert_eq!(
        (per("active", "last_day"), per("connected", "last_day"), per("registered", "last_day")),
        (Some(10.0), Some(5.0), Some(1.0))
    );
    assert_eq!((snapshot.readings.len(), snapshot.unknown.is_empty()), (4 * 9, true));
    // Before anything was seen today, and with nobody registered.
    let mut early = Snapshot::new(instant("2026-11-24T05:00:00Z"), "h", Duration::from_secs(60));
    exported(&counted(&office(), day(20, 100.0, 2.0, 10)), date("2026-11-24"), &mut early, "mail1");
    let periods: BTreeSet<_> =
        early.readings.iter().filter_map(|reading| reading.labels.get(reading.labels.values().len() - 2)).collect();
    assert_eq!((periods, early.readings.len()), (BTreeSet::from(["last_day", "last_week"]), 2 * 7));
}

#[test]
fn a_snapshot_says_what_it_has_of_its_partition() {
    let mut snapshot = Snapshot::new(instant("2026-11-24T11:00:00Z"), "h", Duration::from_secs(60));
    for (field, number) in [
        ("Server.Trans.Total", 5000.0),
        ("Server.ElapsedTime", 900.0),
        ("Server.Users", 40.0),
        ("Server.Users.Active15Min", 30.0),
        ("IMAP.Sessions.Inbound.Total", 8.0),
        ("Mail.Delivered", 9.0),
        ("Traveler.Push.Users.Total", 70.0),
        ("Traveler.Push.Users.Online", 60.0),
    ] {
        snapshot.put(Place::Domino, field, &["mail1"], number);
    }
    snapshot.put(Place::Domino, "Mail.Dead", &["mail2"], 1.0);
    snapshot.put(Place::Partition, "registered", &["mail1"], 100.0);
    let plain = Sighting { at: snapshot.at.timestamp_millis(), every: 60.0, live: true, follows: true, ..Sighting::default() };
    let expected = Sighting {
        transactions: Some(5000.0),
        uptime: Some(900.0),
        connected: Some(40.0),
        registered: Some(100.0),
        traveler_online: Some(60.0),
        ..beside(beside(active(plain, "15m", 30.0), "imap_sessions", 8.0), "mail_delivered", 9.0)
    };
    assert_eq!(Sighting::of(&snapshot, "mail1"), Some(expected));
    assert_eq!((Sighting::of(&snapshot, "mail2"), Sighting::of(&snapshot, "mail3")), (None, None));
}
