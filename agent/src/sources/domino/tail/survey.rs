//! Where a log is written at all: found by samples of the whole file, taken twice.
//!
//! A log that only grows is written at its end. One that is written in a circle is not, and after a start of the agent, or when
//! more than a round was written between two readings, its place is not known. A sample at each 4 KiB changes when
//! the writer passes it, so the last one of those that changed stands just behind the place.

use std::fs::File;
use std::io;

use super::bytes::{hash, read_range};

/// The distance of two samples, in bytes.
const BLOCK: u64 = 4096;
/// The length of a sample, in bytes.
const SAMPLE: u64 = 64;
/// A file of more blocks is taken for one that only grows: 512 MiB.
const MOST: u64 = 1 << 17;

/// Samples of a file.
#[derive(Debug)]
pub(super) struct Survey {
    length: u64,
    samples: Vec<u64>,
}

/// What two surveys show.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing, or less than can be seen.
    Nothing,
    /// The file goes on from this length.
    Behind(u64),
    /// The writer is in the block that begins here.
    Around(u64),
    /// The file has become shorter.
    Cut,
    /// Anything.
    Anywhere,
}

impl Survey {
    /// Of a file of that length.
    pub(super) fn take(file: &File, length: u64) -> io::Result<Survey> {
        let blocks = (length.saturating_sub(SAMPLE) / BLOCK).min(MOST);
        Ok(Survey { length, samples: samples(file, blocks)? })
    }

    /// What was written since.
    pub(super) fn compare(&self, file: &File, length: u64) -> io::Result<Written> {
        if length < self.length {
            return Ok(Written::Cut);
        }
        let now = samples(file, self.samples.len() as u64)?;
        let changed: Vec<bool> = self.samples.iter().zip(&now).map(|(old, new)| old != new).collect();
        if !changed.contains(&true) {
            return Ok(if length > self.length { Written::Behind(self.length) } else { Written::Nothing });
        }
        // One stretch, which may go over the end of the file and on at its start.
        let ends: Vec<usize> = (0..changed.len()).filter(|at| changed[*at] && !changed[(at + 1) % changed.len()]).collect();
        Ok(match ends[..] {
            [end] => Written::Around(end as u64 * BLOCK),
            _ => Written::Anywhere,
        })
    }
}

fn samples(file: &File, blocks: u64) -> io::Result<Vec<u64>> {
    (0..blocks).map(|block| Ok(hash(&read_range(file, block * BLOCK..block * BLOCK + SAMPLE)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    /// What is seen after a file of ten blocks was written to.
    fn after(writes: &[(u64, usize)]) -> Written {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[b'a'; 10 * 4096 + 100], 0).unwrap();
        let survey = Survey::take(&file, 10 * 4096 + 100).unwrap();
        for (at, length) in writes {
            file.write_all_at(&vec![b'b'; *length], *at).unwrap();
        }
        survey.compare(&file, file.metadata().unwrap().len()).unwrap()
    }

    #[test]
    fn the_writer_is_where_the_changes_end() {
        assert_eq!(after(&[]), Written::Nothing);
        assert_eq!(after(&[(10 * 4096 + 100, 5000)]), Written::Behind(10 * 4096 + 100));
        assert_eq!(after(&[(5000, 9000)]), Written::Around(3 * 4096));
        // From the ninth block over the end to the second.
        assert_eq!(after(&[(8 * 4096 - 50, 2 * 4096 + 150), (0, 4200)]), Written::Around(4096));
    }

    #[test]
    fn two_places_or_all_are_none() {
        assert_eq!(after(&[(5000, 4096), (25_000, 4096)]), Written::Anywhere);
        assert_eq!(after(&[(0, 10 * 4096)]), Written::Anywhere);
    }

    #[test]
    fn a_file_cut_is_seen() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(5000).unwrap();
        let survey = Survey::take(&file, 5000).unwrap();
        assert_eq!(survey.compare(&file, 4999).unwrap(), Written::Cut);
    }
}
