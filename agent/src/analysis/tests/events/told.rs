//! What facts and consoles tell.

use super::*;

#[test]
fn settings_that_changed_are_named_where_that_is_known() {
    let mut made = Made::new();
    let ini = |s: &mut Snapshot, digest: &str| s.note(Place::Partition, "notes_ini", &["mail1"], digest);
    let keys = |s: &mut Snapshot, keys: &str| s.note(Place::Partition, "notes_ini_change", &["mail1"], keys);
    made.live(at("2026-11-24T09:00:00Z"), |s| ini(s, "aa"));
    made.live(at("2026-11-24T09:01:00Z"), |s| {
        keys(s, "HTTP_Port changed");
        ini(s, "bb");
    });
    made.live(at("2026-11-24T09:02:00Z"), |s| ini(s, "cc"));
    made.live(at("2026-11-24T09:03:00Z"), |s| keys(s, "Debug removed"));
    assert_eq!(
        made.told(),
        [
            "2026-11-24 09:01:00 mail1 config notes.ini changed: HTTP_Port changed",
            "2026-11-24 09:02:00 mail1 config notes.ini changed; which settings is not known: the agent did not run",
            "2026-11-24 09:03:00 mail1 config notes.ini changed: Debug removed",
        ]
    );
}

#[test]
fn tasks_that_do_not_run_and_tasks_that_run_again() {
    let mut made = Made::new();
    // Missing from the beginning on: nobody knows since when.
    for (n, missing) in ["Update", "", "HTTP,LDAP", "LDAP,Router", ""].into_iter().enumerate() {
        let time = at("2026-11-24T09:00:00Z") + TimeDelta::minutes(n as i64);
        made.live(time, |s| s.note(Place::Partition, "tasks_missing", &["mail1"], missing));
    }
    assert_eq!(
        made.told(),
        [
            "2026-11-24 09:01:00 mail1 task_missing Update>- Update runs again",
            "2026-11-24 09:02:00 mail1 task_missing ->HTTP, LDAP HTTP, LDAP do not run",
            "2026-11-24 09:03:00 mail1 task_missing HTTP, LDAP>LDAP, Router Router does not run; HTTP runs again",
            "2026-11-24 09:04:00 mail1 task_missing LDAP, Router>- LDAP, Router run again",
        ]
    );
}

#[test]
fn changes_of_the_host() {
    let mut made = Made::new();
    let machine = |s: &mut Snapshot, boot: &str, kernel: &str, cpus: &str, disk: &str, gib: f64| {
        s.note(Place::System, "boot_id", &[], boot);
        s.note(Place::System, "kernel", &[], kernel);
        s.note(Place::System, "cpus_online", &[], cpus);
        s.note(Place::System, "disk", &["sda"], disk);
        s.put(Place::ProcMeminfo, "MemTotal", &[], gib * 1024.0 * 1024.0);
    };
    made.live(at("2026-11-24T09:00:00Z"), |s| machine(s, "a", "5.14", "0-3", "x", 16.0));
    // A hundredth of the memory less is the kernel's own doing.
    made.live(at("2026-11-24T09:01:00Z"), |s| machine(s, "a", "5.14", "0-3", "x", 15.85));
    made.live(at("2026-11-24T09:02:00Z"), |s| machine(s, "b", "5.15", "0-7", "y", 32.0));
    assert_eq!(
        made.told(),
        [
            "2026-11-24 09:02:00 h restart the machine was booted anew",
            "2026-11-24 09:02:00 h host x>y another disk is sda",
            "2026-11-24 09:02:00 h host 5.14>5.15 kernel changed",
            "2026-11-24 09:02:00 h host 16.0 GiB>32.0 GiB memory changed",
            "2026-11-24 09:02:00 h host 0-3>0-7 processors online changed",
        ]
    );
}

