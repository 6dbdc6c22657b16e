//! `[[partition]]`: a Domino server to be read, or another application in its place, and the way in.

use std::path::PathBuf;
use std::time::Duration;

use chrono_tz::Tz;
use serde::Deserialize;
use toml::Table;

use super::fields::Field;
use super::shape::{interval, some, zone};
use super::units::duration;
use super::users::{Registered, UsersShape};
use crate::names::{self, Flaw};
use crate::nearest::nearest;

/// What an address of statistics looks like.
const ADDRESS: &str = "https://mail1.example.com:9100/metrics";
/// A shorter wait would fail on a busy server, a longer one would hold several ticks.
const TIMEOUTS: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(300);

/// A partition, as the configuration says it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The name in its series, in `/push/NAME` and on `/metrics`.
    pub name: String,
    /// What is read there.
    pub kind: Kind,
    /// The way in to its statistics; none: only its tasks and its notes.ini are watched.
    pub source: Option<Way>,
    /// Domino's `server` program.
    pub program: Option<PathBuf>,
    /// Its data folder.
    pub data: Option<PathBuf>,
    /// The file or log that is read.
    pub path: Option<PathBuf>,
    /// What is fetched, by http or https.
    pub url: Option<String>,
    /// A file with the token that a push must carry or that is sent to the URL.
    pub token_file: Option<PathBuf>,
    /// A file with `user:password` for the URL.
    pub basic_auth_file: Option<PathBuf>,
    /// A file of certificates that vouch for the URL's server beside the system's own.
    pub ca_file: Option<PathBuf>,
    /// The system user who asks the console; none: the owner of the data folder.
    pub user: Option<String>,
    /// The host it runs on; none: this one.
    pub host: Option<String>,
    /// Zone of the times in its log; none: the schedule's.
    pub zone: Option<Tz>,
    /// How often a file, log, push or what a URL answers is renewed; none: at the schedule's interval.
    pub every: Option<Duration>,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// How many users are registered on it, where that is known.
    pub registered_users: Option<Registered>,
    /// Which samples stand for which rows, where it is another application.
    pub fields: Vec<Field>,
}

/// What is read in the place of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A Domino server, whose statistics the catalog knows.
    Domino,
    /// Another application, by its Prometheus metrics.
    Prometheus,
}

/// A way in to the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `show stat` is asked on the server's console.
    Console,
    /// A file holds the answer to `show stat`.
    File,
    /// The answer to `show stat` stands in the server's console log.
    ConsoleLog,
    /// The server sends its statistics.
    Push,
    /// A file holds Prometheus text.
    PromFile,
    /// Prometheus text is fetched.
    Url,
}

impl Way {
    /// Every way.
    pub const ALL: [Way; 6] = [Way::Console, Way::File, Way::ConsoleLog, Way::Push, Way::PromFile, Way::Url];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Way::Console => "console",
            Way::File => "file",
            Way::ConsoleLog => "console_log",
            Way::Push => "push",
            Way::PromFile => "prom_file",
            Way::Url => "url",
        }
    }
}

impl Partition {
    /// Every path it names.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let users = self.registered_users.iter_mut().flat_map(Registered::paths_mut);
        let ways = [&mut self.program, &mut self.data, &mut self.path];
        let secrets = [&mut self.token_file, &mut self.basic_auth_file, &mut self.ca_file];
        ways.into_iter().chain(secrets).flatten().chain(users)
    }
}

/// An entry as it is written; its defaults stand in the block of `default.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    kind: String,
    source: String,
    program: String,
    data: String,
    path: String,
    url: String,
    token_file: String,
    basic_auth_file: String,
    ca_file: String,
    user: String,
    host: String,
    zone: String,
    every: String,
    timeout: String,
    registered_users: UsersShape,
    /// Read line by line elsewhere.
    #[serde(rename = "fields")]
    _fields: Table,
}

/// An entry with every key checked in itself, or the first that is wrong; its fields are left to the caller.
pub(super) fn checked(table: Table) -> Result<Partition, String> {
    let shape: Shape = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(Partition {
        name: name(shape.name)?,
        kind: kind(&shape.kind)?,
        source: way(&shape.source)?,
        program: some(shape.program).map(Into::into),
        data: some(shape.data).map(Into::into),
        path: some(shape.path).map(Into::into),
        url: some(shape.url).map(|text| url(text, ADDRESS)).transpose()?,
        token_file: some(shape.token_file).map(Into::into),
        basic_auth_file: some(shape.basic_auth_file).map(Into::into),
        ca_file: some(shape.ca_file).map(Into::into),
        user: some(shape.user),
        host: some(shape.host).map(written).transpose()?,
        zone: zone(&shape.zone, "schedule")?,
        every: if shape.every == "schedule" { None } else { Some(interval(&shape.every)?) },
        timeout: timeout(&shape.timeout)?,
        registered_users: shape.registered_users.checked()?,
        fields: Vec::new(),
    })
}

/// A name that can stand in a label, in a path of a URL and on a terminal.
fn name(name: String) -> Result<String, String> {
    let name = written(name)?;
    match names::flaw(&name) {
        Some(Flaw::Long(length)) => {
            return Err(format!("`{name}` has {length} characters, choose one of at most {}", names::LONGEST));
        }
        Some(Flaw::Signs) => {
            return Err(format!("`{name}` cannot stand in a URL and in a label, write it without `/` and quotation marks"));
        }
        Some(Flaw::Unseen) | None => {}
    }
    Ok(name)
}

/// Refuses what cannot be seen: control characters, changes of direction, blanks at an end.
fn written(text: String) -> Result<String, String> {
    if names::is_unseen(&text) {
        return Err(format!("{text:?} holds characters that cannot be seen or blanks at an end, write it without them"));
    }
    Ok(text)
}

fn kind(text: &str) -> Result<Kind, String> {
    match text {
        "domino" => Ok(Kind::Domino),
        "prometheus" => Ok(Kind::Prometheus),
        _ => Err(format!("`{text}` is neither `domino` nor `prometheus`")),
    }
}

fn way(text: &str) -> Result<Option<Way>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let names = Way::ALL.map(Way::name);
    let way = Way::ALL.into_iter().find(|way| way.name() == text);
    way.map(Some).ok_or_else(|| match nearest(text, names) {
        Some(near) => format!("unknown source `{text}`, did you mean `{near}`?"),
        None => format!("unknown source `{text}`, write {}", names.join(", ")),
    })
}

/// An address that can be fetched. It is not repeated where it is refused: a password may stand in it.
pub(super) fn url(text: String, like: &str) -> Result<String, String> {
    let next = format!("write it like `{like}`");
    let url = reqwest::Url::parse(&text).map_err(|error| format!("is no URL ({error}), {next}"))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(format!("`{}` is not fetched, only http and https, {next}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds a user or a password, take it out and name a `basic_auth_file` with `user:password`".to_owned());
    }
    Ok(text)
}

/// Whether an address is fetched by https.
pub(super) fn is_https(url: &str) -> bool {
    url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// How long an answer may be waited for.
pub(super) fn timeout(text: &str) -> Result<Duration, String> {
    let timeout = duration(text)?;
    if TIMEOUTS.contains(&timeout) { Ok(timeout) } else { Err(format!("`{text}` is not between 1s and 5m")) }
}
