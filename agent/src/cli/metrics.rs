//! `weekline metrics`: the catalog.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use chrono::Utc;
use serde_json::{Value, json};

use super::{Common, print, print_json};
use crate::catalog::{self, Metric};
use crate::snapshot::Snapshot;
use crate::sources::{self, Settings, Watched};

/// Arguments of `weekline metrics`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// List what this server offers now that no row claims
    #[arg(long)]
    unknown: bool,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    if args.unknown {
        let unknown = unknown();
        if common.json {
            print_json(&json!({ "unknown": unknown }))?;
        } else if unknown.is_empty() {
            print("every field this server offers is in the catalog or left out on purpose\n")?;
        } else {
            print(&unknown.iter().map(|field| format!("{field}\n")).collect::<String>())?;
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

/// What one reading of every source brings that nobody claims.
fn unknown() -> Vec<String> {
    let settings = Settings { root: Path::new("/").to_owned(), network_file_systems: false };
    let mut sources: Vec<Watched> = sources::all(&settings).into_iter().map(Watched::new).collect();
    let mut snapshot = Snapshot::new(Utc::now(), "", Duration::ZERO);
    sources::read_all(&mut sources, &mut snapshot);
    snapshot.unknown.iter().map(|(place, field)| format!("{place}:{field}")).collect()
}
