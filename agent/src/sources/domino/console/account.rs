//! The user of a partition: who is to give its commands.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Uid, User, geteuid};

use super::refused;
use crate::sources::SourceError;

/// The user of a partition.
pub(super) struct Account {
    pub(super) uid: Uid,
    pub(super) gid: Gid,
    /// The name, or the number of one that has none.
    pub(super) name: String,
    pub(super) home: Option<PathBuf>,
}

impl Account {
    /// Who is to give the commands of a data directory; one that we can be.
    pub(super) fn of(data: &Path, user: Option<&str>) -> Result<Account, SourceError> {
        let next = "give the partition's `data` the directory in which its notes.ini lies".to_owned();
        let meta = match fs::metadata(data) {
            Ok(meta) if meta.is_dir() => meta,
            Ok(_) => return Err(refused(format!("`{}` is no directory", data.display()), next)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(refused(format!("the data directory `{}` does not exist", data.display()), next));
            }
            Err(error) => return Err(unreadable(data, error)),
        };
        let account = Account::find(user, &meta)?;
        let own = geteuid();
        if own.is_root() || own == account.uid {
            return Ok(account);
        }
        Err(refused(
            format!("commands of `{}` must be given by user {}, and the agent runs as another", data.display(), account.name),
            format!("run the agent as {} or use another source such as console_log", account.name),
        ))
    }

    fn find(name: Option<&str>, data: &fs::Metadata) -> Result<Account, SourceError> {
        let found = match name {
            Some(name) => User::from_name(name),
            None => User::from_uid(Uid::from_raw(data.uid())),
        };
        match (found, name) {
            (Ok(Some(user)), _) => Ok(Account { uid: user.uid, gid: user.gid, name: user.name, home: Some(user.dir) }),
            // In a container a number often has no name.
            (Ok(None), None) => Ok(Account {
                uid: Uid::from_raw(data.uid()),
                gid: Gid::from_raw(data.gid()),
                name: data.uid().to_string(),
                home: None,
            }),
            (Ok(None), Some(name)) => Err(refused(
                format!("there is no user `{name}`"),
                "name the user that the partition runs as, or none for the owner of its data directory".to_owned(),
            )),
            (Err(error), name) => Err(refused(
                format!("user `{}` cannot be looked up: {error}", name.map_or(data.uid().to_string(), str::to_owned)),
                "see whether the system's user directory answers: getent passwd".to_owned(),
            )),
        }
    }
}

/// Why a data directory cannot be looked into.
pub(super) fn unreadable(data: &Path, source: io::Error) -> SourceError {
    if source.kind() != io::ErrorKind::PermissionDenied {
        return SourceError::Read { path: data.to_path_buf(), source };
    }
    refused(
        format!("the data directory `{}` may not be read: {source}", data.display()),
        "run the agent as the partition's user and let that user read it, or use another source".to_owned(),
    )
}
