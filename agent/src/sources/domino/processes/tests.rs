use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// A host with a `/proc` of its own.
pub(in crate::sources::domino) struct Host(TempDir);

impl Host {
    /// No process yet, up for so many seconds.
    pub(in crate::sources::domino) fn up(seconds: u32) -> Host {
        let host = Host(tempfile::tempdir().unwrap());
        fs::create_dir_all(host.root().join("proc")).unwrap();
        host.stays_up(seconds);
        host
    }

    pub(in crate::sources::domino) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(in crate::sources::domino) fn stays_up(&self, seconds: u32) {
        fs::write(self.root().join("proc/uptime"), format!("{seconds}.00 1.00\n")).unwrap();
    }

    /// A data directory.
    pub(in crate::sources::domino) fn data(&self, name: &str) -> PathBuf {
        let data = self.root().join("local").join(name);
        fs::create_dir_all(&data).unwrap();
        data
    }

    pub(in crate::sources::domino) fn file(&self, process: u32, name: &str) -> PathBuf {
        self.root().join("proc").join(process.to_string()).join(name)
    }

    /// A process of a program in a directory, began at 10.00 s, without CPU time.
    pub(in crate::sources::domino) fn runs(&self, process: u32, program: &str, directory: &Path) {
        let comm: String = program.rsplit('/').next().unwrap().chars().take(COMM).collect();
        fs::create_dir_all(self.file(process, "")).unwrap();
        fs::write(self.file(process, "comm"), format!("{comm}\n")).unwrap();
        fs::write(self.file(process, "cmdline"), format!("{program}\0")).unwrap();
        symlink(program, self.file(process, "exe")).unwrap();
        symlink(directory, self.file(process, "cwd")).unwrap();
        self.uses(process, &comm, 1000, (0, 0), 0);
    }

    /// When it began, its CPU time in user and kernel mode (both in hundredths of a second), and its pages.
    pub(in crate::sources::domino) fn uses(&self, process: u32, comm: &str, began: u64, cpu: (u64, u64), pages: u64) {
        let (user, system) = cpu;
        let line =
            format!("{process} ({comm}) S 1 9 9 0 -1 4194560 9 0 0 0 {user} {system} 5 5 20 0 1 0 {began} 99 {pages} 1 1\n");
        fs::write(self.file(process, "stat"), line).unwrap();
    }

    pub(in crate::sources::domino) fn ends(&self, process: u32) {
        fs::remove_dir_all(self.file(process, "")).unwrap();
    }
}

/// Fields 14 and 15 are 230 and 20, 22 is 5000, 24 is 7.
const REST: &str = "S 1 100 100 0 -1 4194560 9 0 0 0 230 20 0 0 20 0 1 0 5000 1000000 7 184467 1 1 0";

#[test]
fn a_name_may_hold_blanks_and_parentheses() {
    for name in ["server", "a b", "(sd-pam)", "x) S 1 (y", ")", ""] {
        let process = Process { comm: name.to_owned(), ticks: 250, began: 5000, pages: 7 };
        assert_eq!(stat(&format!("4711 ({name}) {REST}\n")), Some(process), "{name:?}");
    }
}

#[test]
fn a_line_that_is_cut_or_is_none_is_nothing() {
    let line = format!("4711 (server) {REST}");
    let whole = line.find(" 184467").unwrap();
    for end in 0..whole - 1 {
        assert_eq!(stat(&line[..end]), None, "{:?}", &line[..end]);
    }
    assert_eq!(stat(")4711("), None);
    assert_eq!(stat(&line.replace(") S", ") Z")), None, "it ended");
    assert_eq!(stat(&line.replace(" 230 20 ", " -1 20 ")), None);
}

#[test]
fn programs_of_domino_lie_below_notes_and_a_release() {
    let folder = |path: &str| program_folder(Path::new(path)).map(|found| found.display().to_string());
    let latest = "/opt/hcl/domino/notes/latest/linux";
    assert_eq!(folder(&format!("{latest}/server")).as_deref(), Some(latest));
    assert_eq!(folder(&format!("{latest}/jvm/bin/java")).as_deref(), Some(latest));
    for other in ["/usr/bin/server", "/srv/linux/server", "/notes/linux/server", "/a/notes/1/linux", "server", ""] {
        assert_eq!(folder(other), None, "{other}");
    }
}

#[test]
fn a_controller_and_a_command_are_no_server() {
    let arguments = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (line, server) in [
        ("/x/server", true),
        ("server =/data/notes.ini", true),
        ("server -jc", false),
        ("server -c show stat", false),
        ("-c", true),
    ] {
        assert_eq!(is_server(&arguments(line)), server, "{line}");
    }
    assert!(is_server(&[]));
}

#[test]
fn a_mount_hides_processes_only_from_those_who_do_not_see_the_first() {
    let host = Host::up(1);
    let processes = Processes::new(host.root());
    assert!(!processes.hides());
    for (options, hides) in [
        ("rw,nosuid,hidepid=2,gid=4", true),
        ("rw,hidepid=invisible", true),
        ("rw,hidepid=0", false),
        ("rw,hidepid=off", false),
        ("rw,relatime", false),
    ] {
        fs::write(host.root().join("proc/mounts"), format!("sysfs /sys sysfs rw 0 0\nproc /proc proc {options} 0 0\n")).unwrap();
        assert_eq!(processes.hides(), hides, "{options}");
    }
    fs::write(host.root().join("proc/mounts"), "tmpfs /tmp tmpfs hidepid=2 0 0\nproc /proc\nproc /proc proc hidepid=2 0 0\n")
        .unwrap();
    assert!(processes.hides());
    host.runs(1, "/sbin/init", Path::new("/"));
    assert!(!processes.hides());
}

#[test]
fn a_directory_is_known_by_its_place_and_not_by_its_name() {
    let host = Host::up(1);
    let (data, other) = (host.data("notesdata"), host.data("other"));
    let link = host.root().join("link");
    symlink(&data, &link).unwrap();
    host.runs(7, "/x/http", &data);
    let processes = Processes::new(host.root());
    assert!(processes.works_in(7, &Directory::new(&data)).unwrap());
    assert!(processes.works_in(7, &Directory::new(&link)).unwrap(), "by a link in the configuration");
    assert!(!processes.works_in(7, &Directory::new(&other)).unwrap());
    // The same path in a container, where another directory has it.
    let inside = host.root().join("proc/7/root").join(data.strip_prefix("/").unwrap());
    fs::create_dir_all(&inside).unwrap();
    assert!(!processes.works_in(7, &Directory::new(&inside)).unwrap());
    assert_eq!(processes.works_in(8, &Directory::new(&data)).unwrap_err().kind(), io::ErrorKind::NotFound);
}
