//! Numbers for people: three significant digits in the unit's customary multiples, and the ticks of an axis.
//!
//! One scale serves a whole column or axis, so that figures below each other can be compared by eye.
//! Refused: prefixes below one for plain counts (`m` reads as a million), rounding a small number to zero.

use crate::catalog::Unit;

const KIB: f64 = 1024.0;

const BYTES: &[(f64, &str)] = &[
    (1.0, " B"),
    (KIB, " KiB"),
    (KIB * KIB, " MiB"),
    (KIB * KIB * KIB, " GiB"),
    (KIB * KIB * KIB * KIB, " TiB"),
    (KIB * KIB * KIB * KIB * KIB, " PiB"),
];
const BYTES_PER_SECOND: &[(f64, &str)] =
    &[(1.0, " B/s"), (KIB, " KiB/s"), (KIB * KIB, " MiB/s"), (KIB * KIB * KIB, " GiB/s"), (KIB * KIB * KIB * KIB, " TiB/s")];
const SECONDS: &[(f64, &str)] =
    &[(1e-9, " ns"), (1e-6, " µs"), (1e-3, " ms"), (1.0, " s"), (60.0, " min"), (3600.0, " h"), (86400.0, " d")];
const RATIO: &[(f64, &str)] = &[(0.01, " %")];
const COUNT: &[(f64, &str)] = &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
const PER_SECOND: &[(f64, &str)] = &[(1.0, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s"), (1e12, "T/s")];

/// The most intervals an axis from zero is cut into.
const INTERVALS: f64 = 5.0;
/// Numbers with more places before or after the point than this are written with an exponent.
const PLACES: i32 = 6;
/// Beyond these no sums and quotients of an axis are formed: they would leave the range of a float.
const EXTREMES: (f64, f64) = (1e-290, 1e290);

/// How the numbers of one column are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    unit: Unit,
    factor: f64,
    suffix: &'static str,
    /// Places after the point; none: with an exponent.
    decimals: Option<usize>,
}

impl Scale {
    /// The scale in which the largest of `values` has three significant digits; whole numbers stay whole.
    pub fn of(unit: Unit, values: impl IntoIterator<Item = f64>) -> Scale {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let (factor, suffix) = multiple(unit, largest);
        let scaled = rounded(largest / factor);
        let whole = |value: &f64| {
            let scaled = value / factor;
            (scaled - scaled.round()).abs() <= scaled.abs() * 1e-9
        };
        let decimals = match exponent(scaled) {
            high if high >= PLACES => None,
            _ if values.iter().all(whole) => Some(0),
            high => usize::try_from((2 - high).max(0)).ok().filter(|&places| places <= PLACES as usize),
        };
        let scale = Scale { unit, factor, suffix, decimals };
        if decimals.is_some() { scale } else { scale.base() }
    }

    /// The number in this scale, or in its own where this one would show it as zero.
    pub fn text(&self, value: f64) -> String {
        let scaled = value / self.factor;
        match self.decimals {
            Some(0) if scaled.abs() < 0.5 && value == 0.0 => format!("0{}", self.suffix),
            Some(decimals) if value != 0.0 && scaled.abs() < 0.5 * 10_f64.powi(-(decimals as i32)) => text(self.unit, value),
            Some(decimals) => format!("{scaled:.decimals$}{}", self.suffix),
            None => format!("{:.2e}{}", scaled.clamp(f64::MIN, f64::MAX), self.suffix),
        }
    }

    /// The same without a multiple: beside an exponent there is nothing left for it to do.
    fn base(self) -> Scale {
        let (factor, suffix) = multiple(self.unit, 1.0);
        Scale { factor, suffix, decimals: None, ..self }
    }
}

/// One number by itself.
pub fn text(unit: Unit, value: f64) -> String {
    Scale::of(unit, [value]).text(value)
}

/// An axis that holds zero and all that is drawn on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    /// The labelled values, lowest first, evenly spaced from 0 to 1.
    pub ticks: Vec<Tick>,
}

/// One labelled value of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where it is on the axis, 0 to 1.
    pub at: f64,
    /// What it says.
    pub label: String,
}

