//! Single days: transactions, users and what is known of both.

use super::*;

#[test]
fn a_day_watched_from_opening_to_closing() {
    // 601 readings, 600 minutes of 100.
    let days = counted(&office(), steady("2026-11-23T06:00:00Z", "2026-11-23T16:00:00Z", 1, 5000.0, 100.0));
    assert_eq!(days.len(), 1);
    let day = &days[0];
    assert_eq!((day.date, day.transactions, day.transactions_all_day), (date("2026-11-23"), Some(60_000.0), Some(60_000.0)));
    // 10 of 24 hours.
    assert_eq!((day.coverage, day.coverage_all_day, day.so_far), (1.0, 10.0 / 24.0, None));
    assert_eq!((day.active, day.registered, &day.notes), (None, None, &Vec::<String>::new()));
    // Read until 16:59 only, a minute less, and the day is over all the same.
    let days = counted(&office(), steady("2026-11-23T06:00:00Z", "2026-11-23T15:59:00Z", 1, 5000.0, 100.0));
    assert_eq!((days[0].transactions, days[0].coverage, days[0].so_far), (Some(59_900.0), 599.0 / 600.0, None));
}

#[test]
fn nothing_of_the_night_is_in_business_hours() {
    // 14 hours with 100 an hour: 7 on either side of midnight.
    let night = [hourly("2026-11-23T15:00:00Z", 0.0), hourly("2026-11-23T16:00:00Z", 500.0)]
        .into_iter()
        .chain([hourly("2026-11-24T06:00:00Z", 1900.0), hourly("2026-11-24T07:00:00Z", 2000.0)]);
    let days = counted(&office(), night);
    let figures = |day: &Day| (day.transactions, day.transactions_all_day, day.notes.iter().any(|note| note.contains("gap")));
    assert_eq!((figures(&days[0]), figures(&days[1])), ((Some(500.0), Some(1200.0), false), (Some(100.0), Some(800.0), false)));
    // A weekend day is no business day.
    let days = counted(&office(), steady("2026-11-28T06:00:00Z", "2026-11-28T16:00:00Z", 1, 0.0, 100.0));
    assert_eq!(days, []);
}

#[test]
fn a_gap_is_counted_spread_and_not_covered() {
    // A minute each of 10 until 10:05 and from 10:40; 700 in between. Berlin's 10:05 is 09:05 UTC.
    let before = steady("2026-11-23T06:00:00Z", "2026-11-23T09:05:00Z", 1, 0.0, 10.0);
    let after = steady("2026-11-23T09:40:00Z", "2026-11-23T16:00:00Z", 1, 2550.0, 10.0);
    let day = &counted(&office(), before.into_iter().chain(after))[0];
    // 185 × 10 + 700 + 380 × 10.
    assert_eq!((day.transactions, day.coverage), (Some(6350.0), 565.0 / 600.0));
    assert_eq!(day.notes, ["gap 10:05-10:40: 700 transactions spread over it"]);
    // One reading missing is a gap, too; half a minute late is none.
    let day = &counted(&office(), [seen("2026-11-23T09:00:00Z", 0.0), seen("2026-11-23T09:02:00Z", 30.0)])[0];
    assert_eq!((day.coverage, day.notes[2].as_str()), (0.0, "gap 10:00-10:02: 30 transactions spread over it"));
    let day = &counted(&office(), [seen("2026-11-23T09:00:00Z", 0.0), seen("2026-11-23T09:01:30Z", 30.0)])[0];
    assert_eq!(day.coverage, 1.5 / 600.0);
}

#[test]
fn a_gap_over_closing_gives_each_day_its_part() {
    // 16:30 to 07:30 next day, 15 hours with 9000: 10 a minute, 30 minutes on either side.
    let gap = [seen("2026-11-23T15:29:00Z", 0.0), seen("2026-11-23T15:30:00Z", 10.0), seen("2026-11-24T06:30:00Z", 9010.0)];
    let days = counted(&office(), gap);
    assert_eq!((days[0].transactions, days[1].transactions), (Some(310.0), Some(300.0)));
    assert!(days[0].notes.contains(&"gap 16:30-17:00: 300 transactions spread over it".to_owned()), "{:?}", days[0].notes);
    assert!(days[1].notes.contains(&"gap 07:00-07:30: 300 transactions spread over it".to_owned()), "{:?}", days[1].notes);
    // Over more than five days it says nothing of any.
    let long = [seen("2026-11-23T15:29:00Z", 0.0), seen("2026-11-23T15:30:00Z", 10.0), seen("2026-11-30T06:30:00Z", 9010.0)];
    let days = counted(&office(), long);
    assert_eq!((days[0].transactions, days[1].transactions), (Some(10.0), None));
}

