//! Small servers on loopback: one that answers with the text of the moment, and one that takes what is posted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// A text that is served.
pub(crate) struct Page {
    pub(crate) url: String,
    text: Arc<Mutex<Vec<u8>>>,
}

impl Page {
    /// Nothing to be read yet.
    pub(crate) fn new() -> Page {
        let text = Arc::new(Mutex::new(Vec::new()));
        let shown = text.clone();
        let url = serve(move |_, stream| {
            let body = shown.lock().unwrap().clone();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(&[head.into_bytes(), body].concat()).unwrap();
        });
        Page { url, text }
    }

    /// Shows another text from now on.
    pub(crate) fn show(&self, text: Vec<u8>) {
        *self.text.lock().unwrap() = text;
    }
}

/// An address for POSTs, and the bodies in the order in which they come.
pub(crate) fn posts() -> (String, Receiver<Vec<u8>>) {
    let (bodies, received) = channel();
    let url = serve(move |body, stream| {
        bodies.send(body).unwrap();
        stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    });
    (url, received)
}

/// Answers every request; gives the address.
fn serve(answer: impl Fn(Vec<u8>, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/stats", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let body = request(&stream);
            answer(body, &mut stream);
        }
    });
    url
}

/// The body of a request.
fn request(stream: &TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let head: Vec<String> = reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let length = head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    body
}
