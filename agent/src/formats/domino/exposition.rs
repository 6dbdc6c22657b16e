//! Prometheus text: samples one by one, whoever wrote them.

/// One sample of an exposition.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name.
    pub name: String,
    /// Names and values of its labels, in their order.
    pub labels: Vec<(String, String)>,
    /// The number; may be NaN or infinite as written.
    pub value: f64,
    /// Milliseconds since 1970, where the line says so.
    pub at: Option<i64>,
}
