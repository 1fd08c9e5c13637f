//! The children of this process, also those that it adopted.

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait, waitpid};
use std::fs;
use std::str::FromStr;

/// Those that this process would wait for.
pub(crate) fn children() -> Vec<Pid> {
    let own = std::process::id();
    match fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        Ok(list) => list.split_whitespace().filter_map(parse).collect(),
        // Not every kernel keeps that list.
        Err(_) => children_by_parent(own),
    }
}

/// All that a process has started and what that has started, as far as nobody in between has ended.
pub(super) fn descendants(process: Pid) -> Vec<Pid> {
    let mut found = children_of(process);
    let mut looked = 0;
    while let Some(next) = found.get(looked) {
        let below = children_of(*next);
        found.extend(below);
        looked += 1;
    }
    found
}

/// When a process began, in a measure of its own. Two that have the same number one after the other differ in it.
pub(super) fn beginning(process: Pid) -> Option<u64> {
    stat(process, 19)
}

/// Those whom any thread of a process has started.
fn children_of(process: Pid) -> Vec<Pid> {
    let number = process.as_raw_pid();
    let threads = fs::read_dir(format!("/proc/{number}/task"));
    let lists = threads.into_iter().flatten().flatten();
    let lists = lists.map(|thread| fs::read_to_string(thread.path().join("children")));
    let mut children = Vec::new();
    for list in lists {
        match list {
            Ok(list) => children.extend(list.split_whitespace().filter_map(parse)),
            Err(_) => return children_by_parent(number.unsigned_abs()),
        }
    }
    children
}

/// Kills the children of this process, but for these. What they have started becomes a child of this process in
/// turn, so that it is enough to do so again whenever one has ended. Only children are killed: their numbers cannot
/// have gone to somebody else before they have been waited for.
pub(super) fn kill_children(spare: impl Fn(Pid) -> bool) {
    signal_children(Signal::KILL, spare);
}

/// Sends the children of this process a signal, but for these.
pub(super) fn signal_children(signal: Signal, spare: impl Fn(Pid) -> bool) {
    for child in children() {
        if !spare(child) {
            // It may have ended by itself; then nobody gets it.
            let _ = kill_process(child, signal);
        }
    }
}

/// Kills the children of this process, but for these, and what they leave behind, until there are none. Waits for each of
/// them, and for nobody else.
pub(crate) fn bring_down(spare: impl Fn(Pid) -> bool) {
    loop {
        let mut others = children();
        others.retain(|child| !spare(*child));
        if others.is_empty() {
            return;
        }
        for child in others {
            // It may have ended by itself.
            let _ = kill_process(child, Signal::KILL);
            end_of(child);
        }
    }
}

/// Waits for the end of one child, if it is one.
pub(crate) fn end_of(child: Pid) {
    let interrupted = rustix::io::Errno::INTR;
    while waitpid(Some(child), WaitOptions::empty()).err() == Some(interrupted) {}
}

/// One child that has ended and was not waited for yet.
pub(super) fn reap() -> Reaped {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => return Reaped::Child(pid, status),
            Ok(None) => return Reaped::NoneYet,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Reaped::NoChildren,
        }
    }
}

/// What there was to wait for.
pub(super) enum Reaped {
    /// This one has ended.
    Child(Pid, WaitStatus),
    /// There are children, and they live.
    NoneYet,
    /// There is no child left.
    NoChildren,
}

fn children_by_parent(parent: u32) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| name.to_str().and_then(parse));
    numbers
        .filter(|pid| parent_of(*pid) == Some(parent))
        .collect()
}

fn parent_of(pid: Pid) -> Option<u32> {
    stat(pid, 1)
}

/// One of the numbers that the kernel tells of a process; the first after its name is 0.
fn stat<T: FromStr>(pid: Pid, field: usize) -> Option<T> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The name stands in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(field)?.parse().ok()
}

fn parse(number: &str) -> Option<Pid> {
    number
        .parse()
        .ok()
        .filter(|pid| *pid > 0)
        .and_then(Pid::from_raw)
}
