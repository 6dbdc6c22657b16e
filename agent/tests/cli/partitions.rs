//! What the configuration of partitions names beside itself: files as seen from it, read when it is checked.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{Done, Place};

/// `weekline config` with a configuration in a folder of its own.
fn config(place: &Place, arguments: &[&str]) -> Done {
    let output = Command::new(env!("CARGO_BIN_EXE_weekline"))
        .args(["--config", "etc/weekline.toml", "--history", "history.db", "config"])
        .args(arguments)
        .current_dir(&place.folder)
        .env("TZ", "UTC")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn files_that_partitions_name_are_read_by_the_check() {
    let place = Place::new();
    std::fs::create_dir(place.path("etc")).unwrap();
    let text = "[web]\npush_token_file = \"all\"\n\
        [[partition]]\nname = \"mail1\"\nsource = \"push\"\nregistered_users = { file = \"users.csv\" }\n\
        [[partition]]\nname = \"mail2\"\nsource = \"url\"\nurl = \"https://mail2/\"\nbasic_auth_file = \"login\"\nca_file = \"ca\"\n\
        [[partition]]\nname = \"mail3\"\nsource = \"push\"\ntoken_file = \"own\"\nregistered_users = { file = \"absent.csv\" }\n\
        [[partition]]\nname = \"mail4\"\ndata = \"notesdata\"\n\
        [[partition]]\nname = \"mail5\"\nsource = \"push\"\n\
        registered_users = { url = \"https://mail5/\", basic_auth_file = \"reader\", ca_file = \"ca\" }\n";
    place.write("etc/weekline.toml", text);
    place.write("etc/users.csv", "date,partition,registered\n2026-01-01,mail1,2.120\nsoon,mail1,5\n");
    place.write("etc/own", " \n");
    let done = config(&place, &["check"]);
    let users = "cannot use `registered_users` of the partition";
    assert_eq!(
        (done.code, done.err.as_str()),
        (
            4,
            [
                &format!("{users} `mail1`: `etc/users.csv`: line 2: `2.120` is no number of users, write it without separators, like `2120`"),
                &format!("{users} `mail1`: `etc/users.csv`: line 3: `soon` is no date, write it like `2026-01-31`"),
                &format!("{users} `mail3`: `etc/absent.csv`: No such file or directory (os error 2)"),
                "cannot use `push_token_file` in [web]: cannot read `etc/all`: No such file or directory (os error 2)",
                "cannot use `basic_auth_file` of the partition `mail2`: cannot read `etc/login`: No such file or directory (os error 2)",
                "cannot use `token_file` of the partition `mail3`: `etc/own` is empty",
                "cannot use `registered_users.basic_auth_file` of the partition `mail5`: cannot read `etc/reader`: No such file or directory (os error 2)",
                "cannot use `ca_file` of the partition `mail2`: cannot read `etc/ca`: No such file or directory (os error 2)",
                "cannot use `registered_users.ca_file` of the partition `mail5`: cannot read `etc/ca`: No such file or directory (os error 2)",
                "",
            ]
            .join("\n")
            .as_str()
        )
    );
    assert_eq!(config(&place, &["show"]).out, text);
    let users = "registered,partition,date\n2120,mail1,2026-01-01\n";
    place.write("etc/users.csv", users);
    for (name, mode) in [("all", 0o640), ("own", 0o600), ("login", 0o644), ("ca", 0o644), ("reader", 0o640)] {
        place.write(&format!("etc/{name}"), "s3cret-of-the-file\n");
        std::fs::set_permissions(place.path(&format!("etc/{name}")), PermissionsExt::from_mode(mode)).unwrap();
    }
    place.write("etc/weekline.toml", &text.replace("absent.csv", "users.csv"));
    place.write("etc/users.csv", &format!("{users}900,mail3,2026-01-01\n"));
    let done = config(&place, &["check"]);
    let everybody =
        "`basic_auth_file` of the partition `mail2`: everybody can read `etc/login`; `chmod o-r etc/login` keeps it a secret\n";
    assert_eq!((done.code, done.err.as_str()), (0, everybody));
    let partitions = "partition      mail1, push\npartition      mail2, url\npartition      mail3, push\n\
        partition      mail4, its tasks and notes.ini alone\npartition      mail5, push\n";
    assert!(done.out.ends_with(partitions), "{}", done.out);
    assert!(!done.out.contains("s3cret"), "{}", done.out);
    assert_eq!(config(&place, &["check", "--json"]).out, "{\n  \"problems\": []\n}\n");
}
