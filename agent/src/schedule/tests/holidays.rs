//! Lists and calendars written for these tests; dates from the wall calendar.

use proptest::prelude::*;

use super::dates;
use crate::schedule::holidays::{HolidayError, parse};

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, 2025..=2028), Ok(dates(expected)), "{text}");
}

/// An event with these lines in a calendar, the first of them being line 4.
fn event(lines: &str) -> String {
    let lines = lines.replace('|', "\r\n");
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
}

fn refuse(text: &str, message: &str) {
    assert_eq!(parse(text, 2025..=2028).unwrap_err().to_string(), message, "{text}");
}

#[test]
fn a_list_of_dates() {
    check("", "");
    check("# nothing\r\n\r\n  \r\n", "");
    check(
        "\u{feff}2026-12-25 Christmas\r\n  2026-12-26\t# Boxing Day\r\n\r\n# moved:\r\n1999-01-01, long ago\r\n2028-02-29",
        "2026-12-25 2026-12-26 1999-01-01 2028-02-29",
    );
    let wrong =
        "25.12.2026|2026-12-32|2026-02-29|2026-12-251|2026-12-25T08:00|2026-1-05|Christmas 2026-12-25|+026-12-25|2026-12-2é";
    for line in wrong.split('|') {
        let message = format!("line 2: `{line}` is no date, write it like `2026-12-25 Christmas`");
        refuse(&format!("2026-01-01\n{line}\n"), &message);
    }
}

#[test]
fn events_of_a_calendar() {
    check(&event("DTSTART;VALUE=DATE:20261225|SUMMARY:Christmas: a day\\, off"), "2026-12-25");
    check(&event("SUMMARY:A folded|  line|DTSTART;VAL| UE=DATE:2026|\t1225"), "2026-12-25");
    check(&event("DTSTART;TZID=\"Europe: Berlin;x\":20261225T080000|DTEND:20261225T170000"), "2026-12-25");
    check(&event("DTSTART:20261224T000000Z|DTEND:20261226T000000Z"), "2026-12-24 2026-12-25");
    check(&event("DTSTART:20261224T000000|DTEND:20261225T235900"), "2026-12-24 2026-12-25");
    check(&event("DTSTART;VALUE=DATE:20261231|DTEND;VALUE=DATE:20270103"), "2026-12-31 2027-01-01 2027-01-02");
    check(&event("DTSTART;VALUE=DATE:20261225|DTEND;VALUE=DATE:20261225"), "2026-12-25");
    check(&event("DTSTART;VALUE=DATE:20261225|DURATION:P2D|TRANSP:OPAQUE"), "2026-12-25 2026-12-26");
    check(&event("DTSTART;VALUE=DATE:20260223|DURATION:P1DT0H0M0S"), "2026-02-23");
    check(&event("DTSTART:20260223T080000|DURATION:PT9H30M"), "2026-02-23");
    let week = "2026-02-23 2026-02-24 2026-02-25 2026-02-26 2026-02-27 2026-02-28 2026-03-01";
    check(&event("DTSTART;VALUE=DATE:20260223|DURATION:P1W"), week);
    check(&event("DTSTART;VALUE=DATE:20260501|STATUS:CANCELLED|RRULE:FREQ=HOURLY"), "");
    check(
        &event("DTSTART;VALUE=DATE:20260501|STATUS:CONFIRMED|RDATE;VALUE=DATE:20260601,20260701"),
        "2026-05-01 2026-06-01 2026-07-01",
    );
    let alarm = "DTSTART;VALUE=DATE:20260501|BEGIN:VALARM|TRIGGER:-P1D|DURATION:P3D|END:VALARM";
    check(&event(alarm), "2026-05-01");
    let zone = "BEGIN:VTIMEZONE\nBEGIN:DAYLIGHT\nDTSTART:19700329T020000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE";
    check(&format!("\u{feff}\nbegin:vcalendar\n{zone}\nEND:VCALENDAR"), "");
}

