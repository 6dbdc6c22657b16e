use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::super::kernel_file::{KernelFile, count, first_line};

#[test]
fn a_file_is_read_again_however_its_length_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut file = KernelFile::new(path.clone());
    assert!(file.read().unwrap_err().to_string().contains("file"));
    assert_eq!(file.read_if_there().unwrap(), None);
    for length in [3, 0, 4095, 4096, 4097, 100_000, 7] {
        let text = "x".repeat(length);
        fs::write(&path, &text).unwrap();
        assert_eq!(file.read().unwrap(), text, "{length}");
        assert_eq!(file.read_if_there().unwrap(), Some(text.as_str()));
    }
}

/// Not every refusal is an absence.
#[test]
fn what_is_there_and_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(KernelFile::new(folder.path().to_owned()).read_if_there().is_err());
}

/// A file that was read once and whose owner is gone. A process takes the part of the disk: its file stays open, and fails.
fn open_and_gone(folder: &tempfile::TempDir) -> (std::path::PathBuf, KernelFile) {
    let path = folder.path().join("diskseq");
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    symlink(format!("/proc/{}/comm", child.id()), &path).unwrap();
    let mut file = KernelFile::new(path.clone());
    assert!(!file.read().unwrap().is_empty());
    drop(child.stdin.take());
    child.wait().unwrap();
    (path, file)
}

#[test]
fn an_open_file_of_something_that_is_gone_is_opened_anew() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, mut file) = open_and_gone(&folder);
    assert_eq!(file.read_if_there().unwrap(), None);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "18\n").unwrap();
    assert_eq!(file.read().unwrap(), "18\n");
}

/// The other disk is there before anybody looked again.
#[test]
fn what_came_under_the_same_path_in_between_is_read_at_once() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, mut file) = open_and_gone(&folder);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "18\n").unwrap();
    assert_eq!(file.read_if_there().unwrap(), Some("18\n"));
}

#[test]
fn counts_are_whole_and_not_negative() {
    let table = [
        ("0", Some(0.0)),
        ("9223372036854775807", Some(9_223_372_036_854_775_807.0)),
        ("9223372036854775808", None),
        ("18446744073709551615", None),
        ("99999999999999999999", None),
        ("-1", None),
        ("1.5", None),
        ("", None),
        (" 1", None),
    ];
    for (word, number) in table {
        assert_eq!(count(word), number, "{word:?}");
    }
}

#[test]
fn a_first_line_is_trimmed_and_never_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for (text, line) in [(" mail1 \nmore\n", Some("mail1")), ("\n", None), ("", None), ("(none)", Some("(none)"))] {
        fs::write(&path, text).unwrap();
        assert_eq!(first_line(&path).as_deref(), line, "{text:?}");
    }
    assert_eq!(first_line(&folder.path().join("nowhere")), None);
}
