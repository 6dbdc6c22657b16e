//! How many users are registered on a partition, as an address says that is asked once a day: a number, or a Domino view.
//!
//! A view is read for the one number in its head only, since the text behind it may be no JSON: Domino does not escape as it should.
//! Refused: a count of nobody, which a view gives to whoever may not read its documents, and a count of categories.

use chrono::TimeDelta;

use super::answer;
use super::fetch::Fetcher;
use super::url;
use crate::sources::{SourceError, chain};
use crate::time::Timestamp;

#[cfg(test)]
mod tests;

/// What failed is tried again after this time.
const AGAIN: TimeDelta = TimeDelta::hours(1);
/// A number that cannot be renewed holds this long: few people come or go within a week.
const HOLDS: TimeDelta = TimeDelta::days(7);
/// It holds this long before it was said, too: readings of a log or a push come late.
const BEFORE: TimeDelta = TimeDelta::days(1);
/// No directory has as many people; a larger number is something else, like a time.
const MOST: u64 = 10_000_000;

/// The number.
pub(super) struct Registered {
    fetcher: Fetcher,
    /// When it was last asked for.
    asked: Option<Timestamp>,
    /// Why that brought nothing, and what to do about it.
    failed: Option<(String, String)>,
    /// The last number, and when it was said.
    known: Option<(u64, Timestamp)>,
}

/// A text that says no number of users: what it is, and what to do about it.
type Flaw = (String, &'static str);

impl Registered {
    /// Asks nothing yet.
    pub(super) fn new(settings: url::Settings) -> Registered {
        Registered { fetcher: Fetcher::new(settings, "registered_users."), asked: None, failed: None, known: None }
    }

    /// Its name in `weekline_source_up` and in `weekline status`.
    pub(super) fn name(&self) -> &'static str {
        "registered"
    }

    /// Asks where it is time to; what failed before is said until it no longer does.
    pub(super) fn read(&mut self, now: Timestamp) -> Result<(), SourceError> {
        if self.due(now) {
            // Taken down before, so that a fault on the way is not met again at every tick.
            self.asked = Some(now);
            match self.count() {
                Ok(users) => (self.known, self.failed) = (Some((users, now)), None),
                Err(error) => self.failed = Some(parts(error)),
            }
        }
        match &self.failed {
            None => Ok(()),
            Some((what, next)) => Err(SourceError::Refused { what: what.clone(), next: next.clone() }),
        }
    }

    /// How many are registered as a reading of this time sees it; none where nobody said so near to it.
    pub(super) fn at(&self, time: Timestamp) -> Option<u64> {
        let (users, since) = self.known?;
        let age = time - since;
        (-BEFORE <= age && age <= HOLDS).then_some(users)
    }

    /// When a number was last said.
    pub(super) fn good(&self) -> Option<Timestamp> {
        self.known.map(|(_, since)| since)
    }

    /// Each day of UTC once; what failed, an hour later.
    fn due(&self, now: Timestamp) -> bool {
        let Some(asked) = self.asked else { return true };
        asked.date_naive() != now.date_naive() || self.failed.is_some() && (now - asked).abs() >= AGAIN
    }

    fn count(&mut self) -> Result<u64, SourceError> {
        let bytes = self.fetcher.fetch()?;
        users(&answer::text(&bytes)).map_err(|(what, next)| SourceError::Refused {
            what: format!("{} {what}", self.fetcher.shown()),
            next: next.to_owned(),
        })
    }
}

/// An error that can be said again.
fn parts(error: SourceError) -> (String, String) {
    match error {
        SourceError::Refused { what, next } => (what, next),
        other => (chain(&other), "see that it can be read".to_owned()),
    }
}

/// The number of users in a text: by itself, or as the head of a view says it in JSON or in XML.
fn users(text: &str) -> Result<u64, Flaw> {
    let text = text.trim();
    let users = match text.chars().next() {
        None => return Err(("answers with nothing".to_owned(), "see what its own log says")),
        Some('{') => in_json(text),
        Some('<') => in_xml(text),
        Some(_) => Some(text),
    };
    if in_categories(text) {
        let next = "let it lead to a view without categories, which selects the people of this server";
        return Err(("leads to a view with categories, which would be counted in place of people".to_owned(), next));
    }
    let users = users.filter(|users| !users.is_empty() && users.bytes().all(|byte| byte.is_ascii_digit()));
    match users.and_then(|users| users.parse().ok()).filter(|users| *users <= MOST) {
        Some(0) => Err((
            "counts no user".to_owned(),
            "let whoever asks read the view and its documents, and see that the view selects people",
        )),
        Some(users) => Ok(users),
        None => Err(foreign(text)),
    }
}

/// The value of `@toplevelentries`. Inside of a value these quotation marks would be escaped.
fn in_json(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("\"@toplevelentries\"")?;
    let value = behind.trim_start().strip_prefix(':')?.trim_start();
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', '}']).next().map(str::trim_end),
    }
}

/// The attribute `toplevelentries` of the element `viewentries`.
fn in_xml(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("<viewentries")?;
    let (attributes, _) = behind.split_once('>')?;
    let (before, behind) = attributes.split_once("toplevelentries")?;
    let value = behind.trim_start().strip_prefix('=')?.trim_start();
    let mark = value.chars().next().filter(|mark| ['"', '\''].contains(mark))?;
    before.ends_with(char::is_whitespace).then(|| value.split(mark).nth(1)).flatten()
}

/// Whether the first entry of a view holds others, as a category does and a person does not.
fn in_categories(text: &str) -> bool {
    let entry = text.split_once("<viewentry ").and_then(|(_, behind)| behind.split_once('>'));
    text.starts_with('{') && text.contains("\"@children\"") || entry.is_some_and(|(entry, _)| entry.contains(" children="))
}

fn foreign(text: &str) -> Flaw {
    let begins = text.chars().take("<!doctype html".len()).collect::<String>().to_lowercase();
    let page = ["<!doctype html", "<html"].iter().any(|page| begins.starts_with(page));
    if page {
        let next = "set `registered_users.basic_auth_file` in [[partition]], let the server take a name and a password there, \
                    and end the address with ?ReadViewEntries&Count=1";
        return ("answers with a page for people, like one to sign in".to_owned(), next);
    }
    let next = "let it answer with a whole number or as a Domino view does by ?ReadViewEntries&Count=1";
    // What it says is not repeated: everybody may read messages.
    (format!("answers with {} bytes that do not say how many users there are", text.len()), next)
}
