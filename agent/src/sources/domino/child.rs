//! A command of another program's, watched: what it prints, whether it has ended, and its end where it does not come by itself.
//!
//! The command leads a process group of its own, and nobody of the group is left behind. The leader is waited for last of all,
//! because until then its number, which is also the group's, can become nobody else's.
//! Refused: threads, blocking, memory without bound.

use std::io::{self, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

/// In bytes. What a command prints beyond is read and dropped, so that it is not held up.
const MOST_SAID: usize = 64 << 10;
/// How many times 4 KiB are read before something else is looked at.
const TURNS: usize = 64;
/// How long a command may take to end after it was asked to, and again after it was made to.
const GRACE: Duration = Duration::from_millis(500);
/// How often it is looked at meanwhile.
const PAUSE: Duration = Duration::from_millis(10);

/// A command that was started.
pub(super) struct Running {
    child: Child,
    output: PipeReader,
    said: Vec<u8>,
    reaped: bool,
}

impl Running {
    /// Starts a command without input, its output and errors in one.
    pub(super) fn start(mut command: Command) -> io::Result<Running> {
        let (output, writer) = io::pipe()?;
        fcntl(&output, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).process_group(0);
        let child = command.spawn()?;
        Ok(Running { child, output, said: Vec::new(), reaped: false })
    }

    /// Its process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Reads what it has printed by now.
    pub(super) fn listen(&mut self) {
        let mut buffer = [0; 4096];
        for _ in 0..TURNS {
            match self.output.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => {
                    let room = MOST_SAID.saturating_sub(self.said.len()).min(read);
                    self.said.extend_from_slice(&buffer[..room]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Nothing more for now; what else could be wrong with a pipe is no reason to give up the answer.
                Err(_) => return,
            }
        }
    }

    /// What it has printed so far.
    pub(super) fn said(&self) -> String {
        String::from_utf8_lossy(&self.said).into_owned()
    }

    /// How it ended, in words; `None` while it runs.
    pub(super) fn exit(&self) -> Option<Exit> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(self.pid()?), flags) {
            Ok(WaitStatus::Exited(_, 0)) => Some(Exit::Success),
            Ok(WaitStatus::Exited(_, status)) => Some(Exit::Failure(format!("exit status {status}"))),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(Exit::Failure(format!("ended by {signal}"))),
            _ => None,
        }
    }

    /// Ends it with all that it started; false where the system does not let go of it yet.
    pub(super) fn end(&mut self) -> bool {
        if self.reaped {
            return true;
        }
        if self.exit().is_none() {
            self.signal(Signal::SIGTERM);
            self.wait();
        }
        // The leader may have ended and left others behind.
        self.signal(Signal::SIGKILL);
        self.wait();
        self.reaped = matches!(self.child.try_wait(), Ok(Some(_)));
        self.reaped
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) -> bool {
        if !self.reaped {
            self.signal(Signal::SIGKILL);
        }
        self.end()
    }

    fn wait(&self) {
        let start = Instant::now();
        while self.exit().is_none() && start.elapsed() < GRACE {
            thread::sleep(PAUSE);
        }
    }

    /// A group without members is as good as ended, and no other error can be helped.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.pid() {
            let _ = killpg(group, signal);
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().map(Pid::from_raw)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    /// By itself, without complaint.
    Success,
    /// Otherwise, and how.
    Failure(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Running {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Running::start(command).unwrap()
    }

    fn ended(running: &mut Running) -> Exit {
        loop {
            running.listen();
            if let Some(exit) = running.exit() {
                running.listen();
                return exit;
            }
            thread::sleep(PAUSE);
        }
    }

    fn lives(process: u32) -> bool {
        std::path::Path::new(&format!("/proc/{process}/exe")).read_link().is_ok()
    }

    #[test]
    fn output_and_errors_come_in_order_and_the_status_is_told() {
        let mut running = shell("echo one; echo two >&2; exit 3");
        assert_eq!(ended(&mut running), Exit::Failure("exit status 3".to_owned()));
        assert_eq!(running.said(), "one\ntwo\n");
        assert!(running.end());
        assert_eq!(ended(&mut shell("true")), Exit::Success);
    }

    #[test]
    fn a_flood_is_read_and_dropped() {
        let mut running = shell("head -c 3000000 /dev/zero");
        assert_eq!(ended(&mut running), Exit::Success);
        assert_eq!(running.said().len(), MOST_SAID);
    }

    #[test]
    fn whoever_does_not_obey_is_ended_with_all_that_was_started() {
        let mut running = shell("trap '' TERM; sleep 600 & echo $!; while :; do sleep 600; done");
        while !running.said().contains('\n') {
            running.listen();
            thread::sleep(PAUSE);
        }
        let helper: u32 = running.said().trim().parse().unwrap();
        let leader = running.process();
        assert!(lives(helper) && lives(leader));
        assert!(running.end());
        let start = Instant::now();
        while lives(helper) && start.elapsed() < GRACE {
            thread::sleep(PAUSE);
        }
        assert!(!lives(helper) && !lives(leader));
    }
}
