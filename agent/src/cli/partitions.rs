//! From the configuration to what is watched: the partitions, the doors of those that push, and their users.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::setup;
use crate::analysis::registered::Registered;
use crate::config::{self, Config, Partition};
use crate::formats::domino::stats::Named;
use crate::schedule::Schedule;
use crate::sources::domino::push::Inbox;
use crate::sources::domino::{self, url};
use crate::web::{Door, Doors, Token};

/// What comes of the partitions of a configuration.
pub(super) struct Prepared {
    /// What is watched.
    pub(super) partitions: Vec<domino::Settings>,
    /// Where servers push to.
    pub(super) doors: BTreeMap<String, Door>,
    /// How many users are registered, by partition.
    pub(super) registered: BTreeMap<String, Registered>,
}

/// What partitions must be told that does not stand in their blocks.
pub(super) struct About<'a> {
    /// This host's name.
    pub(super) host: &'a str,
    /// Where `/proc` lies.
    pub(super) root: &'a Path,
    /// The history, beside which the place in a log is remembered.
    pub(super) history: &'a Path,
    /// The schedule.
    pub(super) schedule: &'a Schedule,
}

/// Prepares the partitions; the inboxes of those that pushed before stay as they are.
pub(super) fn prepare(config: &Config, about: &About<'_>, before: &Doors) -> anyhow::Result<Prepared> {
    let mut all = Prepared { partitions: Vec::new(), doors: BTreeMap::new(), registered: BTreeMap::new() };
    let named = named(config);
    for partition in &config.partitions {
        let name = &partition.name;
        if partition.source == Some(config::Way::Push) {
            let inbox = before.inbox(name).unwrap_or_default();
            all.doors.insert(name.clone(), Door { token: token(config, partition)?, inbox });
        }
        if let Some(registered) = setup::registered(partition)? {
            all.registered.insert(name.clone(), registered);
        }
        all.partitions.push(domino::Settings {
            name: name.clone(),
            host: partition.host.clone().unwrap_or_else(|| about.host.to_owned()),
            every: partition.every.unwrap_or_else(|| about.schedule.interval()),
            way: way(partition, about, all.doors.get(name).map(|door| door.inbox.clone()))?,
            data: partition
                .data
                .as_deref()
                .filter(|_| partition.host.as_deref().is_none_or(|host| host == about.host))
                .map(whole),
            named: named.clone(),
            fields: partition.fields.iter().map(field).collect(),
            root: about.root.to_owned(),
            registered: partition.registered_users.as_ref().and_then(counted),
        });
    }
    Ok(all)
}

/// Where the users are counted, if that is so.
fn counted(users: &config::Registered) -> Option<url::Settings> {
    let config::Registered::Url(users) = users else { return None };
    Some(url::Settings {
        url: users.url.clone(),
        token_file: users.token_file.clone(),
        basic_auth_file: users.basic_auth_file.clone(),
        timeout: users.timeout,
        ca_file: users.ca_file.clone(),
    })
}

/// The statistics that the configuration names.
pub(super) fn named(config: &Config) -> Vec<Named> {
    let named = config.named.iter();
    named.map(|named| Named { statistic: named.statistic.clone(), counter: named.counter }).collect()
}

fn field(field: &config::Field) -> domino::Field {
    let (name, with) = (field.from.name.clone(), field.from.labels.clone());
    domino::Field { metric: field.metric, labels: field.labels.clone(), name, with }
}

fn token(config: &Config, partition: &Partition) -> anyhow::Result<Token> {
    let path = partition.token_file.as_ref().or(config.push_token_file.as_ref());
    let path = path.with_context(|| format!("the partition `{}` has no token; set `token_file`", partition.name))?;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the token `{}`", path.display()))?;
    Ok(Token::new(&text))
}

fn way(partition: &Partition, about: &About<'_>, inbox: Option<Arc<Inbox>>) -> anyhow::Result<Option<domino::Way>> {
    let missing = |what: &str| format!("the partition `{}` has no `{what}`", partition.name);
    let path = || partition.path.clone().with_context(|| missing("path"));
    let Some(way) = partition.source else { return Ok(None) };
    Ok(Some(match way {
        config::Way::Console => domino::Way::Console {
            program: partition.program.as_deref().map(whole).with_context(|| missing("program"))?,
            data: partition.data.as_deref().map(whole).with_context(|| missing("data"))?,
            user: partition.user.clone(),
            deadline: partition.timeout,
        },
        config::Way::File => domino::Way::File(path()?),
        config::Way::ConsoleLog => domino::Way::ConsoleLog {
            path: path()?,
            state: Some(place_in_log(about.history, &partition.name)),
            zone: Some(partition.zone.unwrap_or_else(|| about.schedule.zone())),
        },
        config::Way::Push => domino::Way::Push(inbox.with_context(|| missing("token_file"))?),
        config::Way::PromFile => domino::Way::PromFile(path()?),
        config::Way::Url => domino::Way::Url(url::Settings {
            url: partition.url.clone().with_context(|| missing("url"))?,
            token_file: partition.token_file.clone(),
            basic_auth_file: partition.basic_auth_file.clone(),
            timeout: partition.timeout,
            ca_file: partition.ca_file.clone(),
        }),
    }))
}

/// The file that remembers how far a log was read.
fn place_in_log(history: &Path, partition: &str) -> PathBuf {
    let mut name = history.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{partition}.log"));
    history.with_file_name(name)
}

/// The whole path: it is compared with those of processes, and used from another directory.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
