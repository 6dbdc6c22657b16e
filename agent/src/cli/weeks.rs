//! `weekline weeks`: one line per week.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};

use super::{Common, print_json, print_styled, say, setup};
use crate::analysis::weeks::{self, Weeks};
use crate::analysis::{self};
use crate::catalog::{self, Metric};
use crate::history::{History, Series};
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
    let metric = metric(&args.metric)?;
    let setup::Looking { history, schedule } = setup::looking(common)?;
    let schedule = if args.always { Arc::new(Schedule::clone(&schedule).always()) } else { schedule };
    let series = series(&history, metric, args.host.as_deref())?;
    let mut all = weeks::fold(metric, series.clone(), &schedule);
    all.retain(|one| !one.weeks.is_empty());
    weeks::newest(&mut all, usize::from(args.last));
    if common.json {
        if all.is_empty() {
            let host = args.host.clone().unwrap_or_default();
            all.push(Weeks { metric, host, labels: crate::snapshot::Labels::default(), weeks: Vec::new() });
        }
        print_json(&report::json::weeks(&all, schedule.zone().name()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        say(&nothing_open(&history, metric, &series, &schedule)?);
        return around_the_clock(args, metric, series, &schedule);
    }
    show(args, &all, &schedule)?;
    Ok(ExitCode::SUCCESS)
}

/// A person who sees nothing in business hours wants to see that there is something; a program gets what it asked for.
fn around_the_clock(args: &Args, metric: &'static Metric, series: Vec<Series>, schedule: &Schedule) -> anyhow::Result<ExitCode> {
    let always = schedule.clone().always();
    let mut all = weeks::fold(metric, series, &always);
    weeks::newest(&mut all, usize::from(args.last));
    show(args, &all, &always)?;
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Args, all: &[Weeks], schedule: &Schedule) -> anyhow::Result<()> {
    let (hours, zone) = (schedule.to_string(), schedule.zone());
    if let Some(path) = &args.svg {
        let [one] = all else {
            bail!("{} series match and a picture shows one; choose with --host, or another metric", all.len());
        };
        return std::fs::write(path, report::svg::weeks(one, &hours, zone.name()))
            .with_context(|| format!("cannot write `{}`", path.display()));
    }
    let look = look(args.width);
    let charts: Vec<String> = all.iter().map(|one| report::text::weeks(one, &hours, zone.name(), &look)).collect();
    print_styled(&charts.join("\n"))
}

/// The row of this name, or what was meant.
pub(super) fn metric(name: &str) -> anyhow::Result<&'static Metric> {
    if let Some(metric) = catalog::metric(name) {
        return Ok(metric);
    }
    let near = catalog::metrics().map(|row| (strsim::damerau_levenshtein(name, row.name), row.name)).min();
    match near.filter(|(distance, _)| *distance <= 6) {
        Some((_, near)) => bail!("there is no metric `{name}`, did you mean `{near}`?"),
        None => bail!("there is no metric `{name}`; `weekline metrics` lists them all"),
    }
}

fn series(history: &History, metric: &'static Metric, host: Option<&str>) -> anyhow::Result<Vec<Series>> {
    let mut series = analysis::series(history, metric, Span::ALL)?;
    if let Some(host) = host {
        let hosts = history.hosts()?;
        if !hosts.iter().any(|known| known == host) {
            bail!("the history has no host `{host}`, it has {}", hosts.join(", "));
        }
        series.retain(|series| &*series.host == host);
    }
    Ok(series)
}

/// Why there is no week, and what to do.
fn nothing_open(history: &History, metric: &Metric, series: &[Series], schedule: &Schedule) -> anyhow::Result<String> {
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
fn look(width: Option<u16>) -> report::text::Look {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = width.or_else(|| Some(terminal_size::terminal_size()?.0.0).filter(|_| terminal));
    report::text::Look { width: width.map_or(80, usize::from), colour }
}
