//! The table of `show users`: the only text that tells users from sessions.

use super::{columns, rows};

/// A user with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User<'a> {
    /// `Ann Example/Acme`.
    pub name: &'a str,
    /// The databases open.
    pub databases: Vec<&'a str>,
    /// Minutes since the user did something: the least of all databases.
    pub minutes: u32,
}

/// The users of a table, and rows that could not be divided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users<'a> {
    /// In their order; a user with several sessions comes several times.
    pub users: Vec<User<'a>>,
    /// Rows left out. Where there are any, the users are no count.
    pub refused: u32,
}

/// Reads the first table of `show users` in the lines of an answer; the next command ends it.
pub fn table<'a>(lines: impl IntoIterator<Item = &'a str>) -> Users<'a> {
    let mut found = Users::default();
    for text in rows(lines, is_header) {
        if row(&mut found, &columns(text), text.starts_with(' ')).is_none() {
            found.refused += 1;
        }
    }
    found
}

/// Three columns of words, in any language.
fn is_header(text: &str) -> bool {
    let columns = columns(text);
    let words = columns.iter().all(|word| word.starts_with(char::is_alphabetic) && !word.contains(['=', ':']));
    columns.len() == 3 && words && !text.starts_with(' ')
}

fn row<'a>(found: &mut Users<'a>, columns: &[&'a str], indented: bool) -> Option<()> {
    let (minutes, before) = columns.split_last()?;
    let minutes = minutes.parse().ok()?;
    match (before, indented) {
        ([name, database], false) => found.users.push(User { name, databases: vec![database], minutes }),
        ([name], false) => found.users.push(User { name, databases: Vec::new(), minutes }),
        // Another database of the user above.
        ([database], true) => {
            let user = found.users.last_mut()?;
            user.databases.push(database);
            user.minutes = user.minutes.min(minutes);
        }
        _ => return None,
    }
    Some(())
}
