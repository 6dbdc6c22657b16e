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
    let everybody = "`basic_auth_file` of the partition `mail2`: everybody can read `etc/login`; `chmod o-r etc/login` keeps it a secret\n\
        `data` of the partition `mail4`: `etc/notesdata` is not there, correct it unless it is mounted or written later\n";
    assert_eq!((done.code, done.err.as_str()), (0, everybody));
    let partitions = "partition      mail1, push\npartition      mail2, url\npartition      mail3, push\n\
        partition      mail4, its tasks and notes.ini alone\npartition      mail5, push\n";
    assert!(done.out.ends_with(partitions), "{}", done.out);
    assert!(!done.out.contains("s3cret"), "{}", done.out);
    assert_eq!(config(&place, &["check", "--json"]).out, "{\n  \"problems\": []\n}\n");
}

/// It may be mounted later, so that the configuration is good all the same.
#[test]
fn what_partitions_name_and_the_host_has_not_is_told_by_the_check() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("etc/data")).unwrap();
    place.write("etc/server", "");
    let console = |name: &str, program: &str, data: &str, more: &str| {
        format!("[[partition]]\nname = \"{name}\"\nsource = \"console\"\nprogram = \"{program}\"\ndata = \"{data}\"\n{more}\n")
    };
    let text = [
        console("good", "server", "data", "user = \"root\""),
        console("mail1", "sever", "daat", "user = \"no-such-user\"\nhost = \"big\""),
        console("mail2", "data", "server", ""),
        "[[partition]]\nname = \"mail3\"\nsource = \"file\"\npath = \"stat.txt\"\n".to_owned(),
        "[[partition]]\nname = \"mail4\"\nsource = \"file\"\npath = \"server/stat.txt\"\n".to_owned(),
        "[[partition]]\nname = \"far\"\ndata = \"daat\"\nhost = \"elsewhere\"\n".to_owned(),
        "[[partition]]\nname = \"near\"\ndata = \"daat\"\nhost = \"big\"\n[host]\nname = \"big\"\n".to_owned(),
    ];
    place.write("etc/weekline.toml", &text.concat());
    let done = config(&place, &["check"]);
    let later = "is not there, correct it unless it is mounted or written later";
    let expected = [
        &format!("`program` of the partition `mail1`: `etc/sever` {later}"),
        &format!("`data` of the partition `mail1`: `etc/daat` {later}"),
        "`user` of the partition `mail1`: this host has no user `no-such-user`, write one of `getent passwd`",
        "`program` of the partition `mail2`: `etc/data` is no file, name the file itself",
        "`data` of the partition `mail2`: `etc/server` is no folder, name the folder itself",
        &format!("`path` of the partition `mail3`: `etc/stat.txt` {later}"),
        &format!("`path` of the partition `mail4`: `etc/server/stat.txt` {later}"),
        &format!("`data` of the partition `near`: `etc/daat` {later}"),
        "",
    ];
    assert_eq!((done.code, done.err.as_str()), (0, expected.join("\n").as_str()));
    let help = config(&place, &["check", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("Programs, folders, files and users of partitions that are not there are told, too"), "{help}");
}
