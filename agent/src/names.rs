//! What a partition may be called, whoever says so: the configuration, or a server's own notes.ini.

/// Longer names do not fit into a table.
pub const LONGEST: usize = 64;

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Characters that cannot be seen, or blanks at an end.
    Unseen,
    /// So many characters, more than [`LONGEST`].
    Long(usize),
    /// What cannot stand in a path of a URL and in a label.
    Signs,
}

/// Looks for what keeps a name from standing in a label, in a path of a URL and on a terminal. An empty one is none.
pub fn flaw(name: &str) -> Option<Flaw> {
    let length = name.chars().count();
    if is_unseen(name) || name.is_empty() {
        Some(Flaw::Unseen)
    } else if length > LONGEST {
        Some(Flaw::Long(length))
    } else if name.contains(['/', '"']) || [".", ".."].contains(&name) {
        Some(Flaw::Signs)
    } else {
        None
    }
}

/// Whether a text holds what cannot be seen: control characters, changes of direction, blanks at an end.
pub fn is_unseen(text: &str) -> bool {
    text.contains(unseen) || text.trim() != text
}

/// What is left of a text without all that a name may not hold: its end, where it is too long. None where that is no name.
pub fn cleaned(text: &str) -> Option<String> {
    let good: Vec<char> = text.chars().filter(|c| !unseen(*c) && !['/', '"'].contains(c)).collect();
    let end: String = good[good.len().saturating_sub(LONGEST)..].iter().collect();
    Some(end.trim().to_owned()).filter(|name| flaw(name).is_none())
}

fn unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cleaned_is_a_name_or_nothing() {
        for (text, name) in [
            ("mail1", Some("mail1")),
            (" no\u{202e}tes\n\"data\"/ ", Some("notesdata")),
            ("Mail 1, ä", Some("Mail 1, ä")),
            (&format!("x{}", "ä".repeat(64)), Some("ä".repeat(64).as_str())),
            (&format!("x {}", "b".repeat(63)), Some("b".repeat(63).as_str())),
            ("./.", None),
            (".", None),
            ("\0 ", None),
            ("", None),
        ] {
            assert_eq!(cleaned(text).as_deref(), name, "{text:?}");
        }
    }
}
