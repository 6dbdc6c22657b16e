//! What `/proc` tells of the processes of a host: enough to know Domino's, and what each of them uses. Layout: proc(5).
//!
//! A process may end between two looks at it; then it is not there, which is no error.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::{SysconfVar, sysconf};

/// What the kernel keeps of a process's name, in bytes.
pub(super) const COMM: usize = 15;

/// What to do where the processes of another user cannot be seen. The unit takes every right away, so that both lines are needed.
pub(super) const MORE_RIGHTS: &str = "run the agent as that user (`User=` in a drop-in of its unit), or give it both \
                                      `AmbientCapabilities=CAP_SYS_PTRACE` and `CapabilityBoundingSet=CAP_SYS_PTRACE` there";

/// The folder of processes.
pub(super) struct Processes {
    folder: PathBuf,
    buffer: Vec<u8>,
}

/// A process at one instant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Process {
    /// The beginning of its program's name.
    pub(super) comm: String,
    /// CPU time so far, user and system together, in clock ticks.
    pub(super) ticks: u64,
    /// When it began, in clock ticks since the boot. Together with its number it is told from every other.
    pub(super) began: u64,
    /// Memory, in pages.
    pub(super) pages: u64,
}

impl Processes {
    /// Those below a root.
    pub(super) fn new(root: &Path) -> Processes {
        Processes { folder: root.join("proc"), buffer: Vec::new() }
    }

    /// The numbers of all processes that are seen, in order.
    ///
    /// # Errors
    /// Where there is no `/proc`.
    pub(super) fn all(&self) -> io::Result<Vec<u32>> {
        let names = fs::read_dir(&self.folder)?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let mut all: Vec<u32> = names.collect();
        all.sort_unstable();
        Ok(all)
    }

    /// A file or link of a process.
    pub(super) fn path(&self, process: u32, name: &str) -> PathBuf {
        self.folder.join(process.to_string()).join(name)
    }

    /// What a process is and uses.
    pub(super) fn read(&mut self, process: u32) -> Option<Process> {
        let path = self.path(process, "stat");
        self.buffer.clear();
        fs::File::open(path).and_then(|mut file| file.read_to_end(&mut self.buffer)).ok()?;
        stat(&String::from_utf8_lossy(&self.buffer))
    }

    /// The program a process runs, though its file may have been replaced since.
    pub(super) fn program(&self, process: u32) -> io::Result<PathBuf> {
        let program = fs::read_link(self.path(process, "exe"))?;
        Ok(program.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from).unwrap_or(program))
    }

    /// What a process was started with, its own name first.
    pub(super) fn arguments(&self, process: u32) -> Vec<String> {
        let line = fs::read(self.path(process, "cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&line);
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    /// The effective user of a process. Its folder may belong to root though the process does not, so that its own file is asked.
    pub(super) fn user(&self, process: u32) -> Option<u32> {
        let status = fs::read_to_string(self.path(process, "status")).ok()?;
        let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        ids.split_ascii_whitespace().nth(1)?.parse().ok()
    }

    /// Whether a process works in a directory; an error where that may not be known.
    ///
    /// The link is compared first: to look into a directory that some other process works in could take for ever.
    pub(super) fn works_in(&self, process: u32, directory: &Directory) -> io::Result<bool> {
        let link = self.path(process, "cwd");
        let named = fs::read_link(&link)?;
        Ok(directory.may_be_named(&named) && identity(&link).is_some_and(|place| Some(place) == directory.place))
    }

    /// When a process began, in seconds since 1970, as the present clock sees it; `began` is in ticks since the boot.
    pub(super) fn began_at(&self, began: u64) -> Option<i64> {
        let text = fs::read_to_string(self.folder.join("stat")).ok()?;
        let boot: i64 = text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
        let second = sysconf(SysconfVar::CLK_TCK).ok().flatten().and_then(|ticks| u64::try_from(ticks).ok()).unwrap_or(100);
        boot.checked_add_unsigned(began / second.max(1))
    }

    /// How long the system has been up, in seconds.
    pub(super) fn uptime(&self) -> Option<f64> {
        fs::read_to_string(self.folder.join("uptime")).ok()?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// Whether `/proc` keeps the processes of other users from us: proc(5), `hidepid`.
    pub(super) fn hides(&self) -> bool {
        let mounts = fs::read_to_string(self.folder.join("mounts")).unwrap_or_default();
        let hidden = mounts.lines().any(|line| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let options = || words[3].split(',').filter_map(|option| option.strip_prefix("hidepid="));
            words.len() > 3 && words[1] == "/proc" && options().any(|how| how != "0" && how != "off")
        });
        // The first process is root's. Whoever sees that one is not meant by the option.
        hidden && fs::read(self.path(1, "stat")).is_err()
    }
}

/// A directory, and the ways to name it.
pub(super) struct Directory {
    path: PathBuf,
    /// Without the links on the way to it.
    straight: Option<PathBuf>,
    place: Option<(u64, u64)>,
}

impl Directory {
    /// The directory as it is now.
    pub(super) fn new(path: &Path) -> Directory {
        Directory { path: path.to_owned(), straight: path.canonicalize().ok(), place: identity(path) }
    }

    /// A process in a container names it by the end of the path that leads there from outside.
    fn may_be_named(&self, name: &Path) -> bool {
        self.straight.as_deref() == Some(name) || name.strip_prefix("/").is_ok_and(|inside| self.path.ends_with(inside))
    }
}

/// What tells a directory from every other, however it is reached: its device and its number there.
pub type Identity = (u64, u64);

/// The identity of a directory; none where it cannot be looked at.
pub fn identity(directory: &Path) -> Option<Identity> {
    fs::metadata(directory).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Domino's folder of programs that a program lies in: `…/notes/RELEASE/linux`.
pub(super) fn program_folder(program: &Path) -> Option<&Path> {
    program.ancestors().skip(1).find(|folder| {
        let name = |path: &Path, name: &str| path.file_name().is_some_and(|last| last == name);
        name(folder, "linux") && folder.ancestors().nth(2).is_some_and(|notes| name(notes, "notes"))
    })
}

/// Whether these arguments make a server: neither the Java controller above it nor a command given to one.
pub(super) fn is_server(arguments: &[String]) -> bool {
    !arguments.iter().skip(1).any(|argument| argument == "-jc" || argument == "-c")
}

/// The line of `/proc/PID/stat`. The name stands in parentheses and may hold some itself, and blanks too.
/// A process that ended and that nobody has asked after yet has such a line still.
fn stat(line: &str) -> Option<Process> {
    let (name, rest) = (line.find('(')?, line.rfind(')')?);
    let comm = line.get(name + 1..rest)?.to_owned();
    // The first field after the name is the third of the manual.
    let fields: Vec<&str> = line[rest + 1..].split_ascii_whitespace().collect();
    if ["Z", "X"].contains(fields.first()?) {
        return None;
    }
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Process { comm, ticks: field(14)?.checked_add(field(15)?)?, began: field(22)?, pages: field(24)? })
}

#[cfg(test)]
pub(super) mod tests;
