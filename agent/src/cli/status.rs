//! `weekline status`: what the running service says of itself, and what the history's file says.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use super::{Common, print, print_json, say, setup};
use crate::history::History;
use crate::report::status::{self, HistoryStatus, Status};
use crate::sources::domino::tls;
use crate::time::rfc3339;

/// How long the service may take to answer.
const DEADLINE: Duration = Duration::from_secs(3);

/// Arguments of `weekline status`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where the service listens, over `listen` in [web]
    #[arg(long, value_name = "ADDR")]
    listen: Option<std::net::SocketAddr>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    let config = setup::config(common)?;
    let listen = args.listen.unwrap_or(config.listen);
    let mut status = ask(listen).unwrap_or_else(|error| {
        say(&error.to_string());
        Status::default()
    });
    let path = setup::history_path(common, &config)?;
    status.history = Some(match History::open(&path).and_then(|history| read(&history)) {
        Ok(history) => history,
        Err(error) => HistoryStatus {
            path: path.display().to_string(),
            error: Some(format!("{:#}", anyhow::Error::from(error))),
            ..HistoryStatus::default()
        },
    });
    if common.json {
        print_json(&status)?
    } else {
        print(&status::text(&status))?
    }
    Ok(ExitCode::SUCCESS)
}

/// What the service at an address says of itself; an error is one sentence with the next step.
pub(super) fn ask(listen: std::net::SocketAddr) -> anyhow::Result<Status> {
    answer(listen).map_err(|error| {
        anyhow::anyhow!("no agent answers at {listen}: {}; `weekline run` starts one, --listen asks another", error.root_cause())
    })
}

fn answer(listen: std::net::SocketAddr) -> anyhow::Result<Status> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The client wants to be told whom it trusts though it speaks plain HTTP.
        let trust = tls::trusting(rustls::RootCertStore::empty())?;
        let client = reqwest::Client::builder().tls_backend_preconfigured(trust).timeout(DEADLINE).no_proxy().build()?;
        let answer = client.get(format!("http://{listen}/-/status")).send().await?.error_for_status()?;
        serde_json::from_slice(&answer.bytes().await?).context("it does not answer as weekline does")
    })
}

fn read(history: &History) -> Result<HistoryStatus, crate::history::HistoryError> {
    let totals = history.totals()?;
    Ok(HistoryStatus {
        path: history.path().display().to_string(),
        bytes: totals.bytes,
        points: totals.points,
        snapshots: history.snapshots()?,
        first: totals.span.map(|(first, _)| rfc3339(first)),
        last: totals.span.map(|(_, last)| rfc3339(last)),
        error: None,
    })
}
