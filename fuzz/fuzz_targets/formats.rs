//! Any bytes through every format: nothing may panic, and every reading must be a number.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use weekline::formats::{self, About};

fuzz_target!(|bytes: &[u8]| {
    formats::detect(&String::from_utf8_lossy(bytes));
    let about = About {
        zone: Some(chrono_tz::Europe::Berlin),
        start: "2026-11-30T07:00:00".parse().ok(),
        every: Some(Duration::from_secs(300)),
        ..About::default()
    };
    for format in formats::ALL {
        let mut input = bytes;
        let _ = format.parse(&mut input, &about, &mut |snapshot| {
            assert!(snapshot.readings.iter().all(|reading| reading.value.is_finite()));
        });
    }
});
