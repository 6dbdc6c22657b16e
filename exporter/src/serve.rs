//! The HTTP server: one listener, one router, and an end on request.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;

use crate::text;

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}; stop what listens there, or choose another with `--listen` or `listen` in [web]")]
pub struct ListenError {
    /// Where.
    pub address: SocketAddr,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// Why the body of a request was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It is, or says it is, longer than what is taken.
    #[error("the body is too long")]
    TooLong,
    /// It did not come in time.
    #[error("the body did not come in time")]
    TooSlow,
    /// It ended before its end.
    #[error("the body was cut off")]
    Cut,
}

/// Takes the address.
///
/// # Errors
/// Where it is in use, or not ours to take.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|source| ListenError { address, source })
}

/// Serves until `stop` is done; requests under way are finished.
///
/// # Errors
/// Where the listener fails as a whole; a single connection never ends it.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stop).await
}

/// Reads the whole body of a request: at most so many bytes, in at most so much time.
///
/// # Errors
/// Where it is longer, slower or not whole.
pub async fn whole(body: Body, most: usize, deadline: Duration) -> Result<Vec<u8>, BodyError> {
    tokio::time::timeout(deadline, read(body, most)).await.unwrap_or(Err(BodyError::TooSlow))
}

async fn read(mut body: Body, most: usize) -> Result<Vec<u8>, BodyError> {
    // What the length says, before the first byte is read.
    if body.size_hint().lower() > most as u64 {
        return Err(BodyError::TooLong);
    }
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(data) = frame.map_err(|_| BodyError::Cut)?.into_data() else { continue };
        if bytes.len() + data.len() > most {
            return Err(BodyError::TooLong);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// The answer to a scrape.
pub fn exposition(text: String) -> Response {
    ([(CONTENT_TYPE, text::CONTENT_TYPE)], text).into_response()
}
