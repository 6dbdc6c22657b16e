//! Invariants of the table: what every row must hold, whoever writes it.

use std::collections::HashSet;

use super::*;

#[test]
fn names_are_unique_and_look_like_metric_names() {
    let mut seen = HashSet::new();
    for metric in metrics() {
        assert!(seen.insert(metric.name), "{} stands twice", metric.name);
        assert!(metric.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{}", metric.name);
        assert!(["host_", "domino_", "weekline_"].iter().any(|prefix| metric.name.starts_with(prefix)), "{}", metric.name);
    }
}

#[test]
fn a_name_says_kind_and_unit() {
    for Metric { name, kind, unit, .. } in metrics() {
        assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}: `_total` is for counters, and for all of them");
        let stem = name.strip_suffix("_total").unwrap_or(name);
        let suffix = match unit {
            Unit::Bytes => "_bytes",
            Unit::BytesPerSecond => "_bytes_per_second",
            Unit::Timestamp => "_timestamp_seconds",
            Unit::Seconds => "_seconds",
            Unit::Ratio => "_ratio",
            Unit::PerSecond => "_per_second",
            Unit::Info => "_info",
            Unit::Cores => "cores",
            Unit::Count => "",
        };
        assert!(if *unit == Unit::Cores { stem.contains(suffix) } else { stem.ends_with(suffix) }, "{name} does not say {unit}");
        let foreign =
            ["_bytes", "_seconds", "_ratio", "_info"].iter().find(|other| stem.ends_with(*other) && !suffix.ends_with(*other));
        assert_eq!(foreign, None, "{name} says another unit than {unit}");
    }
}

#[test]
fn help_is_one_sentence() {
    for (name, help) in metrics().map(|m| (m.name, m.help)).chain(facts().map(|f| (f.name, f.help))) {
        assert!(help.ends_with('.') && help.starts_with(|c: char| c.is_uppercase()), "{name}: {help}");
        assert!(help.len() > 10 && !help.contains('\n'), "{name}: {help}");
    }
}

#[test]
fn no_field_is_claimed_twice_in_one_place() {
    let mut seen = HashSet::new();
    let claims = metrics().flat_map(|m| m.found.iter().map(|f| (f.place, f.field))).chain(facts().map(|f| (f.place, f.field)));
    for claim in claims.chain(LEFT_OUT.iter().flat_map(|table| table.iter()).map(|left| (left.place, left.field))) {
        assert!(seen.insert(claim), "{}:{} is claimed twice", claim.0, claim.1);
    }
}

#[test]
fn what_a_row_derives_from_exists_and_leads_to_something_read() {
    fn reaches_a_reading(name: &str, depth: usize) -> bool {
        let metric = metric(name).unwrap_or_else(|| panic!("`{name}` is derived from and does not exist"));
        assert!(depth < 8, "{name} derives from itself");
        !metric.found.is_empty()
            || metric.derive.is_some_and(|derive| derive.reads().iter().all(|row| reaches_a_reading(row, depth + 1)))
    }
    for metric in metrics() {
        assert!(reaches_a_reading(metric.name, 0), "{} can come from nowhere", metric.name);
        for name in metric.derive.iter().flat_map(Derive::reads) {
            assert!(reaches_a_reading(name, 0));
        }
    }
}

#[test]
fn rows_follow_from_rows_that_stand_before_them() {
    let mut before = HashSet::new();
    for metric in metrics() {
        for name in metric.derive.iter().flat_map(Derive::reads) {
            assert!(before.contains(name), "{} stands before `{name}`, which it follows from", metric.name);
        }
        before.insert(metric.name);
    }
}

#[test]
fn growth_is_taken_of_counters_and_parts_of_gauges() {
    let kind = |name: &str| metric(name).map(|m| m.kind);
    for metric in metrics() {
        let (rows, expected) = match metric.derive {
            None => continue,
            Some(Derive::Rate(rows)) => (rows.to_vec(), Kind::Counter),
            Some(Derive::Quotient { parts, whole }) => ([parts, whole].concat(), Kind::Counter),
            Some(Derive::Shares { of, .. }) => (vec![of], Kind::Counter),
            Some(derive) => (derive.reads(), Kind::Gauge),
        };
        assert_eq!(metric.kind, Kind::Gauge, "{} is derived and so a gauge", metric.name);
        assert!(rows.iter().all(|row| kind(row) == Some(expected)), "{} derives from the wrong kind", metric.name);
    }
}

