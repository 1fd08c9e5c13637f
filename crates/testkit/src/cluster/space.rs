//! What is free on a disk, before something that needs much of it begins: a disk that fills up on the way says so in the words
//! of whichever program has met it.

use super::place::Places;
use anyhow::{Context as _, ensure};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What a cluster takes with its store, its images and its containers is about half of it.
const CLUSTER: u64 = 2 << 30;

/// What the kernel counts in, whatever the disk does.
const BLOCK: u64 = 512;

/// Whether a cluster fits on the disk that it will be on. Its folder need not be there, and what is left in it of one that was up before
/// goes first.
pub(super) fn check(places: &Places) -> anyhow::Result<()> {
    let (folder, gone) = (places.folder(), places.gone());
    let free = available(nearest(folder))? + occupied(&[folder.to_owned(), gone]);
    check_cluster(folder, free)
}

/// Whether so many bytes are enough for a cluster in that folder.
fn check_cluster(folder: &Path, free: u64) -> anyhow::Result<()> {
    ensure!(
        free >= CLUSTER,
        "a cluster needs {} GiB at {} for its store and its images, and {} GiB are free: make room, or mount a larger \
         disk there",
        gibibytes(CLUSTER),
        folder.display(),
        gibibytes(free)
    );
    Ok(())
}

/// What is free on the disk of a folder, in bytes.
pub(super) fn available(folder: &Path) -> anyhow::Result<u64> {
    let disk = rustix::fs::statvfs(folder)
        .with_context(|| format!("cannot ask for the free space at {}", folder.display()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// What would be free again if these were removed, in bytes. What cannot be looked at counts for nothing, nor does what is mounted
/// in one of them: that is on another disk.
pub(super) fn occupied(paths: &[PathBuf]) -> u64 {
    let found = paths.iter().map(|path| {
        let disk = fs::symlink_metadata(path).map(|found| found.dev());
        disk.map_or(0, |disk| occupied_on(disk, path))
    });
    found.sum()
}

/// What a path and all below it take on that disk. What is written with holes takes less than it is long.
fn occupied_on(disk: u64, path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else {
        return 0;
    };
    if found.dev() != disk {
        return 0;
    }
    let own = found.blocks().saturating_mul(BLOCK);
    if !found.is_dir() {
        return own;
    }
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    own + below
        .map(|entry| occupied_on(disk, &entry.path()))
        .sum::<u64>()
}

/// For people, with one digit: what is free is seldom a whole number.
pub(super) fn gibibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 30;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{whole}.{tenth}"),
    }
}

/// The folder itself, or where it would be made.
fn nearest(folder: &Path) -> &Path {
    let mut there = folder.ancestors().filter(|folder| folder.is_dir());
    there.next().unwrap_or(Path::new("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_for_a_cluster_is_named_with_what_is_needed() {
        let folder = Path::new("/var/lib/pillion/cluster/test");
        assert!(check_cluster(folder, CLUSTER).is_ok());
        let error = check_cluster(folder, 1 << 29).unwrap_err().to_string();
        assert!(
            error.contains("needs 2 GiB at /var/lib/pillion/cluster/test"),
            "{error}"
        );
        assert!(error.contains("0.5 GiB are free: make room"), "{error}");
    }

    #[test]
    fn the_disk_of_a_folder_that_is_not_there_is_the_one_it_would_be_made_on() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("cluster/test");
        assert_eq!(nearest(&missing), folder.path());
        assert!(available(nearest(&missing)).is_ok());
    }

    #[test]
    fn only_what_is_taken_on_the_disk_of_a_folder_counts() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("full"), vec![1; 1 << 20]).unwrap();
        let holes = fs::File::create(below.join("holes")).unwrap();
        holes.set_len(1 << 30).unwrap();
        let taken = occupied(&[folder.path().to_owned()]);
        assert!((1 << 20..2 << 20).contains(&taken), "{taken}");
        let disk = fs::metadata(&below).unwrap().dev();
        assert_eq!(occupied_on(disk + 1, &below), 0);
    }

    #[test]
    fn sizes_are_read_with_one_digit() {
        for (bytes, text) in [(0, "0"), (5 << 30, "5"), (1 << 29, "0.5"), (3 << 29, "1.5")] {
            assert_eq!(gibibytes(bytes), text);
        }
    }
}
