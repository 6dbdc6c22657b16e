//! A small file of the kernel's, read again and again.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::SourceError;

/// What Linux answers for a pressure file where pressure accounting is switched off (EOPNOTSUPP).
const NOT_SUPPORTED: i32 = 95;
/// What Linux answers for a file of a device that is gone (ENODEV).
const NO_DEVICE: i32 = 19;

/// The file stays open and the buffer stays allocated: a reading is one seek and two reads.
pub(super) struct KernelFile {
    pub(super) path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
}

impl KernelFile {
    pub(super) fn new(path: PathBuf) -> KernelFile {
        KernelFile { path, file: None, buffer: Vec::new() }
    }

    /// The text of a file that must be there.
    pub(super) fn read(&mut self) -> Result<&str, SourceError> {
        if let Err(source) = self.fill() {
            self.file = None;
            return Err(self.refused(source));
        }
        self.text()
    }

    /// The text of a file that a system may lack.
    pub(super) fn read_if_there(&mut self) -> Result<Option<&str>, SourceError> {
        match self.fill() {
            Ok(()) => self.text().map(Some),
            Err(error) => {
                self.file = None;
                if is_absent(&error) { Ok(None) } else { Err(self.refused(error)) }
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.clear();
        let file = match &mut self.file {
            Some(file) => {
                file.rewind()?;
                file
            }
            None => self.file.insert(File::open(&self.path)?),
        };
        file.read_to_end(&mut self.buffer)?;
        Ok(())
    }

    fn text(&self) -> Result<&str, SourceError> {
        str::from_utf8(&self.buffer).map_err(|error| self.refused(io::Error::new(io::ErrorKind::InvalidData, error)))
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
