use std::fs;
use std::time::{Duration, SystemTime};

use chrono::DateTime;
use tempfile::TempDir;

use super::*;

const INI: &str = "[Notes]\n; the server\nServerName=mail1/Acme\nServerTasks=HTTP,Sched\nLDAPPassword=hunter2\n";

struct Partition {
    data: TempDir,
    source: NotesIni,
}

impl Partition {
    fn new() -> Partition {
        let data = tempfile::tempdir().unwrap();
        let source = NotesIni::new("mail1", data.path());
        Partition { data, source }
    }

    /// The source reads this text.
    fn holds(&mut self, text: impl AsRef<[u8]>) -> (Vec<String>, Result<(), SourceError>) {
        fs::write(self.data.path().join("notes.ini"), text).unwrap();
        self.reads(DateTime::UNIX_EPOCH)
    }

    /// What the source notes: `field=text`.
    fn reads(&mut self, at: Timestamp) -> (Vec<String>, Result<(), SourceError>) {
        let mut into = Snapshot::new(at, "h", Duration::from_secs(60));
        let result = self.source.read(&mut into);
        assert!(into.unknown.is_empty() && into.readings.is_empty());
        let said = into.facts.iter().map(|fact| {
            assert_eq!(fact.about.values().collect::<Vec<_>>(), ["mail1"]);
            format!("{}={}", fact.row.field, fact.text)
        });
        (said.collect(), result)
    }

    /// The event for a change to this text, if there is one.
    fn changes(&mut self, text: impl AsRef<[u8]>) -> Option<String> {
        let (facts, result) = self.holds(text);
        result.unwrap();
        facts.iter().find_map(|fact| fact.strip_prefix("notes_ini_change=")).map(str::to_owned)
    }
}

fn get(text: &str, name: &str) -> Option<String> {
    settings(text)?.get(name).map(str::to_owned)
}

#[test]
fn settings_are_found_whatever_the_letter_case() {
    let text = "junk=1\r\n[NOTES]\r\n;ServerName=no\r\n servername = mail1/Acme \r\nKitType=2\r\nkittype=3\r\nEmpty=\r\n=x\r\nnothing\r\nA=b=c\r\n";
    for (name, value) in [
        ("ServerName", Some("mail1/Acme")),
        ("KITTYPE", Some("2")),
        ("Empty", Some("")),
        ("A", Some("b=c")),
        ("junk", None),
        ("nothing", None),
        ("", None),
    ] {
        assert_eq!(get(text, name).as_deref(), value, "{name}");
    }
}

#[test]
fn what_has_no_header_is_no_notes_ini_and_another_section_is_not_read() {
    assert!(settings("").is_none());
    assert!(settings("ServerName=mail1\n").is_none());
    assert!(settings("[Other]\nServerName=mail1\n").is_none());
    assert_eq!(get("[Notes]\nA=1\n[Other]\nB=2\n[Notes]\nC=3\n", "B"), None);
    assert_eq!(get("[Notes]\nA=1\n[Other]\nB=2\n[Notes]\nC=3\n", "C").as_deref(), Some("3"));
}

#[test]
fn any_bytes_are_a_text_and_no_difference_is_lost() {
    assert_eq!(text(b"\xef\xbb\xbf[Notes]"), "[Notes]");
    assert_eq!(text(b"a\xe4\x80\0"), "a\u{e4}\u{80}\0");
    assert_ne!(text(b"\xe4"), text(b"\xe5"));
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(text(&every).chars().count(), 256);
}

/// The digest is the beginning of what `sha256sum` says of the three settings, a line each: names in lower case, in order.
#[test]
fn the_digest_is_of_the_settings_and_not_of_their_order() {
    let mut partition = Partition::new();
    let digest = ["notes_ini=97a76e16d163b81c".to_owned()];
    assert_eq!(partition.holds(INI).0, digest);
    assert_eq!(
        partition.holds("[Notes]\r\nSERVERTASKS=HTTP,Sched\r\nldappassword=hunter2\r\nServerName = mail1/Acme\r\n").0,
        digest
    );
    assert_ne!(partition.holds(INI.replace("hunter2", "hunter3")).0, digest);
}

#[test]
fn changes_are_told_by_name_once() {
    let mut partition = Partition::new();
    assert_eq!(partition.changes(INI), None, "nothing is known before the first reading");
    assert_eq!(partition.changes(INI), None);
    let changed = "[Notes]\nserverName=mail1/Acme\nServerTasks=HTTP\nHTTP_Port=80\n";
    assert_eq!(partition.changes(changed).as_deref(), Some("HTTP_Port added, LDAPPassword removed, ServerTasks changed"));
    assert_eq!(partition.changes(changed), None);
    assert_eq!(partition.changes(format!("; a comment\n{changed}")), None);
}

