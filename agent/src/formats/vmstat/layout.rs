//! The headers of Linux `vmstat`: which word of a row is which column.

use crate::formats::lines;

/// The columns of one header, by position in the list of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Names of the columns; [`UNSURE`] where a translated header does not say.
    pub(super) columns: Vec<&'static str>,
    /// What follows the numbers.
    pub(super) stamp: Stamp,
    /// The first of the columns that are rates, `si`; it and all after it are averages.
    pub(super) rates: usize,
    /// The first of the columns that are shares of CPU time, `us`; none but those follow.
    pub(super) shares: usize,
}

/// A column that is there and cannot be named.
pub(super) const UNSURE: &str = "";

/// How rows carry their time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Not at all.
    None,
    /// Date and time in the row, the zone in the header.
    Zone(String),
    /// Date, time and zone in the row (RHEL 6).
    InRow,
}

impl Stamp {
    /// How many words of a row it takes.
    pub(super) fn words(&self) -> usize {
        match self {
            Stamp::None => 0,
            Stamp::Zone(_) => 2,
            Stamp::InRow => 3,
        }
    }
}

/// The groups above the columns: whether a timestamp is among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) stamped: bool,
}

impl Groups {
    /// `procs ---memory--- ---swap-- -----io---- -system-- ------cpu-----`, in any language, or the same without dashes.
    ///
    /// Names may hold blanks (`-carimbo de tempo--`) and groups may touch (`--cpu-----czas--`), so names between dashes are counted.
    /// The report of disks has fewer groups, and AIX prints its dashes in a line of their own.
    pub(super) fn of(text: &str) -> Option<Groups> {
        if text.split_whitespace().eq(["procs", "memory", "swap", "io", "system", "cpu"]) {
            return Some(Groups { stamped: false });
        }
        if text.matches(" -").count() < 4 {
            return None;
        }
        match text.split('-').filter(|name| !name.trim().is_empty()).count() {
            6 => Some(Groups { stamped: false }),
            7 => Some(Groups { stamped: true }),
            _ => None,
        }
    }
}

const FIRST: [&str; 3] = ["r", "b", "swpd"];
const MIDDLE: [&str; 8] = ["si", "so", "bi", "bo", "in", "cs", "us", "sy"];

/// What was added or moved over the years: kernel 2.4, RHEL 3, RHEL 4, RHEL 5 and later, procps-ng 4.
const LAST: [&[&str]; 5] = [&["id"], &["wa", "id"], &["id", "wa"], &["id", "wa", "st"], &["id", "wa", "st", "gu"]];

