//! Rows of the agent about itself.

use super::Better::Lower;
use super::{Metric, Place, Unit, at, counter, gauge};

const SOURCE: &[&str] = &["source", "partition"];

pub(super) const AGENT: &[Metric] = &[
    gauge("weekline_build_info", Unit::Info, "Version of this agent.").labels(&["version"]).found(&[at(Place::Agent, "build")]),
    gauge("weekline_business_open", Unit::Count, "Whether the schedule is open: 1 in business hours, else 0.")
        .found(&[at(Place::Agent, "open")]),
    gauge("weekline_business_closed_info", Unit::Info, "Why the schedule is closed; absent while it is open.")
        .labels(&["why"])
        .found(&[at(Place::Agent, "closed")]),
    gauge("weekline_next_open_timestamp_seconds", Unit::Timestamp, "When the schedule opens next.")
        .found(&[at(Place::Agent, "next_open")]),
    gauge("weekline_source_up", Unit::Count, "Whether a source was read: 1, or 0 with the reason in `weekline status`.")
        .labels(SOURCE)
        .found(&[at(Place::Agent, "source_up")]),
    gauge("weekline_source_duration_seconds", Unit::Seconds, "Time the last reading of a source took.")
        .labels(SOURCE)
        .better(Lower)
        .found(&[at(Place::Agent, "source_duration")]),
    gauge("weekline_source_age_seconds", Unit::Seconds, "Time since a source was last read without fault.")
        .labels(SOURCE)
        .better(Lower)
        .found(&[at(Place::Agent, "source_age")]),
    counter(
        "weekline_source_refused_total",
        Unit::Count,
        "Readings of a source that were not kept because they may not have been whole.",
    )
    .labels(SOURCE)
    .better(Lower)
    .found(&[at(Place::Agent, "source_refused")]),
    gauge("weekline_sample_duration_seconds", Unit::Seconds, "Time the last sample took, all sources and the history together.")
        .better(Lower)
        .found(&[at(Place::Agent, "sample_duration")]),
    counter(
        "weekline_sample_cpu_seconds_total",
        Unit::Seconds,
        "CPU time spent on samples, all sources and the history together.",
    )
    .better(Lower)
    .found(&[at(Place::Agent, "sample_cpu")]),
    counter("weekline_cpu_seconds_total", Unit::Seconds, "CPU time of the whole agent.")
        .better(Lower)
        .found(&[at(Place::Agent, "cpu")]),
    gauge("weekline_memory_resident_bytes", Unit::Bytes, "Memory of the agent now.")
        .better(Lower)
        .found(&[at(Place::Agent, "rss")]),
    gauge("weekline_memory_resident_peak_bytes", Unit::Bytes, "Most memory the agent ever had.")
        .better(Lower)
        .found(&[at(Place::Agent, "rss_peak")]),
    counter(
        "weekline_ticks_total",
        Unit::Count,
        "Ticks of the schedule by outcome: on time, late (over a tenth of the interval), or skipped.",
    )
    .labels(&["outcome"])
    .found(&[
        at(Place::Agent, "ticks_on_time").labelled(&["on_time"]),
        at(Place::Agent, "ticks_late").labelled(&["late"]),
        at(Place::Agent, "ticks_skipped").labelled(&["skipped"]),
    ]),
    counter(
        "weekline_counter_falls_total",
        Unit::Count,
        "Readings of counters that were lower than before; each leaves a gap in what follows from it.",
    )
    .labels(&["metric"])
    .found(&[at(Place::Agent, "falls")]),
    counter("weekline_clock_jumps_total", Unit::Count, "Times the clock was stepped or the machine suspended.")
        .found(&[at(Place::Agent, "clock_jumps")]),
    gauge("weekline_unknown_fields", Unit::Count, "Fields in the last sample that no row of the catalog claims.")
        .better(Lower)
        .found(&[at(Place::Agent, "unknown")]),
    gauge("weekline_history_bytes", Unit::Bytes, "Size of the history on disk.").found(&[at(Place::Agent, "history_bytes")]),
    gauge("weekline_history_points", Unit::Count, "Points in the history.").found(&[at(Place::Agent, "history_points")]),
    counter("weekline_points_lost_total", Unit::Count, "Points that were read and could not be kept, by reason.")
        .labels(&["why"])
        .found(&[at(Place::Agent, "lost")]),
    gauge(
        "weekline_config_reload_success",
        Unit::Count,
        "Whether the last reload of the configuration was taken: 1, or 0 where the old one stays.",
    )
    .found(&[at(Place::Agent, "reload_success")]),
    gauge("weekline_config_reload_timestamp_seconds", Unit::Timestamp, "When the configuration was last taken.")
        .found(&[at(Place::Agent, "reload_at")]),
];
