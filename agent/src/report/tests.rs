//! Golden files of the renderers, and what must hold for all weeks.

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use proptest::prelude::*;

use super::text::Look;
use super::*;
use crate::analysis::weeks::{SLOT_MINUTES, Slot, Week};
use crate::catalog;
use crate::snapshot::Labels;

mod events;

const HOURS: &str = "Mon–Fri 07:00–17:00";
const ZONE: Tz = Tz::Europe__Berlin;

fn week(monday: &str, slots: Vec<Slot>) -> Week {
    let from: NaiveDate = monday.parse().unwrap();
    let (count, sum) = slots.iter().fold((0.0_f64, 0.0), |(count, sum), slot| (count + 1.0, sum + slot.mean));
    let max = slots.iter().map(|slot| slot.mean).fold(0.0, f64::max);
    Week {
        week: from.format("%G-W%V").to_string(),
        from,
        to: from + Days::new(4),
        mean: sum / f64::max(count, 1.0),
        p95: max * 0.9,
        max,
        coverage: 0.98,
        slots,
    }
}

fn series(metric: &str, host: &str, weeks: Vec<Week>) -> Weeks {
    let metric = catalog::metric(metric).unwrap();
    let labels: Labels = metric.labels.iter().map(|name| format!("a-{name}")).collect();
    Weeks { metric, host: host.to_owned(), labels, weeks }
}

/// Monday and Tuesday, 07:00 to 09:00, a value per half of an hour; the second week lacks a slot and is 0.1 lower.
fn two_weeks() -> Weeks {
    let slots = |values: [f64; 4]| {
        let slot = |i: u16| Slot {
            weekday: 1 + (i / 8) as u8,
            minute: 420 + i % 8 * SLOT_MINUTES,
            mean: values[usize::from(i % 8 / 2)],
        };
        (0..16).map(slot).collect::<Vec<_>>()
    };
    let mut second = slots([0.2, 0.3, 0.5, 0.4]);
    second.remove(5);
    let figures = |week: Week, mean, p95, max, coverage| Week { mean, p95, max, coverage, ..week };
    series(
        "host_cpu_busy_ratio",
        "mail1",
        vec![
            figures(week("2026-11-23", slots([0.3, 0.4, 0.6, 0.5])), 0.45, 0.6, 0.7, 1.0),
            figures(week("2026-11-30", second), 0.34, 0.5, 0.5, 0.9375),
        ],
    )
}

const PLAIN: Look = Look { width: 80, colour: false };

#[test]
fn golden_text() {
    insta::assert_snapshot!("weeks_80_plain", text::weeks(&two_weeks(), &[], HOURS, ZONE, &PLAIN));
    let coloured = text::weeks(&two_weeks(), &[], HOURS, ZONE, &Look { width: 120, colour: true });
    insta::assert_snapshot!("weeks_120_colour", coloured.replace('\x1b', "␛"));
}

#[test]
fn golden_svg() {
    insta::assert_snapshot!("weeks_svg", svg::weeks(&two_weeks(), &[], HOURS, ZONE));
}

#[test]
fn golden_json() {
    let json = serde_json::to_string_pretty(&json::weeks(&[two_weeks()], &[], ZONE)).unwrap();
    insta::assert_snapshot!("weeks_json", json);
}

#[test]
fn json_of_several_series_is_an_array_and_past_midnight_the_clock_counts() {
    let slots = [1320, 1425, 1440, 1515].map(|minute| Slot { weekday: 5, minute, mean: 1.0 / 3.0 });
    let night = series("host_cpu_mode_ratio", "a", vec![week("2026-11-23", slots.to_vec())]);
    let two = [night, series("host_load1", "b", Vec::new())];
    let json = serde_json::to_value(json::weeks(&two, &[], Tz::UTC)).unwrap();
    let times: Vec<_> = json[0]["weeks"][0]["slots"].as_array().unwrap().iter().map(|slot| slot["time"].clone()).collect();
    assert_eq!(times, ["22:00", "23:45", "00:00", "01:15"]);
    assert_eq!(json[0]["weeks"][0]["slots"][0]["mean"], 1.0 / 3.0);
    assert_eq!(json[0]["labels"]["mode"], "a-mode");
    assert_eq!(json[1]["weeks"], serde_json::json!([]));
}

#[test]
fn an_empty_series_is_a_sentence() {
    let empty = series("host_load1", "mail1", Vec::new());
    assert_eq!(text::weeks(&empty, &[], HOURS, ZONE, &PLAIN), "host_load1 on mail1: no week yet\n");
    assert!(svg::weeks(&empty, &[], HOURS, ZONE).contains("no week yet"));
}

