//! Bodies of statistics publication: what a server of release 10 or later POSTs every minute, in a format of its administrator's.
//!
//! An entry is `PREFIX.NAME VALUE [TIMESTAMP]`; line ends or commas stand between entries. Which prefix, which delimiter and
//! whether there are timestamps is told by the body as a whole: one entry alone cannot, since servers may be called like facilities.
//! Rates per minute stand among the levels below a word of their own, as in `Rate.Mail.Delivered`; they are dropped.
//! Refused: JSON, a value that may be cut or grouped, a name that comes twice. Missing beats wrong.

use std::collections::{BTreeSet, HashMap};

use thiserror::Error;

use crate::time::Millis;

use super::show_stat::facility;

/// Levels and rates of more statistics than any server has.
const MOST_ENTRIES: usize = 40_000;
/// In bytes.
const LONGEST_ENTRY: usize = 8192;
/// A prefix of more words is none.
const MOST_WORDS: usize = 8;
/// Timestamps of one body that are further apart, in milliseconds, tell nothing.
const ONE_MOMENT: Millis = 60_000;

/// What a body says.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Names as `show stat` prints them, with their values; none twice, none at all where only rates came.
    pub stats: Vec<(String, f64)>,
    /// Entries that were not understood, or came twice.
    pub refused: u32,
    /// When, in milliseconds since 1970, where the entries say so.
    pub at: Option<Millis>,
}

/// Why a body is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BodyError {
    /// The preset for a service that takes JSON, or another format with brackets.
    #[error("the body is JSON, which is not read; {NEXT}")]
    Json,
    /// Nothing in it can be relied on.
    #[error("no statistic of the form `Name Value` can be read in the body; {NEXT}")]
    Nothing,
    /// No server has as many statistics.
    #[error("more than {MOST_ENTRIES} entries are no publication of a server's statistics; {NEXT}")]
    TooMany,
}

const NEXT: &str = "set STATPUB_METRIC_FORMAT=$Name$ $Value$ and STATPUB_METRIC_DELIMITER=$Newline$ in notes.ini";

/// Reads a body that has come in full.
///
/// # Errors
/// Where it is not in a format that can be read, or nothing in it can be relied on.
pub fn parse(body: &[u8]) -> Result<Published, BodyError> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with(['{', '[']) {
        return Err(BodyError::Json);
    }
    let Split { lines, mut refused, mut grouped, .. } = split(text);
    if lines.len() > MOST_ENTRIES {
        return Err(BodyError::TooMany);
    }
    let stamped = 2 * lines.iter().filter(|line| line.stamp.is_some()).count() > lines.len();
    let entries: Vec<_> = lines.iter().filter_map(|line| line.entry(stamped)).collect();
    grouped |= entries.iter().any(|entry| entry.value.is_none() && is_grouped(entry.text));
    refused += lines.len() - entries.len();
    let prefix = prefix(entries.iter().map(|entry| entry.name)).ok_or(BodyError::Nothing)?;
    let mut stats = Vec::new();
    for entry in &entries {
        match (named(entry.name, prefix), entry.value) {
            (Named::Rate, _) => {}
            // Where other values are grouped, `1.234` may be as well.
            (Named::Level(name), Some(value)) if !(grouped && entry.text.contains('.')) => stats.push((name.to_owned(), value)),
            _ => refused += 1,
        }
    }
    refused += drop_repeated(&mut stats);
    if stats.is_empty() && refused > 0 {
        return Err(BodyError::Nothing);
    }
    let refused = u32::try_from(refused).unwrap_or(u32::MAX);
    Ok(Published { stats, refused, at: moment(entries.iter().filter_map(|entry| entry.at)) })
}

/// A piece of the body that ends in a number.
#[derive(Clone, Copy)]
struct Line<'a> {
    before: &'a str,
    last: &'a str,
    /// The same piece read as name, value and timestamp, if it can be.
    stamp: Option<Entry<'a>>,
}

/// A name and its value.
#[derive(Clone, Copy)]
struct Entry<'a> {
    name: &'a str,
    text: &'a str,
    /// None where it is a number in some locale that is not known.
    value: Option<f64>,
    at: Option<Millis>,
}

impl<'a> Line<'a> {
    fn of(piece: &'a str) -> Option<Line<'a>> {
        let odd = |c: char| c.is_control() && c != '\t' || c == char::REPLACEMENT_CHARACTER;
        if piece.len() > LONGEST_ENTRY || piece.chars().any(odd) {
            return None;
        }
        let (before, last) = last_word(piece)?;
        let entry = |(name, text)| Entry { name, text, value: number(text), at: stamp(last) };
        let stamp = last_word(before).filter(|_| stamp(last).is_some()).map(entry);
        (before.contains('.') && is_figure(last)).then_some(Line {
            before,
            last,
            stamp: stamp.filter(|entry| entry.name.contains('.') && is_figure(entry.text)),
        })
    }

    /// None where one piece is not as the others are: its value and its timestamp cannot be told apart.
    fn entry(&self, stamped: bool) -> Option<Entry<'a>> {
        match self.stamp {
            Some(entry) => stamped.then_some(entry),
            None if stamped => None,
            None => Some(Entry { name: self.before, text: self.last, value: number(self.last), at: None }),
        }
    }
}

/// A body in pieces.
struct Split<'a> {
    lines: Vec<Line<'a>>,
    /// Lines, and pieces that would be such if their neighbours were.
    readable: usize,
    refused: usize,
    /// Whether commas stand inside numbers.
    grouped: bool,
}

