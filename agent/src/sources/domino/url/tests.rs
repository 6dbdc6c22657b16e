//! An address against a small server on loopback: what it answers, and what is said where it does not.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use chrono::DateTime;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;

const DEADLINE: Duration = Duration::from_secs(5);
const EXPOSITION: &str = "# TYPE Domino_Server_Users gauge\nDomino_Server_Users 12\n";
const LISTING: &str = "  Mail.Dead = 0\n  Server.Users = 12\n  2 statistics found\n\n";

/// Answers every request with `answer`; gives the address and the heads of the requests.
fn server(answer: impl Fn(&mut TcpStream) + Send + 'static) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/metrics", listener.local_addr().unwrap());
    let (heads, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let _ = heads.send(lines.collect::<Vec<_>>().join("\n"));
            answer(&mut stream);
        }
    });
    (url, received)
}

fn answering(head: &'static str, body: impl Into<String>) -> (String, Receiver<String>) {
    let body = body.into();
    server(move |stream| {
        // Somebody who has heard enough hangs up.
        let _ = write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    })
}

fn settings(url: &str) -> Settings {
    Settings { url: url.to_owned(), token_file: None, basic_auth_file: None, timeout: DEADLINE, ca_file: None }
}

fn now() -> Timestamp {
    DateTime::from_timestamp(1_793_697_300, 0).unwrap()
}

/// What is made anew each minute.
fn opened(settings: Settings) -> Url {
    Url::new(settings, Duration::from_secs(60))
}

fn read(way: &mut Url) -> Result<Vec<What>, String> {
    let mut brought = Vec::new();
    let result = way.read(now(), &mut brought);
    assert!(brought.iter().all(|brought| brought.at == now()));
    result.map(|()| brought.into_iter().map(|brought| brought.what).collect()).map_err(|error| error.to_string())
}

fn said(settings: Settings) -> String {
    read(&mut opened(settings)).unwrap_err()
}

