//! What the file may say, and what is answered when it says something else.

use super::*;

mod named;
mod partitions;

fn check(text: &str, problems: &[&str]) {
    let found = Config::parse(text).err().unwrap_or_default();
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), problems, "{text}");
}

#[test]
fn the_defaults_are_what_the_interface_says() {
    let config = Config::parse("").unwrap();
    assert_eq!(Config::parse(DEFAULT), Ok(config.clone()));
    let office: Hours = "07:00-17:00".parse().unwrap();
    assert_eq!(config.schedule.hours, [Some(office), Some(office), Some(office), Some(office), Some(office), None, None]);
    assert_eq!(config.schedule.interval, Duration::from_secs(60));
    assert_eq!((config.schedule.zone, config.schedule.outside), (None, Outside::Idle));
    assert_eq!((config.listen.to_string().as_str(), config.keep_bytes), ("127.0.0.1:9717", 2 << 30));
}

#[test]
fn every_setting_stands_in_the_defaults_with_a_sentence() {
    let commented = |written: &str| {
        let line = DEFAULT.lines().position(|line| line.starts_with(written)).unwrap_or_else(|| panic!("no {written}"));
        assert!(DEFAULT.lines().nth(line - 1).unwrap().starts_with("# "), "{written} has no comment");
    };
    for (_, settings) in defaults() {
        settings.as_table().unwrap().keys().for_each(|name| commented(&format!("{name} = ")));
    }
    for (list, keys) in entry::blocks() {
        commented(&format!("#[[{list}]]"));
        let inner = |(name, value): (&String, &toml::Value)| match value {
            toml::Value::Table(_) => format!("#[{list}.{name}]"),
            _ => format!("#{name} = "),
        };
        keys.iter().for_each(|key| commented(&inner(key)));
    }
}

/// The block of a list in the defaults names every key that the program knows, and no other.
#[test]
fn the_blocks_of_lists_are_the_shapes_of_their_entries() {
    let blocks = entry::blocks();
    assert_eq!(blocks.keys().map(String::as_str).collect::<Vec<_>>(), ["metric", "partition"]);
    for list in ["metric", "partition"] {
        let known = |table: Table| match list {
            "metric" => crate::config::named::checked(table).is_ok(),
            _ => partition::checked(table).is_ok(),
        };
        let block = &blocks[list];
        assert!(known(block.clone()), "[[{list}]] of the defaults");
        for key in block.keys() {
            let mut fewer = block.clone();
            fewer.remove(key);
            assert!(!known(fewer), "[[{list}]] without {key}");
        }
        let mut more = block.clone();
        more.insert("surprise".to_owned(), "".into());
        assert!(!known(more), "[[{list}]] with more");
    }
}

/// A block taken over says nothing before it is filled in.
#[test]
fn a_block_taken_over_asks_for_what_it_needs() {
    let block = |head: &str| {
        let lines = DEFAULT.lines().skip_while(|line| !line.starts_with(head)).take_while(|line| !line.is_empty());
        lines.map(|line| if line.starts_with("# ") { "" } else { &line[1..] }).collect::<Vec<_>>().join("\n")
    };
    check(
        &block("#[[partition]]"),
        &[
            "line 1: [[partition]] without `name`, give it the name its series are to have, like \"mail1\"",
            "line 1: [[partition]] without `data`, name `source` or at least `data`, else nothing can be read",
        ],
    );
    check(
        &block("#[[metric]]"),
        &[
            "line 1: [[metric]] without `statistic`, write its name as `show stat` prints it",
            "line 1: [[metric]] without `kind`, write \"counter\" for what only grows, else \"gauge\"",
        ],
    );
}

#[test]
fn active_users_are_counted_in_a_window_that_domino_has() {
    let window =
        |text: &str| Config::parse(&format!("[activity]\nactive_window = \"{text}\"")).map(|config| config.active_window);
    assert_eq!((window("widest"), window("now"), window("30m")), (Ok(None), Ok(Some("now")), Ok(Some("30m"))));
    check(
        "[activity]\nactive_window = \"20m\"",
        &["line 2: `active_window` in [activity]: `20m` is no window, write widest, now, 1m, 3m, 5m, 15m, 30m"],
    );
}

#[test]
fn a_file_changes_what_it_names() {
    let text = r#"
        [schedule]
        zone = "Europe/Berlin"
        interval = "15s"
        outside = "sample"
        outside_interval = "5m"
        holidays = ["2026-12-25"]
        [schedule.hours]
        default = "08:00-16:00"
        fri = "07:00-13:00"
        [history]
        keep_bytes = "500MB"
    "#;
    let config = Config::parse(text).unwrap();
    assert_eq!(config.schedule.zone, Some(chrono_tz::Europe::Berlin));
    assert_eq!(config.schedule.hours[4], Some("07:00-13:00".parse().unwrap()));
    assert_eq!(config.schedule.hours[0], Some("08:00-16:00".parse().unwrap()));
    assert_eq!(config.schedule.outside, Outside::Sample(Duration::from_secs(300)));
    assert_eq!(config.keep_bytes, 500_000_000);
    assert_eq!(config.schedule.holidays, Holidays::Dates(BTreeSet::from(["2026-12-25".parse().unwrap()])));
}