#[test]
fn many_gaps_are_told_together() {
    let day = &counted(&office(), (0..10).map(|n| seen(&format!("2026-11-23T09:{:02}:00Z", 5 * n), f64::from(n))))[0];
    // Nine gaps of five minutes; six told, three not.
    assert_eq!(day.notes.iter().filter(|note| note.starts_with("gap ")).count(), 6);
    assert_eq!(day.notes.last().unwrap(), "3 more gaps, 15 min together");
}

#[test]
fn a_restart_counts_from_the_start_of_the_server() {
    // Last seen at 10:15, up again at 10:20:20, seen at 10:21 with 80.
    let before = steady("2026-11-23T06:00:00Z", "2026-11-23T09:15:00Z", 1, 1_000_000.0, 100.0);
    let after = steady("2026-11-23T09:21:00Z", "2026-11-23T16:00:00Z", 1, 80.0, 100.0);
    let up = |sighting: Sighting| {
        let start = instant("2026-11-23T09:20:20Z").timestamp_millis();
        Sighting { uptime: Some((sighting.at - start) as f64 / 1000.0), ..sighting }
    };
    let day = &counted(&office(), before.into_iter().chain(after.into_iter().map(up)))[0];
    // 195 × 100 + 80 + 399 × 100; 5 min 20 s of 600 min not watched.
    assert_eq!(day.transactions, Some(59_480.0));
    assert!((day.coverage - (600.0 - 16.0 / 3.0) / 600.0).abs() < 1e-12, "{}", day.coverage);
    assert_eq!(day.notes, ["the server was restarted at 10:20"]);
}

#[test]
fn a_restart_in_the_night_counts_what_came_after_opening() {
    // Up since 05:00, seen at 07:30 with 1500, 10 a minute: 30 minutes of them are of business hours, and nobody watched.
    let morning = Sighting { uptime: Some(9000.0), ..seen("2026-11-24T06:30:00Z", 1500.0) };
    let days = counted(&office(), [seen("2026-11-23T15:59:00Z", 7e6), seen("2026-11-23T16:00:00Z", 7e6), morning]);
    assert_eq!((days[1].transactions, days[1].transactions_all_day, days[1].coverage), (Some(300.0), Some(1500.0), 0.0));
    assert!(!days[1].notes.iter().any(|note| note.contains("restarted")), "{:?}", days[1].notes);
}

#[test]
fn uptimes_that_nobody_reads_make_a_fall_a_restart() {
    let blind = |sighting| Sighting { uptime: None, ..sighting };
    let all = [seen("2026-11-23T09:00:00Z", 500.0), seen("2026-11-23T09:01:00Z", 600.0), seen("2026-11-23T09:02:00Z", 30.0)];
    let day = &counted(&office(), all.map(blind))[0];
    // What of the second minute was watched is not known.
    assert_eq!((day.transactions, day.coverage), (Some(130.0), 1.0 / 600.0));
    assert!(day.notes.contains(&"the server was restarted at 10:02".to_owned()), "{:?}", day.notes);
}

#[test]
fn set_stat_and_a_counter_at_its_end_are_told_apart() {
    let day = |totals: [f64; 3]| {
        let at = ["2026-11-23T09:00:00Z", "2026-11-23T09:01:00Z", "2026-11-23T09:02:00Z"];
        let day = counted(&office(), at.iter().zip(totals).map(|(at, total)| seen(at, total))).remove(0);
        (day.transactions, day.coverage, day.notes[2..].to_vec())
    };
    let covered = 2.0 / 600.0;
    assert_eq!(day([500.0, 600.0, 30.0]), (Some(130.0), covered, vec!["counter reset by hand at 10:02".to_owned()]));
    let end = vec!["the counter of transactions passed the end of its range at 10:02".to_owned()];
    // 2^31 = 2147483648: 48 to the end and 52 after it.
    assert_eq!(day([2_147_483_500.0, 2_147_483_600.0, -2_147_483_596.0]), (Some(200.0), covered, end));
}

