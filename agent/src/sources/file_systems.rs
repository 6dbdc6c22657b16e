//! Sizes of the mounted file systems, asked by `statvfs`.
//!
//! `statvfs` on a dead network mount never returns and cannot be stopped, so a worker asks and is left behind when it is late:
//! its mount is not asked again until that worker comes back, and every other mount gets a new one.
//! The number of workers left behind cannot pass the number of mounts.
//! Left out: what holds no files of the machine's own, and the `overlay` of each container, which shows the size of the disk it
//! lies on once more under a name that never comes again. Inside a container it is the root, and read.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::statvfs::statvfs;

use super::kernel_file::KernelFile;
use super::{Source, SourceError};
use crate::catalog::Place;
use crate::snapshot::Snapshot;

/// How long one file system may take to answer; a healthy one takes microseconds.
const DEADLINE: Duration = Duration::from_millis(300);
/// How long all of them together may take in one reading: many mounts of one dead server must not add up.
const BUDGET: Duration = Duration::from_millis(900);

/// File systems that hold no files of the machine's own: the kernel's views, memory, and images that are full by nature.
const VIRTUAL: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "ramfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "iso9660",
];
/// File systems whose server may be gone.
const NETWORK: &[&str] =
    &["9p", "afs", "ceph", "cifs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"];

/// What `statvfs` says, in bytes and inodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub(super) size: f64,
    pub(super) available: f64,
    pub(super) files: f64,
    pub(super) files_free: f64,
}

type Ask = fn(&Path) -> io::Result<Space>;

pub(super) struct FileSystems {
    mounts: KernelFile,
    root: PathBuf,
    with_network: bool,
    ask: Ask,
    worker: Option<Worker>,
    late: Vec<(String, JoinHandle<()>)>,
}

struct Worker {
    questions: Sender<PathBuf>,
    answers: Receiver<io::Result<Space>>,
    thread: JoinHandle<()>,
}

struct Mount {
    point: String,
    kind: String,
    remote: bool,
}

impl FileSystems {
    pub(super) fn new(root: &Path, with_network: bool) -> FileSystems {
        FileSystems::asking(root, with_network, ask)
    }

    /// With another way to ask, for tests.
    pub(super) fn asking(root: &Path, with_network: bool, ask: Ask) -> FileSystems {
        let mounts = KernelFile::new(root.join("proc/self/mountinfo"));
        FileSystems { mounts, root: root.to_owned(), with_network, ask, worker: None, late: Vec::new() }
    }

    /// The answer, or `None` where the worker was late and left behind.
    fn answer(&mut self, mount: &Mount) -> Option<io::Result<Space>> {
        let ask = self.ask;
        let worker = self.worker.get_or_insert_with(|| Worker::start(ask));
        let path = self.root.join(mount.point.trim_start_matches('/'));
        let answer = worker.questions.send(path).ok().and_then(|()| worker.answers.recv_timeout(DEADLINE).ok());
        if answer.is_none()
            && let Some(worker) = self.worker.take()
        {
            self.late.push((mount.point.clone(), worker.thread));
        }
        answer
    }
}

impl Worker {
    /// Answers questions until the other side lets go.
    fn start(ask: Ask) -> Worker {
        let (questions, asked) = channel::<PathBuf>();
        let (answer, answers) = channel();
        let thread = std::thread::spawn(move || {
            for path in asked {
                if answer.send(ask(&path)).is_err() {
                    return;
                }
            }
        });
        Worker { questions, answers, thread }
    }
}

impl Source for FileSystems {
    fn name(&self) -> &'static str {
        "file_systems"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        self.late.retain(|(_, thread)| !thread.is_finished());
        let mut silent: Vec<String> = self.late.iter().map(|(point, _)| format!("`{point}`")).collect();
        let mounts = mounts(self.mounts.read()?, self.with_network);
        let start = Instant::now();
        for mount in mounts {
            if self.late.iter().any(|(point, _)| *point == mount.point) {
                continue;
            }
            if start.elapsed() > BUDGET {
                silent.push(format!("`{}` (not asked)", mount.point));
                continue;
            }
            match self.answer(&mount) {
                None => silent.push(format!("`{}`", mount.point)),
                // Gone since the list was read, or not ours to look at: both are told by its absence.
                Some(Err(_)) => {}
                Some(Ok(space)) => put(&mount, space, into),
            }
        }
        if silent.is_empty() { Ok(()) } else { Err(SourceError::NoAnswer(silent)) }
    }
}

fn put(mount: &Mount, space: Space, into: &mut Snapshot) {
    let labels = [mount.point.as_str(), mount.kind.as_str()];
    for (field, number) in
        [("size", space.size), ("available", space.available), ("files", space.files), ("files_free", space.files_free)]
    {
        // A file system without a fixed number of inodes (btrfs) says 0.
        if number > 0.0 || field != "files" {
            into.put(Place::Statvfs, field, &labels, number);
        }
    }
}

/// The mounts worth asking; of several mounts of one device the first. Layout of a line: proc(5).
/// Those of the machine's own come first, so that a dead server does not use up their time.
fn mounts(mountinfo: &str, with_network: bool) -> Vec<Mount> {
    let mut devices = HashSet::new();
    let mut mounts: Vec<Mount> = mountinfo
        .lines()
        .filter_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let mut left = left.split(' ').skip(2);
            let (device, point) = (left.next()?, left.nth(1)?);
            let kind = right.split(' ').next()?;
            let remote = NETWORK.contains(&kind) || kind.starts_with("fuse.");
            let container_s = kind == "overlay" && point != "/";
            let wanted = !VIRTUAL.contains(&kind) && !container_s && (with_network || !remote);
            (wanted && devices.insert(device)).then(|| Mount { point: unescape(point), kind: kind.to_owned(), remote })
        })
        .collect();
    mounts.sort_by_key(|mount| mount.remote);
    mounts
}

/// The kernel writes blank, tab, newline and backslash as `\` and three octal digits.
fn unescape(point: &str) -> String {
    let mut parts = point.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(char::from(byte));
                plain.push_str(&part[3..]);
            }
            None => {
                plain.push('\\');
                plain.push_str(part);
            }
        }
    }
    plain
}

fn ask(path: &Path) -> io::Result<Space> {
    let answer = statvfs(path)?;
    let unit = answer.fragment_size() as f64;
    Ok(Space {
        size: answer.blocks() as f64 * unit,
        available: answer.blocks_available() as f64 * unit,
        files: answer.files() as f64,
        files_free: answer.files_free() as f64,
    })
}
