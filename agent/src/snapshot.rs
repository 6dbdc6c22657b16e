//! What was read in one instant, and the one door through which every number and every fact comes in.
//!
//! A source or a format gives bytes' meaning as `(place, field, labels, number)`; the catalog says which row that is.
//! Nothing else in the program turns a field into a metric.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::catalog::{self, Claim, FactRow, Metric, Place};
use crate::time::Timestamp;

/// Values of a metric's labels, in the order of `Metric::labels`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Labels(Box<[Cow<'static, str>]>);

impl Labels {
    /// The values `fixed` by the field's name, the `part` of it a pattern caught, then those `given` by the reader.
    pub fn new(fixed: &'static [&'static str], part: Option<&str>, given: &[&str]) -> Labels {
        let fixed = fixed.iter().map(|&value| Cow::Borrowed(value));
        let read = part.into_iter().chain(given.iter().copied());
        Labels(fixed.chain(read.map(|value| Cow::Owned(value.to_owned()))).collect())
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The value at this position, if there is one.
    pub fn get(&self, position: usize) -> Option<&str> {
        self.0.get(position).map(AsRef::as_ref)
    }

    /// The same without the value at this position.
    pub fn without(&self, position: usize) -> Labels {
        Labels(self.0.iter().enumerate().filter(|(i, _)| *i != position).map(|(_, value)| value.clone()).collect())
    }

    /// The same with a value put in at this position.
    pub fn with(&self, position: usize, value: &str) -> Labels {
        let mut values = self.0.to_vec();
        values.insert(position.min(values.len()), Cow::Owned(value.to_owned()));
        Labels(values.into())
    }

    /// As PromQL selects them, by the names their row has for them: `{mode="user"}`. Nothing without labels.
    pub fn selector(&self, names: &[&str]) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        // PromQL knows no \u{301}, so that everything but these three stays as it is.
        let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let pairs = names.iter().zip(self.values()).map(|(name, value)| format!("{name}=\"{}\"", quoted(value)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
    }
}

impl<S: Into<String>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(values: I) -> Labels {
        Labels(values.into_iter().map(|value| Cow::Owned(value.into())).collect())
    }
}

/// One number, in its row's unit.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The row.
    pub metric: &'static Metric,
    /// Which of its series.
    pub labels: Labels,
    /// The number; always finite.
    pub value: f64,
}

/// One text about the host or a part of it.
#[derive(Debug, Clone)]
pub struct Fact {
    /// What it is.
    pub row: &'static FactRow,
    /// What it is about.
    pub about: Labels,
    /// What was read.
    pub text: String,
}

/// All readings and facts of one instant on one host.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// When it was read; for a row of a file, the end of the interval it describes.
    pub at: Timestamp,
    /// The host it was read on.
    pub host: String,
    /// What of the host it tells: empty for the host itself, else a partition or a part of one.
    /// Each stream has its own instants, and a break of one is none of another.
    pub stream: String,
    /// The interval it stands for: the schedule's, or the file's own.
    pub every: Duration,
    /// Whether it continues what came before: `false` where nothing may be computed across the time before it.
    pub follows: bool,
    /// The numbers.
    pub readings: Vec<Reading>,
    /// The texts.
    pub facts: Vec<Fact>,
    /// What no row claims.
    pub unknown: BTreeSet<(Place, String)>,
}

impl Snapshot {
    /// Nothing read yet.
    pub fn new(at: Timestamp, host: &str, every: Duration) -> Snapshot {
        Snapshot {
            at,
            host: host.to_owned(),
            stream: String::new(),
            every,
            follows: true,
            readings: Vec::new(),
            facts: Vec::new(),
            unknown: BTreeSet::new(),
        }
    }

    /// The same, telling of a stream of its own.
    #[must_use]
    pub fn of(mut self, stream: &str) -> Snapshot {
        stream.clone_into(&mut self.stream);
        self
    }

    /// Takes a number: `field` as `place` calls it, in the unit it has there.
    ///
    /// `labels` are those the field's name does not imply, in the order of the row's labels.
    /// A number that is not finite is missing, not zero; a field that no row claims is noted in `unknown`.
    pub fn put(&mut self, place: Place, field: &str, labels: &[&str], number: f64) {
        match catalog::claim(place, field) {
            Claim::Row { metric, found, part } => {
                let given = found.labels.len() + usize::from(part.is_some()) + labels.len();
                debug_assert_eq!(given, metric.labels.len(), "labels of {} in {place}:{field}", metric.name);
                let value = number * found.times / found.per;
                if value.is_finite() {
                    self.readings.push(Reading { metric, labels: Labels::new(found.labels, part, labels), value });
                }
            }
            Claim::LeftOut => {}
            Claim::Unknown => {
                self.unknown.insert((place, field.to_owned()));
            }
        }
    }

    /// Takes a number that is known by its row: `labels` are all of them, `number` is in the row's unit.
    /// A number that is not finite is missing, not zero.
    pub fn put_row(&mut self, metric: &'static Metric, labels: &[&str], number: f64) {
        debug_assert_eq!(labels.len(), metric.labels.len(), "labels of {}", metric.name);
        if number.is_finite() {
            self.readings.push(Reading { metric, labels: Labels::new(&[], None, labels), value: number });
        }
    }