impl Layout {
    fn new(before: &[&[&'static str]], last: &[&'static str], stamp: Stamp) -> Layout {
        let rates = before.iter().map(|part| part.len()).sum();
        let columns = [&before.concat(), &MIDDLE[..], last].concat();
        // Of the middle, `us sy` are shares already.
        Layout { columns, stamp, rates, shares: rates + MIDDLE.len() - 2 }
    }

    /// The header with these words under these groups, if it is one of Linux.
    pub(super) fn of(text: &str, groups: Option<Groups>) -> Option<Layout> {
        let words: Vec<&str> = text.split_whitespace().take(32).collect();
        let stamped = groups.is_some_and(|groups| groups.stamped);
        by_name(&words, stamped).or_else(|| by_position(&words, groups?))
    }
}

fn by_name(words: &[&str], stamped: bool) -> Option<Layout> {
    // Kernel 2.4 counted what was swapped out and runnable in a third column.
    let (runnable, rest) = match *words {
        ["r", "b", "w", ref rest @ ..] => (&["r", "b", "w", "swpd"][..], rest),
        ["r", "b", ref rest @ ..] => (&FIRST[..], rest),
        _ => return None,
    };
    let (memory, rest) = match *rest {
        ["swpd", "free", "buff", "cache", ref rest @ ..] => (["free", "buff", "cache"], rest),
        ["swpd", "free", "inact", "active", ref rest @ ..] => (["free", "inact", "active"], rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(&MIDDLE)?;
    let last = LAST.iter().rfind(|last| rest.starts_with(last))?;
    let stamp = match &rest[last.len()..] {
        [] if stamped => Stamp::InRow,
        [] => Stamp::None,
        [zone] if is_zone(zone) => Stamp::Zone((*zone).to_owned()),
        _ => return None,
    };
    Some(Layout::new(&[runnable, &memory], last, stamp))
}

/// Translated headers: procps-ng translates words and never moves them.
fn by_position(words: &[&str], groups: Groups) -> Option<Layout> {
    let (names, stamp) = match *words {
        [ref names @ .., zone] if groups.stamped && is_zone(zone) => (names, Stamp::Zone(zone.to_owned())),
        ref names if groups.stamped => (names, Stamp::InRow),
        ref names => (names, Stamp::None),
    };
    let last = LAST[2..].iter().find(|last| FIRST.len() + 3 + MIDDLE.len() + last.len() == names.len())?;
    // The header's own words: none of them is a number.
    if names.iter().any(|name| lines::number(name).is_some()) {
        return None;
    }
    // With -a, other quantities stand where buffers and cache stand without.
    let buffers = names[4].to_lowercase();
    let buffers = if ["buf", "búf", "tampon"].iter().any(|known| buffers.starts_with(known)) { "buff" } else { UNSURE };
    Some(Layout::new(&[&FIRST, &["free", buffers, UNSURE]], last, stamp))
}

/// `UTC`, `EST`, `+03`: what `date +%Z` prints.
fn is_zone(word: &str) -> bool {
    match word.strip_prefix(['+', '-']) {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(groups: &str, words: &str) -> Option<(String, Stamp)> {
        let layout = Layout::of(words, Groups::of(groups))?;
        let named = |name: &&'static str| if *name == UNSURE { "?" } else { *name };
        Some((layout.columns.iter().map(named).collect::<Vec<_>>().join(" "), layout.stamp))
    }

    const PLAIN: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----";
    const STAMPED: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----";

    #[test]
    fn layouts_of_linux() {
        for (words, count) in [
            ("r b w swpd free buff cache si so bi bo in cs us sy id", 16),
            ("r b swpd free buff cache si so bi bo in cs us sy wa id", 16),
            ("r b swpd free buff cache si so bi bo in cs us sy id wa", 16),
            (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st", 17),
            ("r b swpd free inact active si so bi bo in cs us sy id wa st gu", 18),
        ] {
            let (names, stamp) = columns(PLAIN, words).unwrap();
            assert_eq!(names, words.split_whitespace().collect::<Vec<_>>().join(" "));
            assert_eq!((names.split(' ').count(), stamp), (count, Stamp::None));
            assert_eq!(columns("", words), columns(PLAIN, words), "the line of groups may be lost");
            assert_eq!(columns(STAMPED, &format!("{words} CEST")).unwrap(), (names.clone(), Stamp::Zone("CEST".to_owned())));
            assert_eq!(columns(STAMPED, words).unwrap(), (names, Stamp::InRow));
        }
    }

    #[test]
    fn translated_layouts() {
        let unsure = "r b swpd free ? ? si so bi bo in cs us sy id wa st";
        let known = "r b swpd free buff ? si so bi bo in cs us sy id wa st";
        let utc = || Stamp::Zone("UTC".to_owned());
        for (groups, words, names, stamp) in [
            (STAMPED, "r b swpd frei buff Cache si so bi bo in cs us sy id wa st UTC", known, utc()),
            (PLAIN, "r b swpd libre tampon cache si so bi bo in cs us sy id wa st", known, Stamp::None),
            (
                "proc. ----pamięć---- --swap-- --we/wy-- -system-- ----cpu--------czas----",
                "dz bl swap wolna bufor cache si so we wy prz zk uż sy be io sk UTC",
                known,
                utc(),
            ),
            (
                "procs --memória-- -swap- -e/s- -sistema- -cpu- -carimbo de tempo--",
                "r b swpd livre inat ativo si so bi bo in cs us sy id wa st UTC",
                unsure,
                utc(),
            ),
        ] {
            assert_eq!(columns(groups, words), Some((names.to_owned(), stamp)), "{words}");
        }
    }

    #[test]
    fn other_reports_and_other_systems() {
        for (groups, words) in [
            ("kthr memory page faults cpu", "r b avm fre re pi po fr sr cy in sy cs us sy id wa"),
            (
                "----- ----------- ------------------------ ------------ -----------",
                "r b avm fre re pi po fr sr cy in sy cs us sy id wa",
            ),
            ("procs memory page disk faults cpu", "r b w swap free re mf pi po fr de sr s0 s1 s2 s3 in sy cs us sy id"),
            ("procs memory page faults cpu", "r b w avm free re at pi po fr de sr in sy cs us sy id"),
            (
                "disk- ------------reads------------ ------------writes----------- -----IO------ -----timestamp-----",
                "total merged sectors ms total merged sectors ms cur sec UTC",
            ),
            (PLAIN, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"),
        ] {
            assert_eq!(columns(groups, words), None, "{words}");
        }
    }
}
