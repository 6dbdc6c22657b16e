//! `[[metric]]`: statistics of a Domino server that no row of the catalog claims, taken by their own name.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Table;
use toml::de::DeTable;

use super::Problem;
use super::entry::Entry;
use crate::catalog::{self, Claim, Place};

/// The list's name in the file.
pub(super) const LIST: &str = "metric";

/// A statistic to be kept though no row claims it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name as `show stat` prints it; one `*` may stand for any text. Letter case does not matter.
    pub statistic: String,
    /// Whether it only grows until the server restarts; else it moves freely.
    pub counter: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    statistic: String,
    kind: String,
}

/// Every entry that is right; what is wrong becomes problems.
pub(super) fn named(text: &str, tables: &[(usize, &DeTable<'_>)], problems: &mut Vec<Problem>) -> Vec<Named> {
    let mut all = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for &table in tables {
        let entry = Entry::read(text, LIST, table, |table| checked(table).map(drop), problems);
        problems.extend(entry.without("statistic", "write its name as `show stat` prints it"));
        problems.extend(entry.without("kind", "write \"counter\" for what only grows, else \"gauge\""));
        let Ok(named) = checked(entry.settings.clone()) else { continue };
        if entry.right("statistic") {
            let line = *lines.entry(named.statistic.to_ascii_lowercase()).or_insert(entry.line("statistic"));
            if line != entry.line("statistic") {
                problems.push(entry.problem("statistic", &format!("`{}` is named in line {line} already", named.statistic)));
            }
        }
        all.push(named);
    }
    all
}

/// An entry with every key checked in itself, or the first that is wrong; empty ones are missed by the caller.
pub(super) fn checked(table: Table) -> Result<Named, String> {
    let shape: Shape = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let counter = match shape.kind.as_str() {
        "counter" => true,
        // Nothing at all is missed by the caller.
        "gauge" | "" => false,
        other => return Err(format!("`{other}` is neither `counter` nor `gauge`")),
    };
    Ok(Named { statistic: statistic(shape.statistic)?, counter })
}

fn statistic(name: String) -> Result<String, String> {
    if name.contains(|c: char| c.is_control() || c == '=') || name.trim() != name {
        return Err(format!("`{name}` is no name of a statistic, write what stands before the ` = ` in `show stat`"));
    }
    if name.matches('*').count() > 1 {
        return Err(format!("`{name}` holds more than one `*`, make it several entries"));
    }
    if name == "*" {
        return Err("`*` alone would take every statistic, write how the names begin".to_owned());
    }
    match catalog::claim(Place::Domino, &name) {
        Claim::Row { metric, .. } => Err(format!("`{name}` is read already and kept as `{}`, take the entry out", metric.name)),
        Claim::LeftOut | Claim::Unknown => Ok(name),
    }
}