#[test]
fn no_value_leaves() {
    let mut partition = Partition::new();
    let mut said = partition.holds(INI).0;
    said.extend(partition.holds(INI.replace("hunter2", "correct horse")).0);
    said.extend(partition.holds("[Notes]\nSTATPUB_HEADERS=X-Key: topsecret\n\u{1b}[31mA\tB=topsecret\n").0);
    let all = said.join("\n");
    for secret in ["hunter2", "correct horse", "topsecret", "mail1", "HTTP"] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
    assert!(all.contains("LDAPPassword changed") && all.contains("[31mAB added"), "{all}");
    assert!(said.iter().all(|fact| !fact.chars().any(char::is_control)), "{said:?}");
    let long = format!("[Notes]\n{}=1\n", "x".repeat(500));
    assert!(partition.changes(long).unwrap().split(", ").any(|change| change == format!("{} added", "x".repeat(80))));
}

#[test]
fn what_domino_keeps_writing_is_no_change() {
    let mut partition = Partition::new();
    let first = partition.holds(INI).0;
    for line in [
        "Last_Domino_Time=03/11/2026 10:15:00",
        "Last_Domino_Time=03/11/2026 10:20:00",
        "lasthistoryprunetime=0025\nCertificateExpChecked=/local/server.id 03/11/2026\nWinInfoBoxPos=1 2",
    ] {
        let (facts, result) = partition.holds(format!("{INI}{line}\n"));
        result.unwrap();
        assert_eq!(facts, first, "{line}");
    }
    assert_eq!(
        partition.changes(format!("{INI}WinInf=1\nLast_Domino_Timer=1\n")).as_deref(),
        Some("Last_Domino_Timer added, WinInf added")
    );
}

#[test]
fn a_file_that_is_half_written_is_left_until_it_is_whole() {
    let mut partition = Partition::new();
    partition.holds(INI).1.unwrap();
    let (facts, result) = partition.holds("");
    assert!(facts.is_empty() && result.is_ok());
    let (facts, result) = partition.holds("ServerName=mail1/Acme\n");
    assert!(facts.is_empty());
    assert!(result.unwrap_err().to_string().contains("no line `[Notes]`"), "said when it stays so");
    assert_eq!(partition.changes(INI), None, "it is as it was before");
    assert_eq!(partition.changes(format!("{INI}A=1\n")).as_deref(), Some("A added"));
}

/// A server that writes its file line by line is not to lose settings by it.
#[test]
fn a_file_that_changed_just_now_is_left_for_the_next_time_once() {
    let mut partition = Partition::new();
    partition.holds(INI).1.unwrap();
    let changed = |partition: &Partition| fs::metadata(partition.data.path().join("notes.ini")).unwrap().modified().unwrap();
    let at = |time: SystemTime, later: u64| Timestamp::from(time + Duration::from_secs(later));
    fs::write(partition.data.path().join("notes.ini"), "[Notes]\nServerName=mail1/Acme\n").unwrap();
    let time = changed(&partition);
    assert!(partition.reads(at(time, 0)).0.is_empty());
    fs::write(partition.data.path().join("notes.ini"), format!("{INI}A=1\n")).unwrap();
    let time = changed(&partition);
    assert!(partition.reads(at(time, 0)).0.contains(&"notes_ini_change=A added".to_owned()), "it does not wait for ever");
    fs::write(partition.data.path().join("notes.ini"), INI).unwrap();
    let time = changed(&partition);
    assert!(partition.reads(at(time, 3)).0.contains(&"notes_ini_change=A removed".to_owned()));
}

#[test]
fn a_file_that_is_not_there_is_an_error_and_may_come_back() {
    let mut partition = Partition::new();
    let error = crate::sources::chain(&partition.reads(DateTime::UNIX_EPOCH).1.unwrap_err());
    assert!(error.contains("notes.ini`: No such file"), "{error}");
    partition.holds(INI).1.unwrap();
    fs::remove_file(partition.data.path().join("notes.ini")).unwrap();
    assert!(partition.reads(DateTime::UNIX_EPOCH).1.is_err());
    assert_eq!(partition.changes(format!("{INI}A=1\n")).as_deref(), Some("A added"));
}
