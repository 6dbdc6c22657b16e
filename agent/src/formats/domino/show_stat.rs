//! Listings of `show stat`: `␠␠Name = Value` a line, `␠␠NN statistics found` at the end.
//!
//! A listing is found line by line in a file of its own or in a console log, where other lines stand inside. The trailer is
//! the proof that nothing was lost: its number must be the number of lines. It is translated, so only its shape is known.
//! Without it a listing counts only once the next one has begun, and only if the names of an earlier whole one are there.

use std::collections::HashSet;

use super::prefix::{self, Console};
use super::{leading_number, strip_word};

/// No server has as many; a listing that goes on is none.
const MOST_STATS: usize = 20_000;
/// In bytes. A task's status may be long, not this long.
const LONGEST_LINE: usize = 8192;
/// The share of the last whole listing's names that one without a trailer must hold.
const ENOUGH: f64 = 0.95;
/// Consoles wrap at their width; a shorter line was not wrapped. In bytes.
const NARROWEST_CONSOLE: usize = 60;

/// First parts of names, as far as they are known, in lower case: such a name is a statistic wherever it stands.
const FACILITIES: &[&str] = &[
    "adminp",
    "agent",
    "calendar",
    "certmgr",
    "comm",
    "daos",
    "database",
    "db2nsf",
    "decs",
    "dirsync",
    "disk",
    "domino",
    "dominobackup",
    "dominohealth",
    "dominoiq",
    "event",
    "faultanalyzer",
    "ft",
    "http",
    "icm",
    "imap",
    "io",
    "ldap",
    "license",
    "mail",
    "mailbydest",
    "mem",
    "monitor",
    "net",
    "nntp",
    "object",
    "os",
    "platform",
    "pop3",
    "query",
    "repair",
    "replica",
    "sem",
    "server",
    "smtp",
    "spin",
    "stats",
    "traveler",
    "update",
    "web",
];

/// What was found between the beginning and the end of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Names and values in their order, repeated names repeated. A listing that ended without trailer lacks its last line,
    /// which may have been cut.
    pub stats: Vec<(String, String)>,
    /// The number that the trailer says.
    pub trailer: Option<u64>,
    /// Lines inside that belong to something else.
    pub foreign: u32,
    /// Lines inside with control characters or of impossible length.
    pub junk: u32,
    /// Whether the next listing has begun after it; false where the input ended.
    pub followed: bool,
    /// Where the lines of one listing end and those of another go on, as in a log that is written in a circle.
    seam: Option<usize>,
}

/// Whether a listing can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All statistics are there.
    Whole,
    /// The trailer says another number of lines than belong together.
    Disagrees {
        /// The trailer's number.
        said: u64,
        /// The lines found.
        found: u64,
    },
    /// The end is missing.
    Unfinished,
}

/// The names of a listing that was whole, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    names: HashSet<String>,
    /// Lines of the listing they are of.
    lines: usize,
}

impl Names {
    /// The names of a listing.
    pub fn of(listing: &Listing) -> Names {
        let names = listing.stats.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        Names { names, lines: listing.stats.len() }
    }

    /// Whether a listing has as many lines: most follow each other with the same names.
    pub fn is_of_as_many(&self, listing: &Listing) -> bool {
        self.lines == listing.stats.len()
    }
}

/// Judges a listing; `known` are the names of the same partition's last whole listing.
pub fn completeness(listing: &Listing, known: Option<&Names>) -> Completeness {
    let lines = listing.seam.unwrap_or(listing.stats.len()) as u64;
    match (listing.trailer, known) {
        (Some(said), _) if said == lines && listing.seam.is_none() => Completeness::Whole,
        (Some(said), _) => Completeness::Disagrees { said, found: lines },
        (None, Some(known)) if listing.followed && listing.seam.is_none() && !known.names.is_empty() => {
            let found = Names::of(listing).names.intersection(&known.names).count();
            if found as f64 >= ENOUGH * known.names.len() as f64 { Completeness::Whole } else { Completeness::Unfinished }
        }
        (None, _) => Completeness::Unfinished,
    }
}

/// Finds listings in lines given one by one.
#[derive(Debug, Default)]
pub struct Listings {
    open: Option<Open>,
}

impl Listings {
    /// A reader that has seen nothing.
    pub fn new() -> Listings {
        Listings::default()
    }

