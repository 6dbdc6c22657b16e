//! Stretches of a file: read whole, and told apart by a number.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Reads a stretch; what lies beyond the end of the file is left out.
pub(super) fn read_range(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let length = range.end.saturating_sub(range.start);
    let length = usize::try_from(length).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut bytes[filled..], range.start + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The number of nothing.
pub(super) const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, 64 bits: the same for ever, so that it can be remembered in a file.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether a line begins there.
pub(super) fn begins_line(file: &File, offset: u64) -> io::Result<bool> {
    Ok(offset == 0 || read_range(file, offset - 1..offset)? == b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // Test vectors of the FNV reference code.
        assert_eq!([hash(b""), hash(b"a"), hash(b"foobar")], [0xcbf29ce484222325, 0xaf63dc4c8601ec8c, 0x85944171f73967e8]);
    }
}
