//! Any bytes as Prometheus text: nothing may panic, and a text cut anywhere must not say what the whole one does not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weekline::formats::domino::exposition::{Sample, samples};

fuzz_target!(|bytes: &[u8]| {
    let whole = samples(&String::from_utf8_lossy(bytes));
    for end in [bytes.len() / 3, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        let cut = samples(&String::from_utf8_lossy(&bytes[..end]));
        assert!(cut.samples.len() <= whole.samples.len());
        assert!(cut.samples.iter().zip(&whole.samples).all(|(a, b)| same(a, b)));
    }
});

/// Equal, with a number that is none equal to itself.
fn same(a: &Sample, b: &Sample) -> bool {
    a.name == b.name && a.labels == b.labels && a.at == b.at && a.value.total_cmp(&b.value).is_eq()
}
