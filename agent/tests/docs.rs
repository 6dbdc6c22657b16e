//! `docs/metrics.md` is the catalog for people without the program; `UPDATE_DOCS=1 cargo test --test docs` writes it anew.

use std::fmt::Write;
use std::path::Path;

use weekline::catalog::{self, Derive, Metric};

const HEAD: &str = "# Metrics\n
Every quantity Weekline knows, as `weekline metrics` lists them. The same names stand in the history, on `/metrics` and on the
command line. *Better* is the direction a comparison calls an improvement; rows without one are context.
Rows that follow from others are computed when they are asked for, and are exported as gauges over the last interval.\n
| name | kind | unit | better | found | follows from | what it is |
|---|---|---|---|---|---|---|
";

fn table() -> String {
    catalog::metrics().fold(HEAD.to_owned(), |mut text, metric| {
        let _ = writeln!(text, "{}", row(metric));
        text
    })
}

fn row(metric: &Metric) -> String {
    let labels = if metric.labels.is_empty() { String::new() } else { format!("{{{}}}", metric.labels.join(",")) };
    let found: Vec<String> = metric.found.iter().map(|found| format!("`{found}`")).collect();
    let follows: Vec<String> = metric.derive.iter().flat_map(Derive::reads).map(|name| format!("`{name}`")).collect();
    let Metric { name, kind, unit, better, help, .. } = metric;
    format!("| `{name}{labels}` | {kind} | {unit} | {better} | {} | {} | {help} |", found.join(" "), follows.join(" "))
}

#[test]
fn the_table_of_metrics_is_the_catalog() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, table()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), table(), "write it anew with UPDATE_DOCS=1");
}
