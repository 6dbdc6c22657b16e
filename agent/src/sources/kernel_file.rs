//! A small file of the kernel's, read again and again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::SourceError;

/// What Linux answers for a pressure file where pressure accounting is switched off (EOPNOTSUPP).
const NOT_SUPPORTED: i32 = 95;
/// What Linux answers for a file of a device that is gone (ENODEV).
const NO_DEVICE: i32 = 19;
/// Room for most of the kernel's files; the buffer grows where that is not enough.
const ROOM: usize = 4096;

/// The file stays open and the buffer stays allocated: a reading of a small file is two calls to the system.
pub(super) struct KernelFile {
    pub(super) path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    /// How much of the buffer the last reading filled.
    length: usize,
}

impl KernelFile {
    pub(super) fn new(path: PathBuf) -> KernelFile {
        KernelFile { path, file: None, buffer: Vec::new(), length: 0 }
    }

    /// The text of a file that must be there.
    pub(super) fn read(&mut self) -> Result<&str, SourceError> {
        match self.fill() {
            Ok(()) => self.text(),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// The text of a file that a system may lack.
    pub(super) fn read_if_there(&mut self) -> Result<Option<&str>, SourceError> {
        match self.fill() {
            Ok(()) => self.text().map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// An open file outlives the device it tells of and then only fails, though another device may have come under its path:
    /// so it is opened once more before the failure is believed.
    fn fill(&mut self) -> io::Result<()> {
        let kept = self.file.take();
        if let Some(file) = kept
            && self.fill_from(&file).is_ok()
        {
            self.file = Some(file);
            return Ok(());
        }
        let file = File::open(&self.path)?;
        self.fill_from(&file)?;
        self.file = Some(file);
        Ok(())
    }

    fn fill_from(&mut self, file: &File) -> io::Result<()> {
        self.length = 0;
        loop {
            if self.length == self.buffer.len() {
                self.buffer.resize((2 * self.length).max(ROOM), 0);
            }
            match file.read_at(&mut self.buffer[self.length..], self.length as u64) {
                Ok(0) => return Ok(()),
                Ok(read) => self.length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn text(&self) -> Result<&str, SourceError> {
        let text = str::from_utf8(&self.buffer[..self.length]);
        text.map_err(|error| self.refused(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    fn refused(&self, source: io::Error) -> SourceError {
        SourceError::Read { path: self.path.clone(), source }
    }
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || matches!(error.raw_os_error(), Some(NOT_SUPPORTED | NO_DEVICE))
}

/// A count the kernel printed; one beyond 2^63 is a negative number that went through an unsigned one, and is missing.
pub(super) fn count(word: &str) -> Option<f64> {
    word.parse::<u64>().ok().filter(|&number| number < 1 << 63).map(|number| number as f64)
}

/// The first line of a small file, if it is there.
pub(super) fn first_line(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()?.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}
