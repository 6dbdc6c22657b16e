//! `[partition.fields]`: which samples of another application stand for which rows of a partition.

use toml::de::{DeTable, DeValue};

use super::selector::Selector;
use super::{Problem, line_of};
use crate::catalog::{self, Metric, Place};
use crate::nearest::nearest;

/// The table as a problem names it.
const HEAD: &str = "[partition.fields]";

/// A row of a partition, and where its number stands in another application.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The row.
    pub metric: &'static Metric,
    /// Values of the row's labels in their order, without `partition`.
    pub labels: Vec<String>,
    /// Which samples it is read from; in the row's unit.
    pub from: Selector,
}

/// Every line of the table that is right; the others become problems.
pub(super) fn fields(text: &str, table: &DeTable<'_>, problems: &mut Vec<Problem>) -> Vec<Field> {
    let mut fields: Vec<(usize, Field)> = Vec::new();
    let mut lines: Vec<_> = table.iter().map(|(key, value)| (line_of(text, key.span().start), key, value)).collect();
    lines.sort_by_key(|(line, ..)| *line);
    for (line, key, value) in lines {
        let key = key.get_ref().as_ref();
        match field(key, value.get_ref()).and_then(|field| alone(field, &fields)) {
            Ok(field) => fields.push((line, field)),
            Err(what) => problems.push(Problem { line, what: format!("`{key}` in {HEAD}: {what}") }),
        }
    }
    fields.into_iter().map(|(_, field)| field).collect()
}

fn field(key: &str, value: &DeValue<'_>) -> Result<Field, String> {
    let (metric, labels) = row(&Selector::parse(key)?)?;
    let DeValue::String(from) = value else {
        return Err("name the samples in quotation marks, like 'http_requests_total{code=\"200\"}'".to_owned());
    };
    Ok(Field { metric, labels, from: Selector::parse(from)? })
}

fn alone(field: Field, before: &[(usize, Field)]) -> Result<Field, String> {
    match before.iter().find(|(_, other)| (other.metric, &other.labels) == (field.metric, &field.labels)) {
        Some((line, _)) => Err(format!("stands in line {line} already, take one of them out")),
        None => Ok(field),
    }
}

/// The row that is meant, and the values of its labels.
fn row(wanted: &Selector) -> Result<(&'static Metric, Vec<String>), String> {
    let metric = catalog::metric(&wanted.name).ok_or_else(|| {
        let near = nearest(&wanted.name, offered().map(|metric| metric.name));
        let next = near.map_or_else(|| "`weekline metrics` lists them all".to_owned(), |name| format!("did you mean `{name}`?"));
        format!("there is no metric `{}`, {next}", wanted.name)
    })?;
    readable(metric)?;
    let own: Vec<&'static str> = metric.labels.iter().copied().filter(|label| *label != "partition").collect();
    for (label, _) in &wanted.labels {
        match own.iter().find(|own| *own == label) {
            Some(_) => {}
            None if label == "partition" => return Err("leave `partition` out, the partition has its name already".to_owned()),
            None if own.is_empty() => return Err(format!("has no label `{label}`, leave it out")),
            None => return Err(format!("has no label `{label}`, only {}", quoted(&own))),
        }
    }
    let labels = own.iter().map(|label| value(metric, label, wanted)).collect::<Result<_, _>>()?;
    Ok((metric, labels))
}

fn offered() -> impl Iterator<Item = &'static Metric> {
    catalog::metrics().filter(|metric| readable(metric).is_ok())
}

/// Refuses rows that no application can say something about.
fn readable(metric: &Metric) -> Result<(), String> {
    if metric.found.iter().any(|found| found.place == Place::Agent) {
        return Err("is what Weekline says of itself, and nobody else can".to_owned());
    }
    if !metric.labels.contains(&"partition") {
        return Err("is of the host and of no partition; only metrics with the label `partition` can stand here".to_owned());
    }
    if metric.found.is_empty() {
        let from = metric.derive.iter().flat_map(catalog::Derive::reads).collect::<Vec<_>>();
        return Err(format!("follows from {}, name what it follows from", quoted(&from)));
    }
    Ok(())
}

/// The value of one label: any text, or one of those the row can have where the catalog knows them all.
fn value(metric: &Metric, label: &str, wanted: &Selector) -> Result<String, String> {
    let known = values(metric, label);
    let example = known.first().unwrap_or(&"…");
    let Some((_, value)) = wanted.labels.iter().find(|(name, _)| name == label) else {
        return Err(format!("say which `{label}`, like `{label}=\"{example}\"`"));
    };
    if known.is_empty() || known.contains(&value.as_str()) {
        return Ok(value.clone());
    }
    Err(format!("there is no {label} `{value}`, only {}", quoted(&known)))
}

/// Every value that a label of a row can have; empty where it can have any.
fn values(metric: &Metric, label: &str) -> Vec<&'static str> {
    let place = metric.labels.iter().position(|name| *name == label);
    let implied = metric.found.iter().map(|found| place.and_then(|place| found.labels.get(place).copied()));
    let mut values: Vec<&'static str> = Vec::new();
    for value in implied {
        match value {
            None => return Vec::new(),
            Some(value) if values.contains(&value) => {}
            Some(value) => values.push(value),
        }
    }
    values
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
