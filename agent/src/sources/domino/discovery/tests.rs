use std::os::unix::fs::symlink;

use super::super::processes::tests::Host;
use super::*;

const PROGRAM: &str = "/opt/hcl/domino/notes/12000200/linux/server";

fn write_ini(data: &Path, lines: &str) {
    fs::write(data.join("notes.ini"), format!("[Notes]\n{lines}\n")).unwrap();
}

fn names(found: &Discovery) -> Vec<&str> {
    found.partitions.iter().map(|partition| partition.name.as_str()).collect()
}

#[test]
fn releases_stand_in_the_names_of_program_folders() {
    for (folder, number) in [
        ("12000200", Some("12.0.2")),
        ("11000100", Some("11.0.1")),
        ("14050000", Some("14.5")),
        ("10000000", Some("10.0")),
        ("90010", Some("9.0.1")),
        ("85030", Some("8.5.3")),
        ("latest", None),
        ("1200020", None),
        ("12.0.2.1", None),
        ("", None),
    ] {
        assert_eq!(release(folder).as_deref(), number, "{folder}");
    }
}

#[test]
fn a_common_name_is_the_first_part_of_a_name() {
    for (name, common) in [
        ("CN=mail1/O=Acme", Some("mail1")),
        ("mail1/Servers/Acme", Some("mail1")),
        ("cn=Mail 1/O=Acme", Some("Mail 1")),
        (" mail1 ", Some("mail1")),
        ("CN=/O=Acme", None),
        ("", None),
    ] {
        assert_eq!(common_name(name).as_deref(), common, "{name}");
    }
}

#[test]
fn what_was_not_seen_is_said_with_the_next_step() {
    assert_eq!(problem(0, false), None);
    let (one, three, mount) = (problem(1, false).unwrap(), problem(3, true).unwrap(), problem(0, true).unwrap());
    assert!(one.starts_with("a process `server` is of another user"), "{one}");
    assert!(three.starts_with("3 processes `server` are of other users"), "{three}");
    assert!(mount.contains("`hidepid`"), "{mount}");
    for said in [one, three, mount] {
        assert!(said.contains("`CapabilityBoundingSet=CAP_SYS_PTRACE`") && said.contains("[[partition]] with `data`"), "{said}");
    }
}

#[test]
fn a_partition_is_a_server_process_with_its_data_directory() {
    let host = Host::up(100);
    let data = host.data("notesdata");
    write_ini(&data, "Directory=/local/notesdata\nSERVERNAME=CN=mail1/O=Acme");
    host.runs(1, "/sbin/init", Path::new("/"));
    host.runs(4711, PROGRAM, &data);
    host.runs(4720, "/opt/hcl/domino/notes/12000200/linux/http", &data);
    let found = Discovered { name: "mail1".to_owned(), data, release: Some("12.0.2".to_owned()) };
    assert_eq!(scan(host.root()), Discovery { partitions: vec![found], hidden: 0, problem: None });
}

#[test]
fn several_server_processes_of_one_directory_are_one_partition() {
    let host = Host::up(100);
    let (data, link) = (host.data("notesdata"), host.root().join("link"));
    symlink(&data, &link).unwrap();
    host.runs(20, PROGRAM, &data);
    host.runs(3, PROGRAM, &data);
    host.runs(30, PROGRAM, &link);
    let found = scan(host.root());
    assert_eq!(names(&found), ["notesdata"]);
}

#[test]
fn other_programs_of_that_name_controllers_and_commands_are_passed_over() {
    let host = Host::up(100);
    let data = host.data("notesdata");
    for (number, program) in [
        (10, "/usr/lib/game/server"),
        (11, "/opt/hcl/domino/notes/12000200/linux/java"),
        (12, "/srv/notes/linux/server"),
        (13, "/opt/hcl/domino/notes/12000200/linux/jvm/bin/server"),
    ] {
        host.runs(number, program, &data);
    }
    for (number, arguments) in [(14, "-jc"), (15, "-c\0show stat")] {
        host.runs(number, PROGRAM, &data);
        fs::write(host.file(number, "cmdline"), format!("{PROGRAM}\0{arguments}\0")).unwrap();
    }
    assert_eq!(scan(host.root()), Discovery::default());
    host.runs(16, "/opt/ibm/domino/notes/latest/linux/server", &data);
    assert_eq!(names(&scan(host.root())), ["notesdata"]);
}

/// An upgrade replaces the file of a program that still runs.
#[test]
fn a_program_whose_file_was_replaced_is_still_a_server() {
    let host = Host::up(100);
    let data = host.data("notesdata");
    host.runs(20, PROGRAM, &data);
    fs::remove_file(host.file(20, "exe")).unwrap();
    symlink(format!("{PROGRAM} (deleted)"), host.file(20, "exe")).unwrap();
    assert_eq!(names(&scan(host.root())), ["notesdata"]);
}

