//! The number of users against a small server on loopback: what it may answer, when it is asked, how long a number holds.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use chrono::Utc;

use super::*;
use crate::analysis::activity::Sighting;
use crate::snapshot::Snapshot;
use crate::sources::domino::{Partition, Settings, Way};

/// A view as Domino writes it; the backslash before the apostrophe is no JSON.
const JSON: &str = "{\"@timestamp\":\"20260902T193518,00Z\",\"@toplevelentries\":\"2120\",\"viewentry\":[{\"@position\":\"1\",\
    \"@unid\":\"6AFB146AABDED0568625741200540B96\",\"@noteid\":\"3E2E2\",\"@siblings\":\"2120\",\"entrydata\":[{\
    \"@columnnumber\":\"0\",\"@name\":\"$17\",\"text\":{\"0\":\"O\\'Neill \\\"@toplevelentries\\\":\\\"7\\\"\"}}]}]}";
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <!-- Domino -->\n<viewentries timestamp=\"20260902T193518,00Z\" toplevelentries=\"2120\">\n\
    <viewentry position=\"1\" unid=\"6AFB146AABDED0568625741200540B96\" noteid=\"3E2E2\" siblings=\"2120\">\n\
    <entrydata columnnumber=\"0\" name=\"$17\">\n<text>toplevelentries=\"7\"</text></entrydata></viewentry></viewentries>\n";

/// Answers request by request, the last answer for ever; gives the address and the heads of the requests.
fn answering(answers: &[(&str, &str)]) -> (url::Settings, Receiver<String>) {
    let mut answers: VecDeque<(String, String)> =
        answers.iter().map(|(head, body)| ((*head).to_owned(), (*body).to_owned())).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/names.nsf/MailUsers?ReadViewEntries&key=s3cret", listener.local_addr().unwrap());
    let (heads, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let _ = heads.send(lines.collect::<Vec<_>>().join("\n"));
            let (head, body) = if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() };
            let _ = write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        }
    });
    let timeout = Duration::from_secs(5);
    (url::Settings { url, token_file: None, basic_auth_file: None, timeout, ca_file: None }, received)
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

fn said(registered: &mut Registered, now: Timestamp) -> Result<(), String> {
    registered.read(now).map_err(|error| error.to_string())
}

#[test]
fn a_number_and_both_forms_of_a_view_are_understood() {
    let many = format!("{}{}", &JSON[..JSON.len() - 2], ",\"text\":".repeat(1000));
    for text in ["2120", " 2120\r\n", "02120", JSON, &JSON.replace("\":\"", "\" : \""), &many, XML, &XML.replace('"', "'")] {
        assert_eq!(users(text), Ok(2120), "{text}");
    }
    assert_eq!(users("{\"@toplevelentries\": 2120 }"), Ok(2120));
    assert_eq!(users("<viewentries toplevelentries = \"2120\"/>"), Ok(2120));
    assert_eq!(users("10000000"), Ok(10_000_000));
}

#[test]
fn what_counts_nobody_is_refused_with_a_next_step() {
    let number = "let it answer with a whole number";
    for (text, what, next) in [
        ("", "answers with nothing", "its own log"),
        ("0", "counts no user", "let whoever asks read the view"),
        ("<viewentries toplevelentries=\"0\"/>", "counts no user", "selects people"),
        ("2 120", "answers with 5 bytes that do not say how many users", number),
        ("2120.0", "answers with 6 bytes that do not say how many users", number),
        ("-5", "answers with 2 bytes that do not say how many users", number),
        ("10000001", "answers with 8 bytes that do not say how many users", number),
        ("18446744073709551616", "answers with 20 bytes that do not say how many users", number),
        ("two\nthousand", "answers with 12 bytes that do not say how many users", number),
        ("{\"@timestamp\":\"x\"}", "bytes that do not say how many users", number),
        ("{\"@toplevelentries\":\"\"}", "bytes that do not say how many users", number),
        ("{\"@toplevelentries\"", "bytes that do not say how many users", number),
        ("<viewentries>toplevelentries=\"5\"</viewentries>", "bytes that do not say how many users", number),
        ("<viewentries nottoplevelentries=\"5\">", "bytes that do not say how many users", number),
        ("<viewentries toplevelentries=\"5", "bytes that do not say how many users", number),
        (
            "\n<!DOCTYPE HTML PUBLIC>\n<form action=\"/names.nsf?Login\">",
            "a page for people",
            "`registered_users.basic_auth_file`",
        ),
        ("<html><body>5</body></html>", "a page for people", "?ReadViewEntries"),
        (&JSON.replace("\"@siblings\"", "\"@children\":\"9\",\"@siblings\""), "a view with categories", "without categories"),
        (&XML.replace(" siblings", " children=\"9\" siblings"), "a view with categories", "without categories"),
    ] {
        let refused = users(text).unwrap_err();
        assert!(refused.0.contains(what) && refused.1.contains(next), "{text}: {refused:?}");
        assert!(text.len() < 5 || !refused.0.contains(text), "{refused:?}");
    }
}

#[test]
fn it_is_asked_once_a_day() {
    let (settings, heads) = answering(&[("200 OK", "2120"), ("200 OK", "2121")]);
    let mut registered = Registered::new(settings);
    for (now, users, asked) in [
        ("2026-11-23T07:00:00Z", 2120, 1),
        ("2026-11-23T07:01:00Z", 2120, 0),
        ("2026-11-23T23:59:59Z", 2120, 0),
        ("2026-11-24T00:00:00Z", 2121, 1),
        ("2026-11-24T09:00:00Z", 2121, 0),
    ] {
        assert_eq!(said(&mut registered, at(now)), Ok(()));
        assert_eq!((registered.at(at(now)), heads.try_iter().count()), (Some(users), asked), "{now}");
    }
    assert_eq!(registered.good(), Some(at("2026-11-24T00:00:00Z")));
}