#[test]
fn the_text_says_what_it_is() {
    let (url, heads) = answering("200 OK", EXPOSITION);
    let what = read(&mut opened(settings(&url))).unwrap();
    assert!(matches!(&what[..], [What::Exposition(samples)] if samples.len() == 1), "{what:?}");
    let head = heads.recv().unwrap().to_lowercase();
    assert!(head.starts_with("get /metrics http/1.1\n") && head.contains("accept: text/plain"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    let (url, _) = answering("200 OK\r\nContent-Type: text/html", LISTING);
    let what = read(&mut opened(settings(&url))).unwrap();
    assert!(matches!(&what[..], [What::Listing(listing)] if listing.stats.len() == 2), "{what:?}");
}

/// Reads so many seconds after `now`; says of how many seconds after it what was brought is.
fn of_domprom(way: &mut Url, now_after: i64) -> Result<Vec<i64>, String> {
    let mut brought = Vec::new();
    let result = way.read(now() + TimeDelta::seconds(now_after), &mut brought);
    let at = brought.iter().map(|brought| (brought.at - now()).num_seconds()).collect();
    result.map(|()| at).map_err(|error| error.to_string())
}

fn made(at: i64) -> String {
    format!("{EXPOSITION}DominoHealth_stat_update_timestamp {}\n", now().timestamp() + at)
}

#[test]
fn figures_that_domprom_made_are_of_its_time_and_brought_once() {
    let (url, _) = answering("200 OK", made(-10));
    let mut way = opened(settings(&url));
    assert_eq!(of_domprom(&mut way, 0), Ok(vec![-10]));
    assert_eq!(of_domprom(&mut way, 60), Ok(vec![]));
    // A time to come, and one that lies further back than figures of each minute may.
    for (stamp, at) in [(1, 0), (-180, -180), (-181, 0)] {
        let (url, _) = answering("200 OK", made(stamp));
        assert_eq!(of_domprom(&mut opened(settings(&url)), 0), Ok(vec![at]), "{stamp}");
    }
}

#[test]
fn a_time_of_domprom_stands_still_for_three_intervals_at_most() {
    for (every, patience) in [(60, 180), (600, 1800)] {
        let (url, _) = answering("200 OK", made(0));
        let mut way = Url::new(settings(&url), Duration::from_secs(every));
        assert_eq!(of_domprom(&mut way, 0), Ok(vec![0]));
        assert_eq!(of_domprom(&mut way, patience), Ok(vec![]), "{every}");
        let said = of_domprom(&mut way, patience + 1).unwrap_err();
        assert!(said.contains("has been the same for") && said.contains("domprom"), "{said}");
    }
}

#[test]
fn what_is_neither_is_refused() {
    for (body, words) in [
        ("<html>Sign in</html>\n", "holds 21 bytes, and neither a listing of `show stat` nor Prometheus text in them"),
        ("", "is empty"),
        ("Domino_Server_Users 12\nDomino_Mail_Dead 1", "ends in the middle of a line"),
        ("  Mail.Dead = 0\n  Server.Users = 12\n", "lacks its end"),
    ] {
        let said = said(settings(&answering("200 OK", body).0));
        assert!(said.contains(words) && said.contains("127.0.0.1"), "{said}");
    }
}

#[test]
fn every_status_has_its_next_step() {
    for (head, what, next) in [
        ("401 Unauthorized", "wants to know who asks (401)", "set `token_file`"),
        ("403 Forbidden", "(403)", "`basic_auth_file`"),
        ("404 Not Found", "does not exist (404)", "path of `url`"),
        ("503 Service Unavailable", "answers 503 Service Unavailable", "its own log"),
        (
            "302 Found\r\nLocation: http://elsewhere.example/x?secret=1",
            "sends on to `http://elsewhere.example/x` (302)",
            "set `url`",
        ),
        ("301 Moved\r\nLocation: /other", "/other` (301)", "set `url`"),
    ] {
        let said = said(settings(&answering(head, "x").0));
        assert!(said.contains(what) && said.contains(next) && !said.contains("secret"), "{said}");
    }
}

/// The token goes where the configuration says and nowhere else.
#[test]
fn nobody_is_sent_on() {
    let (elsewhere, heads) = answering("200 OK", EXPOSITION);
    let answer = format!("HTTP/1.1 302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n");
    let (url, _) = server(move |stream| stream.write_all(answer.as_bytes()).unwrap());
    let said = said(settings(&url));
    assert!(said.contains(&elsewhere) && heads.try_recv().is_err(), "{said}");
}

#[test]
fn secrets_are_read_for_each_request_and_shown_in_none_of_the_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let (url, heads) = answering("403 Forbidden", "");
    let mut way = opened(Settings { token_file: Some(path.clone()), ..settings(&url) });
    assert!(read(&mut way).unwrap_err().contains("token` is not there; see that `token_file`"));
    for (text, sent) in
        [("s3cret-one\n", "authorization: Bearer s3cret-one"), (" s3cret-two", "authorization: Bearer s3cret-two")]
    {
        fs::write(&path, text).unwrap();
        let said = read(&mut way).unwrap_err();
        assert!(said.contains("does not take what `") && !said.contains("s3cret"), "{said}");
        let head = heads.recv().unwrap();
        assert!(head.contains(sent), "{head}");
        assert!(!format!("{way:?}").contains("s3cret"));
    }
    for (text, words) in [(" \n", "is empty"), ("s3cret\nline", "more than one line")] {
        fs::write(&path, text).unwrap();
        let said = read(&mut way).unwrap_err();
        assert!(said.contains(words) && said.contains("`token_file`") && !said.contains("s3cret"), "{said}");
    }
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(read(&mut way).unwrap_err().contains("is no text"));
    assert!(heads.try_recv().is_err(), "nothing is asked without the token");
}

#[test]
fn a_name_and_a_password_are_sent_as_the_web_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pair");
    let (url, heads) = answering("200 OK", EXPOSITION);
    let settings = Settings { basic_auth_file: Some(path.clone()), ..settings(&url) };
    fs::write(&path, "Aladdin:open sesame\n").unwrap();
    assert!(read(&mut opened(settings.clone())).is_ok());
    // The example of RFC 7617.
    assert!(heads.recv().unwrap().contains("authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    fs::write(&path, "s3cret").unwrap();
    let refused = said(settings.clone());
    assert!(refused.contains("has no colon") && !refused.contains("s3cret"), "{refused}");
    assert!(said(Settings { token_file: Some(path), ..settings }).contains("both `token_file` and `basic_auth_file`"));
}

#[test]
fn an_address_keeps_its_secrets() {
    for url in ["http://u:s3cret@127.0.0.1:1/", "ftp://127.0.0.1/s3cret", "s3cret", "http://", ""] {
        let said = said(settings(url));
        assert!(said.contains("`url` of the partition") && !said.contains("s3cret"), "{said}");
    }
    let (url, _) = answering("500 Oh", "");
    let settings = settings(&format!("{url}?token=s3cret#s3cret"));
    assert!(!format!("{settings:?}").contains("s3cret"));
    assert!(!said(settings).contains("s3cret"));
}

#[test]
fn nobody_there_and_nobody_of_that_name() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said_of = |url: &str| said(settings(url));
    let refused = said_of(&format!("http://{free}/?s3cret"));
    assert!(refused.contains("nothing listens at `http://127.0.0.1:") && !refused.contains("s3cret"), "{refused}");
    let unknown = said_of("http://nobody.invalid/?s3cret");
    assert!(unknown.contains("cannot be reached") && !unknown.contains("s3cret"), "{unknown}");
}

/// Answers over TLS with a certificate for 127.0.0.1 that the authority in `url/ca.pem` signed.
fn secure_server() -> String {
    let chain = CertificateDer::pem_slice_iter(include_bytes!("server.pem")).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("server.pem")).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/metrics", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(session, stream.unwrap());
            let length = EXPOSITION.len();
            // Who does not trust the certificate hangs up.
            if stream.read(&mut [0; 4096]).is_ok() {
                let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{EXPOSITION}");
            }
        }
    });
    url
}