/// Splits by lines alone, unless commas make more entries of it.
fn split(text: &str) -> Split<'_> {
    let (by_lines, by_commas) = (split_at(text, '\n'), split_at(text, ','));
    if by_commas.readable > by_lines.readable { by_commas } else { by_lines }
}

/// Splits by line ends and by the delimiter. Beside a piece that is no entry a delimiter may have stood inside a number or a name.
fn split_at(text: &str, delimiter: char) -> Split<'_> {
    let mut split = Split { lines: Vec::new(), readable: 0, refused: 0, grouped: false };
    let trim = |piece| str::trim_matches(piece, [' ', '\t', '\r', ',']);
    for line in text.split('\n') {
        let texts: Vec<&str> = line.split(delimiter).map(trim).filter(|piece| !piece.is_empty()).collect();
        let pieces: Vec<Option<Line<'_>>> = texts.iter().map(|text| Line::of(text)).collect();
        let strange = |at: Option<usize>| at.and_then(|at| pieces.get(at)).is_some_and(Option::is_none);
        for (at, piece) in pieces.iter().enumerate() {
            split.readable += usize::from(piece.is_some());
            split.grouped |= piece.is_none() && at > 0 && texts[at].starts_with(|c: char| c.is_ascii_digit());
            match piece.filter(|_| !strange(at.checked_sub(1)) && !strange(Some(at + 1))) {
                Some(line) => split.lines.push(line),
                None => split.refused += 1,
            }
        }
    }
    split
}

fn last_word(text: &str) -> Option<(&str, &str)> {
    let (before, last) = text.rsplit_once([' ', '\t'])?;
    Some((before.trim_end(), last))
}

/// A number in some locale.
fn is_figure(text: &str) -> bool {
    let of_numbers = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'\'' | b'+' | b'-' | b'e' | b'E');
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && text.ends_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(of_numbers)
}

/// A number with thousands grouped, or with a decimal comma.
fn is_grouped(figure: &str) -> bool {
    let thousands = || figure.split('.').skip(1).all(|part| part.len() == 3);
    figure.contains([',', '\'']) || figure.contains('.') && thousands()
}

/// A number that is one in every locale; the C library writes large ones with an exponent.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && is_figure(text))
}

/// Seconds or milliseconds since 1970, by the number of digits.
fn stamp(text: &str) -> Option<Millis> {
    let number: Millis = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())??;
    match text.len() {
        10 => Some(number * 1000),
        13 => Some(number),
        _ => None,
    }
}

/// The latest of timestamps that belong together.
fn moment(stamps: impl Iterator<Item = Millis> + Clone) -> Option<Millis> {
    let (first, last) = (stamps.clone().min()?, stamps.max()?);
    (last - first <= ONE_MOMENT).then_some(last)
}

/// What begins with a prefix.
#[derive(Default)]
struct Votes {
    /// The facilities that follow it.
    facilities: BTreeSet<&'static str>,
    entries: usize,
    seen: usize,
}

/// What stands before the names, with its last point: the words that are followed by the most facilities, as only the levels
/// of a whole publication are. Few entries of one facility leave a choice: then it is the documented `Domino.SERVER.`, else nothing.
fn prefix<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut votes: HashMap<&str, Votes> = HashMap::new();
    for name in names {
        let starts = std::iter::once(0).chain(name.match_indices('.').map(|(at, _)| at + 1));
        for start in starts.take(MOST_WORDS) {
            let seen = votes.len();
            let votes = votes.entry(&name[..start]).or_insert_with(|| Votes { seen, ..Votes::default() });
            votes.entries += 1;
            votes.facilities.extend(begins(&name[start..]));
        }
    }
    let documented = |prefix: &str| prefix.starts_with("Domino.") && prefix.matches('.').count() >= 2;
    let rank = |(prefix, votes): &(&str, Votes)| {
        let early = std::cmp::Reverse((prefix.len(), votes.seen));
        (votes.facilities.len(), votes.entries, documented(prefix), early)
    };
    votes.into_iter().filter(|(_, votes)| !votes.facilities.is_empty()).max_by_key(rank).map(|(prefix, _)| prefix)
}

/// The facility that a name begins with, if it is known and something follows it.
fn begins(name: &str) -> Option<&'static str> {
    let (word, rest) = name.split_once('.')?;
    facility(word).filter(|_| !rest.is_empty())
}

/// What a name stands for.
enum Named<'a> {
    Level(&'a str),
    Rate,
    Neither,
}

fn named<'a>(name: &'a str, prefix: &str) -> Named<'a> {
    let Some(rest) = name.strip_prefix(prefix) else { return Named::Neither };
    let Some((first, behind)) = rest.split_once('.') else { return Named::Neither };
    let rate = |word: &str| word.eq_ignore_ascii_case("rate");
    if rate(first) || facility(first).is_none() && begins(behind).is_some() || prefix.split('.').rev().nth(1).is_some_and(rate) {
        return Named::Rate;
    }
    let word = first.starts_with(|c: char| c.is_ascii_alphabetic())
        && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if word && !behind.is_empty() { Named::Level(rest) } else { Named::Neither }
}

/// Drops every statistic whose name comes twice, whatever its letter case; says how many.
fn drop_repeated(stats: &mut Vec<(String, f64)>) -> usize {
    let mut times: HashMap<String, u32> = HashMap::new();
    for (name, _) in &*stats {
        *times.entry(name.to_ascii_lowercase()).or_default() += 1;
    }
    let before = stats.len();
    stats.retain(|(name, _)| times.get(&name.to_ascii_lowercase()) == Some(&1));
    before - stats.len()
}
