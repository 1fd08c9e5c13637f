//! Real processes under a real guard.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use pillion_runtime::guard::{Channel, ChannelError, Guard, Launch, Order, Outcome, Report};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;

/// A guard, and a way to hear what a container says.
fn guard() -> Guard {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples/guard");
    assert!(
        program.exists(),
        "it is missing: `cargo build -p pillion-runtime --examples` makes it"
    );
    Guard::start(program, &[]).unwrap()
}

fn shell(script: &str) -> Launch {
    let path = std::env::var("PATH").unwrap();
    Launch {
        command: ["sh", "-c", script].map(String::from).to_vec(),
        environment: vec![("PATH".into(), path)],
        ..Launch::default()
    }
}

/// Starts a script; what it writes can be read.
fn launch(guard: &Guard, script: &str) -> (Channel, File) {
    let keeper = guard.keeper().unwrap();
    let (output, input) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    let null = OwnedFd::from(File::open("/dev/null").unwrap());
    let stdio = [null.as_fd(), input.as_fd(), input.as_fd()];
    keeper.send(&Order::Launch(shell(script)), &stdio).unwrap();
    (keeper, File::from(output))
}

fn started(keeper: &mut Channel) -> Pid {
    let report = keeper.receive().unwrap();
    let Report::Started { pid, .. } = report else {
        panic!("{report:?}");
    };
    Pid::from_raw(pid).unwrap()
}

fn exited(keeper: &mut Channel) -> Outcome {
    let report = keeper.receive().unwrap();
    let Report::Exited { outcome, oom } = report else {
        panic!("{report:?}");
    };
    assert!(!oom, "nobody had set a limit");
    outcome
}

/// The first line that a container writes.
fn line(output: &mut File) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while output.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

/// The number that a container writes in its first line.
fn pid(output: &mut File) -> Pid {
    Pid::from_raw(line(output).parse().unwrap()).unwrap()
}

fn lives(pid: Pid) -> bool {
    test_kill_process(pid).is_ok()
}

/// Everything that was written, when nobody is left who could write more.
fn wait_for_all_to_end(mut output: File) {
    output.read_to_end(&mut Vec::new()).unwrap();
}

/// Writes its number and sleeps, as a daemon that nobody waits for and that belongs to no session of anybody.
const DAEMON: &str = "setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 1000\" & ' &";

#[test]
fn an_end_is_told_with_its_code() {
    let guard = guard();
    let (mut keeper, _) = launch(&guard, "exit 7");

    started(&mut keeper);

    assert_eq!(exited(&mut keeper), Outcome::Code(7));
}

#[test]
fn an_end_by_a_signal_is_told_as_such() {
    let guard = guard();
    let (mut keeper, _) = launch(&guard, "exec sleep 1000");
    started(&mut keeper);

    keeper.send(&Order::Signal(15), &[]).unwrap();

    assert_eq!(exited(&mut keeper), Outcome::Signal(15));
}

#[test]
fn a_signal_of_real_time_is_sent_like_any_other() {
    let guard = guard();
    let (mut keeper, _) = launch(&guard, "exec sleep 1000");
    started(&mut keeper);

    // `SIGRTMIN+3`, which has no name of its own.
    keeper.send(&Order::Signal(37), &[]).unwrap();

    assert_eq!(exited(&mut keeper), Outcome::Signal(37));
}

#[test]
fn a_program_that_does_not_exist_is_told_as_such() {
    let keeper_of = guard();
    let mut keeper = keeper_of.keeper().unwrap();
    let launch = Launch {
        command: vec!["/does/not/exist".into()],
        ..Launch::default()
    };
    keeper.send(&Order::Launch(launch), &[]).unwrap();

    let report = keeper.receive().unwrap();

    assert!(
        matches!(report, Report::StartFailed { errno: Some(2), .. }),
        "{report:?}"
    );
}

#[test]
fn a_daemon_goes_with_its_container() {
    let guard = guard();
    let (mut keeper, mut output) = launch(&guard, &format!("{DAEMON} sleep 1000"));
    started(&mut keeper);
    let daemon = pid(&mut output);
    assert!(lives(daemon));

    keeper.send(&Order::Signal(15), &[]).unwrap();

    exited(&mut keeper);
    assert!(!lives(daemon), "an end that was told is the end of all");
}

#[test]
fn an_order_to_kill_reaches_all() {
    let guard = guard();
    let script = format!("trap '' TERM; {DAEMON} sleep 1000 & wait; sleep 1000");
    let (mut keeper, mut output) = launch(&guard, &script);
    started(&mut keeper);
    let daemon = pid(&mut output);

    keeper.send(&Order::Signal(15), &[]).unwrap();
    keeper.send(&Order::Kill, &[]).unwrap();

    assert_eq!(exited(&mut keeper), Outcome::Signal(9));
    assert!(!lives(daemon));
}

