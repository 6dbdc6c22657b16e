//! `weekline import`: files people already have.

mod instants;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use chrono::{NaiveDateTime, Utc};
use chrono_tz::Tz;
use instants::Instants;
use serde_json::{Map, Value, json};

use super::{Common, print, print_json, say, setup};
use crate::config;
use crate::formats::domino::dates::DateOrder;
use crate::formats::{self, About, Format, Parsed};
use crate::history::{History, HistoryError, Imported};
use crate::snapshot::Snapshot;
use crate::time::{Millis, Timestamp, rfc3339};

/// How much of a file is looked at to recognise it.
const HEAD: usize = 64 * 1024;
/// What is said of files, and means nothing to `--list` and `--undo`.
const OF_FILES: [&str; 8] = ["host", "partition", "date_order", "zone", "start", "every", "format", "dry_run"];

/// Arguments of `weekline import`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(false))]
pub(super) struct Args {
    /// Files to read
    #[arg(value_name = "PATH", group = "what")]
    paths: Vec<PathBuf>,
    /// Host they were recorded on, over a name in the file; without both, this host
    #[arg(long, value_parser = name)]
    host: Option<String>,
    /// Partition of a Domino server they tell of, over the server's name in the file
    #[arg(long, value_parser = name)]
    partition: Option<String>,
    /// Order of day, month and year in dates that could be two
    #[arg(long, value_enum, value_name = "ORDER")]
    date_order: Option<Order>,
    /// Zone of the local times in them, an IANA name like Europe/Berlin
    #[arg(long)]
    zone: Option<Tz>,
    /// When the recording was started, local time in --zone, like "2026-10-05 07:00"
    #[arg(long, value_name = "TIME", value_parser = start)]
    start: Option<NaiveDateTime>,
    /// Time between two rows, like 300s
    #[arg(long, value_name = "TIME", value_parser = config::duration)]
    every: Option<Duration>,
    /// Format, where the file's first lines do not tell
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(formats::ALL.iter().map(|format| format.name())))]
    format: Option<String>,
    /// Read everything, keep nothing, and say what would be kept
    #[arg(long)]
    dry_run: bool,
    /// List the files imported so far
    #[arg(long, group = "what", conflicts_with_all = OF_FILES)]
    list: bool,
    /// Take an import out again; --list tells its number
    #[arg(long, value_name = "BATCH", group = "what", conflicts_with_all = OF_FILES)]
    undo: Option<i64>,
}

fn name(text: &str) -> Result<String, String> {
    let sound = !text.trim().is_empty() && !text.chars().any(char::is_control);
    if sound { Ok(text.to_owned()) } else { Err("a name has letters and no line ends".to_owned()) }
}

/// `--date-order`.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Order {
    /// 2026-11-30
    Ymd,
    /// 30.11.2026
    Dmy,
    /// 11/30/2026
    Mdy,
}

impl From<Order> for DateOrder {
    fn from(order: Order) -> DateOrder {
        match order {
            Order::Ymd => DateOrder::Ymd,
            Order::Dmy => DateOrder::Dmy,
            Order::Mdy => DateOrder::Mdy,
        }
    }
}

