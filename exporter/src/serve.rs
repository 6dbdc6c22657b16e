//! The HTTP server: one listener, one router, and an end on request.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use axum::Router;
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

/// The answer to a scrape.
pub fn exposition(text: String) -> Response {
    ([(CONTENT_TYPE, text::CONTENT_TYPE)], text).into_response()
}