impl Axis {
    /// The axis for numbers between `min` and `max`: from zero (lower only for negative numbers) to a round number.
    pub fn new(unit: Unit, min: f64, max: f64) -> Axis {
        let (min, max) = (min.clamp(-EXTREMES.1, 0.0), max.clamp(0.0, EXTREMES.1));
        let reach = max.max(-min);
        // Nothing but zeros: any height is as good, so the whole or one piece.
        let (reach, max) = if reach < EXTREMES.0 { (1.0, 1.0) } else { (reach, max) };
        let (factor, suffix) = multiple(unit, rounded(reach));
        let (step, decimals) = step(unit, reach / factor);
        let count = |end: f64| (end / factor / step - 1e-9).ceil().max(0.0);
        let (below, above) = (count(-min), count(max));
        let scale = match decimals {
            Some(decimals) => Scale { unit, factor, suffix, decimals: Some(decimals) },
            None => Scale { unit, factor, suffix, decimals: None }.base(),
        };
        let tick = |i: u32| {
            let value = (f64::from(i) - below) * step * factor;
            let label = if f64::from(i) == below { "0".to_owned() } else { scale.text(value) };
            Tick { at: f64::from(i) / (below + above), label }
        };
        let ticks = (0..=(below + above) as u32).map(tick).collect();
        Axis { low: -below * step * factor, high: above * step * factor, ticks }
    }