#[test]
fn days_are_named_as_briefly_as_is_clear() {
    let days = |from: &str, to: &str| {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        text::days(&Week { from, to, ..week("2026-11-23", Vec::new()) })
    };
    assert_eq!(days("2026-11-23", "2026-11-27"), "23–27 Nov");
    assert_eq!(days("2026-11-30", "2026-12-04"), "30 Nov–4 Dec");
    assert_eq!(days("2026-11-24", "2026-11-24"), "24 Nov");
}

#[test]
fn few_slots_draw_what_is_there_and_nothing_between() {
    let slots = [(2, 420), (2, 450), (4, 600)].map(|(weekday, minute)| Slot { weekday, minute, mean: 0.5 });
    let chart = chart::Chart::new(&series("host_cpu_busy_ratio", "h", vec![week("2026-11-23", slots.to_vec())])).unwrap();
    assert_eq!(chart.days.iter().map(|day| day.name).collect::<Vec<_>>(), ["Tue", "Thu"]);
    assert_eq!((chart.from.as_str(), chart.to.as_str()), ("07", "10:15"));
    let runs: Vec<_> = chart.lines[0].runs.iter().map(|run| (run.day, run.points.len())).collect();
    assert_eq!(runs, [(0, 1), (0, 1), (1, 1)]);
}

#[test]
fn text_from_outside_commands_nothing() {
    assert_eq!(escape("<a href=\"x\">&'\u{1b}[31m\n\u{202e}\u{ffff}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;[31m");
    assert_eq!(printable("a\u{0}\u{1b}]0;b\u{7}\u{9b}c\u{2028}ü"), "a]0;bcü");
}

/// Text as a terminal shows it: without its colours, which must be the only thing a terminal obeys.
fn shown(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Tags open and close in order, and nothing stands in text or attributes that XML does not allow.
fn check_xml(xml: &str) {
    let mut open = Vec::new();
    for part in xml.split('<').skip(1) {
        let (tag, content) = part.split_once('>').unwrap();
        assert!(!content.contains('>'), "{content}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let entity = |rest: &str| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|entity| rest.starts_with(entity));
    assert!(xml.split('&').skip(1).all(entity));
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()));
}

fn any_value() -> impl Strategy<Value = f64> {
    let extreme = prop::sample::select(vec![0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1e15]);
    prop_oneof![4 => 0.0..1.0_f64, 2 => extreme, 1 => prop::num::f64::NORMAL]
}

fn any_week() -> impl Strategy<Value = (Vec<(u8, u16, f64)>, [f64; 3])> {
    let slot = (1..=7_u8, 0..190_u16, any_value());
    (prop::collection::vec(slot, 0..40), [any_value(), any_value(), any_value()])
}

fn any_series() -> impl Strategy<Value = Weeks> {
    let metrics: Vec<&str> = catalog::metrics().map(|metric| metric.name).collect();
    let host = prop_oneof![".{0,12}", "[a-z]{1,150}", Just("<&>\"'\u{1b}[2J".to_owned())];
    let weeks = prop_oneof![4 => 0..4_usize, 1 => Just(60)].prop_flat_map(|n| prop::collection::vec(any_week(), n));
    (prop::sample::select(metrics), host, weeks).prop_map(|(metric, host, weeks)| {
        let weeks = weeks.into_iter().enumerate().map(|(number, (mut slots, [mean, p95, max]))| {
            slots.sort_by_key(|&(weekday, minute, _)| (weekday, minute));
            slots.dedup_by_key(|&mut (weekday, minute, _)| (weekday, minute));
            let slot = |(weekday, minute, mean)| Slot { weekday, minute: minute * SLOT_MINUTES, mean };
            let monday = NaiveDate::default() + Days::new(4 + 7 * number as u64);
            Week { mean, p95, max, ..week(&monday.to_string(), slots.into_iter().map(slot).collect()) }
        });
        series(metric, &host, weeks.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_the_weeks_they_fit_and_are_well_formed(series in any_series(), width in 40..200_usize, colour in any::<bool>()) {
        let text = shown(&text::weeks(&series, &[], HOURS, ZONE, &Look { width, colour }));
        for line in text.lines() {
            prop_assert!(line.chars().count() <= width, "{line}");
        }
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
        let svg = svg::weeks(&series, &[], HOURS, ZONE);
        check_xml(&svg);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf "), "{svg}");
        serde_json::to_string(&json::weeks(&[series], &[], ZONE)).unwrap();
    }
}

/// A refused configuration tells each of its problems in a line of its own.
#[test]
fn problems_of_a_refused_configuration_stay_apart() {
    let error = Some("`a.toml`: line 2: this\n`a.toml`: line 3: that\u{1b}[2J".to_owned());
    let config = Some(status::ConfigStatus { loaded: String::new(), error });
    let text = status::text(&status::Status { config, ..status::Status::default() });
    assert!(text.ends_with("stays: `a.toml`: line 2: this; `a.toml`: line 3: that[2J\n"), "{text}");
}
