//! Which Domino partitions run on this host, found by their processes.
//!
//! A server is a process whose program is `…/notes/RELEASE/linux/server`; the directory it works in is its data directory.
//! What may not be seen is counted and said. Nothing is asked of a server, and no file is searched for.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::notes_ini::{self, Settings};
use super::plain_file::regular;
use super::processes::{MORE_RIGHTS, Processes, identity, is_server, program_folder};
use crate::names;

/// What the name of a partition is taken from, the best first: releases before 10 have no `ServerName`.
const NAMES: [&str; 3] = ["ServerName", "KeyFileName_Owner", "MailServer"];

/// The partitions found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovery {
    /// In order of their names, no name twice.
    pub partitions: Vec<Discovered>,
    /// How many server processes there are whose program or directory may not be read.
    pub hidden: u32,
    /// What kept partitions from being found, and the next step.
    pub problem: Option<String>,
}

/// A partition that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The server's common name, or else the last part of its data directory. Where two would have the same,
    /// the directory follows as Domino itself writes it in `show server`: `mail1.local.notesdata`.
    pub name: String,
    /// Its data directory as the agent reaches it.
    pub data: PathBuf,
    /// The release its program was installed as, such as `12.0.2`; without fix packs, which do not show there.
    pub release: Option<String>,
}

/// A look at one process.
enum Look {
    /// A server and its data directory.
    Server(Discovered),
    /// A server, it seems, of which nothing more may be known.
    Hidden,
}

/// Looks through the processes below `root`.
pub fn scan(root: &Path) -> Discovery {
    let processes = Processes::new(root);
    let all = match processes.all() {
        Ok(all) => all,
        Err(error) => {
            let problem = format!("cannot read `{}`: {error}; write [[partition]] with `data`", root.join("proc").display());
            return Discovery { problem: Some(problem), ..Discovery::default() };
        }
    };
    let mut found = Discovery::default();
    // A server may have children of its own name; they work in the same place.
    let mut places = BTreeSet::new();
    for pid in all {
        match look(&processes, pid) {
            Some(Look::Server(server)) if places.insert(identity(&server.data)) => found.partitions.push(server),
            Some(Look::Hidden) => found.hidden += 1,
            Some(Look::Server(_)) | None => {}
        }
    }
    tell_apart(&mut found.partitions);
    found.partitions.sort_by(|a, b| a.name.cmp(&b.name));
    found.problem = problem(found.hidden, processes.hides());
    found
}

fn problem(hidden: u32, hides: bool) -> Option<String> {
    let next = format!("{MORE_RIGHTS}, or write [[partition]] with `data`");
    match (hidden, hides) {
        (0, false) => None,
        (0, true) => Some(format!("`/proc` is mounted with `hidepid` and does not show the processes of other users; {next}")),
        (1, _) => Some(format!("a process `server` is of another user and its directory may not be read; {next}")),
        _ => Some(format!("{hidden} processes `server` are of other users and their directories may not be read; {next}")),
    }
}

/// What a process is: cheap questions first, since nearly all are no server.
fn look(processes: &Processes, pid: u32) -> Option<Look> {
    let comm = fs::read(processes.path(pid, "comm")).ok()?;
    if comm.trim_ascii_end() != b"server" {
        return None;
    }
    let arguments = processes.arguments(pid);
    if !is_server(&arguments) {
        return None;
    }
    let program = match processes.program(pid) {
        Ok(program) => program,
        Err(error) if refused(&error) => PathBuf::from(arguments.first()?),
        Err(_) => return None,
    };
    if !(program_folder(&program) == program.parent() && program.file_name() == Some(OsStr::new("server"))) {
        // Started by its bare name and seen by no link, it may be Domino's or not.
        return (program == Path::new("server")).then_some(Look::Hidden);
    }
    match data_directory(processes, pid) {
        Ok(data) => Some(Look::Server(describe(&program, data?))),
        Err(error) => refused(&error).then_some(Look::Hidden),
    }
}

