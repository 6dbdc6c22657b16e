use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::super::file_systems::{FileSystems, Space};
use super::super::{Source, SourceError};
use super::snapshot;
use crate::snapshot::Snapshot;

/// A root whose mounts are these lines of `mountinfo`.
fn root(lines: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("proc/self")).unwrap();
    fs::write(folder.path().join("proc/self/mountinfo"), lines.join("\n") + "\n").unwrap();
    folder
}

/// Mounts of devices of their own.
fn mounts(points: &[&str]) -> TempDir {
    let lines: Vec<String> =
        points.iter().zip(1..).map(|(point, i)| format!("{i} 1 8:{i} / {point} rw - ext4 /dev/sda{i} rw")).collect();
    root(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Makes mounts below `hang` hang for as long as this file is there.
fn stuck(root: &Path) -> PathBuf {
    root.join("stuck")
}

/// A path below `hang` answers when the root has no file `stuck` any more; one with `gone` has gone away.
fn ask(path: &Path) -> io::Result<Space> {
    let text = path.to_string_lossy();
    if text.contains("gone") {
        return Err(io::ErrorKind::NotFound.into());
    }
    if let Some((root, _)) = text.split_once("/hang") {
        while stuck(Path::new(root)).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(Space { size: 100.0, available: 25.0, files: 0.0, files_free: 0.0 })
}

fn read(source: &mut FileSystems) -> (Snapshot, Result<(), SourceError>, Duration) {
    let (mut into, start) = (snapshot(), Instant::now());
    let result = source.read(&mut into);
    (into, result, start.elapsed())
}

/// What was read: mount points and kinds.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let sizes = snapshot.readings.iter().filter(|reading| reading.metric.name == "host_filesystem_size_bytes");
    sizes.map(|reading| reading.labels.values().collect::<Vec<_>>().join(" ")).collect()
}

fn silent(result: Result<(), SourceError>) -> Vec<String> {
    match result {
        Err(SourceError::NoAnswer(mounts)) => mounts,
        other => panic!("{other:?}"),
    }
}

/// node_exporter 244, 868 and 3058: a mount that hangs must not take the others along, nor the threads.
#[test]
fn a_mount_that_hangs_costs_only_itself_and_is_asked_again_when_it_is_back() {
    let root = mounts(&["/", "/hang", "/local"]);
    fs::write(stuck(root.path()), "").unwrap();
    let mut source = FileSystems::asking(root.path(), false, ask);
    let (first, result, took) = read(&mut source);
    assert_eq!(shown(&first), ["/ ext4", "/local ext4"]);
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "no answer within the deadline from `/hang`; the others were read");
    assert!(took >= Duration::from_millis(300) && took < Duration::from_millis(1500), "{took:?}");
    for _ in 0..3 {
        let (again, result, took) = read(&mut source);
        assert_eq!((shown(&again), silent(result)), (vec!["/ ext4".into(), "/local ext4".into()], vec!["`/hang`".into()]));
        assert!(took < Duration::from_millis(290), "waited again: {took:?}");
    }
    fs::remove_file(stuck(root.path())).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let (back, result, _) = read(&mut source);
    assert!(result.is_ok());
    assert_eq!(shown(&back), ["/ ext4", "/hang ext4", "/local ext4"]);
}

#[test]
fn many_mounts_of_one_dead_server_do_not_add_up_and_the_machine_s_own_come_first() {
    let hanging = (1..=6).map(|i| format!("{i} 1 0:{i} / /hang/{i} rw - nfs4 filer:/{i} rw"));
    let lines: Vec<String> = hanging.chain(["9 1 8:1 / /local rw - ext4 /dev/sda1 rw".to_owned()]).collect();
    let root = root(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    fs::write(stuck(root.path()), "").unwrap();
    let mut source = FileSystems::asking(root.path(), true, ask);
    let (snapshot, result, took) = read(&mut source);
    assert!(took < Duration::from_millis(1600), "{took:?}");
    assert_eq!(shown(&snapshot), ["/local ext4"]);
    let mounts = silent(result);
    assert_eq!(mounts.len(), 6);
    assert_eq!((mounts[0].as_str(), mounts[5].as_str()), ("`/hang/1`", "`/hang/6` (not asked)"));
    // Those known to hang are passed over, so the others get their turn, until nobody is waited for.
    let readings: Vec<_> = (0..4).map(|_| read(&mut source)).collect();
    let (snapshot, _, took) = &readings[3];
    assert_eq!(shown(snapshot), ["/local ext4"]);
    assert!(*took < Duration::from_millis(290), "{took:?}");
}

#[test]
fn a_mount_that_is_gone_is_told_by_its_absence() {
    let root = mounts(&["/", "/gone"]);
    let (snapshot, result, _) = read(&mut FileSystems::asking(root.path(), false, ask));
    assert!(result.is_ok());
    assert_eq!(shown(&snapshot), ["/ ext4"]);
}

/// btrfs has no fixed number of inodes and says 0, which is none of them and not a full file system.
#[test]
fn a_file_system_without_inodes_has_no_number_of_them() {
    let root = mounts(&["/"]);
    let (snapshot, _, _) = read(&mut FileSystems::asking(root.path(), false, ask));
    assert_eq!(snapshot.value("host_filesystem_available_bytes", &["/", "ext4"]), Some(25.0));
    assert_eq!(snapshot.value("host_filesystem_files", &["/", "ext4"]), None);
}

#[test]
fn network_file_systems_are_asked_only_where_configured() {
    let root = root(&[
        "1 0 8:1 / / rw shared:1 - ext4 /dev/sda1 rw",
        "2 1 0:51 / /net/archive rw shared:2 - nfs4 filer:/export rw",
        "3 1 0:52 / /home/ops rw shared:3 - fuse.sshfs ops@filer:/ rw",
        "4 1 0:53 / /net/share rw shared:4 - cifs //filer/share rw",
        "5 1 0:54 / /run rw shared:5 - tmpfs tmpfs rw",
    ]);
    let shown_with = |network| shown(&read(&mut FileSystems::asking(root.path(), network, ask)).0);
    assert_eq!(shown_with(false), ["/ ext4"]);
    assert_eq!(shown_with(true), ["/ ext4", "/net/archive nfs4", "/home/ops fuse.sshfs", "/net/share cifs"]);
}

/// Each container has a root of its own in an `overlay`, which is the disk below once more; whoever is inside sees it as the root.
#[test]
fn the_overlays_of_containers_are_left_out() {
    let container = "/var/lib/docker/overlay2/5d6e/merged";
    let host =
        ["1 0 8:1 / / rw - ext4 /dev/sda1 rw", &format!("2 1 0:51 / {container} rw - overlay overlay rw")].map(str::to_owned);
    let inside = ["1 0 0:51 / / rw - overlay overlay rw", "2 1 8:2 / /local rw - xfs /dev/sdb1 rw"].map(str::to_owned);
    for (lines, expected) in [(host, vec!["/ ext4"]), (inside, vec!["/ overlay", "/local xfs"])] {
        let root = root(&lines.each_ref().map(String::as_str));
        assert_eq!(shown(&read(&mut FileSystems::asking(root.path(), false, ask)).0), expected);
    }
}

/// Optional fields before the dash may be none or many; a bind mount is the same device once more.
#[test]
fn mounts_are_read_as_the_kernel_writes_them() {
    let root = root(&[
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
        "2 1 8:2 / /local rw shared:2 master:1 propagate_from:2 - xfs /dev/sdb1 rw",
        "3 1 8:2 /mail /srv/mail rw shared:2 - xfs /dev/sdb1 rw",
        "4 1 8:3 / /mnt/My\\040Backups\\134old\\011x rw - ext4 /dev/sdc1 rw",
        "5 1 8:4 / /mnt/a\\9b\\\\ rw - ext4 /dev/sdd1 rw",
        "6 1 8:5 / /mnt/\u{e4}rger rw - ext4 /dev/sde1 rw",
        "7 1 8:6",
        "8 1 8:7 / /short - ",
        "",
    ]);
    let (snapshot, result, _) = read(&mut FileSystems::asking(root.path(), false, ask));
    assert!(result.is_ok());
    let expected = ["/ ext4", "/local xfs", "/mnt/My Backups\\old\tx ext4", "/mnt/a\\9b\\\\ ext4", "/mnt/\u{e4}rger ext4"];
    assert_eq!(shown(&snapshot)[..5], expected);
}

/// The machine the test runs on has a root, and nobody has more space than there is.
#[test]
fn statvfs_says_plausible_sizes() {
    let root = mounts(&["/"]);
    let (snapshot, result, _) = read(&mut FileSystems::new(root.path(), false));
    assert!(result.is_ok());
    let value = |metric: &str| snapshot.value(metric, &["/", "ext4"]).unwrap();
    let (size, available) = (value("host_filesystem_size_bytes"), value("host_filesystem_available_bytes"));
    assert!(available <= size && size >= 1024.0 * 1024.0, "{available} of {size}");
}
