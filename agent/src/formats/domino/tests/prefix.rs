//! Prefixes and stamps.

use chrono::NaiveDateTime;

use super::super::dates::{self, DateOrder, Stamp};
use super::super::prefix::strip;

fn local(text: &str) -> NaiveDateTime {
    text.parse().unwrap()
}

#[test]
fn every_part_may_be_missing() {
    let thread = Some("007577:000017-00007F621246D700");
    for (line, prompt, pid, at, text) in [
        ("[007577:000017-00007F621246D700] 20.03.2022 07:36:42   http: a@b", false, thread, "2022-03-20T07:36:42", "http: a@b"),
        ("[007577:000017-00007F621246D700] blablab", false, thread, "", "blablab"),
        ("[007577:000017-00007F621246D700]   Mail.Dead = 0 \r\n", false, thread, "", "  Mail.Dead = 0"),
        ("[007577:000017-00007F621246D700] > show stat", true, thread, "", "show stat"),
        ("[0E2C:0006-0D38] 12/31/2019 05:16:40 PM  smtp: x", false, Some("0E2C:0006-0D38"), "2019-12-31T17:16:40", "smtp: x"),
        ("[10780:00015] x", false, Some("10780:00015"), "", "x"),
        ("08.22.2008 15:47:40   Event Monitor started", false, None, "2008-08-22T15:47:40", "Event Monitor started"),
        ("> 11/25/2008 12:22:09 AM  AMgr: x", true, None, "2008-11-25T00:22:09", "AMgr: x"),
        ("2010-07-30 00:52:58  x", false, None, "2010-07-30T00:52:58", "x"),
        ("20.08.96 16:12:20     Object Store Manager: x", false, None, "1996-08-20T16:12:20", "Object Store Manager: x"),
        ("  Mail.Dead = 0", false, None, "", "  Mail.Dead = 0"),
        ("> show stat", true, None, "", "show stat"),
        (">", true, None, "", ""),
        ("[1.2.3.4] x", false, None, "", "[1.2.3.4] x"),
        ("20.03.2022 07:36:42", false, None, "2022-03-20T07:36:42", ""),
        ("20.03.2022 07:36:42x", false, None, "", "20.03.2022 07:36:42x"),
        ("10.0.0.1 12:00:00 x", false, None, "", "10.0.0.1 12:00:00 x"),
        ("", false, None, "", ""),
    ] {
        let console = strip(line);
        assert_eq!((console.prompt, console.thread, console.text), (prompt, pid, text), "{line}");
        assert_eq!(console.stamp.and_then(|stamp| stamp.at(None)), (!at.is_empty()).then(|| local(at)), "{line}");
    }
    assert_eq!(strip("[007577:000017-00007F621246D700] x").process(), Some("007577"));
    assert_eq!(strip("[59483:00014-000033C0EF776700] > show server").command(), Some("show server"));
    assert_eq!(strip(">   Mail.Dead = 0").command(), None);
    assert_eq!(strip("> 11/25/2008 07:22:09 AM  AMgr: x").command(), None);
}

#[test]
fn an_order_is_not_guessed() {
    let (stamp, rest) = Stamp::strip("08/09/2005 16:38:07 EDT").unwrap();
    assert_eq!(rest, " EDT");
    assert_eq!(stamp.orders().collect::<Vec<_>>(), [DateOrder::Dmy, DateOrder::Mdy]);
    assert_eq!((stamp.order(), stamp.at(None)), (None, None));
    assert_eq!(stamp.at(Some(DateOrder::Mdy)), Some(local("2005-08-09T16:38:07")));
    assert_eq!(stamp.at(Some(DateOrder::Dmy)), Some(local("2005-09-08T16:38:07")));
    assert_eq!(stamp.at(Some(DateOrder::Ymd)), None);

    let (same, _) = Stamp::strip("03/03/2026 10:00:00").unwrap();
    assert_eq!((same.order(), same.at(None)), (None, Some(local("2026-03-03T10:00:00"))));
    let (two, _) = Stamp::strip("01/02/03 10:00:00").unwrap();
    assert_eq!((two.orders().count(), two.at(None)), (3, None));
    let (only, _) = Stamp::strip("13.02.2026 10:00:00").unwrap();
    assert_eq!((only.order(), only.at(Some(DateOrder::Mdy))), (Some(DateOrder::Dmy), None));
    for no in [
        "31.02.2026 10:00:00",
        "1.2.2026",
        "01-02/2026 10:00:00",
        "2026-01-02T10:00:00",
        "01/02/2026 25:00:00",
        "01/02/2026 13:00:00 PM",
        "01/02/2026 10:00:001",
        "２０.03.2022 07:36:42",
        "99999999999999999999.1.1 10:00:00",
    ] {
        assert_eq!(Stamp::strip(no), None, "{no}");
    }
}

#[test]
fn zones_of_notes() {
    for (text, order, at) in [
        ("[08/01/2026 02:08:41 ZE1]", Some(DateOrder::Mdy), "2026-08-01T02:08:41+01:00"),
        ("08/09/2005 16:38:07 EDT", Some(DateOrder::Mdy), "2005-08-09T16:38:07-04:00"),
        ("02.11.2026 06:00:00 ZE1", Some(DateOrder::Dmy), "2026-11-02T06:00:00+01:00"),
        ("20.11.2026 06:00:00 ZE5B", None, "2026-11-20T06:00:00+05:30"),
        ("2026-11-02 06:00:00 ZW3B", None, "2026-11-02T06:00:00-03:30"),
        ("03/31/2011 08:08:20 MST", None, "2011-03-31T08:08:20-07:00"),
        ("03/31/2011 08:08:20 PM ZW5", None, "2011-03-31T20:08:20-05:00"),
        ("2026-11-02 06:00:00 GMT", None, "2026-11-02T06:00:00+00:00"),
    ] {
        let zoned = dates::zoned(text).unwrap();
        assert_eq!(zoned.at(order).map(|at| at.to_rfc3339()).as_deref(), Some(at), "{text}");
    }
    // A zone that is not known is kept, and gives no instant.
    let unknown = dates::zoned("2026-11-02 06:00:00 ZX1").unwrap();
    assert_eq!((unknown.zone, unknown.offset, unknown.at(None)), ("ZX1", None, None));
    assert_eq!(dates::zoned("2026-11-02 06:00:00").unwrap().zone, "");
    for no in ["", "[]", "Idle", "2026-11-02 06:00:00 or so", "[2026-11-02 06:00:00 ZE1] x", "2026-11-02"] {
        assert_eq!(dates::zoned(no), None, "{no}");
    }
    for no in ["ZE15", "ZE", "ZE1A", "ZE1BB", "ze1", "CET", ""] {
        assert_eq!(dates::offset(no), None, "{no}");
    }
}
