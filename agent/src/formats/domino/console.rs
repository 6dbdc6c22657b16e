//! Single lines of a console: who runs, since when, how loaded, and what an administrator looks for every morning.
//!
//! Takes the text behind the prefix. Texts are English: a server with a language pack translates them and nothing is found,
//! which is missing and not wrong; banners are not translated.

use super::dates::{Stamp, Zoned};
use super::{dates, leading_number, numbers, strip_word};

/// A line that says something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line<'a> {
    /// The first line of a server's start.
    Banner(Banner<'a>),
    /// The first line of the answer to `show server`.
    Header {
        /// `9.0.1`.
        release: &'a str,
        /// `Linux/64`.
        platform: &'a str,
        /// When it was asked.
        at: Option<Stamp>,
    },
    /// A figure out of the answer to `show server` or `show performance`.
    Field(Field<'a>),
    /// The server works: `Server started on physical node mail1` gives `mail1`.
    Started(&'a str),
    /// The server has ended in order.
    Stopped,
    /// The server before had not ended in order.
    Unclean(&'a str),
    /// A server that faulted was started again.
    Recovered(&'a str),
    /// Something to look after.
    Finding(Finding, &'a str),
}

impl Line<'_> {
    /// Its kind, where it is worth keeping as an event; what runs since when is told by the statistics, too.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Line::Started(_) => Some("started"),
            Line::Stopped => Some("stopped"),
            Line::Unclean(_) => Some("unclean"),
            Line::Recovered(_) => Some("recovered"),
            Line::Finding(finding, _) => Some(finding.name()),
            Line::Banner(_) | Line::Header { .. } | Line::Field(_) => None,
        }
    }
}

/// The first line of a server's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banner<'a> {
    /// `Lotus`, `IBM` or `HCL`.
    pub maker: &'a str,
    /// Whether the line says `(64 Bit)`.
    pub bits64: bool,
    /// `9.0.1FP10`, or the name of a build: `V85_M2_08202008`.
    pub release: &'a str,
    /// The release's date as written: `January 15, 2018`.
    pub date: &'a str,
}

/// A figure of a server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    /// `mail1/Acme - Test server` is a name and a title.
    ServerName(&'a str),
    /// The data directory.
    Directory(&'a str),
    /// The data directory with points: `.local.notesdata`.
    Partition(&'a str),
    /// Seconds since the start.
    Elapsed(f64),
    /// Transactions in the last minute, the last hour, the busiest minute.
    Transactions {
        /// In the last minute.
        minute: u64,
        /// In the last hour.
        hour: u64,
        /// In the busiest minute.
        peak: u64,
    },
    /// Transactions since the start.
    TransactionsTotal(u64),
    /// The most sessions of users and servers at once, and when.
    PeakSessions(u64, Option<Stamp>),
    /// The availability index, 0 to 100.
    Availability(u64),
    /// Messages waiting and messages dead.
    Mail {
        /// Waiting to be sent on.
        pending: u64,
        /// Neither to be delivered nor returned.
        dead: u64,
    },
    /// A line of `show performance`.
    Performance {
        /// Transactions in the last minute.
        minute: u64,
        /// Users with open sessions.
        users: u64,
    },
}

/// What the daily checklist asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finding {
    /// A database is damaged.
    Corruption,
    /// A task or the server ended by a fault.
    Fault,
    /// Replication did not take place.
    Replication,
    /// A disk is full.
    DiskFull,
    /// No more sessions are let in.
    SessionLimit,
    /// The language files are missing: messages are printed as numbers, and nothing else can be read in this log.
    NumbersOnly,
}

impl Finding {
    /// Its name in events: `disk_full`.
    pub fn name(self) -> &'static str {
        match self {
            Finding::Corruption => "corruption",
            Finding::Fault => "fault",
            Finding::Replication => "replication",
            Finding::DiskFull => "disk_full",
            Finding::SessionLimit => "session_limit",
            Finding::NumbersOnly => "numbers_only",
        }
    }
}

/// What lines of each kind contain, in lower case.
const FINDINGS: &[(Finding, &[&str])] = &[
    (
        Finding::Corruption,
        &[
            "is corrupt",
            "has been corrupted",
            "is damaged",
            "invalid on disk structure",
            "b-tree structure is invalid",
            "rrv bucket",
            "bad checksum",
            "checksum error",
        ],
    ),
    (Finding::Fault, &["has faulted", "terminated abnormally", "abnormal termination", "fatal error signal", "panic:"]),
    (
        Finding::Replication,
        &[
            "unable to replicate",
            "cannot replicate",
            "error replicating",
            "replication error",
            "replication failed",
            "replication cannot proceed",
        ],
    ),
    (
        Finding::DiskFull,
        &["insufficient disk space", "no space left on device", "disk is full", "disk full", "out of disk space"],
    ),
    (
        Finding::SessionLimit,
        &[
            "maximum number of sessions",
            "maximum number of users",
            "maximum number of server users",
            "session limit",
            "too many sessions",
            "maximum users",
        ],
    ),
];

/// What the text of a console line says; `None` for one of the many that say nothing here.
pub fn line(text: &str) -> Option<Line<'_>> {
    let text = text.trim();
    server(text)
        .or_else(|| life(text))
        .or_else(|| field(text).map(Line::Field))
        .or_else(|| finding(text).map(|finding| Line::Finding(finding, text)))
}

