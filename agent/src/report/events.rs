//! Events: a line each for people, an object each for programs.

use chrono_tz::Tz;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::printable;
use super::text::wrap;
use crate::analysis::events::{Event, Kind, Mark};
use crate::analysis::weeks::Weeks;
use crate::time::rfc3339;

/// The narrowest line that is written for.
const NARROWEST: usize = 40;
/// The longest name that lines are set for; a longer one pushes its own line to the right.
const LONGEST_NAME: usize = 20;

/// The most lines that an event takes.
const LINES: usize = 3;

/// A line for each event, in lines of `width` characters; what does not fit goes on below, and what is still longer is cut.
/// It is whole in JSON.
pub fn text(events: &[Event], zone: Tz, width: usize) -> String {
    let width = width.max(NARROWEST);
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let names = longest(&mut events.iter().map(|event| printable(event.about()).chars().count())).min(LONGEST_NAME);
    let kinds = longest(&mut events.iter().map(|event| event.kind.name().len()));
    let line = |event: &Event| {
        let at = event.at.with_timezone(&zone).format("%Y-%m-%d %H:%M");
        let (about, kind) = (printable(event.about()), event.kind.name());
        let head = format!("{at}  {about:names$}  {kind:kinds$}  ");
        let indent = head.chars().count();
        // Beside a very long name there is no room; the rest then stands under it all the same.
        let mut lines = wrap(&printable(&story(event, "->")), width.saturating_sub(indent).max(NARROWEST / 2));
        if lines.len() > LINES {
            lines.truncate(LINES);
            lines.iter_mut().skip(LINES - 1).for_each(|last| last.push('…'));
        }
        let rest = lines.iter().skip(1).map(|line| format!("{:indent$}{line}", ""));
        let first = format!("{head}{}", lines.first().map_or("", String::as_str));
        std::iter::once(first).chain(rest).map(|line| format!("{}\n", cut(line.trim_end(), width))).collect::<String>()
    };
    events.iter().map(line).collect()
}

/// What happened in a line, with what was before and after where that says it best: that a server restarts goes with an upgrade.
pub(super) fn story(event: &Event, arrow: &str) -> String {
    match (event.kind, &event.before, &event.after) {
        (Kind::Upgrade, Some(before), Some(after)) => format!("{before} {arrow} {after}"),
        (Kind::Host, Some(before), Some(after)) => format!("{}: {before} {arrow} {after}", event.text),
        _ => event.text.clone(),
    }
}

/// What a chart says of an event it is marked with: `▲ 2026-W47 upgrade 12.0.2 → 14.5`; whose it is where the chart is of
/// more than that.
pub(super) fn mark(mark: &Mark<'_>, series: &Weeks) -> String {
    let Mark { week, event } = mark;
    let whose = match &event.partition {
        Some(partition) if !series.metric.labels.contains(&"partition") => format!("{partition} "),
        _ => String::new(),
    };
    let what = match (event.kind, &event.before, &event.after) {
        (Kind::Upgrade, Some(before), Some(after)) => format!("upgrade {before} → {after}"),
        _ => story(event, "→"),
    };
    printable(&format!("▲ {week} {whose}{what}"))
}

/// As many characters as there is room for.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `{"events":[…]}`, with instants in the zone.
pub fn json(events: &[Event], zone: Tz) -> impl Serialize {
    All { events: events.iter().map(|event| EventObject { event, zone }).collect() }
}

#[derive(serde::Serialize)]
struct All<'a> {
    events: Vec<EventObject<'a>>,
}

/// An event for programs.
pub(super) struct EventObject<'a> {
    pub(super) event: &'a Event,
    pub(super) zone: Tz,
}

impl Serialize for EventObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let EventObject { event, zone } = self;
        let mut object = serializer.serialize_struct("Event", 7)?;
        object.serialize_field("at", &rfc3339(event.at.with_timezone(zone)))?;
        object.serialize_field("about", event.about())?;
        object.serialize_field("host", &event.host)?;
        object.serialize_field("kind", event.kind.name())?;
        object.serialize_field("before", &event.before)?;
        object.serialize_field("after", &event.after)?;
        object.serialize_field("text", &event.text)?;
        object.end()
    }
}
