//! Which number a series has in the file.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::catalog::Metric;
use crate::snapshot::{Labels, Snapshot};

/// Series this process has met, per host.
#[derive(Default)]
pub(super) struct Known(HashMap<String, OfHost>);

/// Numbers by row and labels.
type OfHost = HashMap<&'static str, HashMap<Labels, i64>>;

impl Known {
    /// The number of every reading's series; new series get one.
    pub(super) fn numbers(&mut self, change: &Transaction<'_>, snapshot: &Snapshot) -> rusqlite::Result<Vec<i64>> {
        if !self.0.contains_key(&snapshot.host) {
            self.0.insert(snapshot.host.clone(), HashMap::new());
        }
        let known = self.0.entry(snapshot.host.clone()).or_default();
        let mut numbers = Vec::with_capacity(snapshot.readings.len());
        for reading in &snapshot.readings {
            let of_row = known.entry(reading.metric.name).or_default();
            let number = match of_row.get(&reading.labels) {
                Some(&number) => number,
                None => {
                    let number = find_or_insert(change, &snapshot.host, reading.metric, &reading.labels)?;
                    of_row.insert(reading.labels.clone(), number);
                    number
                }
            };
            numbers.push(number);
        }
        Ok(numbers)
    }
}

fn find_or_insert(change: &Transaction<'_>, host: &str, metric: &Metric, labels: &Labels) -> rusqlite::Result<i64> {
    let labels = labels_to_text(metric.labels, labels);
    let find = "SELECT id FROM series WHERE metric = ?1 AND host = ?2 AND labels = ?3";
    let found = change.prepare_cached(find)?.query_row(params![metric.name, host, labels], |row| row.get(0)).optional()?;
    if let Some(number) = found {
        return Ok(number);
    }
    change.prepare_cached("INSERT INTO series (metric, host, labels) VALUES (?1, ?2, ?3)")?.execute(params![
        metric.name,
        host,
        labels
    ])?;
    Ok(change.last_insert_rowid())
}

/// Labels as a JSON object in the row's order, for anyone who looks in with a shell.
pub(super) fn labels_to_text(names: &[&str], labels: &Labels) -> String {
    let pairs = names.iter().zip(labels.values()).map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The values of the row's labels; `None` where the text is of other labels than the row has today.
pub(super) fn labels_from_text(names: &[&str], text: &str) -> Option<Labels> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    if object.len() != names.len() {
        return None;
    }
    names.iter().map(|name| object.get(*name)?.as_str()).collect()
}
