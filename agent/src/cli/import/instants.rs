//! Distinct instants, counted without keeping each: a recording of a year is a handful of numbers.

use std::collections::BTreeMap;

use crate::time::Millis;

/// Instants as runs that do not overlap, by their first instant. What follows at one step is one run, so memory grows with
/// the gaps of a recording and not with its length.
#[derive(Default)]
pub(super) struct Instants {
    runs: BTreeMap<Millis, Run>,
}

/// `count` instants at this step.
#[derive(Clone, Copy)]
struct Run {
    step: Millis,
    count: i64,
}

impl Instants {
    /// Takes an instant; they come in any order, and as often as they like.
    pub(super) fn insert(&mut self, at: Millis) {
        let Some((&start, run)) = self.runs.range_mut(..=at).next_back() else {
            self.runs.insert(at, Run { step: 0, count: 1 });
            return;
        };
        let last = start + run.step * (run.count - 1);
        if at > last {
            let step = at - last;
            // A run of one instant has no step yet; the one after it gives it.
            if run.count == 1 || step == run.step {
                *run = Run { step, count: run.count + 1 };
            } else {
                self.runs.insert(at, Run { step: 0, count: 1 });
            }
        } else if run.count > 1 && (at - start) % run.step != 0 {
            let whole = *run;
            let before = (at - start) / whole.step + 1;
            run.count = before;
            self.runs.insert(start + before * whole.step, Run { count: whole.count - before, ..whole });
            self.runs.insert(at, Run { step: 0, count: 1 });
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.runs.values().map(|run| run.count.unsigned_abs()).sum()
    }

    /// The first and the last.
    pub(super) fn span(&self) -> Option<(Millis, Millis)> {
        let (&first, _) = self.runs.first_key_value()?;
        let (&start, run) = self.runs.last_key_value()?;
        Some((first, start + run.step * (run.count - 1)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of(all: impl IntoIterator<Item = Millis>) -> Instants {
        let mut instants = Instants::default();
        all.into_iter().for_each(|at| instants.insert(at));
        instants
    }

    /// Sections of `sadf -d` repeat the instants of a recording, and not every one begins or ends with it.
    #[test]
    fn a_regular_recording_is_a_run_however_often_it_is_told() {
        let minutes = |range: std::ops::Range<Millis>| range.map(|minute| minute * 60_000);
        let whole = of(minutes(0..500_000).chain(minutes(0..500_000)));
        assert_eq!((whole.count(), whole.runs.len(), whole.span()), (500_000, 1, Some((0, 499_999 * 60_000))));
        let parts = of(minutes(100..2000).chain(minutes(0..2500)).chain(minutes(50..60)));
        assert_eq!((parts.count(), parts.span()), (2500, Some((0, 2499 * 60_000))));
        assert!(parts.runs.len() <= 2);
        let days = of((0..1000).flat_map(|day| minutes(day * 1440 + 420..day * 1440 + 1020)));
        assert_eq!(days.count(), 600_000);
        assert!(days.runs.len() <= 2000, "{}", days.runs.len());
    }

    proptest::proptest! {
        #[test]
        fn instants_are_counted_as_a_set_counts_them(all in proptest::collection::vec(-40_i64..40, 0..120)) {
            let (instants, set) = (of(all.iter().copied()), all.iter().copied().collect::<BTreeSet<Millis>>());
            proptest::prop_assert_eq!(instants.count(), set.len() as u64);
            proptest::prop_assert_eq!(instants.span(), set.first().copied().zip(set.last().copied()));
        }
    }
}
