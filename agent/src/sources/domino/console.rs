//! The console as a way in: `server -c "show stat >FILE"`, given as an administrator would give it.
//!
//! The command may return before the file is there, the file is empty at first, and only the listing's last line says that it
//! is whole. So the file is looked at until it is, or until the deadline; then all that was started is ended.
//! Promise: on every path the file is removed and no process is left; what was seen instead of an answer is said.
//! Refused: any other command, the environment of the agent, a listing without its end.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chrono::SubsecRound;
use nix::unistd::geteuid;

use self::account::{Account, unreadable};
use self::answer::{Seen, look, numbers_only};
use super::child::{Exit, Running};
use super::{Brought, WayIn, What};
use crate::formats::domino::show_stat::Listing;
use crate::sources::SourceError;
use crate::time::Timestamp;

mod account;
mod answer;

/// How often the file is looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// As much of what was printed as belongs into a message, in characters.
const QUOTED: usize = 120;

/// What the console must be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The partition's name; it becomes a part of the file's.
    pub partition: String,
    /// Domino's `server`.
    pub program: PathBuf,
    /// The partition's data directory.
    pub data: PathBuf,
    /// The user of the partition; `None`: the owner of `data`.
    pub user: Option<String>,
    /// How long an answer may take.
    pub deadline: Duration,
    /// Whether the agent is to stop.
    pub stop: Arc<AtomicBool>,
}

/// A partition's console.
pub struct Console {
    settings: Settings,
    /// The number in the last file's name.
    number: i64,
    /// A command that could not be ended.
    stuck: Option<Running>,
}

impl Console {
    /// Not asked yet.
    pub fn new(settings: Settings) -> Console {
        Console { settings, number: 0, stuck: None }
    }

    fn ask(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        self.is_free()?;
        let account = Account::of(&self.settings.data, self.settings.user.as_deref())?;
        self.check_program()?;
        self.clear()?;
        let file = self.fresh(now);
        let command = self.command(&file, &account)?;
        let mut running = Running::start(command).map_err(|error| {
            refused(
                format!("`{}` cannot be started: {error}", self.settings.program.display()),
                format!("try `{}` as user {}", self.by_hand(), account.name),
            )
        })?;
        let start = Instant::now();
        let answer = self.watch(&mut running, &file, &account, start);
        // It answered: it is left to end by itself, since a program that is attached to a server is not to be shot.
        let late = answer.is_ok() && !self.ends(&mut running, start);
        if !(if self.is_stopped() { running.kill() } else { running.end() }) {
            self.stuck = Some(running);
        }
        let removed = remove(&file);
        let said = answer.map(|(listing, after)| {
            brought.push(Brought { at: (now + after).trunc_subsecs(3), what: What::Listing(listing) });
        });
        let said = said.and_then(|()| if late { Err(self.was_late(&account)) } else { Ok(()) });
        match (said, removed) {
            (said, Ok(())) => said,
            (Ok(()), Err(error)) => Err(left_behind(&file, &error, "the answer was taken")),
            (Err(said), Err(error)) => Err(left_behind(&file, &error, &said.to_string())),
        }
    }

    /// Looks until the listing is whole.
    ///
    /// Gives with it how long after the start that was.
    fn watch(
        &self,
        running: &mut Running,
        file: &Path,
        account: &Account,
        start: Instant,
    ) -> Result<(Listing, Duration), SourceError> {
        let mut looked = None;
        loop {
            running.listen();
            if self.is_stopped() {
                return Err(refused("the agent was stopped while it waited".to_owned(), "nothing needs to be done".to_owned()));
            }
            let over = start.elapsed() >= self.settings.deadline;
            let state = fs::symlink_metadata(file).ok().map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
            if state.is_some() && (state != looked || over) {
                looked = state;
                if let Seen::Whole(listing) = look(file) {
                    return Ok((listing, start.elapsed()));
                }
            }
            if over {
                return Err(self.explain(&look(file), running, account));
            }
            thread::sleep(PAUSE.min(self.settings.deadline.saturating_sub(start.elapsed())));
        }
    }

    fn is_stopped(&self) -> bool {
        self.settings.stop.load(Ordering::Relaxed)
    }

    /// Whether a command that has answered ends by itself before the deadline.
    fn ends(&self, running: &mut Running, start: Instant) -> bool {
        while running.exit().is_none() {
            if self.is_stopped() || start.elapsed() >= self.settings.deadline {
                return false;
            }
            running.listen();
            thread::sleep(PAUSE);
        }
        true
    }