#[test]
fn labels_are_lower_case_and_a_field_implies_no_more_than_its_row_has() {
    for metric in metrics() {
        assert!(metric.labels.iter().all(|label| label.chars().all(|c| c.is_ascii_lowercase() || c == '_')), "{}", metric.name);
        for found in metric.found {
            let implied = found.labels.len() + found.field.matches('*').count();
            assert!(implied <= metric.labels.len(), "{found} implies labels that {} has not", metric.name);
            assert!(found.times >= 1.0 && found.per >= 1.0, "{found}");
        }
    }
}

#[test]
fn a_percent_and_a_kibibyte_are_scaled_to_the_row_s_unit() {
    for metric in metrics() {
        for found in metric.found {
            if found.field.starts_with('%') {
                assert_eq!((found.times, found.per, metric.unit), (1.0, 100.0, Unit::Ratio), "{found}");
            }
            if found.field.starts_with("kb") || found.field.contains("kB/s") {
                assert_eq!((found.times, found.per), (1024.0, 1.0), "{found}");
            }
        }
    }
}

#[test]
fn what_is_left_out_says_why() {
    assert!(LEFT_OUT.iter().flat_map(|table| table.iter()).all(|left| left.why.len() > 20));
}

#[test]
fn what_is_left_out_by_its_whole_name_is_left_out() {
    for left in LEFT_OUT.iter().flat_map(|table| table.iter()).filter(|left| !left.field.contains('*')) {
        assert!(matches!(claim(left.place, left.field), Claim::LeftOut), "{}:{}", left.place, left.field);
    }
}

#[test]
fn look_ups_agree_with_the_table() {
    for row in metrics() {
        assert_eq!(metric(row.name), Some(row));
        for found in row.found {
            assert!(matches!(claim(found.place, found.field), Claim::Row { metric, .. } if metric == row), "{found}");
        }
    }
    assert!(matches!(claim(Place::ProcMeminfo, "Slab"), Claim::LeftOut));
    assert!(matches!(claim(Place::ProcStat, "nonsense"), Claim::Unknown));
    assert_eq!(metric("nonsense"), None);
}

#[test]
fn statistics_of_domino_are_found_by_name_and_by_pattern() {
    let of = |field: &'static str| match claim(Place::Domino, field) {
        Claim::Row { metric, found, part } => format!("{} {:?} {part:?}", metric.name, found.labels),
        Claim::LeftOut => "left out".to_owned(),
        Claim::Unknown => "unknown".to_owned(),
    };
    assert_eq!(of("Server.Users"), "domino_users_connected [] None");
    assert_eq!(of("SERVER.USERS.ACTIVE30MIN"), "domino_users_active [\"30m\"] None");
    assert_eq!(of("Disk./local.Free"), "domino_disk_free_bytes [] Some(\"/local\")");
    assert_eq!(of("disk.C.free"), "domino_disk_free_bytes [] Some(\"C\")");
    assert_eq!(
        of("Monitor.EVENT MONITOR.Warning(High)"),
        "domino_monitor_events_total [\"warning_high\"] Some(\"EVENT MONITOR\")"
    );
    assert_eq!(of("NET.GroupCache.Hits"), "domino_group_cache_lookups_total [\"hit\"] None");
    assert_eq!(of("IMAP.Sessions.Inbound.Total"), "domino_internet_sessions_total [] Some(\"IMAP\")");
    assert_eq!(of("Mail.TotalRouted"), "domino_mail_routed_total [] None");
    assert_eq!(of("Mail.TotalRouted.SMTP"), "domino_mail_routed_protocol_total [] Some(\"SMTP\")");
    assert_eq!(of("Server.Trans.PerMinute.Peak"), "left out");
    assert_eq!(of("Server.Brand.New"), "unknown");
    assert_eq!((of("Domino.Command.Total"), of("Monitor.Last.ROUTER.Failure")), ("left out".to_owned(), "left out".to_owned()));
}