#[test]
fn every_problem_is_found_with_its_line() {
    check(
        "[schedule]\nintreval = \"60s\"\nzone = \"Europe/Berlni\"\nhours = \"25:00-26:00\"\n\n[wbe]\n[history]\nkeep = 3\n",
        &[
            "line 2: unknown setting `intreval` in [schedule], did you mean `interval`?",
            "line 3: `zone` in [schedule]: unknown zone `Europe/Berlni`, did you mean `Europe/Berlin`?",
            "line 4: `hours` in [schedule]: `25:00-26:00` is no span of hours, write it like `07:00-17:00`",
            "line 6: unknown section `wbe`, did you mean `web`?",
            "line 8: `keep` in [history]: invalid type: integer `3`, expected a string",
        ],
    );
}

#[test]
fn single_problems_name_the_thing_and_the_next_step() {
    check(
        "[schedule]\ninterval = \"0s\"",
        &["line 2: `interval` in [schedule]: `0s` is no duration, write it like `60s`, `15m`, `2h`, `30d`, `8w` or `3y`"],
    );
    check("[schedule]\ninterval = \"2h\"", &["line 2: `interval` in [schedule]: `2h` is not between 1s and 1h"]);
    check("[schedule]\ndays = []", &["line 2: `days` in [schedule]: no day is open, list at least one, like [\"mon\"]"]);
    check(
        "[schedule]\ndays = [\"monday\"]",
        &["line 2: `days` in [schedule]: unknown day `monday`, write mon, tue, wed, thu, fri, sat, sun"],
    );
    check(
        "[schedule]\nholidays = [\"25.12.\"]",
        &["line 2: `holidays` in [schedule]: `25.12.` is no date, write it like `2026-12-25`"],
    );
    check("[schedule]\noutside = \"nap\"", &["line 2: `outside` in [schedule]: `nap` is neither `idle` nor `sample`"]);
    check(
        "[web]\nlisten = \"9717\"",
        &["line 2: `listen` in [web]: `9717` is no address with a port, write it like `127.0.0.1:9717`"],
    );
    check(
        "[history]\nkeep_bytes = \"1kB\"",
        &["line 2: `keep_bytes` in [history]: 1000 bytes hold no history, give it at least 1MiB"],
    );
    check("host = 1", &["line 1: `host` is a section, write it as `[host]`"]);
    assert_eq!(Config::parse("[web\n").unwrap_err()[0].line, 1);
}

/// Each alone they would be measured by the other's default.
#[test]
fn days_and_hours_are_read_together() {
    let half: Hours = "08:00-12:00".parse().unwrap();
    let saturday = [None, None, None, None, None, Some(half), None];
    for text in [
        "[schedule]\ndays = [\"sat\"]\nhours = { sat = \"08:00-12:00\" }",
        "[schedule]\nhours.sat = \"08:00-12:00\"\ndays = [\"sat\"]",
        "[schedule]\ndays = [\"sat\"]\n[schedule.hours]\ndefault = \"08:00-12:00\"",
    ] {
        assert_eq!(Config::parse(text).map(|config| config.schedule.hours), Ok(saturday), "{text}");
    }
    let no_mon = "no hours for `mon`, add default = \"07:00-17:00\" to [schedule.hours]";
    let hours = "`hours` in [schedule]: ";
    check("[schedule]\ndays = [\"mon\", \"fri\"]\n\nhours = { fri = \"07:00-13:00\" }", &[&format!("line 4: {hours}{no_mon}")]);
    check(
        "[schedule.hours]\ndefault = \"07:00-17:00\"\nsat = \"08:00-12:00\"",
        &[&format!("line 1: {hours}`sat` in hours is not among `days`")],
    );
    check(
        "[schedule]\nzone = \"Mars\"\nhours = { sat = \"08:00-12:00\", sun = \"08:00-12:00\" }\ndays = [\"mon\"]",
        &[
            "line 2: `zone` in [schedule]: unknown zone `Mars`, write an IANA name like `Europe/Berlin`, or `system`",
            &format!("line 3: {hours}{no_mon}; `sat` in hours is not among `days`; `sun` in hours is not among `days`"),
        ],
    );
    // Whichever is wrong in itself is told at its own line, and no more is made of the other.
    let monday = "`days` in [schedule]: unknown day `monday`, write mon, tue, wed, thu, fri, sat, sun";
    let grammar = format!("{hours}`8-12` is no span of hours, write it like `07:00-17:00`");
    let unknown = format!("{hours}unknown day `monday` in hours, write default, mon, tue, wed, thu, fri, sat, sun");
    check("[schedule]\ndays = [\"monday\"]\nhours = { sat = \"08:00-12:00\" }", &[&format!("line 2: {monday}")]);
    check("[schedule]\ndays = [\"sat\"]\nhours = { sat = \"8-12\" }", &[&format!("line 3: {grammar}")]);
    check(
        "[schedule]\nhours = { sat = \"8-12\" }\ndays = [\"monday\"]",
        &[&format!("line 2: {grammar}"), &format!("line 3: {monday}")],
    );
    check("[schedule]\nhours = { monday = \"08:00-12:00\" }", &[&format!("line 2: {unknown}")]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

    #[test]
    fn no_text_panics(text in "[\\PC\\n]{0,200}") {
        let _ = Config::parse(&text);
    }

    #[test]
    fn sizes_and_durations_never_panic(text in "[0-9]{0,25}[a-zA-Z]{0,3}") {
        let _ = (units::duration(&text), units::bytes(&text));
    }
}
