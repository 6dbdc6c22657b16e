//! Whatever bytes stand in a kernel file: no panic, and numbers that are numbers.

use proptest::prelude::*;
use weekline::snapshot::Snapshot;

use super::host::Host;

/// Every file that is read again and again.
const FILES: [&str; 15] = [
    "proc/stat",
    "proc/loadavg",
    "proc/meminfo",
    "proc/vmstat",
    "proc/diskstats",
    "proc/net/dev",
    "proc/self/mountinfo",
    "proc/pressure/cpu",
    "proc/pressure/io",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/cpu.stat",
    "sys/fs/cgroup/memory.current",
    "sys/fs/cgroup/memory.max",
    "sys/devices/system/cpu/online",
    "sys/block/sda/diskseq",
];
/// Every file that is read once.
const FIXED: [&str; 4] = ["etc/os-release", "proc/cpuinfo", "proc/sys/kernel/osrelease", "proc/sys/kernel/random/boot_id"];

fn sound(snapshot: &Snapshot) -> bool {
    snapshot.readings.iter().all(|reading| reading.value.is_finite() && reading.value >= 0.0)
        && snapshot.readings.iter().all(|reading| reading.labels.values().len() == reading.metric.labels.len())
}

/// One pass cuts every file at its `end`th byte, so that each is cut at each.
#[test]
fn files_cut_at_every_byte_are_survived() {
    let mut host = Host::new();
    let whole = host.read();
    let texts = FILES.map(|file| host.text(file));
    let longest = texts.iter().map(String::len).max().unwrap();
    for end in 0..=longest {
        for (file, text) in FILES.iter().zip(&texts) {
            if end < text.len() {
                host.set(file, &text[..end]);
            } else if end == text.len() {
                host.set(file, text);
            }
        }
        assert!(sound(&host.read()), "cut at {end}");
    }
    assert_eq!(host.read().readings.len(), whole.readings.len());
}

#[test]
fn bytes_that_are_no_text_are_an_error_of_their_source() {
    for file in FILES {
        let mut host = Host::new();
        host.set(file, b"cpu0 \xff\xfe 1 2 3\n");
        let snapshot = host.read();
        assert!(sound(&snapshot));
        let errors = host.errors();
        assert!(matches!(errors.as_slice(), [error] if error.contains(file) && error.contains("utf-8")), "{file}: {errors:?}");
    }
    for file in FIXED {
        let mut host = Host::with(|host| host.set(file, b"\xff\xfe\n"));
        assert!(sound(&host.read()));
        assert_eq!(host.errors(), [""; 0]);
    }
}

/// Pieces of which kernel files consist, and what breaks them.
const SOUP: [&str; 24] = [
    "cpu",
    "cpu0",
    "cpu9999999999",
    "softirq",
    "procs_blocked",
    "sda",
    "sda1",
    "dm-0",
    "eth0:",
    ":",
    "some",
    "total=",
    "max",
    "kB",
    " - ",
    "\\040",
    "\\",
    "0",
    "-1",
    "18446744073709551615",
    "99999999999999999999",
    "1e308",
    "nan",
    "8:1",
];

fn soup() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::collection::vec((0..SOUP.len(), prop::sample::select(vec![" ", "\n", "\t", ""])), 0..80);
    words.prop_map(|words| words.into_iter().flat_map(|(i, gap)| [SOUP[i], gap]).collect::<String>().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut host = Host::with(|host| FIXED.iter().for_each(|file| host.set(file, &bytes)));
        for file in FILES {
            host.set(file, &bytes);
        }
        prop_assert!(sound(&host.read()));
    }

    #[test]
    fn words_in_any_order_are_survived(texts in prop::collection::vec(soup(), FILES.len())) {
        let mut host = Host::new();
        for (file, text) in FILES.iter().zip(&texts) {
            host.set(file, text);
        }
        prop_assert!(sound(&host.read()));
    }
}
