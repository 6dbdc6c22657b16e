//! The lines of a stretch of a file: only whole ones, bounded in length, whatever is no UTF-8 replaced.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::Heard;
use super::bytes::read_range;

/// In bytes. No console line is as long; one that is is left out.
const LONGEST: usize = 64 << 10;
/// How much is read at once, in bytes.
const CHUNK: u64 = 64 << 10;

/// How far a stretch was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Given {
    /// Where the first line begins that was not whole.
    pub(super) offset: u64,
    /// Where reading ended.
    pub(super) reached: u64,
}

/// Gives the lines of a stretch that begins with a line, or with the rest of one where `skip` is set.
///
/// Not more than `budget` bytes are read, which is lowered by as much.
pub(super) fn give(
    file: &File,
    range: Range<u64>,
    skip: &mut bool,
    budget: &mut u64,
    sink: &mut dyn FnMut(Heard<'_>),
) -> io::Result<Given> {
    let mut given = Given { offset: range.start, reached: range.start };
    let mut carried = Vec::new();
    while given.reached < range.end && *budget > 0 {
        let wanted = CHUNK.min(range.end - given.reached).min(*budget);
        let bytes = read_range(file, given.reached..given.reached + wanted)?;
        if bytes.is_empty() {
            break;
        }
        *budget -= bytes.len() as u64;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            given.reached += piece.len() as u64;
            carried.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                if !std::mem::take(skip) {
                    sink(Heard::Line(&String::from_utf8_lossy(carried.trim_ascii_end())));
                }
            } else if *skip || carried.len() > LONGEST {
                *skip = true;
            } else {
                continue;
            }
            carried.clear();
            given.offset = given.reached;
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn lines(bytes: &[u8], skip: bool, budget: u64) -> (Vec<String>, Given, bool) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let (mut skip, mut budget, mut all) = (skip, budget, Vec::new());
        let mut sink = |heard: Heard<'_>| match heard {
            Heard::Line(line) => all.push(line.to_owned()),
            Heard::Break => panic!("no break"),
        };
        let given = give(&file, 0..bytes.len() as u64, &mut skip, &mut budget, &mut sink).unwrap();
        (all, given, skip)
    }

    #[test]
    fn only_whole_lines_are_given() {
        let (all, given, skip) = lines(b"one\r\n\n  t\xffwo\nthree", false, 100);
        assert_eq!(all, ["one", "", "  t\u{fffd}wo"]);
        assert_eq!((given, skip), (Given { offset: 13, reached: 18 }, false));
    }

    #[test]
    fn the_rest_of_a_line_is_skipped_even_in_parts() {
        assert_eq!(lines(b"rest\nwhole\n", true, 100).0, ["whole"]);
        let (all, given, skip) = lines(b"rest of", true, 100);
        assert_eq!((all.len(), given.offset, skip), (0, 7, true));
    }

    #[test]
    fn the_budget_ends_reading_before_a_line_that_is_not_whole() {
        let (all, given, _) = lines(b"one\ntwo\nthree\n", false, 6);
        assert_eq!((all, given), (vec!["one".to_owned()], Given { offset: 4, reached: 6 }));
    }

    #[test]
    fn an_endless_line_is_left_out_and_the_next_is_not() {
        let mut bytes = vec![b'x'; 3 * LONGEST];
        bytes.extend(b"\nnext\n");
        assert_eq!(lines(&bytes, false, u64::MAX).0, ["next"]);
    }
}
