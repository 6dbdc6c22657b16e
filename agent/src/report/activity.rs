//! Business days of Domino partitions, as a table for people and as JSON for programs.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, SecondsFormat};
use serde::Serialize;

use super::printable;
use super::text::{block, wrap};
use crate::analysis::activity::{Activity, BESIDE, Day, Mean, Partition, Window};

/// Characters in a line.
const WIDTH: usize = 80;
/// What stands where a number is not known.
const UNKNOWN: &str = "-";

const HEADS: [&str; 7] = ["", "registered", "active", "share", "transactions", "per user", "coverage"];

/// A line per partition and day, and one for their mean; `hours` says when business hours are, and where.
pub fn text(activity: &Activity, hours: &str) -> String {
    let mut lines = wrap(&format!("Business hours: {}", printable(hours)), WIDTH);
    lines.extend(wrap(&windows(activity), WIDTH));
    let rows: Vec<Vec<[String; 7]>> = activity.partitions.iter().map(rows).collect();
    let mut widths = HEADS.map(str::len);
    for row in rows.iter().flatten() {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    for (partition, rows) in activity.partitions.iter().zip(rows) {
        lines.push(String::new());
        lines.push(printable(&format!("{} on {}", partition.partition, partition.host)));
        lines.push(line(&HEADS.map(str::to_owned), &widths));
        lines.extend(rows.iter().map(|row| line(row, &widths)));
        lines.extend(notes(partition));
    }
    block(lines)
}

/// What the columns say, and in which window users count as active.
fn windows(activity: &Activity) -> String {
    let days = activity.partitions.iter().flat_map(|partition| &partition.days);
    let windows: BTreeSet<Window> = days.filter_map(|day| day.active_from).collect();
    let windows: Vec<String> = windows.into_iter().rev().map(Window::selector).collect();
    let active = match windows.as_slice() {
        [] => "Active users: not read".to_owned(),
        windows => format!("Active users: mean of {}", windows.join(", ")),
    };
    format!("{active}. Transactions: NRPC, in business hours. Per user: per active user.")
}

fn rows(partition: &Partition) -> Vec<[String; 7]> {
    let mut rows: Vec<[String; 7]> = partition.days.iter().map(row).collect();
    let mean = partition.mean();
    let of = match mean.days {
        0 => "no mean".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("mean of {days} days"),
    };
    rows.push([
        of,
        whole(mean.registered.map(|users| users as f64)),
        whole(mean.active),
        percent(mean.active_share),
        whole(mean.transactions),
        whole(mean.per_active),
        covered(mean.coverage),
    ]);
    rows
}

fn row(day: &Day) -> [String; 7] {
    let thin = if day.is_whole() { "" } else { " *" };
    [
        format!("{}{thin}", day.date.format("%a %Y-%m-%d")),
        whole(day.registered.map(|users| users as f64)),
        whole(day.active),
        percent(day.active_share()),
        whole(day.transactions),
        whole(day.per_active()),
        covered(Some(day.coverage)),
    ]
}

fn line(cells: &[String; 7], widths: &[usize; 7]) -> String {
    let [first, rest @ ..] = cells;
    let [width, widths @ ..] = widths;
    let rest: Vec<String> = rest.iter().zip(widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
    format!("{first:width$}  {}", rest.join("  "))
}

/// What a reader should know of the days, and of their mean.
fn notes(partition: &Partition) -> Vec<String> {
    let starred = partition.days.iter().map(|day| (day.date.to_string(), if day.is_whole() { "" } else { "* " }, &day.notes));
    let of_mean = partition.mean().notes;
    let days = starred.filter(|(.., notes)| !notes.is_empty());
    let days = days.map(|(date, star, notes)| format!("{star}{date}: {}", notes.join("; ")));
    let mean = of_mean.iter().map(|note| format!("mean: {note}"));
    days.chain(mean).flat_map(|note| wrap(&printable(&note), WIDTH)).collect()
}

/// A number without its fraction, in groups of three: `2,800,000`.
fn whole(value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNKNOWN.to_owned() };
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value <= -0.5 { format!("-{text}") } else { text }
}

fn percent(share: Option<f64>) -> String {
    share.map_or(UNKNOWN.to_owned(), |share| format!("{:.0}%", share * 100.0))
}

/// A percentage that is 100 only where nothing is missing.
fn covered(share: Option<f64>) -> String {
    share.map_or(UNKNOWN.to_owned(), |share| format!("{}%", (share * 100.0 + 1e-9).floor()))
}

/// The same for programs, with numbers in full precision.
pub fn json(activity: &Activity, zone: &str) -> impl Serialize {
    let each = || activity.partitions.iter();
    All {
        zone: zone.to_owned(),
        days: each().flat_map(|of| of.days.iter().map(|day| DayObject::new(of, day))).collect(),
        partitions: each().map(|of| MeanObject::new(of, None, of.mean())).collect(),
        weeks: each().flat_map(|of| of.weeks().into_iter().map(|(week, mean)| MeanObject::new(of, Some(week), mean))).collect(),
    }
}

#[derive(Serialize)]
struct All {
    zone: String,
    days: Vec<DayObject>,
    partitions: Vec<MeanObject>,
    weeks: Vec<MeanObject>,
}

#[derive(Serialize)]
struct DayObject {
    date: String,
    host: String,
    partition: String,
    registered_users: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered_on: Option<String>,
    active_users: Option<f64>,
    active_users_from: Option<String>,
    active_share: Option<f64>,
    active_users_peak: Option<f64>,
    active_users_peak_at: Option<String>,
    connected_users: Option<f64>,
    transactions: Option<u64>,
    transactions_all_day: Option<u64>,
    /// Per active user.
    transactions_per_user: Option<f64>,
    transactions_per_connected_user: Option<f64>,
    transactions_per_registered_user: Option<f64>,
    coverage: f64,
    coverage_all_day: f64,
    so_far: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage_so_far: Option<f64>,
    beside: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traveler_users_online: Option<f64>,
    notes: Vec<String>,
}

impl DayObject {
    fn new(of: &Partition, day: &Day) -> DayObject {
        let beside = BESIDE.iter().zip(day.beside);
        DayObject {
            date: day.date.to_string(),
            host: of.host.clone(),
            partition: of.partition.clone(),
            registered_users: day.registered,
            registered_on: day.registered_on.as_ref().map(NaiveDate::to_string),
            active_users: day.active,
            active_users_from: day.active_from.map(Window::selector),
            active_share: day.active_share(),
            active_users_peak: day.active_peak.map(|(users, _)| users),
            active_users_peak_at: day.active_peak.map(|(_, at)| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
            connected_users: day.connected,
            transactions: count(day.transactions),
            transactions_all_day: count(day.transactions_all_day),
            transactions_per_user: day.per_active(),
            transactions_per_connected_user: day.per_connected(),
            transactions_per_registered_user: day.per_registered(),
            coverage: day.coverage,
            coverage_all_day: day.coverage_all_day,
            so_far: day.so_far.is_some(),
            coverage_so_far: day.so_far.map(|_| day.coverage_so_far),
            beside: beside.filter_map(|(row, grown)| Some((row.name, count(grown)?))).collect(),
            traveler_users_online: day.traveler_online,
            notes: day.notes.clone(),
        }
    }
}

#[derive(Serialize)]
struct MeanObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    week: Option<String>,
    partition: String,
    host: String,
    days: usize,
    registered_users: Option<u64>,
    active_users: Option<f64>,
    active_users_from: Option<String>,
    active_share: Option<f64>,
    connected_users: Option<f64>,
    transactions_per_day: Option<u64>,
    /// Per active user.
    transactions_per_user_per_day: Option<f64>,
    transactions_per_connected_user_per_day: Option<f64>,
    transactions_per_registered_user_per_day: Option<f64>,
    notes: Vec<String>,
}

impl MeanObject {
    fn new(of: &Partition, week: Option<String>, mean: Mean) -> MeanObject {
        MeanObject {
            week,
            partition: of.partition.clone(),
            host: of.host.clone(),
            days: mean.days,
            registered_users: mean.registered,
            active_users: mean.active,
            active_users_from: mean.active_from.map(Window::selector),
            active_share: mean.active_share,
            connected_users: mean.connected,
            transactions_per_day: count(mean.transactions),
            transactions_per_user_per_day: mean.per_active,
            transactions_per_connected_user_per_day: mean.per_connected,
            transactions_per_registered_user_per_day: mean.per_registered,
            notes: mean.notes,
        }
    }
}

/// Transactions and the like are whole; a part of one comes from growth that a day shares with the time beside it.
fn count(value: Option<f64>) -> Option<u64> {
    value.filter(|value| value.is_finite()).map(|value| value.round().max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURS: &str = "Mon–Fri 07:00–17:00, Europe/Berlin";

    fn day(date: &str, transactions: f64, coverage: f64, notes: &[&str]) -> Day {
        Day {
            date: date.parse().unwrap(),
            registered: Some(2120),
            registered_on: "2026-11-01".parse().ok(),
            active: Some(700.0),
            active_from: Window::named("30m"),
            active_peak: Some((811.0, "2026-11-23T09:19:00Z".parse().unwrap())),
            connected: Some(1000.0),
            transactions: Some(transactions),
            transactions_all_day: Some(transactions + 0.6),
            coverage,
            coverage_all_day: 0.5,
            so_far: None,
            coverage_so_far: coverage,
            beside: std::array::from_fn(|place| (place < 2).then_some(7.0 * place as f64)),
            traveler_online: None,
            notes: notes.iter().map(|&note| note.to_owned()).collect(),
        }
    }

    fn two_partitions() -> Activity {
        let gap = "gap 10:05-10:40: 700 transactions spread over it";
        let days = vec![
            day("2026-11-23", 2_800_000.0, 0.997, &[]),
            day("2026-11-24", 1_100_000.0, 0.4, &["coverage 40 %, not in means", gap]),
        ];
        let unread = Day { registered: None, active: None, active_from: None, ..day("2026-11-24", 0.0, 1.0, &[]) };
        let of = |partition: &str, days| Partition { host: "big\u{1b}".to_owned(), partition: partition.to_owned(), days };
        Activity { partitions: vec![of("mail1", days), of("mail2", vec![Day { transactions: None, ..unread }])] }
    }

    #[test]
    fn the_table() {
        let expected = "\
Business hours: Mon–Fri 07:00–17:00, Europe/Berlin
Active users: mean of domino_users_active{window=\"30m\"}. Transactions: NRPC, in
business hours. Per user: per active user.

mail1 on big
                  registered  active  share  transactions  per user  coverage
Mon 2026-11-23         2,120     700    33%     2,800,000     4,000       99%
Tue 2026-11-24 *       2,120     700    33%     1,100,000     1,571       40%
1 day                  2,120     700    33%     2,800,000     4,000       99%
* 2026-11-24: coverage 40 %, not in means; gap 10:05-10:40: 700 transactions
spread over it
mean: 1 day left out for coverage

mail2 on big
                  registered  active  share  transactions  per user  coverage
Tue 2026-11-24             -       -      -             -         -      100%
1 day                      -       -      -             -         -      100%
";
        assert_eq!(text(&two_partitions(), HOURS), expected);
    }

    #[test]
    fn the_objects() {
        let all = serde_json::to_value(json(&two_partitions(), "Europe/Berlin")).unwrap();
        let first = serde_json::json!({
            "date": "2026-11-23", "host": "big\u{1b}", "partition": "mail1", "registered_users": 2120,
            "registered_on": "2026-11-01", "active_users": 700.0, "active_users_from": "domino_users_active{window=\"30m\"}",
            "active_share": 700.0 / 2120.0, "active_users_peak": 811.0, "active_users_peak_at": "2026-11-23T09:19:00Z",
            "connected_users": 1000.0, "transactions": 2_800_000, "transactions_all_day": 2_800_001,
            "transactions_per_user": 4000.0, "transactions_per_connected_user": 2800.0,
            "transactions_per_registered_user": 2_800_000.0 / 2120.0, "coverage": 0.997, "coverage_all_day": 0.5,
            "so_far": false, "beside": { "http_requests": 0, "imap_sessions": 7 }, "notes": [],
        });
        assert_eq!((&all["zone"], &all["days"][0]), (&"Europe/Berlin".into(), &first));
        let mean = serde_json::json!({
            "partition": "mail1", "host": "big\u{1b}", "days": 1, "registered_users": 2120, "active_users": 700.0,
            "active_users_from": "domino_users_active{window=\"30m\"}", "active_share": 700.0 / 2120.0,
            "connected_users": 1000.0, "transactions_per_day": 2_800_000, "transactions_per_user_per_day": 4000.0,
            "transactions_per_connected_user_per_day": 2800.0,
            "transactions_per_registered_user_per_day": 2_800_000.0 / 2120.0, "notes": ["1 day left out for coverage"],
        });
        assert_eq!(all["partitions"][0], mean);
        let mut week = mean;
        week["week"] = "2026-W48".into();
        assert_eq!((&all["weeks"][0], all["weeks"].as_array().unwrap().len()), (&week, 2));
        assert!(all["days"][2]["transactions"].is_null() && all["partitions"][1]["active_users"].is_null());
    }

    #[test]
    fn whole_numbers() {
        let table = [(0.0, "0"), (999.4, "999"), (999.5, "1,000"), (1e6, "1,000,000"), (-1234.0, "-1,234"), (-0.2, "0")];
        for (value, expected) in table {
            assert_eq!(whole(Some(value)), expected);
        }
        assert_eq!((whole(None).as_str(), whole(Some(f64::NAN)).as_str()), ("-", "-"));
    }
}
