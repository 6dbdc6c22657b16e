//! The arrows of the code map, read off the source.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules it may use. `cli` may use everything.
const ARROWS: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("catalog", &[]),
    ("snapshot", &["catalog", "time"]),
    ("schedule", &["time"]),
    ("names", &[]),
    ("nearest", &[]),
    ("config", &["catalog", "names", "nearest", "schedule"]),
    ("sources", &["catalog", "formats", "names", "snapshot", "time"]),
    ("formats", &["catalog", "snapshot", "time"]),
    ("history", &["catalog", "snapshot", "time"]),
    ("analysis", &["catalog", "history", "schedule", "snapshot", "time"]),
    ("report", &["analysis", "catalog", "snapshot", "time"]),
    ("run", &["analysis", "catalog", "history", "schedule", "snapshot", "sources", "time"]),
    ("publish", &["analysis", "catalog", "history", "run", "snapshot", "time"]),
    ("web", &["publish", "report", "run", "sources", "time"]),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file with its top-level module, tests left out.
fn files() -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let inside = path.strip_prefix(source()).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if inside.ends_with(".rs") && !inside.contains("tests") {
                let module = inside.split(['/', '.']).next().unwrap().to_owned();
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
                found.push((module, path, code));
            }
        }
    }
    found
}

/// Modules named after `crate::` in code, comments left out.
fn used(code: &str) -> BTreeSet<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    lines
        .flat_map(|line| line.split("crate::").skip(1).map(name))
        .filter(|name| !name.is_empty() && !name.starts_with('{'))
        .collect()
}

#[test]
fn modules_use_only_what_their_arrows_allow() {
    for (module, path, code) in files() {
        if ["lib", "main", "cli"].contains(&module.as_str()) {
            continue;
        }
        let allowed =
            ARROWS.iter().find(|(name, _)| *name == module).unwrap_or_else(|| panic!("module `{module}` has no arrows")).1;
        for name in used(&code) {
            assert!(
                name == module || allowed.contains(&name.as_str()),
                "{} uses `{name}`, which `{module}` may not",
                path.display()
            );
        }
        assert!(!code.contains("use crate::{"), "{}: one `use` per module, so that this test can read them", path.display());
    }
}

#[test]
fn sql_stands_only_in_the_history_and_the_server_only_in_web() {
    for (module, path, code) in files() {
        assert!(!code.contains("rusqlite") || module == "history", "{} speaks SQL", path.display());
        assert!(!code.contains("axum") || module == "web", "{} serves HTTP", path.display());
        assert!(!code.contains("tokio") || module == "cli", "{} knows the run-time", path.display());
    }
}

#[test]
fn only_the_command_line_prints_and_only_main_ends_the_process() {
    for (module, path, code) in files() {
        let prints = ["stdout()", "stderr()", "println!", "eprintln!"].iter().any(|word| code.contains(word));
        assert!(!prints || module == "cli" || module == "main", "{} prints", path.display());
        assert!(!code.contains("process::exit"), "{} ends the process", path.display());
    }
}

#[test]
fn formats_open_no_files_and_the_schedule_reads_no_clock() {
    for (module, path, code) in files() {
        assert!(module != "formats" || !(code.contains("File::") || code.contains("fs::")), "{} opens files", path.display());
        let clock = code.contains("Utc::now") || code.contains("Local::now") || code.contains("SystemTime");
        assert!(
            !["schedule", "catalog", "snapshot", "formats", "history", "analysis", "report", "config"].contains(&module.as_str())
                || !clock,
            "{} reads a clock",
            path.display()
        );
    }
}

#[test]
fn files_can_be_told_in_a_sentence() {
    for (module, path, code) in files() {
        assert!(module == "catalog" || code.lines().count() <= 400, "{} has {} lines", path.display(), code.lines().count());
        assert!(code.starts_with("//! "), "{} does not say what it is", path.display());
    }
}
