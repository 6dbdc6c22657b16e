//! Files that others put in our way: regular ones only, never waited for, never read without an end.
//!
//! The agent may read what whoever made a link may not, so that a link is followed only where its maker owns the file at its
//! end, or is root or the agent's own user. Each link is looked at and read as one thing: nobody can change it in between.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, readlinkat};
use nix::unistd::{Uid, User};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// As many links one behind the other as the kernel follows.
const LINKS: usize = 40;

/// Why a file is not read.
#[derive(Debug, Error)]
pub(super) enum Unread {
    /// The system refused.
    #[error("cannot be read")]
    System(#[from] io::Error),
    /// It is a folder.
    #[error("is a folder")]
    Folder,
    /// It is a device, a pipe or the like.
    #[error("is no regular file")]
    Odd,
    /// A link of somebody to a file of somebody else.
    #[error("is a link made by the user `{}` to a file of the user `{}`", user(*.maker), user(*.owner))]
    Lent {
        /// Who made the link.
        maker: u32,
        /// Whose file it leads to.
        owner: u32,
    },
    /// It has more bytes than it may.
    #[error("is larger than {} MiB", *.0 as f64 / f64::from(1 << 20))]
    Large(usize),
}

/// Opens a regular file without waiting for anybody.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), Unread> {
    let (end, makers) = followed(path)?;
    // A FIFO without a writer would keep an ordinary open for ever.
    let file = opened(&end, OFlag::O_NONBLOCK)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Unread::Folder);
    }
    if !metadata.is_file() {
        return Err(Unread::Odd);
    }
    let (own, owner) = (Uid::effective().as_raw(), metadata.uid());
    match makers.into_iter().find(|maker| !may_lead(*maker, owner, own)) {
        Some(maker) => Err(Unread::Lent { maker, owner }),
        None => Ok((file, metadata)),
    }
}

/// The bytes of a file that has no more than so many.
pub(super) fn bytes(file: &File, most: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(Unread::Large(most)) } else { Ok(bytes) }
}

/// All of a file of no more than so many bytes; what stands in a data directory is the server's own.
pub(super) fn regular(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let read = open(path).and_then(|(file, _)| bytes(&file, most));
    read.map_err(|error| match error {
        Unread::System(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidInput, format!("it {other}")),
    })
}

/// A user's name, or the number of one without a name.
pub(super) fn user(id: u32) -> String {
    User::from_uid(Uid::from_raw(id)).ok().flatten().map_or_else(|| id.to_string(), |user| user.name)
}

/// Whether a link of this maker may lead to a file of this owner; `own` is the agent's user.
fn may_lead(maker: u32, owner: u32, own: u32) -> bool {
    maker == owner || maker == own || maker == 0
}

/// Where the links that begin at a path end, and who made them. Folders on the way are as they are.
fn followed(path: &Path) -> io::Result<(PathBuf, Vec<u32>)> {
    let (mut path, mut makers) = (path.to_owned(), Vec::new());
    loop {
        let place = opened(&path, OFlag::O_PATH)?;
        let metadata = place.metadata()?;
        if !metadata.is_symlink() {
            return Ok((path, makers));
        }
        if makers.len() == LINKS {
            return Err(Errno::ELOOP.into());
        }
        makers.push(metadata.uid());
        // Without a path, what is read is the link that was looked at.
        let target = readlinkat(&place, OsStr::new(""))?;
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
}

fn opened(path: &Path, how: OFlag) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags((how | OFlag::O_NOFOLLOW).bits()).open(path)
}
