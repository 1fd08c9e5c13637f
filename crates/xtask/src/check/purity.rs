//! The pure crates open no file, know no clock and start no task, not by way of std either.

use super::Findings;
use crate::rust_file::{RustFile, StdPath};

const PURE: [&str; 4] = ["engine", "spec", "timeline", "simulator"];

/// Parts of std that reach outside.
const IMPURE: [&str; 9] = [
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::sync::mpsc",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Names in them that only describe something.
const HARMLESS: [&str; 7] = [
    "std::net::AddrParseError",
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::net::SocketAddr",
    "std::net::SocketAddrV4",
    "std::net::SocketAddrV6",
];

pub(super) fn check(files: &[RustFile]) -> Findings {
    let is_pure = |file: &&RustFile| {
        PURE.iter()
            .any(|name| file.path.starts_with(&format!("crates/{name}/src/")))
    };
    let files: Vec<_> = files.iter().filter(is_pure).collect();
    let wrong = files.iter().flat_map(|file| {
        let paths = file
            .std_paths()
            .into_iter()
            .filter(|path| reaches_outside(&path.path));
        paths.map(|StdPath { line, path }| {
            format!("{}:{line}: a pure crate must not use {path}", file.path)
        })
    });
    Findings {
        errors: wrong.collect(),
        looked_at: format!("{} files of {}", files.len(), PURE.join(", ")),
        ..Findings::default()
    }
}

fn reaches_outside(path: &str) -> bool {
    IMPURE.iter().any(|part| is_in(path, part)) && !HARMLESS.iter().any(|part| is_in(path, part))
}

fn is_in(path: &str, part: &str) -> bool {
    path.strip_prefix(part)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_an_address_is_pure_and_what_opens_one_is_not() {
        let pure = [
            "std::net::IpAddr",
            "std::net::Ipv4Addr::LOCALHOST",
            "std::time::Duration",
        ];
        let impure = [
            "std::net::TcpStream",
            "std::net",
            "std::fs::File",
            "std::time::Instant::now",
        ];

        assert_eq!(pure.map(reaches_outside), [false; 3]);
        assert_eq!(impure.map(reaches_outside), [true; 4]);
    }
}
