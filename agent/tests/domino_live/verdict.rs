//! Whether an agent found on a day what the stand-in server says must be found, and nothing that was not there.

use serde_json::Value;
use weekline::analysis::activity::{Day, Window};
use weekline::analysis::events::{self, Event, Kind};
use weekline::analysis::series;
use weekline::catalog::{self, Derive, Metric};
use weekline::history::Point;
use weekline::time::{Millis, Span};

use super::agent::Agent;
use super::server::{UPGRADED, at};

/// When the two restarts of the day were over.
pub(crate) const STARTS: [&str; 2] = ["10:01:45", "15:01:45"];

/// The counter that everything is about.
const TOTAL: &str = "domino_transactions_total";
/// The open hours, in milliseconds.
const OPEN: f64 = 36_000_000.0;

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
    /// Whether an answer is waited for, so that a reading is of a moment after its tick.
    pub(crate) waits: bool,
}

impl Wanted<'_> {
    /// Judges all that can be judged of the day.
    pub(crate) fn judge(&self, agent: &Agent, partition: &str, case: &str) {
        assert_eq!(agent.faults, [""; 0], "{case}");
        assert_eq!(agent.kept, self.readings, "{case}");
        self.day(agent, partition, case);
        self.events(agent, case, late(agent, partition, self.minutes));
        self.derived(agent, case);
        assert_eq!(sum(agent, self.minutes), self.expected.pointer("/sampled/transactions").and_then(Value::as_f64), "{case}");
    }

    /// The figures of the day.
    fn day(&self, agent: &Agent, partition: &str, case: &str) {
        let late = late(agent, partition, self.minutes);
        assert!(self.waits || late == 0, "{case}: {late} ms after its tick");
        let day = day(agent, partition);
        figures(&day, self.expected, late);
        // What was not read before two restarts and a counter set by hand: the busiest minute has less than double the mean.
        let figure = |name: &str| self.expected.pointer(name).and_then(Value::as_f64).unwrap();
        let (all, lost) = (figure("/transactions"), figure("/transactions") - figure("/sampled/transactions"));
        assert!((0.0..=3.0 * 2.0 * all * self.minutes as f64 / 600.0).contains(&lost), "{case}: {lost} of {all} are lost");
        assert_eq!(day.active_from, Window::named("30m"), "{case}");
        // Both starts are told as much too late.
        assert!((day.coverage - self.coverage).abs() <= 1e-6 + 2.0 * late as f64 / OPEN, "{case}: {day:?}");
        assert_eq!(day.notes, self.notes, "{case}");
    }

    /// One restart and one upgrade; a counter set by hand and a new router are none.
    fn events(&self, agent: &Agent, case: &str, late: i64) {
        let found = events::events(&agent.history, &agent.schedule, &events::Options::all(Span::ALL)).unwrap();
        let [first, second] = found.as_slice() else { panic!("{case}: {found:#?}") };
        let second_kind = if self.tells_release { Kind::Upgrade } else { Kind::Restart };
        assert_eq!((first.kind, second.kind), (Kind::Restart, second_kind), "{case}");
        let told = |event: &Event, clock: &str| {
            let apart = (event.at - at(clock)).num_milliseconds();
            assert!(apart.abs() <= 1000 * self.tolerance + late, "{case}: {event:?}");
        };
        told(first, STARTS[0]);
        told(second, STARTS[1]);
        let after = self.tells_release.then_some(UPGRADED);
        assert_eq!(second.after.as_deref(), after, "{case}");
    }

    /// What follows from counters: never less than nothing, never over a restart.
    fn derived(&self, agent: &Agent, case: &str) {
        let starts = STARTS.map(|clock| tick(at(clock).timestamp_millis(), self.minutes) + 60_000 * self.minutes);
        let is_start = |point: &Point| starts.contains(&tick(point.at, self.minutes));
        for metric in catalog::metrics() {
            let Some(derive) = metric.derive else { continue };
            let grown = matches!(derive, Derive::Rate(_) | Derive::Quotient { .. } | Derive::Shares { .. });
            for series in series(&agent.history, metric, Span::ALL).unwrap() {
                for point in &series.points {
                    assert!(point.value.is_finite() && point.value >= 0.0, "{case}: {} {point:?}", metric.name);
                    assert!(!grown || !is_start(point), "{case}: {} {point:?}", metric.name);
                }
            }
        }
        let read = agent.history.points(catalog::metric(TOTAL).unwrap(), Span::ALL).unwrap().remove(0).points;
        let breaks: Vec<_> = read.iter().filter(|point| !point.follows).collect();
        assert_eq!((read.len(), breaks.len()), (self.readings, 1 + STARTS.len() + self.agents), "{case}");
        assert_eq!(breaks.iter().filter(|point| is_start(point)).count(), STARTS.len(), "{case}");
        // None at the first reading, after a restart of the server or the agent, or where this counter alone began anew.
        let points = self.readings - 1 - STARTS.len() - self.agents - 1;
        for row in ["domino_transactions_per_second", "domino_mail_delivered_per_second"] {
            assert_eq!(points_of(agent, catalog::metric(row).unwrap()), points, "{case}: {row}");
        }
    }
}

