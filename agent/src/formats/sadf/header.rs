//! The header of a table of `sadf -d`, and where it puts the words of a row.

use crate::catalog::Place;
use crate::formats::{devices, lines};
use crate::snapshot::Snapshot;

/// The columns after host, interval and stamp.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    groups: Vec<Group>,
    /// How many columns it names.
    width: usize,
    /// Whether a row may repeat a group for each of its items: the marks `[...]` of `-h`.
    wide: bool,
    /// Whether a column stands for an unknown number of them: `CPU*`.
    open: bool,
}

/// Columns that belong together: an activity, for one item or for the host.
#[derive(Debug, PartialEq)]
struct Group {
    items: Items,
    /// Its first column; that of the item, where there is one.
    at: usize,
    columns: Vec<String>,
    /// Whether a wide row repeats it.
    list: bool,
}

/// What the rows of a group are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Items {
    Host,
    Processors,
    Disks,
    Interfaces,
    /// Known, and left alone.
    Other,
}

const LEAD: usize = 3;

impl Header {
    /// `# hostname;interval;timestamp;…`.
    pub(super) fn of(text: &str) -> Option<Header> {
        let text = text.trim_start_matches('#').trim();
        let rest = text.strip_prefix("hostname;interval;timestamp;")?;
        let mut header = Header { groups: Vec::new(), width: 0, wide: false, open: false };
        let mut closed = true;
        for word in rest.split(';') {
            let column = word.strip_suffix("[...]").unwrap_or(word);
            let items = Items::named(column);
            // Sensors have two columns of names: `TEMP;DEVICE`.
            let named = header.groups.last().is_some_and(|group| group.items == Items::Other && group.columns.len() == 1);
            if closed || items.is_some() && !named {
                let items = items.unwrap_or(Items::Host);
                header.groups.push(Group { items, at: header.width, columns: Vec::new(), list: false });
            }
            let group = header.groups.last_mut()?;
            group.columns.push(column.to_owned());
            closed = column.len() < word.len();
            group.list |= closed;
            header.wide |= closed;
            header.open |= column.ends_with('*');
            header.width += 1;
        }
        Some(header)
    }

    /// Whether nothing in its rows is read.
    pub(super) fn left_alone(&self) -> bool {
        self.groups.iter().all(|group| group.items == Items::Other)
    }

    /// Puts the words of a row, which begin after host, interval and stamp, where they belong.
    ///
    /// # Errors
    /// Why something in the row was left out; the rest is put all the same.
    pub(super) fn put(&self, words: &[&str], into: &mut Snapshot) -> Result<(), String> {
        let Some(repeats) = self.repeats(words.len()) else {
            return self.put_certain(words, into);
        };
        let mut result = Ok(());
        let mut at = 0;
        for group in &self.groups {
            for _ in 0..if group.list { repeats } else { 1 } {
                result = result.and(group.put(&words[at..at + group.columns.len()], into));
                at += group.columns.len();
            }
        }
        result
    }

    /// How often a row of so many words repeats its lists, where only one answer is possible.
    fn repeats(&self, words: usize) -> Option<usize> {
        let mut lists = self.groups.iter().filter(|group| group.list).map(|group| group.columns.len());
        match (lists.next(), lists.next()) {
            _ if self.open => None,
            (Some(list), None) => {
                let more = (words + list).checked_sub(self.width)?;
                more.is_multiple_of(list).then_some(more / list)
            }
            _ => (words == self.width).then_some(1),
        }
    }

    /// Puts what stands before the second item of the first list: where the rest of a row belongs is not certain.
    fn put_certain(&self, words: &[&str], into: &mut Snapshot) -> Result<(), String> {
        if !self.wide || words.len() < self.width {
            return Err(lines::columns(LEAD + self.width, LEAD + words.len()));
        }
        for group in &self.groups {
            group.put(&words[group.at..group.at + group.columns.len()], into)?;
            if group.list {
                break;
            }
        }
        Err("several lists in one row: only what stands before the first is certain".to_owned())
    }
}

