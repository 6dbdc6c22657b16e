//! The doors of partitions that push: `POST /push/PARTITION` with a token.
//!
//! Who has no good token learns nothing, not even which partitions there are.
//! Refused: a body that is too long or too slow, a token in a log, a line in the log for every refusal.

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use chrono::Utc;
use thiserror::Error;
use weekline_exporter::serve::{self, BodyError};

use crate::sources::domino::push::Inbox;

/// Bytes of a body; a server publishes some tens of thousands.
const MOST_BYTES: usize = 4 << 20;
/// How long a body may take to come.
const DEADLINE: Duration = Duration::from_secs(10);
/// Refusals are logged at most this often.
const BETWEEN_WARNINGS: Duration = Duration::from_mins(1);

/// A secret that a server shows. It is never printed.
pub struct Token(String);

impl Token {
    /// The token as it stands in its file, without blanks and line ends around it. An empty one opens no door.
    pub fn new(text: &str) -> Token {
        Token(text.trim().to_owned())
    }

    /// Compares every byte, so that the time taken does not tell how many are right.
    fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differing = own.iter().zip(given).fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
        !own.is_empty() && own.len() == given.len() && differing == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Where one partition pushes to.
#[derive(Debug)]
pub struct Door {
    /// What opens it.
    pub token: Token,
    /// What is behind it.
    pub inbox: Arc<Inbox>,
}

/// The doors of all partitions that push, by name.
#[derive(Debug, Default)]
pub struct Doors {
    open: Mutex<BTreeMap<String, Door>>,
    warnings: Mutex<Warnings>,
}

/// When a refusal was last logged, and how many were not since.
#[derive(Debug, Default)]
struct Warnings {
    last: Option<Instant>,
    unsaid: u64,
}

impl Doors {
    /// No door.
    pub fn new() -> Doors {
        Doors::default()
    }

    /// Takes other doors in the place of all there are, as at a reload.
    pub fn replace(&self, doors: BTreeMap<String, Door>) {
        *self.open() = doors;
    }

    /// The inbox of a partition, so that a reload keeps what is in it.
    pub fn inbox(&self, partition: &str) -> Option<Arc<Inbox>> {
        self.open().get(partition).map(|door| door.inbox.clone())
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Door>> {
        // A map is replaced in one step, so what a panic left is whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whom a token lets in. Every door is tried, so that neither the answer nor its time tells a name.
    fn enter(&self, partition: &str, headers: &HeaderMap) -> Result<Arc<Inbox>, Refused> {
        let given = bearer(headers).ok_or(Refused::NoToken)?;
        let open = self.open();
        let fitting = open.iter().filter(|(_, door)| door.token.is(given)).collect::<Vec<_>>();
        match (fitting.iter().find(|(name, _)| *name == partition), open.contains_key(partition)) {
            (Some((_, door)), _) => Ok(door.inbox.clone()),
            (None, false) if !fitting.is_empty() => Err(Refused::NoDoor),
            _ => Err(Refused::WrongToken),
        }
    }

    /// Logs a refusal, unless one was logged a moment ago. The name comes from outside: only a known one is written.
    fn warn(&self, partition: &str, refused: &Refused) {
        let known = self.open().contains_key(partition);
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.last.is_some_and(|last| last.elapsed() < BETWEEN_WARNINGS) {
            warnings.unsaid += 1;
            return;
        }
        let before = std::mem::replace(&mut *warnings, Warnings { last: Some(Instant::now()), unsaid: 0 }).unsaid;
        let partition = if known { partition } else { "not configured" };
        tracing::warn!(partition, "a push was refused, and {before} since the last such line: {refused}");
    }
}

/// Why a push was refused; the sentence goes to the server and to the log.
#[derive(Debug, Error)]
enum Refused {
    #[error("a token is needed; set STATPUB_HEADERS=Authorization: Bearer TOKEN in notes.ini")]
    NoToken,
    #[error("the token is not this partition's; compare it with the file that `push_token_file` or `token_file` names")]
    WrongToken,
    #[error("no partition of this name has source = \"push\"; compare the path with `name` in [[partition]]")]
    NoDoor,
    #[error("the body is longer than {MOST_BYTES} bytes; check what pushes here")]
    TooLong,
    #[error("the body did not come within {} s; check the network between", DEADLINE.as_secs())]
    TooSlow,
    #[error("the body ended before its end; check the network between")]
    Cut,
    #[error("{0}")]
    NotUnderstood(String),
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Refused::NoToken => StatusCode::UNAUTHORIZED,
            Refused::WrongToken => StatusCode::FORBIDDEN,
            Refused::NoDoor => StatusCode::NOT_FOUND,
            Refused::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Refused::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Refused::Cut | Refused::NotUnderstood(_) => StatusCode::BAD_REQUEST,
        }
    }
}

impl From<BodyError> for Refused {
    fn from(error: BodyError) -> Refused {
        match error {
            BodyError::TooLong => Refused::TooLong,
            BodyError::TooSlow => Refused::TooSlow,
            BodyError::Cut => Refused::Cut,
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{self}\n")).into_response();
        if matches!(self, Refused::NoToken) {
            response.headers_mut().insert(WWW_AUTHENTICATE, axum::http::HeaderValue::from_static("Bearer"));
        }
        response
    }
}

pub(super) fn router(doors: Arc<Doors>) -> Router {
    Router::new().route("/push/{partition}", post(push)).with_state(doors)
}

async fn push(
    State(doors): State<Arc<Doors>>,
    partition: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    // A path that is no text names no partition.
    let partition = partition.map(|Path(name)| name).unwrap_or_default();
    match take(&doors, &partition, &headers, body).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refused) => {
            doors.warn(&partition, &refused);
            refused.into_response()
        }
    }
}

async fn take(doors: &Doors, partition: &str, headers: &HeaderMap, body: Body) -> Result<(), Refused> {
    let inbox = doors.enter(partition, headers)?;
    let body = serve::whole(body, MOST_BYTES, DEADLINE).await?;
    inbox.receive(Utc::now(), &body).map_err(|error| Refused::NotUnderstood(error.to_string()))
}

/// What stands behind `Bearer`, whose letter case is free.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}