/// The only day of a partition, which says the same live and from the history.
pub(crate) fn day(agent: &Agent, partition: &str) -> Day {
    let (live, stored) = agent.days(partition);
    assert_eq!((live.len(), &live), (1, &stored), "{partition}");
    stored[0].clone()
}

/// The figures of a day that was read without a gap, and at most `late` milliseconds after each tick.
///
/// What is read late is put down late: the counter at its opening and at its end is off by what happened meanwhile, which in the
/// busiest time is twice the mean, and a reading of users stands for a little more or less than its time.
pub(crate) fn figures(day: &Day, expected: &Value, late: i64) {
    let expected = |path: &str| expected.pointer(path).and_then(Value::as_f64).unwrap();
    let near = |found: Option<f64>, expected: f64, off: f64| found.is_some_and(|found| (found - expected).abs() <= off);
    let late = late as f64;
    assert!(near(day.transactions, expected("/sampled/transactions"), late * 2.0 * expected("/transactions") / OPEN), "{day:?}");
    assert!(near(day.active, expected("/active_mean/Active30Min"), 1e-6 + late / 1000.0), "{day:?}");
    assert!(near(day.connected, expected("/connected_mean"), 1e-6 + late / 1000.0), "{day:?}");
}

/// How long after its tick, in milliseconds, a reading was taken at the latest.
pub(crate) fn late(agent: &Agent, partition: &str, minutes: i64) -> i64 {
    let all = agent.history.points(catalog::metric(TOTAL).unwrap(), Span::ALL).unwrap();
    let own = all.iter().filter(|series| series.labels.get(0) == Some(partition));
    own.flat_map(|series| &series.points).map(|point| point.at - tick(point.at, minutes)).max().unwrap()
}

/// The tick that an instant belongs to, in milliseconds.
fn tick(at: Millis, minutes: i64) -> Millis {
    at - at.rem_euclid(60_000 * minutes)
}

/// What the counter grew by from tick to tick in the open hours, and from zero where it began anew: to the transaction, whenever
/// a reading was taken.
fn sum(agent: &Agent, minutes: i64) -> Option<f64> {
    let read = agent.history.points(catalog::metric(TOTAL).unwrap(), Span::ALL).unwrap().remove(0).points;
    let open = at("07:00").timestamp_millis()..=at("17:00").timestamp_millis();
    let totals: Vec<f64> = read.iter().filter(|point| open.contains(&tick(point.at, minutes))).map(|point| point.value).collect();
    let growth = |pair: &[f64]| if pair[1] < pair[0] { pair[1] } else { pair[1] - pair[0] };
    Some(totals.windows(2).map(growth).sum())
}

fn points_of(agent: &Agent, metric: &'static Metric) -> usize {
    series(&agent.history, metric, Span::ALL).unwrap().iter().map(|series| series.points.len()).sum()
}
