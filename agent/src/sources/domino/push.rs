//! What servers push: the web puts bodies of statistics publication into an inbox, the partition's reader takes them out.
//!
//! The instant of a body is the server's own where it says one near its arrival, else the arrival.
//! Bodies that arrive together are one publication, unless a name comes again: then the later is one of its own.
//! Refused: an inbox that grows. Where nobody takes bodies out the oldest are dropped, and counted.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta};

use crate::formats::domino::statpub::{self, BodyError, Published};
use crate::sources::SourceError;
use crate::sources::domino::age::limit;
use crate::sources::domino::{Brought, WayIn, What};
use crate::time::Timestamp;

/// Bodies that wait at most.
const MOST_BODIES: usize = 16;
/// Bytes that they may take together.
const MOST_BYTES: usize = 4 << 20;
/// A publication in several bodies arrives within this.
const TOGETHER: TimeDelta = TimeDelta::seconds(2);
/// A server's own instant is believed this near to the arrival.
const NEAR: TimeDelta = TimeDelta::minutes(5);

/// Bodies that were pushed for one partition and not yet read.
#[derive(Debug, Default)]
pub struct Inbox {
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    bodies: VecDeque<Body>,
    newest: Option<Timestamp>,
    dropped: u64,
}

#[derive(Debug)]
struct Body {
    arrived: Timestamp,
    published: Published,
}

impl Body {
    /// The memory it takes, about.
    fn bytes(&self) -> usize {
        self.published.stats.iter().map(|(name, _)| name.len() + size_of::<(String, f64)>()).sum()
    }

    fn at(&self) -> Timestamp {
        let own = self.published.at.and_then(DateTime::from_timestamp_millis);
        own.filter(|own| *own <= self.arrived && self.arrived - *own <= NEAR).unwrap_or(self.arrived)
    }
}

/// Two inboxes are never the same, whatever lies in them.
impl PartialEq for Inbox {
    fn eq(&self, other: &Inbox) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Inbox {
    /// Nothing has come yet.
    pub fn new() -> Inbox {
        Inbox::default()
    }

    /// Reads a body that arrived at `at` and takes it.
    ///
    /// # Errors
    /// Where it is not in a format that can be read.
    pub fn receive(&self, at: Timestamp, body: &[u8]) -> Result<(), BodyError> {
        self.put(at, statpub::parse(body)?);
        Ok(())
    }

    /// Takes what arrived at `at`. A body without levels is none: a server may push its rates apart.
    pub fn put(&self, at: Timestamp, published: Published) {
        if published.stats.is_empty() {
            return;
        }
        let mut queue = self.queue();
        queue.newest = Some(at);
        queue.bodies.push_back(Body { arrived: at, published });
        while queue.bodies.len() > 1
            && (queue.bodies.len() > MOST_BODIES || queue.bodies.iter().map(Body::bytes).sum::<usize>() > MOST_BYTES)
        {
            queue.bodies.pop_front();
            queue.dropped += 1;
        }
    }

    /// Bodies that were dropped because nobody read them, since the start.
    pub fn dropped(&self) -> u64 {
        self.queue().dropped
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Each change is one step, so what a panic left is whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out what is there; bodies to which more may belong stay.
    fn take(&self, now: Timestamp) -> Vec<Body> {
        let mut queue = self.queue();
        let mut together = 0;
        let mut first: Option<Timestamp> = None;
        for body in &queue.bodies {
            match first {
                Some(first) if belongs(first, body.arrived) => together += 1,
                _ => (first, together) = (Some(body.arrived), 1),
            }
        }
        let still_open = first.is_some_and(|first| (now - first).abs() < TOGETHER);
        let whole = queue.bodies.len() - if still_open { together } else { 0 };
        queue.bodies.drain(..whole).collect()
    }

    fn newest(&self) -> Option<Timestamp> {
        self.queue().newest
    }
}

fn belongs(first: Timestamp, arrived: Timestamp) -> bool {
    (arrived - first).abs() < TOGETHER
}

/// The way in for one partition that pushes.
#[derive(Debug)]
pub struct Push {
    inbox: Arc<Inbox>,
    silence: TimeDelta,
    /// What was wrong with the last publication; it holds until the next.
    fault: Option<String>,
    /// When the inbox was last read, and how many bodies it had dropped by then.
    read: Option<(Timestamp, u64)>,
}

impl Push {
    /// Reads `inbox` every `every`.
    pub fn new(inbox: Arc<Inbox>, every: Duration) -> Push {
        let silence = TimeDelta::from_std(limit(every)).unwrap_or(TimeDelta::MAX);
        Push { inbox, silence, fault: None, read: None }
    }
}

impl Push {
    /// Bodies that were dropped since the last reading, though somebody read: while nobody is to read, that is no loss.
    fn dropped(&mut self, now: Timestamp) -> u64 {
        let dropped = self.inbox.dropped();
        let before = self.read.replace((now, dropped)).filter(|(read, _)| now - *read <= self.silence);
        before.map_or(0, |(_, before)| dropped - before)
    }
}

impl WayIn for Push {
    fn name(&self) -> &'static str {
        "push"
    }

    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        let publications = publications(self.inbox.take(now));
        if let Some(last) = publications.last() {
            self.fault = last.fault();
        }
        let mut new: Vec<_> = publications.into_iter().map(Publication::brought).collect();
        new.sort_by_key(|brought| brought.at);
        brought.append(&mut new);
        let Some(newest) = self.inbox.newest() else {
            return refused("nothing has been pushed yet, waiting for the first POST".to_owned(), CHECK);
        };
        let dropped = self.dropped(now);
        if dropped > 0 {
            let what = format!("{dropped} pushes were dropped, because more came than are read");
            let next = "publish no more often than `interval` in [schedule]".to_owned();
            return Err(SourceError::NotKept { what, next });
        }
        let age = now - newest;
        if age > self.silence {
            return refused(format!("nothing has been pushed for {} s", age.num_seconds()), CHECK);
        }
        self.fault.clone().map_or(Ok(()), |fault| refused(fault, FORMAT))
    }
}

