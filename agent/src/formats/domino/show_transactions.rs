//! The table of `show transactions`: a function of the Notes protocol a row, five whole numbers behind it.
//!
//! Where thousands are set apart by blanks a row cannot be cut at blanks alone: `997 0 1 410 212142 212` has six numbers.
//! The division is searched in which the numbers fit each other; a row with two such divisions is refused.

use super::rows;

/// What the server says of one function since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function<'a> {
    /// `OPEN_DB`.
    pub name: &'a str,
    /// How often it was called.
    pub count: u64,
    /// The shortest call, ms.
    pub min: u64,
    /// The longest call, ms.
    pub max: u64,
    /// All calls together, ms.
    pub total: u64,
    /// The mean call, ms.
    pub average: u64,
}

/// Functions of a table, and rows that could not be divided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transactions<'a> {
    /// In their order.
    pub functions: Vec<Function<'a>>,
    /// Rows left out.
    pub refused: u32,
}

/// Reads the first table of `show transactions` in the lines of an answer; the next command ends it.
pub fn table<'a>(lines: impl IntoIterator<Item = &'a str>) -> Transactions<'a> {
    let mut found = Transactions::default();
    for (name, numbers) in rows(lines, is_header).filter_map(split) {
        match divide(name, numbers) {
            Some(function) => found.functions.push(function),
            None => found.refused += 1,
        }
    }
    found
}

/// Six words in any language.
fn is_header(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let six = words.by_ref().take(6).filter(|word| word.starts_with(char::is_alphabetic) && !word.contains(['=', ':'])).count();
    six == 6 && words.next().is_none() && text.contains("  ") && !text.starts_with(' ')
}

/// The function's name and what follows; `None` for a line that is no row.
fn split(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(' ')?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    (named && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())).then_some((name, rest))
}

/// A piece of a row without blanks in it.
struct Piece {
    value: u64,
    /// Whether it may stand behind thousands: three digits, one blank before.
    continues: bool,
    /// Whether it may stand before them: one to three digits.
    leads: bool,
}

/// More pieces are no row, and would take long.
const MOST_PIECES: usize = 15;

fn divide<'a>(name: &'a str, numbers: &str) -> Option<Function<'a>> {
    let mut pieces = Vec::new();
    let mut blanks = 0;
    for piece in numbers.split(' ') {
        if piece.is_empty() {
            blanks += 1;
            continue;
        }
        let value = whole(piece)?;
        let digits = piece.bytes().all(|byte| byte.is_ascii_digit());
        let leads = digits && piece.len() <= 3 && !piece.starts_with('0');
        pieces.push(Piece { value, continues: digits && piece.len() == 3 && blanks == 0, leads });
        blanks = 0;
        if pieces.len() > MOST_PIECES {
            return None;
        }
    }
    if let [count, min, max, total, average] = pieces.as_slice() {
        let function =
            Function { name, count: count.value, min: min.value, max: max.value, total: total.value, average: average.value };
        return (function.min <= function.max).then_some(function);
    }
    let (mut likely, mut possible) = (Vec::new(), Vec::new());
    search(&pieces, &mut Vec::new(), &mut |numbers| {
        let [count, min, max, total, average] = *numbers;
        let function = Function { name, count, min, max, total, average };
        if is_possible(&function) {
            possible.push(function);
            // The longest call is one of all; a server that lost part of the total says otherwise.
            if max <= total && u128::from(total) <= u128::from(count) * u128::from(max) {
                likely.push(function);
            }
        }
    });
    match (likely.as_slice(), possible.as_slice()) {
        ([only], _) | ([], [only]) => Some(*only),
        _ => None,
    }
}

/// Gives every division of the pieces into five numbers.
fn search(pieces: &[Piece], numbers: &mut Vec<u64>, found: &mut dyn FnMut(&[u64; 5])) {
    if pieces.is_empty() || numbers.len() == 5 {
        if let (true, Ok(numbers)) = (pieces.is_empty(), <&[u64; 5]>::try_from(numbers.as_slice())) {
            found(numbers);
        }
        return;
    }
    let mut value = pieces[0].value;
    for end in 1..=pieces.len() {
        numbers.push(value);
        search(&pieces[end..], numbers, found);
        numbers.pop();
        let Some(next) = pieces.get(end).filter(|next| next.continues && pieces[0].leads) else { return };
        let Some(longer) = value.checked_mul(1000).and_then(|value| value.checked_add(next.value)) else { return };
        value = longer;
    }
}

/// Whether the five numbers can be of one function: the average is total over count, rounded either way.
fn is_possible(function: &Function<'_>) -> bool {
    let Function { count, min, max, total, average, .. } = *function;
    let mean = total.checked_div(count).unwrap_or(0);
    min <= max && (average == mean || average == mean + 1) && (count > 0 || total == 0) && mean <= max && min <= average
}

/// Digits with signs between thousands; times are whole milliseconds, so a sign can be nothing else.
fn whole(piece: &str) -> Option<u64> {
    let sign = piece.chars().find(|c| !c.is_ascii_digit());
    let Some(sign) = sign else { return piece.parse().ok() };
    if !matches!(sign, '.' | ',' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}' | 'ÿ' | '\u{fffd}') {
        return None;
    }
    let mut parts = piece.split(sign);
    let first = parts.next().filter(|first| (1..=3).contains(&first.len()))?;
    let mut digits = first.to_owned();
    for part in parts {
        if part.len() != 3 {
            return None;
        }
        digits.push_str(part);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}