fn refused(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// The directory a process works in, by a path that leads there. A process in a container has paths of its own, and
/// those may lead somewhere else here. Nothing where the directory is gone; refused where no path to it is open to us.
fn data_directory(processes: &Processes, pid: u32) -> io::Result<Option<PathBuf>> {
    let link = processes.path(pid, "cwd");
    let path = fs::read_link(&link)?;
    let inside = processes.path(pid, "root").join(path.strip_prefix("/").unwrap_or(&path));
    let place = identity(&link);
    let leads_there = |path: &PathBuf| identity(path).is_some_and(|found| place.is_none_or(|place| place == found));
    match ([path, inside].into_iter().find(leads_there), place) {
        (None, Some(_)) => Err(io::ErrorKind::PermissionDenied.into()),
        (data, _) => Ok(data),
    }
}

fn describe(program: &Path, data: PathBuf) -> Discovered {
    Discovered {
        name: name(&data),
        release: program.ancestors().nth(2).and_then(Path::file_name).and_then(OsStr::to_str).and_then(release),
        data,
    }
}

/// The release in the name of a program folder: `12000200` and, before release 10, `90010`.
/// Major and minor number, then two digits of maintenance release.
fn release(folder: &str) -> Option<String> {
    if !folder.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (major, minor, maintenance) = match folder.len() {
        5 => (&folder[..1], &folder[1..2], &folder[2..4]),
        8 => (&folder[..2], &folder[2..4], &folder[4..6]),
        _ => return None,
    };
    let number = |digits: &str| digits.parse::<u32>().ok();
    let short = format!("{}.{}", number(major)?, number(minor)?);
    Some(match number(maintenance)? {
        0 => short,
        maintenance => format!("{short}.{maintenance}"),
    })
}

/// What a partition is called, by its settings or else by its directory.
fn name(data: &Path) -> String {
    let settings =
        regular(&data.join("notes.ini"), notes_ini::LARGEST).ok().and_then(|bytes| notes_ini::settings(&notes_ini::text(&bytes)));
    let named = settings.as_ref().and_then(server_name);
    let folder = || names::cleaned(&data.file_name()?.to_string_lossy());
    // A notes.ini is a stranger's.
    named.filter(|name| names::flaw(name).is_none()).or_else(folder).unwrap_or_else(|| "domino".to_owned())
}

fn server_name(settings: &Settings) -> Option<String> {
    NAMES.iter().find_map(|key| common_name(settings.get(key)?))
}

/// `mail1` of `CN=mail1/OU=Servers/O=Acme` and of `mail1/Servers/Acme`.
fn common_name(name: &str) -> Option<String> {
    let first = name.split('/').next()?.trim();
    let bare = match first.split_once('=') {
        Some((kind, bare)) if kind.trim().eq_ignore_ascii_case("cn") => bare.trim(),
        _ => first,
    };
    (!bare.is_empty()).then(|| bare.to_owned())
}

/// Adds the directory where two partitions have one name; letter case tells no two apart. A number tells apart the few that
/// have one name still, as of directories that differ in what no name holds.
fn tell_apart(partitions: &mut [Discovered]) {
    let mut times = BTreeMap::<String, u32>::new();
    for partition in partitions.iter() {
        *times.entry(partition.name.to_lowercase()).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    for partition in partitions {
        if times[&partition.name.to_lowercase()] > 1 {
            partition.name = clean(format!("{}{}", partition.name, partition.data.to_string_lossy().replace('/', ".")));
        }
        let name = partition.name.clone();
        for number in 2.. {
            if taken.insert(partition.name.to_lowercase()) {
                break;
            }
            partition.name = clean(format!("{name}-{number}"));
        }
    }
}

fn clean(name: String) -> String {
    names::cleaned(&name).unwrap_or(name)
}

#[cfg(test)]
mod tests;
