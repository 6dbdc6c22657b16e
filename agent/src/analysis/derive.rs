//! One row out of others, interval by interval: the arms of [`Derive`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::overlap;
use crate::catalog::{self, Derive, Metric};
use crate::history::{Point, Series};
use crate::snapshot::Labels;

/// The longest interval a growth is taken over, in intervals of the schedule: one tick may be missing, no more,
/// so that nothing is computed across a night; a tenth for ticks that come late.
const LONGEST: f64 = 2.1;
/// How much faster than time a part of it may seem to pass before its counter is not believed.
const FASTEST: f64 = 1.1;
/// How much of the time must be accounted for by the other parts where the counter of one fell.
/// What the fallen part really grew by is then between nothing and the rest, a fiftieth.
const ACCOUNTED: f64 = 0.98;

/// Where rows that were read come from.
type Stored<'a, E> = &'a mut dyn FnMut(&'static Metric) -> Result<Vec<Series>, E>;

/// A host and the labels of a series.
type Key = (Arc<str>, Labels);

/// What was stored of a row and what follows from other rows, each time once.
///
/// Overlaps are settled here, at the end: on the way the readings of one instant must stay together, or of two recordings
/// with different columns neither would have all that a sum needs.
pub(super) fn series<E>(metric: &'static Metric, stored: Stored<'_, E>) -> Result<Vec<Series>, E> {
    let all = joined(metric, stored)?;
    Ok(all.into_iter().map(|series| Series { points: overlap::once(series.points), ..series }).collect())
}

/// What was stored of a row, and what follows from other rows.
fn joined<E>(metric: &'static Metric, stored: Stored<'_, E>) -> Result<Vec<Series>, E> {
    let read = if metric.found.is_empty() { Vec::new() } else { stored(metric)? };
    let derived = match metric.derive {
        Some(derive) => follow(derive, &mut |row| joined(row, &mut *stored))?,
        None => return Ok(read),
    };
    let mut all: BTreeMap<Key, Vec<Point>> = keyed(read);
    for (key, points) in keyed(derived) {
        let read = all.remove(&key).unwrap_or_default();
        all.insert(key, overlap::joined(read, points));
    }
    Ok(all.into_iter().map(|((host, labels), points)| Series { host, labels, points }).collect())
}

/// What follows from the rows that `of` gives.
pub(super) fn follow<E>(derive: Derive, of: Stored<'_, E>) -> Result<Vec<Series>, E> {
    let mut row = |name: &str| of(catalog::metric(name).expect("a test of the catalog finds every row named in it"));
    Ok(match derive {
        Derive::Rate(rows) => {
            let inputs = rows.iter().map(|name| Ok(growths(row(name)?))).collect::<Result<Vec<_>, E>>()?;
            by_key(inputs, |values, over| Some(values.iter().copied().sum::<f64>() / over))
        }
        Derive::Quotient { parts, whole } => {
            let inputs = parts.iter().chain(whole).map(|name| Ok(growths(row(name)?))).collect::<Result<Vec<_>, E>>()?;
            by_key(inputs, |values, _| {
                let (parts, whole) = values.split_at(parts.len());
                quotient(parts.iter().sum(), whole.iter().sum())
            })
        }
        Derive::Shares { of, over, capacity } => shares(position(of, over), row(of)?, &keyed(row(capacity)?)),
        Derive::Sum { of, over, values, optional } => sum(position(of, over), row(of)?, values, optional),
        Derive::OneMinus(of) => by_key(vec![row(of)?], |values, _| Some(1.0 - values[0])),
        Derive::Remaining { part, whole } => {
            by_key(vec![row(part)?, row(whole)?], |values, _| Some(1.0 - quotient(values[0], values[1])?))
        }
        Derive::Difference { from, less } => by_key(vec![row(from)?, row(less)?], |values, _| Some(values[0] - values[1])),
        Derive::Product(a, b) => by_key(vec![row(a)?, row(b)?], |values, _| Some(values[0] * values[1])),
    })
}

fn quotient(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn position(metric: &str, label: &str) -> usize {
    let labels = catalog::metric(metric).map_or(&[][..], |row| row.labels);
    labels.iter().position(|name| *name == label).expect("a row is split by a label it has")
}

fn keyed(all: Vec<Series>) -> BTreeMap<Key, Vec<Point>> {
    all.into_iter().map(|series| ((series.host, series.labels), series.points)).collect()
}

/// By how much a counter grew in each interval; NaN where it fell, nothing where it restarted or an interval is too long.
fn growth(points: &[Point]) -> Vec<Point> {
    let mut grown: Vec<Point> = Vec::with_capacity(points.len());
    for pair in points.windows(2) {
        let &[before, now] = pair else { continue };
        let over = (now.at - before.at) as f64 / 1000.0;
        if now.follows && over > 0.0 && over <= LONGEST * f64::from(now.over) {
            let follows = grown.last().is_some_and(|last| last.at == before.at);
            let value = if now.value >= before.value { now.value - before.value } else { f64::NAN };
            grown.push(Point { value, over: over as f32, follows, ..now });
        }
    }
    grown
}

/// [`growth`] of every series without the falls.
fn growths(all: Vec<Series>) -> Vec<Series> {
    let grown = |points: &[Point]| growth(points).into_iter().filter(|point| !point.value.is_nan()).collect();
    all.into_iter().map(|series| Series { points: grown(&series.points), ..series }).collect()
}

/// What several series say of one instant, one cell each.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    /// This.
    Here(f64),
    /// Nothing, though they say something shortly before or after: something was lost.
    Gap,
    /// Nothing, and nothing near: the system does not know this quantity.
    Absent,
}

/// Walks several series together. `each` gets one cell per series and a point with the instant they share.
fn walk(inputs: &[&[Point]], mut each: impl FnMut(&[Cell], Point)) {
    let mut next = vec![0; inputs.len()];
    let mut cells = vec![Cell::Absent; inputs.len()];
    loop {
        let heads = inputs.iter().zip(&next).filter_map(|(points, &i)| points.get(i));
        let Some(&instant) = heads.min_by_key(|point| point.at) else { return };
        for ((points, i), cell) in inputs.iter().zip(&mut next).zip(&mut cells) {
            *cell = cell_at(points, *i, &instant);
            *i += usize::from(points.get(*i).is_some_and(|point| point.at == instant.at));
        }
        each(&cells, instant);
    }
}

fn cell_at(points: &[Point], next: usize, instant: &Point) -> Cell {
    let near = |point: &Point| (point.at - instant.at).abs() as f64 <= 3000.0 * f64::from(instant.over);
    match points.get(next) {
        Some(point) if point.at == instant.at => {
            if point.value.is_nan() {
                Cell::Gap
            } else {
                Cell::Here(point.value)
            }
        }
        Some(point) if near(point) => Cell::Gap,
        _ if next > 0 && near(&points[next - 1]) => Cell::Gap,
        _ => Cell::Absent,
    }
}

/// Series of one host and the same labels in every input, combined where all of them say something.
fn by_key(inputs: Vec<Vec<Series>>, combine: impl Fn(&[f64], f64) -> Option<f64>) -> Vec<Series> {
    let inputs: Vec<BTreeMap<Key, Vec<Point>>> = inputs.into_iter().map(keyed).collect();
    let Some((first, others)) = inputs.split_first() else { return Vec::new() };
    let mut all = Vec::new();
    for (key, points) in first {
        let mut columns = vec![points.as_slice()];
        columns.extend(others.iter().filter_map(|other| other.get(key)).map(Vec::as_slice));
        if columns.len() != inputs.len() {
            continue;
        }
        let mut combined = Vec::with_capacity(points.len());
        let mut values = Vec::with_capacity(columns.len());
        walk(&columns, |cells, instant| {
            values.clear();
            values.extend(cells.iter().filter_map(|cell| if let Cell::Here(value) = cell { Some(*value) } else { None }));
            let value = (values.len() == cells.len()).then(|| combine(&values, f64::from(instant.over))).flatten();
            combined.extend(value.map(|value| Point { value, ..instant }));
        });
        all.push(Series { host: key.0.clone(), labels: key.1.clone(), points: combined });
    }
    all
}

/// Series grouped by host and all labels but the one at `position`; within a group by that label's value.
fn grouped(position: usize, all: Vec<Series>) -> BTreeMap<Key, Vec<(String, Vec<Point>)>> {
    let mut groups: BTreeMap<Key, Vec<(String, Vec<Point>)>> = BTreeMap::new();
    for series in all {
        let value = series.labels.get(position).unwrap_or_default().to_owned();
        groups.entry((series.host, series.labels.without(position))).or_default().push((value, series.points));
    }
    groups
}

/// [`Derive::Sum`].
fn sum(position: usize, all: Vec<Series>, wanted: &[&str], optional: &[&str]) -> Vec<Series> {
    let mut sums = Vec::new();
    for ((host, labels), members) in grouped(position, all) {
        let column =
            |wanted: &&str| members.iter().find(|(value, _)| value == wanted).map_or(&[][..], |(_, points)| points.as_slice());
        let columns: Vec<&[Point]> = wanted.iter().map(column).collect();
        let mut points = Vec::new();
        walk(&columns, |cells, instant| {
            let part = |(cell, name): (&Cell, &&str)| match cell {
                Cell::Here(value) => Some(*value),
                Cell::Absent if optional.contains(name) => Some(0.0),
                Cell::Absent | Cell::Gap => None,
            };
            let value: Option<f64> = cells.iter().zip(wanted).map(part).sum();
            points.extend(value.map(|value| Point { value, ..instant }));
        });
        sums.push(Series { host, labels, points });
    }
    sums
}

/// [`Derive::Shares`]: node_exporter's issues 1686, 742 and 1903 tell what counters of CPU time do in the field.
fn shares(position: usize, all: Vec<Series>, capacity: &BTreeMap<Key, Vec<Point>>) -> Vec<Series> {
    let mut shares = Vec::new();
    for ((host, labels), members) in grouped(position, all) {
        // The counters themselves are let go one by one: the rest needs their growth and nothing else.
        let (values, grown): (Vec<String>, Vec<Vec<Point>>) =
            members.into_iter().map(|(value, points)| (value, growth(&points))).unzip();
        let mut columns: Vec<&[Point]> = grown.iter().map(Vec::as_slice).collect();
        columns.push(capacity.get(&(host.clone(), Labels::default())).map_or(&[][..], Vec::as_slice));
        let mut parts = vec![Vec::new(); values.len()];
        walk(&columns, |cells, instant| {
            let Some((Cell::Here(capacity), growth)) = cells.split_last() else { return };
            if let Some(total) = whole(growth, capacity * f64::from(instant.over)) {
                for (part, cell) in parts.iter_mut().zip(growth) {
                    let value = match cell {
                        Cell::Here(grown) => grown / total,
                        Cell::Gap => 0.0,
                        Cell::Absent => continue,
                    };
                    part.push(Point { value, ..instant });
                }
            }
        });
        let labelled =
            |(value, points): (&String, _)| Series { host: host.clone(), labels: labels.with(position, value), points };
        shares.extend(values.iter().zip(parts).map(labelled));
    }
    shares
}

/// The growth of all parts together; `None` where it cannot be what happened in `seconds` of processor time.
fn whole(growth: &[Cell], seconds: f64) -> Option<f64> {
    let here = || growth.iter().filter_map(|cell| if let Cell::Here(grown) = cell { Some(*grown) } else { None });
    let total: f64 = here().sum();
    let gap = growth.contains(&Cell::Gap);
    let believable = total <= FASTEST * seconds && (!gap || total >= ACCOUNTED * seconds);
    (believable && total > 0.0).then_some(total)
}
