//! Results for a terminal, or for a pipe where nothing but characters arrives.

use std::iter;

use chrono_tz::Tz;

use super::braille::{Canvas, Cell};
use super::chart::{self, Chart, SHADES};
use super::number::Scale;
use super::{events, printable, subject};
use crate::analysis::events::Event;
use crate::analysis::weeks::{Week, Weeks};
use crate::catalog::Unit;

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Characters in a line; fewer than 40 count as 40.
    pub width: usize,
    /// Whether 256 colours are understood.
    pub colour: bool,
}

/// Colours of the newest week and of those before it: readable on dark and on light ground.
const COLOURS: [&str; SHADES] = ["1;38;5;33", "38;5;67", "38;5;103", "38;5;245", "38;5;243", "38;5;241"];
/// The narrowest line that is drawn for.
const NARROWEST: usize = 40;
/// From this width on the chart is higher, too.
const WIDE: usize = 110;
/// The most events a chart is marked with.
const MARKS: usize = 8;
/// Bars of means: shorter ones say nothing, longer ones nothing more.
const BAR: std::ops::RangeInclusive<usize> = 4..=40;

/// The chart of the weeks and their table; `hours` and `zone` say when the schedule is open, and weeks are marked with those of
/// the events that belong to them.
pub fn weeks(series: &Weeks, events: &[Event], hours: &str, zone: Tz, look: &Look) -> String {
    let look = Look { width: look.width.max(NARROWEST), ..*look };
    if series.weeks.is_empty() {
        return block(wrap(&format!("{}: no week yet", subject(series)), look.width));
    }
    let mut lines: Vec<String> = wrap(&subject(series), look.width).iter().map(|line| bold(line, &look)).collect();
    lines.extend(wrap(series.metric.help, look.width));
    lines.extend(wrap(&printable(&format!("{hours}, {zone}")), look.width));
    lines.push(String::new());
    if let Some(chart) = Chart::new(series) {
        lines.extend(picture(&chart, &look));
        lines.push(String::new());
        lines.extend(legend(&series.weeks, &look));
        lines.extend(marks(series, events, zone, &look));
        lines.push(String::new());
    }
    lines.extend(table(series, &look));
    block(lines)
}

/// The axis, the lines of the weeks and the names of the days.
fn picture(chart: &Chart, look: &Look) -> Vec<String> {
    let labels = chart.axis.ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
    let days = chart.days.len();
    let width = ((look.width - labels - 2).saturating_sub(days - 1) / days).max(1);
    let intervals = chart.axis.ticks.len() - 1;
    let each = (if look.width < WIDE { 12 } else { 16 } / intervals).max(1);
    let mut canvas = Canvas::new(days * width, intervals * each);
    for line in &chart.lines {
        // Without colour the newest line is solid and all others are dots.
        let (shade, sparse) = if look.colour { (line.shade, false) } else { (line.shade.min(1), line.shade > 0) };
        for run in &line.runs {
            canvas.draw(run.day * width, width, &run.points, shade, sparse);
        }
    }
    let label = |row: usize| {
        let from_below = intervals * each - row;
        let tick = from_below.is_multiple_of(each).then(|| &chart.axis.ticks[from_below / each]);
        tick.map(|tick| tick.label.as_str())
    };
    let mut lines: Vec<String> = (0..intervals * each)
        .map(|row| {
            let (text, axis) = label(row).map_or(("", '│'), |label| (label, '┤'));
            let cells: Vec<String> = canvas.row(row).chunks(width).map(|day| cells(day, look)).collect();
            format!("{text:>labels$} {axis}{}", cells.join(&dim("┊", look)))
        })
        .collect();
    let floor = vec!["─".repeat(width); days].join("┴");
    lines.push(format!("{:>labels$} └{floor}", label(intervals * each).unwrap_or_default()));
    lines.extend(names(chart, width).into_iter().map(|names| format!("{:labels$}  {names}", "")));
    lines
}

/// Characters of a row with as few changes of colour as there are.
fn cells(day: &[Cell], look: &Look) -> String {
    day.chunk_by(|a, b| a.shade == b.shade)
        .map(|run| {
            let text: String = run.iter().map(|cell| cell.character()).collect();
            if text.trim().is_empty() { text } else { shaded(&text, run[0].shade, look) }
        })
        .collect()
}

/// The days' names with the hours at both ends of each day, in one line or two, as far as there is room.
fn names(chart: &Chart, width: usize) -> Vec<String> {
    let (from, to) = (chart.from.as_str(), chart.to.as_str());
    let row = |day: &dyn Fn(&str) -> String| chart.days.iter().map(|column| day(column.name)).collect::<Vec<_>>().join(" ");
    let centred = |name: &str| {
        let name: String = name.chars().take(width).collect();
        format!("{name:^width$}")
    };
    let hours = from.len() + to.len();
    let one_line = |name: &str| {
        let side = from.len().max(to.len());
        let middle = width - 2 * side;
        format!("{from:side$}{name:^middle$}{to:>side$}")
    };
    if width >= 2 * from.len().max(to.len()) + 5 {
        return vec![row(&one_line)];
    }
    let mut rows = vec![row(&centred)];
    if width > hours {
        let rest = width - from.len();
        rows.push(row(&|_| format!("{from}{to:>rest$}")));
    }
    rows
}

