//! The program that `cargo xtask bench run` has started by everybody it measures: it says when it began, and does next
//! to nothing else. It also is the bare loop that all are compared with, and tells what a command has cost.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on fails"
)]

use rustix::time::{ClockId, clock_gettime};
use std::env;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let began = now();
    let words: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["stamp", name, file] => stamp(name, began, file),
        ["serve", name, file, ref how @ ..] => {
            stamp(name, began, file);
            tell_ready(how);
            loop {
                std::thread::park();
            }
        }
        ["exists", path] => return ExitCode::from(u8::from(!Path::new(path).exists())),
        ["chain", count, file] => bare_chain(count.parse().unwrap(), file),
        ["at-once", count, file] => bare_at_once(count.parse().unwrap(), file),
        ["notify", count, file] => bare_notify(count.parse().unwrap(), file),
        ["cost", program, ref arguments @ ..] => cost(program, arguments),
        _ => panic!("what to do?"),
    }
    ExitCode::SUCCESS
}

/// Nanoseconds since the machine was started.
fn now() -> i128 {
    let now = clock_gettime(ClockId::Boottime);
    i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec)
}

/// Says when it began, and when it was done. The last one also wakes whoever waits for all.
fn stamp(name: &str, began: i128, path: &str) {
    let append = |path: &str| {
        File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap()
    };
    let line = format!("{name} {began} {}\n", now());
    append(path).write_all(line.as_bytes()).unwrap();
    if name.starts_with("last") {
        append(&format!("{path}.last")).write_all(b"x").unwrap();
    }
}

/// Says that it is ready in the way in which whoever started it wants to hear it.
fn tell_ready(how: &[&str]) {
    match how {
        ["notify"] => {
            let socket = UnixDatagram::unbound().unwrap();
            let path = env::var_os("NOTIFY_SOCKET").unwrap();
            socket.send_to(b"READY=1", path).unwrap();
        }
        // Where s6 listens, by its `notification-fd`.
        ["newline"] => {
            let mut pipe = File::options().write(true).open("/dev/fd/3").unwrap();
            pipe.write_all(b"\n").unwrap();
        }
        ["file", path] => drop(File::create(path).unwrap()),
        ["line"] => println!("ready"),
        _ => {}
    }
}

fn child(words: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(words).stdin(Stdio::null());
    command
}

/// What the bench calls them in its own files.
fn name(number: u32, count: u32) -> String {
    let word = if number + 1 == count { "last" } else { "c" };
    format!("{word}{number}")
}

/// One after the other.
fn bare_chain(count: u32, file: &str) {
    for number in 0..count {
        let name = name(number, count);
        assert!(child(&["stamp", &name, file]).status().unwrap().success());
    }
}

/// All, and then wait for all.
fn bare_at_once(count: u32, file: &str) {
    let names = (0..count).map(|number| name(number, count));
    let children = names.map(|name| child(&["stamp", &name, file]).spawn().unwrap());
    let children: Vec<_> = children.collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// One when the one before is ready.
fn bare_notify(count: u32, file: &str) {
    let path = format!("{file}.notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut children: Vec<Child> = Vec::new();
    for number in 0..count {
        let name = name(number, count);
        let mut command = child(&["serve", &name, file, "notify"]);
        children.push(command.env("NOTIFY_SOCKET", &path).spawn().unwrap());
        assert_eq!(socket.recv(&mut [0; 64]).unwrap(), 7);
    }
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    std::fs::remove_file(path).unwrap();
}

/// Runs a command, and tells how many microseconds of processor time it took, with all that it has waited for.
fn cost(program: &str, arguments: &[&str]) {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null());
    assert!(command.status().unwrap().success());
    println!("{}", spent_by_children());
}

#[expect(unsafe_code, reason = "no crate of ours offers it safely")]
fn spent_by_children() -> i64 {
    // SAFETY: the structure is plain data, for which zeros are valid, and lives as long as the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage
    };
    let microseconds = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
    microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
}
