//! From the configuration to what is watched: the partitions, the doors of those that push, and their users.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::setup;
use crate::analysis::registered::Registered;
use crate::config::{self, Config, Partition};
use crate::formats::domino::stats::Named;
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

/// Prepares the partitions; the inboxes of those that pushed before stay as they are.
pub(super) fn prepare(config: &Config, host: &str, root: &Path, before: &Doors) -> anyhow::Result<Prepared> {
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
            host: partition.host.clone().unwrap_or_else(|| host.to_owned()),
            every: partition.every.unwrap_or(config.schedule.interval),
            way: way(partition, all.doors.get(name).map(|door| door.inbox.clone()))?,
            data: partition.data.clone().filter(|_| partition.host.is_none()),
            named: named.clone(),
            fields: partition.fields.iter().map(field).collect(),
            root: root.to_owned(),
        });
    }
    Ok(all)
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

fn way(partition: &Partition, inbox: Option<Arc<Inbox>>) -> anyhow::Result<Option<domino::Way>> {
    let missing = |what: &str| format!("the partition `{}` has no `{what}`", partition.name);
    let path = || partition.path.clone().with_context(|| missing("path"));
    let Some(way) = partition.source else { return Ok(None) };
    Ok(Some(match way {
        config::Way::Console => domino::Way::Console {
            program: partition.program.clone().with_context(|| missing("program"))?,
            data: partition.data.clone().with_context(|| missing("data"))?,
            user: partition.user.clone(),
            deadline: partition.timeout,
        },
        config::Way::File => domino::Way::File(path()?),
        config::Way::ConsoleLog => anyhow::bail!("console_log"),
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