fn start(text: &str) -> Result<NaiveDateTime, String> {
    let forms = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    forms
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .ok_or_else(|| "write it like \"2026-10-05 07:00\"".to_owned())
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let config = setup::config(common)?;
    let path = setup::history_path(common, &config)?;
    if args.list {
        return list(&History::open(&path)?, common);
    }
    if let Some(batch) = args.undo {
        return undo(&path, batch, common);
    }
    let about = About {
        host: args.host.clone().map_or_else(|| setup::host(&config), Ok)?,
        host_given: args.host.is_some(),
        zone: args.zone,
        start: args.start,
        every: args.every,
        partition: args.partition.clone(),
        date_order: args.date_order.map(Into::into),
        named: super::partitions::named(&config),
    };
    let mut history = if args.dry_run { None } else { Some(History::create(&path)?) };
    let files: Vec<Outcome> = args.paths.iter().map(|path| one(path, args, &about, history.as_mut())).collect();
    if common.json {
        print_json(&json!({ "files": files.iter().map(Outcome::json).collect::<Vec<_>>() }))?;
    } else {
        print(&files.iter().map(|file| format!("{}\n", file.sentence(args.dry_run))).collect::<String>())?;
    }
    Ok(if files.iter().all(|file| file.result.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One file and what came of it.
struct Outcome {
    path: String,
    result: anyhow::Result<Taken>,
}

/// What was in a file.
struct Taken {
    format: &'static str,
    hosts: Vec<String>,
    snapshots: u64,
    readings: u64,
    span: Option<(Timestamp, Timestamp)>,
    parsed: Parsed,
    imported: Imported,
}

fn one(path: &Path, args: &Args, about: &About, history: Option<&mut History>) -> Outcome {
    Outcome { path: path.display().to_string(), result: take(path, args, about, history) }
}

fn take(path: &Path, args: &Args, about: &About, history: Option<&mut History>) -> anyhow::Result<Taken> {
    let file = File::open(path).context("cannot open")?;
    anyhow::ensure!(!file.metadata()?.is_dir(), "is a folder; name the files in it");
    let mut input = BufReader::with_capacity(HEAD, file);
    let format = recognise(&mut input, args.format.as_deref())?;
    let mut count = Counting::default();
    let (parsed, imported) = match history {
        None => (format.parse(&mut input, about, &mut |snapshot| count.see(&snapshot))?, Imported::default()),
        Some(history) => keep(path, format, &mut input, about, history, &mut count)?,
    };
    if count.readings == 0 {
        let first = parsed.skipped.first.first().map(|skipped| format!(", first: line {}, {}", skipped.line, skipped.why));
        bail!("nothing in it could be used, {} lines skipped{}", parsed.skipped.count, first.unwrap_or_default());
    }
    let instant = |at: Option<Millis>| at.and_then(Timestamp::from_timestamp_millis);
    let spans = || count.hosts.iter().filter_map(|(_, instants)| instants.span());
    let span = instant(spans().map(|(first, _)| first).min()).zip(instant(spans().map(|(_, last)| last).max()));
    Ok(Taken {
        format: format.name(),
        snapshots: count.hosts.iter().map(|(_, instants)| instants.count()).sum(),
        hosts: count.hosts.into_iter().map(|(host, _)| host).collect(),
        readings: count.readings,
        span,
        parsed,
        imported,
    })
}

fn recognise(input: &mut impl BufRead, named: Option<&str>) -> anyhow::Result<&'static dyn Format> {
    if let Some(format) = named.and_then(formats::named) {
        return Ok(format);
    }
    let head = String::from_utf8_lossy(input.fill_buf().context("cannot read")?).into_owned();
    let known = || formats::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    formats::detect(&head)
        .with_context(|| format!("not recognised by its first lines; formats read are {}, --format NAME chooses one", known()))
}

/// Parses into the history. A file that must not be kept to its end is not kept at all.
fn keep(
    path: &Path,
    format: &dyn Format,
    input: &mut dyn BufRead,
    about: &About,
    history: &mut History,
    count: &mut Counting,
) -> anyhow::Result<(Parsed, Imported)> {
    let mut import = history.import(&about.host, &path.display().to_string(), format.name(), Utc::now())?;
    let batch = import.batch();
    let mut fault: Option<HistoryError> = None;
    let parsed = format.parse(input, about, &mut |snapshot| {
        count.see(&snapshot);
        if fault.is_none() {
            fault = import.take(snapshot).err();
        }
    });
    let error = match (parsed, fault) {
        (Ok(parsed), None) => match import.finish(parsed.time_quality, Utc::now()) {
            Ok(imported) => return Ok((parsed, imported)),
            Err(fault) => fault.into(),
        },
        (Err(error), None) => error.into(),
        (_, Some(fault)) => fault.into(),
    };
    // What is left where even that fails is told with the way to take it out later.
    Err(match history.undo(batch) {
        Ok(_) => error,
        Err(_) => error.context(format!("a part of it is left as import {batch}, `weekline import --undo {batch}` takes it out")),
    })
}

/// What went by.
#[derive(Default)]
struct Counting {
    hosts: Vec<(String, Instants)>,
    readings: u64,
}

impl Counting {
    fn see(&mut self, snapshot: &Snapshot) {
        // A line of a log brings a fact and is no snapshot to a person.
        if snapshot.readings.is_empty() {
            return;
        }
        self.readings += snapshot.readings.len() as u64;
        let known = self.hosts.iter().position(|(host, _)| *host == snapshot.host);
        let place = known.unwrap_or_else(|| {
            self.hosts.push((snapshot.host.clone(), Instants::default()));
            self.hosts.len() - 1
        });
        self.hosts[place].1.insert(snapshot.at.timestamp_millis());
    }
}

impl Outcome {
    fn json(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("path".to_owned(), self.path.clone().into());
        match &self.result {
            Err(error) => {
                entry.insert("snapshots".to_owned(), 0.into());
                entry.insert("error".to_owned(), format!("{error:#}").into());
            }
            Ok(taken) => entry.extend(taken.json()),
        }
        Value::Object(entry)
    }

    fn sentence(&self, dry_run: bool) -> String {
        match &self.result {
            Err(error) => format!("`{}`: refused: {error:#}", self.path),
            Ok(taken) => format!("`{}`: {}", self.path, taken.sentence(dry_run)),
        }
    }
}

impl Taken {
    fn json(&self) -> Map<String, Value> {
        let skipped = self.parsed.skipped.first.iter().map(|line| json!({ "line": line.line, "why": line.why }));
        let entry = json!({
            "format": self.format,
            "host": self.hosts.join(","),
            "snapshots": self.snapshots,
            "readings": self.readings,
            "stored": self.imported.stored,
            "batch": self.imported.batch,
            "first": self.span.map(|(first, _)| rfc3339(first)),
            "last": self.span.map(|(_, last)| rfc3339(last)),
            "time_quality": self.parsed.time_quality,
            "skipped": skipped.collect::<Vec<_>>(),
            "skipped_count": self.parsed.skipped.count,
        });
        match entry {
            Value::Object(entry) => entry,
            _ => Map::new(),
        }
    }

    fn sentence(&self, dry_run: bool) -> String {
        let time = |at: Timestamp| at.format("%Y-%m-%d %H:%M:%S UTC").to_string();
        let span = self.span.map(|(first, last)| format!(" from {} to {}", time(first), time(last))).unwrap_or_default();
        let skipped = match self.parsed.skipped.first.first() {
            None => String::new(),
            Some(first) => format!(", {} lines skipped, first: line {}, {}", self.parsed.skipped.count, first.line, first.why),
        };
        let news = match (dry_run, self.imported.stored, self.imported.known) {
            (true, _, _) => "; nothing kept, as asked".to_owned(),
            (false, 0, _) if self.imported.batch.is_some() => "; only lines of the console are new in it".to_owned(),
            (false, 0, _) => "; all of it was there already".to_owned(),
            (false, _, 0) => String::new(),
            (false, _, known) => {
                format!("; {known} of {} points are of instants that were known already, and what was there stays", self.readings)
            }
        };
        format!(
            "{}, {} snapshots of {}{span} ({}){skipped}{news}",
            self.format,
            self.snapshots,
            self.hosts.join(", "),
            self.parsed.time_quality
        )
    }
}

fn list(history: &History, common: &Common) -> anyhow::Result<ExitCode> {
    let batches = history.batches()?;
    if common.json {
        let entries = batches.iter().map(|batch| {
            json!({ "batch": batch.batch, "path": batch.path, "format": batch.format, "host": batch.host, "snapshots": batch.snapshots,
                "first": batch.span.map(|(first, _)| rfc3339(first)), "last": batch.span.map(|(_, last)| rfc3339(last)),
                "time_quality": batch.time_quality })
        });
        print_json(&json!({ "batches": entries.collect::<Vec<_>>() }))?;
    } else if batches.is_empty() {
        say("nothing was imported yet");
    } else {
        let line = |batch: &crate::history::Batch| {
            let span = batch.span.map(|(first, last)| format!("{} to {}", rfc3339(first), rfc3339(last))).unwrap_or_default();
            let quality = batch.time_quality.as_deref().unwrap_or("import did not end; import it again to complete it");
            format!(
                "{:>4}  {}  {}  {}  {} snapshots  {span}  ({quality})\n",
                batch.batch, batch.path, batch.format, batch.host, batch.snapshots
            )
        };
        print(&batches.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn undo(path: &Path, batch: i64, common: &Common) -> anyhow::Result<ExitCode> {
    // Only a history that is there has something to undo.
    drop(History::open(path)?);
    let points = History::create(path)?.undo(batch)?;
    let points = points.with_context(|| format!("there is no import {batch}; `weekline import --list` tells the numbers"))?;
    if common.json {
        print_json(&json!({ "batch": batch, "points": points }))?
    } else {
        say(&format!("import {batch} is out again, {points} points"))
    }
    Ok(ExitCode::SUCCESS)
}