/// Which week looks how.
fn legend(weeks: &[Week], look: &Look) -> Vec<String> {
    let newest_first: Vec<&str> = weeks.iter().rev().map(|week| week.week.as_str()).collect();
    let span = |weeks: &[&str]| match *weeks {
        [] => String::new(),
        [one] => one.to_owned(),
        [newest, .., oldest] => format!("{oldest} to {newest}"),
    };
    let told_apart = if look.colour { SHADES - 1 } else { 1 };
    let (single, rest) = newest_first.split_at(told_apart.min(newest_first.len()));
    let mut entries: Vec<(String, usize)> = single.iter().enumerate().map(|(shade, week)| ((*week).to_owned(), shade)).collect();
    if !rest.is_empty() {
        entries.push((span(rest), told_apart));
    }
    let mut lines: Vec<String> = Vec::new();
    let mut room = 0;
    for (name, shade) in entries {
        let sample = if look.colour || shade == 0 { "⠒⠒⠒" } else { "⠂⠐ ⠂" };
        let length = sample.chars().count() + 1 + name.chars().count();
        let entry = format!("{} {}", shaded(sample, shade, look), printable(&name));
        match lines.last_mut() {
            Some(line) if room >= length + 3 => {
                *line = format!("{line}   {entry}");
                room -= length + 3;
            }
            _ => {
                lines.push(entry);
                room = look.width.saturating_sub(length);
            }
        }
    }
    lines
}

/// What happened in which week, the newest last.
fn marks(series: &Weeks, events: &[Event], zone: Tz, look: &Look) -> Vec<String> {
    let marks = crate::analysis::events::marks(events, series, zone);
    let older = marks.len().saturating_sub(MARKS);
    let more = (older > 0).then(|| format!("▲ and {older} before them; `weekline events` lists all"));
    let lines = marks[older..].iter().map(|mark| events::mark(mark, series));
    more.into_iter().chain(lines).map(|line| events::cut(&line, look.width)).collect()
}

/// A column of the table: its head, its texts and how dear it is when room is short (the lowest goes first).
struct Column {
    head: &'static str,
    texts: Vec<String>,
    dear: u8,
}

impl Column {
    fn width(&self) -> usize {
        iter::once(self.head).chain(self.texts.iter().map(String::as_str)).map(|text| text.chars().count()).max().unwrap_or(0)
    }
}

/// One line per week, the newest last.
fn table(series: &Weeks, look: &Look) -> Vec<String> {
    let weeks = &series.weeks;
    let figures = |head, dear, unit: Unit, figure: fn(&Week) -> f64| {
        let scale = Scale::of(unit, weeks.iter().map(figure));
        Column { head, dear, texts: weeks.iter().map(|week| scale.text(figure(week))).collect() }
    };
    let unit = series.metric.unit;
    let percent = |week: &Week| format!("{:.0} %", week.coverage * 100.0);
    let mut columns = vec![
        Column { head: "week", dear: 9, texts: weeks.iter().map(|week| printable(&week.week)).collect() },
        Column { head: "days", dear: 1, texts: weeks.iter().map(days).collect() },
        figures("mean", 8, unit, |week| week.mean),
        figures("p95", 3, unit, |week| week.p95),
        figures("max", 4, unit, |week| week.max),
        Column { head: "coverage", dear: 2, texts: weeks.iter().map(percent).collect() },
    ];
    let taken = |columns: &[Column]| columns.iter().map(Column::width).sum::<usize>() + 2 * (columns.len() - 1);
    while taken(&columns) > look.width && columns.len() > 1 {
        let cheapest = columns.iter().map(|column| column.dear).min();
        columns.retain(|column| Some(column.dear) != cheapest);
    }
    let room = look.width.saturating_sub(taken(&columns) + 2).min(*BAR.end());
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let row = |texts: Vec<&str>| {
        let cells: Vec<String> = texts.iter().zip(&widths).map(|(text, &width)| format!("{text:>width$}")).collect();
        cells.join("  ")
    };
    let mut lines = vec![dim(&row(columns.iter().map(|column| column.head).collect()), look)];
    let largest = weeks.iter().map(|week| week.mean).fold(0.0, f64::max);
    for (position, week) in weeks.iter().enumerate() {
        let line = row(columns.iter().map(|column| column.texts[position].as_str()).collect());
        let bar = if room < *BAR.start() { String::new() } else { bar(week.mean / largest, room) };
        let shade = chart::shade(weeks.len() - 1 - position);
        lines.push(if bar.is_empty() { line } else { format!("{line}  {}", shaded(&bar, shade, look)) });
    }
    lines
}

/// `23–27 Nov`, `30 Nov–4 Dec`, or one day.
pub(super) fn days(week: &Week) -> String {
    let (from, to) = (week.from, week.to);
    match (from.format("%-d"), from.format("%b"), to.format("%-d %b")) {
        (_, _, last) if from == to => last.to_string(),
        (first, month, last) if month.to_string() == to.format("%b").to_string() => format!("{first}–{last}"),
        (first, month, last) => format!("{first} {month}–{last}"),
    }
}

/// A bar of eighths of a character; what is not zero shows.
fn bar(share: f64, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if !share.is_finite() || share <= 0.0 {
        return String::new();
    }
    let eighths = ((share.min(1.0) * room as f64 * 8.0).round() as usize).max(1);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn shaded(text: &str, shade: usize, look: &Look) -> String {
    if look.colour { format!("\x1b[{}m{text}\x1b[0m", COLOURS[shade.min(SHADES - 1)]) } else { text.to_owned() }
}

fn bold(text: &str, look: &Look) -> String {
    if look.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

fn dim(text: &str, look: &Look) -> String {
    if look.colour { format!("\x1b[38;5;244m{text}\x1b[0m") } else { text.to_owned() }
}

/// Breaks at blanks, and inside a word only where it is longer than a line.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = Vec::new();
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.extend(word);
            }
            _ => lines.extend(word.chunks(width).map(<[char]>::to_vec)),
        }
    }
    lines.into_iter().map(String::from_iter).collect()
}

/// Lines without blanks at their ends, each with its end.
pub(super) fn block(lines: Vec<String>) -> String {
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
