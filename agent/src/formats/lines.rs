//! Lines and numbers of files that may be cut, damaged or endless.
//!
//! A line is bounded in length and whatever is no UTF-8 in it is replaced, so that no file can fill the memory or stop a format.
//! A last line without its end is never given: a number cut in the middle is still a number.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use super::{FormatError, Skipped};

/// No tool writes longer lines; `sadf -h` with thousands of interrupts stays below.
const LONGEST: u64 = 1 << 20;

/// The lines of a file, one at a time.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    bytes: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Lines<'a> {
        Lines { input, bytes: Vec::new(), number: 0 }
    }

    /// The next line that is whole and not blank, with its number; lines cut or too long are counted in `skipped`.
    pub(super) fn next_line(&mut self, skipped: &mut Skipped) -> Result<Option<(u64, Cow<'_, str>)>, FormatError> {
        loop {
            self.bytes.clear();
            let line = self.number;
            let failed = |source| FormatError::Read { line, source };
            let read = Read::take(&mut *self.input, LONGEST).read_until(b'\n', &mut self.bytes).map_err(failed)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let blank = self.bytes.trim_ascii().is_empty();
            if self.bytes.ends_with(b"\n") {
                if blank {
                    continue;
                }
                break;
            }
            if read as u64 == LONGEST {
                self.input.skip_until(b'\n').map_err(failed)?;
                skipped.add(self.number, "line is too long");
            } else if !blank {
                skipped.add(self.number, "last line is cut");
            }
        }
        let mut bytes = self.bytes.trim_ascii_end();
        if self.number == 1 {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        Ok(Some((self.number, String::from_utf8_lossy(bytes))))
    }
}

/// A plain number with a point or, as written under many locales, a comma; no exponent, no infinity, no NaN.
pub(super) fn number(text: &str) -> Option<f64> {
    let (digits, negative) = match text.as_bytes() {
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    // Most numbers are whole and short; the general way costs more than all else in a row.
    if !negative && (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let whole = digits.iter().fold(0_u64, |whole, digit| whole * 10 + u64::from(digit - b'0'));
        return Some(whole as f64);
    }
    let mut mark = None;
    for (i, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {}
            b'.' | b',' if mark.is_none() && i > 0 && i + 1 < digits.len() => mark = Some(*byte),
            _ => return None,
        }
    }
    if digits.is_empty() {
        return None;
    }
    if mark == Some(b',') { text.replace(',', ".").parse().ok() } else { text.parse().ok() }
}

/// A number, or why it cannot be one a system would report.
///
/// Tools print negative numbers and powers of two where a counter was lost (sysstat#259, #312, #355).
pub(super) fn sane(column: &str, text: &str) -> Result<f64, String> {
    const LOST: f64 = 9_223_372_036_854_775_808.0; // 2^63
    match number(text) {
        None => Err(format!("`{column}` is `{}`, not a number", clip(text))),
        Some(value) if !(0.0..LOST).contains(&value) => Err(format!("`{column}` is {}, which cannot be", clip(text))),
        Some(value) => Ok(value),
    }
}

/// As much of a text as belongs into a message.
pub(super) fn clip(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end])
}

/// The reason of a row that does not fit its header.
pub(super) fn columns(expected: usize, found: usize) -> String {
    format!("expected {expected} columns, found {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> (Vec<(u64, String)>, Skipped) {
        let mut input = bytes;
        let mut lines = Lines::new(&mut input);
        let mut skipped = Skipped::default();
        let mut all = Vec::new();
        while let Some((number, text)) = lines.next_line(&mut skipped).unwrap() {
            all.push((number, text.into_owned()));
        }
        (all, skipped)
    }

    #[test]
    fn ends_blanks_marks_and_lost_bytes() {
        let (all, skipped) = lines(b"\xef\xbb\xbfa b\r\n\n \t\nc\xff\0d\n");
        assert_eq!(all, [(1, "a b".to_owned()), (4, "c\u{fffd}\0d".to_owned())]);
        assert_eq!(skipped, Skipped::default());
    }

    #[test]
    fn cut_and_endless_lines_are_counted() {
        let mut bytes = b"a\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 3 << 20));
        bytes.extend(b"\nb\nc");
        let (all, skipped) = lines(&bytes);
        assert_eq!(all, [(1, "a".to_owned()), (3, "b".to_owned())]);
        assert_eq!(
            skipped.first.iter().map(|s| (s.line, s.why.as_str())).collect::<Vec<_>>(),
            [(2, "line is too long"), (4, "last line is cut")]
        );
    }

    #[test]
    fn numbers_of_every_locale() {
        for (text, value) in [("0", 0.0), ("89.70", 89.7), ("89,70", 89.7), ("-1", -1.0), ("12345678901", 12_345_678_901.0)] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "-", "nan", "-nan", "inf", "1e5", "1.234,5", "12K", ".5", "5.", "+1", "１"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert!(sane("x", "9223372036854775808.00").is_err());
        assert!(sane("x", "-0.01").is_err());
    }
}
