//! Files as a server writes them: whole, half, late, or no files at all.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const WHOLE: &str = "  Mail.Dead = 0\n  Server.Users = 12\n  2 statistics found\n\n";

/// A file and the way to it.
struct Case {
    folder: tempfile::TempDir,
    way: File,
}

impl Case {
    fn new(every: Duration) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let way = File::new(folder.path().join("stat.txt"), every);
        Case { folder, way }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("stat.txt")
    }

    fn write(&self, text: &str, at: Timestamp) {
        fs::write(self.path(), text).unwrap();
        fs::File::options().write(true).open(self.path()).unwrap().set_modified(SystemTime::from(at)).unwrap();
    }

    /// When what was brought was said.
    fn read(&mut self, now: Timestamp) -> Result<Vec<Timestamp>, String> {
        let mut brought = Vec::new();
        let result = self.way.read(now, &mut brought);
        assert!(brought.iter().all(|brought| matches!(&brought.what, What::Listing(listing) if listing.stats.len() == 2)));
        result.map(|()| brought.iter().map(|brought| brought.at).collect()).map_err(|error| error.to_string())
    }
}

/// 10:15:00.123456 on a Tuesday.
fn start() -> Timestamp {
    DateTime::from_timestamp(1_793_697_300, 123_456_000).unwrap()
}

fn seconds(seconds: i64) -> TimeDelta {
    TimeDelta::seconds(seconds)
}

#[test]
fn a_listing_is_brought_once_with_the_file_s_time() {
    let mut case = Case::new(MINUTE);
    case.write(WHOLE, start());
    let written: DateTime<Utc> = start().trunc_subsecs(3);
    assert_eq!(case.read(start() + seconds(5)), Ok(vec![written]));
    assert_eq!(case.read(start() + seconds(65)), Ok(vec![]));
    case.write(WHOLE, start() + seconds(60));
    assert_eq!(case.read(start() + seconds(65)), Ok(vec![written + seconds(60)]));
    // Of the same instant, but with more in it.
    case.write(&format!("\n{WHOLE}"), start() + seconds(60));
    assert_eq!(case.read(start() + seconds(66)), Ok(vec![written + seconds(60)]));
}

#[test]
fn a_file_from_the_future_is_refused_but_for_what_clocks_differ() {
    let mut case = Case::new(MINUTE);
    case.write(WHOLE, start() + seconds(30));
    assert_eq!(case.read(start()), Ok(vec![start().trunc_subsecs(3)]));
    case.write(WHOLE, start() + seconds(3600));
    let said = case.read(start()).unwrap_err();
    assert!(said.contains("60 min from now") && said.contains("clocks"), "{said}");
}

#[test]
fn a_late_file_is_refused_with_its_age() {
    let mut case = Case::new(MINUTE);
    case.write(WHOLE, start());
    assert_eq!(case.read(start() + seconds(180)).map(|at| at.len()), Ok(1));
    let said = case.read(start() + seconds(26 * 60)).unwrap_err();
    assert!(said.contains("is 26 min old and should be written every 1 min") && said.contains("`every`"), "{said}");
    // Written every ten minutes it is not late, and one that is written every second has three minutes all the same.
    for (every, late) in [(600, 1801), (1, 181)] {
        let mut case = Case::new(Duration::from_secs(every));
        case.write(WHOLE, start());
        assert_eq!(case.read(start() + seconds(late - 1)).map(|at| at.len()), Ok(1), "{every}");
        assert!(case.read(start() + seconds(late)).is_err(), "{every}");
    }
}

#[test]
fn a_file_caught_half_written_is_an_error_only_if_it_stays_so() {
    for half in ["", "  Mail.D", "  Mail.Dead = 0\n", "  Mail.Dead = 0\n  Server.Users = 12\n  2 stat"] {
        let mut case = Case::new(MINUTE);
        for after in [0, 60, 120, 180] {
            case.write(half, start() + seconds(after));
            assert_eq!(case.read(start() + seconds(after)), Ok(vec![]), "{half:?} after {after} s");
        }
        case.write(half, start() + seconds(181));
        let said = case.read(start() + seconds(181)).unwrap_err();
        assert!(["is empty", "neither", "lacks its end"].iter().any(|words| said.contains(words)), "{said}");
        // It is still told what is wrong, and not how old it is.
        assert_eq!(case.read(start() + seconds(600)), Err(said));
        case.write(WHOLE, start() + seconds(620));
        assert_eq!(case.read(start() + seconds(620)).map(|at| at.len()), Ok(1));
        case.write(half, start() + seconds(680));
        assert_eq!(case.read(start() + seconds(680)), Ok(vec![]), "what was wrong before counts no more");
    }
}

#[test]
fn what_waiting_does_not_mend_is_an_error_at_once() {
    let mut case = Case::new(MINUTE);
    for text in ["Server not running -- Command ignored\n", "07:92: 0A:0A\n", "\0\0\0", "node_load1 0.5\n"] {
        case.write(text, start());
        assert!(case.read(start()).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let mut case = Case::new(MINUTE);
    let said = case.read(start()).unwrap_err();
    assert!(said.contains("stat.txt` is not there; see that `path`"), "{said}");
    nix::unistd::mkfifo(&case.path(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let said = case.read(start()).unwrap_err();
    assert!(said.contains("is no regular file"), "{said}");
    fs::remove_file(case.path()).unwrap();
    fs::create_dir(case.path()).unwrap();
    let said = case.read(start()).unwrap_err();
    assert!(said.contains("is a folder"), "{said}");
}

#[test]
fn a_file_larger_than_any_listing_is_refused() {
    let mut case = Case::new(MINUTE);
    case.write("", start());
    fs::File::options().write(true).open(case.path()).unwrap().set_len((16 << 20) + 1).unwrap();
    let now = Utc::now();
    let said = case.read(now).unwrap_err();
    assert!(said.contains("larger than 16 MiB"), "{said}");
}

/// Root may read everything.
#[test]
fn a_file_of_somebody_else_names_the_user_who_may_not() {
    if nix::unistd::Uid::effective().is_root() {
        return;
    }
    let mut case = Case::new(MINUTE);
    case.write(WHOLE, start());
    fs::set_permissions(case.path(), fs::Permissions::from_mode(0o000)).unwrap();
    let said = case.read(start()).unwrap_err();
    assert!(said.contains("may not be read by the user") && said.contains("setfacl -m u:"), "{said}");
}

/// What the agent may read, somebody else may not lend himself by a link. Only root can make a link of others.
#[test]
fn a_link_of_a_stranger_to_a_file_of_root_is_refused() {
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let mut case = Case::new(MINUTE);
    let secret = case.folder.path().join("secret");
    fs::write(&secret, "s3cret\n").unwrap();
    std::os::unix::fs::symlink(&secret, case.path()).unwrap();
    std::os::unix::fs::lchown(case.path(), Some(64_321), None).unwrap();
    let said = case.read(Utc::now()).unwrap_err();
    assert!(said.contains("stat.txt` is a link made by the user `64321` to a file of the user `root`; set `path`"), "{said}");
}
