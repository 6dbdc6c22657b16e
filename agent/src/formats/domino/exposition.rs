//! Prometheus text: samples one by one, whoever wrote them.
//!
//! Takes what domprom, exporters and other applications really write: comments of any kind, blanks where none belong, Windows
//! paths with single backslashes in labels. Types and descriptions are not looked at: domprom writes them under other names.
//! A line that is no sample is counted; so is a name with a blank or, outside quotes, a point. A line cut at the end is not read.
//! domprom writes a negative number of 32 bits as an unsigned one of 64: 18446744073709551611 is -5 and is taken as that.
//! Nothing else is mended: a number between 2^31 and 2^32 may be a negative one and may be right, and stays as it is.

use crate::formats::Skipped;

/// The smallest number that a negative one of 32 bits becomes where it is taken for an unsigned one of 64: 2^64 - 2^31.
const NEGATIVE: u64 = u64::MAX - (u32::MAX >> 1) as u64;
/// Prometheus writes milliseconds and OpenMetrics seconds. Below are seconds until the year 5138, above milliseconds since 1973.
const SECONDS: f64 = 1e11;

/// One sample of an exposition.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name.
    pub name: String,
    /// Names and values of its labels, in their order.
    pub labels: Vec<(String, String)>,
    /// The number; may be NaN or infinite as written.
    pub value: f64,
    /// Milliseconds since 1970, where the line says so.
    pub at: Option<i64>,
}

/// What a text holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Its samples, in their order; repeated ones repeated.
    pub samples: Vec<Sample>,
    /// Lines that are neither a sample nor a comment.
    pub refused: Skipped,
    /// Whether the end is missing: the last line has no end, and was not looked at.
    pub cut: bool,
}

/// Reads an exposition. Any text is one, if only of refused lines.
pub fn samples(text: &str) -> Parsed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (whole, rest) = text.rfind('\n').map_or(("", text), |end| text.split_at(end + 1));
    // The end mark of OpenMetrics may stand without a line end.
    let cut = !matches!(rest.trim(), "" | "# EOF");
    let mut parsed = Parsed { samples: Vec::new(), refused: Skipped::default(), cut };
    for (number, line) in (1..).zip(whole.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match sample(line) {
            Ok(sample) => parsed.samples.push(sample),
            Err(why) => parsed.refused.add(number, why),
        }
    }
    parsed
}

/// A line that is no comment.
fn sample(line: &str) -> Result<Sample, &'static str> {
    let (name, rest) = line.split_at(line.find(|c: char| !is_name(c)).unwrap_or(line.len()));
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("name begins with a digit");
    }
    let (quoted, labels, rest) = match rest.trim_start().strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None if rest.starts_with(|c: char| c.is_whitespace()) => (None, Vec::new(), rest),
        None => return Err("name holds a character that stands in no name"),
    };
    let name = match (name, quoted) {
        ("", Some(quoted)) => quoted,
        ("", None) => return Err("no name"),
        (name, None) => name.to_owned(),
        (_, Some(_)) => return Err("two names"),
    };
    let mut words = rest.split_whitespace();
    let value = value(words.next().ok_or("no number")?).ok_or("no number where one belongs")?;
    // What follows a `#` is an exemplar.
    let at = match words.next().filter(|word| !word.starts_with('#')) {
        None => None,
        Some(word) => {
            let at = instant(word).ok_or("neither a time nor the end behind the number")?;
            if words.next().is_some_and(|word| !word.starts_with('#')) {
                return Err("more than a number and a time");
            }
            Some(at)
        }
    };
    Ok(Sample { name, labels, value, at })
}

/// What stands between braces: maybe a quoted name, names and values of labels; and what follows.
type Braced<'a> = (Option<String>, Vec<(String, String)>, &'a str);

fn labels(inside: &str) -> Result<Braced<'_>, &'static str> {
    const OPEN: &str = "labels do not end";
    let (mut name, mut labels) = (None, Vec::new());
    let mut rest = inside.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((name, labels, after));
        }
        let (label, after) = match rest.strip_prefix('"') {
            Some(inside) => quoted(inside).ok_or(OPEN)?,
            None => {
                let (label, after) = rest.split_at(rest.find(|c: char| !is_name(c) || c == ':').unwrap_or(rest.len()));
                (label.to_owned(), after)
            }
        };
        let after = after.trim_start();
        rest = match after.strip_prefix('=') {
            _ if label.is_empty() => return Err("label without name"),
            Some(after) => {
                let inside = after.trim_start().strip_prefix('"').ok_or("label without value in quotes")?;
                let (value, after) = quoted(inside).ok_or(OPEN)?;
                labels.push((label, value));
                after
            }
            // A quoted text alone is the name of the sample.
            None if rest.starts_with('"') && name.is_none() => {
                name = Some(label);
                after
            }
            None => return Err("label without value"),
        }
        .trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.starts_with('}') => rest,
            None => return Err(OPEN),
        };
    }
}

/// The text up to the closing quote, and what follows. A backslash that escapes nothing is one: domprom escapes no path.
fn quoted(inside: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, &inside[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                escaped @ ('\\' | '"') => text.push(escaped),
                other => text.extend(['\\', other]),
            },
            c => text.push(c),
        }
    }
    None
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}

/// A number as Go reads one; beyond what a number can hold it is none, unless it says that it is infinite.
fn value(word: &str) -> Option<f64> {
    if let Some(unsigned) = word.parse::<u64>().ok().filter(|&unsigned| unsigned >= NEGATIVE) {
        return Some(unsigned.cast_signed() as f64);
    }
    let value: f64 = word.parse().ok()?;
    (!value.is_infinite() || word.contains(['i', 'I'])).then_some(value)
}

/// Milliseconds since 1970.
fn instant(word: &str) -> Option<i64> {
    let number = value(word).filter(|number| number.is_finite())?;
    let millis = if number.abs() < SECONDS { number * 1000.0 } else { number };
    // Within the years that any calendar has.
    (millis.abs() < 8.0e15).then_some(millis.round() as i64)
}
