//! Containers and commands in terminals, and those who sit in front of them.

#[path = "support/place.rs"]
mod place;
#[path = "support/seat.rs"]
mod seat;
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