#[test]
fn what_failed_is_tried_again_after_an_hour_and_the_last_number_stays_for_a_week() {
    let (settings, heads) =
        answering(&[("200 OK", "2120"), ("503 Busy", ""), ("503 Busy", ""), ("200 OK", "<html>"), ("200 OK", JSON)]);
    let mut registered = Registered::new(settings);
    assert_eq!(said(&mut registered, at("2026-11-23T07:00:00Z")), Ok(()));
    assert_eq!(heads.try_iter().count(), 1);
    for (now, words, asked) in [
        ("2026-11-24T07:00:00Z", "answers 503", 1),
        ("2026-11-24T07:59:59Z", "answers 503", 0),
        ("2026-11-24T08:00:00Z", "answers 503", 1),
        // A clock that was set back.
        ("2026-11-24T06:59:00Z", "page for people", 1),
    ] {
        let said = said(&mut registered, at(now)).unwrap_err();
        assert!(said.contains(words) && said.contains("127.0.0.1") && !said.contains("s3cret"), "{said}");
        assert_eq!((registered.at(at(now)), heads.try_iter().count()), (Some(2120), asked), "{now}");
    }
    assert_eq!(registered.good(), Some(at("2026-11-23T07:00:00Z")));
    for (time, users) in [
        ("2026-11-22T06:59:59Z", None),
        ("2026-11-22T07:00:00Z", Some(2120)),
        ("2026-11-30T07:00:00Z", Some(2120)),
        ("2026-11-30T07:00:01Z", None),
    ] {
        assert_eq!(registered.at(at(time)), users, "{time}");
    }
    assert_eq!(said(&mut registered, at("2026-11-24T07:59:00Z")), Ok(()));
    assert_eq!(registered.good(), Some(at("2026-11-24T07:59:00Z")));
}

#[test]
fn who_asks_is_said_as_the_settings_say_and_in_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reader");
    let (settings, heads) = answering(&[("401 Unauthorized", ""), ("200 OK", "5")]);
    let open = said(&mut Registered::new(settings.clone()), at("2026-11-23T07:00:00Z")).unwrap_err();
    let next = "set `registered_users.token_file` or `registered_users.basic_auth_file` in [[partition]]";
    assert!(open.contains(next), "{open}");
    let settings = url::Settings { basic_auth_file: Some(path.clone()), ..settings };
    let mut registered = Registered::new(settings.clone());
    let absent = said(&mut registered, at("2026-11-23T07:00:00Z")).unwrap_err();
    assert!(absent.contains("see that `registered_users.basic_auth_file` in [[partition]] is right"), "{absent}");
    std::fs::write(&path, "Aladdin:open sesame\n").unwrap();
    assert_eq!(said(&mut registered, at("2026-11-23T08:00:00Z")), Ok(()));
    // The example of RFC 7617.
    assert!(heads.try_iter().any(|head| head.contains("authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")));
    let both = url::Settings { token_file: Some(path), ..settings };
    let both = said(&mut Registered::new(both), at("2026-11-23T07:00:00Z")).unwrap_err();
    assert!(both.contains("both `registered_users.token_file` and `registered_users.basic_auth_file`"), "{both}");
}

/// A partition whose statistics stand in a file, and whose users are counted.
fn partition(folder: &Path, counted: url::Settings) -> Partition {
    let path = folder.join("stat.txt");
    std::fs::write(&path, "  Server.Trans.Total = 100\n  Server.Users = 12\n  2 statistics found\n").unwrap();
    let mut settings = Settings::beside_only("big", Duration::from_secs(60), folder);
    settings.name = "mail1".to_owned();
    settings.way = Some(Way::File(path));
    settings.registered = Some(counted);
    Partition::new(&settings, &Arc::default())
}

/// What one reading says of the partition, and how its sources fare.
fn read(partition: &mut Partition) -> (Vec<Snapshot>, Vec<(&'static str, Option<String>)>) {
    let report = partition.read(Utc::now(), Duration::from_secs(60));
    let health = report.sources.into_iter().map(|health| (health.name, health.error)).collect();
    (report.snapshots, health)
}

#[test]
fn the_number_stands_beside_what_the_server_says() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshots, health) = read(&mut partition(folder.path(), answering(&[("200 OK", XML)]).0));
    assert_eq!(snapshots.iter().map(|snapshot| snapshot.stream.as_str()).collect::<Vec<_>>(), ["mail1"]);
    let sighting = Sighting::of(&snapshots[0], "mail1").unwrap();
    assert_eq!((sighting.connected, sighting.registered), (Some(12.0), Some(2120.0)));
    assert_eq!(health, [("file", None), ("registered", None)]);
}

#[test]
fn a_count_that_fails_costs_no_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshots, health) = read(&mut partition(folder.path(), answering(&[("404 Not Found", "")]).0));
    let sighting = Sighting::of(&snapshots[0], "mail1").unwrap();
    assert_eq!((sighting.connected, sighting.registered), (Some(12.0), None));
    assert_eq!(health[0], ("file", None));
    let (name, error) = &health[1];
    let error = error.as_deref().unwrap_or_default();
    assert_eq!(*name, "registered");
    assert!(
        error.ends_with("does not exist (404); see that the path of `registered_users.url` in [[partition]] is right"),
        "{error}"
    );
    assert!(!error.contains("s3cret"), "{error}");
}
