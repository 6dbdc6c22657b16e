//! Recordings of real machines, which are too many to be kept here: `shared/data/os` beside the workspace, or `$WEEKLINE_SHARED`.
//!
//! The expected numbers were worked out with awk from the files; how is said beside them.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use weekline::formats::{self, About, FormatError, Parsed};
use weekline::snapshot::Snapshot;

/// The folder of recordings; says loudly that it is not there.
fn recordings() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("WEEKLINE_SHARED").map_or_else(beside, PathBuf::from).join("data/os");
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the test harness, which keeps to itself what a passing test prints.
    writeln!(std::io::stderr(), "SKIPPED: no recordings in {}", folder.display()).expect("stderr is open");
    None
}

fn about() -> About {
    About {
        host: "mail1".to_owned(),
        host_given: false,
        zone: Some(chrono_tz::America::New_York),
        start: "2026-11-30T07:00:00".parse().ok(),
        every: Some(Duration::from_secs(60)),
        partition: None,
        date_order: None,
        named: Vec::new(),
    }
}

/// The snapshots of a file, found by its head as the program finds it; `None` where no format knows it.
fn read(path: &str, about: &About) -> Option<(Vec<Snapshot>, Result<Parsed, FormatError>)> {
    let folder = recordings().expect("asked for before");
    let bytes = std::fs::read(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let format = formats::detect(&String::from_utf8_lossy(&bytes[..bytes.len().min(8192)]))?;
    let mut snapshots = Vec::new();
    let result = format.parse(&mut bytes.as_slice(), about, &mut |snapshot| snapshots.push(snapshot));
    Some((snapshots, result))
}

/// The snapshots of a file of which nothing was left out.
fn whole(path: &str, about: &About) -> Vec<Snapshot> {
    let (snapshots, result) = read(path, about).unwrap_or_else(|| panic!("{path} is not recognised"));
    let parsed = result.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(parsed.skipped.count, 0, "{path}: {:?}", parsed.skipped.first);
    assert!(snapshots.iter().all(|snapshot| snapshot.unknown.is_empty()), "{path}");
    snapshots
}

fn values(snapshots: &[Snapshot], metric: &str, labels: &[&str]) -> Vec<f64> {
    snapshots.iter().filter_map(|snapshot| snapshot.value(metric, labels)).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

fn readings(snapshots: &[Snapshot]) -> Vec<(String, String, f64)> {
    let all = snapshots.iter().flat_map(|snapshot| snapshot.readings.iter().map(move |reading| (snapshot, reading)));
    all.map(|(s, r)| (s.at.to_string(), format!("{}{:?}", r.metric.name, r.labels), r.value)).collect()
}

/// `awk -F';' '$4=="-1"{n++;s+=$5;if(n==1)f=$3;l=$3}END{print n,f,l,s/n}' sadf-d-u-NY.out`
#[test]
fn sadf_processors() {
    if recordings().is_none() {
        return;
    }
    for file in ["d-u-NY", "d-cpu", "d-PALL", "dU-u"] {
        let snapshots = whole(&format!("sadf/sadf-{file}.out"), &About::default());
        let user = values(&snapshots, "host_cpu_mode_ratio", &["user"]);
        assert_eq!(user.len(), 46, "{file}");
        assert_eq!(snapshots[0].at.to_string(), "2026-11-30 19:15:52 UTC");
        assert_eq!(snapshots[45].at.to_string(), "2026-11-30 19:17:22 UTC");
        // 59.4993 by awk, in full 2736.97 / 46.
        assert!(close(user.iter().sum::<f64>() * 100.0, 2736.97), "{file}: {}", user.iter().sum::<f64>() * 100.0);
        // The first row and the one after the restart at 19:17:08.
        let anew: Vec<usize> = (0..46).filter(|&i| !snapshots[i].follows).collect();
        assert_eq!(anew, [0, 39], "{file}");
        assert!(snapshots.iter().all(|s| s.host == "vm" && s.every == Duration::from_secs(2)));
    }
    // Local times of a machine that was in UTC: read in New York's zone they lie five hours later.
    for file in ["dT-u", "dht-u"] {
        let path = format!("sadf/sadf-{file}.out");
        let without = read(&path, &About::default()).expect("known").1;
        assert!(matches!(without, Err(FormatError::Missing { .. })));
        assert_eq!(whole(&path, &about())[0].at.to_string(), "2026-12-01 00:15:52 UTC");
    }
}

#[test]
fn sadf_in_four_languages() {
    if recordings().is_none() {
        return;
    }
    let of = |locale: &str| readings(&whole(&format!("sadf/sadf-d-ur-{locale}.out"), &About::default()));
    let english = of("en_US");
    assert!(!english.is_empty());
    for locale in ["de_DE", "fr_FR", "ja_JP"] {
        assert_eq!(of(locale), english, "{locale}");
    }
}

/// `awk -F';' '/^#/{h=$4} h=="DEV"&&$4=="vda"{n++;u+=$12}END{print n,u/n}' sadf-d-A.out`, and `$7` of the table with `rxkB/s`.
#[test]
fn sadf_of_everything_and_in_wide_rows() {
    if recordings().is_none() {
        return;
    }
    let all = whole("sadf/sadf-d-A.out", &About::default());
    // Eleven tables of 46 rows have columns that rows of the catalog claim:
    // CPU, tasks, paging, memory, swap, load, disks, interfaces and three of pressure.
    assert_eq!(all.len(), 11 * 46);
    let busy = values(&all, "host_disk_busy_ratio", &["vda"]);
    assert_eq!(busy.len(), 46);
    assert!((busy.iter().sum::<f64>() / 46.0 - 0.017_547_8).abs() < 5e-8);
    let wide = whole("sadf/sadf-dh-urd.out", &About::default());
    assert_eq!(wide.len(), 46);
    assert_eq!(values(&wide, "host_disk_busy_ratio", &["vda"]), busy);
    let received = values(&all, "host_network_receive_bytes_per_second", &["eth0"]);
    assert_eq!(received.len(), 46);
    assert!((received.iter().sum::<f64>() / 1024.0 - 63_380.3).abs() < 0.05);
    assert!(values(&all, "host_network_receive_bytes_per_second", &["lo"]).is_empty());
}

/// Every file of `vmstat`: rows after the first, `awk '/^ *[0-9]+ +[0-9]+ /{n++} END{print n-1}'`; 0 where no format may know it.
#[test]
fn vmstat_files() {
    const FILES: &[(&str, usize)] = &[
        ("1-3", 2),
        ("1-60-tty24", 59),
        ("1-95-pipe", 94),
        ("D", 0),
        ("SK-1-3", 2),
        ("SM-1-3", 2),
        ("Sk-1-3", 2),
        ("Sm-1-3", 2),
        ("a-1-3", 2),
        ("awt-1-3", 2),
        ("d-1-3", 0),
        ("f", 0),
        ("m", 0),
        ("n-1-3", 2),
        ("pvda-1-3", 0),
        ("pvda1-1-3", 0),
        ("s", 0),
        ("t-1-3", 2),
        ("t-NewYork-1-3", 2),
        ("t-de_DE-1-3", 2),
        ("t-en_US-1-3", 2),
        ("t-ja_JP-1-3", 2),
        ("w-1-3", 2),
        ("wt-1-3", 2),
        ("y-1-3", 2),
    ];
    let Some(folder) = recordings() else { return };
    assert_eq!(folder.join("vmstat").read_dir().unwrap().count(), FILES.len(), "a file is missing from the table");
    for (file, rows) in FILES {
        let path = format!("vmstat/vmstat-{file}.out");
        if *rows == 0 {
            assert!(read(&path, &about()).is_none(), "{path} is no recording");
            continue;
        }
        let snapshots = whole(&path, &about());
        assert_eq!(snapshots.len(), *rows, "{path}");
        assert_eq!(snapshots.iter().filter(|snapshot| !snapshot.follows).count(), 1, "{path}");
        // Only the files with stamps were made in that hour; the others begin where `about` says, at 12:00 UTC.
        let expected =
            if file.contains('t') && !file.contains("tty") { "2026-11-30 19:15:26 UTC" } else { "2026-11-30 12:01:00 UTC" };
        assert_eq!(snapshots[0].at.to_string(), expected, "{path}");
    }
    // `awk '/^ *[0-9]/{r++; if(r>1)s+=$13} END{print s}'`
    for (file, user) in [("1-95-pipe", 56.42), ("1-60-tty24", 28.54)] {
        let snapshots = whole(&format!("vmstat/vmstat-{file}.out"), &about());
        assert!(close(values(&snapshots, "host_cpu_mode_ratio", &["user"]).iter().sum(), user), "{file}");
    }
    let german = whole("vmstat/vmstat-t-de_DE-1-3.out", &about());
    assert_eq!(values(&german, "host_memory_buffers_bytes", &[]), [66_076.0 * 1024.0; 2]);
    let newyork = read("vmstat/vmstat-t-NewYork-1-3.out", &About::default()).expect("known").1;
    assert_eq!(
        newyork.unwrap_err().to_string(),
        "zone `EST` is not unique; add --zone with an IANA name, like --zone America/New_York"
    );
}

/// Rows after the first and the sum of `us` in percent by the same awk; the last instant by the last line and the zone.
#[test]
fn vmstat_of_other_machines() {
    if recordings().is_none() {
        return;
    }
    for (path, zone, rows, user, last) in [
        ("jc/centos-7.7__vmstat-at-5-10.out", chrono_tz::America::Los_Angeles, 3, 0.0, "2021-09-17 03:33:28 UTC"),
        ("pbench/vmstat-stdout.txt", chrono_tz::America::New_York, 45, 44.0, "2015-02-20 01:09:20 UTC"),
        ("sysstat_parser/vmstat_rhel6.0_small.txt", chrono_tz::Asia::Tokyo, 44, 0.0, "2011-04-12 11:50:11 UTC"),
        ("sysstat_parser/vmstat_rhel5.5_small.txt", chrono_tz::UTC, 44, 112.0, "2026-11-30 07:44:00 UTC"),
        ("sysstat_parser/vmstat_rhel4_small.txt", chrono_tz::UTC, 11, 20.0, "2026-11-30 07:11:00 UTC"),
        ("getperf-linux/vmstat.txt", chrono_tz::UTC, 60, 2.0, "2026-11-30 08:00:00 UTC"),
        ("xymon/client_vmstat", chrono_tz::UTC, 1, 9.0, "2026-11-30 07:01:00 UTC"),
    ] {
        let snapshots = whole(path, &About { zone: Some(zone), ..about() });
        assert_eq!(snapshots.len(), rows, "{path}");
        assert!(close(values(&snapshots, "host_cpu_mode_ratio", &["user"]).iter().sum::<f64>() * 100.0, user), "{path}");
        assert_eq!(snapshots[rows - 1].at.to_string(), last, "{path}");
    }
    // The interval is the file's own: 5 s, 60 s.
    assert_eq!(whole("jc/centos-7.7__vmstat-at-5-10.out", &about())[2].every, Duration::from_secs(5));
}

#[test]
fn what_is_no_recording_of_linux() {
    if recordings().is_none() {
        return;
    }
    for path in ["vmstat", "vmstat-a", "vmstat-awt", "vmstat-w"].map(|name| format!("jc/centos-7.7__{name}.out")) {
        let message = read(&path, &about()).expect("known").1.unwrap_err().to_string();
        assert!(message.starts_with("holds nothing but averages since boot"), "{path}: {message}");
    }
    for path in [
        "jc/centos-7.7__vmstat-d.out",
        "jc/centos-7.7__vmstat-dt.out",
        "excerpts/aix-vmstat-IW.txt",
        "excerpts/aix-vmstat-dedicated.txt",
        "excerpts/aix-vmstat-shared-capped.txt",
        "excerpts/solaris-vmstat-2disks.txt",
        "sysstat_parser/vmstat-S_solaris10.txt",
        "sysstat_parser/vmstat-p_solaris10.txt",
        "proc/vmstat.txt",
        "sadf/sadf-p-A.out",
        "sadf/sadf-j-A.out",
        "sadf/sadf-x-A.out",
    ] {
        assert!(read(path, &about()).is_none(), "{path}");
    }
}
