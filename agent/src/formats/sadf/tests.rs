use crate::formats::tests::{about, lines, parse, survives_cutting};
use crate::formats::{About, FormatError};

/// Parses and compares: the lines of the snapshots and the reasons of what was left out.
fn check(text: &str, about: &About, snapshots: &[&str], skipped: &[(u64, &str)]) {
    let (found, result) = parse("sadf", text.as_bytes(), about);
    assert_eq!(lines(&found), snapshots);
    let reasons: Vec<(u64, String)> = result.unwrap().skipped.first.into_iter().map(|line| (line.line, line.why)).collect();
    assert_eq!(reasons, skipped.iter().map(|(line, why)| (*line, (*why).to_owned())).collect::<Vec<_>>());
    assert!(found.iter().all(|snapshot| snapshot.unknown.is_empty()));
}

const CPU: &str = "# hostname;interval;timestamp;CPU;%user;%idle\n";

#[test]
fn all_processors_in_four_kinds_of_stamps_and_two_of_numbers() {
    let expected = [
        "vm 2026-11-30 19:15:52 2s anew host_cpu_mode_ratio{user}=0.25 host_cpu_mode_ratio{idle}=0.75",
        "vm 2026-11-30 19:15:54 2s host_cpu_mode_ratio{user}=0.5 host_cpu_mode_ratio{idle}=0.5",
    ];
    for (first, second, quality) in [
        ("2026-11-30 19:15:52 UTC", "2026-11-30 19:15:54 UTC", "row stamp in UTC"),
        ("2026-11-30 20:15:52", "2026-11-30 20:15:54", "row stamp, zone given"),
        ("1796066152", "1796066154", "row stamp in seconds since 1970"),
    ] {
        let text = format!("{CPU}vm;2;{first};-1;25.00;75.00\nvm;2;{first};0;1.00;99.00\nvm;2;{second};-1;50.00;50.00\n");
        check(&text, &about(), &expected, &[]);
        check(&text.replace('.', ",").replace('\n', "\r\n"), &about(), &expected, &[]);
        assert_eq!(parse("sadf", text.as_bytes(), &about()).1.unwrap().time_quality, quality);
    }
}

#[test]
fn a_local_time_needs_a_zone() {
    let text = format!("{CPU}vm;2;2026-11-30 20:15:52;-1;25.00;75.00\n");
    let message = parse("sadf", text.as_bytes(), &About::default()).1.unwrap_err().to_string();
    assert_eq!(message, "stamps are local times and no zone is named; add --zone with an IANA name, like --zone Europe/Berlin");
    assert!(matches!(parse("sadf", b"vm;2;1796066152;-1;1;2\n", &about()).1, Err(FormatError::Refused(_))));
}

#[test]
fn the_host_of_the_file_unless_the_user_named_one() {
    let text = format!("{CPU}vm;2;1796066152;-1;25.00;75.00\n;2;1796066154;-1;25.00;75.00\n");
    let hosts = |about: &About| parse("sadf", text.as_bytes(), about).0.into_iter().map(|s| s.host).collect::<Vec<_>>();
    assert_eq!(hosts(&about()), ["vm", "mail1"]);
    assert_eq!(hosts(&About { host_given: true, ..about() }), ["mail1", "mail1"]);
}

