//! `docs/metrics.md` is the catalog for people without the program; `UPDATE_DOCS=1 cargo test --test docs` writes it anew.
//! What README and `docs/domino.md` show is what the program takes, ships and says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use weekline::catalog::{self, Derive, Metric};
use weekline::config::{Config, Way};

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

/// A place in the project.
fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(place(path)).unwrap()
}

/// What stands between the lines "```KIND" and "```".
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let begins = format!("\n```{kind}\n");
    text.split(&begins).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The first cells of a table's lines, below a head.
fn first_cells<'a>(text: &'a str, head: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(2).take_while(|line| line.starts_with('|'));
    lines.map(|line| line.split('|').nth(1).unwrap().trim()).collect()
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_configuration_shown_is_taken() {
    let mut ways = Vec::new();
    for block in blocks(&read("docs/domino.md"), "toml") {
        let config = Config::parse(&block).unwrap_or_else(|problems| panic!("{block}\n{problems:?}"));
        ways.extend(config.partitions.iter().filter_map(|partition| partition.source));
    }
    assert!(Way::ALL.iter().all(|way| ways.contains(way)), "{ways:?}");
    // The example that is shipped, without the `#` before its settings.
    let shipped = read("packaging/weekline.toml");
    let settings = shipped.lines().map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line));
    let problems = Config::parse(&settings.fold(String::new(), |text, line| text + line + "\n")).err().unwrap_or_default();
    assert!(Config::parse(&shipped).is_ok() && problems.is_empty(), "{problems:?}");
}

#[test]
fn every_drop_in_shown_is_the_one_that_is_shipped_and_checked() {
    let mut shown = blocks(&read("docs/domino.md"), "ini");
    let files = fs::read_dir(place("systemd/examples")).unwrap();
    let mut shipped: Vec<String> = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    shown.sort();
    shipped.sort();
    assert_eq!(shown, shipped);
}

#[test]
fn every_message_explained_is_one_the_program_says() {
    let mut code = String::new();
    let mut folders = vec![place("agent/src/sources/domino"), place("agent/src/run")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { code += &fs::read_to_string(path).unwrap() }
        }
    }
    // The system's own words stand in no source.
    let of_the_system = ["Read-only file system", "Operation not permitted"];
    let document = read("docs/domino.md");
    let messages = first_cells(&document, "| message |");
    assert!(messages.len() >= 20, "{messages:?}");
    for part in messages.into_iter().flat_map(quoted).flat_map(|message| message.split('…')).map(str::trim) {
        assert!(part.is_empty() || of_the_system.contains(&part) || code.contains(part), "nobody says `{part}`");
    }
}

#[test]
fn every_claim_names_what_is_there_to_show_it() {
    let readme = read("README.md");
    let table = readme.lines().skip_while(|line| !line.starts_with("| claim |")).skip(2).take_while(|line| line.starts_with('|'));
    let shown: Vec<&str> = table.map(|line| line.split('|').nth(2).unwrap()).collect();
    assert!(shown.len() >= 14, "{shown:?}");
    for cell in shown {
        assert!(quoted(cell).count() > 0, "nothing shows it: {cell}");
        for path in quoted(cell) {
            assert!(place(path).exists(), "{path} is not there");
        }
    }
}