#[test]
fn a_finding_said_again_within_the_hour_is_one() {
    let mut made = Made::new();
    let mut say = |time: &str, kind: &str, text: &str| made.live(at(time), |s| finding(s, kind, text));
    say("2026-11-24T09:00:00Z", "corruption", "u1.nsf is corrupt");
    say("2026-11-24T09:10:00Z", "corruption", "u1.nsf is corrupt");
    // The same second, a millisecond apart: read live, and out of the log.
    say("2026-11-24T09:10:00.001Z", "corruption", "u1.nsf is corrupt");
    say("2026-11-24T09:20:00Z", "corruption", "u2.nsf is corrupt");
    say("2026-11-24T09:59:59Z", "corruption", "u1.nsf is corrupt");
    say("2026-11-24T10:00:00Z", "corruption", "u1.nsf is corrupt");
    say("2026-11-24T10:30:00Z", "numbers_only", "07:92: 0A:0A");
    say("2026-11-24T10:31:00Z", "numbers_only", "07:93: 0B:0B");
    say("2026-11-24T10:32:00Z", "disk_full", "No space left on device");
    assert_eq!(
        made.told(),
        [
            "2026-11-24 09:00:00 mail1 log corruption, 3 times: u1.nsf is corrupt",
            "2026-11-24 09:20:00 mail1 log corruption: u2.nsf is corrupt",
            "2026-11-24 10:00:00 mail1 log corruption: u1.nsf is corrupt",
            "2026-11-24 10:30:00 mail1 log numbers only, 2 times: 07:92: 0A:0A",
            "2026-11-24 10:32:00 mail1 log disk full: No space left on device",
        ]
    );
}

#[test]
fn the_lines_of_a_crash_and_the_restart_after_it_are_one_event() {
    let mut made = Made::new();
    made.live(at("2026-11-24T09:00:00Z"), |s| uptime(s, "mail1", 90_000.0));
    made.live(at("2026-11-24T09:00:30Z"), |s| finding(s, "fault", "Server mail1 has faulted"));
    made.live(at("2026-11-24T09:04:10Z"), |s| finding(s, "unclean", "Performing consistency check on log.nsf..."));
    made.live(at("2026-11-24T09:04:20Z"), |s| {
        finding(s, "recovered", "Server mail1 has faulted and is now back up and running.")
    });
    made.live(at("2026-11-24T09:04:30Z"), |s| finding(s, "started", "Server started on physical node mail1"));
    made.live(at("2026-11-24T09:05:00Z"), |s| uptime(s, "mail1", 60.0));
    // A task that faults while the server goes on.
    made.live(at("2026-11-24T12:00:00Z"), |s| finding(s, "fault", "http terminated abnormally"));
    let told = made.told_without_gaps();
    assert_eq!(
        told,
        [
            "2026-11-24 09:00:30 mail1 crash fault: Server mail1 has faulted; restarted",
            "2026-11-24 12:00:00 mail1 crash fault: http terminated abnormally",
        ]
    );
}

#[test]
fn a_restart_is_no_crash_because_nobody_said_that_it_stopped() {
    for stopped in [true, false] {
        let mut made = Made::new();
        made.live(at("2026-11-24T09:00:00Z"), |s| uptime(s, "mail1", 90_000.0));
        if stopped {
            made.live(at("2026-11-24T09:00:30Z"), |s| finding(s, "stopped", "Server shutdown complete"));
        }
        made.live(at("2026-11-24T09:02:10Z"), |s| finding(s, "started", "Server started on physical node mail1"));
        made.live(at("2026-11-24T09:03:00Z"), |s| uptime(s, "mail1", 60.0));
        let how = if stopped { ", stopped in order" } else { "" };
        assert_eq!(made.told(), [format!("2026-11-24 09:02:00 mail1 restart restarted after 25 h{how}")]);
    }
}

#[test]
fn what_was_known_before_the_span_is_what_a_change_in_it_is_a_change_from() {
    let mut made = Made::new();
    made.live(at("2024-01-01T09:00:00Z"), |s| release(s, "mail1", "Release 12.0.2", "1"));
    made.live(at("2026-11-24T09:00:00Z"), |s| release(s, "mail1", "Release 14.5", "2"));
    let span = Span { start: at("2026-11-20T00:00:00Z"), ..Span::ALL };
    let told: Vec<String> = made.of(&Options::all(span)).iter().map(line).collect();
    assert_eq!(told, ["2026-11-24 09:00:00 mail1 upgrade 12.0.2>14.5 release changed"]);
}
