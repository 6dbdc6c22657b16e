//! Restarts and upgrades, told by the uptime.

use super::*;

#[test]
fn an_upgrade_and_its_restart_are_one_event_at_the_start_of_the_server() {
    let mut made = Made::new();
    let listing = |s: &mut Snapshot, version: &str, build: &str, seconds: f64| {
        release(s, "mail1", version, build);
        uptime(s, "mail1", seconds);
    };
    made.live(at("2026-11-20T15:59:00Z"), |s| listing(s, "Release 12.0.2", "502", 300_000.0));
    made.live(at("2026-11-20T16:00:00Z"), |s| listing(s, "Release 12.0.2", "502", 300_060.0));
    // Monday 07:00 in Berlin, two days and an hour after the start on Saturday.
    made.live(at("2026-11-23T06:00:00Z"), |s| listing(s, "Release 14.5", "510", 176_400.0));
    made.live(at("2026-11-23T06:01:00Z"), |s| listing(s, "Release 14.5", "510", 176_460.0));
    assert_eq!(made.told_without_gaps(), ["2026-11-21 05:00:00 mail1 upgrade 12.0.2>14.5 release changed, restarted"]);
}

#[test]
fn a_release_that_goes_back_is_an_upgrade_too_and_a_build_alone_says_so() {
    let mut made = Made::new();
    let releases = [("Release 14.5", "510"), ("Release 12.0.2", "502"), ("Release 12.0.2", "503")];
    for (n, (version, build)) in releases.into_iter().enumerate() {
        made.live(at("2026-11-23T06:00:00Z") + TimeDelta::hours(n as i64), |s| release(s, "mail1", version, build));
    }
    assert_eq!(
        made.told_without_gaps(),
        [
            "2026-11-23 07:00:00 mail1 upgrade 14.5>12.0.2 release changed",
            "2026-11-23 08:00:00 mail1 upgrade build 502>build 503 build changed",
        ]
    );
}

#[test]
fn a_server_that_ran_for_less_time_than_passed_was_restarted() {
    let mut made = Made::new();
    // Up for 10 minutes, then for 20 minutes after half an hour: nothing fell, and it was started all the same.
    made.live(at("2026-11-24T09:00:00Z"), |s| uptime(s, "mail1", 600.0));
    made.live(at("2026-11-24T09:30:00Z"), |s| uptime(s, "mail1", 1200.0));
    // It goes on, read two seconds early and late.
    made.live(at("2026-11-24T09:31:00Z"), |s| uptime(s, "mail1", 1258.0));
    made.live(at("2026-11-24T09:32:00Z"), |s| uptime(s, "mail1", 1322.0));
    // Started in the second of the reading before.
    made.live(at("2026-11-24T09:33:00Z"), |s| uptime(s, "mail1", 60.0));
    assert_eq!(
        made.told_without_gaps(),
        ["2026-11-24 09:10:00 mail1 restart restarted after 10 min", "2026-11-24 09:32:00 mail1 restart restarted after 22 min"]
    );
}

#[test]
fn an_hour_more_or_less_on_the_clock_is_no_restart() {
    // The night of 2026-10-25 in Berlin, by the uptime and by the text alone; then a real restart.
    for told_by_uptime in [true, false] {
        let mut made = Made::new();
        let mut listing = |time: &str, start: &str, seconds: f64| {
            made.live(at(time), |s| {
                s.note(Place::Domino, "Server.Time.Start", &["mail1"], start);
                if told_by_uptime {
                    uptime(s, "mail1", seconds);
                }
            });
        };
        listing("2026-10-23T14:00:00Z", "20.10.2026 23:30:12 ZE2", 232_188.0);
        listing("2026-10-26T06:00:00Z", "20.10.2026 22:30:12 ZE1", 462_588.0);
        // The operating system writes its dates in another form.
        listing("2026-10-26T06:01:00Z", "10/20/2026 10:30:12 PM", 462_648.0);
        // An hour later, over midnight, and back.
        listing("2026-10-26T06:02:00Z", "10/20/2026 11:30:12 PM", 462_708.0);
        listing("2026-10-26T06:03:00Z", "10/21/2026 12:30:12 AM", 462_768.0);
        listing("2026-10-26T06:04:00Z", "10/20/2026 11:30:12 PM", 462_828.0);
        listing("2026-10-26T08:00:00Z", "10/26/2026 08:59:12 AM", 48.0);
        let expected = if told_by_uptime {
            "2026-10-26 07:59:12 mail1 restart restarted after 5 days"
        } else {
            "2026-10-26 08:00:00 mail1 restart restarted"
        };
        assert_eq!(made.told_without_gaps(), [expected]);
    }
}

/// Days with three decimals, cut.
fn coarse(seconds: f64) -> f64 {
    (seconds / 86.4).floor() * 86.4
}