    /// Takes a text about the host, or about the part of it that `labels` name.
    pub fn note(&mut self, place: Place, field: &str, labels: &[&str], text: &str) {
        match catalog::fact(place, field) {
            Some(row) => self.facts.push(Fact { row, about: Labels::new(&[], None, labels), text: text.to_owned() }),
            // A text may also stand where a row expects a number; it is missing then, and known all the same.
            None => match catalog::claim(place, field) {
                Claim::Unknown => drop(self.unknown.insert((place, field.to_owned()))),
                Claim::Row { .. } | Claim::LeftOut => {}
            },
        }
    }

    /// The number of a series, if it was read.
    pub fn value(&self, metric: &str, labels: &[&str]) -> Option<f64> {
        let wanted = |reading: &&Reading| reading.metric.name == metric && reading.labels.values().eq(labels.iter().copied());
        self.readings.iter().find(wanted).map(|reading| reading.value)
    }

    /// The fact about the same thing in an earlier snapshot, where it says something else.
    fn changed<'a>(&self, earlier: &'a Snapshot) -> impl Iterator<Item = (&Fact, &'a Fact)> {
        self.facts.iter().filter_map(|fact| {
            let same = |old: &&Fact| old.row.name == fact.row.name && old.about == fact.about;
            earlier.facts.iter().find(same).filter(|old| old.text != fact.text).map(|old| (fact, old))
        })
    }

    /// Whether counters may have begun anew since `earlier`: another boot, other processors, another disk.
    pub fn breaks_from(&self, earlier: &Snapshot) -> bool {
        self.changed(earlier).any(|(fact, _)| fact.row.breaks)
    }

    /// Every reading, and the one of the same series in `earlier`.
    pub fn beside<'a>(&'a self, earlier: &'a Snapshot) -> impl Iterator<Item = (&'a Reading, Option<&'a Reading>)> {
        // Two snapshots of one host hold nearly the same readings in the same order.
        let mut next = 0;
        self.readings.iter().map(move |reading| {
            let same = |old: &Reading| std::ptr::eq(old.metric, reading.metric) && old.labels == reading.labels;
            let ahead = earlier.readings[next..].iter().position(same).map(|steps| next + steps);
            let found = ahead.or_else(|| earlier.readings[..next].iter().position(same));
            next = found.map_or(next, |found| found + 1);
            (reading, found.map(|found| &earlier.readings[found]))
        })
    }

    /// Counters that are lower than in `earlier`: each is a gap in what follows from it.
    pub fn falls_from<'a>(&'a self, earlier: &'a Snapshot) -> impl Iterator<Item = &'a Reading> {
        let counters = self.beside(earlier).filter(|(reading, _)| reading.metric.kind == catalog::Kind::Counter);
        counters.filter(|(reading, old)| old.is_some_and(|old| reading.value < old.value)).map(|(reading, _)| reading)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn snapshot() -> Snapshot {
        Snapshot::new(DateTime::UNIX_EPOCH, "h", Duration::from_secs(60))
    }

    #[test]
    fn put_scales_labels_and_keeps_what_is_finite() {
        let mut s = snapshot();
        s.put(Place::ProcStat, "user", &[], 150.0);
        s.put(Place::ProcStatCpu, "idle", &["3"], 100.0);
        s.put(Place::ProcLoadavg, "1", &[], f64::NAN);
        s.put(Place::ProcLoadavg, "surprise", &[], 1.0);
        s.put(Place::ProcMeminfo, "KernelStack", &[], 1.0);
        assert_eq!(s.value("host_cpu_seconds_total", &["user"]), Some(1.5));
        assert_eq!(s.value("host_cpu_core_seconds_total", &["idle", "3"]), Some(1.0));
        assert_eq!(s.readings.len(), 2);
        assert_eq!(s.unknown.iter().collect::<Vec<_>>(), [&(Place::ProcLoadavg, "surprise".to_owned())]);
    }

    #[test]
    fn labels_select_their_series_in_promql() {
        let labels: Labels = ["C:\\", "a \"b\"\nc", "e\u{301}\tä"].into_iter().collect();
        let selector = labels.selector(&["x", "y", "z"]);
        assert_eq!(selector, "{x=\"C:\\\\\",y=\"a \\\"b\\\"\\nc\",z=\"e\u{301}\tä\"}");
        assert_eq!(Labels::default().selector(&[]), "");
    }

    #[test]
    fn a_new_boot_breaks_and_a_new_disk_does_not() {
        let mut first = snapshot();
        first.note(Place::System, "boot_id", &[], "a");
        first.note(Place::System, "kernel", &[], "6.1");
        let mut second = first.clone();
        second.note(Place::System, "disk", &["sda"], "17");
        second.facts[1].text = "6.2".to_owned();
        assert!(!second.breaks_from(&first));
        second.facts[0].text = "b".to_owned();
        assert!(second.breaks_from(&first));
    }

    #[test]
    fn only_counters_fall() {
        let mut first = snapshot();
        first.put(Place::ProcStat, "ctxt", &[], 10.0);
        first.put(Place::ProcLoadavg, "1", &[], 2.0);
        let mut second = snapshot();
        second.put(Place::ProcStat, "ctxt", &[], 9.0);
        second.put(Place::ProcLoadavg, "1", &[], 1.0);
        assert_eq!(second.falls_from(&first).map(|r| r.metric.name).collect::<Vec<_>>(), ["host_context_switches_total"]);
    }
}