/// `(Lotus|IBM|HCL) Domino (r) Server`, then a banner's or a header's rest.
fn server(text: &str) -> Option<Line<'_>> {
    let (maker, rest) = text.split_once(' ').filter(|(maker, _)| ["Lotus", "IBM", "HCL"].contains(maker))?;
    let rest = strip_word(rest, "Domino (r) Server")?;
    let (bits64, rest) = rest.strip_prefix(" (64 Bit)").map_or((false, rest), |rest| (true, rest));
    let named = |rest: &'_ str| {
        let release = rest.strip_prefix("Release ").or_else(|| rest.strip_prefix("Build ")).map(str::len);
        release.map(|length| rest.len() - length)
    };
    if let Some(rest) = rest.strip_prefix(", ") {
        let (release, date) = rest[named(rest)?..].split_once(',')?;
        let (release, date) = (release.trim(), date.trim());
        return (!release.is_empty()).then_some(Line::Banner(Banner { maker, bits64, release, date }));
    }
    let (inner, after) = rest.strip_prefix(" (")?.split_once(')')?;
    let (release, platform) = inner[named(inner)?..].split_once(" for ")?;
    Some(Line::Header { release: release.trim(), platform: platform.trim(), at: stamp(after) })
}

/// Starts and ends.
fn life(text: &str) -> Option<Line<'_>> {
    if let Some(node) = strip_word(text, "Server started on physical node ") {
        return Some(Line::Started(node.trim()));
    }
    if strip_word(text, "Server shutdown complete").is_some() {
        return Some(Line::Stopped);
    }
    if let Some(log) = strip_word(text, "Performing consistency check on ") {
        // Only the server's own log is checked by the start; other databases are checked when they are opened.
        let own = log.trim_end_matches('.').rsplit(['/', '\\']).next().is_some_and(|name| name.eq_ignore_ascii_case("log.nsf"));
        return own.then_some(Line::Unclean(text));
    }
    if let Some(rest) = strip_word(text, "Recovery Manager: Restart Recovery complete") {
        // With transaction logging this is said at every start; `(0/0 databases …)` needed no recovery.
        return (!rest.contains("(0/0 ")).then_some(Line::Unclean(text));
    }
    text.to_ascii_lowercase().contains("has faulted and is now back up and running").then_some(Line::Recovered(text))
}

/// A label and a value, sometimes two pairs on a line.
fn field(text: &str) -> Option<Field<'_>> {
    if let Some(field) = performance(text) {
        return Some(field);
    }
    let (label, value) = text.split_once(':')?;
    let value = value.trim();
    Some(match label.to_ascii_lowercase().as_str() {
        "server name" => Field::ServerName(value),
        "server directory" => Field::Directory(value),
        "partition" => Field::Partition(value),
        "elapsed time" => Field::Elapsed(numbers::duration(value)?),
        "transactions/minute" => Field::Transactions {
            minute: after(value, "Last minute:")?,
            hour: after(value, "Last hour:")?,
            peak: after(value, "Peak:")?,
        },
        "transactions" => Field::TransactionsTotal(after(text, "Transactions:")?),
        "peak # of sessions" => {
            let (count, rest) = leading_number(value)?;
            Field::PeakSessions(count, rest.trim_start().strip_prefix("at").and_then(stamp))
        }
        "availability index" => Field::Availability(whole(value)?),
        "pending mail" => Field::Mail { pending: after(text, "Pending mail:")?, dead: after(text, "Dead mail:")? },
        _ => return None,
    })
}

/// `12 Transactions/Minute, 3 Notes Users`.
fn performance(text: &str) -> Option<Field<'_>> {
    let (minute, rest) = leading_number(text)?;
    let (users, rest) = leading_number(strip_word(rest, " Transactions/Minute, ")?)?;
    strip_word(rest, " Notes Users").map(|_| Field::Performance { minute, users })
}

/// The whole number behind a label.
fn after(text: &str, label: &str) -> Option<u64> {
    whole(text[text.find(label)? + label.len()..].trim_start())
}

/// A number that ends where its column ends; a grouped one is none, because the line shows no locale.
fn whole(text: &str) -> Option<u64> {
    let (number, rest) = leading_number(text)?;
    rest.chars().next().is_none_or(|c| matches!(c, ' ' | ';')).then_some(number)
}

fn stamp(text: &str) -> Option<Stamp> {
    dates::zoned(text).map(|Zoned { stamp, .. }| stamp)
}

/// The kind of a line that somebody should see.
fn finding(text: &str) -> Option<Finding> {
    if is_numbers_only(text) {
        return Some(Finding::NumbersOnly);
    }
    // The statistics of a listing speak of faults and limits too.
    if text.contains(" = ") {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    FINDINGS.iter().find(|(_, texts)| texts.iter().any(|part| lower.contains(part))).map(|(finding, _)| *finding)
}

/// `07:92: 0A:0A`: pairs of hexadecimal bytes, two at least, so that a time of day is none.
fn is_numbers_only(text: &str) -> bool {
    let pair = |word: &str| {
        let word = word.strip_suffix(':').unwrap_or(word);
        let (a, b) = word.split_once(':')?;
        let byte = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        (byte(a) && byte(b)).then_some(())
    };
    let mut words = text.split_whitespace();
    words.clone().count() >= 2 && words.all(|word| pair(word).is_some())
}
