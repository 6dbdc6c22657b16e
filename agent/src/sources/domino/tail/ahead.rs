//! What stood in a file beyond a position: the way to see where a log that is written in a circle has been written.
//!
//! Such a log goes on at its start once it is full, in place, and nothing but its text tells where the new ends and the old goes
//! on. The writer goes forward only: all from the position to the last byte that has changed was written since,
//! be it before the old text was remembered or after. A byte that did not change may be new all the same;
//! what ends with such a one waits until more was written behind it.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::Position;
use super::bytes::{hash, read_range};

/// How much is remembered beyond the position and at the file's start, in bytes each: what a server says in many minutes.
const WINDOW: u64 = 1 << 20;
/// So much at the end of a window must be as it was, or the writer may have gone beyond.
const MARGIN: usize = 4096;
/// A smaller file is not looked at as a circle when a place at its start is to be known.
const SMALL: u64 = 64 << 10;

/// The text beyond a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    /// From the position on.
    rest: Vec<u8>,
    /// From the start of the file on, up to the position.
    head: Vec<u8>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stream {
    /// From the position on.
    pub(super) first: Range<u64>,
    /// And then at the start of the file.
    pub(super) second: Option<Range<u64>>,
    /// Whether the file has grown, so that all from the position to its end is new.
    pub(super) grown: bool,
    /// Whether anything was written at all.
    pub(super) changed: bool,
    /// Whether there cannot be more.
    pub(super) complete: bool,
}

impl Ahead {
    /// Of a file of that length.
    pub(super) fn read(file: &File, offset: u64, length: u64) -> io::Result<Ahead> {
        let rest = read_range(file, offset..length.min(offset + WINDOW).max(offset))?;
        Ok(Ahead { rest, head: read_range(file, 0..offset.min(WINDOW))? })
    }

    /// The same stretches, as they are now.
    pub(super) fn again(&self, file: &File, offset: u64) -> io::Result<Ahead> {
        let rest = read_range(file, offset..offset + self.rest.len() as u64)?;
        Ok(Ahead { rest, head: read_range(file, 0..self.head.len() as u64)? })
    }

    /// Only growth is to come; the start of the file stays as remembered.
    pub(super) fn without_rest(self) -> Ahead {
        Ahead { rest: Vec::new(), head: self.head }
    }

    /// What was written between this and `now`, in a file that has not become shorter.
    pub(super) fn stream(&self, now: &Ahead, position: &Position, length: u64) -> Stream {
        let rest = last_difference(&self.rest, &now.rest);
        let head = last_difference(&self.head, &now.head);
        let grown = length > position.length;
        let end = if grown { length } else { position.written.max(position.offset + rest.unwrap_or(0) as u64) };
        let beyond = |old: &[u8], changed: Option<usize>| changed.is_some_and(|changed| changed + MARGIN > old.len());
        let lost_sight = match head {
            Some(_) => beyond(&self.head, head) && (self.head.len() as u64) < position.offset,
            None => !grown && beyond(&self.rest, rest) && position.offset + (self.rest.len() as u64) < length,
        };
        Stream {
            first: position.offset..end,
            second: head.map(|head| 0..head as u64),
            grown,
            changed: grown || rest.is_some() || head.is_some(),
            complete: !lost_sight,
        }
    }
}

/// What can be told where the text beyond the position was not remembered: growth, and whether the writer has begun anew.
pub(super) fn stream_unseen(position: &Position, length: u64, begun_anew: bool) -> Stream {
    let grown = length > position.length;
    Stream {
        first: position.offset..if grown { length } else { position.offset },
        second: begun_anew.then_some(0..0),
        grown,
        changed: grown || begun_anew,
        complete: !begun_anew && (grown || position.offset == length),
    }
}

/// Behind the last byte that differs.
fn last_difference(old: &[u8], new: &[u8]) -> Option<usize> {
    if old == new {
        return None;
    }
    let differs = old.iter().zip(new).rposition(|(old, new)| old != new);
    // What is shorter was cut, which is for the caller to see.
    Some(differs.map_or(0, |at| at + 1))
}

/// What the text just before a position is known by. At the start of a circle that is the end of the file.
pub(super) fn print_before(file: &File, offset: u64, length: u64) -> io::Result<u64> {
    let mut bytes = read_range(file, offset.saturating_sub(Position::PRINT)..offset)?;
    let missing = Position::PRINT.saturating_sub(offset);
    if missing > 0 && length > SMALL {
        bytes.extend(read_range(file, length - missing..length)?);
    }
    Ok(hash(&bytes))
}

/// What the start of a file is known by, before a position in it.
pub(super) fn print_start(file: &File, offset: u64) -> io::Result<u64> {
    Ok(hash(&read_range(file, 0..offset.min(Position::PRINT))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(old: (&str, &str), new: (&str, &str), offset: u64, length: (u64, u64)) -> Stream {
        let ahead = |(rest, head): (&str, &str)| Ahead { rest: rest.into(), head: head.into() };
        let position = Position { offset, written: offset, length: length.0, before: 0, start: 0 };
        ahead(old).stream(&ahead(new), &position, length.1)
    }

    #[test]
    fn growth_is_new_to_its_end() {
        let found = stream(("", "abc"), ("", "abc"), 3, (3, 9));
        assert_eq!((found.first, found.second, found.complete), (3..9, None, true));
    }

    #[test]
    fn in_place_all_is_new_up_to_the_last_change() {
        let found = stream(("old old old", "abc"), ("new old old", "abc"), 3, (14, 14));
        assert_eq!((found.first, found.second), (3..6, None));
        let begun_anew = stream(("old old old", "abc"), ("old old old", "xbc"), 3, (14, 14));
        assert_eq!((begun_anew.first, begun_anew.second), (3..3, Some(0..1)));
        assert!(!stream(("old", "abc"), ("old", "abc"), 3, (6, 6)).changed);
    }

    #[test]
    fn a_change_at_the_end_of_the_window_may_go_on_beyond_it() {
        assert!(!stream(("old", ""), ("new", ""), 0, (4000, 4000)).complete);
        assert!(stream(("old", ""), ("new", ""), 0, (3, 3)).complete);
    }
}
