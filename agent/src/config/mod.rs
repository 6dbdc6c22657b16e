//! The configuration file: text in, checked values out. Nothing is opened here.
//!
//! The user's file is laid over the embedded `default.toml`, the only home of defaults.
//! Every setting of the user's is first tried alone over the defaults, so that all problems are found and not only the first;
//! then all that are right alone together, because `hours` says something only beside `days`. So are the entries of lists.
//! Refused: unknown settings, values out of reach, secrets in the file.

mod entry;
mod fields;
mod named;
mod partition;
pub mod selector;
mod shape;
#[cfg(test)]
mod tests;
mod together;
mod units;
mod users;

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use chrono::NaiveDate;
use chrono_tz::Tz;
use toml::de::{DeString, DeTable, DeValue};
use toml::{Spanned, Table};

pub use fields::Field;
pub use named::Named;
pub use partition::{Kind, Partition, Way};
pub use shape::interval;
pub use units::duration;
pub use users::{Registered, UsersUrl};

use crate::nearest::nearest;
use crate::schedule::{Hours, Outside};

/// Every setting with its default and a sentence about it.
pub const DEFAULT: &str = include_str!("../../default.toml");

/// The sections that may stand there several times.
const LISTS: [&str; 2] = [together::LIST, named::LIST];

/// Settings, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Name of this machine's series; none: the system's own.
    pub host: Option<String>,
    /// Whether file systems on the network are asked for their size.
    pub network_file_systems: bool,
    /// When samples are taken.
    pub schedule: ScheduleSettings,
    /// Where the history lies; none: the usual place.
    pub history: Option<PathBuf>,
    /// How long points are kept.
    pub keep: Duration,
    /// How large the history may grow, in bytes.
    pub keep_bytes: u64,
    /// Where HTTP is served.
    pub listen: SocketAddr,
    /// A file with the token that a push must carry where its partition names none of its own.
    pub push_token_file: Option<PathBuf>,
    /// The window of `domino_users_active` that counts a day's active users; none: the widest there is.
    pub active_window: Option<&'static str>,
    /// The partitions, in the order of the file.
    pub partitions: Vec<Partition>,
    /// Statistics that are kept though no row claims them, in the order of the file.
    pub named: Vec<Named>,
}

/// What makes a schedule, before the system's zone and the holidays file are looked up.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleSettings {
    /// The zone; none: the system's own.
    pub zone: Option<Tz>,
    /// Open hours of each day, Monday first.
    pub hours: [Option<Hours>; 7],
    /// Time between two samples in open hours.
    pub interval: Duration,
    /// What happens outside them.
    pub outside: Outside,
    /// When it stays closed.
    pub holidays: Holidays,
}

/// Where holidays come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Holidays {
    /// These dates.
    Dates(BTreeSet<NaiveDate>),
    /// A list of dates or an iCalendar file.
    File(PathBuf),
}

/// Something wrong in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to write instead.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl Config {
    /// Lays `text` over the defaults.
    ///
    /// # Errors
    /// Every problem found, in the order of the file.
    pub fn parse(text: &str) -> Result<Config, Vec<Problem>> {
        let table = DeTable::parse(text).map_err(|error| vec![problem(text, error.span(), error.message())])?;
        let mut problems = Vec::new();
        let mut user = Table::new();
        for (key, value) in table.get_ref() {
            let (name, line) = (key.get_ref().as_ref(), line_of(text, key.span().start));
            match (defaults().get(name), value.get_ref()) {
                (Some(toml::Value::Table(known)), DeValue::Table(settings)) => {
                    let taken = settings_of(text, name, known, settings, &mut problems);
                    user.insert(name.to_owned(), toml::Value::Table(taken));
                }
                (Some(_), _) => problems.push(Problem { line, what: format!("`{name}` is a section, write it as `[{name}]`") }),
                (None, _) if LISTS.contains(&name) => {}
                (None, _) => {
                    let known: Vec<String> = defaults().keys().cloned().chain(LISTS.map(str::to_owned)).collect();
                    problems.push(Problem { line, what: unknown("section", name, "", known.iter()) });
                }
            }
        }
        let lists = LISTS.map(|name| entry::tables(text, name, table.get_ref().get_key_value(name), &mut problems));
        let partitions = together::partitions(text, &lists[0], has_push_token(&table), &mut problems);
        let named = named::named(text, &lists[1], &mut problems);
        match shape::config(laid_over(defaults(), user)) {
            Ok(config) if problems.is_empty() => return Ok(Config { partitions, named, ..config }),
            Ok(_) => {}
            // Any days go with the default hours: what is right alone and wrong together are the user's hours.
            Err(what) => problems.push(Problem { line: line_of_hours(text, &table), what: of("hours", "[schedule]", &what) }),
        }
        problems.sort_by_key(|problem| problem.line);
        Err(problems)
    }
}

