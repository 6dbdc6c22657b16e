//! An address that answers with Prometheus text or with a listing of `show stat`; the text says which.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use chrono::TimeDelta;

use super::age::limit;
use super::answer;
use super::answer::Flaw;
use super::expositions::Expositions;
use super::fetch::{Fetcher, shown};
use super::{Brought, WayIn, What};
use crate::formats::domino::exposition;
use crate::sources::SourceError;
use crate::time::Timestamp;

#[cfg(test)]
mod tests;

/// What is asked, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The address, with http or https.
    pub url: String,
    /// A file with the token that is sent.
    pub token_file: Option<PathBuf>,
    /// A file with `user:password`, sent where there is no token.
    pub basic_auth_file: Option<PathBuf>,
    /// How long the whole answer is waited for.
    pub timeout: Duration,
    /// A file of certificates of authorities that are trusted beside the system's own.
    pub ca_file: Option<PathBuf>,
}

/// The address may hold a secret.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { url, token_file, basic_auth_file, timeout, ca_file } = self;
        let mut all = f.debug_struct("Settings");
        all.field("url", &shown(url)).field("token_file", token_file).field("basic_auth_file", basic_auth_file);
        all.field("timeout", timeout).field("ca_file", ca_file).finish()
    }
}

/// The address.
#[derive(Debug)]
pub struct Url {
    fetcher: Fetcher,
    expositions: Expositions,
    /// How long the time that domprom gives may stand still, and how far it may lie back.
    patience: TimeDelta,
}

impl Url {
    /// Asks nothing yet. What is fetched is made anew at the interval `every`.
    pub fn new(settings: Settings, every: Duration) -> Url {
        let patience = TimeDelta::from_std(limit(every)).unwrap_or(TimeDelta::MAX);
        Url { fetcher: Fetcher::new(settings, ""), expositions: Expositions::default(), patience }
    }

    /// What is new in a text.
    fn new_in(&mut self, text: &str, now: Timestamp) -> Result<Option<Brought>, Flaw> {
        let parsed = exposition::samples(text);
        if parsed.samples.len() as u64 <= parsed.refused.count || parsed.samples.is_empty() {
            return answer::newest(text).map(|listing| Some(Brought { at: now, what: What::Listing(listing) }));
        }
        let new = self.expositions.take(&self.fetcher.shown(), parsed, now, self.patience)?;
        let new = new.map(|new| (new.at(now, now, self.patience), new.samples));
        Ok(new.map(|(at, samples)| Brought { at, what: What::Exposition(samples) }))
    }
}

impl WayIn for Url {
    fn name(&self) -> &'static str {
        "url"
    }

    /// The time of what is fetched is the one that domprom gives, and without it that of the request.
    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        let bytes = self.fetcher.fetch()?;
        let new = self.new_in(&answer::text(&bytes), now).map_err(|flaw| flaw.refused(&self.fetcher.shown()))?;
        brought.extend(new);
        Ok(())
    }
}
