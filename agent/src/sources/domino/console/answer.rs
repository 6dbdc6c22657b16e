//! The file that receives an answer: what it shows so far.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

use crate::formats::domino::console::{self, Finding, Line};
use crate::formats::domino::prefix;
use crate::formats::domino::show_stat::{self, Completeness, Listing};

/// In bytes. A listing has some tens of thousands.
const LARGEST: u64 = 16 << 20;

/// What the file shows.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    Nothing,
    Whole(Listing),
    Disagrees {
        said: u64,
        found: u64,
    },
    Unfinished,
    NumbersOnly,
    /// Something that cannot be an answer.
    Odd(&'static str),
}

/// Looks into the file.
pub(super) fn look(file: &Path) -> Seen {
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let opened = match OpenOptions::new().read(true).custom_flags(flags).open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Seen::Nothing,
        Err(_) => return Seen::Odd("cannot be opened"),
        Ok(opened) => opened,
    };
    match opened.metadata() {
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST => {}
        Ok(meta) if meta.is_file() => return Seen::Odd("holds far more than a listing"),
        _ => return Seen::Odd("is no file"),
    }
    let mut bytes = Vec::new();
    match opened.take(LARGEST).read_to_end(&mut bytes) {
        Ok(_) => judge(&String::from_utf8_lossy(&bytes)),
        Err(_) => Seen::Odd("cannot be read"),
    }
}

/// The file was empty before: the first listing in it is the answer.
fn judge(text: &str) -> Seen {
    let Some(listing) = show_stat::listings(text).into_iter().next() else {
        return match text.trim().is_empty() {
            true => Seen::Nothing,
            false if numbers_only(text) => Seen::NumbersOnly,
            false => Seen::Unfinished,
        };
    };
    match show_stat::completeness(&listing, None) {
        Completeness::Whole => Seen::Whole(listing),
        Completeness::Disagrees { said, found } => Seen::Disagrees { said, found },
        Completeness::Unfinished => Seen::Unfinished,
    }
}

/// Whether texts are missing and their numbers stand there.
pub(super) fn numbers_only(text: &str) -> bool {
    text.lines().any(|line| matches!(console::line(prefix::strip(line).text), Some(Line::Finding(Finding::NumbersOnly, _))))
}
