//! The text format, version 0.0.4, by the `prometheus` crate's data model and encoder.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{Encoder, TextEncoder};

use crate::{Family, Kind, Point};

/// The media type of what [`encode`] gives.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A family that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the exposition")]
pub struct EncodeError(#[source] prometheus::Error);

/// Appends families to `text`; those without points are left out.
///
/// # Errors
/// Where a name is not one the format allows.
pub fn encode(families: &[Family<'_>], text: &mut String) -> Result<(), EncodeError> {
    let families: Vec<MetricFamily> = families.iter().filter(|family| !family.points.is_empty()).map(family_of).collect();
    let mut bytes = std::mem::take(text).into_bytes();
    let done = TextEncoder::new().encode(&families, &mut bytes).map_err(EncodeError);
    // The encoder writes what it was given as text, and nothing else was put in before.
    *text = String::from_utf8(bytes).unwrap_or_default();
    done
}

fn family_of(family: &Family<'_>) -> MetricFamily {
    let mut out = MetricFamily::default();
    out.set_name(family.name.to_owned());
    out.set_help(family.help.to_owned());
    out.set_field_type(match family.kind {
        Kind::Counter => MetricType::COUNTER,
        Kind::Gauge => MetricType::GAUGE,
    });
    out.set_metric(family.points.iter().map(|point| metric_of(family, point)).collect());
    out
}

fn metric_of(family: &Family<'_>, point: &Point<'_>) -> Metric {
    let mut out = Metric::default();
    let pairs = family.labels.iter().zip(&point.labels).filter(|(_, value)| !value.is_empty());
    out.set_label(pairs.map(|(name, value)| pair_of(name, value)).collect());
    match family.kind {
        Kind::Counter => {
            let mut counter = Counter::default();
            counter.set_value(point.value);
            out.set_counter(counter);
        }
        Kind::Gauge => {
            let mut gauge = Gauge::default();
            gauge.set_value(point.value);
            out.set_gauge(gauge);
        }
    }
    out
}

fn pair_of(name: &str, value: &str) -> LabelPair {
    let mut pair = LabelPair::default();
    pair.set_name(name.to_owned());
    pair.set_value(value.to_owned());
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_written_as_the_format_says() {
        // Expected by hand from the format's description: HELP and TYPE once, values of labels escaped.
        let families = [
            Family {
                name: "host_cpu_seconds_total",
                help: "CPU time.",
                kind: Kind::Counter,
                labels: &["mode", "partition"],
                points: vec![
                    Point { labels: vec!["user", ""], value: 1.5 },
                    Point { labels: vec!["a\"b\\c\nd", "mail1"], value: 2e18 },
                ],
            },
            Family { name: "empty", help: "Nothing.", kind: Kind::Gauge, labels: &[], points: Vec::new() },
            Family {
                name: "up",
                help: "Up.",
                kind: Kind::Gauge,
                labels: &[],
                points: vec![Point { labels: Vec::new(), value: 1.0 }],
            },
        ];
        let mut text = String::new();
        encode(&families, &mut text).unwrap();
        let expected = concat!(
            "# HELP host_cpu_seconds_total CPU time.\n",
            "# TYPE host_cpu_seconds_total counter\n",
            "host_cpu_seconds_total{mode=\"user\"} 1.5\n",
            "host_cpu_seconds_total{mode=\"a\\\"b\\\\c\\nd\",partition=\"mail1\"} 2000000000000000000\n",
            "# HELP up Up.\n# TYPE up gauge\nup 1\n",
        );
        assert_eq!(text, expected);
    }
}
