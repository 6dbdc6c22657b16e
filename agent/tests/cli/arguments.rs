//! Arguments that contradict each other, or that no one would give on purpose.

use super::{imported, recording};

/// An import that is asked to keep nothing must not take another one out.
#[test]
fn what_goes_with_files_does_not_go_with_list_or_undo() {
    let place = imported();
    for of_files in [
        &["--dry-run"][..],
        &["--host", "mail2"],
        &["--zone", "UTC"],
        &["--start", "2026-10-05 07:00"],
        &["--every", "60s"],
        &["--format", "sadf"],
    ] {
        for what in [&["import", "--undo", "1"][..], &["import", "--list"]] {
            let done = place.run(&[what, of_files].concat());
            assert_eq!((done.code, done.err.contains("cannot be used with")), (2, true), "{what:?} {of_files:?}: {}", done.err);
        }
    }
    assert_eq!(place.json(&["import", "--list"])["batches"].as_array().unwrap().len(), 1);
}

#[test]
fn days_at_the_ends_of_time_are_answered_in_every_zone() {
    let place = imported();
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        place.write("weekline.toml", &format!("[schedule]\nzone = \"{zone}\"\n"));
        for day in ["+262142-12-31", "-262143-01-01", "+262142-12-30", "9999-12-31", "0000-01-01", "9999-12-31T23:59:59-23:59"] {
            for argument in ["--from", "--to"] {
                let done = place.run(&["export", "--format", "csv", &format!("{argument}={day}")]);
                assert!(
                    done.code == 0 || (done.code == 1 && done.err.lines().count() == 1),
                    "{zone} {argument} {day}: {}",
                    done.err
                );
            }
        }
    }
    let (code, line) = place.refused(&["export", "--format", "csv", "--to", "+262142-12-31"]);
    assert_eq!((code, line.contains("`+262142-12-31`")), (1, true), "{line}");
}

#[test]
fn a_width_nobody_has_is_a_mistake() {
    let place = imported();
    for width in ["0", "39", "501", "99999999999"] {
        assert_eq!(place.run(&["weeks", "--width", width]).code, 2, "{width}");
    }
    for width in [40, 500] {
        let out = place.good(&["weeks", "--width", &width.to_string()]);
        assert!(out.lines().all(|line| line.chars().count() <= width), "{width}");
    }
}

/// Times of a recording that were given wrongly by centuries: refused, and `weeks` goes on to work.
#[test]
fn a_start_or_an_interval_out_of_reach_is_refused() {
    let place = imported();
    let rows: Vec<String> =
        recording().lines().map(|line| line.split(" 2026-").next().unwrap().replace(" -----timestamp-----", "")).collect();
    place.write("bare.txt", &(rows.join("\n").replace("                 CET", "") + "\n"));
    for (start, every) in [
        ("+262142-12-31 23:59:59", "1y"),
        ("-262143-01-01 00:00", "60s"),
        ("+262142-12-31 00:00", "60s"),
        ("2026-10-05 07:00", "1000y"),
        ("9999-12-31 23:59", "1000y"),
        ("0001-01-01 00:00", "60s"),
    ] {
        for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let start = format!("--start={start}");
            let done = place.run(&["import", "bare.txt", &start, "--every", every, "--zone", zone]);
            assert_eq!(
                (done.code, done.out.contains("range") || done.out.contains("does not exist")),
                (1, true),
                "{start} {every}: {} {}",
                done.out,
                done.err
            );
        }
    }
    assert_eq!(place.run(&["import", "bare.txt", "--start", "2026-10-05 07:00", "--every", "99999999999999999999y"]).code, 2);
    assert_eq!(place.json(&["weeks"])["weeks"].as_array().unwrap().len(), 2);
    assert_eq!(place.json(&["weeks", "--always"])["weeks"].as_array().unwrap().len(), 2);
}
