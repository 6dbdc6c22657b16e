//! Systems that lack something: what is not there is missing, not guessed, and costs only itself.

use std::sync::Arc;

use chrono::Utc;
use weekline::catalog::Place;
use weekline::publish;
use weekline::run::{Overhead, Shared};
use weekline::schedule::{Outside, Schedule};
use weekline::snapshot::Snapshot;
use weekline::sources::{self, Settings, Source, SourceError, Watched};

use super::host::{Host, MINUTE, fixture};

fn count(snapshot: &Snapshot, prefix: &str) -> usize {
    snapshot.readings.iter().filter(|reading| reading.metric.name.starts_with(prefix)).count()
}

/// A host that was changed before its sources were made, read once without any fault.
fn read(change: impl FnOnce(&Host)) -> Snapshot {
    let mut host = Host::with(change);
    let snapshot = host.read();
    assert_eq!(host.errors(), [""; 0]);
    snapshot
}

#[test]
fn a_kernel_without_pressure_accounting_has_no_pressure() {
    assert_eq!(count(&read(|host| host.remove("proc/pressure")), "host_pressure"), 0);
}

/// Linux before 5.13.
#[test]
fn pressure_of_the_processors_may_lack_full() {
    let snapshot = read(|host| host.set("proc/pressure/cpu", "some avg10=1.10 avg60=1.90 avg300=1.70 total=410000000\n"));
    assert_eq!(snapshot.value("host_pressure_seconds_total", &["cpu", "some"]), Some(410.0));
    assert_eq!(snapshot.value("host_pressure_seconds_total", &["cpu", "full"]), None);
    assert_eq!(count(&snapshot, "host_pressure"), 5);
}

#[test]
fn a_bare_host_has_no_control_group_to_speak_of() {
    assert_eq!(count(&read(|host| host.remove("sys/fs/cgroup")), "host_cgroup"), 0);
    // The root group of version 2 has accounts, but no limits: it is the machine itself.
    let root = read(|host| {
        for file in ["cpu.max", "memory.max", "memory.current"] {
            host.remove(&format!("sys/fs/cgroup/{file}"));
        }
    });
    assert_eq!(count(&root, "host_cgroup"), 0);
}

#[test]
fn a_control_group_without_limits_has_no_rows_of_them() {
    let snapshot = read(|host| {
        host.set("sys/fs/cgroup/cpu.max", "max 100000\n");
        host.set("sys/fs/cgroup/memory.max", "max\n");
    });
    assert_eq!(snapshot.value("host_cgroup_cpu_limit_cores", &[]), None);
    assert_eq!(snapshot.value("host_cgroup_memory_limit_bytes", &[]), None);
    assert_eq!(snapshot.value("host_cgroup_memory_bytes", &[]), Some(3_221_225_472.0));
    assert_eq!(snapshot.value("host_cgroup_cpu_seconds_total", &["user"]), Some(3900.0));
}

/// A container that was given a limit of memory and none of processors.
#[test]
fn a_control_group_may_be_without_a_controller() {
    let snapshot = read(|host| host.remove("sys/fs/cgroup/cpu.max"));
    assert_eq!(snapshot.value("host_cgroup_memory_limit_bytes", &[]), Some(4_294_967_296.0));
    let snapshot = read(|host| ["memory.max", "memory.current"].iter().for_each(|f| host.remove(&format!("sys/fs/cgroup/{f}"))));
    assert_eq!(snapshot.value("host_cgroup_cpu_limit_cores", &[]), Some(1.5));
}

/// Linux before 3.14: what is available cannot be worked out from the rest.
#[test]
fn memory_available_is_not_guessed() {
    let snapshot = read(|host| host.edit("proc/meminfo", "MemAvailable:    3000000 kB\n", ""));
    assert_eq!(snapshot.value("host_memory_available_bytes", &[]), None);
    assert_eq!(snapshot.value("host_memory_free_bytes", &[]), Some(512_000_000.0));
}

/// Linux before 2.6.11 had seven modes.
#[test]
fn an_old_kernel_has_fewer_modes() {
    let snapshot = read(|host| host.set("proc/stat", "cpu 10 20 30 400 50 6 7\ncpu0 10 20 30 400 50 6 7\nctxt 9\n"));
    assert_eq!(snapshot.value("host_cpu_seconds_total", &["softirq"]), Some(0.07));
    assert_eq!(snapshot.value("host_cpu_seconds_total", &["steal"]), None);
    assert_eq!(snapshot.value("host_cpus", &[]), Some(1.0));
}

#[test]
fn a_system_without_files_of_its_own_description_is_read_all_the_same() {
    let snapshot = read(|host| {
        ["etc", "proc/sys", "proc/cpuinfo", "sys/devices"].iter().for_each(|path| host.remove(path));
    });
    let mut told: Vec<&str> = snapshot.facts.iter().map(|fact| fact.row.name).collect();
    told.dedup();
    assert_eq!(told, ["disk"]);
    assert!(count(&snapshot, "host_cpu") > 0);
}

/// dpkg and rpm put another file in its place; whoever holds the old one open reads the old release for ever.
#[test]
fn an_upgrade_of_the_distribution_is_seen() {
    let mut host = Host::new();
    let os = |host: &mut Host| host.read().facts.iter().find(|fact| fact.row.name == "os").map(|fact| fact.text.clone());
    assert!(os(&mut host).is_some());
    host.set("etc/os-release.dpkg-new", "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 14\"\n");
    std::fs::rename(host.path("etc/os-release.dpkg-new"), host.path("etc/os-release")).unwrap();
    assert_eq!(os(&mut host).as_deref(), Some("Debian GNU/Linux 14"));
    host.remove("etc/os-release");
    assert_eq!(os(&mut host), None);
    assert_eq!(host.errors(), [""; 0]);
}

