//! The names of signals.

use super::error::Problem;

/// What a container is told to stop with if it says nothing.
pub(super) const DEFAULT: i32 = libc::SIGTERM;

/// The number of a signal on this system, by the name that Kubernetes has for it.
pub(super) fn number(name: &str) -> Result<i32, Problem> {
    let unknown = || Problem::UnknownSignal {
        name: name.to_owned(),
    };
    if let Some(above) = name.strip_prefix("SIGRTMIN") {
        return real_time(above, '+')
            .map(|above| REAL_TIME.0 + above)
            .ok_or_else(unknown);
    }
    if let Some(below) = name.strip_prefix("SIGRTMAX") {
        return real_time(below, '-')
            .map(|below| REAL_TIME.1 - below)
            .ok_or_else(unknown);
    }
    let known = NAMES.iter().find(|(known, _)| *known == name);
    known.map(|(_, number)| *number).ok_or_else(unknown)
}

/// The first that the C library leaves to programs, and the last. Container runtimes count the same way.
const REAL_TIME: (i32, i32) = (34, 64);

/// `+3`, or nothing. A name never reaches beyond the middle.
fn real_time(distance: &str, sign: char) -> Option<i32> {
    if distance.is_empty() {
        return Some(0);
    }
    let digits = distance.strip_prefix(sign)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| plain)?;
    (number <= 15).then_some(number)
}

const NAMES: [(&str, i32); 34] = [
    ("SIGABRT", libc::SIGABRT),
    ("SIGALRM", libc::SIGALRM),
    ("SIGBUS", libc::SIGBUS),
    ("SIGCHLD", libc::SIGCHLD),
    ("SIGCLD", libc::SIGCHLD),
    ("SIGCONT", libc::SIGCONT),
    ("SIGFPE", libc::SIGFPE),
    ("SIGHUP", libc::SIGHUP),
    ("SIGILL", libc::SIGILL),
    ("SIGINT", libc::SIGINT),
    ("SIGIO", libc::SIGIO),
    ("SIGIOT", libc::SIGABRT),
    ("SIGKILL", libc::SIGKILL),
    ("SIGPIPE", libc::SIGPIPE),
    ("SIGPOLL", libc::SIGIO),
    ("SIGPROF", libc::SIGPROF),
    ("SIGPWR", libc::SIGPWR),
    ("SIGQUIT", libc::SIGQUIT),
    ("SIGSEGV", libc::SIGSEGV),
    ("SIGSTKFLT", libc::SIGSTKFLT),
    ("SIGSTOP", libc::SIGSTOP),
    ("SIGSYS", libc::SIGSYS),
    ("SIGTERM", libc::SIGTERM),
    ("SIGTRAP", libc::SIGTRAP),
    ("SIGTSTP", libc::SIGTSTP),
    ("SIGTTIN", libc::SIGTTIN),
    ("SIGTTOU", libc::SIGTTOU),
    ("SIGURG", libc::SIGURG),
    ("SIGUSR1", libc::SIGUSR1),
    ("SIGUSR2", libc::SIGUSR2),
    ("SIGVTALRM", libc::SIGVTALRM),
    ("SIGWINCH", libc::SIGWINCH),
    ("SIGXCPU", libc::SIGXCPU),
    ("SIGXFSZ", libc::SIGXFSZ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbers_of_this_system() {
        let cases = [
            ("SIGTERM", 15),
            ("SIGHUP", 1),
            ("SIGQUIT", 3),
            ("SIGWINCH", 28),
            ("SIGRTMIN", 34),
            ("SIGRTMIN+3", 37),
            ("SIGRTMAX-14", 50),
            ("SIGRTMAX", 64),
        ];
        for (name, expected) in cases {
            assert_eq!(number(name), Ok(expected), "{name}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            "TERM",
            "sigterm",
            "SIGFOO",
            "SIGRTMIN-1",
            "SIGRTMIN+16",
            "SIGRTMIN++1",
        ] {
            let name = name.to_owned();
            assert_eq!(number(&name), Err(Problem::UnknownSignal { name }));
        }
    }
}
