//! Tasks: values of the statistic that names one each, and the table of `show tasks`.

use super::columns;
use super::dates::{self, Zoned};
use super::prefix;

/// A thread of a server task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a> {
    /// The task: `Cluster Replicator`.
    pub name: &'a str,
    /// What it does: `Idle`; empty where nothing is said.
    pub status: &'a str,
    /// Since when, where the text says so.
    pub since: Option<Zoned<'a>>,
}

/// Tasks of a table, and rows that could not be divided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks<'a> {
    /// In their order, one for each thread.
    pub tasks: Vec<Task<'a>>,
    /// Rows left out.
    pub refused: u32,
}

/// Reads `Router: Transfer: Searching for mail to transfer: [03/11/2011 08:08:20 MST]`; the name is the text before the first colon.
pub fn value(text: &str) -> Option<Task<'_>> {
    let text = text.trim();
    let (text, since) = match text.rfind('[').and_then(|at| Some((at, dates::zoned(&text[at..])?))) {
        Some((at, since)) => (text[..at].trim_end().trim_end_matches(':'), Some(since)),
        None => (text, None),
    };
    let (name, status) = text.split_once(": ").unwrap_or((text, ""));
    (!name.trim().is_empty()).then(|| Task { name: name.trim(), status: status.trim(), since })
}

/// Reads the first table of `show tasks` in the lines of an answer; the next command ends it.
pub fn table<'a>(lines: impl IntoIterator<Item = &'a str>) -> Tasks<'a> {
    let mut found = Tasks::default();
    let mut inside = false;
    for line in lines {
        let console = prefix::strip(line);
        if console.command().is_some() && inside {
            break;
        }
        if console.text.is_empty() || console.stamp.is_some() || console.prompt || !console.text.starts_with(' ') {
            continue;
        }
        // The header's words are translated. Its columns stand a little further to the right than those of the rows.
        if !inside {
            inside = console.text.starts_with("  ") && matches!(columns(console.text)[..], [a, b] if plain(a) && plain(b));
            continue;
        }
        match columns(console.text)[..] {
            [name, status] => found.tasks.push(Task { name, status, since: None }),
            _ => found.refused += 1,
        }
    }
    found
}

/// One word and no more, as the head of a column.
fn plain(word: &str) -> bool {
    !word.contains([' ', ':', '=']) && word.starts_with(char::is_alphabetic)
}
