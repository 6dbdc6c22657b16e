//! A log of another program's, followed: lines as they are written, each once, whole ones only.
//!
//! The log may grow, be cut, be renamed and begun anew, or be written in a circle: on at its start, in place, at the same size.
//! Promise: no line is given twice, none is made of two. Where old text cannot be told from new it is left out and said so.
//! The place is remembered by what stands before it, so that it is found again after a start of the agent, or known to be lost.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};

use self::followed::{Followed, Step};
use super::watched_file::unreadable;
use crate::sources::SourceError;

mod ahead;
mod bytes;
mod followed;
mod lines;
mod survey;
#[cfg(test)]
mod tests;

/// How much is read in one call, in bytes; more waits for the next.
const MOST: u64 = 8 << 20;
/// How many files are read in one call: an old one and what came in its place.
const FILES: usize = 4;

/// What is heard of a log.
pub(super) enum Heard<'a> {
    /// A line without its end.
    Line(&'a str),
    /// What follows does not go on where the last line ended.
    Break,
}

/// What a reading came to.
#[derive(Default)]
pub(super) struct Pass {
    /// Whether all was given that had been written.
    pub(super) complete: bool,
    /// What could not be given.
    pub(super) lost: Option<SourceError>,
    /// What went wrong; lines given before are right all the same.
    pub(super) failed: Option<SourceError>,
}

/// A place in a file, and what it is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// Where the first line begins that was not given.
    offset: u64,
    /// How far text was seen to be written, which may be in the middle of a line.
    written: u64,
    /// The length of the file, all of which was seen.
    length: u64,
    /// A number for the text before the offset.
    before: u64,
    /// A number for the start of the file.
    start: u64,
}

impl Position {
    /// Of the text by which a place is known, in bytes.
    const PRINT: u64 = 256;
    /// Before the first byte.
    const START: Position = Position { offset: 0, written: 0, length: 0, before: bytes::EMPTY, start: bytes::EMPTY };

    fn of(file: &File, offset: u64, written: u64, length: u64) -> io::Result<Position> {
        let (before, start) = (ahead::print_before(file, offset, length)?, ahead::print_start(file, offset)?);
        Ok(Position { offset, written, length, before, start })
    }
}

/// A place in a file that can be found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    device: u64,
    inode: u64,
    position: Position,
}

/// A log.
pub(super) struct Tail {
    path: PathBuf,
    file: Option<Followed>,
    /// Where an earlier run of the agent ended.
    mark: Option<Mark>,
    /// Whether the file was not there when it was first looked for: then all of it is new.
    awaited: bool,
}

impl Tail {
    /// A log that goes on from a mark; without one from now.
    pub(super) fn new(path: &Path, mark: Option<Mark>) -> Tail {
        Tail { path: path.to_path_buf(), file: None, mark, awaited: false }
    }

    /// The place up to which all was given; `None` where it is not known.
    pub(super) fn mark(&self) -> Option<Mark> {
        let file = self.file.as_ref()?;
        file.position().map(|position| Mark { device: file.device, inode: file.inode, position })
    }

    /// Gives what is new.
    pub(super) fn read(&mut self, sink: &mut dyn FnMut(Heard<'_>)) -> Pass {
        let mut pass = Pass::default();
        if let Err(error) = self.read_files(sink, &mut pass) {
            // Where there is no log, nothing was written.
            let absent = matches!(&error, SourceError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound);
            pass.complete = absent && self.file.is_none();
            pass.failed = Some(match error {
                SourceError::Read { path, source } => unreadable(&path, "path", source),
                other => other,
            });
        }
        pass
    }

    fn read_files(&mut self, sink: &mut dyn FnMut(Heard<'_>), pass: &mut Pass) -> Result<(), SourceError> {
        let mut budget = MOST;
        for _ in 0..FILES {
            let mut file = match self.file.take() {
                Some(file) => file,
                None => self.open(pass)?,
            };
            let step = file.read(&mut budget, sink);
            self.file = Some(file);
            let Step { complete, overwritten } = step.map_err(|source| self.failed(source))?;
            pass.complete = complete;
            if overwritten {
                pass.lost = Some(self.overwritten());
            }
            // The old file is read to its end first, through the handle that was kept.
            if budget == 0 || !self.is_replaced()? {
                break;
            }
            self.file = Some(self.open_at(Position::START)?);
            sink(Heard::Break);
            pass.complete = false;
        }
        Ok(())
    }

    fn open(&mut self, pass: &mut Pass) -> Result<Followed, SourceError> {
        let opened = self.open_file();
        if let Err(SourceError::Read { source, .. }) = &opened {
            self.awaited |= source.kind() == io::ErrorKind::NotFound;
        }
        let file = opened?;
        let meta = file.metadata().map_err(|source| self.failed(source))?;
        let followed = match self.mark.take() {
            Some(mark) if (mark.device, mark.inode) == (meta.dev(), meta.ino()) => Followed::from_position(file, mark.position),
            Some(_) => {
                pass.lost = Some(refused(
                    format!(
                        "`{}` was replaced while nobody read it; what the old file had more is left out",
                        self.path.display()
                    ),
                    "import the old file with `weekline import` where its listings are wanted",
                ));
                Followed::from_position(file, Position::START)
            }
            None if self.awaited => Followed::from_position(file, Position::START),
            None => Followed::from_now(file),
        };
        followed.map_err(|source| self.failed(source))
    }

    fn open_at(&self, position: Position) -> Result<Followed, SourceError> {
        Followed::from_position(self.open_file()?, position).map_err(|source| self.failed(source))
    }

    fn open_file(&self) -> Result<File, SourceError> {
        let flags = OFlag::O_NONBLOCK.bits();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&self.path).map_err(|source| self.failed(source))?;
        let meta = file.metadata().map_err(|source| self.failed(source))?;
        if !meta.is_file() {
            return Err(refused(
                format!("`{}` is no file", self.path.display()),
                "give the partition's `path` its console.log, usually in IBM_TECHNICAL_SUPPORT below the data directory",
            ));
        }
        Ok(file)
    }

    /// Whether another file stands under the path. None at all is no reason to leave the old one.
    fn is_replaced(&self) -> Result<bool, SourceError> {
        let Some(file) = &self.file else { return Ok(false) };
        match fs::metadata(&self.path) {
            Ok(meta) => Ok((meta.dev(), meta.ino()) != (file.device, file.inode)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(self.failed(source)),
        }
    }

    fn overwritten(&self) -> SourceError {
        refused(
            format!("`{}` was written over further than it was read; what stood there is lost", self.path.display()),
            "where this comes again, raise CONSOLE_LOG_MAX_KBYTES in the server's notes.ini",
        )
    }

    fn failed(&self, source: io::Error) -> SourceError {
        SourceError::Read { path: self.path.clone(), source }
    }
}

fn refused(what: String, next: &str) -> SourceError {
    SourceError::Refused { what, next: next.to_owned() }
}
