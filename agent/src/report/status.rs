//! How the service and its history fare: the shape of `status --json`, and the same as text.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// Everything `weekline status` tells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Version of the agent that answered; none where none did.
    pub version: Option<String>,
    /// When it was started, RFC 3339 in UTC.
    pub started: Option<String>,
    /// Its schedule.
    pub schedule: Option<ScheduleStatus>,
    /// Its sources.
    pub sources: Vec<SourceStatus>,
    /// Domino partitions and the like.
    pub partitions: Vec<PartitionStatus>,
    /// The history's file.
    pub history: Option<HistoryStatus>,
    /// What the agent costs.
    pub overhead: Option<OverheadStatus>,
    /// The configuration in force.
    pub config: Option<ConfigStatus>,
    /// Points read and not kept, by reason.
    #[serde(default)]
    pub points_lost: std::collections::BTreeMap<String, u64>,
    /// What the last samples offered and no row claims.
    #[serde(default)]
    pub unknown: Vec<UnknownField>,
}

/// Whether it is open, and until when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScheduleStatus {
    /// Whether business hours are on.
    pub open: bool,
    /// Why not.
    pub why_closed: Option<String>,
    /// The zone.
    pub zone: String,
    /// When it opens next, RFC 3339 in the zone.
    pub next_open: Option<String>,
    /// When it closes next, RFC 3339 in the zone.
    pub next_close: Option<String>,
}

/// One source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceStatus {
    /// Its name.
    pub name: String,
    /// Its partition; empty for the host.
    pub partition: String,
    /// Whether the last reading went well.
    pub up: bool,
    /// Seconds since the last reading that went well.
    pub age_seconds: Option<f64>,
    /// Why the last one did not.
    pub error: Option<String>,
}

/// A partition that is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartitionStatus {
    /// Its name.
    pub name: String,
    /// Its data directory, where that is known.
    pub data: Option<String>,
    /// The release it said last.
    pub release: Option<String>,
    /// The way in; none: its statistics are not read.
    pub source: Option<String>,
}

/// A number that was offered and is not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnknownField {
    /// Its partition; empty for the host.
    pub partition: String,
    /// Where it was found: `domino` for a statistic.
    pub place: String,
    /// Its name there.
    pub field: String,
}

/// The history's file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryStatus {
    /// Where it lies.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Points in it.
    pub points: u64,
    /// Instants in it.
    pub snapshots: u64,
    /// Its first instant, RFC 3339 in UTC.
    pub first: Option<String>,
    /// Its last instant.
    pub last: Option<String>,
    /// Why it cannot be used.
    pub error: Option<String>,
}

/// What the agent costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OverheadStatus {
    /// CPU seconds since its start.
    pub cpu_seconds: f64,
    /// Memory now.
    pub rss_bytes: f64,
    /// Most memory so far.
    pub rss_peak_bytes: f64,
    /// Samples taken in time.
    pub ticks_on_time: u64,
    /// Samples taken late.
    pub ticks_late: u64,
    /// Samples not taken.
    pub ticks_skipped: u64,
}

/// The configuration in force.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfigStatus {
    /// When it was taken, RFC 3339 in UTC.
    pub loaded: String,
    /// Why a newer one was refused.
    pub error: Option<String>,
}

/// The same for people, a line or a few per subject.
pub fn text(status: &Status) -> String {
    let mut out = String::new();
    let mut line = |name: &str, text: &str| {
        // A refused configuration has a line for each of its problems.
        let text: Vec<String> = text.lines().map(super::printable).collect();
        let _ = writeln!(out, "{name:<10} {}", text.join("; "));
    };
    match (&status.version, &status.started) {
        (Some(version), Some(started)) => line("agent", &format!("weekline {version}, running since {started}")),
        _ => line("agent", "not running, or not where this command asks"),
    }
    if let Some(config) = &status.config {
        match &config.error {
            None => line("config", &format!("loaded {}", config.loaded)),
            Some(error) => line("config", &format!("the newer one was refused, the old one stays: {error}")),
        }
    }
    if let Some(schedule) = &status.schedule {
        line("schedule", &schedule_text(schedule));
    }
    for partition in &status.partitions {
        line("partition", &partition_text(partition));
    }
    for source in &status.sources {
        let age = source.age_seconds.map_or_else(|| "never read".to_owned(), |age| format!("read {age:.0} s ago"));
        line(
            if source.up { "source" } else { "FAULT" },
            &format!(
                "{}{} {age}{}",
                named(&source.partition),
                source.name,
                source.error.iter().map(|error| format!(": {error}")).collect::<String>()
            ),
        );
    }
    if let Some(history) = &status.history {
        line("history", &history_text(history));
    }
    for (why, points) in &status.points_lost {
        line("LOST", &format!("{points} points were read and not kept: {why}"));
    }
    if let Some(cost) = &status.overhead {
        let mib = |bytes: f64| bytes / (1024.0 * 1024.0);
        line(
            "cost",
            &format!(
                "{:.2} s CPU, {:.1} MiB now, {:.1} MiB at most",
                cost.cpu_seconds,
                mib(cost.rss_bytes),
                mib(cost.rss_peak_bytes)
            ),
        );
        line("ticks", &format!("{} on time, {} late, {} skipped", cost.ticks_on_time, cost.ticks_late, cost.ticks_skipped));
    }
    out
}

/// The partition's name before a word about it; nothing for the host.
fn named(partition: &str) -> String {
    if partition.is_empty() { String::new() } else { format!("{partition} ") }
}

fn partition_text(partition: &PartitionStatus) -> String {
    let data = partition.data.iter().map(|data| format!(" in {data}")).collect::<String>();
    let release = partition.release.iter().map(|release| format!(", {release}")).collect::<String>();
    let source = match &partition.source {
        Some(source) => format!(", read by {source}"),
        None => ", its statistics are not read: write a [[partition]] with a `source`".to_owned(),
    };
    format!("{}{data}{release}{source}", partition.name)
}

fn schedule_text(schedule: &ScheduleStatus) -> String {
    let zone = &schedule.zone;
    match (schedule.open, &schedule.next_close, &schedule.next_open) {
        (true, Some(close), _) => format!("open until {close} ({zone})"),
        (true, None, _) => format!("open around the clock ({zone})"),
        (false, _, next) => {
            let why = schedule.why_closed.as_deref().unwrap_or("closed");
            let next = next.as_deref().unwrap_or("never");
            format!("closed ({why}), opens {next} ({zone})")
        }
    }
}

fn history_text(history: &HistoryStatus) -> String {
    if let Some(error) = &history.error {
        return error.clone();
    }
    let span = history.first.iter().zip(&history.last).map(|(first, last)| format!(", {first} to {last}")).collect::<String>();
    let mib = history.bytes as f64 / (1024.0 * 1024.0);
    format!("{}: {} points of {} snapshots, {mib:.1} MiB{span}", history.path, history.points, history.snapshots)
}
