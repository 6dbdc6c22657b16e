//! What the service says of its address and of a history it cannot use.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rusqlite::Connection;

use super::{Place, imported};

#[test]
fn the_log_names_the_address_served_and_the_cause_of_a_fault() {
    let place = imported();
    let history = Connection::open(place.path("history.db")).unwrap();
    history.execute_batch("CREATE TRIGGER refuse BEFORE INSERT ON tail BEGIN SELECT RAISE(ABORT, 'no more'); END").unwrap();
    let mut service = Command::new(env!("CARGO_BIN_EXE_weekline"))
        .args(["--config", "weekline.toml", "--history", "history.db", "run", "--always", "--interval", "1s"])
        .args(["--listen", "127.0.0.1:0"])
        .current_dir(&place.folder)
        .env("TZ", "UTC")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(service.stderr.take().unwrap());
    let (line, lines) = channel();
    std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|text| line.send(text)));
    let mut said: Vec<String> = Vec::new();
    while !said.last().is_some_and(|line| line.contains("the loss is counted")) {
        match lines.recv_timeout(Duration::from_secs(20)) {
            Ok(line) => said.push(line),
            Err(_) => break,
        }
    }
    service.kill().unwrap();
    service.wait().unwrap();
    assert!(said.iter().any(|line| line.contains("serving http://127.0.0.1:")), "{said:?}");
    assert!(!said.iter().any(|line| line.contains("127.0.0.1:0/")), "{said:?}");
    assert!(said.last().is_some_and(|line| line.contains("could not be used: no more")), "{said:?}");
}

#[test]
fn a_lock_that_cannot_be_had_is_named() {
    let place = Place::new();
    std::fs::create_dir(place.path("history.db.lock")).unwrap();
    let (code, line) = place.refused(&["run", "--listen", "127.0.0.1:0"]);
    assert_eq!(code, 1);
    assert!(line.contains("cannot lock the history by") && line.contains("/history.db.lock`"), "{line}");
    assert!(line.contains("Is a directory"), "{line}");
}

#[test]
fn unknown_fields_are_asked_of_the_service() {
    let place = Place::new();
    let (code, line) = place.refused(&["metrics", "--unknown", "--listen", "127.0.0.1:1"]);
    assert_eq!(code, 1);
    assert!(
        line.starts_with("weekline: no agent answers at 127.0.0.1:1: ") && line.contains("; `weekline run` starts one"),
        "{line}"
    );
    assert_eq!(place.run(&["metrics", "--listen", "127.0.0.1:1"]).code, 2);
}

/// Answers as a service of this or an older version does, for one question.
fn answering(json: &str) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{json}", json.len());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = std::io::Read::read(&mut stream, &mut request);
        let _ = std::io::Write::write_all(&mut stream, answer.as_bytes());
    });
    address
}

#[test]
fn unknown_statistics_are_printed_as_they_are_configured() {
    let place = Place::new();
    let status = |more: &str| {
        format!(
            r#"{{"version":"0.1.0","started":null,"schedule":null,"sources":[],"partitions":[],"history":null,"overhead":null,"config":null{more}}}"#
        )
    };
    let unknown = r#","unknown":[{"partition":"mail1","place":"domino","field":"Server.Brand.New"}]"#;
    let ask = |json: &str| place.good(&["metrics", "--unknown", "--listen", &answering(json).to_string()]);
    assert_eq!(
        ask(&status(unknown)),
        "# offered by mail1; \"counter\" if it only grows\n[[metric]]\nstatistic = \"Server.Brand.New\"\nkind = \"gauge\"\n\n"
    );
    assert_eq!(ask(&status("")), "everything the last samples offered is in the catalog or left out on purpose\n");
}
