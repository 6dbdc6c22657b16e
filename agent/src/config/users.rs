//! How many users are registered: a figure, or a file with figures and the days from which they hold.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

/// Where the number of registered users comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// This many, on every day.
    Figure(u64),
    /// A file with columns date, partition and registered.
    File(PathBuf),
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
        let like = "write a number, or { file = \"users.csv\" }";
        match self {
            UsersShape::Figure(0) => Ok(None),
            UsersShape::Figure(users) => match u64::try_from(users) {
                Ok(users) => Ok(Some(Registered::Figure(users))),
                Err(_) => Err(format!("{users} is no number of users, {like}")),
            },
            UsersShape::Table(table) => match table.as_slice() {
                [(key, file)] if key == "file" && !file.is_empty() => Ok(Some(Registered::File(file.into()))),
                _ => Err(format!("names no file and nothing else, {like}")),
            },
        }
    }
}

impl<'de> Deserialize<'de> for UsersShape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<UsersShape, D::Error> {
        struct Users;
        impl<'de> Visitor<'de> for Users {
            type Value = UsersShape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of users like 2120, or { file = \"users.csv\" }")
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
