//! A partition's `notes.ini`: whether it changed, and which settings did.
//!
//! A notes.ini holds passwords. Nothing leaves this file but names of settings, a digest that gives nothing away,
//! and what other files here ask for by name. What Domino itself keeps writing there is no change.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::plain_file::regular;
use crate::catalog::Place;
use crate::snapshot::Snapshot;
use crate::sources::{Source, SourceError};
use crate::time::Timestamp;

/// Settings that Domino and Notes write themselves, again and again. A star stands for any end.
const VOLATILE: [&str; 8] = [
    // The server's clock, kept so that a jump of the system's is noticed; written every few minutes.
    "Last_Domino_Time",
    // When the replicator last cut back the replication history.
    "LastHistoryPruneTime",
    // The day on which an ID was last looked at for its certificate's end.
    "CertificateExpChecked",
    // The day a certificate of the name server was last looked at.
    "NameServerCertCheck*",
    // Where windows stand: of a client that shares the file, and of the Windows console.
    "WinInfo*",
    "WindowSize*",
    "Con_Pos",
    // What a client that shares the file last had open.
    "FileDlgDirectory",
];
/// A notes.ini has some kilobytes; more than so many bytes are none.
pub(super) const LARGEST: usize = 4 << 20;
/// The length to which the names of settings are cut: a line without sense may be as long as the file.
const NAME: usize = 80;
/// Digits of the digest that are kept: enough to tell the states of a file apart.
const DIGITS: usize = 16;
/// A file that changed within so many seconds may still be in the middle of its change.
const SETTLED_SECONDS: i64 = 2;

/// The settings of a notes.ini, by their names in lower case.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Settings(BTreeMap<String, Setting>);

/// One setting. It cannot be printed, so that no value comes into a message by accident.
#[derive(Clone, PartialEq, Eq)]
struct Setting {
    /// Its name as it is written.
    name: String,
    value: String,
}

impl Settings {
    /// A setting's value, whatever the letter case of its name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_lowercase()).map(|setting| setting.value.as_str())
    }

    /// A digest of all settings but those Domino keeps writing: the same for the same settings in another order.
    fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (name, setting) in self.lasting() {
            // Neither a name nor a value can hold the end of a line, so that no two settings run together.
            hash.update(format!("{name}={}\n", setting.value));
        }
        let mut digits = String::new();
        for byte in hash.finalize().iter().take(DIGITS / 2) {
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }

    /// What differs from settings before, by name: `ServerTasks changed, HTTP_Port added`.
    fn changes_since(&self, before: &Settings) -> String {
        let mut changes: Vec<(&String, String)> = Vec::new();
        for (name, setting) in self.lasting() {
            match before.0.get(name) {
                Some(old) if old.value == setting.value => {}
                Some(_) => changes.push((name, format!("{} changed", setting.name))),
                None => changes.push((name, format!("{} added", setting.name))),
            }
        }
        let removed = before.lasting().filter(|(name, _)| !self.0.contains_key(*name));
        changes.extend(removed.map(|(name, setting)| (name, format!("{} removed", setting.name))));
        changes.sort();
        changes.into_iter().map(|(_, change)| change).collect::<Vec<_>>().join(", ")
    }

    fn lasting(&self) -> impl Iterator<Item = (&String, &Setting)> {
        self.0.iter().filter(|(name, _)| !is_volatile(name))
    }
}

fn is_volatile(name: &str) -> bool {
    VOLATILE.iter().any(|volatile| match volatile.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(volatile),
    })
}

/// The text of a notes.ini of any character set: UTF-8, or else a character for each byte, so that no difference is lost.
pub fn text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The settings in a text; nothing without the line `[Notes]`, because then it is no notes.ini or half of one.
///
/// Of a name that stands twice, the first holds. Comments begin with a semicolon; a line without `=` sets nothing.
pub fn settings(text: &str) -> Option<Settings> {
    let mut inside = None;
    let mut settings = Settings::default();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            let notes = line.eq_ignore_ascii_case("[notes]");
            inside = inside.is_some().then_some(notes).or_else(|| notes.then_some(true));
        } else if inside == Some(true)
            && !line.starts_with(';')
            && let Some((name, value)) = line.split_once('=')
            && !name.trim().is_empty()
        {
            let name: String = name.trim().chars().filter(|character| !character.is_control()).take(NAME).collect();
            let setting = Setting { name: name.clone(), value: value.trim().to_owned() };
            settings.0.entry(name.to_lowercase()).or_insert(setting);
        }
    }
    inside.is_some().then_some(settings)
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    length: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Stamp {
        Stamp { inode: meta.ino(), length: meta.len(), seconds: meta.mtime(), nanoseconds: meta.mtime_nsec() }
    }
}

