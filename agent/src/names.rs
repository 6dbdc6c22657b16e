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
    let unseen = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    text.contains(unseen) || text.trim() != text
}