    fn was_late(&self, account: &Account) -> SourceError {
        refused(
            format!(
                "the command answered and did not end within {:.1} s, so that it was ended",
                self.settings.deadline.as_secs_f64()
            ),
            format!("the answer was taken; try `{}` as user {}", self.by_hand(), account.name),
        )
    }

    /// What came instead of an answer.
    fn explain(&self, seen: &Seen, running: &Running, account: &Account) -> SourceError {
        let said = running.said();
        let lower = said.to_ascii_lowercase();
        let by_hand = format!("try `{}` as user {}", self.by_hand(), account.name);
        let after = format!("after {:.1} s", self.settings.deadline.as_secs_f64());
        if lower.contains("password") {
            return refused(
                "the command asks for a password".to_owned(),
                format!("{by_hand}; where it cannot go without, use another source such as console_log"),
            );
        }
        let numbers = Seen::NumbersOnly == *seen || numbers_only(&said);
        match (seen, running.exit()) {
            _ if numbers => refused(
                "the server prints message numbers instead of texts".to_owned(),
                "install Domino's language files for its LANG, or set LANG to a language that is installed".to_owned(),
            ),
            (Seen::Odd(what), _) => refused(
                format!("the file for the answer in `{}` {what}", self.settings.data.display()),
                "see who else writes there, and whose the directory is".to_owned(),
            ),
            (Seen::Disagrees { said, found }, _) => not_kept(
                format!("the listing says {said} statistics and has {found}"),
                "where this does not pass, use another source such as console_log".to_owned(),
            ),
            (Seen::Unfinished, _) => not_kept(
                format!("the listing is incomplete {after}"),
                format!("see whether the disk of `{}` is full, or allow a longer deadline", self.settings.data.display()),
            ),
            _ if lower.contains("not running") || lower.contains("is down") => {
                refused(format!("the server is not running: {}", first_line(&said)), "start it".to_owned())
            }
            (_, Some(Exit::Failure(how))) => {
                refused(format!("no answer {after}, and the command failed: {how}, {}", first_line(&said)), by_hand)
            }
            (_, Some(Exit::Success)) => refused(
                format!("no answer {after}; the command has ended, {}", first_line(&said)),
                format!("see whether the server answers at all: {by_hand}"),
            ),
            (_, None) => refused(
                format!("no answer {after}, and the command has not ended, {}", first_line(&said)),
                format!("see whether the server hangs: {by_hand}"),
            ),
        }
    }

    fn by_hand(&self) -> String {
        format!("cd {}; {} -c \"show server\"", self.settings.data.display(), self.settings.program.display())
    }

    /// A command of an earlier reading must be gone before the next is given.
    fn is_free(&mut self) -> Result<(), SourceError> {
        let Some(mut running) = self.stuck.take() else { return Ok(()) };
        if running.end() {
            return Ok(());
        }
        let process = running.process();
        self.stuck = Some(running);
        Err(refused(
            format!("process {process}, the command of an earlier reading, cannot be ended"),
            format!("see what it waits for: ps -o stat,wchan,args -p {process}"),
        ))
    }

    fn check_program(&self) -> Result<(), SourceError> {
        let program = &self.settings.program;
        let next = "give the partition's `program` the path of Domino's server, like /opt/hcl/domino/bin/server".to_owned();
        match fs::metadata(program) {
            Ok(meta) if meta.is_file() && meta.mode() & 0o111 != 0 => Ok(()),
            Ok(_) => Err(refused(format!("`{}` is no program that can be run", program.display()), next)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(refused(format!("`{}` does not exist", program.display()), next))
            }
            Err(source) => Err(SourceError::Read { path: program.clone(), source }),
        }
    }

    /// `weekline-mail1-`; only letters that no console takes for anything else.
    fn stem(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' };
        format!("weekline-{}-", self.settings.partition.chars().map(plain).collect::<String>())
    }

    /// Removes what earlier readings left: an answer may come after its deadline.
    fn clear(&self) -> Result<(), SourceError> {
        let data = &self.settings.data;
        let failed = |error| unreadable(data, error);
        let stem = self.stem();
        for entry in fs::read_dir(data).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(&stem)?.strip_suffix(".txt"));
            let ours = number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
            if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let path = entry.path();
                remove(&path).map_err(|error| left_behind(&path, &error, "an earlier reading wrote it"))?;
            }
        }
        Ok(())
    }

    /// A name that no reading had before, not even one before the agent was started: a late answer must not be taken for this one.
    fn fresh(&mut self, now: Timestamp) -> PathBuf {
        self.number = now.timestamp_millis().max(self.number + 1).max(0);
        self.settings.data.join(format!("{}{}.txt", self.stem(), self.number))
    }

    fn command(&self, file: &Path, account: &Account) -> Result<Command, SourceError> {
        let absolute =
            |path: &Path| std::path::absolute(path).map_err(|source| SourceError::Read { path: path.to_path_buf(), source });
        let data = absolute(&self.settings.data)?;
        let mut command = Command::new(absolute(&self.settings.program)?);
        command.arg("-c").arg(format!("show stat >{}", as_typed(&absolute(file)?))).current_dir(&data);
        command.env_clear().envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed_on)));
        if let Some(home) = &account.home {
            command.env("HOME", home).env("USER", &account.name).env("LOGNAME", &account.name);
        }
        // Only root can be another; the list of further groups is then emptied as well.
        if geteuid() != account.uid {
            command.uid(account.uid.as_raw()).gid(account.gid.as_raw());
        }
        Ok(command)
    }
}

