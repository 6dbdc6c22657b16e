//! Statistics publication over a socket: what the door takes, what it refuses and how it says so.
//!
//! The stand-in server is beside the workspace, in `shared/`, or in `$WEEKLINE_SHARED`; where it is missing its test says so and passes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use weekline::formats::domino::numbers::{Profile, Value};
use weekline::formats::domino::show_stat::listings;
use weekline::run::Shared;
use weekline::schedule::{Hours, Outside, Schedule};
use weekline::sources::domino::push::{Inbox, Push};
use weekline::sources::domino::{Brought, WayIn, What};
use weekline::web::{self, Door, Doors, Token};
use weekline_exporter::serve;

const BODY: &str = "Domino.mail1.Mail.Dead 5\nDomino.mail1.Server.Trans.Total 2800000\nDomino.mail1.Rate.Mail.Dead 1";
const MOST: usize = 4 << 20;

/// The routes on an address of their own.
struct Service {
    address: SocketAddr,
    doors: Arc<Doors>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// With the doors `mail1`, opened by `geheim-1`, and `mail2`, opened by `geheim-2`.
    fn start() -> Service {
        let schedule =
            Schedule::new(chrono_tz::UTC, [Some(Hours::WHOLE_DAY); 7], Duration::from_secs(60), Outside::Idle, [].into());
        let shared = Arc::new(Shared::new(Utc::now(), Arc::new(schedule)));
        let doors = Arc::new(Doors::new());
        doors.replace(doors_of(&[("mail1", "geheim-1"), ("mail2", "geheim-2\n")]));
        let router = web::router(shared, doors.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(serve::listen("127.0.0.1:0".parse().unwrap())).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime.block_on(serve::serve(listener, router, async { drop(stopped.await) })).unwrap();
        });
        Service { address, doors, stop: Some(stop), thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes and reads until the other side closes.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        answer(&mut stream)
    }

    /// A POST as a server makes it.
    fn post(&self, path: &str, authorization: &str, body: &[u8]) -> String {
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\n{authorization}Connection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.send(&request)
    }

    fn good(&self, body: &[u8]) -> String {
        self.post("/push/mail1", "Authorization: Bearer geheim-1\r\n", body)
    }

    /// What a reader would find in an inbox in some seconds' time.
    fn brought(&self, partition: &str) -> Vec<Brought> {
        let mut brought = Vec::new();
        let mut push = Push::new(self.doors.inbox(partition).unwrap(), Duration::from_secs(60));
        let _ = push.read(Utc::now() + TimeDelta::seconds(5), &mut brought);
        brought
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn doors_of(tokens: &[(&str, &str)]) -> BTreeMap<String, Door> {
    let door = |token: &str| Door { token: Token::new(token), inbox: Arc::new(Inbox::new()) };
    tokens.iter().map(|(name, token)| ((*name).to_owned(), door(token))).collect()
}

fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            // What was not read of a body is answered with a reset, after the answer.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&bytes)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn code(answer: &str) -> u16 {
    let status = answer.strip_prefix("HTTP/1.1 ").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    status[..3].parse().unwrap()
}

fn sentence(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

#[test]
fn what_is_pushed_is_in_the_inbox() {
    let service = Service::start();
    let before = Utc::now();
    let said = service.good(BODY.as_bytes());
    assert_eq!((code(&said), sentence(&said)), (204, ""));
    let found = service.brought("mail1");
    let stats = vec![("Mail.Dead".to_owned(), 5.0), ("Server.Trans.Total".to_owned(), 2_800_000.0)];
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].what, What::Published(stats));
    assert!(before <= found[0].at && found[0].at <= Utc::now());
    assert_eq!(service.brought("mail2"), []);
    // The scheme in any letter case, the name percent-encoded, the body in chunks.
    let chunked = format!(
        "POST /push/m%61il1 HTTP/1.1\r\nHost: x\r\nAuthorization: BEARER  geheim-1 \r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{BODY}\r\n0\r\n\r\n",
        BODY.len()
    );
    assert_eq!(code(&service.send(chunked.as_bytes())), 204);
    assert_eq!(service.brought("mail1").len(), 1);
}

