//! How many users are registered: a figure, a file with figures and the days from which they hold, or an address that counts.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::partition;
use crate::nearest::nearest;

/// Every form of the setting.
const LIKE: &str = "write a number, { file = \"users.csv\" } or { url = \"https://…\" }";
/// What an address looks like.
const ADDRESS: &str = "https://mail1.example.com/names.nsf/MailUsers?ReadViewEntries&Count=1";
/// What may stand beside an address.
const BESIDE: [&str; 4] = ["token_file", "basic_auth_file", "ca_file", "timeout"];
/// How long an address may take if nobody says: an index that nobody opened today is brought up to date first.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where the number of registered users comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// This many, on every day.
    Figure(u64),
    /// A file with columns date, partition and registered.
    File(PathBuf),
    /// An address that is asked once a day.
    Url(UsersUrl),
}

/// An address that answers with the number of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsersUrl {
    /// What is fetched, by http or https.
    pub url: String,
    /// A file with the token that is sent.
    pub token_file: Option<PathBuf>,
    /// A file with `user:password`.
    pub basic_auth_file: Option<PathBuf>,
    /// A file of certificates that vouch for the server beside the system's own.
    pub ca_file: Option<PathBuf>,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

impl Registered {
    /// Every path it names.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let paths = match self {
            Registered::Figure(_) => [None, None, None],
            Registered::File(path) => [Some(path), None, None],
            Registered::Url(url) => [url.token_file.as_mut(), url.basic_auth_file.as_mut(), url.ca_file.as_mut()],
        };
        paths.into_iter().flatten()
    }
}

/// The setting as it is written.
pub(super) enum UsersShape {
    Figure(i64),
    /// A table, key by key.
    Table(Vec<(String, String)>),
}

impl UsersShape {
    /// What it says; none where it is not known.
    pub(super) fn checked(self) -> Result<Option<Registered>, String> {
        match self {
            UsersShape::Figure(0) => Ok(None),
            UsersShape::Figure(users) => match u64::try_from(users) {
                Ok(users) => Ok(Some(Registered::Figure(users))),
                Err(_) => Err(format!("{users} is no number of users, {LIKE}")),
            },
            UsersShape::Table(table) => from_table(&table).map(Some),
        }
    }
}

fn from_table(table: &[(String, String)]) -> Result<Registered, String> {
    let said = |key: &str| table.iter().find(|(name, value)| name == key && !value.is_empty()).map(|(_, value)| value.as_str());
    match (said("file"), said("url")) {
        (None, None) => Err(format!("names neither a file nor a URL, {LIKE}")),
        (Some(_), Some(_)) => Err("names both a file and a URL, take one of them out".to_owned()),
        (Some(file), None) => match table.iter().find(|(key, _)| key != "file" && key != "url") {
            Some((key, _)) => Err(format!("`{key}` has no effect with a file, take it out")),
            None => Ok(Registered::File(file.into())),
        },
        (None, Some(url)) => {
            if let Some((key, _)) = table.iter().find(|(key, _)| key != "file" && key != "url" && !BESIDE.contains(&&**key)) {
                return Err(match nearest(key, BESIDE) {
                    Some(near) => format!("unknown setting `{key}` with a URL, did you mean `{near}`?"),
                    None => format!("unknown setting `{key}` with a URL, there are {}", BESIDE.join(", ")),
                });
            }
            counted(url, said).map(Registered::Url)
        }
    }
}

/// An address with what stands beside it.
fn counted<'a>(url: &str, said: impl Fn(&str) -> Option<&'a str>) -> Result<UsersUrl, String> {
    let path = |key: &str| said(key).map(PathBuf::from);
    let counted = UsersUrl {
        url: partition::url(url.to_owned(), ADDRESS).map_err(|what| format!("`url` {what}"))?,
        token_file: path("token_file"),
        basic_auth_file: path("basic_auth_file"),
        ca_file: path("ca_file"),
        timeout: said("timeout").map_or(Ok(TIMEOUT), partition::timeout).map_err(|what| format!("`timeout`: {what}"))?,
    };
    if counted.token_file.is_some() && counted.basic_auth_file.is_some() {
        return Err("`basic_auth_file` cannot be sent together with `token_file`, take one of them out".to_owned());
    }
    if counted.ca_file.is_some() && !partition::is_https(url) {
        return Err("`ca_file` has no effect with a URL of http, take it out or fetch by https".to_owned());
    }
    Ok(counted)
}

impl<'de> Deserialize<'de> for UsersShape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<UsersShape, D::Error> {
        struct Users;
        impl<'de> Visitor<'de> for Users {
            type Value = UsersShape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of users like 2120, { file = \"users.csv\" } or { url = \"https://…\" }")
            }

            fn visit_i64<E>(self, users: i64) -> Result<UsersShape, E> {
                Ok(UsersShape::Figure(users))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UsersShape, A::Error> {
                let mut table = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    table.push(entry);
                }
                Ok(UsersShape::Table(table))
            }
        }
        deserializer.deserialize_any(Users)
    }
}
