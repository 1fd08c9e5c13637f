//! Signals that are caught without being blocked. Handlers are a whole process's, so this is one test in one process.

use pillion_runtime::signals::Caught;
use rustix::process::{Signal, getpid, kill_process};
use std::process::Command;

#[test]
fn a_signal_is_told_and_a_program_that_is_started_hears_its_own() {
    let (user, change) = (Signal::USR1.as_raw(), Signal::WINCH.as_raw());
    let mut caught = Caught::new(&[user, change]).unwrap();

    for signal in [Signal::USR1, Signal::WINCH, Signal::USR1] {
        kill_process(getpid(), signal).unwrap();
        assert_eq!(caught.wait().unwrap(), signal.as_raw());
    }

    let status = Command::new("cat").arg("/proc/self/status").output();
    let status = String::from_utf8(status.unwrap().stdout).unwrap();
    for word in ["SigBlk:", "SigIgn:", "SigCgt:"] {
        let set = status.lines().find_map(|line| line.strip_prefix(word));
        let set = u64::from_str_radix(set.unwrap().trim(), 16).unwrap();
        assert_eq!(set & (1 << (user - 1)), 0, "{word} {set:x}");
    }

    assert!(Caught::new(&[user]).is_err());
}
