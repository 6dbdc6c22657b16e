//! `weekline metrics`: the catalog.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{Common, print, print_json, setup, status};
use crate::catalog::{self, Metric, Place};
use crate::report;
use crate::report::status::UnknownField;

/// Arguments of `weekline metrics`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// List what the running service is offered and no row claims, as blocks for the configuration
    #[arg(long)]
    unknown: bool,
    /// Where the service listens, over `listen` in [web]
    #[arg(long, value_name = "ADDR", requires = "unknown")]
    listen: Option<SocketAddr>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    if args.unknown {
        let config = setup::config(common)?;
        let unknown = status::ask(args.listen.unwrap_or(config.listen))?.unknown;
        if common.json {
            print_json(&json!({ "unknown": unknown }))?;
        } else if unknown.is_empty() {
            print("everything the last samples offered is in the catalog or left out on purpose\n")?;
        } else {
            print(&blocks(&unknown))?;
        }
    } else if common.json {
        print_json(&json!({ "metrics": catalog::metrics().map(row).collect::<Vec<_>>() }))?;
    } else {
        print(&catalog::metrics().map(|metric| format!("{}\n", line(metric))).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(metric: &Metric) -> Value {
    json!({
        "name": metric.name,
        "kind": metric.kind.to_string(),
        "unit": metric.unit.to_string(),
        "labels": metric.labels,
        "better": metric.better.to_string(),
        "help": metric.help,
        "derived": metric.derive.iter().flat_map(catalog::Derive::reads).collect::<Vec<_>>(),
        "found": metric.found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "also": metric.also,
    })
}

fn line(metric: &Metric) -> String {
    let labels = if metric.labels.is_empty() { String::new() } else { format!("{{{}}}", metric.labels.join(",")) };
    format!("{}{labels}\n    {}, {}. {}", metric.name, metric.kind, metric.unit, metric.help)
}

/// What the service was offered and no row claims: statistics as blocks for the configuration, each once, the rest by name.
fn blocks(unknown: &[UnknownField]) -> String {
    let mut statistics: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut others = BTreeSet::new();
    for UnknownField { partition, place, field } in unknown {
        if *place == Place::Domino.to_string() {
            statistics.entry(field).or_default().insert(partition);
        } else {
            others.insert(format!("{place}:{field}\n"));
        }
    }
    let mut out: String = others.into_iter().collect();
    for (name, partitions) in statistics {
        let partitions = partitions.into_iter().collect::<Vec<_>>().join(", ");
        // One line whatever the names are: the rest of a comment would be configuration.
        let offered = report::printable(&format!("# offered by {partitions}; \"counter\" if it only grows"));
        let name = toml::Value::from(report::printable(name));
        let _ = writeln!(out, "{offered}\n[[metric]]\nstatistic = {name}\nkind = \"gauge\"\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(partition: &str, place: Place, field: &str) -> UnknownField {
        UnknownField { partition: partition.to_owned(), place: place.to_string(), field: field.to_owned() }
    }

    #[test]
    fn a_statistic_is_a_block_of_the_configuration() {
        let unknown = [
            field("", Place::ProcStat, "new"),
            field("mail1", Place::Domprom, "Domino_New"),
            field("mail2", Place::Domprom, "Domino_New"),
            field("mail1", Place::Domino, "Server.Brand.New"),
            field("mail2", Place::Domino, "Server.Brand.New"),
            field("mail1", Place::Domino, "Object.mail\\a \"b\".X"),
            field("ma\nil1", Place::Domino, "Zebra.X\ninterval = \"1s\""),
        ];
        let out = blocks(&unknown);
        assert!(out.starts_with("domprom:Domino_New\nproc/stat:new\n# offered by mail1; "), "{out}");
        let blocks: toml::Table = out.splitn(3, '\n').last().unwrap().parse().unwrap();
        let found: Vec<_> = blocks["metric"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| {
                assert_eq!((block.as_table().unwrap().len(), block["kind"].as_str()), (2, Some("gauge")));
                block["statistic"].as_str().unwrap()
            })
            .collect();
        assert_eq!(found, ["Object.mail\\a \"b\".X", "Server.Brand.New", "Zebra.Xinterval = \"1s\""]);
        assert!(
            out.contains(
                "# offered by mail1, mail2; \"counter\" if it only grows\n[[metric]]\nstatistic = \"Server.Brand.New\"\n"
            )
        );
    }
}
