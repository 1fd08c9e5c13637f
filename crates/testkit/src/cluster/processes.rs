//! The processes of the machine, as far as a cluster has to tell its own from those of others.

use rustix::process::Pid;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A process and what it was started with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// Each word with a zero behind it.
    line: Vec<u8>,
}

/// A network namespace, wherever it is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Network {
    device: u64,
    number: u64,
}

/// All that run now. One that has ended and was not waited for has no words any more.
pub(super) fn all() -> impl Iterator<Item = Process> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| {
        let pid = folder.file_name().to_str()?.parse().ok()?;
        let line = fs::read(folder.path().join("cmdline")).ok()?;
        let pid = Pid::from_raw(pid)?;
        (!line.is_empty()).then_some(Process { pid, line })
    })
}

// === impl Process ===

impl Process {
    /// Its program and its arguments.
    pub(super) fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.line.split(|byte| *byte == 0)
    }

    /// The name of its program, without a folder.
    pub(super) fn program(&self) -> &[u8] {
        let first = self.words().next().unwrap_or_default();
        first.rsplit(|byte| *byte == b'/').next().unwrap_or(first)
    }

    /// Whether it was told of something in that folder.
    pub(super) fn names(&self, folder: &Path) -> bool {
        let start = [folder.as_os_str().as_encoded_bytes(), b"/"].concat();
        self.line.windows(start.len()).any(|part| part == start)
    }

    /// Whether that is one of its words.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words().any(|one| one == word.as_bytes())
    }

    /// The network that it is in, as long as it runs.
    pub(super) fn network(&self) -> Option<Network> {
        Network::at(Path::new(&format!("/proc/{}/ns/net", self.pid)))
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        let program = String::from_utf8_lossy(self.program());
        format!("the process {} ({program})", self.pid)
    }
}

// === impl Network ===

impl Network {
    /// The one that a file stands for.
    pub(super) fn at(file: &Path) -> Option<Self> {
        let found = fs::metadata(file).ok()?;
        Some(Self {
            device: found.dev(),
            number: found.ino(),
        })
    }

    /// Whether a file stands for it, as the kernel lists what is mounted.
    pub(super) fn is_in(self, mounts: &str) -> bool {
        let name = format!("net:[{}]", self.number);
        mounts
            .lines()
            .any(|line| line.split(' ').nth(3) == Some(&name))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// This process, as if it had been started with these words.
    pub(in super::super) fn process(words: &[&str]) -> Process {
        let line = words.iter().flat_map(|word| [word.as_bytes(), b"\0"]);
        Process {
            pid: rustix::process::getpid(),
            line: line.flatten().copied().collect(),
        }
    }

    #[test]
    fn a_process_names_a_folder_by_what_is_in_it() {
        let folder = Path::new("/lib/one");
        let etcd = process(&["/cache/etcd", "--data-dir=/lib/one/etcd"]);
        assert!(etcd.names(folder));
        assert_eq!(etcd.program(), b"etcd");
        for words in [
            ["etcd", "--data-dir=/lib/one-more/etcd"],
            ["ls", "/lib/one"],
            ["sh", "one/"],
        ] {
            assert!(!process(&words).names(folder), "{words:?}");
        }
    }

    #[test]
    fn we_run_in_our_own_network() {
        let own = rustix::process::getpid();
        let own = all().find(|process| process.pid == own).unwrap();
        let network = own.network();
        assert!(network.is_some());
        assert_eq!(network, Network::at(Path::new("/proc/self/ns/net")));
        assert_ne!(network, Network::at(Path::new("/proc/self/ns/mnt")));
    }

    #[test]
    fn a_network_is_found_among_mounts_by_its_number() {
        let network = Network {
            device: 4,
            number: 4_026_532_177,
        };
        let line =
            |number| format!("33 26 0:4 net:[{number}] /run/netns/a rw shared:9 - nsfs nsfs rw\n");
        assert!(network.is_in(&line(4_026_532_177_u64)));
        assert!(!network.is_in(&line(402_653_217)));
    }
}