#[test]
fn days_on_which_clocks_change_have_the_hours_they_have() {
    let always = schedule("00:00-24:00", 7);
    // Midnight to midnight in Berlin, 100 an hour: 23 hours on 29 March, 25 on 25 October.
    for (day, from, to, hours) in [
        ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23.0),
        ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25.0),
    ] {
        let found = counted(&always, steady(from, to, 60, 0.0, 100.0));
        assert_eq!((found[0].date, found[0].transactions), (date(day), Some(100.0 * hours)));
        assert_eq!(
            (found[0].coverage, found[0].coverage_all_day, found[0].transactions_all_day),
            (1.0, 1.0, Some(100.0 * hours))
        );
        // 07:00 to 17:00 are ten hours.
        let found = counted(&schedule("07:00-17:00", 7), steady(from, to, 60, 0.0, 100.0));
        assert_eq!((found[0].transactions, found[0].coverage, found[0].coverage_all_day), (Some(1000.0), 1.0, 1.0));
    }
}

#[test]
fn hours_over_midnight_belong_to_the_day_they_open_on() {
    // 22:00 to 06:00, 100 an hour; the civil day of the opening has two of the eight hours.
    let days = counted(&schedule("22:00-06:00", 5), steady("2026-11-23T21:00:00Z", "2026-11-24T05:00:00Z", 60, 0.0, 100.0));
    assert_eq!(days.len(), 1);
    assert_eq!((days[0].date, days[0].transactions, days[0].coverage), (date("2026-11-23"), Some(800.0), 1.0));
    assert_eq!((days[0].transactions_all_day, days[0].coverage_all_day), (Some(200.0), 2.0 / 24.0));
}

#[test]
fn a_day_that_is_not_over_says_so() {
    let day = &counted(&office(), steady("2026-11-23T06:00:00Z", "2026-11-23T09:41:00Z", 1, 0.0, 100.0))[0];
    // 221 minutes.
    assert_eq!((day.transactions, day.coverage, day.coverage_so_far), (Some(22_100.0), 221.0 / 600.0, 1.0));
    assert_eq!(day.so_far, Some(instant("2026-11-23T09:41:00Z")));
    assert_eq!(day.notes, ["so far, until 10:41", "coverage 36 %, not in means"]);
    assert!(!day.is_whole());
}

#[test]
fn a_reading_of_users_stands_until_the_next_one() {
    let users = |at: &str, users: f64| active(Sighting { connected: Some(2.0 * users), ..hourly(at, 0.0) }, "30m", users);
    // Three hours of 300, then 900 until the next, and that is two hours later: an hour and a half of them.
    let day = counted(
        &office(),
        [
            users("2026-11-23T05:00:00Z", 5000.0),
            users("2026-11-23T06:00:00Z", 300.0),
            users("2026-11-23T07:00:00Z", 300.0),
            users("2026-11-23T08:00:00Z", 300.0),
            users("2026-11-23T09:00:00Z", 900.0),
            users("2026-11-23T11:00:00Z", 300.0),
            users("2026-11-23T16:00:00Z", 4000.0),
        ],
    )
    .remove(0);
    // 300 again stands for an hour and a half; the readings before opening and at closing are outside.
    let mean = (300.0 * 3.0 + 900.0 * 1.5 + 300.0 * 1.5) / 6.0;
    assert_eq!((day.active, day.connected), (Some(mean), Some(2.0 * mean)));
    assert_eq!(day.active_peak, Some((900.0, instant("2026-11-23T09:00:00Z"))));
    assert_eq!(day.active_from.unwrap().selector(), "domino_users_active{window=\"30m\"}");
    // The last reading of all stands for its hour and a half, too.
    let day = counted(&office(), [users("2026-11-23T06:00:00Z", 300.0), users("2026-11-23T07:00:00Z", 600.0)]).remove(0);
    assert_eq!(day.active, Some((300.0 + 1.5 * 600.0) / 2.5));
}