#[test]
fn a_certificate_is_trusted_where_its_authority_is() {
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    fs::write(&ca_file, include_bytes!("ca.pem")).unwrap();
    let trusting = Settings { ca_file: Some(ca_file), ..settings(&secure_server()) };
    assert_eq!(read(&mut opened(trusting.clone())).map(|what| what.len()), Ok(1));
    let stranger = said(Settings { ca_file: None, ..trusting.clone() });
    assert!(stranger.contains("is not trusted") || stranger.contains("trusts no authority"), "{stranger}");
    assert!(stranger.contains("`ca_file`"), "{stranger}");
    let other_name = said(Settings { url: trusting.url.replace("127.0.0.1", "localhost"), ..trusting });
    assert!(other_name.contains("is not trusted") && other_name.contains("localhost"), "{other_name}");
}

/// A part now and then would keep a deadline that counts from the last part waiting for ever.
#[test]
fn the_deadline_is_one_for_the_whole_answer() {
    let (silent, _) = server(|_| thread::sleep(Duration::from_secs(3)));
    let (slow, _) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while stream.write_all(b"a").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    for url in [silent, slow] {
        let start = Instant::now();
        let said = said(Settings { timeout: Duration::from_millis(400), ..settings(&url) });
        assert!(said.contains("no whole answer") && said.contains("within 0.4 s; see whether"), "{said}");
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let (url, _) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let part = "Domino_Server_Users 12\n".repeat(1000);
        while stream.write_all(part.as_bytes()).is_ok() {}
    });
    let said = said(Settings { timeout: Duration::from_secs(30), ..settings(&url) });
    assert!(said.contains("more than 16 MiB"), "{said}");
}

#[test]
fn an_answer_that_breaks_off_is_not_taken() {
    let (url, _) = server(|stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{EXPOSITION}");
    });
    let said = said(settings(&url));
    assert!(said.contains("broke off after 56 bytes"), "{said}");
}

#[test]
fn https_to_who_speaks_plain_http_and_a_file_without_certificates() {
    let (url, _) = answering("200 OK", EXPOSITION);
    let secure = settings(&url.replace("http://", "https://"));
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    fs::write(&ca_file, "no certificate\n").unwrap();
    let said_of = |ca_file: Option<PathBuf>| said(Settings { ca_file, ..secure.clone() });
    assert!(said_of(Some(ca_file)).contains("holds no certificate"));
    let plain = said_of(None);
    assert!(plain.contains("does not speak TLS") || plain.contains("trusts no authority"), "{plain}");
}