impl Items {
    /// A column that names items is in capitals, and no other is.
    fn named(column: &str) -> Option<Items> {
        match column {
            "CPU" => Some(Items::Processors),
            "DEV" => Some(Items::Disks),
            "IFACE" => Some(Items::Interfaces),
            _ if column.len() > 1 && column.bytes().all(|byte| byte.is_ascii_uppercase()) => Some(Items::Other),
            _ => None,
        }
    }
}

impl Group {
    fn put(&self, words: &[&str], into: &mut Snapshot) -> Result<(), String> {
        let (columns, first) = (&self.columns[..], words.first().copied().unwrap_or_default());
        match self.items {
            Items::Host => put(Place::Sar, columns, &[], words, into),
            Items::Processors if first == "-1" || first == "all" => {
                whole_cpu(columns, words)?;
                put(Place::Sar, &columns[1..], &[], &words[1..], into)
            }
            Items::Disks | Items::Interfaces if lines::number(first).is_some() => {
                Err(format!("`{}` is `{}`, not a name", columns[0], lines::clip(first)))
            }
            Items::Disks if devices::whole_disk(first) => put(Place::SarDisk, &columns[1..], &[first], &words[1..], into),
            Items::Interfaces if first != "lo" => put(Place::SarNetwork, &columns[1..], &[first], &words[1..], into),
            Items::Processors | Items::Disks | Items::Interfaces | Items::Other => Ok(()),
        }
    }
}

/// Puts every number that can be one; the first that cannot is the error.
fn put(place: Place, columns: &[String], labels: &[&str], words: &[&str], into: &mut Snapshot) -> Result<(), String> {
    let mut result = Ok(());
    for (column, word) in columns.iter().zip(words) {
        match sane(column, word) {
            Ok(number) => into.put(place, column, labels, number),
            Err(why) => result = result.and(Err(why)),
        }
    }
    result
}

/// A number that its column can have.
fn sane(column: &str, word: &str) -> Result<f64, String> {
    /// A disk answers several requests at a time (sysstat#412), memory is promised twice, a page is reclaimed from elsewhere.
    const BEYOND: [&str; 3] = ["%util", "%commit", "%vmeff"];
    let number = lines::sane(column, word)?;
    if number > 100.0 && column.starts_with('%') && !BEYOND.contains(&column) {
        return Err(format!("`{column}` is {}", lines::clip(word)));
    }
    Ok(number)
}

/// The shares of CPU time stand or fall together: what is missing of them would pass for work or for rest.
///
/// Some hypervisors lose the times, and all shares are 0 (sysstat#95).
fn whole_cpu(columns: &[String], words: &[&str]) -> Result<(), String> {
    let mut shares = 0.0;
    for (column, word) in columns.iter().zip(words).filter(|(column, _)| column.starts_with('%')) {
        shares += sane(column, word)?;
    }
    let lost = shares == 0.0 && columns.iter().any(|column| column == "%idle");
    if lost { Err("its shares of CPU time are all 0".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(columns: &str) -> Header {
        Header::of(&format!("# hostname;interval;timestamp;{columns}")).unwrap()
    }

    #[test]
    fn tables() {
        assert_eq!(Header::of("# hostname;interval"), None);
        assert_eq!(Header::of("vm;2;2026-11-30 19:15:52 UTC;-1;1.00"), None);
        assert!(header("INTR;CPU*").left_alone());
        assert!(header("FILESYSTEM;MBfsfree;MBfsused").left_alone());
        assert!(header("TTY;rcvin/s").left_alone());
        assert!(!header("proc/s;cswch/s").left_alone());
    }

    #[test]
    fn lists_in_wide_rows() {
        let one = header("proc/s;DEV;tps;await[...];ldavg-1");
        assert_eq!([4, 5, 6, 8, 11].map(|words| one.repeats(words)), [None, Some(1), None, Some(2), Some(3)]);
        assert_eq!(one.repeats(2), Some(0));
        let two = header("CPU;%idle[...];kbdirty;DEV;tps[...]");
        assert_eq!([3, 5, 7].map(|words| two.repeats(words)), [None, Some(1), None]);
        assert_eq!(header("INTR;CPU*[...];proc/s").repeats(3), None);
        assert_eq!(header("TEMP;DEVICE;degC;%temp[...]").repeats(8), Some(2));
    }
}
