//! By how much a counter of a server grew between two readings, whatever happened to it in between.
//!
//! A restart begins the counter anew, `set stat` sets it to zero, and a LONG of 32 bits runs over. The server's uptime tells the
//! first from the second. What a counter had gained before it began anew and was not read is lost, and nobody makes it up.

use crate::time::Millis;

/// How much further than the uptime two readings may lie apart: both are whole seconds, and an answer takes its time.
const SLACK: f64 = 2.0;
/// A thousandth of a day, in seconds: what an uptime is a multiple of where it was published in days with three decimals.
const THOUSANDTH: f64 = 86.4;
/// How near to the end of its range a counter must have been to have run over.
const NEAR: f64 = 10_000_000.0;
const TWO_31: f64 = 2_147_483_648.0;
const TWO_32: f64 = 4_294_967_296.0;
/// No counter grows by more than this in one interval.
const LEAP: f64 = 1_073_741_824.0;
/// How far, in milliseconds, clocks of two recordings of one server may be apart.
const CLOCKS: Millis = 600_000;
/// What is left of a counter, at least, that only seems to step back because clocks differ.
const STEPPED: f64 = 0.9;

/// One reading of a counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reading {
    /// When.
    pub at: Millis,
    /// The counter.
    pub total: f64,
    /// Seconds since its server started, where that was read.
    pub uptime: Option<f64>,
    /// Whether it was recorded in one run with the reading before.
    pub follows: bool,
}

/// What happened between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// It grew.
    Grew(f64),
    /// It passed the end of its range and grew by this all the same.
    Ran(f64),
    /// Its server started anew, at this instant where that is known, and it grew by this since.
    Restarted(Option<Millis>, f64),
    /// It was set to zero while its server ran on, and grew by this since.
    Set(f64),
    /// It leapt further than any server works; by how much it grew is not known.
    Leapt,
    /// Two recordings whose clocks differ; by how much it grew is not known, and is little.
    Stepped,
}

impl Step {
    /// By how much the counter grew, as far as it was read.
    pub(super) fn growth(self) -> f64 {
        match self {
            Step::Grew(by) | Step::Ran(by) | Step::Restarted(_, by) | Step::Set(by) => by.max(0.0),
            Step::Leapt | Step::Stepped => 0.0,
        }
    }

    /// What happened between `before` and `now`, which is later.
    pub(super) fn between(before: &Reading, now: &Reading) -> Step {
        if out_of_order(before, now) {
            return Step::Stepped;
        }
        if let Some(start) = start_between(before, now) {
            return Step::Restarted(Some(start), now.total);
        }
        match over(before.total, now.total) {
            Some(growth) => Step::Ran(growth),
            // Nothing tells a restart from a counter that was set; the one is common and the other is not.
            None if fell(before.total, now.total) && now.uptime.is_none() => Step::Restarted(None, now.total),
            None if fell(before.total, now.total) => Step::Set(now.total),
            None if now.total - before.total > LEAP => Step::Leapt,
            None => Step::Grew(now.total - before.total),
        }
    }
}

/// When the server started, if that was between the two readings.
fn start_between(before: &Reading, now: &Reading) -> Option<Millis> {
    let (uptime, earlier) = (now.uptime?, before.uptime);
    let coarse = if is_coarse(uptime) && earlier.is_none_or(is_coarse) { THOUSANDTH } else { 0.0 };
    let passed = (now.at - before.at) as f64 / 1000.0;
    let restarted = earlier.is_some_and(|earlier| uptime < earlier) || uptime < passed - coarse - SLACK;
    let start = now.at - ((uptime + coarse) * 1000.0) as Millis;
    restarted.then_some(start.clamp(before.at, now.at))
}

/// Whether an uptime was given in days with three decimals.
fn is_coarse(uptime: f64) -> bool {
    let multiple = uptime / THOUSANDTH;
    (multiple - multiple.round()).abs() < 1e-6
}

fn fell(before: f64, now: f64) -> bool {
    now < before || (before < 0.0 && now > 0.0 && now - before > LEAP)
}

/// The growth of a counter that passed the end of its range: to negative numbers, to zero, or to zero without a sign.
fn over(before: f64, now: f64) -> Option<f64> {
    let near = |end: f64| (end - NEAR..=end).contains(&before);
    let (signed, small) = (near(TWO_31), (0.0..NEAR).contains(&now));
    if signed && now < 0.0 {
        Some(now + TWO_32 - before)
    } else if signed && small {
        Some(now + TWO_31 - before)
    } else if near(TWO_32) && small {
        Some(now + TWO_32 - before)
    } else {
        None
    }
}

