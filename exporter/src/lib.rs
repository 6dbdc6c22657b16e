//! The Prometheus side of Weekline: families of points in, expositions out, and the server that hands them over.
//!
//! A leaf: it knows how a metric is written on the wire and nothing about what is measured.
//! Refused: a global registry, metadata guessed from a name, timestamps on scraped samples.

pub mod serve;
pub mod text;

/// One metric with all its points of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Family<'a> {
    /// The metric's name.
    pub name: &'a str,
    /// One sentence about it.
    pub help: &'a str,
    /// Whether it only grows.
    pub kind: Kind,
    /// Names of the labels every point has.
    pub labels: &'a [&'a str],
    /// The points.
    pub points: Vec<Point<'a>>,
}

/// How a metric behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Grows until its owner restarts.
    Counter,
    /// Moves freely.
    Gauge,
}

/// One number of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct Point<'a> {
    /// Values of [`Family::labels`], in that order; an empty value is a label that is not there.
    pub labels: Vec<&'a str>,
    /// The number.
    pub value: f64,
}
