//! How numbers become bytes: `pco` for columns, plain pairs for a tick.

use pco::ChunkConfig;
use pco::standalone::{simple_compress, simple_decompress};
use thiserror::Error;

use crate::time::Millis;

/// Bytes that are not what was written.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Garbled(String);

const WHOLE: u8 = 0;
const FLOAT: u8 = 1;

/// The largest whole number below which every whole number has its own `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn pressed<T: pco::data_types::Number>(numbers: &[T]) -> Vec<u8> {
    simple_compress(numbers, &ChunkConfig::default()).expect("the default configuration of pco is valid")
}

fn unpressed<T: pco::data_types::Number>(bytes: &[u8]) -> Result<Vec<T>, Garbled> {
    simple_decompress(bytes).map_err(|error| Garbled(error.to_string()))
}

/// A column of values. Counters and sizes are whole numbers, and those press better as such.
pub(super) fn encode_values(values: &[f64]) -> Vec<u8> {
    let whole =
        values.iter().all(|value| value.fract() == 0.0 && value.abs() < EXACT && !(*value == 0.0 && value.is_sign_negative()));
    let (tag, body) = if whole {
        (WHOLE, pressed(&values.iter().map(|&value| value as i64).collect::<Vec<_>>()))
    } else {
        (FLOAT, pressed(values))
    };
    [&[tag], body.as_slice()].concat()
}

/// The column back.
pub(super) fn decode_values(bytes: &[u8]) -> Result<Vec<f64>, Garbled> {
    match bytes.split_first() {
        Some((&WHOLE, body)) => Ok(unpressed::<i64>(body)?.into_iter().map(|value| value as f64).collect()),
        Some((&FLOAT, body)) => unpressed(body),
        _ => Err(Garbled("a column without a kind".to_owned())),
    }
}

/// A column of instants.
pub(super) fn encode_times(times: &[Millis]) -> Vec<u8> {
    pressed(times)
}

/// The instants back.
pub(super) fn decode_times(bytes: &[u8]) -> Result<Vec<Millis>, Garbled> {
    unpressed(bytes)
}

/// A tick: series and value, pair after pair. Written once a minute and soon folded, so plain.
pub(super) fn encode_tick(pairs: impl Iterator<Item = (i64, f64)>) -> Vec<u8> {
    pairs.flat_map(|(series, value)| (series as u32).to_le_bytes().into_iter().chain(value.to_le_bytes())).collect()
}

const PAIR: usize = size_of::<u32>() + size_of::<f64>();

/// The pairs back.
pub(super) fn decode_tick(bytes: &[u8]) -> Result<impl Iterator<Item = (i64, f64)>, Garbled> {
    let (pairs, rest) = bytes.as_chunks::<PAIR>();
    if !rest.is_empty() {
        return Err(Garbled("a tick that ends within a pair".to_owned()));
    }
    Ok(pairs
        .iter()
        .map(|&[a, b, c, d, ref value @ ..]| (i64::from(u32::from_le_bytes([a, b, c, d])), f64::from_le_bytes(*value))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn values_come_back_to_the_bit(values in proptest::collection::vec(any::<f64>(), 1..300)) {
            let back = decode_values(&encode_values(&values)).unwrap();
            prop_assert!(values.iter().zip(&back).all(|(a, b)| a.to_bits() == b.to_bits()) && values.len() == back.len());
        }

        #[test]
        fn whole_values_come_back_to_the_bit(values in proptest::collection::vec(-1e15..1e15f64, 1..300)) {
            let values: Vec<f64> = values.into_iter().map(f64::trunc).collect();
            prop_assert_eq!(decode_values(&encode_values(&values)).unwrap().iter().map(|v| v.to_bits()).collect::<Vec<_>>(), values.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
        }

        #[test]
        fn ticks_come_back(pairs in proptest::collection::vec((0..u32::MAX, any::<f64>()), 0..100)) {
            let pairs: Vec<(i64, f64)> = pairs.into_iter().map(|(series, value)| (i64::from(series), value)).collect();
            let back: Vec<(i64, u64)> = decode_tick(&encode_tick(pairs.iter().copied())).unwrap().map(|(s, v)| (s, v.to_bits())).collect();
            prop_assert_eq!(back, pairs.iter().map(|&(s, v)| (s, v.to_bits())).collect::<Vec<_>>());
        }

        #[test]
        fn garbled_bytes_are_an_error_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_values(&bytes);
            let _ = decode_times(&bytes);
            let _ = decode_tick(&bytes).map(Iterator::count);
        }
    }
}
