//! `weekline export`: raw points out of the history.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{Days, NaiveDate, NaiveTime, SecondsFormat, TimeDelta};

use super::{Common, names, setup};
use crate::catalog::{self, Metric};
use crate::history::History;
use crate::report;
use crate::schedule::Schedule;
use crate::time::{Span, Timestamp};

/// Arguments of `weekline export`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Format
    #[arg(long, value_enum)]
    format: Format,
    /// First day, like 2026-10-05, in the schedule's zone; or an instant like 2026-10-05T07:00:00Z
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Last day, included; or an instant, not included
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only this metric
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// time,metric,labels,value with times as RFC 3339 in UTC, raw points only
    Csv,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let setup::Looking { history, schedule, .. } = setup::looking(common)?;
    let span = Span {
        start: edge(args.from.as_deref(), 0, &schedule)?.unwrap_or(Span::ALL.start),
        end: edge(args.to.as_deref(), 1, &schedule)?.unwrap_or(Span::ALL.end),
    };
    anyhow::ensure!(span.start < span.end, "--from is not before --to");
    let metrics: Vec<&'static Metric> = match &args.metric {
        Some(name) => {
            let metric = names::metric(name)?;
            is_stored(metric, &history)?;
            vec![metric]
        }
        None => catalog::metrics().collect(),
    };
    let Format::Csv = args.format;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "time,metric,labels,value")?;
    // One row of the catalog and four weeks at a time, so that memory does not grow with the history.
    let stretches = stretches(span, &history)?;
    for metric in metrics.into_iter().filter(|metric| !metric.found.is_empty()) {
        stretches.iter().try_for_each(|stretch| csv(&history, metric, *stretch, &mut out))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What of a span the history holds, in stretches of four weeks.
fn stretches(span: Span, history: &History) -> anyhow::Result<Vec<Span>> {
    let Some((first, last)) = history.totals()?.span else { return Ok(Vec::new()) };
    let end = span.end.min(last + TimeDelta::milliseconds(1));
    let begins = std::iter::successors(Some(span.start.max(first)), |start| start.checked_add_signed(TimeDelta::weeks(4)));
    let stretch = |start: Timestamp| Span { start, end: end.min(start + TimeDelta::weeks(4)) };
    Ok(begins.take_while(|start| *start < end).map(stretch).collect())
}

/// Refuses a row that is only ever computed, and names the stored ones it follows from.
fn is_stored(metric: &'static Metric, history: &History) -> anyhow::Result<()> {
    if metric.derive.is_none() || !history.named(metric)?.is_empty() {
        return Ok(());
    }
    let mut stored = Vec::new();
    for row in names::follows_from(metric) {
        if !history.named(row)?.is_empty() {
            stored.push(format!("`{}`", row.name));
        }
    }
    let from = if stored.is_empty() { "nothing that is stored yet".to_owned() } else { stored.join(", ") };
    bail!("`{}` is computed, and only what is stored is exported; it follows from {from}", metric.name)
}

/// A day's midnight, `later` days on; or the instant as given.
pub(super) fn edge(text: Option<&str>, later: u64, schedule: &Schedule) -> anyhow::Result<Option<Timestamp>> {
    let Some(text) = text else { return Ok(None) };
    if let Ok(instant) = chrono::DateTime::parse_from_rfc3339(text) {
        return Ok(Some(instant.to_utc()));
    }
    let day: NaiveDate = text.parse().ok().with_context(|| format!("`{text}` is no day, write it like 2026-10-05"))?;
    let day = day.checked_add_days(Days::new(later)).with_context(|| format!("`{text}` is out of range"))?;
    let midnight = day.and_time(NaiveTime::MIN);
    // Where the clocks skip midnight, the day begins an hour later.
    let first = [midnight, midnight + TimeDelta::hours(1)]
        .into_iter()
        .find_map(|local| local.and_local_timezone(schedule.zone()).earliest());
    Ok(Some(first.with_context(|| format!("`{text}` does not exist in {}", schedule.zone()))?.to_utc()))
}

fn csv(history: &History, metric: &'static Metric, span: Span, out: &mut impl Write) -> anyhow::Result<()> {
    // The host is one label more, before the row's own.
    let names = [&["host"], metric.labels].concat();
    for series in history.points(metric, span)? {
        let labels = report::printable(&series.labels.with(0, &series.host).selector(&names)).replace('"', "\"\"");
        for point in &series.points {
            let time = Timestamp::from_timestamp_millis(point.at).context("an instant out of range")?;
            writeln!(out, "{},{},\"{labels}\",{}", time.to_rfc3339_opts(SecondsFormat::Millis, true), metric.name, point.value)?;
        }
    }
    Ok(())
}