impl WayIn for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn read(&mut self, now: Timestamp, brought: &mut Vec<Brought>) -> Result<(), SourceError> {
        self.ask(now, brought)
    }
}

/// The whole path, because a server need not stand where its data lie; the name alone where the path cannot be typed.
fn as_typed(file: &Path) -> String {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte));
    match (file.to_str(), file.file_name()) {
        (Some(path), _) if plain(path) => path.to_owned(),
        (_, name) => name.unwrap_or_default().to_string_lossy().into_owned(),
    }
}

/// Whether a variable of the agent's is any of the server's business.
fn is_passed_on(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let secret = ["PASSWORD", "SECRET", "TOKEN", "CREDENTIAL"].iter().any(|word| upper.contains(word));
    let known = ["PATH", "LANG", "TZ", "HOME", "LOGNAME", "USER"].contains(&name);
    let family = ["LC_", "NOTES", "Notes", "DOMINO", "LOTUS"].iter().any(|start| name.starts_with(start));
    (known || family) && !secret
}

/// Removes a file that need not be there.
fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What was printed first, without what a terminal would obey.
fn first_line(said: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    match said.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("it says `{}`", line.chars().take(QUOTED).map(plain).collect::<String>()),
        None => "it says nothing".to_owned(),
    }
}

fn left_behind(file: &Path, error: &io::Error, why: &str) -> SourceError {
    let what = format!("`{}` cannot be removed: {error} ({why})", file.display());
    let next = match (error.kind(), file.parent()) {
        (io::ErrorKind::ReadOnlyFilesystem, Some(data)) => {
            format!("let the agent write there; under systemd, set ReadWritePaths={} in a drop-in", data.display())
        }
        _ => "remove it by hand".to_owned(),
    };
    refused(what, next)
}

fn refused(what: String, next: String) -> SourceError {
    SourceError::Refused { what, next }
}

fn not_kept(what: String, next: String) -> SourceError {
    SourceError::NotKept { what, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_environment_only_what_a_server_needs_is_passed_on() {
        for name in ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "NOTES_DATA_DIR", "Notes_ExecDirectory", "DOMINO_USER", "LOTUS"]
        {
            assert!(is_passed_on(name), "{name}");
        }
        let agents_own = ["NOTIFY_SOCKET", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "LD_PRELOAD", "DOMINO_ADMIN_PASSWORD"];
        assert!(agents_own.iter().all(|name| !is_passed_on(name)));
    }

    #[test]
    fn a_path_that_cannot_be_typed_is_left_out() {
        assert_eq!(as_typed(Path::new("/local/notesdata/weekline-a-1.txt")), "/local/notesdata/weekline-a-1.txt");
        assert_eq!(as_typed(Path::new("/local/notes data/weekline-a-1.txt")), "weekline-a-1.txt");
    }

    #[test]
    fn what_cannot_be_removed_is_named_with_the_next_step() {
        let file = Path::new("/local/notesdata/weekline-mail1-1.txt");
        let said = |errno: nix::errno::Errno| left_behind(file, &io::Error::from(errno), "the answer was taken").to_string();
        let (read_only, denied) = (said(nix::errno::Errno::EROFS), said(nix::errno::Errno::EACCES));
        assert!(read_only.ends_with("(the answer was taken); let the agent write there; under systemd, set ReadWritePaths=/local/notesdata in a drop-in"), "{read_only}");
        assert!(denied.starts_with("`/local/notesdata/weekline-mail1-1.txt` cannot be removed: Permission denied"), "{denied}");
        assert!(denied.ends_with("; remove it by hand"), "{denied}");
    }

    #[test]
    fn what_a_command_says_first_is_quoted_without_control_characters() {
        assert_eq!(first_line("\n  \x1b[2Jfailed  \nmore"), "it says `\u{fffd}[2Jfailed`");
        assert_eq!(first_line(" \n"), "it says nothing");
    }
}
