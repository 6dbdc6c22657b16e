//! Names of metrics as people type them: the row meant, or which other one serves.

use anyhow::bail;

use crate::catalog::{self, Derive, Kind, Metric, Unit};
use crate::nearest::nearest;

/// The row of this name, or what was meant.
pub(super) fn metric(name: &str) -> anyhow::Result<&'static Metric> {
    if let Some(metric) = catalog::metric(name) {
        return Ok(metric);
    }
    match nearest(name, catalog::metrics().map(|row| row.name)) {
        Some(near) => bail!("there is no metric `{name}`, did you mean `{near}`?"),
        None => bail!("there is no metric `{name}`; `weekline metrics` lists them all"),
    }
}

/// Refuses rows whose mean says nothing: counters, instants and texts.
pub(super) fn has_a_mean(metric: &Metric) -> anyhow::Result<()> {
    let name = metric.name;
    match (metric.kind, metric.unit) {
        (_, Unit::Timestamp) => bail!("`{name}` is an instant, and a mean of instants says nothing"),
        (_, Unit::Info) => bail!("`{name}` is a text in labels, and there is nothing to take a mean of"),
        (Kind::Counter, _) => match grows(name) {
            Some(row) => bail!("`{name}` only grows; did you mean `{}`?", row.name),
            None => bail!("`{name}` only grows and no metric follows from it; `weekline metrics` lists the others"),
        },
        (Kind::Gauge, _) => Ok(()),
    }
}

/// The row that says how a counter grows: its rate, before what else follows from it, and with as little else in it as can be.
fn grows(counter: &str) -> Option<&'static Metric> {
    let follows = catalog::metrics().filter_map(|row| {
        let derive = row.derive?;
        let reads = derive.reads();
        reads.contains(&counter).then_some(((!matches!(derive, Derive::Rate(_)), reads.len()), row))
    });
    follows.min_by_key(|&(rank, _)| rank).map(|(_, row)| row)
}

/// The rows with places to be read from that this one follows from, the nearest first.
pub(super) fn follows_from(metric: &'static Metric) -> Vec<&'static Metric> {
    let mut rows = vec![metric];
    let mut next = 0;
    while let Some(row) = rows.get(next) {
        for read in row.derive.iter().flat_map(Derive::reads).filter_map(catalog::metric) {
            if !rows.contains(&read) {
                rows.push(read);
            }
        }
        next += 1;
    }
    rows.into_iter().skip(1).filter(|row| !row.found.is_empty()).collect()
}