/// A notes.ini that is read again only where it changed.
pub(super) struct IniFile {
    path: PathBuf,
    /// The state that was read last.
    stamp: Option<Stamp>,
    /// Whether the last reading was put off.
    waited: bool,
    /// The settings it held, as long as they could be made out.
    pub(super) settings: Option<Settings>,
}

impl IniFile {
    pub(super) fn new(data: &Path) -> IniFile {
        IniFile { path: data.join("notes.ini"), stamp: None, waited: false, settings: None }
    }

    /// Reads the file if it changed; whether `settings` are those it holds now.
    ///
    /// A server writes its notes.ini in place. One that changed just before `at` is left for the next time, once; and so is
    /// one that changes while it is read or has no `[Notes]`. What was known before stays.
    pub(super) fn refresh(&mut self, at: Timestamp) -> Result<bool, SourceError> {
        let before = self.stat()?;
        if self.stamp == Some(before) {
            return Ok(true);
        }
        self.stamp = None;
        let settling = self.settings.is_some() && (at.timestamp() - before.seconds).abs() < SETTLED_SECONDS;
        if settling && !std::mem::replace(&mut self.waited, true) {
            return Ok(false);
        }
        self.waited = false;
        let bytes = regular(&self.path, LARGEST).map_err(|error| self.refused(error))?;
        let Some(settings) = settings(&text(&bytes)) else { return Ok(false) };
        if self.stat()? != before || bytes.len() as u64 != before.length {
            return Ok(false);
        }
        self.stamp = Some(before);
        self.settings = Some(settings);
        Ok(true)
    }

    fn stat(&self) -> Result<Stamp, SourceError> {
        fs::metadata(&self.path).map(|meta| Stamp::of(&meta)).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: io::Error) -> SourceError {
        let path = self.path.clone();
        if error.kind() != io::ErrorKind::PermissionDenied {
            return SourceError::Read { path, source: error };
        }
        SourceError::Refused {
            what: format!("cannot read `{}`: {error}", path.display()),
            next: "run the agent as the partition's user, or in a group that may read it".to_owned(),
        }
    }
}

/// What a partition's notes.ini tells.
pub struct NotesIni {
    partition: String,
    file: IniFile,
    /// The settings that were told last.
    told: Option<Settings>,
    /// Whether the file could not be made out the last time; it may have been half written.
    half: bool,
}

impl NotesIni {
    /// The notes.ini in a partition's data directory.
    pub fn new(partition: &str, data: &Path) -> NotesIni {
        NotesIni { partition: partition.to_owned(), file: IniFile::new(data), told: None, half: false }
    }
}

impl Source for NotesIni {
    fn name(&self) -> &'static str {
        "notes_ini"
    }

    fn read(&mut self, into: &mut Snapshot) -> Result<(), SourceError> {
        let whole = self.file.refresh(into.at)?;
        let again = std::mem::replace(&mut self.half, !whole);
        let Some(settings) = self.file.settings.as_ref().filter(|_| whole) else {
            let missing = "line `[Notes]`, or is still being written";
            return if again { Err(SourceError::Form { path: self.file.path.clone(), missing }) } else { Ok(()) };
        };
        into.note(Place::Partition, "notes_ini", &[&self.partition], &settings.digest());
        if let Some(told) = &self.told {
            let changes = settings.changes_since(told);
            if !changes.is_empty() {
                into.note(Place::Partition, "notes_ini_change", &[&self.partition], &changes);
            }
        }
        if self.told.as_ref() != Some(settings) {
            self.told = Some(settings.clone());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
