//! Durations and sizes as people write them.

use std::time::Duration;

/// A year of the calendar's mean length; retention needs no more.
const YEAR: u64 = 31_556_952;

/// A duration as people write it: `90s`, `15m`, `2h`, `30d`, `8w`, `3y`.
///
/// # Errors
/// What to write instead.
pub fn duration(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is no duration, write it like `60s`, `15m`, `2h`, `30d`, `8w` or `3y`");
    let (number, unit) = split(text).ok_or_else(refused)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => YEAR,
        _ => return Err(refused()),
    };
    number
        .checked_mul(seconds)
        .filter(|&seconds| seconds > 0 && seconds <= 1000 * YEAR)
        .map(Duration::from_secs)
        .ok_or_else(refused)
}

/// `500MB` or `2GiB`: powers of a thousand or, with an `i`, of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let refused = || format!("`{text}` is no size, write it like `500MB` or `2GiB`");
    let (number, unit) = split(text).ok_or_else(refused)?;
    let unit: u64 = match unit {
        "B" => 1,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err(refused()),
    };
    number.checked_mul(unit).ok_or_else(refused)
}

fn split(text: &str) -> Option<(u64, &str)> {
    let unit = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit);
    Some((number.parse().ok()?, unit.trim_start()))
}