#[test]
fn what_a_notes_ini_says_is_a_stranger_s_word() {
    let host = Host::up(100);
    let data = host.data("notesdata");
    host.runs(20, PROGRAM, &data);
    for bad in ["ServerName=CN=ev\0il/O=X".to_owned(), "ServerName=\"".to_owned(), format!("ServerName={}", "x".repeat(65))] {
        write_ini(&data, &bad);
        assert_eq!(names(&scan(host.root())), ["notesdata"], "{bad:?}");
    }
    // Neither holds nor fills the agent.
    fs::remove_file(data.join("notes.ini")).unwrap();
    nix::unistd::mkfifo(&data.join("notes.ini"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(names(&scan(host.root())), ["notesdata"]);
    fs::remove_file(data.join("notes.ini")).unwrap();
    symlink("/dev/zero", data.join("notes.ini")).unwrap();
    assert_eq!(names(&scan(host.root())), ["notesdata"]);
    let mut ini = super::super::notes_ini::NotesIni::new("mail1", &data);
    let mut into = crate::snapshot::Snapshot::new(chrono::DateTime::UNIX_EPOCH, "h", std::time::Duration::ZERO);
    let error = crate::sources::Source::read(&mut ini, &mut into).unwrap_err();
    assert!(crate::sources::chain(&error).contains("it is no regular file"), "{error}");
}

#[test]
fn a_name_comes_from_the_best_setting_that_there_is() {
    for (ini, name) in [
        ("MailServer=CN=mail3/O=Acme\nKeyFileName_Owner=CN=mail2/O=Acme\nServerName=mail1/Acme", "mail1"),
        ("MailServer=CN=mail3/O=Acme\nKeyFileName_Owner=CN=mail2/O=Acme\nServerName=", "mail2"),
        ("mailserver=CN=mail3/O=Acme", "mail3"),
        ("Domain=Acme", "notesdata"),
    ] {
        let host = Host::up(100);
        let data = host.data("notesdata");
        write_ini(&data, ini);
        host.runs(20, PROGRAM, &data);
        assert_eq!(names(&scan(host.root())), [name], "{ini}");
    }
}

#[test]
fn partitions_of_one_name_are_told_apart_by_their_directories() {
    let host = Host::up(100);
    for (number, folder, name) in [(1, "one", "mail1"), (2, "two", "MAIL1"), (3, "three", "hub")] {
        let data = host.data(folder);
        write_ini(&data, &format!("ServerName={name}/Acme"));
        host.runs(number, PROGRAM, &data);
    }
    let found = scan(host.root());
    let dots = host.root().to_string_lossy().replace('/', ".");
    assert_eq!(names(&found), [format!("MAIL1{dots}.local.two"), "hub".to_owned(), format!("mail1{dots}.local.one")]);
}

/// Whoever may make a directory may call it what he likes.
#[test]
fn names_of_directories_are_made_clean() {
    let host = Host::up(100);
    let dots = host.root().to_string_lossy().replace('/', ".");
    for (number, folder) in [(1, "no\u{202e}tes\"1"), (2, "\n"), (3, "\u{200b}")] {
        host.runs(number, PROGRAM, &host.data(folder));
    }
    let second = format!("domino{dots}.local.");
    assert_eq!(names(&scan(host.root())), [second.as_str(), &format!("{second}-2"), "notes1"]);
    let host = Host::up(100);
    for (number, folder) in [(1, "a"), (2, "b")] {
        let data = host.data(folder).join("x".repeat(60));
        fs::create_dir_all(&data).unwrap();
        host.runs(number, PROGRAM, &data);
    }
    let both = ["a", "b"].map(|folder| format!("l.{folder}.{}", "x".repeat(60)));
    assert_eq!(names(&scan(host.root())), [&both[0], &both[1]]);
}

/// The path that a process in a container knows leads nowhere outside.
#[test]
fn a_directory_in_a_container_is_reached_through_its_process() {
    let host = Host::up(100);
    let inside = host.file(20, "root/local/notesdata");
    host.runs(20, PROGRAM, Path::new("/local/notesdata-that-only-a-container-has"));
    assert_eq!(scan(host.root()), Discovery::default(), "gone everywhere");
    fs::remove_file(host.file(20, "cwd")).unwrap();
    let path = "/local/notesdata";
    symlink(path, host.file(20, "cwd")).unwrap();
    fs::create_dir_all(&inside).unwrap();
    write_ini(&inside, "ServerName=mail1/Acme");
    let found = scan(host.root());
    assert_eq!((names(&found), &found.partitions[0].data), (vec!["mail1"], &inside));
}

/// A process that ends in the middle leaves its folder without files.
#[test]
fn processes_that_vanish_are_no_error() {
    let host = Host::up(100);
    let data = host.data("notesdata");
    for (number, missing) in [(1, "comm"), (2, "exe"), (3, "cwd")] {
        host.runs(number, PROGRAM, &data);
        fs::remove_file(host.file(number, missing)).unwrap();
    }
    fs::create_dir_all(host.root().join("proc/sys")).unwrap();
    assert_eq!(scan(host.root()), Discovery::default());
    let nowhere = scan(&host.root().join("nowhere"));
    assert!(nowhere.problem.unwrap().contains("nowhere/proc`: "));
}