#[test]
fn a_thousand_children_go_with_their_container() {
    let guard = guard();
    let script = "i=0; while [ $i -lt 1000 ]; do sleep 1000 & i=$((i+1)); done; echo done; wait";
    let (mut keeper, mut output) = launch(&guard, script);
    started(&mut keeper);
    assert_eq!(line(&mut output), "done");

    keeper.send(&Order::Signal(9), &[]).unwrap();

    assert_eq!(exited(&mut keeper), Outcome::Signal(9));
    wait_for_all_to_end(output);
}

#[test]
fn all_die_when_nobody_listens_any_more() {
    let guard = guard();
    let script = format!("{DAEMON} echo $$; trap '' TERM; sleep 1000; sleep 1000");
    let (mut keeper, output) = launch(&guard, &script);
    started(&mut keeper);

    drop(keeper);

    wait_for_all_to_end(output);
}

#[test]
fn all_die_when_their_keeper_is_killed() {
    let guard = guard();
    let (mut keeper, mut output) = launch(&guard, &format!("{DAEMON} sleep 1000"));
    let process = started(&mut keeper);
    pid(&mut output);

    kill_process(parent(process), Signal::KILL).unwrap();

    wait_for_all_to_end(output);
    let heard = keeper.receive::<Report>();
    assert!(matches!(heard, Err(ChannelError::Closed)), "{heard:?}");
}

#[test]
fn a_guard_that_is_killed_takes_nobody_along_and_leaves_nobody_behind() {
    let guard = guard();
    let (mut keeper, mut output) = launch(&guard, "echo here; exec sleep 1000");
    started(&mut keeper);
    assert_eq!(line(&mut output), "here");

    let id = i32::try_from(guard.id()).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), Signal::KILL).unwrap();
    keeper.send(&Order::Kill, &[]).unwrap();

    assert_eq!(exited(&mut keeper), Outcome::Signal(9));
}

#[test]
fn a_command_beside_the_process_is_told_apart_and_goes_with_it() {
    let guard = guard();
    let (mut keeper, _output) = launch(&guard, "exec sleep 1000");
    started(&mut keeper);

    for (id, script) in [(1, "exit 3"), (2, "exec sleep 1000")] {
        let (input, launch) = (false, shell(script));
        let order = Order::Exec { id, input, launch };
        keeper.send(&order, &[]).unwrap();
    }
    let first = Report::ExecDone {
        id: 1,
        outcome: Ok(Outcome::Code(3)),
        late: false,
    };
    assert_eq!(keeper.receive::<Report>().unwrap(), first);
    keeper.send(&Order::Signal(15), &[]).unwrap();
    let second = Report::ExecDone {
        id: 2,
        outcome: Ok(Outcome::Signal(9)),
        late: true,
    };
    assert_eq!(keeper.receive::<Report>().unwrap(), second);

    assert_eq!(exited(&mut keeper), Outcome::Signal(15));
}

#[test]
fn a_command_that_is_killed_leaves_nothing_of_it() {
    leaves_nothing("sleep 1000 & echo here; wait");
    // What has left its session, and what that has started.
    leaves_nothing("setsid sh -c 'setsid sh -c \"echo here; exec sleep 1000\"; :' & wait");
}

/// A command that does this is killed when it has said that it is there, and the container runs on.
fn leaves_nothing(script: &str) {
    let guard = guard();
    let (mut keeper, _output) = launch(&guard, "exec sleep 1000");
    let process = started(&mut keeper);
    let (output, input) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    let mut output = File::from(output);
    let order = Order::Exec {
        id: 1,
        input: false,
        launch: shell(script),
    };
    let stdio = [input.as_fd(), input.as_fd()];
    keeper.send(&order, &stdio).unwrap();
    drop(input);
    assert_eq!(line(&mut output), "here");

    keeper.send(&Order::EndExec { id: 1 }, &[]).unwrap();

    let done = Report::ExecDone {
        id: 1,
        outcome: Ok(Outcome::Signal(9)),
        late: false,
    };
    assert_eq!(keeper.receive::<Report>().unwrap(), done);
    wait_for_all_to_end(output);
    assert!(lives(process));
}

#[test]
fn a_large_environment_arrives() {
    let guard = guard();
    let mut keeper = guard.keeper().unwrap();
    let mut launch = shell("exit ${#A}");
    for name in 'B'..='M' {
        launch.environment.push((name.into(), "x".repeat(100_000)));
    }
    launch.environment.push(("A".into(), "x".repeat(42)));
    keeper.send(&Order::Launch(launch), &[]).unwrap();
    started(&mut keeper);

    assert_eq!(exited(&mut keeper), Outcome::Code(42));
}

#[test]
fn nothing_is_left_when_the_guard_has_finished() {
    let guard = guard();
    let (mut keeper, output) = launch(&guard, &format!("{DAEMON} sleep 1000"));
    started(&mut keeper);

    drop(keeper);
    guard.finish().unwrap();

    wait_for_all_to_end(output);
}

fn parent(process: Pid) -> Pid {
    let stat = PathBuf::from(format!("/proc/{}/stat", process.as_raw_pid()));
    let stat = std::fs::read_to_string(stat).unwrap();
    let parent = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1);
    Pid::from_raw(parent.unwrap().parse().unwrap()).unwrap()
}