const CHECK: &str = "check STATPUB_ENABLE=1, STATPUB_URI=http://ADDRESS/push/PARTITION and STATPUB_HEADERS=Authorization: Bearer TOKEN \
                     in the server's notes.ini, and the log here for refused pushes";
const FORMAT: &str = "set STATPUB_METRIC_FORMAT=$Name$ $Value$, STATPUB_DELTA_METRIC_FORMAT=Rate.$Name$ $Value$ and \
                      STATPUB_METRIC_DELIMITER=$Newline$ in the server's notes.ini";

fn refused(what: String, next: &str) -> Result<(), SourceError> {
    Err(SourceError::Refused { what, next: next.to_owned() })
}

/// Bodies that arrived together.
struct Publication {
    first: Timestamp,
    at: Timestamp,
    stats: Vec<(String, f64)>,
    names: HashSet<String>,
    refused: u32,
}

impl Publication {
    fn of(body: Body) -> Publication {
        let (first, at) = (body.arrived, body.at());
        let names = names(&body.published).collect();
        Publication { first, at, names, refused: body.published.refused, stats: body.published.stats }
    }

    fn is_of(&self, body: &Body) -> bool {
        belongs(self.first, body.arrived) && !names(&body.published).any(|name| self.names.contains(&name))
    }

    fn add(&mut self, body: Body) {
        self.at = self.at.max(body.at());
        self.names.extend(names(&body.published));
        self.refused = self.refused.saturating_add(body.published.refused);
        self.stats.extend(body.published.stats);
    }

    /// A head, a tail, or a name with the delimiter in it is no matter; a tenth of the entries is.
    fn fault(&self) -> Option<String> {
        let (refused, all) = (self.refused as usize, self.stats.len() + self.refused as usize);
        (refused * 10 > all).then(|| format!("{refused} of {all} entries pushed were not understood or came twice"))
    }

    fn brought(self) -> Brought {
        Brought { at: self.at, what: What::Published(self.stats) }
    }
}

fn names(published: &Published) -> impl Iterator<Item = String> {
    published.stats.iter().map(|(name, _)| name.to_ascii_lowercase())
}

