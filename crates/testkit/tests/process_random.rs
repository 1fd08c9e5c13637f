//! Random pods of real processes keep the promises, by what these processes say and by when they are there, and leave
//! nobody behind.
//!
//! `PILLION_SEED` is the number of the first pod, `PILLION_PODS` how many there are. A pod that breaks a promise is shown as
//! a scenario file, with every process that was seen.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use pillion_testkit::processes::random::RandomPod;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// So many pods.
const PODS: u64 = 60;

/// So many at once.
const TOGETHER: usize = 8;

#[test]
fn random_pods_keep_the_promises_and_leave_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let first = number("PILLION_SEED").unwrap_or(0);
    let end = first + number("PILLION_PODS").unwrap_or(PODS);
    let next = AtomicU64::new(first);
    let broken = Mutex::new(Vec::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            if let Err(why) = try_one(seed, &folder.path().join(format!("{seed}.pod"))) {
                broken.lock().unwrap().push(format!("pod {seed}\n{why}"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..TOGETHER {
            scope.spawn(work);
        }
    });
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn try_one(seed: u64, folder: &Path) -> Result<(), String> {
    let pod = RandomPod::of_seed(seed).unwrap();
    fs::create_dir(folder).unwrap();
    let judged = pod.try_out(&actor(), folder).unwrap();
    if is_nobody_left(folder) {
        judged
    } else {
        Err(format!("somebody is left of\n{}", pod.file))
    }
}

/// Every process of a pod has the folder of the pod among its arguments or in its environment.
fn is_nobody_left(folder: &Path) -> bool {
    let folder = folder.to_string_lossy();
    let marked = |bytes: &[u8]| {
        let mut parts = bytes.windows(folder.len());
        parts.any(|part| part == folder.as_bytes())
    };
    let mut entries = fs::read_dir("/proc").unwrap().flatten();
    !entries.any(|entry| {
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        marked(&read("cmdline")) || marked(&read("environ"))
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The program that is built with the tests.
fn actor() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    folder.join("examples/actor")
}
