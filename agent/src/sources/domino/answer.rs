//! The newest listing in a text as `show stat` answers, or what is wrong with the text and what to do about it.
//!
//! A server answers with other things too: it is not running, it waits for a password, it has lost its texts.
//! Refused: a listing at the end of a text without its last line, which says how many statistics there are; and to repeat
//! what a text says in a message, since everybody may read those.

use std::borrow::Cow;

use super::age::spoken;
use crate::formats::domino::console;
use crate::formats::domino::console::{Finding, Line};
use crate::formats::domino::exposition;
use crate::formats::domino::prefix;
use crate::formats::domino::show_stat;
use crate::formats::domino::show_stat::Listing;
use crate::sources::SourceError;

#[cfg(test)]
mod tests;

/// In bytes. No server says as much; what is larger is something else.
pub(super) const LARGEST: usize = 16 << 20;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Nothing is in it.
    Empty,
    /// The last listing lacks its end.
    Unfinished,
    /// Prometheus text whose last line is cut.
    Cut,
    /// It was being written while it was read.
    Written,
    /// It is no listing and no Prometheus text; how many bytes it has. What they are is nobody's business: it may be a secret.
    Foreign(usize),
    /// It is Prometheus text where a listing belongs.
    Exposition,
    /// It is a listing where Prometheus text belongs.
    Listing,
    /// Prometheus text whose own time has stood still for so long.
    Still(chrono::TimeDelta),
    /// The language files are missing: messages are numbers.
    NumbersOnly,
    /// The server waits for a password.
    Password,
    /// There is no server.
    NotRunning,
    /// It is no text.
    Binary,
}

impl Flaw {
    /// Whether a text that is still being written may look so.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Flaw::Empty | Flaw::Unfinished | Flaw::Cut | Flaw::Written | Flaw::Foreign(_))
    }

    /// The flaw as an error; `of` is the text: "`/local/stat.txt`".
    pub(super) fn refused(&self, of: &str) -> SourceError {
        let (what, next) = match self {
            Flaw::Empty => (format!("{of} is empty"), "see whether what writes it still runs and its disk is not full"),
            Flaw::Unfinished => (
                format!("the listing in {of} lacks its end, the line with the number of statistics"),
                "see whether what writes it comes to its end and its disk is not full",
            ),
            Flaw::Cut => (
                format!("{of} ends in the middle of a line"),
                "see whether what writes it comes to its end and its disk is not full",
            ),
            Flaw::Written => {
                (format!("{of} changes whenever it is read"), "let it be written less often, or beside and then renamed")
            }
            Flaw::Foreign(bytes) => (
                format!("{of} holds {bytes} bytes, and neither a listing of `show stat` nor Prometheus text in them"),
                "see that the partition's `path` or `url` leads to its statistics",
            ),
            Flaw::Exposition => (
                format!("{of} holds Prometheus text and no listing of `show stat`"),
                "set `source` of the partition to \"prom_file\"",
            ),
            Flaw::Listing => (
                format!("{of} holds no Prometheus text but a listing of `show stat`"),
                "set `source` of the partition to \"file\"",
            ),
            Flaw::Still(age) => (
                format!("{of} is new, but its DominoHealth_stat_update_timestamp has been the same for {}", spoken(*age)),
                "see whether domprom still runs: `tell domprom status`",
            ),
            Flaw::NumbersOnly => (
                format!("{of} holds message numbers in place of texts: the server has no language files for its LANG"),
                "set LANG (DOMINO_LANG of the start script) to a language that has a folder in `res` of the program, then restart",
            ),
            Flaw::Password => (
                format!("{of} asks for the password of the server's ID"),
                "enter it at the server's console, or let the server start with an ID that needs none",
            ),
            Flaw::NotRunning => (
                format!("{of} says that no server runs"),
                "start it; if it runs, see that it is asked in its own data folder and by its own user",
            ),
            Flaw::Binary => (format!("{of} is no text"), "see that the partition's `path` or `url` leads to its statistics"),
        };
        let next = next.to_owned();
        if self.is_part() { SourceError::NotKept { what, next } } else { SourceError::Refused { what, next } }
    }

    /// Whether something was there, and not all of it.
    fn is_part(&self) -> bool {
        matches!(self, Flaw::Unfinished | Flaw::Cut | Flaw::Written)
    }
}

/// Bytes as text. What is no UTF-8 is replaced: the blank that groups French numbers arrives as 0xFF or 0xA0.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The last listing of a text. Whether its trailer is right is for the reader to judge.
pub(super) fn newest(text: &str) -> Result<Listing, Flaw> {
    match show_stat::listings(text).pop() {
        Some(listing) if listing.trailer.is_some() => Ok(listing),
        Some(_) => Err(Flaw::Unfinished),
        None => Err(without_listing(text)),
    }
}

/// What a text is that holds no listing.
pub(super) fn without_listing(text: &str) -> Flaw {
    if text.trim().is_empty() {
        return Flaw::Empty;
    }
    if is_binary(text) {
        return Flaw::Binary;
    }
    let lines = || text.lines().map(|line| prefix::strip(line).text.trim()).filter(|line| !line.is_empty());
    if lines().any(|line| line.to_ascii_lowercase().starts_with("enter password")) {
        return Flaw::Password;
    }
    if lines().any(says_not_running) {
        return Flaw::NotRunning;
    }
    if numbers_only(text) {
        return Flaw::NumbersOnly;
    }
    if !exposition::samples(text).samples.is_empty() {
        return Flaw::Exposition;
    }
    Flaw::Foreign(text.len())
}

/// Whether texts are missing and their numbers stand there.
pub(super) fn numbers_only(text: &str) -> bool {
    text.lines().any(|line| matches!(console::line(prefix::strip(line).text), Some(Line::Finding(Finding::NumbersOnly, _))))
}

/// `Server not running -- Command ignored`, and what start scripts say.
fn says_not_running(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.contains("server") && ["not running", "isn't running", "is not started"].iter().any(|words| lower.contains(words))
}

/// A NUL stands in no text; of other signs that do not, some come through a wrong encoding.
fn is_binary(text: &str) -> bool {
    let odd = |c: &char| *c == '\u{fffd}' || c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    text.contains('\0') || text.chars().filter(odd).count() > text.chars().count() / 10
}
