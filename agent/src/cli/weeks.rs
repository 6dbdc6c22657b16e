//! `weekline weeks`: one line per week.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use chrono::{Days, NaiveTime};

use super::{Common, names, print_json, print_styled, say, setup};
use crate::analysis::events::{self, Event, Kind, Options};
use crate::analysis::weeks::Weeks;
use crate::analysis::{self, newest};
use crate::catalog::Metric;
use crate::history::History;
use crate::report;
use crate::schedule::Schedule;
use crate::time::Span;

/// Arguments of `weekline weeks`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of the metric; `weekline metrics` lists them all
    #[arg(default_value = "host_cpu_busy_ratio")]
    metric: String,
    /// How many weeks, counted back from the newest data
    #[arg(long, value_name = "N", default_value = "13", value_parser = clap::value_parser!(u16).range(1..))]
    last: u16,
    /// Only this host
    #[arg(long)]
    host: Option<String>,
    /// Only this partition of a Domino server
    #[arg(long)]
    partition: Option<String>,
    /// Only series with this label, like window=30m; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = label)]
    label: Vec<(String, String)>,
    /// Around the clock and every day, instead of business hours
    #[arg(long)]
    always: bool,
    /// Write the chart as a picture instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Columns to fill; without it the terminal's, or 80 into a pipe
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=500))]
    width: Option<u16>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let metric = names::metric(&args.metric)?;
    names::has_a_mean(metric)?;
    let setup::Looking { history, schedule, .. } = setup::looking(common)?;
    let schedule = if args.always { Arc::new(Schedule::clone(&schedule).always()) } else { schedule };
    let host = args.host.as_deref();
    known(host, &history)?;
    let last = usize::from(args.last);
    let weeks = |schedule: &Schedule| labelled(args, metric, newest::weeks(&history, metric, host, schedule, last)?);
    let mut all = weeks(&schedule)?;
    if common.json {
        if all.is_empty() {
            let host = host.unwrap_or_default().to_owned();
            all.push(Weeks { metric, host, labels: crate::snapshot::Labels::default(), weeks: Vec::new() });
        }
        print_json(&report::json::weeks(&all, &happened(&all, &history, &schedule)?, schedule.zone()))?;
    } else if all.is_empty() {
        // A person who sees nothing in business hours wants to see that there is something; a program gets what it asked for.
        say(&nothing_open(&history, metric, host, &schedule)?);
        let always = Schedule::clone(&schedule).always();
        let all = weeks(&always)?;
        show(args, &all, &happened(&all, &history, &always)?, &always)?;
    } else {
        show(args, &all, &happened(&all, &history, &schedule)?, &schedule)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn label(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "write it like window=30m".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Leaves the series with the labels asked for; a value that the history has nothing of is refused with those it has.
fn labelled(args: &Args, metric: &Metric, mut all: Vec<Weeks>) -> anyhow::Result<Vec<Weeks>> {
    let partition = args.partition.iter().map(|partition| ("partition", partition));
    for (name, wanted) in partition.chain(args.label.iter().map(|(name, value)| (name.as_str(), value))) {
        let position = metric.labels.iter().position(|label| *label == name);
        let position = position.with_context(|| match metric.labels {
            [] => format!("`{}` is of the host and has no label `{name}`", metric.name),
            labels => format!("`{}` has no label `{name}`, it has {}", metric.name, labels.join(", ")),
        })?;
        let found: BTreeSet<String> = all.iter().filter_map(|one| one.labels.get(position)).map(str::to_owned).collect();
        if !found.is_empty() && !found.contains(wanted) {
            bail!("there is nothing of {name} `{wanted}`, there is of {}", Vec::from_iter(found).join(", "));
        }
        all.retain(|one| one.labels.get(position) == Some(wanted));
    }
    Ok(all)
}

/// What the weeks shown are marked with.
fn happened(all: &[Weeks], history: &History, schedule: &Schedule) -> anyhow::Result<Vec<Event>> {
    let weeks = || all.iter().flat_map(|one| &one.weeks);
    let (Some(first), Some(last)) = (weeks().map(|week| week.from).min(), weeks().map(|week| week.to).max()) else {
        return Ok(Vec::new());
    };
    // Open days lie in their week, which is seven days long, and zones are less than a day away.
    let span = Span {
        start: (first - Days::new(8)).and_time(NaiveTime::MIN).and_utc(),
        end: (last + Days::new(8)).and_time(NaiveTime::MIN).and_utc(),
    };
    let kinds = vec![Kind::Upgrade, Kind::Host];
    Ok(events::events(history, schedule, &Options { kinds, ..Options::all(span) })?)
}

fn show(args: &Args, all: &[Weeks], events: &[Event], schedule: &Schedule) -> anyhow::Result<()> {
    let (hours, zone) = (schedule.to_string(), schedule.zone());
    if let Some(path) = &args.svg {
        let [one] = all else {
            bail!("{} series match and a picture shows one; choose with --host, --partition or --label", all.len());
        };
        return std::fs::write(path, report::svg::weeks(one, events, &hours, zone))
            .with_context(|| format!("cannot write `{}`", path.display()));
    }
    let look = look(args.width);
    let charts: Vec<String> = all.iter().map(|one| report::text::weeks(one, events, &hours, zone, &look)).collect();
    print_styled(&charts.join("\n"))
}

/// Refuses a host that the history has nothing of.
pub(super) fn known(host: Option<&str>, history: &History) -> anyhow::Result<()> {
    let Some(host) = host else { return Ok(()) };
    let hosts = history.hosts()?;
    anyhow::ensure!(hosts.iter().any(|known| known == host), "the history has no host `{host}`, it has {}", hosts.join(", "));
    Ok(())
}

/// Why there is no week, and what to do.
fn nothing_open(history: &History, metric: &'static Metric, host: Option<&str>, schedule: &Schedule) -> anyhow::Result<String> {
    let mut series = analysis::series(history, metric, Span::ALL)?;
    series.retain(|series| host.is_none_or(|host| &*series.host == host));
    let points: usize = series.iter().map(|series| series.points.len()).sum();
    let hours = format!("{} ({})", schedule, schedule.zone());
    if points > 0 {
        return Ok(format!(
            "nothing in business hours, {hours}: all {points} points of `{}` lie outside and are shown around the clock; \
             `zone` and `hours` in [schedule] say what business hours are",
            metric.name
        ));
    }
    let snapshots = history.totals()?.points;
    Ok(format!(
        "no points of `{}` yet, {snapshots} points in all: `weekline run` samples in business hours, {hours}; \
         what you already have comes in by `weekline import FILE`",
        metric.name
    ))
}

/// As wide as the terminal and in colour, unless it is none or someone says otherwise (<https://no-color.org>).
pub(super) fn look(width: Option<u16>) -> report::text::Look {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = width.or_else(|| Some(terminal_size::terminal_size()?.0.0).filter(|_| terminal));
    report::text::Look { width: width.map_or(80, usize::from), colour }
}