#[test]
fn a_coarse_uptime_is_judged_mildly() {
    let mut made = Made::new();
    let start = at("2026-11-24T07:00:30Z");
    let mut seconds = 30.0;
    for n in 0..240 {
        // Restarted once, after two hours.
        seconds = if n == 120 { 45.0 } else { seconds + 60.0 };
        made.live(start + TimeDelta::minutes(n), |s| uptime(s, "mail1", coarse(seconds)));
    }
    // Up for two hours less 30 s, of which the coarse reading says 7171.2; the start is where the reading of 0 puts it.
    assert_eq!(made.told(), ["2026-11-24 09:00:30 mail1 restart restarted after 2 h"]);
}

#[test]
fn a_file_read_beside_the_service_is_no_restart() {
    let mut made = Made::new();
    let first = at("2026-11-24T09:00:00Z");
    for n in 0..60 {
        made.live(first + TimeDelta::minutes(n), |s| uptime(s, "mail1", coarse(5000.0 + 60.0 * n as f64)));
    }
    let exact = |n: i64| {
        let fill: Fill = Box::new(move |s| {
            release(s, "mail1", "Release 14.5", "510");
            uptime(s, "mail1", 5030.0 + 60.0 * n as f64);
        });
        (first + TimeDelta::seconds(30 + 60 * n), fill)
    };
    made.import("h", MINUTE, (0..60).map(exact));
    assert_eq!(made.told(), Vec::<String>::new());
}

#[test]
fn the_same_upgrade_read_live_and_from_a_file_is_one() {
    let mut made = Made::new();
    let first = at("2026-11-24T09:00:00Z");
    let reading = |n: i64| {
        if n < 30 { ("Release 12.0.2", 5000.0 + 60.0 * n as f64) } else { ("Release 14.5", 60.0 * (n - 30) as f64 + 20.0) }
    };
    for n in 0..60 {
        let (version, seconds) = reading(n);
        made.live(first + TimeDelta::minutes(n), |s| {
            release(s, "mail1", version, "1");
            uptime(s, "mail1", seconds);
        });
    }
    let later = |n: i64| {
        let (version, seconds) = reading(n);
        let fill: Fill = Box::new(move |s| {
            release(s, "mail1", version, "1");
            uptime(s, "mail1", seconds + 20.0);
        });
        (first + TimeDelta::minutes(n) + TimeDelta::seconds(20), fill)
    };
    made.import("h", MINUTE, (0..60).map(later));
    assert_eq!(made.told(), ["2026-11-24 09:29:40 mail1 upgrade 12.0.2>14.5 release changed, restarted"]);
}

#[test]
fn a_clock_that_was_set_is_an_event_and_no_restart() {
    let mut made = Made::new();
    made.live(at("2026-11-24T09:00:00Z"), |s| uptime(s, "mail1", 600.0));
    // Set forward by an hour: 61 minutes seem to have passed, and the server ran 11.
    made.live(at("2026-11-24T10:01:00Z"), |s| {
        s.note(Place::Agent, "clock", &[], "clock stepped by +3600.0 s");
        uptime(s, "mail1", 660.0);
    });
    // Set back by half an hour: readings of both times stand between each other.
    made.live(at("2026-11-24T09:32:00Z"), |s| {
        s.note(Place::Agent, "clock", &[], "clock stepped by -1800.0 s");
        uptime(s, "mail1", 720.0);
    });
    made.live(at("2026-11-24T10:02:00Z"), |s| uptime(s, "mail1", 2520.0));
    let told = made.told_without_gaps();
    assert_eq!(
        told,
        ["2026-11-24 09:32:00 h clock clock stepped by -1800.0 s", "2026-11-24 10:01:00 h clock clock stepped by +3600.0 s"]
    );
}

#[test]
fn restarts_are_found_across_a_year_of_silence_and_in_any_stretch() {
    let mut made = Made::new();
    let first = at("2024-01-01T10:00:00Z");
    // Two readings a day for two years; the server starts anew every hundredth day, one hour before the reading.
    let reading = |n: i64| {
        let fill: Fill = Box::new(move |s| uptime(s, "mail1", 43_200.0 * (n % 200) as f64 + 3600.0));
        (first + TimeDelta::hours(12 * n), fill)
    };
    made.import("h", MINUTE, (0..1460).map(reading));
    let restarts = made.events();
    let days: Vec<i64> = restarts.iter().map(|event| (event.at - first).num_hours()).collect();
    assert_eq!(days, [2399, 4799, 7199, 9599, 11999, 14399, 16799]);
    // Of a span in the middle those in it.
    let span = Span { start: first + TimeDelta::hours(7199), end: first + TimeDelta::hours(9599) };
    assert_eq!(made.of(&Options::all(span)).len(), 1);
}
