//! A text fetched over HTTP or HTTPS: one request, one deadline, an answer that is bounded, an error that says what to do.
//!
//! The token is read anew for every request and sent to the address in the configuration only: nobody is sent on.
//! Refused: proxies of the environment, a password inside the address, an address or a secret in full in any message.

use std::error::Error;
use std::fmt;
use std::io;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header::{ACCEPT, HeaderMap, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use rustls::RootCertStore;

use super::answer::LARGEST;
use super::tls;
use super::url::Settings;
use super::watched_file::{open, read_bounded};
use crate::sources::{SourceError, chain};

/// In bytes. Tokens are short.
const LONGEST_SECRET: usize = 64 << 10;
/// What is asked for: text in the older form, since newer ones are binary or name things otherwise.
const WANTED: &str = "text/plain;version=0.0.4, text/plain;q=0.9, */*;q=0.1";

/// An address and how it is asked.
pub(super) struct Fetcher {
    settings: Settings,
    /// What its settings begin with in the configuration, like `registered_users.`.
    within: &'static str,
    client: Option<Client>,
}

impl Fetcher {
    /// `within` is the table that holds the settings with a dot, and empty where [[partition]] itself does.
    pub(super) fn new(settings: Settings, within: &'static str) -> Fetcher {
        Fetcher { settings, within, client: None }
    }

    /// A setting's name for messages.
    fn key(&self, key: &str) -> String {
        format!("`{}{key}`", self.within)
    }

    /// The address for messages.
    pub(super) fn shown(&self) -> String {
        shown(&self.settings.url)
    }

    /// Fetches the text once.
    pub(super) fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        let bytes = self.try_fetch();
        if bytes.is_err() {
            // The next one begins with what `ca_file` holds then.
            self.client = None;
        }
        bytes
    }

    fn try_fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        let url = self.url()?;
        let client = match self.client.take() {
            Some(client) => client,
            None => self.connected(&url)?,
        };
        let request = self.authorized(client.get(url).header(ACCEPT, WANTED))?;
        self.client = Some(client);
        let start = Instant::now();
        let response = request.send().map_err(|error| self.failed(&error.without_url()))?;
        self.judge(response.status(), response.headers())?;
        self.body(response, start)
    }

    fn url(&self) -> Result<Url, SourceError> {
        let key = self.key("url");
        let refused = |what: &str, next: String| SourceError::Refused { what: format!("{key} of the partition {what}"), next };
        let url = Url::parse(&self.settings.url).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
        let url = url.ok_or_else(|| refused("is no address", "write http:// or https://, the host and the path".to_owned()))?;
        if !url.username().is_empty() || url.password().is_some() {
            let next = format!("put them into a file named by {}", self.key("basic_auth_file"));
            return Err(refused("holds a name or a password", next));
        }
        Ok(url)
    }

    fn connected(&self, url: &Url) -> Result<Client, SourceError> {
        let secure = url.scheme() == "https";
        let roots = if secure {
            tls::roots(self.settings.ca_file.as_deref(), &format!("{}ca_file", self.within))?
        } else {
            RootCertStore::empty()
        };
        let trust = tls::trusting(roots).map_err(|error| self.failed(&error))?;
        let builder = Client::builder().tls_backend_preconfigured(trust).no_proxy().redirect(Policy::none()).referer(false);
        // A connection kept for the next minute is often closed from afar just when it is used.
        let builder = builder.timeout(self.settings.timeout).connect_timeout(self.settings.timeout).pool_max_idle_per_host(0);
        let agent = concat!("weekline/", env!("CARGO_PKG_VERSION"));
        builder.user_agent(agent).build().map_err(|error| self.failed(&error))
    }

    fn authorized(&self, request: RequestBuilder) -> Result<RequestBuilder, SourceError> {
        match (&self.settings.token_file, &self.settings.basic_auth_file) {
            (None, None) => Ok(request),
            (Some(_), Some(_)) => Err(SourceError::Refused {
                what: format!("the partition has both {} and {}", self.key("token_file"), self.key("basic_auth_file")),
                next: format!("keep the one that its {} asks for", self.key("url")),
            }),
            (Some(path), None) => Ok(request.bearer_auth(secret(path, &format!("{}token_file", self.within))?)),
            (None, Some(path)) => {
                let pair = secret(path, &format!("{}basic_auth_file", self.within))?;
                let (user, password) = pair.split_once(':').ok_or_else(|| SourceError::Refused {
                    what: format!("`{}` has no colon", path.display()),
                    next: "write user:password into it, on one line".to_owned(),
                })?;
                Ok(request.basic_auth(user, Some(password)))
            }
        }
    }

    /// The answer's text. The client's own deadline begins anew with every part, so time is kept here.
    fn body(&self, mut response: Response, start: Instant) -> Result<Vec<u8>, SourceError> {
        let (mut bytes, mut part) = (Vec::new(), [0; 16 << 10]);
        loop {
            if start.elapsed() > self.settings.timeout {
                return Err(self.too_slow());
            }
            match response.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(read) => bytes.extend_from_slice(&part[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if start.elapsed() > self.settings.timeout => return Err(self.too_slow()),
                Err(_) => {
                    let what = format!("the answer of {} broke off after {} bytes", self.shown(), bytes.len());
                    return Err(SourceError::NotKept { what, next: "see what its own log says".to_owned() });
                }
            }
            if bytes.len() > LARGEST {
                return Err(SourceError::Refused {
                    what: format!("{} answers with more than {} MiB", self.shown(), LARGEST >> 20),
                    next: format!("see that {} in [[partition]] leads to what is meant", self.key("url")),
                });
            }
        }
    }

    /// What a status other than 200 means.
    fn judge(&self, status: StatusCode, headers: &HeaderMap) -> Result<(), SourceError> {
        if status.is_success() {
            return Ok(());
        }
        let (of, code) = (self.shown(), status.as_u16());
        let given = self.settings.token_file.as_ref().or(self.settings.basic_auth_file.as_ref());
        let (what, next) = match (code, given) {
            (401 | 403, Some(path)) => (
                format!("{of} does not take what `{}` holds ({code})", path.display()),
                "put into that file what it takes".to_owned(),
            ),
            (401 | 403, None) => (
                format!("{of} wants to know who asks ({code})"),
                format!("set {} or {} in [[partition]]", self.key("token_file"), self.key("basic_auth_file")),
            ),
            (404, _) => (
                format!("{of} does not exist (404)"),
                format!("see that the path of {} in [[partition]] is right", self.key("url")),
            ),
            (300..=399, _) => {
                let to = self.url()?.join(headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default());
                let to = to.map_or_else(|_| "another address".to_owned(), |to| shown(to.as_str()));
                (
                    format!("{of} sends on to {to} ({code})"),
                    format!("set {} in [[partition]] to the address of the text itself", self.key("url")),
                )
            }
            _ => (format!("{of} answers {status}"), "see what its own log says".to_owned()),
        };
        Err(SourceError::Refused { what, next })
    }

    fn too_slow(&self) -> SourceError {
        SourceError::Refused {
            what: format!("no whole answer from {} within {} s", self.shown(), self.settings.timeout.as_secs_f64()),
            next: format!("see whether its host is overloaded, or set {} in [[partition]]", self.key("timeout")),
        }
    }

    /// Why a request brought no answer.
    fn failed(&self, error: &(dyn Error + 'static)) -> SourceError {
        let of = self.shown();
        if cause::<reqwest::Error>(error).is_some_and(reqwest::Error::is_timeout) {
            return self.too_slow();
        }
        let refused = cause::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        let (what, next) = match cause::<rustls::Error>(error) {
            Some(error @ rustls::Error::InvalidCertificate(_)) => (
                format!("the certificate of {of} is not trusted: {error}"),
                format!("set {} in [[partition]] to the certificate of the authority that signed it", self.key("ca_file")),
            ),
            Some(error) => (
                format!("{of} does not speak TLS as it should: {error}"),
                format!("see whether {} should begin with http://", self.key("url")),
            ),
            None if refused => (
                format!("nothing listens at {of}"),
                format!("start what should, or set host and port of {} in [[partition]]", self.key("url")),
            ),
            None => (
                format!("{of} cannot be reached: {}", chain(error)),
                format!("see that {} in [[partition]] is right and leads there", self.key("url")),
            ),
        };
        SourceError::Refused { what, next }
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// An address without what may be secret in it.
pub(super) fn shown(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "`url`".to_owned() };
    // None of them can fail for an address with a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    format!("`{url}`")
}

/// The one line in a file.
fn secret(path: &Path, setting: &str) -> Result<String, SourceError> {
    let (file, _) = open(path, setting)?;
    let bytes = read_bounded(path, &file, LONGEST_SECRET)?;
    let refused = |what: &str| SourceError::Refused {
        what: format!("`{}`, which `{setting}` names, {what}", path.display()),
        next: "write what is sent into it, on one line".to_owned(),
    };
    let text = String::from_utf8(bytes).map_err(|_| refused("is no text"))?;
    let text = text.trim();
    match text {
        "" => Err(refused("is empty")),
        text if text.contains(|c: char| c.is_control()) => Err(refused("has more than one line")),
        text => Ok(text.to_owned()),
    }
}

/// The error of this kind among an error and its causes, those inside errors of input and output too.
fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    }
    None
}