    /// Takes a line, which must have been whole, without its end; gives the listing that ends with it.
    pub fn push(&mut self, line: &str) -> Option<Listing> {
        let line = line.trim_end_matches(['\n', '\r']);
        if is_junk(line) {
            if let Some(open) = &mut self.open {
                open.listing.junk += 1;
            }
            return None;
        }
        let console = prefix::strip(line);
        if console.text.is_empty() {
            return None;
        }
        if console.command().is_some_and(is_show_stat) {
            let ended = self.take(true);
            self.open = Some(Open::new(true));
            return ended;
        }
        if let Some((shape, name, value)) = stat(&console) {
            return self.stat(&console, shape, name, value, line.len());
        }
        let open = self.open.as_mut()?;
        if let Some(said) = trailer(&console).filter(|_| open.may_end(&console)) {
            open.listing.trailer = Some(said);
            return self.take(true);
        }
        open.other(&console);
        None
    }

    /// Whether a listing has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The listing that was not finished when the input ended.
    pub fn finish(&mut self) -> Option<Listing> {
        self.take(false)
    }

    fn stat(&mut self, console: &Console<'_>, shape: Shape, name: &str, value: &str, length: usize) -> Option<Listing> {
        let mut ended = None;
        if self.open.as_ref().is_some_and(|open| open.begins_again(shape, name) || open.was_stray(shape)) {
            ended = self.take(true);
        }
        let known = is_known(name);
        match &mut self.open {
            // Without two blanks only a known name is a statistic, and inside a listing only a line like the others.
            Some(open) if open.fits(shape, known) => open.add(console, shape, name, value, length, known),
            Some(open) => open.other(console),
            None if known || shape == Shape::LISTED => {
                let mut open = Open::new(false);
                open.add(console, shape, name, value, length, known);
                self.open = Some(open);
            }
            None => {}
        }
        ended
    }

    /// Ends the open listing; none where there was nothing to list.
    fn take(&mut self, followed: bool) -> Option<Listing> {
        let open = self.open.take()?;
        let mut listing = open.listing;
        listing.followed = followed;
        listing.seam = open.threads.seam();
        if listing.trailer.is_none() {
            // A line with ` = ` that no command and no known name introduced was some program's own.
            let cut = listing.stats.pop();
            if !open.known || cut.is_none() || listing.stats.is_empty() {
                return None;
            }
        }
        Some(listing)
    }
}

/// The listings of a text, in order. A last line without end is not looked at.
pub fn listings(text: &str) -> Vec<Listing> {
    let mut reader = Listings::new();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut found: Vec<_> = whole.split('\n').filter_map(|line| reader.push(line)).collect();
    found.extend(reader.finish());
    found
}

/// How the lines of a listing look; all of one look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    dated: bool,
    indented: bool,
    tabbed: bool,
}

impl Shape {
    const LISTED: Shape = Shape { dated: false, indented: true, tabbed: false };
}

#[derive(Debug)]
struct Open {
    listing: Listing,
    shape: Option<Shape>,
    threads: Threads,
    /// Whether a command or a known name showed that this is a listing.
    known: bool,
    /// The length of the line before in bytes, if it was a statistic's.
    before: Option<usize>,
}

impl Open {
    fn new(known: bool) -> Open {
        let listing = Listing { stats: Vec::new(), trailer: None, foreign: 0, junk: 0, followed: false, seam: None };
        Open { listing, shape: None, threads: Threads::default(), known, before: None }
    }

    fn fits(&self, shape: Shape, known: bool) -> bool {
        match self.shape {
            Some(own) => own == shape && (shape.indented && !shape.dated || known),
            None => known || shape == Shape::LISTED,
        }
    }

    /// The first name again, with others in between, is the next listing.
    fn begins_again(&self, shape: Shape, name: &str) -> bool {
        let (Some((first, _)), Some((last, _))) = (self.listing.stats.first(), self.listing.stats.last()) else { return false };
        self.shape == Some(shape) && first.eq_ignore_ascii_case(name) && !last.eq_ignore_ascii_case(name)
    }

    /// A listing in its usual look begins where only lines of another look were found.
    fn was_stray(&self, shape: Shape) -> bool {
        shape == Shape::LISTED && self.shape.is_some_and(|own| own != shape)
    }

    fn add(&mut self, console: &Console<'_>, shape: Shape, name: &str, value: &str, length: usize, known: bool) {
        self.shape = Some(shape);
        self.known |= known;
        if self.listing.stats.len() == MOST_STATS {
            self.listing.foreign += 1;
            return;
        }
        self.threads.hear(console.thread, self.listing.stats.len());
        self.listing.stats.push((name.to_owned(), value.to_owned()));
        self.before = Some(length);
    }

