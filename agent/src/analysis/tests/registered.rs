//! Registered users: which figure is in force when, and what a file may look like.

use chrono::NaiveDate;

use crate::analysis::registered::Registered;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn refused(text: &str) -> Vec<String> {
    Registered::parse_csv(text, "mail1").unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_figure_holds_from_its_day_until_the_next() {
    let text = "date,partition,registered\n2026-03-01,mail1,2120\n2026-01-01,mail1,2000\n2026-02-01,mail2,1\n";
    let users = Registered::parse_csv(text, "mail1").unwrap();
    let (january, march) = (day("2026-01-01"), day("2026-03-01"));
    assert_eq!(users.on(day("2025-12-31")), None);
    assert_eq!(users.on(january), Some((2000, january)));
    assert_eq!(users.on(day("2026-02-28")), Some((2000, january)));
    assert_eq!(users.on(march), Some((2120, march)));
    assert_eq!(users.on(day("2030-01-01")), Some((2120, march)));
    assert_eq!(Registered::always(7).on(day("1970-01-01")), Some((7, NaiveDate::MIN)));
}

#[test]
fn programs_write_the_same_table_in_their_ways() {
    let expected = Registered::parse_csv("date,partition,registered\n2026-01-01,mail1,2000", "mail1").unwrap();
    for text in [
        "\u{feff}date;partition;registered\r\n2026-01-01;mail1;2000\r\n",
        "Registered , Note, \"Partition\",DATE\n\n2000,\"a, \"\"b\"\"\",\"mail1\" ,\"2026-01-01\"\n",
        "partition;date;registered;\nmail1;2026-01-01;2000;\nmail2;nobody;knows;\n",
    ] {
        assert_eq!(Registered::parse_csv(text, "mail1"), Ok(expected.clone()), "{text}");
    }
    let quoted = Registered::parse_csv("date,partition,registered\n2026-01-01,\"a \"\"b\"\", c\",5\n", "a \"b\", c").unwrap();
    assert_eq!(quoted.on(day("2026-01-01")), Some((5, day("2026-01-01"))));
}

#[test]
fn every_line_that_is_not_understood_is_told() {
    let text = "date,partition,registered\n\
        2026-01-01,mail1,2000\n\
        01.02.2026,mail1,2000\n\
        2026-2-1,mail1,2000\n\
        2026-03-01,mail1,\"2,120\"\n\
        2026-03-02,mail1,2.120\n\
        2026-03-03,mail1,2,120\n\
        2026-03-04,mail1\n\
        2026-03-05,mail1,\n\
        2026-03-06,mail1,-5\n\
        2026-03-07,\"mail1,5\n\
        2026-03-08,\"mail1\" x,5\n\
        2026-01-01,mail1,2000\n";
    assert_eq!(
        refused(text),
        [
            "line 3: `01.02.2026` is no date, write it like `2026-01-31`",
            "line 4: `2026-2-1` is no date, write it like `2026-01-31`",
            "line 5: `2,120` is no number of users, write it without separators, like `2120`",
            "line 6: `2.120` is no number of users, write it without separators, like `2120`",
            "line 7: has 4 columns, and the header has 3; write numbers without separators, like `2120`",
            "line 8: has 2 columns, and the header has 3",
            "line 9: `` is no number of users, write it without separators, like `2120`",
            "line 10: `-5` is no number of users, write it without separators, like `2120`",
            "line 11: the quotation marks do not end in this line",
            "line 12: `x,5` stands behind quotation marks where `,` should",
            "line 13: line 2 has a figure for `mail1` on 2026-01-01 already, take one of them out",
        ]
    );
}

#[test]
fn a_file_without_the_partition_or_a_header_is_refused() {
    let begin = "begin the file with `date,partition,registered`";
    assert_eq!(refused(""), [format!("line 1: the header names no `date`, {begin}")]);
    assert_eq!(refused("\n2026-01-01,mail1,2000\n"), [format!("line 2: the header names no `date`, {begin}")]);
    assert_eq!(refused("date,partition\n"), [format!("line 1: the header names no `registered`, {begin}")]);
    assert_eq!(refused("date,date,partition\n"), ["line 1: the header names `date` twice, name it once"]);
    let absent = ["line 1: no line below is of `mail1`, add one like `2026-01-01,mail1,2120`"];
    assert_eq!(refused("date,partition,registered\n2026-01-01,Mail1,2000\n"), absent);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_panics(text in "[a-z0-9\",;\\n \u{feff}-]{0,60}") {
        let _ = Registered::parse_csv(&format!("date,partition,registered\n{text}"), "mail1");
        let _ = Registered::parse_csv(&text, "mail1");
    }
}
