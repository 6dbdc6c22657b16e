//! What the keys of a `[[partition]]` say together: which need each other, and which say nothing beside the others.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::Problem;
use super::entry::Entry;
use super::fields::fields;
use super::partition::{Kind, Partition, Way, checked, is_https};
use super::users::Registered;

/// The list's name in the file.
pub(super) const LIST: &str = "partition";

/// What a way in cannot do without, and what else goes with it.
const fn keys(way: Way) -> (&'static [&'static str], &'static [&'static str]) {
    match way {
        Way::Console => (&["program", "data"], &["user", "timeout"]),
        Way::File | Way::PromFile => (&["path"], &["every"]),
        Way::ConsoleLog => (&["path"], &["every", "zone"]),
        Way::Push => (&[], &["token_file", "every"]),
        Way::Url => (&["url"], &["token_file", "basic_auth_file", "ca_file", "every", "timeout"]),
    }
}

/// What the keys that a way needs look like.
const EXAMPLES: &[(&str, &str)] = &[
    ("program", "/opt/hcl/domino/bin/server"),
    ("data", "/local/notesdata"),
    ("path", "/var/lib/domino/mail1.txt"),
    ("url", "https://mail1.example.com:9100/metrics"),
];

/// Every entry; what is wrong with one, or between two, becomes problems.
///
/// `shared_token`: whether a token for all partitions is named elsewhere.
pub(super) fn partitions(
    text: &str,
    tables: &[(usize, &DeTable<'_>)],
    shared_token: bool,
    problems: &mut Vec<Problem>,
) -> Vec<Partition> {
    let mut all = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for &table in tables {
        let entry = Entry::read(text, LIST, table, |table| checked(table).map(drop), problems);
        let Ok(mut partition) = checked(entry.settings.clone()) else { continue };
        if let Some(DeValue::Table(lines)) = table.1.get("fields").map(|fields| fields.get_ref()) {
            partition.fields = fields(text, lines, problems);
        }
        problems.extend(entry.without("name", "give it the name its series are to have, like \"mail1\""));
        if entry.right("name") {
            let line = *lines.entry(partition.name.clone()).or_insert(entry.line("name"));
            if line != entry.line("name") {
                let what = format!("`{}` is the name of the partition in line {line} already, choose another", partition.name);
                problems.push(entry.problem("name", &what));
            }
        }
        if !entry.refused("source") {
            problems.extend(way(&entry, partition.source, shared_token));
        }
        problems.extend(kind(&entry, &partition));
        problems.extend(url(&entry, &partition));
        problems.extend(users(&entry, &partition));
        all.push(partition);
    }
    all
}

fn way(entry: &Entry, way: Option<Way>, shared_token: bool) -> Vec<Problem> {
    let (needed, more) = way.map_or((&[][..], &[][..]), keys);
    let with = way.map_or("without `source`".to_owned(), |way| format!("with source = \"{}\"", way.name()));
    let missing = EXAMPLES.iter().filter(|(key, _)| needed.contains(key) && !entry.says(key)).map(|(key, example)| {
        let name = way.map_or("", Way::name);
        entry.problem("source", &format!("\"{name}\" needs `{key}`, like {key} = \"{example}\""))
    });
    let vain = of_some_way().into_iter().filter(|key| entry.says(key) && !needed.contains(key) && !more.contains(key));
    let vain = vain.map(|key| entry.problem(key, &format!("has no effect {with}, take it out")));
    let token = (way == Some(Way::Push) && !shared_token && !entry.says("token_file")).then(|| {
        entry.problem("source", "\"push\" needs a token, name a file with one as `token_file` here or `push_token_file` in [web]")
    });
    let nothing =
        if way.is_none() { entry.without("data", "name `source` or at least `data`, else nothing can be read") } else { None };
    missing.chain(vain).chain(token).chain(nothing).collect()
}

/// The keys that go with some ways and not with others. The data folder is of use with all.
fn of_some_way() -> Vec<&'static str> {
    let mut all: Vec<&str> = Way::ALL.into_iter().map(keys).flat_map(|(needed, more)| [needed, more].concat()).collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|key| *key != "data");
    all
}

fn kind(entry: &Entry, partition: &Partition) -> Vec<Problem> {
    let by_text = matches!(partition.source, Some(Way::PromFile | Way::Url)) || entry.refused("source");
    let mut problems = Vec::new();
    match partition.kind {
        _ if entry.refused("kind") => {}
        Kind::Domino if entry.says("fields") => {
            problems
                .push(entry.problem("fields", "has no effect with kind = \"domino\", whose statistics are known, take it out"));
        }
        Kind::Domino => {}
        Kind::Prometheus => {
            if !by_text {
                problems.push(entry.problem("kind", "\"prometheus\" needs source = \"url\" or source = \"prom_file\""));
            }
            if !entry.says("fields") {
                let next = "\"prometheus\" needs a table [partition.fields], which says what stands for what";
                problems.push(entry.problem("kind", next));
            }
        }
    }
    problems
}

fn users(entry: &Entry, partition: &Partition) -> Vec<Problem> {
    let mut problems = Vec::new();
    let fields = partition.fields.iter().any(|field| field.metric.name == "domino_registered_users");
    if fields && entry.says("registered_users") {
        problems.push(entry.problem("registered_users", "stands in [partition.fields] too, take one of them out"));
    }
    // What is counted is kept beside what the server says of itself.
    let counted = matches!(partition.registered_users, Some(Registered::Url(_)));
    if counted && partition.source.is_none() && !entry.refused("source") {
        let what = "is a URL, which has no effect without `source`, write a number or { file = \"users.csv\" }";
        problems.push(entry.problem("registered_users", what));
    }
    problems
}

fn url(entry: &Entry, partition: &Partition) -> Vec<Problem> {
    let mut problems = Vec::new();
    if partition.source != Some(Way::Url) {
        return problems;
    }
    if entry.says("token_file") && entry.says("basic_auth_file") {
        problems.push(entry.problem("basic_auth_file", "cannot be sent together with `token_file`, take one of them out"));
    }
    let https = partition.url.as_ref().is_none_or(|url| is_https(url));
    if entry.says("ca_file") && !https {
        problems.push(entry.problem("ca_file", "has no effect with a URL of http, take it out or fetch by https"));
    }
    problems
}
