//! What one partition of a Domino server said at one instant, as far as its users and their work are concerned.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::window::{WINDOWS, Window};
use crate::analysis::overlap;
use crate::catalog;
use crate::history::{History, HistoryError, Point};
use crate::snapshot::{Labels, Snapshot};
use crate::time::{Millis, Span};

/// A counter beside the transactions: work that is not done in NRPC, and is not counted there.
pub struct Beside {
    /// What its growth is called.
    pub name: &'static str,
    row: &'static str,
    /// The value of the row's first label; none: the row has the partition alone.
    part: Option<&'static str>,
}

/// Work beside the transactions; a shift from Notes to the web shows here.
pub const BESIDE: [Beside; 7] = [
    Beside { name: "http_requests", row: "domino_http_requests_total", part: None },
    Beside { name: "imap_sessions", row: SESSIONS, part: Some("imap") },
    Beside { name: "pop3_sessions", row: SESSIONS, part: Some("pop3") },
    Beside { name: "smtp_sessions", row: SESSIONS, part: Some("smtp") },
    Beside { name: "ldap_sessions", row: SESSIONS, part: Some("ldap") },
    Beside { name: "smtp_messages", row: "domino_smtp_messages_total", part: None },
    Beside { name: "mail_delivered", row: "domino_mail_delivered_total", part: None },
];

const TRANSACTIONS: &str = "domino_transactions_total";
const UPTIME: &str = "domino_uptime_seconds";
const CONNECTED: &str = "domino_users_connected";
pub(super) const ACTIVE: &str = "domino_users_active";
const REGISTERED: &str = "domino_registered_users";
const TRAVELER: &str = "domino_traveler_users";
const SESSIONS: &str = "domino_internet_sessions_total";

/// The rows of which one must have points of a partition, for there to be anything to say about it.
pub(super) const TELLING: [&str; 3] = [TRANSACTIONS, CONNECTED, ACTIVE];
/// All rows a sighting is made of, those of [`TELLING`] first.
const ROWS: [&str; 10] = [
    TRANSACTIONS,
    CONNECTED,
    ACTIVE,
    UPTIME,
    REGISTERED,
    TRAVELER,
    SESSIONS,
    "domino_http_requests_total",
    "domino_smtp_messages_total",
    "domino_mail_delivered_total",
];

/// What was read of a partition in one instant; what was not is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sighting {
    /// When.
    pub at: Millis,
    /// Seconds it stands for: the interval of the schedule, or of the file.
    pub every: f64,
    /// Read by the service, not imported.
    pub live: bool,
    /// Whether it was recorded in one run with the one before.
    pub follows: bool,
    /// NRPC transactions since the server started, or since somebody set them to zero.
    pub transactions: Option<f64>,
    /// Seconds since the server started.
    pub uptime: Option<f64>,
    /// Users with a session open.
    pub connected: Option<f64>,
    /// Users active within each of [`WINDOWS`].
    pub active: [Option<f64>; WINDOWS.len()],
    /// Users registered.
    pub registered: Option<f64>,
    /// Counters of [`BESIDE`].
    pub beside: [Option<f64>; BESIDE.len()],
    /// Users of Traveler online.
    pub traveler_online: Option<f64>,
}

impl Sighting {
    /// What a snapshot says of a partition; nothing where it says nothing of its users and transactions.
    pub fn of(snapshot: &Snapshot, partition: &str) -> Option<Sighting> {
        let mut sighting = Sighting {
            at: snapshot.at.timestamp_millis(),
            every: snapshot.every.as_secs_f64(),
            live: true,
            follows: snapshot.follows,
            ..Sighting::default()
        };
        for reading in snapshot.readings.iter().filter(|reading| self::partition(&reading.labels) == Some(partition)) {
            sighting.take(reading.metric.name, &reading.labels, reading.value);
        }
        let active = sighting.active.iter().any(Option::is_some);
        (sighting.transactions.is_some() || sighting.connected.is_some() || active).then_some(sighting)
    }

    /// Takes a value of one of [`ROWS`]; others are none of its business.
    fn take(&mut self, row: &str, labels: &Labels, value: f64) {
        let first = labels.get(0).unwrap_or_default();
        match row {
            TRANSACTIONS => self.transactions = Some(value),
            UPTIME => self.uptime = Some(value),
            CONNECTED => self.connected = Some(value),
            REGISTERED => self.registered = Some(value),
            TRAVELER if first == "online" => self.traveler_online = Some(value),
            ACTIVE => {
                if let Some(window) = Window::named(first) {
                    self.active[window.place()] = Some(value);
                }
            }
            _ => {
                // The protocol is spelled as the statistic spells it.
                let mine = |one: &Beside| one.row == row && one.part.is_none_or(|part| part.eq_ignore_ascii_case(first));
                if let Some(place) = BESIDE.iter().position(mine) {
                    self.beside[place] = Some(value);
                }
            }
        }
    }

    fn at(point: &Point) -> Sighting {
        let Point { at, over, follows, live, .. } = *point;
        Sighting { at, every: f64::from(over), live, follows, ..Sighting::default() }
    }
}

/// The partition: the last label of every row of Domino.
pub(super) fn partition(labels: &Labels) -> Option<&str> {
    labels.values().last()
}

/// A host, and a partition on it.
pub(super) type Key = (Arc<str>, String);

/// What the history has of each partition that is `wanted`, in order of time. What was recorded twice is there once.
///
/// # Errors
/// Where the history cannot be read.
pub(super) fn in_history(
    history: &History,
    span: Span,
    wanted: &dyn Fn(&Key) -> bool,
) -> Result<BTreeMap<Key, BTreeMap<Millis, Sighting>>, HistoryError> {
    let mut all: BTreeMap<Key, BTreeMap<Millis, Sighting>> = BTreeMap::new();
    for (number, metric) in ROWS.iter().filter_map(|name| catalog::metric(name)).enumerate() {
        // Where the partitions wanted are no more or not yet, the rest is not read.
        if number == TELLING.len() && all.is_empty() {
            break;
        }
        for series in history.points(metric, span)? {
            let Some(partition) = partition(&series.labels) else { continue };
            let key = (series.host.clone(), partition.to_owned());
            if !wanted(&key) {
                continue;
            }
            let sightings = all.entry(key).or_default();
            for point in overlap::once(series.points) {
                let sighting = sightings.entry(point.at).or_insert_with(|| Sighting::at(&point));
                sighting.take(metric.name, &series.labels, point.value);
            }
        }
    }
    Ok(all)
}
