//! Links, pipes, devices and files without an end.

use std::fs;
use std::os::unix::fs::{lchown, symlink};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::*;

fn small(path: &Path) -> io::Result<Vec<u8>> {
    regular(path, 4 << 20)
}

fn said(path: &Path) -> String {
    small(path).unwrap_err().to_string()
}

#[test]
fn what_never_ends_or_never_answers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    symlink("/dev/zero", path("zero")).unwrap();
    assert_eq!(said(&path("zero")), "it is no regular file");
    mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
    assert_eq!(said(&path("pipe")), "it is no regular file");
    assert_eq!(said(folder.path()), "it is a folder");
    fs::write(path("file"), "text").unwrap();
    assert_eq!(small(&path("file")).unwrap(), b"text");
    let file = File::options().write(true).open(path("file")).unwrap();
    file.set_len(4 << 20).unwrap();
    assert_eq!(small(&path("file")).unwrap().len(), 4 << 20);
    file.set_len((4 << 20) + 1).unwrap();
    assert_eq!(said(&path("file")), "it is larger than 4 MiB");
}

#[test]
fn links_are_followed_to_their_end_if_they_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("sub")).unwrap();
    fs::write(path("file"), "text").unwrap();
    symlink("../file", path("sub/one")).unwrap();
    symlink(path("sub/one"), path("two")).unwrap();
    assert_eq!(small(&path("two")).unwrap(), b"text");
    symlink("ring", path("ring")).unwrap();
    symlink("nowhere", path("gone")).unwrap();
    assert_eq!(small(&path("ring")).unwrap_err().raw_os_error(), Some(Errno::ELOOP as i32));
    assert_eq!(small(&path("gone")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_link_leads_to_files_of_its_maker_unless_that_is_root_or_the_agent() {
    for (maker, owner, leads) in
        [(1000, 1000, true), (0, 1000, true), (990, 0, true), (1000, 0, false), (1000, 990, false), (1000, 1001, false)]
    {
        assert_eq!(may_lead(maker, owner, 990), leads, "{maker} to {owner}");
    }
}

/// Only root can make links of others.
#[test]
fn a_link_of_a_stranger_to_what_he_does_not_own_is_refused() {
    if !Uid::effective().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("secret"), "s3cret").unwrap();
    symlink(path("secret"), path("link")).unwrap();
    symlink(path("link"), path("honest")).unwrap();
    assert_eq!(small(&path("link")).unwrap(), b"s3cret", "root's own link");
    lchown(path("link"), Some(64_321), None).unwrap();
    let words = "it is a link made by the user `64321` to a file of the user `root`";
    assert_eq!(said(&path("link")), words);
    assert_eq!(said(&path("honest")), words, "by a link of root to that of a stranger");
    lchown(path("secret"), Some(64_321), None).unwrap();
    assert_eq!(small(&path("link")).unwrap(), b"s3cret");
}