#[test]
fn the_widest_window_is_taken_or_the_one_asked_for() {
    let all = || {
        let reading = |at| active(active(active(seen(at, 0.0), "now", 10.0), "5m", 50.0), "15m", 150.0);
        ["2026-11-23T09:00:00Z", "2026-11-23T09:01:00Z"].map(reading)
    };
    let day = counted(&office(), all()).remove(0);
    assert_eq!((day.active_from, day.active), (Window::named("15m"), Some(150.0)));
    let asked = |window: &str| {
        let mut tally = Tally::new(office(), Window::named(window));
        all().iter().for_each(|sighting| tally.push(sighting));
        tally.days().map(|day| (day.active_from, day.active)).collect::<Vec<_>>()
    };
    assert_eq!(asked("5m"), [(Window::named("5m"), Some(50.0))]);
    // Another one in its place would be another quantity.
    assert_eq!(asked("30m"), [(None, None)]);
    // A server that was upgraded at the end of the day is measured as it was most of the day.
    let late = active(active(seen("2026-11-23T09:30:00Z", 0.0), "15m", 150.0), "30m", 300.0);
    let day = counted(&office(), all().into_iter().chain([late])).remove(0);
    assert_eq!(day.active_from, Window::named("15m"));
}

#[test]
fn what_is_counted_beside_begins_anew_by_itself() {
    let at = ["2026-11-23T09:00:00Z", "2026-11-23T09:01:00Z", "2026-11-23T09:02:00Z"];
    let web = [(500.0, 7.0), (600.0, 9.0), (30.0, 12.0)];
    let reading = |(at, (requests, sessions)): (&&str, (f64, f64))| {
        let sighting = beside(beside(seen(at, 0.0), "http_requests", requests), "imap_sessions", sessions);
        Sighting { traveler_online: Some(sessions), ..sighting }
    };
    let day = counted(&office(), at.iter().zip(web).map(reading)).remove(0);
    assert_eq!((day.beside[place("http_requests")], day.beside[place("imap_sessions")]), (Some(130.0), Some(5.0)));
    assert_eq!((day.beside[place("ldap_sessions")], day.transactions), (None, Some(0.0)));
    // 7 and 9 for a minute each, 12 for a minute and a half.
    assert_eq!(day.traveler_online, Some((7.0 + 9.0 + 1.5 * 12.0) / 3.5));
}

#[test]
fn a_gap_in_a_recording_shows_though_each_row_claims_the_time_before_it() {
    let rows = |minutes: &[i64]| {
        let row = |pair: &[i64]| Sighting {
            live: false,
            every: 60.0 * (pair[1] - pair[0]) as f64,
            ..seen(&(instant("2026-11-23T06:00:00Z") + chrono::TimeDelta::minutes(pair[1])).to_rfc3339(), pair[1] as f64)
        };
        minutes.windows(2).map(row).collect::<Vec<_>>()
    };
    // Every minute for ten minutes, then after half an hour.
    let minute: Vec<i64> = (-1..=10).chain([40, 41]).collect();
    let day = &counted(&office(), rows(&minute))[0];
    assert_eq!((day.transactions, day.coverage), (Some(41.0), 11.0 / 600.0));
    // Every half hour there is none.
    let half: Vec<i64> = (-1..=20).map(|n| 30 * n).collect();
    let day = &counted(&office(), rows(&half))[0];
    assert_eq!((day.transactions, day.coverage), (Some(600.0), 1.0));
    // Twice a day nobody watches, whatever the pace.
    let rare: Vec<i64> = (-1..=4).map(|n| 720 * n).collect();
    assert!(counted(&office(), rows(&rare)).iter().all(|day| day.coverage == 0.0));
}

#[test]
fn what_was_seen_already_is_left_out_and_old_days_can_be_forgotten() {
    let mut tally = Tally::new(office(), None);
    let all = steady("2026-11-23T06:00:00Z", "2026-11-25T16:00:00Z", 60, 0.0, 100.0);
    all.iter().chain(&all[3..5]).for_each(|sighting| tally.push(sighting));
    let days = |tally: &Tally| tally.days().map(|day| (day.date, day.transactions)).collect::<Vec<_>>();
    let every = ["2026-11-23", "2026-11-24", "2026-11-25"].map(|day| (date(day), Some(1000.0)));
    assert_eq!((days(&tally), tally.newest()), (every.to_vec(), Some(instant("2026-11-25T16:00:00Z"))));
    tally.forget_before(date("2026-11-25"));
    assert_eq!(days(&tally), every[2..]);
    // From now on there are other hours: 08:00 to 10:00.
    tally.reschedule(schedule("08:00-10:00", 5));
    steady("2026-11-25T17:00:00Z", "2026-11-26T16:00:00Z", 60, 5900.0, 100.0).iter().for_each(|sighting| tally.push(sighting));
    assert_eq!(days(&tally), [every[2], (date("2026-11-26"), Some(200.0))]);
}
