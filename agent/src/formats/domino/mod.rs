//! What a Domino server prints: one grammar per file here, for lines of a console, a log or an answer.
//!
//! All are functions of text: no metric names, no zone, no locale that the text does not show.
//! A line comes without its end; a line whose end is missing is not to be given at all, because a number cut in the middle is still a number.
//! Refused: guessing a date order, a separator of numbers, or where a column ends. Missing beats wrong.

pub mod console;
pub mod dates;
pub mod exposition;
pub mod numbers;
pub mod prefix;
pub(super) mod recording;
mod remarks;
pub mod show_stat;
pub mod show_tasks;
pub mod show_transactions;
pub mod show_users;
pub mod statpub;
pub mod stats;
#[cfg(test)]
mod tests;

/// The rows of the first table in the lines of an answer, after its header; the next command ends it.
fn rows<'a>(lines: impl IntoIterator<Item = &'a str>, is_header: impl Fn(&str) -> bool) -> impl Iterator<Item = &'a str> {
    let of_a_table = |console: &prefix::Console<'_>| !console.text.is_empty() && console.stamp.is_none() && !console.prompt;
    let before = move |console: &prefix::Console<'_>| !(of_a_table(console) && is_header(console.text));
    let after = lines.into_iter().map(prefix::strip).skip_while(before).skip(1);
    after.take_while(|console| console.command().is_none()).filter(of_a_table).map(|console| console.text)
}

/// The columns of a row that are two blanks or more apart, each trimmed.
fn columns(row: &str) -> Vec<&str> {
    row.trim().split("  ").map(str::trim).filter(|column| !column.is_empty()).collect()
}

/// The text after `word`, whatever the letter case of either.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// The digits at the beginning of a text, as a number that fits, and what follows them.
fn leading_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}
