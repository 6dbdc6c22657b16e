//! What stands before the text of a console line: a prompt, `[process:thread]`, date and time.
//!
//! Each part may be missing. A line of a listing has no date, and its two leading blanks are part of the text: they are kept.

use super::dates::Stamp;

/// A console line taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Console<'a> {
    /// Whether the prompt `>` stands before the text: a command is echoed, or the line was printed behind a waiting prompt.
    pub prompt: bool,
    /// What stands in the bracket: `007577:000017-00007F621246D700`, process, virtual thread and native thread.
    pub thread: Option<&'a str>,
    /// The date and time, in an order that the line alone may not tell.
    pub stamp: Option<Stamp>,
    /// The text, with its leading blanks where there is no date, without blanks and line ends at its end.
    pub text: &'a str,
}

impl<'a> Console<'a> {
    /// The process of the bracket, as written: decimal on Unix, hexadecimal on Windows.
    pub fn process(&self) -> Option<&'a str> {
        self.thread.map(|thread| thread.split(':').next().unwrap_or(thread))
    }

    /// The command that this line echoes: `show stat`.
    pub fn command(&self) -> Option<&'a str> {
        (self.prompt && self.stamp.is_none() && !self.text.is_empty() && !self.text.starts_with(' ')).then_some(self.text)
    }
}

/// Takes a console line apart. Any line is one.
pub fn strip(line: &str) -> Console<'_> {
    let line = line.trim_end_matches([' ', '\r', '\n']);
    let (before, rest) = prompt(line);
    let (thread, rest) = match bracket(rest) {
        Some((thread, rest)) => (Some(thread), rest),
        None => (None, rest),
    };
    let (behind, rest) = if before { (false, rest) } else { prompt(rest) };
    // A date may be set off by blanks; without a date they belong to the text.
    match Stamp::strip(rest.trim_start_matches(' ')) {
        Some((stamp, text)) if text.is_empty() || text.starts_with(' ') => {
            Console { prompt: before || behind, thread, stamp: Some(stamp), text: text.trim_start_matches(' ') }
        }
        _ => Console { prompt: before || behind, thread, stamp: None, text: rest },
    }
}

fn prompt(text: &str) -> (bool, &str) {
    match text.strip_prefix('>') {
        Some("") => (true, ""),
        Some(rest) if rest.starts_with(' ') => (true, &rest[1..]),
        _ => (false, text),
    }
}

/// `[007577:000017-00007F621246D700] `; the native thread is missing on some systems.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (process, threads) = inner.split_once(':')?;
    let hex = |part: &str, longest| (1..=longest).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (virtual_thread, native) = threads.split_once('-').unwrap_or((threads, "0"));
    if !(hex(process, 8) && process.len() >= 2 && hex(virtual_thread, 8) && hex(native, 20)) {
        return None;
    }
    Some((inner, rest.strip_prefix(' ').unwrap_or(rest)))
}