    /// A line of something else, or the rest of a value that a narrow console wrapped.
    fn other(&mut self, console: &Console<'_>) {
        let digits = console.text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\''))
            && console.text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{a0}'));
        let wrapped = self.before.is_some_and(|length| length >= NARROWEST_CONSOLE) && console.stamp.is_none() && digits;
        match self.listing.stats.last_mut().filter(|_| wrapped) {
            // A number in two parts, or a number and a stranger's: with the break in it it is none.
            Some((_, value)) => {
                value.push('\n');
                value.push_str(console.text);
            }
            None => self.listing.foreign = self.listing.foreign.saturating_add(1),
        }
        self.before = None;
    }

    fn may_end(&self, console: &Console<'_>) -> bool {
        match self.shape {
            Some(own) => own.dated == console.stamp.is_some() && (!own.indented || console.text.starts_with("  ")),
            None => console.text.starts_with("  ") && console.stamp.is_none(),
        }
    }
}

/// Which thread printed each line. One prints a whole listing, or many take turns;
/// one after the other are two listings, the newer written over the older.
#[derive(Debug, Default)]
struct Threads {
    first: Option<Option<String>>,
    left_at: Option<usize>,
    returned: bool,
}

impl Threads {
    fn hear(&mut self, thread: Option<&str>, line: usize) {
        let first = self.first.get_or_insert_with(|| thread.map(str::to_owned));
        match (first.as_deref() == thread, self.left_at) {
            (true, Some(_)) => self.returned = true,
            (false, None) => self.left_at = Some(line),
            _ => {}
        }
    }

    fn seam(&self) -> Option<usize> {
        self.left_at.filter(|_| !self.returned)
    }
}

/// Control characters stand in no line of text; the tab separates, as in the C interface.
fn is_junk(line: &str) -> bool {
    line.len() > LONGEST_LINE || line.chars().any(|c| c.is_control() && c != '\t')
}

/// `show stat`, `sh stat query`; a command may be shortened.
fn is_show_stat(command: &str) -> bool {
    let command = command.trim_start_matches('!');
    let mut words = command.split_whitespace();
    let (Some(show), Some(stat)) = (words.next(), words.next()) else { return false };
    let short = |word: &str, long: &str, least: usize| word.len() >= least && strip_word(long, word).is_some();
    short(show, "show", 2) && short(stat, "statistics", 4) || short(show, "show", 2) && stat.eq_ignore_ascii_case("stats")
}

/// A name with a point, ` = ` or a tab, a value.
fn stat<'a>(console: &Console<'a>) -> Option<(Shape, &'a str, &'a str)> {
    let text = console.text.trim_start_matches(' ');
    let indent = console.text.len() - text.len();
    let (name, value, tabbed) = match (text.find(" = "), text.find('\t')) {
        (Some(equals), tab) if tab.is_none_or(|tab| equals < tab) => (&text[..equals], &text[equals + 3..], false),
        (_, Some(tab)) => (&text[..tab], &text[tab + 1..], true),
        _ => (text.strip_suffix(" =")?, "", false),
    };
    let shape = Shape { dated: console.stamp.is_some(), indented: indent >= 2, tabbed };
    let (facility, rest) = name.split_once('.')?;
    let word = facility.starts_with(|c: char| c.is_ascii_alphabetic())
        && facility.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let free = value.chars().all(|c| c != '\t') && !name.contains('\t');
    (word && free && !rest.is_empty() && indent != 1).then(|| (shape, name.trim_end(), value.trim()))
}

fn is_known(name: &str) -> bool {
    facility(name.split('.').next().unwrap_or(name)).is_some()
}

/// The facility that a word names, in lower case, if it is a known one.
pub(super) fn facility(word: &str) -> Option<&'static str> {
    FACILITIES.iter().copied().find(|known| known.eq_ignore_ascii_case(word))
}

/// Two blanks, a number, words in some language.
fn trailer(console: &Console<'_>) -> Option<u64> {
    let text = console.text.trim_start_matches(' ');
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{a0}'))).unwrap_or(text.len());
    let (number, words) = text.split_at(end);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let (said, _) = leading_number(&digits)?;
    let spaced = words.starts_with(' ') || words.starts_with(|c: char| c.is_alphabetic() && !c.is_ascii());
    let worded = words.trim_start().starts_with(char::is_alphabetic);
    (number.starts_with(|c: char| c.is_ascii_digit()) && spaced && worded && !text.contains(" = ")).then_some(said)
}