/// What may have to be waited for comes last.
#[test]
fn file_systems_delay_no_other_source() {
    assert_eq!(Host::new().healths().last().map(|health| health.name), Some("file_systems"));
}

#[test]
fn the_model_of_the_processors_is_told_on_every_architecture() {
    let table = [
        (
            "processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\nclock\t\t: 2500.000000MHz\n",
            "POWER9 (raw), altivec supported",
        ),
        ("vendor_id       : IBM/S390\n# processors    : 4\n", "IBM/S390"),
        ("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "0xd0c"),
    ];
    for (text, model) in table {
        let snapshot = read(|host| host.set("proc/cpuinfo", text));
        let fact = snapshot.facts.iter().find(|fact| fact.row.name == "cpu_model").unwrap();
        assert_eq!(fact.text, model);
    }
}

/// A network file system is asked only where the configuration says so; what is no place for files never is.
#[test]
fn file_systems_are_those_of_the_machine_s_own_and_each_once() {
    let snapshot = Host::new().read();
    let sizes = snapshot.readings.iter().filter(|reading| reading.metric.name == "host_filesystem_size_bytes");
    let mounts: Vec<Vec<&str>> = sizes.map(|reading| reading.labels.values().collect()).collect();
    assert_eq!(mounts, [["/", "ext4"], ["/local/notesdata", "xfs"], ["/mnt/My Backups", "ext4"]]);
}

/// A source that fails shows as such, the others are read, and when its file is back it reads again.
#[test]
fn a_source_that_fails_costs_only_itself_and_recovers() {
    for (file, source) in [
        ("proc/stat", "processors"),
        ("proc/loadavg", "load"),
        ("proc/meminfo", "memory"),
        ("proc/vmstat", "paging"),
        ("proc/net/dev", "network"),
        ("proc/self/mountinfo", "file_systems"),
    ] {
        let mut host = Host::new();
        let whole = host.read();
        let text = host.text(file);
        for broken in ["", "\u{1}\u{2} no such thing", "\n\n\n"] {
            host.set(file, broken);
            let rest = host.read();
            // An empty list of mounts or devices is a list.
            let may_be_empty = ["network", "file_systems"].contains(&source);
            let failed: Vec<_> =
                host.healths().iter().filter(|health| health.error.is_some()).map(|health| health.name).collect();
            assert_eq!(failed, if may_be_empty { vec![] } else { vec![source] }, "{file}: {broken:?}");
            assert!(rest.readings.len() < whole.readings.len());
        }
        assert_eq!(host.health(source).error.is_some(), !["network", "file_systems"].contains(&source));
        host.set(file, text);
        assert_eq!(host.read().readings.len(), whole.readings.len(), "{file}");
        assert_eq!(host.errors(), [""; 0]);
    }
}

#[test]
fn a_file_that_is_not_there_is_named_and_shown() {
    let mut host = Host::with(|host| host.remove("proc/loadavg"));
    let snapshot = host.read();
    assert_eq!(snapshot.value("host_load1", &[]), None);
    let error = host.health("load").error.clone().unwrap();
    assert!(error.contains("proc/loadavg`: ") && error.contains("No such file"), "{error}");
    assert_eq!((host.health("load").good, host.health("memory").good), (None, Some(snapshot.at)));
    let text = own(&host, &snapshot);
    assert!(text.contains("\nweekline_source_up{source=\"load\"} 0\n"), "{text}");
    assert!(text.contains("\nweekline_source_up{source=\"memory\"} 1\n"));
    assert!(text.contains("\nweekline_source_age_seconds{source=\"memory\"} 0\n"));
    assert!(!text.contains("weekline_source_age_seconds{source=\"load\"}"));
    host.set("proc/loadavg", "0.10 0.20 0.30 1/2 3\n");
    let snapshot = host.read();
    assert_eq!(snapshot.value("host_load15", &[]), Some(0.3));
    assert!(own(&host, &snapshot).contains("\nweekline_source_up{source=\"load\"} 1\n"));
}

fn own(host: &Host, snapshot: &Snapshot) -> String {
    let schedule = Schedule::new(chrono_tz::UTC, [None; 7], MINUTE, Outside::Idle, [].into());
    let shared = Shared::new(Utc::now(), Arc::new(schedule));
    shared.update(|status| status.sources = [(String::new(), host.healths())].into());
    publish::own(&shared.status(), &Overhead::default(), snapshot.at).unwrap()
}

/// A mistake in one source is that source's.
#[test]
fn a_source_that_panics_costs_only_itself() {
    struct Broken;
    impl Source for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
            into.put(Place::ProcLoadavg, "1", &[], 0.5);
            panic!("a mistake");
        }
    }
    let settings = Settings { root: fixture("host"), network_file_systems: false };
    let broken: Vec<Box<dyn Source>> = vec![Box::new(Broken)];
    let mut all: Vec<Watched> = broken.into_iter().chain(sources::all(&settings)).map(Watched::new).collect();
    let mut snapshot = Snapshot::new(Utc::now(), "mail1", MINUTE);
    sources::read_all(&mut all, &mut snapshot);
    assert_eq!(snapshot.value("host_load1", &[]), Some(0.5));
    assert!(count(&snapshot, "host_cpu") > 0);
    let failed: Vec<_> = all.iter().filter_map(|watched| watched.health.error.as_deref()).collect();
    assert!(matches!(failed.as_slice(), [error] if error.contains("a mistake")), "{failed:?}");
}

#[test]
fn the_host_s_name_is_the_kernel_s() {
    assert_eq!(sources::host_name(&fixture("host")).as_deref(), Some("mail1"));
    assert!(sources::host_name(&fixture("nowhere")).is_some_and(|name| !name.is_empty()));
}
