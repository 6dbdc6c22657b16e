//! Time that was measured twice counts once.
//!
//! What the service read stands for its time; what was imported fills the rest, the finer recording first.
//! A point is kept or dropped as a whole: one with half or more of its time taken already says little that is new.
//! Refused: a mean of both, which would be weighted by how often somebody recorded, and points cut to fit.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::history::Point;
use crate::time::Millis;

/// The time a point stands for; one that stands for none still takes its instant.
fn time(point: &Point) -> Range<Millis> {
    point.at - ((f64::from(point.over) * 1000.0).round() as Millis).max(1)..point.at
}

fn length(time: &Range<Millis>) -> Millis {
    time.end - time.start
}

/// Points of two origins in order of time; of two at one instant the live one stays, then the finer, then the one of `stored`.
pub(super) fn joined(stored: Vec<Point>, derived: Vec<Point>) -> Vec<Point> {
    if stored.is_empty() || derived.is_empty() {
        return if stored.is_empty() { derived } else { stored };
    }
    let rank = |point: &Point| (point.at, !point.live, length(&time(point)));
    let mut all: Vec<Point> = Vec::with_capacity(stored.len() + derived.len());
    let mut origin = None;
    let (mut i, mut j) = (0, 0);
    while i < stored.len() || j < derived.len() {
        let first = j == derived.len() || (i < stored.len() && rank(&stored[i]) <= rank(&derived[j]));
        let point = if first { stored[i] } else { derived[j] };
        if first {
            i += 1
        } else {
            j += 1
        }
        if all.last().is_none_or(|last| last.at < point.at) {
            all.push(Point { follows: point.follows && origin == Some(first), ..point });
            origin = Some(first);
        }
    }
    all
}

/// The points, in order of time, without the imported ones whose time others stand for.
pub(super) fn once(mut points: Vec<Point>) -> Vec<Point> {
    if !overlap(&points) {
        return points;
    }
    let mut imported: Vec<usize> = (0..points.len()).filter(|&i| !points[i].live).collect();
    imported.sort_by_key(|&i| (length(&time(&points[i])), i));
    let mut taken = Taken::default();
    points.iter().filter(|point| point.live).for_each(|point| taken.add(time(point)));
    let mut dropped = vec![false; points.len()];
    for i in imported {
        let time = time(&points[i]);
        dropped[i] = 2 * taken.within(&time) >= length(&time);
        if !dropped[i] {
            taken.add(time);
        }
    }
    let mut dropped = dropped.into_iter();
    let mut broken = false;
    points.retain_mut(|point| {
        let drop = dropped.next() == Some(true);
        point.follows &= !broken;
        broken = drop;
        !drop
    });
    points
}

/// Whether neighbours overlap by so much that a point might have to go.
///
/// A point's time is taken from either side by no more than the largest overlap of neighbours. A fifth of the shortest
/// time twice is less than half of any, so that clocks which drift by a second do not cost the long way.
fn overlap(points: &[Point]) -> bool {
    if points.iter().all(|point| point.live) {
        return false;
    }
    let shortest = points.iter().map(|point| length(&time(point))).min().unwrap_or(0);
    points.windows(2).any(|pair| 5 * (pair[0].at - time(&pair[1]).start) > shortest)
}

/// Time that is taken: starts and ends of stretches that do not touch.
#[derive(Default)]
struct Taken(BTreeMap<Millis, Millis>);

impl Taken {
    fn add(&mut self, mut time: Range<Millis>) {
        while let Some((&start, &end)) = self.0.range(..=time.end).next_back().filter(|&(_, &end)| end >= time.start) {
            self.0.remove(&start);
            time = start.min(time.start)..end.max(time.end);
        }
        self.0.insert(time.start, time.end);
    }

    /// How much of `time` is taken.
    fn within(&self, time: &Range<Millis>) -> Millis {
        let stretches = self.0.range(..time.end).rev().take_while(|&(_, &end)| end > time.start);
        stretches.map(|(&start, &end)| end.min(time.end) - start.max(time.start)).sum()
    }
}
