//! The figures of days and weeks that a live partition shows beside what it reads.

use chrono::{Datelike, Days, NaiveDate};

use super::{Day, Mean};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// Puts what `days` of a partition, oldest first, say of today so far, the last finished day, this week and the last one.
///
/// `today` is the day that owns the present or the last opening. Weeks are means per day over their finished days of which
/// enough was watched. What is not known is not put.
pub fn exported(days: &[Day], today: NaiveDate, into: &mut Snapshot, partition: &str) {
    let is_over = |day: &&Day| day.so_far.is_none();
    if let Some(day) = days.iter().find(|day| day.date == today) {
        put(&Figures { coverage: Some(day.coverage_so_far), ..Figures::of(day) }, "today", into, partition);
    }
    if let Some(day) = days.iter().filter(|day| day.date <= today).rfind(is_over) {
        put(&Figures::of(day), "last_day", into, partition);
    }
    let weeks = [("this_week", Some(today)), ("last_week", today.checked_sub_days(Days::new(7)))];
    for (period, date) in weeks {
        let Some(week) = date.map(|date| date.iso_week()) else { continue };
        let mean = Mean::of(days.iter().filter(|day| day.date.iso_week() == week).filter(is_over));
        if mean.days > 0 {
            put(&Figures::from(&mean), period, into, partition);
        }
    }
}

/// What is shown of a period.
struct Figures {
    transactions: Option<f64>,
    active: Option<f64>,
    connected: Option<f64>,
    per_active: Option<f64>,
    per_connected: Option<f64>,
    per_registered: Option<f64>,
    share: Option<f64>,
    coverage: Option<f64>,
    peak: Option<f64>,
}

impl Figures {
    fn of(day: &Day) -> Figures {
        Figures {
            transactions: day.transactions,
            active: day.active,
            connected: day.connected,
            per_active: day.per_active(),
            per_connected: day.per_connected(),
            per_registered: day.per_registered(),
            share: day.active_share(),
            coverage: Some(day.coverage),
            peak: day.active_peak.map(|(users, _)| users),
        }
    }
}

impl From<&Mean> for Figures {
    fn from(mean: &Mean) -> Figures {
        Figures {
            transactions: mean.transactions,
            active: mean.active,
            connected: mean.connected,
            per_active: mean.per_active,
            per_connected: mean.per_connected,
            per_registered: mean.per_registered,
            share: mean.active_share,
            coverage: mean.coverage,
            peak: mean.active_peak,
        }
    }
}

fn put(figures: &Figures, period: &str, into: &mut Snapshot, partition: &str) {
    let all = [
        ("transactions", figures.transactions),
        ("active_users", figures.active),
        ("connected_users", figures.connected),
        ("transactions_per_active_user", figures.per_active),
        ("transactions_per_connected_user", figures.per_connected),
        ("transactions_per_registered_user", figures.per_registered),
        ("active_share", figures.share),
        ("coverage", figures.coverage),
        ("active_users_peak", figures.peak),
    ];
    for (field, figure) in all {
        if let Some(figure) = figure {
            into.put(Place::Activity, field, &[period, partition], figure);
        }
    }
}
