//! Whether an agent found on a day what the stand-in server says must be found, and nothing that was not there.

use serde_json::Value;
use weekline::analysis::activity::Window;
use weekline::analysis::events::{self, Event, Kind};
use weekline::analysis::series;
use weekline::catalog::{self, Derive, Metric};
use weekline::time::{Span, Timestamp};

use super::agent::Agent;
use super::server::{UPGRADED, at};

/// When the two restarts of the day were over.
pub(crate) const STARTS: [&str; 2] = ["10:01:45", "15:01:45"];

/// What must be found.
pub(crate) struct Wanted<'a> {
    /// What the stand-in says.
    pub(crate) expected: &'a Value,
    /// How many minutes there are from one reading to the next.
    pub(crate) minutes: i64,
    /// Readings in all.
    pub(crate) readings: usize,
    /// How often the agent was restarted.
    pub(crate) agents: usize,
    /// Share of the open hours that somebody watched.
    pub(crate) coverage: f64,
    /// What is noted of the day.
    pub(crate) notes: [&'static str; 3],
    /// Whether the way tells the release.
    pub(crate) tells_release: bool,
    /// How far from the truth, in seconds, a start may be told.
    pub(crate) tolerance: i64,
}

impl Wanted<'_> {
    /// Judges all that can be judged of the day.
    pub(crate) fn judge(&self, agent: &Agent, partition: &str, case: &str) {
        assert_eq!(agent.faults, [""; 0], "{case}");
        assert_eq!(agent.kept, self.readings, "{case}");
        self.day(agent, partition, case);
        self.events(agent, case);
        self.derived(agent, case);
    }

    /// The figures of the day.
    fn day(&self, agent: &Agent, partition: &str, case: &str) {
        let (live, stored) = agent.days(partition);
        assert_eq!(live, stored, "{case}");
        let [day] = stored.as_slice() else { panic!("{case}: {} days", stored.len()) };
        let expected = |path: &str| self.expected.pointer(path).and_then(Value::as_f64).unwrap();
        assert_eq!(day.transactions, Some(expected("/sampled/transactions")), "{case}");
        // What was not read before two restarts and a counter set by hand: the busiest minute has less than double the mean.
        let (all, lost) = (expected("/transactions"), expected("/transactions") - expected("/sampled/transactions"));
        assert!((0.0..=3.0 * 2.0 * all * self.minutes as f64 / 600.0).contains(&lost), "{case}: {lost} of {all} are lost");
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-6);
        assert!(near(day.active, expected("/active_mean/Active30Min")), "{case}: {day:?}");
        assert_eq!(day.active_from, Window::named("30m"), "{case}");
        assert!(near(day.connected, expected("/connected_mean")), "{case}: {day:?}");
        assert!(near(Some(day.coverage), self.coverage), "{case}: {day:?}");
        assert_eq!(day.notes, self.notes, "{case}");
    }

    /// One restart and one upgrade; a counter set by hand and a new router are none.
    fn events(&self, agent: &Agent, case: &str) {
        let found = events::events(&agent.history, &agent.schedule, &events::Options::all(Span::ALL)).unwrap();
        let [first, second] = found.as_slice() else { panic!("{case}: {found:#?}") };
        let second_kind = if self.tells_release { Kind::Upgrade } else { Kind::Restart };
        assert_eq!((first.kind, second.kind), (Kind::Restart, second_kind), "{case}");
        let told = |event: &Event, clock: &str| {
            let apart = (event.at - at(clock)).num_milliseconds();
            assert!(apart.abs() <= 1000 * self.tolerance, "{case}: {event:?}");
        };
        told(first, STARTS[0]);
        told(second, STARTS[1]);
        let after = self.tells_release.then_some(UPGRADED);
        assert_eq!(second.after.as_deref(), after, "{case}");
    }

    /// What follows from counters: never less than nothing, never over a restart.
    fn derived(&self, agent: &Agent, case: &str) {
        let starts = STARTS.map(|clock| self.first_reading_after(at(clock)).timestamp_millis());
        for metric in catalog::metrics() {
            let Some(derive) = metric.derive else { continue };
            let grown = matches!(derive, Derive::Rate(_) | Derive::Quotient { .. } | Derive::Shares { .. });
            for series in series(&agent.history, metric, Span::ALL).unwrap() {
                for point in &series.points {
                    assert!(point.value.is_finite() && point.value >= 0.0, "{case}: {} {point:?}", metric.name);
                    assert!(!grown || !starts.contains(&point.at), "{case}: {} {point:?}", metric.name);
                }
            }
        }
        // None at the first reading, after a restart of the server or the agent, or where this counter alone began anew.
        let points = self.readings - 1 - STARTS.len() - self.agents - 1;
        for row in ["domino_transactions_per_second", "domino_mail_delivered_per_second"] {
            assert_eq!(points_of(agent, catalog::metric(row).unwrap()), points, "{case}: {row}");
        }
    }

    fn first_reading_after(&self, at: Timestamp) -> Timestamp {
        let step = 60 * self.minutes;
        Timestamp::from_timestamp(at.timestamp().div_euclid(step) * step + step, 0).unwrap()
    }
}

fn points_of(agent: &Agent, metric: &'static Metric) -> usize {
    series(&agent.history, metric, Span::ALL).unwrap().iter().map(|series| series.points.len()).sum()
}
