//! `weekline activity`: who used a Domino partition on a business day, and how much.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use anyhow::bail;
use chrono::NaiveDate;

use super::{Common, print, print_json, setup};
use crate::analysis::activity::{self, Activity, Options};
use crate::analysis::registered::Registered;
use crate::catalog;
use crate::config::{Config, Partition};
use crate::history::History;
use crate::report;

/// The row of which every partition has points.
const COUNTED: &str = "domino_transactions_total";

/// Arguments of `weekline activity`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many business days with data of each partition, counted back from its newest data
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    last: u16,
    /// Only this host
    #[arg(long)]
    host: Option<String>,
    /// Only this partition of a Domino server
    #[arg(long)]
    partition: Option<String>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let setup::Looking { history, schedule, config } = setup::looking(common)?;
    let registered = registered(&config)?;
    let options = Options {
        host: args.host.as_deref(),
        partition: args.partition.as_deref(),
        last: usize::from(args.last),
        window: setup::window(&config),
        registered: &|partition, date| {
            let (users, since) = registered.get(partition)?.on(date)?;
            Some((users, (since > NaiveDate::MIN).then_some(since)))
        },
    };
    let found = activity::activity(&history, &schedule, &options)?;
    let zone = schedule.zone().name();
    if found.partitions.is_empty() {
        named_wrongly(args, &history)?;
    }
    if common.json {
        print_json(&report::activity::json(&found, zone))?;
    } else if found.partitions.is_empty() {
        bail!(nothing(&history, &format!("{schedule} ({zone})"))?);
    } else {
        print(&text(&found, &schedule.to_string(), zone))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The users registered, by partition, where the configuration says so.
fn registered(config: &Config) -> anyhow::Result<BTreeMap<String, Registered>> {
    let of = |partition: &Partition| Ok(setup::registered(partition)?.map(|users| (partition.name.clone(), users)));
    config.partitions.iter().filter_map(|partition| of(partition).transpose()).collect()
}

fn text(found: &Activity, hours: &str, zone: &str) -> String {
    report::activity::text(found, &format!("{hours}, {zone}"))
}

/// Refuses a host or a partition that the history has nothing of.
fn named_wrongly(args: &Args, history: &History) -> anyhow::Result<()> {
    let hosts = history.hosts()?;
    if let Some(host) = args.host.as_ref().filter(|host| !hosts.contains(host)) {
        bail!("the history has no host `{host}`, it has {}", hosts.join(", "));
    }
    let partitions = partitions(history, args.host.as_deref())?;
    match &args.partition {
        Some(wanted) if !partitions.is_empty() && !partitions.contains(wanted) => {
            bail!("there is nothing of partition `{wanted}`, there is of {}", Vec::from_iter(partitions).join(", "))
        }
        _ => Ok(()),
    }
}

fn partitions(history: &History, host: Option<&str>) -> anyhow::Result<BTreeSet<String>> {
    let Some(metric) = catalog::metric(COUNTED) else { return Ok(BTreeSet::new()) };
    let mut series = history.named(metric)?;
    series.retain(|series| host.is_none_or(|host| &*series.host == host));
    Ok(series.iter().filter_map(|series| series.labels.values().last().map(str::to_owned)).collect())
}

/// Why there is no day, and what to do.
fn nothing(history: &History, hours: &str) -> anyhow::Result<String> {
    if partitions(history, None)?.is_empty() {
        return Ok("nothing of a Domino server yet: [[partition]] in the configuration names one for `weekline run`, \
             and saved `show stat` listings and console logs come in by `weekline import FILE`"
            .to_owned());
    }
    Ok(format!(
        "nothing of a Domino server in business hours, {hours}; `zone` and `hours` in [schedule] say what business hours are"
    ))
}