#[test]
fn items_share_a_snapshot_and_only_whole_disks_count() {
    let text = "# hostname;interval;timestamp;DEV;tps;rkB/s;await;%util\n\
                vm;60;2026-11-30 07:01:00 UTC;sda;1.00;2.00;3000.00;2260.00\n\
                vm;60;2026-11-30 07:01:00 UTC;sda1;1.00;2.00;3.00;4.00\n\
                vm;60;2026-11-30 07:01:00 UTC;dev8-16;1.00;4.00;0.00;4.00\n\
                vm;60;2026-11-30 07:01:00 UTC;dev253-0;1.00;2.00;3.00;4.00\n\
                vm;60;2026-11-30 07:01:00 UTC;rhel-root;1.00;2.00;3.00;4.00\n\
                # hostname;interval;timestamp;IFACE;rxpck/s;rxkB/s;txkB/s\n\
                vm;60;2026-11-30 07:01:00 UTC;lo;9.00;9.00;9.00\n\
                vm;60;2026-11-30 07:01:00 UTC;eth0;9.00;1.00;2.00\n\
                vm;60;2026-11-30 07:01:00 UTC;eth1;9.00;3.00;4.00\n\
                # hostname;interval;timestamp;IFACE;rxbyt/s;txbyt/s\n\
                vm;60;2026-11-30 07:01:00 UTC;eth0;1.00;2.00\n";
    let expected = [
        "vm 2026-11-30 07:01:00 60s anew host_disk_read_bytes_per_second{sda}=2048 host_disk_latency_seconds{sda}=3 \
         host_disk_busy_ratio{sda}=22.6 host_disk_read_bytes_per_second{dev8-16}=4096 host_disk_latency_seconds{dev8-16}=0 \
         host_disk_busy_ratio{dev8-16}=0.04",
        "vm 2026-11-30 07:01:00 60s anew host_network_receive_bytes_per_second{eth0}=1024 \
         host_network_transmit_bytes_per_second{eth0}=2048 host_network_receive_bytes_per_second{eth1}=3072 \
         host_network_transmit_bytes_per_second{eth1}=4096",
        "vm 2026-11-30 07:01:00 60s anew host_network_receive_bytes_per_second{eth0}=1 \
         host_network_transmit_bytes_per_second{eth0}=2",
    ];
    check(text, &about(), &expected, &[]);
}

#[test]
fn other_tables_are_left_alone() {
    let text = "# hostname;interval;timestamp;INTR;CPU*\n\
                vm;2;2026-11-30 19:15:52 UTC;sum;3205.00;1645.50;1559.50\n\
                # hostname;interval;timestamp;TTY;rcvin/s\n\
                vm;2;no stamp;0;0.00\n\
                # hostname;interval;timestamp;CPU;MHz\n\
                vm;2;2026-11-30 19:15:52 UTC;-1;2695.94\n\
                # hostname;interval;timestamp;FILESYSTEM;MBfsfree\n\
                vm;2;2026-11-30 19:15:52 UTC;/dev/vda;x\n";
    check(text, &about(), &[], &[]);
}

#[test]
fn restarts_comments_and_tables_begin_anew() {
    let table = "# hostname;interval;timestamp;ldavg-1\n\
                 vm;2;1796066152;1.00\nvm;-1;1796066153;COM vm made larger\nvm;2;1796066154;2.00\n\
                 vm;-1;1796066155;LINUX-RESTART\t(2 CPU)\nvm;2;1796066156;3.00\n";
    let once = [
        "vm 2026-11-30 19:15:52 2s anew host_load1{}=1",
        "vm 2026-11-30 19:15:54 2s host_load1{}=2",
        "vm 2026-11-30 19:15:56 2s anew host_load1{}=3",
    ];
    check(&table.repeat(2), &about(), &[once, once].concat(), &[]);
}

#[test]
fn what_cannot_be_is_counted_once_per_line() {
    let text = "vm;2;1796066150;1.00\n\
                # hostname;interval;timestamp;ldavg-1;ldavg-5;%memused\n\
                vm;2;1796066152;nan;-nan;100.01\n\
                vm;2;1796066154;1.00;9223372036854775808.00;50.00\n\
                vm;2;1796066153;1.00;1.00;50.00\n\
                vm;2;1796066155;1.00;1.00\n\
                vm;0;1796066157;1.00;1.00;1.00\n\
                vm;2;1;1.00;1.00;1.00\n\
                ## FooterBegin\n\
                # hostname;interval;timestamp;CPU;%user;%steal;%idle\n\
                vm;2;1796066152;-1;0.00;100.10;0.00\n\
                vm;2;1796066154;-1;0.00;0.00;0.00\n\
                vm;2;1796066156;-1;0.00;25.00;75.00";
    let skipped = [
        (1, "no header before this row"),
        (3, "`ldavg-1` is `nan`, not a number"),
        (4, "`ldavg-5` is 9223372036854775808.00, which cannot be"),
        (5, "its stamp is not later than the one before"),
        (6, "expected 6 columns, found 5"),
        (7, "interval `0` cannot be"),
        (8, "`1` is no date and time"),
        (9, "neither a header nor a row"),
        (11, "`%steal` is 100.10"),
        (12, "its shares of CPU time are all 0"),
        (13, "last line is cut"),
    ];
    check(text, &about(), &["vm 2026-11-30 19:15:54 2s anew host_load1{}=1"], &skipped);
}

