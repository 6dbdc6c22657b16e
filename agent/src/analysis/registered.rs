//! How many users are registered on a partition, and since when: a figure that always holds, or a file with one line per change.
//!
//! The text comes in as an argument; whoever has the path reads the file. A line that is not understood is refused and never
//! skipped, because a change that is missed makes every later share of active users wrong.

use std::collections::BTreeMap;
use std::fmt;

use chrono::NaiveDate;

/// The columns that are read, in any order and among others.
const COLUMNS: [&str; 3] = ["date", "partition", "registered"];

/// Figures, each with the day from which it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registered(BTreeMap<NaiveDate, u64>);

/// A line of a file that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to write instead.
    pub why: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl Registered {
    /// This many on every day; they hold since [`NaiveDate::MIN`].
    pub fn always(users: u64) -> Registered {
        Registered(BTreeMap::from([(NaiveDate::MIN, users)]))
    }

    /// The figure in force on a day, and the day from which it holds; none before the first.
    pub fn on(&self, date: NaiveDate) -> Option<(u64, NaiveDate)> {
        self.0.range(..=date).next_back().map(|(&since, &users)| (users, since))
    }

    /// The figures of one partition in a text of separated values: a header that names the columns `date`, `partition` and
    /// `registered` in any order, then a line for each day from which another number of users is registered.
    ///
    /// Commas or semicolons separate, values may stand in quotation marks. Lines of other partitions are left alone.
    ///
    /// # Errors
    /// Every line that is not understood, in order; or that the partition is not there at all.
    pub fn parse_csv(text: &str, partition: &str) -> Result<Registered, Vec<Refused>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines =
            text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.trim().is_empty());
        let (line, head) = lines.next().unwrap_or((1, ""));
        let table = Table::new(head).map_err(|why| vec![Refused { line, why }])?;
        let mut figures: BTreeMap<NaiveDate, (usize, u64)> = BTreeMap::new();
        let mut refused = Vec::new();
        for (line, text) in lines {
            match table.figure(text, partition) {
                Ok(None) => {}
                Ok(Some((date, users))) => match figures.get(&date) {
                    Some((first, _)) => {
                        let why = format!("line {first} has a figure for `{partition}` on {date} already, take one of them out");
                        refused.push(Refused { line, why });
                    }
                    None => drop(figures.insert(date, (line, users))),
                },
                Err(why) => refused.push(Refused { line, why }),
            }
        }
        if figures.is_empty() && refused.is_empty() {
            let why = format!("no line below is of `{partition}`, add one like `2026-01-01,{partition},2120`");
            refused.push(Refused { line, why });
        }
        if refused.is_empty() {
            Ok(Registered(figures.into_iter().map(|(date, (_, users))| (date, users)).collect()))
        } else {
            Err(refused)
        }
    }
}

/// How the lines of a file are to be read, by its header.
struct Table {
    separator: char,
    width: usize,
    /// Where each of [`COLUMNS`] stands.
    at: [usize; 3],
}

impl Table {
    fn new(head: &str) -> Result<Table, String> {
        let separator = if head.contains(';') { ';' } else { ',' };
        let names: Vec<String> = cells(head, separator)?.iter().map(|name| name.to_lowercase()).collect();
        let mut at = [0; 3];
        for (at, column) in at.iter_mut().zip(COLUMNS) {
            let mut found = names.iter().enumerate().filter(|(_, name)| *name == column);
            *at = match (found.next(), found.next()) {
                (Some((place, _)), None) => place,
                (Some(_), Some(_)) => return Err(format!("the header names `{column}` twice, name it once")),
                (None, _) => {
                    return Err(format!("the header names no `{column}`, begin the file with `date,partition,registered`"));
                }
            };
        }
        Ok(Table { separator, width: names.len(), at })
    }

    /// What a line says of the partition; nothing where it is of another.
    fn figure(&self, line: &str, partition: &str) -> Result<Option<(NaiveDate, u64)>, String> {
        let cells = cells(line, self.separator)?;
        let [date, of, users] = self.at.map(|place| cells.get(place).map_or("", String::as_str));
        if of != partition && cells.len() == self.width {
            return Ok(None);
        }
        match cells.len().cmp(&self.width) {
            std::cmp::Ordering::Less => return Err(format!("has {} columns, and the header has {}", cells.len(), self.width)),
            std::cmp::Ordering::Greater => {
                let next = "write numbers without separators, like `2120`";
                return Err(format!("has {} columns, and the header has {}; {next}", cells.len(), self.width));
            }
            std::cmp::Ordering::Equal => {}
        }
        let day = (date.len() == 10).then(|| date.parse().ok()).flatten();
        let day = day.ok_or_else(|| format!("`{date}` is no date, write it like `2026-01-31`"))?;
        let digits = !users.is_empty() && users.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| users.parse().ok()).flatten();
        let number =
            number.ok_or_else(|| format!("`{users}` is no number of users, write it without separators, like `2120`"))?;
        Ok(Some((day, number)))
    }
}

/// The values of a line, without the blanks around them. In quotation marks, two of them stand for one.
fn cells(line: &str, separator: char) -> Result<Vec<String>, String> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    loop {
        let (cell, behind) = match rest.strip_prefix('"') {
            Some(inside) => quoted(inside).ok_or("the quotation marks do not end in this line")?,
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        cells.push(cell);
        rest = match behind.trim_start() {
            "" => return Ok(cells),
            behind => match behind.strip_prefix(separator) {
                Some(next) => next.trim_start(),
                None => return Err(format!("`{behind}` stands behind quotation marks where `{separator}` should")),
            },
        };
    }
}

fn quoted(inside: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = inside;
    loop {
        let (text, behind) = rest.split_once('"')?;
        cell.push_str(text);
        match behind.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Some((cell.trim().to_owned(), behind)),
        }
    }
}
