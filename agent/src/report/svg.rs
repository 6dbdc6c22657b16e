//! The weekly chart as one file that stands by itself: no script, no reference to anything outside.
//!
//! Light and dark follow the reader's preference; print is always light.
//! Nothing needs colour to be told apart: newer weeks are stronger as well.

use std::fmt::Write as _;

use chrono_tz::Tz;

use super::chart::{self, Chart, Line, SHADES};
use super::number::{Axis, Scale};
use super::{escape, events, printable, subject};
use crate::analysis::events::{self as happened, Event, Mark};
use crate::analysis::weeks::{Week, Weeks};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 460.0;
/// The plot of the days.
const PLOT: Area = Area { left: 76.0, top: 92.0, width: 900.0, height: 220.0 };
/// The strip of the weeks' means.
const STRIP: Area = Area { left: 76.0, top: 370.0, width: 900.0, height: 56.0 };
/// Between two days.
const GAP: f64 = 8.0;
/// The most room one week gets in the strip.
const WIDEST_WEEK: f64 = 90.0;
/// Room for the name of a week, and for a figure.
const NAME: f64 = 62.0;
/// Characters of a title that fit beside nothing else.
const TITLE: usize = 84;
const SUBTITLE: usize = 130;

/// Rules are bound to the class of the root, so that several pictures can stand in one page.
const STYLE: &str = "\
.weekline{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
.weekline text{fill:#57606a}
.weekline .back{fill:#fff}
.weekline .title{fill:#1f2328;font-size:17px;font-weight:600}
.weekline .strong{fill:#1f2328;font-weight:600}
.weekline .small{font-size:11px}
.weekline .day{fill:#f6f8fa}
.weekline .grid{stroke:#d8dee4;stroke-width:1}
.weekline .zero{stroke:#8c959f;stroke-width:1}
.weekline .line{fill:none;stroke-linecap:round;stroke-linejoin:round;stroke:#5b7083;stroke-width:1.25}
.weekline .bar{fill:#5b7083}
.weekline .w0 .line{stroke:#0b62c4;stroke-width:2.5}
.weekline .w0 .bar{fill:#0b62c4}
.weekline .w1{opacity:.75}.weekline .w2{opacity:.58}.weekline .w3{opacity:.45}.weekline .w4{opacity:.34}.weekline .w5{opacity:.24}
@media screen and (prefers-color-scheme:dark){
.weekline text{fill:#9aa4af}
.weekline .back{fill:#12161b}
.weekline .title,.weekline .strong{fill:#e9edf1}
.weekline .day{fill:#181d24}
.weekline .grid{stroke:#2a313a}
.weekline .zero{stroke:#6b7683}
.weekline .line{stroke:#a9bccd}
.weekline .bar{fill:#a9bccd}
.weekline .w0 .line{stroke:#58a6ff}
.weekline .w0 .bar{fill:#58a6ff}
}
";

struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// From 0 to 1 upwards to where that is on the page.
    fn y(&self, up: f64) -> f64 {
        self.bottom() - up * self.height
    }
}

/// The chart of the weeks with their means; `hours` and `zone` say when the schedule is open, and weeks are marked with those of
/// the events that belong to them.
pub fn weeks(series: &Weeks, events: &[Event], hours: &str, zone: Tz) -> String {
    let (marks, zone) = (happened::marks(events, series, zone), zone.name());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weekline\" role=\"img\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\">\n"
    );
    let _ = writeln!(svg, "<title>{}</title>", escape(&subject(series)));
    let _ = writeln!(svg, "<desc>{}</desc>", escape(&description(series, &marks, hours, zone)));
    let _ = writeln!(svg, "<style>\n{STYLE}</style>");
    let _ = writeln!(svg, "<rect class=\"back\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
    let (left, right) = (24.0, PLOT.right());
    label(&mut svg, left, 30.0, "start", "title", &shortened(&subject(series), TITLE));
    label(&mut svg, left, 50.0, "start", "note", &shortened(series.metric.help, SUBTITLE));
    label(&mut svg, left, 74.0, "start", "small", &shortened(&format!("{hours}, {zone}"), SUBTITLE / 2));
    match Chart::new(series) {
        Some(chart) => {
            legend(&mut svg, &series.weeks, right, 74.0);
            columns(&mut svg, &chart);
            grid(&mut svg, &chart.axis);
            lines(&mut svg, &chart, series);
        }
        None => label(&mut svg, WIDTH / 2.0, PLOT.y(0.5), "middle", "note", "no week yet"),
    }
    strip(&mut svg, series, &marks);
    svg.push_str("</svg>\n");
    svg
}

/// What the picture says, for those who do not see it.
fn description(series: &Weeks, marks: &[Mark<'_>], hours: &str, zone: &str) -> String {
    let intro = format!("{} One line per week, {hours}, {zone}.", series.metric.help);
    let weeks = series.weeks.iter().map(|week| hint(series, week));
    let marks = marks.iter().map(|mark| format!("{}.", events::mark(mark, series)));
    std::iter::once(intro).chain(weeks).chain(marks).collect::<Vec<_>>().join(" ")
}

fn hint(series: &Weeks, week: &Week) -> String {
    let text = |value| super::number::text(series.metric.unit, value);
    let (mean, max) = (text(week.mean), text(week.max));
    format!("{}, {} to {}: mean {mean}, max {max}, coverage {:.0} %.", week.week, week.from, week.to, week.coverage * 100.0)
}

/// Samples of the lines, the newest first, ending at `right`.
fn legend(svg: &mut String, weeks: &[Week], right: f64, y: f64) {
    const SAMPLE: f64 = 18.0;
    const ENTRY: f64 = SAMPLE + 5.0 + NAME;
    let single = weeks.iter().rev().take(SHADES - 1).map(|week| shortened(&week.week, 10));
    let rest = weeks.len().saturating_sub(SHADES - 1);
    let rest = (rest > 0).then(|| format!("{rest} older"));
    let entries: Vec<String> = single.chain(rest).collect();
    for (shade, entry) in entries.iter().enumerate() {
        let x = right - ENTRY * (entries.len() - shade) as f64 + 4.0;
        let (end, middle) = (x + SAMPLE, y - 4.0);
        let _ = writeln!(svg, "<g class=\"w{shade}\"><path class=\"line\" d=\"M{x:.1} {middle:.1}H{end:.1}\"/></g>");
        label(svg, end + 5.0, y, "start", if shade == 0 { "small strong" } else { "small" }, entry);
    }
}

/// The left edge and the width of a day's column.
fn column(chart: &Chart, day: usize) -> (f64, f64) {
    let width = (PLOT.width - GAP * (chart.days.len() - 1) as f64) / chart.days.len() as f64;
    (PLOT.left + day as f64 * (width + GAP), width)
}

/// The ground of each day, its name and its hours.
fn columns(svg: &mut String, chart: &Chart) {
    for (position, day) in chart.days.iter().enumerate() {
        let (x, width) = column(chart, position);
        let (top, height, y) = (PLOT.top, PLOT.height, PLOT.bottom() + 18.0);
        let _ = writeln!(svg, "<rect class=\"day\" x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\"/>");
        label(svg, x, y, "start", "small", &chart.from);
        label(svg, x + width / 2.0, y, "middle", "strong", day.name);
        label(svg, x + width, y, "end", "small", &chart.to);
    }
}

fn grid(svg: &mut String, axis: &Axis) {
    for tick in &axis.ticks {
        let y = PLOT.y(tick.at);
        let class = if tick.label == "0" { "zero" } else { "grid" };
        let (left, right) = (PLOT.left, PLOT.right());
        let _ = writeln!(svg, "<path class=\"{class}\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
        label(svg, left - 8.0, y + 4.0, "end", "note", &tick.label);
    }
}

/// All lines, the newest on top; one group per shade, so that many pale lines across each other stay pale.
fn lines(svg: &mut String, chart: &Chart, series: &Weeks) {
    let lines: Vec<(&Line, &Week)> = chart.lines.iter().zip(&series.weeks).collect();
    for group in lines.chunk_by(|(a, _), (b, _)| a.shade == b.shade) {
        let _ = writeln!(svg, "<g class=\"w{}\">", group[0].0.shade);
        for (line, week) in group {
            path(svg, chart, line, &hint(series, week));
        }
        svg.push_str("</g>\n");
    }
}

/// One week's line, lifted at every gap; a point alone is a dot (a stroke of no length with round ends).
fn path(svg: &mut String, chart: &Chart, line: &Line, hint: &str) {
    let mut d = String::new();
    for run in &line.runs {
        let (left, width) = column(chart, run.day);
        for (position, (x, y)) in run.points.iter().enumerate() {
            let command = if position == 0 { 'M' } else { 'L' };
            let _ = write!(d, "{command}{:.1} {:.1}", left + x * width, PLOT.y(*y));
        }
        if run.points.len() == 1 {
            d.push_str("h0");
        }
    }
    let _ = writeln!(svg, "<path class=\"line\" d=\"{d}\"><title>{}</title></path>", escape(hint));
}

/// The weeks' means as bars from zero, oldest first, and what happened in them.
fn strip(svg: &mut String, series: &Weeks, marks: &[Mark<'_>]) {
    let weeks = &series.weeks;
    if weeks.is_empty() {
        return;
    }
    let (left, bottom) = (STRIP.left, STRIP.bottom());
    if !marks.is_empty() {
        // The newest first, since there may be more than there is room for.
        let happened: Vec<String> = marks.iter().rev().map(|mark| events::mark(mark, series)).collect();
        label(svg, left, STRIP.top - 22.0, "start", "small", &shortened(&happened.join("   "), SUBTITLE));
    }
    let _ = writeln!(svg, "<path class=\"zero\" d=\"M{left} {bottom}H{}\"/>", STRIP.right());
    label(svg, left - 8.0, STRIP.top + 4.0, "end", "small", "mean");
    label(svg, left - 8.0, STRIP.top + 18.0, "end", "small", "per week");
    let scale = Scale::of(series.metric.unit, weeks.iter().map(|week| week.mean));
    let largest = weeks.iter().map(|week| week.mean).fold(0.0, f64::max);
    let room = (STRIP.width / weeks.len() as f64).min(WIDEST_WEEK);
    // Where names would touch, every second, third, … is left out, counted from the newest.
    let every = (NAME / room).ceil().max(1.0) as usize;
    for (position, week) in weeks.iter().enumerate() {
        let age = weeks.len() - 1 - position;
        let share = if largest > 0.0 { (week.mean / largest).clamp(0.0, 1.0) } else { 0.0 };
        let (width, height) = (room * 0.72, share * STRIP.height);
        let (x, y) = (left + room * (position as f64 + 0.14), bottom - height);
        let (shade, hint) = (chart::shade(age), escape(&hint(series, week)));
        let _ = writeln!(
            svg,
            "<g class=\"w{shade}\"><rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">\
             <title>{hint}</title></rect></g>"
        );
        mark(svg, series, marks, week, x + width / 2.0);
        if age.is_multiple_of(every) {
            let class = if age == 0 { "small strong" } else { "small" };
            let middle = x + width / 2.0;
            let (x, anchor) = if middle + NAME / 2.0 > STRIP.right() { (x + width, "end") } else { (middle, "middle") };
            // Between narrow bars a low figure would lie across its neighbours.
            let above = if every > 1 { STRIP.top } else { y };
            label(svg, x, above - 4.0, anchor, class, &scale.text(week.mean));
            label(svg, x, bottom + 16.0, anchor, class, &shortened(&week.week, 10));
        }
    }
}

/// A sign under a week in which something happened, with what it was.
fn mark(svg: &mut String, series: &Weeks, marks: &[Mark<'_>], week: &Week, x: f64) {
    let mine: Vec<String> = marks.iter().filter(|mark| mark.week == week.week).map(|mark| events::mark(mark, series)).collect();
    if mine.is_empty() {
        return;
    }
    let y = STRIP.bottom() + 28.0;
    let hint = escape(&mine.join("; "));
    let _ = writeln!(
        svg,
        "<text class=\"small strong\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">▲<title>{hint}</title></text>"
    );
}

fn label(svg: &mut String, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// As many characters as there is room for; the whole is in the title or the description.
fn shortened(text: &str, most: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= most { text } else { text.chars().take(most - 1).chain(['…']).collect() }
}
