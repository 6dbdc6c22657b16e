//! Prometheus text as programs write it, spoilt and not.

use proptest::prelude::*;

use super::super::exposition::{Sample, samples};

fn sample(name: &str, labels: &[(&str, &str)], value: f64, at: Option<i64>) -> Sample {
    let labels = labels.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Sample { name: name.to_owned(), labels, value, at }
}

/// The one sample of a line.
fn one(line: &str) -> Sample {
    let mut parsed = samples(&format!("{line}\n"));
    assert_eq!((parsed.samples.len(), parsed.refused.count, parsed.cut), (1, 0, false), "{line}: {parsed:?}");
    parsed.samples.remove(0)
}

#[test]
fn a_file_as_domprom_writes_it() {
    let parsed = samples(
        "# HELP Domino_Server_Trans_Total Domino Statistic Server.Trans.Total\n# TYPE Domino_Server_Trans_Total gauge\n\
         Domino_Server_Trans_Total 2800000\n\
         Domino_Server_ElapsedTimeDays 0.023\n\
         # HELP DominoTrans_seconds_total Time\n# TYPE DominoTrans_seconds_total counter\n\
         DominoTrans_total_seconds{op=\"OPEN_DB\"} 212.142\n\
         DominoHealth_disk_free_bytes{component=\"Notesdata\", path=\"C:\\Domino\\Data\"} 199281758208\n\
         DominoHealth_stat_update_timestamp 1793697300\n",
    );
    assert_eq!(
        parsed.samples,
        [
            sample("Domino_Server_Trans_Total", &[], 2_800_000.0, None),
            sample("Domino_Server_ElapsedTimeDays", &[], 0.023, None),
            sample("DominoTrans_total_seconds", &[("op", "OPEN_DB")], 212.142, None),
            sample(
                "DominoHealth_disk_free_bytes",
                &[("component", "Notesdata"), ("path", "C:\\Domino\\Data")],
                199_281_758_208.0,
                None
            ),
            sample("DominoHealth_stat_update_timestamp", &[], 1_793_697_300.0, None),
        ]
    );
    assert_eq!((parsed.refused.count, parsed.cut), (0, false));
}

/// `*(LONG *) value` printed as an unsigned number of 64 bits: 2^64 - 5, 2^64 - 1 and 2^64 - 2^31.
#[test]
fn a_negative_number_that_domprom_took_for_an_unsigned_one() {
    for (written, value) in [
        ("18446744073709551611", -5.0),
        ("18446744073709551615", -1.0),
        ("18446744071562067968", -2_147_483_648.0),
        ("18446744071562067967", 18_446_744_071_562_067_967.0),
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("4294967291", 4_294_967_291.0),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("1.8446744073709552e+19", 18_446_744_073_709_551_615.0),
        ("-5", -5.0),
    ] {
        assert_eq!(one(&format!("x {written}")).value, value, "{written}");
    }
}

