//! The table of `show users`: the only text that tells users from sessions.

use super::columns;
use super::prefix;

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
    let mut inside = false;
    for line in lines {
        let console = prefix::strip(line);
        if console.command().is_some() && inside {
            break;
        }
        if console.text.is_empty() || console.stamp.is_some() || console.prompt {
            continue;
        }
        let columns = columns(console.text);
        if !inside {
            // Translated: three columns of words.
            let words = columns.iter().all(|word| word.starts_with(char::is_alphabetic) && !word.contains(['=', ':']));
            inside = columns.len() == 3 && words && !console.text.starts_with(' ');
        } else if row(&mut found, &columns, console.text.starts_with(' ')).is_none() {
            found.refused += 1;
        }
    }
    found
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
