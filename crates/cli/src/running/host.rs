//! What is known of this machine.

use pillion_runtime::process::recipe::{Capacity, Host};
use rustix::process::Gid;
use std::env;
use std::fs;
use std::net::UdpSocket;
use std::thread;

/// Looks around.
pub(super) fn look() -> Host {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    Host {
        environment: environment(),
        name: name.trim().to_owned(),
        addresses: vec![address().unwrap_or_else(|| "127.0.0.1".to_owned())],
        capacity: Capacity {
            cpu_millis: u64::try_from(cpus).unwrap_or(1).saturating_mul(1000),
            memory: memory().unwrap_or_default(),
            storage: storage().unwrap_or_default(),
        },
        user: rustix::process::geteuid().as_raw(),
        groups: groups(),
    }
}

fn groups() -> Vec<u32> {
    let first = rustix::process::getegid();
    // Whoever cannot be asked has no others.
    let others = rustix::process::getgroups().unwrap_or_default();
    [first].into_iter().chain(others).map(Gid::as_raw).collect()
}

/// The variables that can be handed on: those that are text.
fn environment() -> Vec<(String, String)> {
    let texts = env::vars_os().filter_map(|(name, value)| {
        let text = (name.into_string().ok()?, value.into_string().ok()?);
        Some(text)
    });
    texts.collect()
}

/// The address that would be used to go elsewhere. Nothing is sent.
fn address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // An address that is reserved for documentation: only the way to it is looked up.
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

/// Bytes, from a line like `MemTotal:       24570000 kB`.
fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

fn storage() -> Option<u64> {
    let disk = rustix::fs::statvfs("/").ok()?;
    disk.f_blocks.checked_mul(disk.f_frsize)
}