/// Puts together what arrived together.
fn publications(bodies: Vec<Body>) -> Vec<Publication> {
    let mut all: Vec<Publication> = Vec::new();
    for body in bodies {
        match all.last_mut().filter(|last| last.is_of(&body)) {
            Some(last) => last.add(body),
            None => all.push(Publication::of(body)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: f64) -> Timestamp {
        DateTime::from_timestamp_millis(1_793_697_300_000 + (second * 1000.0) as i64).unwrap()
    }

    fn body(names: &[&str]) -> Published {
        let stats = names.iter().zip(1_u32..).map(|(name, value)| ((*name).to_owned(), f64::from(value))).collect();
        Published { stats, refused: 0, at: None }
    }

    fn start() -> (Arc<Inbox>, Push) {
        let inbox = Arc::new(Inbox::new());
        (inbox.clone(), Push::new(inbox, Duration::from_secs(60)))
    }

    fn read(push: &mut Push, now: f64) -> (Vec<(f64, Vec<String>)>, String) {
        let mut brought = Vec::new();
        let error = push.read(second(now), &mut brought).err().map(|error| error.to_string()).unwrap_or_default();
        let found = brought.into_iter().map(|brought| match brought.what {
            What::Published(stats) => {
                ((brought.at - second(0.0)).as_seconds_f64(), stats.into_iter().map(|(name, _)| name).collect())
            }
            other => panic!("{other:?}"),
        });
        (found.collect(), error)
    }

    #[test]
    fn a_body_is_brought_once_with_its_instant() {
        let (inbox, mut push) = start();
        assert_eq!(push.name(), "push");
        inbox.put(second(1.0), body(&["A.x"]));
        inbox.put(second(61.0), Published { at: Some(second(60.0).timestamp_millis()), ..body(&["A.x"]) });
        inbox.put(second(121.0), Published { at: Some(second(-300.0).timestamp_millis()), ..body(&["A.x"]) });
        inbox.put(second(181.0), Published { at: Some(i64::MAX), ..body(&["A.x"]) });
        let (found, error) = read(&mut push, 190.0);
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1.0, 60.0, 121.0, 181.0]);
        assert_eq!(error, "");
        assert_eq!(read(&mut push, 191.0), (vec![], String::new()));
    }

    #[test]
    fn what_arrives_together_is_one_publication() {
        let (inbox, mut push) = start();
        inbox.put(second(0.0), body(&["A.x", "A.y"]));
        inbox.put(second(1.0), body(&["B.x"]));
        inbox.put(second(1.9), body(&["C.x"]));
        inbox.put(second(2.5), body(&["D.x"]));
        // The same names again are another, whatever their letter case.
        inbox.put(second(60.0), body(&["A.x"]));
        inbox.put(second(60.5), body(&["a.X", "B.x"]));
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let expected = [
            (1.9, names(&["A.x", "A.y", "B.x", "C.x"])),
            (2.5, names(&["D.x"])),
            (60.0, names(&["A.x"])),
            (60.5, names(&["a.X", "B.x"])),
        ];
        assert_eq!(read(&mut push, 70.0).0, expected);
    }

    #[test]
    fn a_publication_under_way_is_left_until_it_is_whole() {
        let (inbox, mut push) = start();
        inbox.put(second(0.0), body(&["A.x"]));
        inbox.put(second(60.0), body(&["A.x"]));
        assert_eq!(read(&mut push, 60.5).0.len(), 1);
        inbox.put(second(61.0), body(&["B.x"]));
        assert_eq!(read(&mut push, 61.5), (vec![], String::new()));
        assert_eq!(read(&mut push, 62.0).0, [(61.0, vec!["A.x".to_owned(), "B.x".to_owned()])]);
        // A clock that was set back does not hold it up.
        inbox.put(second(3600.0), body(&["A.x"]));
        assert_eq!(read(&mut push, 63.0).0.len(), 1);
    }

    #[test]
    fn silence_is_told() {
        let (inbox, mut push) = start();
        let (found, error) = read(&mut push, 0.0);
        assert_eq!(found, []);
        assert!(error.starts_with("nothing has been pushed yet, waiting for the first POST; check STATPUB_ENABLE=1"), "{error}");
        // Rates alone are nothing.
        inbox.put(second(0.0), body(&[]));
        assert!(read(&mut push, 1.0).1.starts_with("nothing has been pushed yet"));
        inbox.put(second(10.0), body(&["A.x"]));
        assert_eq!(read(&mut push, 190.0).1, "");
        assert!(read(&mut push, 191.0).1.starts_with("nothing has been pushed for 181 s; check STATPUB_ENABLE=1"));
        inbox.put(second(200.0), body(&["A.x"]));
        assert_eq!(read(&mut push, 205.0).1, "");
        // Three times a longer interval.
        let mut slow = Push::new(inbox, Duration::from_secs(900));
        assert_eq!(read(&mut slow, 200.0 + 2700.0).1, "");
        assert!(read(&mut slow, 200.0 + 2701.0).1.contains("for 2701 s"));
    }

    #[test]
    fn entries_that_were_not_understood_are_told_and_the_rest_is_brought() {
        let (inbox, mut push) = start();
        inbox
            .put(second(0.0), Published { refused: 1, ..body(&["A.a", "A.b", "A.c", "A.d", "A.e", "A.f", "A.g", "A.h", "A.i"]) });
        assert_eq!(read(&mut push, 10.0).1, "");
        inbox.put(second(60.0), Published { refused: 1, ..body(&["A.a", "A.b", "A.c"]) });
        let (found, error) = read(&mut push, 70.0);
        assert_eq!(found.len(), 1);
        assert!(
            error.starts_with("1 of 4 entries pushed were not understood or came twice; set STATPUB_METRIC_FORMAT"),
            "{error}"
        );
    }

    #[test]
    fn the_oldest_are_dropped() {
        let (inbox, mut push) = start();
        for minute in 0..20 {
            inbox.put(second(60.0 * f64::from(minute)), body(&["A.x"]));
        }
        assert_eq!(inbox.dropped(), 4);
        let (found, _) = read(&mut push, 1200.0);
        assert_eq!((found.len(), found[0].0), (16, 240.0));
        // 1000 names of 2000 bytes are 2 MB: two of them fit, three do not.
        let names: Vec<String> = (0..1000).map(|i| format!("A.{i:01998}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for minute in 0..3 {
            inbox.put(second(60.0 * f64::from(minute)), body(&names));
        }
        assert_eq!((inbox.dropped(), read(&mut push, 1200.0).0.len()), (5, 2));
    }

    #[test]
    fn what_is_dropped_while_somebody_reads_is_told_and_a_night_is_no_loss() {
        let (inbox, mut push) = start();
        let fill = |from: u32| (from..from + 20).for_each(|i| inbox.put(second(f64::from(i)), body(&["A.x"])));
        fill(0);
        assert_eq!(read(&mut push, 30.0).1, "");
        fill(60);
        assert!(read(&mut push, 90.0).1.starts_with("4 pushes were dropped, because more came than are read; "));
        fill(50_000);
        assert_eq!(read(&mut push, 50_030.0).1, "");
    }
}
