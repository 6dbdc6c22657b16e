//! `weekline events`: what happened to hosts and partitions.

use std::process::ExitCode;

use anyhow::bail;

use super::export::edge;
use super::weeks::{known, look};
use super::{Common, print, print_json, say, setup};
use crate::analysis::events::{self, Kind, Options};
use crate::history::History;
use crate::nearest::nearest;
use crate::report;
use crate::schedule::Schedule;
use crate::time::Span;

/// Arguments of `weekline events`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many weeks, counted back from the newest data
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..), conflicts_with_all = ["from", "to"])]
    last: u16,
    /// First day, like 2026-10-05, in the schedule's zone; or an instant like 2026-10-05T07:00:00Z
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Last day, included; or an instant, not included
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only this host and its partitions
    #[arg(long)]
    host: Option<String>,
    /// Only this partition of a Domino server
    #[arg(long)]
    partition: Option<String>,
    /// Only this kind: upgrade, restart, crash, config, task_missing, log, host, clock or gap; may be given several times
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<Kind>,
    /// Columns to fill; without it the terminal's, or 80 into a pipe
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=500))]
    width: Option<u16>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let setup::Looking { history, schedule, .. } = setup::looking(common)?;
    known(args.host.as_deref(), &history)?;
    known_partition(args, &history)?;
    let found = match span(args, &history, &schedule)? {
        None => Vec::new(),
        Some(span) => {
            let (host, partition) = (args.host.clone(), args.partition.clone());
            events::events(&history, &schedule, &Options { span, host, partition, kinds: args.kind.clone() })?
        }
    };
    if common.json {
        print_json(&report::events::json(&found, schedule.zone()))?;
    } else if found.is_empty() {
        say(&nothing(args));
    } else {
        print(&report::events::text(&found, schedule.zone(), look(args.width).width))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn kind(text: &str) -> Result<Kind, String> {
    let names = || Kind::ALL.into_iter().map(Kind::name);
    Kind::named(text).ok_or_else(|| match nearest(text, names()) {
        Some(near) => format!("there is no kind `{text}`, did you mean `{near}`?"),
        None => format!("there is no kind `{text}`, there are {}", names().collect::<Vec<_>>().join(", ")),
    })
}

/// The days asked for, else the newest weeks; none where nothing was read yet.
fn span(args: &Args, history: &History, schedule: &Schedule) -> anyhow::Result<Option<Span>> {
    if args.from.is_none() && args.to.is_none() {
        return Ok(events::last_weeks(history, args.last, schedule)?);
    }
    let start = edge(args.from.as_deref(), 0, schedule)?.unwrap_or(Span::ALL.start);
    let end = edge(args.to.as_deref(), 1, schedule)?.unwrap_or(Span::ALL.end);
    anyhow::ensure!(start < end, "--from is not before --to");
    Ok(Some(Span { start, end }))
}

/// Refuses a partition that the history has nothing of.
fn known_partition(args: &Args, history: &History) -> anyhow::Result<()> {
    let Some(partition) = &args.partition else { return Ok(()) };
    let partitions = events::partitions(history)?;
    if !partitions.contains(partition) {
        let known = partitions.into_iter().collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "none at all".to_owned() } else { known };
        bail!("the history has no partition `{partition}`, it has {known}");
    }
    Ok(())
}

/// That there is nothing, and where there may be something.
fn nothing(args: &Args) -> String {
    let kinds = if args.kind.is_empty() { "" } else { " of this kind" };
    match (&args.from, &args.to) {
        (None, None) => format!("no events{kinds} in the last {} weeks of the history; --last N looks further back", args.last),
        _ => format!("no events{kinds} in this time"),
    }
}
