//! Numbers of four locales.

use super::super::numbers::{Profile, Value, duration};

const US: Profile = Profile { group: Some(','), decimal: Some('.') };
const DE: Profile = Profile { group: Some('.'), decimal: Some(',') };
const CH: Profile = Profile { group: Some('\''), decimal: Some('.') };
const FR: Profile = Profile { group: Some('\u{a0}'), decimal: Some(',') };
const UNKNOWN: Profile = Profile { group: None, decimal: None };

fn infer(values: &[&str], remembered: Option<Profile>) -> Option<Profile> {
    Profile::infer(values.iter().map(|value| ("Server.Users", *value)), remembered).ok()
}

#[test]
fn values_without_choice_fix_the_signs() {
    for (values, profile) in [
        (&["1783", "1,314,503", "2,978", "96.9"][..], US),
        (&["199.281.758.208", "1,17708333333333"], DE),
        (&["1.234,5"], DE),
        (&["1,234.5"], US),
        (&["5'075'542'016", "0.5"], CH),
        (&["1’234’567.5"], CH),
        (&["31\u{a0}679\u{a0}999", "0,5"], FR),
        (&["31\u{202f}679\u{202f}999", "0,5"], FR),
        (&["31ÿ679ÿ999", "0,5"], FR),
        (&["31\u{fffd}679\u{fffd}999", "0,5"], FR),
        (&["31 679 999", "12345,678"], FR),
        (&["12,34,56,789", "0.5"], US),
        // One sign is known, so the other is.
        (&["9.140", "0,178"], DE),
        (&["0.023", "2,978"], US),
        (&["199,281,758,208", "96.958"], US),
        (&["5'075'542'016", "96.958"], CH),
        // `192.168.100.200` and `12.0.2` are no numbers, and `0.0.0.0` is none.
        (&["192.168.100.200", "12.0.2", "0.0.0.0", "1,314,503", "0.5"], US),
    ] {
        assert_eq!(infer(values, None), Some(profile), "{values:?}");
    }
    assert_eq!(infer(&["1.234", "5,678", "12", "x"], None), Some(UNKNOWN));
    assert_eq!(infer(&["-1.234.567"], None), Some(Profile { group: Some('.'), decimal: None }));
}

#[test]
fn what_a_listing_does_not_show_is_remembered_unless_it_changed() {
    assert_eq!(infer(&["96,958"], Some(DE)), Some(DE));
    assert_eq!(infer(&["0,5"], Some(DE)), Some(DE));
    assert_eq!(infer(&["0.5"], Some(DE)), Some(Profile { group: None, decimal: Some('.') }));
    assert_eq!(infer(&["0.5", "1,000"], Some(DE)), Some(US));
    assert_eq!(infer(&["1'234'567"], Some(DE)), Some(Profile { group: Some('\''), decimal: None }));
}

#[test]
fn two_locales_in_one_listing_are_a_conflict() {
    for values in [
        &["1.234.567", "1,234,567"][..],
        &["1.234,5", "1,234.5"],
        &["0,5", "0.5"],
        &["1.234.567", "0.5"],
        &["1.234.567", "0,5", "1'000'000"],
    ] {
        assert_eq!(infer(values, Some(DE)), None, "{values:?}");
    }
    // A stray against ten is not heard, and read with the others' signs it is no number.
    let mut many = vec!["1.234.567"; 10];
    many.extend(["0,5", "14.5"]);
    assert_eq!(infer(&many, None), Some(DE));
    assert_eq!(DE.parse("14.5"), Value::Text);
}

#[test]
fn what_the_server_says_of_itself() {
    let stats =
        [("DominoHealth.Intl.DecimalString", ","), ("DOMINOHEALTH.Intl.ThousandString", "."), ("Traveler.Version", "14.5")];
    assert_eq!(Profile::infer(stats.into_iter(), None), Ok(DE));
    assert!(Profile::infer(stats.into_iter().chain([("Disk.C.Free", "1,234,567")]), None).is_err());
}

#[test]
fn parsing() {
    for (profile, text, number) in [
        (DE, "96,958", 96.958),
        (DE, "9.140", 9140.0),
        (DE, "199.281.758.208", 199_281_758_208.0),
        (DE, "1.234,5", 1234.5),
        (DE, "-1.234,5", -1234.5),
        (US, "96.958", 96.958),
        (US, "9,140", 9140.0),
        (US, "12,34,567.5", 1_234_567.5),
        (CH, "12'872'527'872", 12_872_527_872.0),
        (CH, "1’234.5", 1234.5),
        (FR, "31\u{a0}679\u{a0}999", 31_679_999.0),
        (FR, "23 134", 23_134.0),
        (FR, "23ÿ134,25", 23_134.25),
        (UNKNOWN, "1891238", 1_891_238.0),
        (UNKNOWN, "0.023645833333333", 0.023_645_833_333_333),
        (UNKNOWN, "0,5", 0.5),
        (UNKNOWN, "-2147483648", -2_147_483_648.0),
        (UNKNOWN, "2'978", 2978.0),
    ] {
        assert_eq!(profile.parse(text), Value::Number(number), "{text}");
    }
    for text in ["1.234", "1,234", "96,958", "-1.234"] {
        assert_eq!(UNKNOWN.parse(text), Value::Ambiguous, "{text}");
    }
    for (profile, text) in [
        (DE, "1,234,567"),
        (DE, "1'234"),
        (US, "1.234.567"),
        (US, "1.234,5"),
        (FR, "1.234"),
        (CH, "1,234"),
        (US, "NTFS"),
        (US, ""),
        (US, "-"),
        (US, "1."),
        (US, ".5"),
        (US, "1..5"),
        (US, "1e5"),
        (US, "12 34"),
        (US, "TRUE"),
        (US, "07:92: 0A:0A"),
        (US, "1234\n567"),
        (US, "１２"),
    ] {
        assert_eq!(profile.parse(text), Value::Text, "{text}");
    }
}

#[test]
fn durations() {
    for (text, seconds) in [
        ("00:34:03", 2043.0),
        ("1 day(s) 04:15:00", 101_700.0),
        ("14 Tag(e) 05:15:00", 1_228_500.0),
        ("2 jour(s) 00:00:01", 172_801.0),
        ("3 日 00:00:01", 259_201.0),
        ("100:00:00", 360_000.0),
    ] {
        assert_eq!(duration(text), Some(seconds), "{text}");
        assert_eq!(US.parse(text), Value::Duration(seconds), "{text}");
    }
    for text in [
        "00:34",
        "00:60:00",
        "00:00:60",
        "day(s) 04:15:00",
        "1 04:15:00",
        "1 day(s)",
        "1:2:3",
        "00:34:03:04",
        "2026-11-02 06:00:00",
    ] {
        assert_eq!(duration(text), None, "{text}");
    }
}