#[test]
fn yearly_rules() {
    let table = [
        ("20201225", "FREQ=YEARLY", "2025-12-25 2026-12-25 2027-12-25 2028-12-25"),
        ("20201225", "FREQ=YEARLY;INTERVAL=3;WKST=MO", "2026-12-25"),
        ("20201225", "FREQ=YEARLY;COUNT=7", "2025-12-25 2026-12-25"),
        ("20201225", "FREQ=YEARLY;UNTIL=20261225", "2025-12-25 2026-12-25"),
        ("20201225", "FREQ=YEARLY;UNTIL=20261224T230000Z", "2025-12-25"),
        ("20240229", "FREQ=YEARLY", "2028-02-29"),
        ("20270101", "freq=yearly;bymonth=1;bymonthday=1,6", "2027-01-01 2027-01-06 2028-01-01 2028-01-06"),
        ("20270201", "FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=2,12", "2027-02-28 2027-12-31 2028-02-29 2028-12-31"),
        // Thanksgiving, Memorial Day, and election day: the Tuesday after the first Monday of November.
        ("20201126", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2025-11-27 2026-11-26 2027-11-25 2028-11-23"),
        ("20200525", "FREQ=YEARLY;BYDAY=-1MO;BYMONTH=5", "2025-05-26 2026-05-25 2027-05-31 2028-05-29"),
        ("20201103", "FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "2025-11-04 2026-11-03 2027-11-02 2028-11-07"),
        ("20280201", "FREQ=YEARLY;BYMONTH=2;BYDAY=TU", "2028-02-01 2028-02-08 2028-02-15 2028-02-22 2028-02-29"),
    ];
    for (start, rule, expected) in table {
        check(&event(&format!("DTSTART;VALUE=DATE:{start}|RRULE:{rule}")), expected);
    }
    let without = "DTSTART;VALUE=DATE:20201225|RRULE:FREQ=YEARLY|EXDATE;VALUE=DATE:20251225,20271225";
    check(&event(without), "2026-12-25 2028-12-25");
    let long = "DTSTART;VALUE=DATE:20271231|DTEND;VALUE=DATE:20280102|RRULE:FREQ=YEARLY";
    check(&event(long), "2027-12-31 2028-01-01 2028-12-31");
    // One occurrence is moved, one cancelled.
    let first = "UID:a|DTSTART;VALUE=DATE:20260501|RRULE:FREQ=YEARLY;COUNT=3|END:VEVENT|BEGIN:VEVENT|";
    let moved = "UID:a|RECURRENCE-ID;VALUE=DATE:20270501|DTSTART;VALUE=DATE:20270503|END:VEVENT|BEGIN:VEVENT|";
    let cancelled = "UID:a|RECURRENCE-ID;VALUE=DATE:20280501|DTSTART;VALUE=DATE:20280501|STATUS:CANCELLED";
    check(&event(&format!("{first}{moved}{cancelled}")), "2026-05-01 2027-05-03");
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    let rules = "FREQ=WEEKLY;BYDAY=MO|FREQ=YEARLY;BYSETPOS=1|FREQ=YEARLY;BYDAY=20MO|FREQ=YEARLY;BYMONTH=13|FREQ=YEARLY;INTERVAL=0|\
        FREQ=YEARLY;BYMONTH=5;BYDAY=0MO|FREQ=YEARLY;BYMONTH=-1|FREQ=YEARLY;UNTIL=soon|FREQ=YEARLY;BYEASTER=1|COUNT=2|YEARLY";
    for rule in rules.split('|') {
        let message = format!("line 5: cannot follow the rule `{rule}`, write the dates as a list, one like `2026-12-25` a line");
        refuse(&event(&format!("DTSTART:20260101|RRULE:{rule}")), &message);
    }
    refuse(&event("DTSTART:2026-12-25"), "line 4: `2026-12-25` is no date, write it like `20261225`");
    let start = "line 3: the event that begins here has no DTSTART, remove it or write the dates as a list";
    refuse(&event("SUMMARY:x"), start);
    for length in
        ["DTEND:20251231", "DTEND:20290101", "DURATION:P0D", "DURATION:PT48H", "DURATION:-P1D", "DURATION:P99999999999D"]
    {
        let error = parse(&event(&format!("DTSTART:20260101|{length}")), 2025..=2028).unwrap_err();
        assert!(matches!(error, HolidayError::Length { line: 5, .. }), "{length}: {error}");
    }
    let grammar = "line 5: `what is this` does not fit into an iCalendar file, export the calendar again";
    refuse(&event("DTSTART:20260101|what is this"), grammar);
    let cut = "line 2: `VEVENT` begins here and never ends, export the calendar again";
    refuse("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\n", cut);
    refuse(
        "BEGIN:VCALENDAR\nEND:VEVENT\n",
        "line 2: `END:VEVENT` does not fit into an iCalendar file, export the calendar again",
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn nothing_makes_it_panic(text in any::<String>(), bytes in any::<Vec<u8>>()) {
        let bytes = String::from_utf8_lossy(&bytes);
        for text in [text.as_str(), &bytes] {
            let _ = parse(text, 2025..=2028);
            let _ = parse(&format!("2026-12-2{text}"), 2025..=2028);
            let _ = parse(&event(text), 2025..=2028);
            for name in ["DTSTART", "DTSTART:20260101|DTEND", "DTSTART:20260101|DURATION", "DTSTART:20260101|RRULE"] {
                let _ = parse(&event(&format!("{name}:{text}")), 2025..=2028);
            }
        }
    }

    #[test]
    fn rules_made_of_their_own_words_do_not_panic(
        start in 0_u32..99_999_999,
        rule in "FREQ=YEARLY(;(INTERVAL|COUNT|BYMONTH|BYMONTHDAY|BYDAY|UNTIL)=[-+]?[0-9]{0,12}(MO|TH|SU)?(,-?[1-5]FR)?){0,4}",
        length in "P[0-9]{0,12}[DWT]([0-9]{0,9}H)?",
    ) {
        let text = event(&format!("DTSTART:{start:08}|RRULE:{rule}|DURATION:{length}"));
        let _ = parse(&text, 2025..=2028);
        let _ = parse(&text, i32::MIN..=i32::MAX);
    }

    #[test]
    fn a_calendar_cut_anywhere_gives_an_error(cut in 1_usize..150) {
        let text = event("DTSTART;VALUE=DATE:20261225|RRULE:FREQ=YEARLY");
        let end = text.len().saturating_sub(cut).max(16);
        prop_assert!(cut <= 2 || parse(&text[..end], 2025..=2028).is_err());
    }
}
