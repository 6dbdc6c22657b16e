//! What is found beside what is configured, on directories of their own.

use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::sources::domino::Way;
use crate::sources::domino::discovery::Discovered;

fn like() -> Settings {
    Settings::beside_only("here", Duration::from_secs(60), Path::new("/"))
}

fn configured(name: &str, data: Option<&Path>) -> Settings {
    Settings { name: name.to_owned(), data: data.map(Path::to_owned), way: Some(Way::File("show_stat.txt".into())), ..like() }
}

fn server(name: &str, data: &Path, release: Option<&str>) -> Discovered {
    Discovered { name: name.to_owned(), data: data.to_owned(), release: release.map(str::to_owned) }
}

fn found(servers: Vec<Discovered>) -> Discovery {
    Discovery { partitions: servers, ..Discovery::default() }
}

/// Data directories `a` and `b`.
fn places() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    std::fs::create_dir(&a).unwrap();
    std::fs::create_dir(&b).unwrap();
    (folder, a, b)
}

fn watched(found: &Found, configured: &[Settings]) -> Vec<(String, Option<PathBuf>, bool)> {
    let all = found.beside(configured, &like());
    all.into_iter().map(|settings| (settings.name, settings.data, settings.way.is_some())).collect()
}

#[test]
fn a_configured_name_is_never_taken_by_a_server_of_that_name_elsewhere() {
    let (_folder, a, b) = places();
    let mut all = Found::default();
    assert!(all.take(found(vec![server("mail1", &b, None)])));
    let other = format!("mail1{}", b.display().to_string().replace('/', "."));
    let own = configured("mail1", Some(&a));
    assert_eq!(watched(&all, &[own]), [("mail1".to_owned(), Some(a), true), (other, Some(b), false)]);
}

#[test]
fn one_directory_is_one_partition_by_whatever_path_and_one_without_learns_its_own() {
    let (folder, a, _) = places();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&a, &link).unwrap();
    let mut all = Found::default();
    all.take(found(vec![server("mail1", &a, None)]));
    assert_eq!(watched(&all, &[configured("acme", Some(&link))]), [("acme".to_owned(), Some(link), true)]);
    assert_eq!(watched(&all, &[configured("mail1", None)]), [("mail1".to_owned(), Some(a.clone()), true)]);
    // A partition of another host learns nothing here.
    let elsewhere = Settings { host: "there".to_owned(), ..configured("mail1", None) };
    assert_eq!(watched(&all, &[elsewhere])[0], ("mail1".to_owned(), None, true));
}

#[test]
fn a_name_stays_with_its_directory_and_a_release_follows_the_last_look() {
    let (_folder, a, b) = places();
    let mut all = Found::default();
    assert!(all.take(found(vec![server("mail1", &a, Some("12.0.2"))])));
    assert!(all.take(found(vec![server("mail1", &b, None)])));
    assert!(!all.take(found(vec![server("mail1", &b, None), server("mail1", &a, Some("14.5"))])));
    let other = format!("mail1{}", b.display().to_string().replace('/', "."));
    let names: Vec<String> = watched(&all, &[]).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["mail1".to_owned(), other]);
    let partition = &all.beside(&[], &like())[0];
    assert_eq!(all.known(partition, None).release.as_deref(), Some("14.5"));
    assert_eq!(all.known(partition, Some(&"Release 14.5FP1".to_owned())).release.as_deref(), Some("Release 14.5FP1"));
}

#[test]
fn a_look_that_does_not_end_is_told_of_and_not_begun_twice() {
    let mut all = Found::default();
    assert!(all.due(0.0) && !all.due(10.0) && all.health(&[]).is_none());
    assert!(!all.due(301.0));
    assert!(all.health(&[]).and_then(|health| health.error).unwrap().starts_with("looking for servers does not end; "));
    all.take(Discovery::default());
    assert!(all.due(302.0) && all.health(&[]).is_none());
}
