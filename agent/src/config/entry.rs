//! One entry of a list such as `[[partition]]`: every key tried alone over its default, and what the entry says as a whole.
//!
//! What goes into an entry, and what a key is where it is left out, stands in `default.toml` as a block that is commented out:
//! lines with a `#` and no blank behind it. Such a block says nothing until it is taken into a file of one's own.

use std::collections::{BTreeMap, BTreeSet};

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::{DEFAULT, Problem, Section, line_of, of};

/// An entry as the user wrote it.
pub(super) struct Entry {
    /// Where it begins.
    line: usize,
    /// Its keys with their lines; not those that say what holds anyway.
    lines: BTreeMap<String, usize>,
    /// Those that are wrong in themselves.
    refused: BTreeSet<String>,
    /// What is right alone, laid over what holds where nothing is said.
    pub(super) settings: Table,
    /// The list, as a problem names it.
    head: String,
}

impl Entry {
    /// Reads one entry of the list `name`; `alone` tries a table of which one key is the user's.
    pub(super) fn read(
        text: &str,
        name: &str,
        (line, settings): (usize, &DeTable<'_>),
        alone: impl Fn(Table) -> Result<(), String>,
        problems: &mut Vec<Problem>,
    ) -> Entry {
        let known = block(name);
        let head = format!("[[{name}]]");
        let section = Section { text, head: &head, known: &known };
        let (mut lines, mut refused, mut laid) = (BTreeMap::new(), BTreeSet::new(), known.clone());
        for (key, value) in settings {
            let name = key.get_ref().as_ref();
            let tried = section.setting(key, value, |value| {
                let mut table = known.clone();
                table.insert(name.to_owned(), value.clone());
                alone(table)
            });
            if tried.as_ref().ok().is_none_or(|value| known.get(name) != Some(value)) {
                lines.insert(name.to_owned(), line_of(text, key.span().start));
            }
            match tried {
                Ok(value) => drop(laid.insert(name.to_owned(), value)),
                Err(problem) => {
                    refused.insert(name.to_owned());
                    problems.push(problem);
                }
            }
        }
        Entry { line, lines, refused, settings: laid, head }
    }

    /// Whether a key says something, be it right or wrong.
    pub(super) fn says(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// Whether a key says something and is right in itself; of what goes with a wrong one nothing can be said.
    pub(super) fn right(&self, key: &str) -> bool {
        self.says(key) && !self.refused(key)
    }

    /// Whether a key is wrong in itself.
    pub(super) fn refused(&self, key: &str) -> bool {
        self.refused.contains(key)
    }

    /// Where a key stands; where the entry begins if it does not.
    pub(super) fn line(&self, key: &str) -> usize {
        self.lines.get(key).copied().unwrap_or(self.line)
    }

    /// Something wrong with a key beside the others.
    pub(super) fn problem(&self, key: &str, what: &str) -> Problem {
        Problem { line: self.line(key), what: of(key, &self.head, what) }
    }

    /// A key that has to be there and is not.
    pub(super) fn without(&self, key: &str, next: &str) -> Option<Problem> {
        (!self.says(key)).then(|| Problem { line: self.line, what: format!("{} without `{key}`, {next}", self.head) })
    }
}

/// The lists there are, each with a block that is commented out in `default.toml`.
pub(super) fn blocks() -> BTreeMap<String, Table> {
    let shown = |line: &'static str| line.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c != ' ')).unwrap_or(line);
    let text: String = DEFAULT.lines().flat_map(|line| [shown(line), "\n"]).collect();
    let all: Table = text.parse().expect("a test reads the blocks of the embedded defaults");
    let block = |value: toml::Value| value.as_array()?.first()?.as_table().cloned();
    all.into_iter().filter_map(|(name, value)| Some((name, block(value)?))).collect()
}

fn block(name: &str) -> Table {
    blocks().remove(name).expect("a test reads the blocks of the embedded defaults")
}

/// The tables of a list with their lines; what is no list of tables is a problem.
pub(super) fn tables<'a, 'i>(
    text: &str,
    name: &str,
    list: Option<(&Spanned<toml::de::DeString<'i>>, &'a Spanned<DeValue<'i>>)>,
    problems: &mut Vec<Problem>,
) -> Vec<(usize, &'a DeTable<'i>)> {
    let Some((key, list)) = list else { return Vec::new() };
    let what = || format!("`{name}` is a list of tables, write each as `[[{name}]]`");
    let DeValue::Array(entries) = list.get_ref() else {
        problems.push(Problem { line: line_of(text, key.span().start), what: what() });
        return Vec::new();
    };
    let mut tables = Vec::new();
    for entry in entries {
        let line = line_of(text, entry.span().start);
        match entry.get_ref() {
            DeValue::Table(table) => tables.push((line, table)),
            _ => problems.push(Problem { line, what: what() }),
        }
    }
    tables
}
