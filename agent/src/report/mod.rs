//! What every renderer is given, and the renderers.
//!
//! A renderer is a function from values to text: it prints nothing and reads no clock, environment or terminal.
//! [`chart`] and [`number`] hold what the pictures share, so that text and SVG show the same thing.
//! Host names and labels come from outside: whatever shows them passes them through [`printable`] or [`escape`].

pub mod activity;
pub mod chart;
pub mod events;
pub mod json;
pub mod number;
pub mod status;
pub mod svg;
#[cfg(test)]
mod tests;
pub mod text;

mod braille;

use crate::analysis::weeks::Weeks;

/// What a terminal or a reader would obey: control characters and changes of direction.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Text from outside without anything that would be obeyed.
pub fn printable(text: &str) -> String {
    text.chars().filter(|&c| !is_obeyed(c)).collect()
}

/// The same for a text of several lines: their ends and tabs stay.
pub fn printable_lines(text: &str) -> String {
    text.chars().filter(|&c| matches!(c, '\n' | '\t') || !is_obeyed(c)).collect()
}

/// Text from outside as content or attribute value of XML and HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // The two characters beyond the controls that XML 1.0 does not allow at all.
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// What the weeks are about: `host_cpu_mode_ratio{mode="user"} on mail1`.
fn subject(series: &Weeks) -> String {
    let labels = series.labels.selector(series.metric.labels);
    printable(&format!("{}{labels} on {}", series.metric.name, series.host))
}

/// The time on the clock, minutes after a day's midnight; the next day's times are those its clock shows.
fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}