fn line_of_hours(text: &str, table: &Spanned<DeTable<'_>>) -> usize {
    let settings = table.get_ref().get("schedule").and_then(|section| section.get_ref().as_table());
    let key = settings.and_then(|settings| settings.get_key_value("hours")).map(|(key, _)| key);
    key.map_or(1, |key| line_of(text, key.span().start))
}

/// Whether [web] names a token for every push; one that is wrong in itself is a problem of its own.
fn has_push_token(table: &Spanned<DeTable<'_>>) -> bool {
    let settings = table.get_ref().get("web").and_then(|section| section.get_ref().as_table());
    settings.and_then(|settings| settings.get("push_token_file")).is_some_and(|file| file.get_ref().as_str() != Some(""))
}

fn of(name: &str, section: &str, what: &str) -> String {
    format!("`{name}` in {section}: {what}")
}

/// A section while it is read: the whole text, its head as a problem names it, and the settings there are.
struct Section<'a> {
    text: &'a str,
    head: &'a str,
    known: &'a Table,
}

impl Section<'_> {
    /// A setting that is known, can be read and is right on its own, as `alone` says.
    fn setting(
        &self,
        key: &Spanned<DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
        alone: impl FnOnce(&toml::Value) -> Result<(), String>,
    ) -> Result<toml::Value, Problem> {
        let (name, head) = (key.get_ref().as_ref(), self.head);
        let problem = |what| Problem { line: line_of(self.text, key.span().start), what };
        if !self.known.contains_key(name) {
            return Err(problem(unknown("setting", name, &format!(" in {head}"), self.known.keys())));
        }
        let value = plain(value.get_ref()).map_err(|_| problem(format!("`{name}` in {head} has a value that cannot be read")))?;
        alone(&value).map_err(|what| problem(of(name, head, &what)))?;
        Ok(value)
    }
}

/// The settings of one section that are right on their own; the others become problems.
fn settings_of(text: &str, name: &str, known: &Table, settings: &DeTable<'_>, problems: &mut Vec<Problem>) -> Table {
    let mut taken = Table::new();
    let section = Section { text, head: &format!("[{name}]"), known };
    for (key, value) in settings {
        let setting = key.get_ref().as_ref();
        let tried = section.setting(key, value, |value| {
            let mut alone = Table::from_iter([(setting.to_owned(), value.clone())]);
            alone.extend(shape::days_of(setting, value).map(|days| ("days".to_owned(), days)));
            let alone = Table::from_iter([(name.to_owned(), toml::Value::Table(alone))]);
            shape::config(laid_over(defaults(), alone)).map(drop)
        });
        match tried {
            Ok(value) => drop(taken.insert(setting.to_owned(), value)),
            Err(problem) => problems.push(problem),
        }
    }
    // Beside days that were refused, nothing can be said of the hours.
    if settings.contains_key("days") && !taken.contains_key("days") {
        taken.remove("hours");
    }
    taken
}

fn plain(value: &DeValue<'_>) -> Result<toml::Value, toml::de::Error> {
    use serde::Deserialize;
    toml::Value::deserialize(toml::de::ValueDeserializer::from(Spanned::new(0..0, value.clone())))
}

fn defaults() -> Table {
    DEFAULT.parse().expect("a test reads the embedded defaults")
}

/// `over` laid over `under`, setting by setting.
fn laid_over(mut under: Table, over: Table) -> Table {
    for (section, settings) in over {
        if let (Some(toml::Value::Table(under)), toml::Value::Table(over)) = (under.get_mut(&section), settings) {
            under.extend(over);
        }
    }
    under
}

fn unknown<'a>(what: &str, name: &str, place: &str, known: impl Iterator<Item = &'a String>) -> String {
    let next = nearest(name, known.map(String::as_str))
        .map_or_else(|| "`weekline config default` lists them all".to_owned(), |other| format!("did you mean `{other}`?"));
    format!("unknown {what} `{name}`{place}, {next}")
}

fn problem(text: &str, span: Option<std::ops::Range<usize>>, what: &str) -> Problem {
    Problem { line: line_of(text, span.map_or(0, |span| span.start)), what: what.lines().collect::<Vec<_>>().join(", ") }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count() + 1
}