    /// Where a number is on the axis, 0 to 1.
    pub fn at(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// The width of an axis' intervals, and the places its labels need: powers of two for bytes, else 1, 2, 5.
fn step(unit: Unit, reach: f64) -> (f64, Option<usize>) {
    let least = reach / INTERVALS;
    if matches!(unit, Unit::Bytes | Unit::BytesPerSecond) && reach >= 1.0 {
        let power = (least.log2() - 1e-9).ceil();
        let decimals = (-power).max(0.0) as usize;
        return (power.exp2(), (power < f64::from(PLACES * 3)).then_some(decimals));
    }
    let power = exponent(least);
    let base = 10_f64.powi(power);
    let multiple = [1.0, 2.0, 5.0].into_iter().find(|m| m * base >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    let high = exponent(multiple * base * (1.0 + 1e-9));
    let decimals = usize::try_from((-high).max(0)).ok().filter(|&places| places <= PLACES as usize && high < PLACES);
    (multiple * base, decimals)
}

/// The largest multiple of the unit that `value` reaches.
fn multiple(unit: Unit, value: f64) -> (f64, &'static str) {
    let multiples = match unit {
        Unit::Bytes => BYTES,
        Unit::BytesPerSecond => BYTES_PER_SECOND,
        Unit::Seconds => SECONDS,
        Unit::Ratio => RATIO,
        Unit::PerSecond => PER_SECOND,
        Unit::Count | Unit::Cores | Unit::Timestamp | Unit::Info => COUNT,
    };
    // Zero seconds are seconds, not nanoseconds.
    let value = if value == 0.0 { 1.0 } else { value };
    let reached = multiples.iter().rev().find(|(factor, _)| rounded(value / factor) >= 1.0);
    reached.copied().unwrap_or(multiples[0])
}

/// To three significant digits, so that 999.9 of one multiple becomes 1 of the next.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The power of ten of the first digit.
fn exponent(value: f64) -> i32 {
    if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_numbers() {
        let table = [
            (Unit::Ratio, 0.62, "62 %"),
            (Unit::Ratio, 0.57, "57 %"),
            (Unit::Ratio, 0.6239, "62.4 %"),
            (Unit::Ratio, 0.0424, "4.24 %"),
            (Unit::Ratio, 0.000123, "0.0123 %"),
            (Unit::Ratio, 1.0, "100 %"),
            (Unit::Ratio, 0.9996, "100 %"),
            (Unit::Ratio, 0.0, "0 %"),
            (Unit::Ratio, -0.25, "-25 %"),
            (Unit::Bytes, 0.0, "0 B"),
            (Unit::Bytes, 1023.0, "1023 B"),
            (Unit::Bytes, 1023.9, "1.00 KiB"),
            (Unit::Bytes, 1536.0, "1.50 KiB"),
            (Unit::Bytes, 5_368_709_120.0, "5 GiB"),
            (Unit::Bytes, 1.5e300, "1.50e300 B"),
            (Unit::BytesPerSecond, 12_900_000.0, "12.3 MiB/s"),
            (Unit::Seconds, 0.0, "0 s"),
            (Unit::Seconds, 0.0123, "12.3 ms"),
            (Unit::Seconds, 0.000_45, "450 µs"),
            (Unit::Seconds, 0.9999, "1.00 s"),
            (Unit::Seconds, 90.0, "1.50 min"),
            (Unit::Seconds, 7200.0, "2 h"),
            (Unit::Count, 7.0, "7"),
            (Unit::Count, 2.25, "2.25"),
            (Unit::Count, 0.004, "0.00400"),
            (Unit::Count, 1.5e-9, "1.50e-9"),
            (Unit::Count, 2_800_000.0, "2.80M"),
            (Unit::Count, 999.96, "1.00k"),
            (Unit::Count, f64::MAX, "1.80e308"),
            (Unit::Ratio, f64::MAX, "1.80e308 %"),
            (Unit::Cores, 3.456, "3.46"),
            (Unit::PerSecond, 12_340.0, "12.3k/s"),
            (Unit::PerSecond, 12.0, "12/s"),
        ];
        for (unit, value, expected) in table {
            assert_eq!(text(unit, value), expected, "{unit} {value}");
        }
    }

    #[test]
    fn a_column_shares_its_scale_and_hides_nothing() {
        let column = Scale::of(Unit::Bytes, [1_610_612_736.0, 966_367_641.6, 2048.0]);
        assert_eq!(column.text(1_610_612_736.0), "1.50 GiB");
        assert_eq!(column.text(966_367_641.6), "0.90 GiB");
        assert_eq!(column.text(2048.0), "2 KiB");
        assert_eq!(column.text(0.0), "0.00 GiB");
    }

    #[test]
    fn axes_start_at_zero_and_end_on_a_round_number() {
        let table = [
            (Unit::Ratio, 0.0, 0.93, "0, 20 %, 40 %, 60 %, 80 %, 100 %"),
            (Unit::Ratio, 0.0, 1.0, "0, 20 %, 40 %, 60 %, 80 %, 100 %"),
            (Unit::Ratio, 0.0, 0.62, "0, 20 %, 40 %, 60 %, 80 %"),
            (Unit::Ratio, 0.0, 0.0031, "0, 0.1 %, 0.2 %, 0.3 %, 0.4 %"),
            (Unit::Ratio, 0.0, 0.0, "0, 20 %, 40 %, 60 %, 80 %, 100 %"),
            (Unit::Bytes, 0.0, 1_395_864_371.2, "0, 0.5 GiB, 1.0 GiB, 1.5 GiB"),
            (Unit::Bytes, 0.0, 700.0 * KIB, "0, 256 KiB, 512 KiB, 768 KiB"),
            (Unit::Seconds, 0.0, 0.0121, "0, 5 ms, 10 ms, 15 ms"),
            (Unit::Count, 0.0, 2_800_000.0, "0, 1M, 2M, 3M"),
            (Unit::Count, 0.0, 3.0, "0, 1, 2, 3"),
            (Unit::Count, -4.0, 3.0, "-4, -3, -2, -1, 0, 1, 2, 3"),
            (Unit::Count, 0.0, 3e-9, "0, 1.00e-9, 2.00e-9, 3.00e-9"),
        ];
        for (unit, min, max, expected) in table {
            let labels: Vec<String> = Axis::new(unit, min, max).ticks.into_iter().map(|tick| tick.label).collect();
            assert_eq!(labels.join(", "), expected, "{unit} {min}..{max}");
        }
    }

    #[test]
    fn places_on_an_axis() {
        let axis = Axis::new(Unit::Ratio, 0.0, 0.62);
        assert_eq!((axis.at(0.0), axis.at(0.4), axis.at(0.8), axis.at(7.0)), (0.0, 0.5, 1.0, 1.0));
        for extreme in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e-289, 1e289] {
            let axis = Axis::new(Unit::Bytes, -extreme, extreme);
            assert!(axis.at(extreme).is_finite() && axis.ticks.len() <= 12, "{extreme}");
        }
    }
}