/// Whether the two are of two recordings whose clocks differ: shortly after each other, and a little too low.
fn out_of_order(before: &Reading, now: &Reading) -> bool {
    let little = |before: f64, now: f64| now < before && now >= STEPPED * before;
    let uptime = now.uptime.zip(before.uptime);
    let run_on =
        uptime.is_none_or(|(now, before)| now >= before || (little(before, now) && before - now <= CLOCKS as f64 / 1000.0));
    !now.follows && now.at - before.at <= CLOCKS && little(before.total, now.total) && run_on
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading so many seconds after the first one.
    fn reading(second: i64, total: f64, uptime: Option<f64>) -> Reading {
        Reading { at: 1000 * second, total, uptime, follows: true }
    }

    fn step(before: (f64, Option<f64>), now: (f64, Option<f64>), seconds: i64) -> Step {
        Step::between(&reading(0, before.0, before.1), &reading(seconds, now.0, now.1))
    }

    #[test]
    fn a_server_that_runs_on_grew_by_the_difference() {
        assert_eq!(step((100.0, Some(5000.0)), (160.0, Some(5060.0)), 60), Step::Grew(60.0));
        assert_eq!(step((100.0, None), (100.0, None), 60), Step::Grew(0.0));
        // Over a night.
        assert_eq!(step((100.0, Some(5000.0)), (900.0, Some(55_400.0)), 50_400), Step::Grew(800.0));
        // Answers take their time: 58 s of uptime in 60 s on the clock.
        assert_eq!(step((0.0, Some(0.0)), (7.0, Some(58.0)), 60), Step::Grew(7.0));
    }

    #[test]
    fn a_server_that_started_since_counts_from_its_start() {
        // Up for 40 s of the 60.
        assert_eq!(step((5000.0, Some(9000.0)), (70.0, Some(40.0)), 60), Step::Restarted(Some(20_000), 70.0));
        // Passed what it had before, after a long break: 3 h of 14.
        assert_eq!(step((50.0, Some(600.0)), (90.0, Some(10_800.0)), 50_400), Step::Restarted(Some(39_600_000), 90.0));
        // Up at once, and the clocks differ by a second: not before the reading before.
        assert_eq!(step((5000.0, Some(9000.0)), (70.0, Some(61.0)), 60), Step::Restarted(Some(0), 70.0));
        // Uptimes that nobody read: a fall is a restart.
        assert_eq!(step((5000.0, None), (70.0, None), 60), Step::Restarted(None, 70.0));
        // Read now, and not before.
        assert_eq!(step((5000.0, None), (70.0, Some(40.0)), 60), Step::Restarted(Some(20_000), 70.0));
    }

    #[test]
    fn a_counter_set_to_zero_counts_from_there() {
        assert_eq!(step((5000.0, Some(9000.0)), (70.0, Some(9060.0)), 60), Step::Set(70.0));
        assert_eq!(step((5000.0, None), (70.0, Some(9060.0)), 60), Step::Set(70.0));
    }

    #[test]
    fn a_long_runs_over_to_negative_numbers_or_to_zero() {
        let up = |total, second: f64| (total, Some(9000.0 + second));
        // 100 before the end, 2^31 - 100; 50 after it, -2^31 + 50.
        assert_eq!(step(up(2_147_483_548.0, 0.0), up(-2_147_483_598.0, 60.0), 60), Step::Ran(150.0));
        assert_eq!(step(up(2_147_483_548.0, 0.0), up(50.0, 60.0), 60), Step::Ran(150.0));
        assert_eq!(step(up(4_294_967_196.0, 0.0), up(50.0, 60.0), 60), Step::Ran(150.0));
        // Without uptimes just so.
        assert_eq!(step((2_147_483_548.0, None), (-2_147_483_598.0, None), 60), Step::Ran(150.0));
        // Negative numbers rise, and pass zero.
        assert_eq!(step(up(-2_147_483_598.0, 0.0), up(-2_147_483_500.0, 60.0), 60), Step::Grew(98.0));
        assert_eq!(step(up(-5.0, 0.0), up(10.0, 60.0), 60), Step::Grew(15.0));
        // From far below zero to above it in a minute is no growth.
        assert_eq!(step(up(-2_000_000_000.0, 0.0), up(500.0, 60.0), 60), Step::Set(500.0));
        assert_eq!(step((-2_000_000_000.0, None), (500.0, None), 60), Step::Restarted(None, 500.0));
        // Nor is a leap by more than 2^30.
        assert_eq!(step(up(3000.0, 0.0), up(2_147_480_000.0, 60.0), 60), Step::Leapt);
        // Too far from the end.
        assert_eq!(step(up(2_000_000_000.0, 0.0), up(50.0, 60.0), 60), Step::Set(50.0));
        // A restart is one, wherever the counter was.
        assert_eq!(step(up(2_147_483_548.0, 0.0), (50.0, Some(60.0)), 60), Step::Restarted(Some(0), 50.0));
    }

    #[test]
    fn uptimes_in_thousandths_of_a_day_make_no_restarts() {
        // A server reads every minute from its start; 86.4 s are a thousandth of a day, and what is over is cut off.
        let coarse = |seconds: f64| Some((seconds / 86.4).floor() / 1000.0 * 86_400.0);
        for minute in 0..3000 {
            let second = f64::from(minute) * 60.0;
            let found = step((second, coarse(second)), (second + 60.0, coarse(second + 60.0)), 60);
            assert_eq!(found, Step::Grew(60.0), "minute {minute}");
        }
        // A gap that began with the server's first reading.
        assert_eq!(step((0.0, coarse(0.0)), (600.0, coarse(599.0)), 599), Step::Grew(600.0));
        // Down from a day to a minute: up for less than 86.4 s, so somewhere in the whole interval.
        assert_eq!(step((9000.0, coarse(86_400.0)), (70.0, coarse(50.0)), 60), Step::Restarted(Some(0), 70.0));
    }

    #[test]
    fn two_recordings_whose_clocks_differ_are_no_restart() {
        let before = reading(0, 3_000_000.0, Some(90_000.0));
        let skewed = Reading { follows: false, ..reading(20, 2_999_000.0, Some(89_980.0)) };
        assert_eq!(Step::between(&before, &skewed), Step::Stepped);
        // In one recording it is one.
        assert_eq!(Step::between(&before, &Reading { follows: true, ..skewed }), Step::Restarted(Some(0), 2_999_000.0));
        // A server that starts every night and has the same total every evening.
        let evening = Reading { follows: false, ..reading(86_400, 2_999_000.0, Some(54_000.0)) };
        assert_eq!(Step::between(&Reading { uptime: Some(54_000.0), ..before }, &evening).growth(), 2_999_000.0);
    }
}
