//! Several days of one partition as one.
//!
//! Means are taken over days of which enough was watched. Transactions per user of several days are all transactions over all
//! person-days, the sum of the days' users: a mean of the days' own quotients would give a quiet day the weight of a busy one.

use chrono::{Datelike, NaiveDate};

use super::Day;
use super::day::quotient;
use super::window::Window;

/// The mean day of several.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// Days it is taken of.
    pub days: usize,
    /// Users registered on the newest of them.
    pub registered: Option<u64>,
    /// Mean of the days' active users.
    pub active: Option<f64>,
    /// In which window they count as active; days of another window than the newest have no part in what is said of active users.
    pub active_from: Option<Window>,
    /// Active users over registered users.
    pub active_share: Option<f64>,
    /// The highest reading of active users.
    pub active_peak: Option<f64>,
    /// Mean of the days' connected users.
    pub connected: Option<f64>,
    /// Mean of the days' transactions.
    pub transactions: Option<f64>,
    /// Transactions per active user and day: all transactions over all person-days.
    pub per_active: Option<f64>,
    /// The same per connected user and day.
    pub per_connected: Option<f64>,
    /// The same per registered user and day.
    pub per_registered: Option<f64>,
    /// Mean of the days' coverage.
    pub coverage: Option<f64>,
    /// What a reader should know of it.
    pub notes: Vec<String>,
}

impl Mean {
    /// The mean of those of the days of which enough was watched; `days` are in order of time.
    pub fn of<'a>(days: impl IntoIterator<Item = &'a Day>) -> Mean {
        let (used, thin): (Vec<&Day>, Vec<&Day>) = days.into_iter().partition(|day| day.is_whole());
        let active_from = used.iter().rev().find_map(|day| day.active_from);
        let alike: Vec<&Day> = used.iter().copied().filter(|day| day.active_from == active_from).collect();
        let mut notes = Vec::new();
        if !thin.is_empty() {
            notes.push(format!("{} left out for coverage", days_of(thin.len())));
        }
        let other = used.iter().filter(|day| day.active_from.is_some() && day.active_from != active_from).count();
        if other > 0 {
            notes.push(format!("{} left out of active users, whose window was another", days_of(other)));
        }
        Mean {
            days: used.len(),
            registered: used.iter().rev().find_map(|day| day.registered),
            active: mean(&alike, |day| day.active),
            active_from,
            active_share: ratio(&alike, |day| day.active, Day::registered),
            active_peak: alike.iter().filter_map(|day| day.active_peak).map(|(users, _)| users).reduce(f64::max),
            connected: mean(&used, |day| day.connected),
            transactions: mean(&used, |day| day.transactions),
            per_active: ratio(&alike, |day| day.transactions, |day| day.active),
            per_connected: ratio(&used, |day| day.transactions, |day| day.connected),
            per_registered: ratio(&used, |day| day.transactions, Day::registered),
            coverage: mean(&used, |day| Some(day.coverage)),
            notes,
        }
    }
}

/// The ISO week a day belongs to, as `2026-W48`.
pub fn week(date: NaiveDate) -> String {
    let week = date.iso_week();
    format!("{}-W{:02}", week.year(), week.week())
}

fn days_of(number: usize) -> String {
    format!("{number} {}", if number == 1 { "day" } else { "days" })
}

fn mean(days: &[&Day], figure: fn(&Day) -> Option<f64>) -> Option<f64> {
    let figures: Vec<f64> = days.iter().filter_map(|day| figure(day)).collect();
    quotient(Some(figures.iter().sum()), Some(figures.len() as f64))
}

/// A sum over a sum, of the days that have both.
fn ratio(days: &[&Day], part: fn(&Day) -> Option<f64>, whole: fn(&Day) -> Option<f64>) -> Option<f64> {
    let both = days.iter().filter_map(|day| Some((part(day)?, whole(day)?)));
    let (part, whole) = both.fold((0.0, 0.0), |(parts, wholes), (part, whole)| (parts + part, wholes + whole));
    quotient(Some(part), Some(whole))
}