/// Every name of Domino's in the table, left out or not.
fn statistics() -> impl Iterator<Item = &'static str> {
    let found = metrics().flat_map(|m| m.found).map(|found| (found.place, found.field));
    let found = found.chain(facts().map(|fact| (fact.place, fact.field)));
    let left = LEFT_OUT.iter().flat_map(|table| table.iter()).map(|left| (left.place, left.field));
    found.chain(left).filter(|(place, _)| *place == Place::Domino).map(|(_, field)| field)
}

#[test]
fn no_two_statistics_are_spelled_alike_by_domprom() {
    let mut seen = HashMap::new();
    for statistic in statistics() {
        let before = seen.insert(spelled(statistic), statistic);
        assert_eq!(before, None, "domprom spells it as {statistic}");
    }
    assert!(seen.len() > 150, "{} names", seen.len());
}

/// What the table says of a statistic, it says of domprom's spelling of it, but for those it names there.
#[test]
fn domprom_s_spelling_leads_to_the_same_row() {
    let said = |claim: Claim<'_>| match claim {
        Claim::Row { metric, found, .. } => format!("{} by {found}", metric.name),
        Claim::LeftOut => "left out".to_owned(),
        Claim::Unknown => "unknown".to_owned(),
    };
    for statistic in statistics().filter(|&statistic| statistic != "Server.ElapsedTimeDays") {
        let statistic = statistic.replace('*', "Part");
        assert_eq!(fact(Place::Domprom, &format!("Domino_{}", spelled(&statistic))), fact(Place::Domino, &statistic));
        for name in [format!("Domino_{}", spelled(&statistic)), format!("DOMINO_{}", spelled(&statistic).to_uppercase())] {
            assert_eq!(said(claim(Place::Domprom, &name)), said(claim(Place::Domino, &statistic)), "{name}");
        }
    }
}

#[test]
fn names_of_domprom_are_found() {
    let of = |field: &'static str| match claim(Place::Domprom, field) {
        Claim::Row { metric, found, part } => format!("{} {:?} {part:?} {}", metric.name, found.labels, found.times),
        Claim::LeftOut => "left out".to_owned(),
        Claim::Unknown => "unknown".to_owned(),
    };
    assert_eq!(of("Domino_Server_Trans_Total"), "domino_transactions_total [] None 1");
    assert_eq!(of("_Server_Trans_Total"), "domino_transactions_total [] None 1");
    assert_eq!(of("Domino_SERVER_Users_Active30Min"), "domino_users_active [\"30m\"] None 1");
    assert_eq!(of("Domino_Disk_Clocal_Free"), "domino_disk_free_bytes [] Some(\"Clocal\") 1");
    assert_eq!(
        of("Domino_Monitor_EVENT_MONITOR_Warning_High_"),
        "domino_monitor_events_total [\"warning_high\"] Some(\"EVENT_MONITOR\") 1"
    );
    assert_eq!(of("Domino_Domino_Command_OpenView"), "domino_web_commands_total [] Some(\"OpenView\") 1");
    assert_eq!(of("Domino_Mail_TotalKBTransferred"), "domino_mail_transferred_bytes_total [] None 1024");
    assert_eq!(of("Domino_Server_ElapsedTimeDays"), "domino_uptime_seconds [] None 86400");
    assert!(matches!(claim(Place::Domino, "Server.ElapsedTimeDays"), Claim::LeftOut));
    for left in ["DominoHealth_stat_update_timestamp", "DominoTrans_count", "Domino_Server_Trans_PerMinute_Peak", "Domino_Mail_x"]
    {
        assert_eq!(of(left), "left out", "{left}");
    }
    for unknown in
        ["Server_Trans_Total", "Domino", "Domino_", "Domino_Server_Brand_New", "node_load1", "xDomino_Server_Users", ""]
    {
        assert_eq!(of(unknown), "unknown", "{unknown}");
    }
    assert!(matches!(claim(Place::Domino, "Server_Users"), Claim::Unknown), "a server spells as it does");
    let fact = |field| fact(Place::Domprom, field).map(|row| row.name);
    assert_eq!(fact("Domino_Server_Version_Notes_BuildNumber"), Some("domino_build"));
    assert_eq!((fact("Server_Version_Notes_BuildNumber"), fact("Domino_notes_ini")), (None, None));
}
