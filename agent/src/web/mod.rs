//! The routes. A request reads what the sampler shared, or leaves what a server pushed; none of them reads a source or the history.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use chrono::Utc;
use weekline_exporter::serve;

use crate::publish;
use crate::report::status::{
    ConfigStatus, OverheadStatus, PartitionStatus, ScheduleStatus, SourceStatus, Status as Report, UnknownField,
};
use crate::report::{self, escape};
use crate::run::{KnownPartition, Overhead, Shared, Status};
use crate::time::{Timestamp, rfc3339};

mod push;

pub use push::{Door, Doors, Token};

/// Nothing on a page may come from elsewhere or run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What is served. Every route answers GET and HEAD, the doors of partitions that push answer POST;
/// any other method is answered with 405.
pub fn router(shared: Arc<Shared>, doors: Arc<Doors>) -> Router {
    Router::new()
        .route("/", get(start_page))
        .route("/metrics", get(metrics))
        .route("/-/healthy", get(|| async { "healthy\n" }))
        .route("/-/ready", get(|| async { "ready\n" }))
        .route("/-/status", get(status))
        .with_state(shared)
        .merge(push::router(doors))
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    match exposition(&shared) {
        Ok(text) => serve::exposition(text),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

fn exposition(shared: &Shared) -> Result<String, weekline_exporter::text::EncodeError> {
    let board = shared.latest();
    let mut text = match board.text.get() {
        Some(text) => text.clone(),
        None => {
            let text = publish::sample(&board)?;
            board.text.get_or_init(|| text).clone()
        }
    };
    text.push_str(&publish::own(&shared.status(), &Overhead::read(), Utc::now())?);
    Ok(text)
}

async fn status(State(shared): State<Arc<Shared>>) -> Response {
    let report = report_of(&shared, Utc::now());
    match serde_json::to_string(&report) {
        Ok(json) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

fn partition(known: &KnownPartition) -> PartitionStatus {
    PartitionStatus {
        name: known.name.clone(),
        data: known.data.as_ref().map(|data| data.display().to_string()),
        release: known.release.clone(),
        source: known.source.map(str::to_owned),
    }
}

/// The service's part of `weekline status`; the history's part is read from the file by whoever asks.
fn report_of(shared: &Shared, now: Timestamp) -> Report {
    let status = shared.status();
    let (schedule, cost) = (&status.schedule, Overhead::read());
    let local = |at: Timestamp| rfc3339(at.with_timezone(&schedule.zone()));
    let source = |health: &crate::sources::Health| SourceStatus {
        name: health.name.to_owned(),
        partition: health.partition.clone(),
        up: health.error.is_none(),
        age_seconds: health.good.map(|good| (now - good).as_seconds_f64()),
        error: health.error.clone(),
    };
    Report {
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        started: Some(rfc3339(status.started)),
        schedule: Some(ScheduleStatus {
            open: schedule.is_open(now),
            why_closed: schedule.why_closed(now).map(|why| why.to_string()),
            zone: schedule.zone().name().to_owned(),
            next_open: schedule.next_open(now).map(local),
            next_close: schedule.next_close(now).map(local),
        }),
        sources: status.sources.values().flatten().map(source).collect(),
        overhead: Some(OverheadStatus {
            cpu_seconds: cost.cpu_seconds,
            rss_bytes: cost.rss_bytes,
            rss_peak_bytes: cost.rss_peak_bytes,
            ticks_on_time: status.ticks.on_time,
            ticks_late: status.ticks.late,
            ticks_skipped: status.ticks.skipped,
        }),
        config: Some(ConfigStatus { loaded: rfc3339(status.reload.at), error: status.reload.error.clone() }),
        points_lost: status.lost.iter().map(|(why, points)| ((*why).to_owned(), *points)).collect(),
        unknown: unknown(&status),
        partitions: status.partitions.iter().map(partition).collect(),
        ..Report::default()
    }
}

/// What the newest sample offered and no row claims.
fn unknown(status: &Status) -> Vec<UnknownField> {
    let all = status.unknown.iter().flat_map(|(stream, fields)| fields.iter().map(move |field| (stream, field)));
    all.map(|(stream, (place, field))| UnknownField {
        partition: crate::run::partition_of(stream).to_owned(),
        place: place.to_string(),
        field: field.clone(),
    })
    .collect()
}

async fn start_page(State(shared): State<Arc<Shared>>) -> Response {
    let status = report::status::text(&report_of(&shared, Utc::now()));
    ([(CONTENT_SECURITY_POLICY, POLICY)], Html(page(&status))).into_response()
}

fn page(status: &str) -> String {
    format!(
        "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Weekline</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
pre {{ overflow-x: auto; }}
</style>
</head>
<body>
<h1>Weekline</h1>
<p>Samples this server in business hours and keeps its weeks.</p>
<pre>{}</pre>
<ul>
<li><a href=\"/metrics\">/metrics</a>: for Prometheus</li>
<li><a href=\"/-/status\">/-/status</a>: the lines above as JSON</li>
<li><a href=\"/-/healthy\">/-/healthy</a> and <a href=\"/-/ready\">/-/ready</a>: for probes</li>
</ul>
<p>The weeks as lines: <code>weekline weeks</code>. Old recordings into them: <code>weekline import FILE</code>.</p>
</body>
</html>
",
        escape_lines(status)
    )
}

/// Escaped line by line, because [`escape`] drops line ends with all other control characters.
fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