#[test]
fn numbers_times_and_labels_of_every_form() {
    assert!(one("x NaN").value.is_nan());
    assert_eq!(one("x +Inf").value, f64::INFINITY);
    assert_eq!(one("x -Inf").value, f64::NEG_INFINITY);
    assert_eq!(one("a:b_c1 1.5e3"), sample("a:b_c1", &[], 1500.0, None));
    assert_eq!(one("  x\t7  1793697300000 \r"), sample("x", &[], 7.0, Some(1_793_697_300_000)));
    // OpenMetrics: seconds, and an exemplar.
    assert_eq!(
        one("x_total 7 1793697300.25 # {trace=\"a b\"} 0.67 1793697299"),
        sample("x_total", &[], 7.0, Some(1_793_697_300_250))
    );
    assert_eq!(one("x_total 7 # {trace=\"a\"} 0.67"), sample("x_total", &[], 7.0, None));
    assert_eq!(one("x{} 1"), sample("x", &[], 1.0, None));
    assert_eq!(one("x {a=\"1\",}2"), sample("x", &[("a", "1")], 2.0, None));
    assert_eq!(
        one(r#"x{a="q\"u}o", b = "back\\slash", c="new\nline", d="", e="ü{=,"} 1"#),
        sample("x", &[("a", "q\"u}o"), ("b", "back\\slash"), ("c", "new\nline"), ("d", ""), ("e", "ü{=,")], 1.0, None)
    );
    assert_eq!(one(r#"{"mail.größe", "a.b"="c"} 1"#), sample("mail.größe", &[("a.b", "c")], 1.0, None));
}

#[test]
fn lines_that_are_no_sample_are_counted_with_their_number() {
    let refused = [
        "Domino_Monitor_Last_EVENT MONITOR_Warning 1",
        "mail.dead 1",
        "größe 1",
        "1x 1",
        "x",
        "x one",
        "x 1,234",
        "x 1e999",
        "x 0x1p3",
        "x 1 2 3",
        "x 1 soon",
        "x 1 1e300",
        "x{a=\"1\"",
        "x{a=\"1} 1",
        "x{a=1} 1",
        "x{a} 1",
        "x{=\"1\"} 1",
        "x{a=\"1\" b=\"2\"} 1",
        "x{\"y\"} 1",
        "{a=\"1\"} 1",
        "{\"x\",\"y\"} 1",
        "x{a=\"1\"}",
        "<html>",
        "  Server.Users = 12",
    ];
    for line in refused {
        let parsed = samples(&format!("a 1\n{line}\n\nb 2\n"));
        let names: Vec<_> = parsed.samples.iter().map(|sample| sample.name.as_str()).collect();
        assert_eq!((names.as_slice(), parsed.refused.count), (["a", "b"].as_slice(), 1), "{line}");
        assert_eq!(parsed.refused.first[0].line, 2, "{line}");
    }
}

#[test]
fn the_end_is_missing_unless_the_last_line_has_one() {
    let of = |text: &str| (samples(text).samples.len(), samples(text).cut);
    assert_eq!(of("a 1\nb 2"), (1, true));
    assert_eq!(of("a 1\nb 2\n"), (2, false));
    assert_eq!(of("a 1\r\nb 2\r\n# EOF"), (2, false));
    assert_eq!(of("a 1\n# EOF\n"), (1, false));
    assert_eq!(of("a 1\n# EO"), (1, true));
    assert_eq!(of("\u{feff}a 1\n"), (1, false));
    assert_eq!(of(""), (0, false));
    assert_eq!(of("a 1"), (0, true));
}

/// A sample as the Prometheus documents say it is written.
fn written(sample: &Sample) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<_> = sample.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let at = sample.at.map_or_else(String::new, |at| format!(" {at}"));
    format!("{}{{{}}} {}{at}\n", sample.name, labels.join(","), sample.value)
}

prop_compose! {
    fn any_sample()(
        name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,8}",
        labels in prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_]{0,4}", any::<String>().prop_map(|text| text.replace('\r', ""))), 0..3),
        value in prop_oneof![-1e6..1e6, Just(0.0), Just(f64::INFINITY), 1e17..1e18, 1e-300..1e-299],
        at in prop::option::of(100_000_000_000..4_000_000_000_000_i64),
    ) -> Sample {
        Sample { name, labels, value, at }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let parsed = samples(&String::from_utf8_lossy(&bytes));
        prop_assert!(parsed.samples.len() as u64 + parsed.refused.count <= bytes.len() as u64);
    }

    #[test]
    fn text_that_nearly_is_an_exposition_too(text in "[a{}=,\"\\\\ 1#.\n-]{0,80}") {
        let _ = samples(&text);
    }

    #[test]
    fn what_is_written_is_read(all in prop::collection::vec(any_sample(), 0..5)) {
        let parsed = samples(&all.iter().map(written).collect::<String>());
        prop_assert_eq!(parsed.samples, all);
        prop_assert_eq!((parsed.refused.count, parsed.cut), (0, false));
    }

    /// A cut text never says what the whole one does not.
    #[test]
    fn a_cut_text_has_the_first_samples_of_the_whole_one(all in prop::collection::vec(any_sample(), 1..4)) {
        let text: String = all.iter().map(written).collect();
        let bytes = text.as_bytes();
        for end in 0..bytes.len() {
            let found = samples(&String::from_utf8_lossy(&bytes[..end])).samples;
            prop_assert_eq!(&found[..], &all[..found.len()]);
        }
    }
}
