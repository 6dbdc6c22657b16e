//! What the name of a block device tells when the machine it was on cannot be asked.

/// Whether a device is known by its name to be a whole disk.
///
/// Partitions, device-mapper, md and loop devices lie on whole disks, and a row that sums disks must not count a byte twice.
/// With `-p`, sysstat gives device-mapper devices the names their owner chose, so only names that cannot be theirs count.
pub(super) fn whole_disk(name: &str) -> bool {
    if let Some(numbers) = name.strip_prefix("dev") {
        return numbers.split_once('-').is_some_and(|(major, minor)| whole_by_number(major, minor));
    }
    let letters = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase());
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    // `nvme0n1` and `cciss/c0d0`: a number, a letter, a number.
    let pair = |rest: &str, letter: char| rest.split_once(letter).is_some_and(|(a, b)| digits(a) && digits(b));
    ["sd", "vd", "xvd", "hd", "dasd"].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(letters))
        || ["mmcblk", "nbd", "rbd", "pmem"].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(digits))
        || name.strip_prefix("nvme").is_some_and(|rest| pair(rest, 'n'))
        || name.strip_prefix("cciss/c").is_some_and(|rest| pair(rest, 'd'))
}

/// The same of `dev8-0`, by the kernel's list of devices (Documentation/admin-guide/devices.txt).
///
/// Numbers from 240 to 254 and 259 are given out as drivers come: 253 is device-mapper here and virtio there.
/// They cannot be told apart and are left out.
fn whole_by_number(major: &str, minor: &str) -> bool {
    let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor.parse::<u32>()) else {
        return false;
    };
    match major {
        8 | 65..=71 | 128..=135 | 202 => minor.is_multiple_of(16),
        3 | 22 | 33 | 34 => minor.is_multiple_of(64),
        94 => minor.is_multiple_of(4),
        104..=111 => minor.is_multiple_of(16),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_and_what_lies_on_them() {
        for name in ["sda", "sdaa", "vda", "xvdb", "hdc", "dasda", "nvme0n1", "nvme10n12", "mmcblk0", "cciss/c0d0", "dev8-16"] {
            assert!(whole_disk(name), "{name}");
        }
        for name in [
            "sda1",
            "vda1",
            "nvme0n1p1",
            "nvme0c0n1",
            "mmcblk0p2",
            "cciss/c0d0p1",
            "dm-0",
            "md0",
            "md_d0",
            "loop7",
            "ram0",
            "zram0",
            "sr0",
            "centos-root",
            "mpatha",
            "emcpowera",
            "dev253-0",
            "dev8-1",
            "dev259-0",
            "dev9-0",
            "dev",
            "dev8",
            "sd",
            "",
            "devices",
            "all",
        ] {
            assert!(!whole_disk(name), "{name}");
        }
    }
}
