//! Any bytes through every format: nothing may panic, and every reading must be a number.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use weekline::formats::domino::numbers::{Profile, Value};
use weekline::formats::domino::{console, dates, prefix, show_stat, show_tasks, show_transactions, show_users, statpub};
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
    domino(&String::from_utf8_lossy(bytes));
    if let Ok(published) = statpub::parse(bytes) {
        assert!(published.stats.iter().all(|(_, value)| value.is_finite()));
    }
});

/// Every grammar of Domino text.
fn domino(text: &str) {
    for listing in show_stat::listings(text) {
        let known = show_stat::Names::of(&listing);
        let _ = show_stat::completeness(&listing, Some(&known));
        let stats = || listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let profile = Profile::infer(stats(), None).unwrap_or_default();
        for (_, value) in stats() {
            if let Value::Number(number) | Value::Duration(number) = profile.parse(value) {
                assert!(number.is_finite());
            }
        }
    }
    let _ = (show_tasks::table(text.lines()), show_users::table(text.lines()), show_transactions::table(text.lines()));
    for line in text.lines() {
        let _ = (console::line(prefix::strip(line).text), dates::zoned(line), show_tasks::value(line));
    }
}