#[test]
fn wide_rows() {
    let text = "# hostname;interval;timestamp;CPU;%user;%idle[...];kbdirty;DEV;rkB/s;await[...]\n\
                vm;2;1796066152;-1;25.00;75.00;1;vda;1.00;0.00\n\
                vm;2;1796066154;-1;25.00;75.00;1;vda;1.00;0.00;vdb;1.00;0.00\n\
                vm;2;1796066156;-1;25.00;75.00;1;5;1.00;0.00\n\
                # hostname;interval;timestamp;ldavg-1;DEV;rkB/s[...];ldavg-5\n\
                vm;2;1796066152;1.00;vda;1.00;vdb;2.00;dm-0;3.00;5.00\n";
    let expected = [
        "vm 2026-11-30 19:15:52 2s anew host_cpu_mode_ratio{user}=0.25 host_cpu_mode_ratio{idle}=0.75 \
         host_memory_dirty_bytes{}=1024 host_disk_read_bytes_per_second{vda}=1024 host_disk_latency_seconds{vda}=0",
        "vm 2026-11-30 19:15:54 2s host_cpu_mode_ratio{user}=0.25 host_cpu_mode_ratio{idle}=0.75",
        "vm 2026-11-30 19:15:56 2s host_cpu_mode_ratio{user}=0.25 host_cpu_mode_ratio{idle}=0.75 host_memory_dirty_bytes{}=1024",
        "vm 2026-11-30 19:15:52 2s anew host_load1{}=1 host_disk_read_bytes_per_second{vda}=1024 \
         host_disk_read_bytes_per_second{vdb}=2048 host_load5{}=5",
    ];
    let skipped =
        [(3, "several lists in one row: only what stands before the first is certain"), (4, "`DEV` is `5`, not a name")];
    check(text, &about(), &expected, &skipped);
}

#[test]
fn autumn_in_local_time_goes_forward() {
    let rows =
        |stamps: &[&str]| stamps.iter().map(|stamp| format!("vm;1800;2026-10-25 {stamp};-1;25.00;75.00\n")).collect::<String>();
    let text = CPU.to_owned() + &rows(&["02:00:00", "02:30:00", "02:00:00", "02:30:00", "03:00:00"]);
    let (snapshots, result) = parse("sadf", text.as_bytes(), &about());
    let times: Vec<String> = snapshots.iter().map(|snapshot| snapshot.at.format("%H:%M").to_string()).collect();
    assert_eq!(times, ["00:00", "00:30", "01:00", "01:30", "02:00"]);
    assert_eq!(result.unwrap().skipped.count, 0);
}

#[test]
fn cut_anywhere() {
    let table = |columns: &str, rows: &str| format!("# hostname;interval;timestamp;{columns}\n{rows}");
    let text = table(
        "CPU;%user;%idle",
        "vm;2;1796066152;-1;25.00;75.00\nvm;2;1796066152;0;25.00;75.00\nvm;2;1796066154;-1;50.00;50.00\n",
    ) + &table(
        "DEV;rkB/s;await",
        "vm;2;1796066152;vda;1.00;2.00\nvm;2;1796066152;vdb;3.00;4.00\nvm;-1;1796066153;LINUX-RESTART\n",
    ) + &table("ldavg-1;DEV;rkB/s[...]", "vm;2;2026-11-30 20:15:54;1.00;vda;1.00;vdb;2.00\n");
    survives_cutting("sadf", &text);
}
