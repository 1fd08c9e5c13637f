//! Containers and commands in terminals, and those who sit in front of them.

#[path = "../src/live/tests/terminal.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod glass;
#[path = "../../runtime/tests/support/machine.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod machine;
#[path = "support/place.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod place;
#[path = "support/seat.rs"]
mod seat;
#[path = "support/started.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod started;
#[path = "support/user.rs"]
mod user;

#[path = "process_terminal/attach.rs"]
mod attach;
#[path = "process_terminal/exec.rs"]
mod exec;
#[path = "process_terminal/run.rs"]
mod run;

use rustix::process::{Pid, Signal, kill_process};

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    user::try_again(&["attach::", "exec::", "run::"]);
}

fn send(signal: Signal, id: u32) {
    let id = id.try_into().ok().and_then(Pid::from_raw);
    kill_process(id.expect("it has a number"), signal).expect("it runs");
}
