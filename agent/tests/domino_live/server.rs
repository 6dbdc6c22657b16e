//! One partition of the stand-in server, its clock, and what happens to it on the day that is played.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use weekline::time::Timestamp;

/// The day: a Tuesday, one hour east of Greenwich.
pub(crate) const DAY: &str = "2026-11-24";
/// How long a restart takes: the server that stops at 10:01:05 runs again at 10:01:45.
const DOWN: &str = "40s";
/// What happens, in order. Between two minutes, so that one who looks every minute misses no reading.
const HAPPENS: [(&str, Happens); 4] = [
    ("10:01:05", Happens::Restart),
    ("12:10:30", Happens::SetStat),
    ("13:40:30", Happens::RouterRestart),
    ("15:01:05", Happens::Upgrade),
];
/// The release after the upgrade.
pub(crate) const UPGRADED: &str = "14.5";

/// What can happen to a server.
#[derive(Clone, Copy)]
enum Happens {
    Restart,
    SetStat,
    RouterRestart,
    Upgrade,
}

/// An instant of the day, by its clocks.
pub(crate) fn at(clock: &str) -> Timestamp {
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    format!("{DAY}T{clock}{seconds}+01:00").parse().unwrap()
}

/// The instants from one clock to another, both inside, so many minutes apart.
pub(crate) fn every(minutes: i64, from: &str, to: &str) -> impl Iterator<Item = Timestamp> {
    let step = chrono::TimeDelta::minutes(minutes);
    let to = at(to);
    std::iter::successors(Some(at(from)), move |last| Some(*last + step)).take_while(move |at| *at <= to)
}

/// An instant as the stand-in takes it.
pub(crate) fn iso(at: Timestamp) -> String {
    at.to_rfc3339()
}

/// A partition in a folder of its own.
pub(crate) struct Server {
    folder: tempfile::TempDir,
    name: &'static str,
    /// How many of the things that happen have happened.
    happened: usize,
}

impl Server {
    /// A partition that runs since the morning before; nothing where the stand-in is not there.
    pub(crate) fn new(name: &'static str, locale: &str, release: &str) -> Option<Server> {
        let shared = std::env::var_os("WEEKLINE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
        let program = shared.join("checks/domino-sim");
        if !program.exists() {
            eprintln!("SKIPPED: no stand-in server at {}; WEEKLINE_SHARED names the folder", program.display());
            return None;
        }
        let server = Server { folder: tempfile::tempdir().unwrap(), name, happened: 0 };
        fs::set_permissions(server.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        symlink(program.canonicalize().unwrap(), server.path("server")).unwrap();
        symlink(program.canonicalize().unwrap(), server.path("sim")).unwrap();
        let common_name = format!("CN={name}/O=Acme");
        let named = ["--name", &common_name, "--locale", locale, "--release", release];
        server.sim("init", &[&named[..], &["--started", "2026-11-23T06:00", "--redirect-delay", "0"]].concat());
        Some(server)
    }

    /// A file beside the data directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.path(self.name)
    }

    /// What a command of the stand-in about this partition prints.
    pub(crate) fn sim(&self, command: &str, options: &[&str]) -> Vec<u8> {
        self.run(Command::new(self.path("sim")).arg(command).arg(self.data()).args(options))
    }

    fn run(&self, command: &mut Command) -> Vec<u8> {
        // A proxy of this machine's has no business with what stays on it.
        let done = command.env("NO_PROXY", "*").env("no_proxy", "*").output().unwrap();
        assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    }

    /// What must be found by one who looks every so many minutes, if what happens did happen, or is told in `options`.
    pub(crate) fn expected(&self, minutes: i64, options: &[&str]) -> Value {
        let seconds = format!("{minutes}m");
        serde_json::from_slice(&self.sim("expect", &[&["--day", DAY, "--every", &seconds], options].concat())).unwrap()
    }

    /// What `show stat` prints, if these things happen.
    pub(crate) fn listing(&self, at: Timestamp, options: &[&str]) -> Vec<u8> {
        self.sim("show-stat", &[&["--at", &iso(at)], options].concat())
    }

    /// Has happen what happens up to an instant, by commands on the console.
    pub(crate) fn live_until(&mut self, now: Timestamp) {
        while let Some((clock, what)) = HAPPENS.get(self.happened).filter(|(clock, _)| at(clock) <= now) {
            let commands: &[&str] = match what {
                Happens::Restart | Happens::Upgrade => &["restart server"],
                Happens::SetStat => &["set stat Server.Trans.Total"],
                Happens::RouterRestart => &["tell router quit", "load router"],
            };
            for command in commands {
                let mut server = Command::new(self.path("server"));
                server.args(["-c", command, "--at", &iso(at(clock)), "--down", DOWN]).current_dir(self.data());
                self.run(&mut server);
            }
            if let Happens::Upgrade = what {
                upgrade(&self.data().join("sim.json"));
            }
            self.happened += 1;
        }
    }

    /// The instants up to which nothing more happens in between, the last one at the end.
    pub(crate) fn stretches(end: Timestamp) -> Vec<Timestamp> {
        HAPPENS.iter().map(|(clock, _)| at(clock)).chain([end]).collect()
    }
}

/// The server of the last start is of another release: the stand-in's console knows no command for that.
fn upgrade(state: &Path) {
    let mut all: Value = serde_json::from_slice(&fs::read(state).unwrap()).unwrap();
    let mut starts = all["events"].as_array_mut().unwrap().iter_mut();
    let last = starts.rfind(|event| event["kind"] == "boot").unwrap();
    last["release"] = UPGRADED.into();
    fs::write(state, all.to_string()).unwrap();
}

/// The same things as options of the stand-in's, which do not change it.
pub(crate) fn what_if() -> Vec<String> {
    let option = |(clock, what): (&str, Happens)| match what {
        Happens::Restart => ["--restart".to_owned(), format!("{DAY}T{clock}")],
        Happens::SetStat => ["--set-stat".to_owned(), format!("{DAY}T{clock}=Server.Trans.Total")],
        Happens::RouterRestart => ["--router-restart".to_owned(), format!("{DAY}T{clock}")],
        Happens::Upgrade => ["--upgrade".to_owned(), format!("{DAY}T{clock}={UPGRADED}")],
    };
    HAPPENS.into_iter().flat_map(option).chain(["--down".to_owned(), DOWN.to_owned()]).collect()
}