#[test]
fn without_its_token_nobody_is_let_in_or_told_a_name() {
    let service = Service::start();
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let basic = "Authorization: Basic Z2VoZWltLTE=\r\n".to_owned();
    for path in ["/push/mail1", "/push/mail9", "/push/%ff"] {
        let mut without = Vec::new();
        for none in ["", &basic, "Authorization: Bearer\r\n", "Authorization: geheim-1\r\n", "Authorization: Bearer \u{e4}\r\n"] {
            let said = service.post(path, none, BODY.as_bytes());
            assert_eq!(code(&said), 401, "{path} {none}");
            assert!(said.to_lowercase().contains("\r\nwww-authenticate: bearer\r\n"), "{said}");
            without.push(sentence(&said).to_owned());
        }
        without.dedup();
        assert_eq!(without, ["a token is needed; set STATPUB_HEADERS=Authorization: Bearer TOKEN in notes.ini\n"]);
        for wrong in ["geheim", "geheim-11", "Geheim-1", "geheim-3", "geheim-1 x", "geheim-1,geheim-2"] {
            let said = service.post(path, &bearer(wrong), BODY.as_bytes());
            assert_eq!(code(&said), 403, "{path} {wrong}");
            assert!(sentence(&said).starts_with("the token is not this partition's;"), "{said}");
            assert!(!said.contains("geheim") && !said.contains("mail"), "{said}");
        }
    }
    // Another's token; and a good one at a door that is not there.
    assert_eq!(code(&service.post("/push/mail1", &bearer("geheim-2"), BODY.as_bytes())), 403);
    for path in ["/push/mail9", "/push/%ff", "/push/mail1%00", "/push/MAIL1"] {
        let said = service.post(path, &bearer("geheim-1"), BODY.as_bytes());
        assert_eq!(code(&said), 404, "{path}");
        assert!(sentence(&said).contains("source = \"push\""), "{said}");
    }
    assert_eq!((service.brought("mail1"), service.brought("mail2")), (vec![], vec![]));
    // What was refused is refused before its body is waited for.
    let mut stream = service.connect();
    stream.write_all(b"POST /push/mail1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4000000\r\n\r\n").unwrap();
    let start = Instant::now();
    assert_eq!(code(&answer(&mut stream)), 401);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_empty_token_opens_no_door_and_none_is_printed() {
    let service = Service::start();
    service.doors.replace(doors_of(&[("mail1", " \n"), ("mail2", "geheim-2")]));
    for token in ["", " ", "\t"] {
        let said = service.post("/push/mail1", &format!("Authorization: Bearer {token}\r\n"), BODY.as_bytes());
        assert_eq!(code(&said), 401);
    }
    assert_eq!(code(&service.good(BODY.as_bytes())), 403);
    let printed = format!("{:?}", service.doors);
    assert!(printed.contains("mail2") && !printed.contains("geheim"), "{printed}");
}

#[test]
fn a_reload_takes_effect_at_once() {
    let service = Service::start();
    assert_eq!(code(&service.good(BODY.as_bytes())), 204);
    let mut doors = doors_of(&[("mail1", "neu"), ("mail3", "geheim-1")]);
    doors.get_mut("mail1").unwrap().inbox = service.doors.inbox("mail1").unwrap();
    service.doors.replace(doors);
    assert_eq!(code(&service.good(BODY.as_bytes())), 403);
    assert_eq!(code(&service.post("/push/mail1", "Authorization: Bearer neu\r\n", b"SMTP.MessagesProcessed 7")), 204);
    assert_eq!(code(&service.post("/push/mail3", "Authorization: Bearer geheim-1\r\n", BODY.as_bytes())), 204);
    // The body from before the reload and the one after it came together.
    let found = service.brought("mail1");
    assert!(matches!(&found[..], [Brought { what: What::Published(stats), .. }] if stats.len() == 3), "{found:?}");
    assert!(service.doors.inbox("mail2").is_none());
}

#[test]
fn what_is_not_understood_is_told_in_a_sentence() {
    let service = Service::start();
    for body in [&b""[..], b"hello", b"{\"agent\":{}}", b"Mail.Dead x\n", b"\0\xff\xfe", b"Mail.Dead 1\nMail.Dead 1"] {
        let said = service.good(body);
        assert_eq!(code(&said), 400);
        let sentence = sentence(&said);
        assert!(sentence.lines().count() == 1 && sentence.contains("STATPUB_METRIC_FORMAT=$Name$ $Value$"), "{sentence}");
    }
    assert_eq!(service.brought("mail1"), []);
    // Rates alone are no fault of the server's.
    assert_eq!(code(&service.good(b"Rate.Mail.Dead 1")), 204);
    assert_eq!(service.brought("mail1"), []);
}

#[test]
fn other_methods_are_answered_with_405() {
    let service = Service::start();
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let said = service.send(
            format!("{method} /push/mail1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer geheim-1\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        );
        assert_eq!(code(&said), 405, "{method}");
    }
    for path in ["/", "/metrics", "/-/status", "/-/healthy", "/-/ready"] {
        assert_eq!(code(&service.post(path, "Authorization: Bearer geheim-1\r\n", BODY.as_bytes())), 405, "{path}");
    }
    for path in ["/push", "/push/", "/push/mail1/x"] {
        assert_eq!(code(&service.post(path, "", BODY.as_bytes())), 404, "{path}");
    }
}

#[test]
fn a_long_body_is_refused_by_its_length_and_while_it_comes() {
    let service = Service::start();
    // Nothing of the body is sent: the length is enough.
    let head = format!(
        "POST /push/mail1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer geheim-1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        MOST + 1
    );
    let said = service.send(head.as_bytes());
    assert_eq!((code(&said), sentence(&said)), (413, "the body is longer than 4194304 bytes; check what pushes here\n"));
    // Chunks that never end.
    let mut stream = service.connect();
    let head = "POST /push/mail1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer geheim-1\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let sent = (0..1000).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!((64..1000).contains(&sent), "{sent} chunks of 64 KiB were taken");
    // The longest that is taken: 4 MiB to the byte, one entry and blanks.
    let mut body = b"Mail.Dead 5".to_vec();
    body.resize(MOST, b' ');
    assert_eq!(code(&service.good(&body)), 204);
    assert_eq!(service.brought("mail1").len(), 1);
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let service = Service::start();
    let mut stream = service.connect();
    let head =
        "POST /push/mail1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer geheim-1\r\nContent-Length: 1000\r\n\r\nMail.Dead 5\n";
    stream.write_all(head.as_bytes()).unwrap();
    let start = Instant::now();
    // Others are served meanwhile.
    assert_eq!(code(&service.good(BODY.as_bytes())), 204);
    assert!(start.elapsed() < Duration::from_secs(5));
    let said = answer(&mut stream);
    assert_eq!(code(&said), 408, "{said}");
    assert!((9..15).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    // Nor is what came of a body that was cut off.
    let mut stream = service.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    answer(&mut stream);
    let found = service.brought("mail1");
    assert!(matches!(&found[..], [Brought { what: What::Published(stats), .. }] if stats.len() == 2), "{found:?}");
}

#[test]
fn junk_after_a_push_is_a_request_of_its_own() {
    let service = Service::start();
    let push = format!(
        "POST /push/mail1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer geheim-1\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let said = service.send(format!("{push}\u{1}\u{2} junk\r\n\r\n").as_bytes());
    assert_eq!((code(&said), said.matches("HTTP/1.1 ").count()), (204, 2), "{said}");
    assert!(said.contains("HTTP/1.1 400"), "{said}");
    // Two at once, on one connection.
    let last = push.replace("Host: x\r\n", "Host: x\r\nConnection: close\r\n");
    let said = service.send(format!("{push}{last}").as_bytes());
    assert_eq!(said.matches("HTTP/1.1 204").count(), 2, "{said}");
    // Lengths that contradict each other are nobody's.
    let smuggled = push.replace("Host: x\r\n", "Host: x\r\nContent-Length: 3\r\n");
    assert_eq!(code(&service.send(smuggled.as_bytes())), 400);
    for junk in [&b"\x16\x03\x01\x02\x00\x01"[..], b"\r\n\r\n\r\nhello there\r\n\r\n", &[0; 2000]] {
        let mut stream = service.connect();
        stream.write_all(junk).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let said = answer(&mut stream);
        assert!(said.is_empty() || code(&said) == 400, "{said}");
    }
    assert_eq!(code(&service.good(BODY.as_bytes())), 204);
}

/// A path in the shared folder; says loudly that it is not there.
fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let found = std::env::var_os("WEEKLINE_SHARED").map_or_else(beside, PathBuf::from).join(path);
    if found.exists() && Command::new("python3").arg("--version").output().is_ok() {
        return Some(found);
    }
    // Past the test harness, which keeps to itself what a passing test prints.
    writeln!(std::io::stderr(), "SKIPPED: no {} or no python3", found.display()).expect("stderr is open");
    None
}

fn sim(program: &Path, command: &str, data: &Path, options: &[&str]) -> (bool, String) {
    let output = Command::new("python3").arg("-B").arg(program).arg(command).arg(data).args(options).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

/// What a stand-in server pushes is what it prints at the same time.
#[test]
fn a_server_pushes_what_it_would_print() {
    let Some(program) = shared("checks/domino-sim") else { return };
    let service = Service::start();
    let data = tempfile::tempdir().unwrap();
    let (done, said) = sim(&program, "init", data.path(), &["--started", "2026-11-02T06:00", "--locale", "us"]);
    assert!(done, "{said}");
    let at = ["--at", "2026-11-03T10:15"];
    let listing = listings(&sim(&program, "show-stat", data.path(), &at).1).remove(0);
    let profile = Profile::infer(listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str())), None).unwrap();
    let printed: BTreeMap<&str, &str> = listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let url = format!("http://{}/push/mail1", service.address);
    let header = "Authorization: Bearer geheim-1$Newline$Content-Type: text/plain";
    let plain = ["--metric-format", "$Name$ $Value$", "--delta-metric-format", "Rate.$Name$ $Value$"];
    for format in [
        &[][..],
        &plain,
        &[
            "--metric-format",
            "Domino.Mail.$Name$ $Value$ $Timestamp$",
            "--delta-metric-format",
            "Domino.Mail.Rate.$Name$ $Value$ $Timestamp$",
        ],
        &["--metric-delimiter", ","],
        &["--data-head", "# mail1$Newline$", "--data-tail", "$Newline$end"],
    ] {
        let (done, said) = sim(&program, "push", data.path(), &[&["--url", &url, "--headers", header], &at[..], format].concat());
        assert!(done && said.contains(": 204"), "{format:?}: {said}");
        let mut found = service.brought("mail1");
        assert_eq!(found.len(), 1);
        let What::Published(stats) = found.remove(0).what else { panic!("{format:?}") };
        assert!(stats.len() > 350 && stats.iter().any(|(name, _)| name == "Server.Trans.Total"), "{}", stats.len());
        for (name, value) in &stats {
            let printed = profile.parse(printed.get(name.as_str()).unwrap_or_else(|| panic!("{format:?}: {name}")));
            assert!(matches!(printed, Value::Number(number) if (number - value).abs() < 0.001), "{name}: {printed:?}, {value}");
        }
    }
    // Junk inside costs what it touches, and no value is another.
    let (done, _) = sim(&program, "fault", data.path(), &["--mode", "binary-junk", "--at", "2026-11-03T10:10", "--count", "1"]);
    assert!(done);
    let (_, said) = sim(&program, "push", data.path(), &[&["--url", &url, "--headers", header], &at[..]].concat());
    for brought in service.brought("mail1") {
        let What::Published(stats) = brought.what else { panic!("{said}") };
        for (name, value) in &stats {
            let printed = profile.parse(printed.get(name.as_str()).unwrap_or(&""));
            assert!(matches!(printed, Value::Number(number) if (number - value).abs() < 0.001), "{name}: {value}");
        }
    }
    let wrong = "Authorization: Bearer geheim-2";
    let (done, said) = sim(&program, "push", data.path(), &[&["--url", &url, "--headers", wrong], &at[..]].concat());
    assert!(!done && said.contains("403"), "{said}");
}
