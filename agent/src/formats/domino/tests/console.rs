//! Single lines.

use super::super::console::{Field, Finding, Line, line};

#[test]
fn banners_and_headers() {
    for (text, maker, bits64, release, date) in [
        ("Lotus Domino (r) Server, Release 7.0.2, September 26, 2006", "Lotus", false, "7.0.2", "September 26, 2006"),
        ("Lotus Domino (r) Server, Build V85_M2_08202008, August 20, 2008", "Lotus", false, "V85_M2_08202008", "August 20, 2008"),
        (
            "IBM Domino (r) Server (64 Bit), Release 9.0.1FP10HF1 , November 19, 2018",
            "IBM",
            true,
            "9.0.1FP10HF1",
            "November 19, 2018",
        ),
        ("HCL Domino (r) Server (64 Bit), Release 14.5, June 17, 2025", "HCL", true, "14.5", "June 17, 2025"),
    ] {
        let Some(Line::Banner(banner)) = line(text) else { panic!("{text}") };
        assert_eq!((banner.maker, banner.bits64, banner.release, banner.date), (maker, bits64, release, date));
    }
    let Some(Line::Header { release, platform, at }) =
        line("Lotus Domino (r) Server (Release 8.5 for Windows/32) 2010-07-30 00:52:58")
    else {
        panic!()
    };
    assert_eq!((release, platform), ("8.5", "Windows/32"));
    assert_eq!(at.unwrap().at(None).unwrap().to_string(), "2010-07-30 00:52:58");
    for no in
        ["Sun Domino (r) Server, Release 1, x", "IBM Domino (r) Server", "IBM Domino (r) Server, 9", "IBM Domino (r) Server (x)"]
    {
        assert_eq!(line(no), None, "{no}");
    }
}

#[test]
fn fields_of_show_server() {
    for (text, field) in [
        ("Server name:            mail1/Acme - Test server", Field::ServerName("mail1/Acme - Test server")),
        ("Server directory:       /local/notesdata", Field::Directory("/local/notesdata")),
        ("Partition:              .local.notesdata", Field::Partition(".local.notesdata")),
        ("Elapsed time:           14 day(s) 05:15:00", Field::Elapsed(1_228_500.0)),
        (
            "Transactions/minute:    Last minute: 5894; Last hour: 363963; Peak: 7161",
            Field::Transactions { minute: 5894, hour: 363_963, peak: 7161 },
        ),
        ("Transactions: 31679999   Max. concurrent: 80", Field::TransactionsTotal(31_679_999)),
        ("Peak # of sessions:     0 at ", Field::PeakSessions(0, None)),
        ("Availability Index:     72 (state: AVAILABLE)", Field::Availability(72)),
        ("Pending mail: 5         Dead mail: 1    ", Field::Mail { pending: 5, dead: 1 }),
        ("12 Transactions/Minute, 3 Notes Users", Field::Performance { minute: 12, users: 3 }),
    ] {
        assert_eq!(line(text), Some(Line::Field(field)), "{text}");
    }
    let Some(Line::Field(Field::PeakSessions(1062, Some(at)))) = line("Peak # of sessions:     1062 at 20.10.2026 10:10:00")
    else {
        panic!()
    };
    assert_eq!(at.at(None).unwrap().to_string(), "2026-10-20 10:10:00");
    // No guess at grouped or cut numbers.
    for no in ["Transactions: 31.679.999   Max. concurrent: 80", "Elapsed time:", "Elapsed time: x", "Availability Index: "] {
        assert_eq!(line(no), None, "{no}");
    }
}

#[test]
fn starts_ends_and_findings() {
    for (text, finding) in [
        ("/local/db.nsf: Database is corrupt -- Cannot allocate space", Finding::Corruption),
        ("Task http has terminated abnormally", Finding::Fault),
        ("Unable to replicate mail/a.nsf: Server not responding", Finding::Replication),
        ("Router: Insufficient disk space", Finding::DiskFull),
        ("Maximum number of sessions has been reached", Finding::SessionLimit),
        ("07:92: 0A:0A", Finding::NumbersOnly),
        ("  03:51: 07:92", Finding::NumbersOnly),
    ] {
        assert_eq!(line(text), Some(Line::Finding(finding, text.trim())), "{text}");
    }
    assert_eq!(line("Server started on physical node mail1"), Some(Line::Started("mail1")));
    assert_eq!(line("Server shutdown complete"), Some(Line::Stopped));
    for text in [
        "Performing consistency check on log.nsf...",
        "Recovery Manager: Restart Recovery complete. (3/0 databases needed full/partial recovery)",
    ] {
        assert_eq!(line(text), Some(Line::Unclean(text)));
    }
    let back = "Server mail1/Acme has faulted and is now back up and running.";
    assert_eq!(line(back), Some(Line::Recovered(back)));
    for nothing in [
        "Recovery Manager: Restart Recovery complete. (0/0 databases needed full/partial recovery)",
        "Performing consistency check on mail/a.nsf...",
        "Mail Router shutdown complete",
        "Fault Recovery:         Not Enabled",
        "  Monitor.Last.ROUTER.Failure = Insufficient disk space",
        "10:15:00",
        "",
    ] {
        assert_eq!(line(nothing), None, "{nothing}");
    }
}
