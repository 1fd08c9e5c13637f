//! A command in a terminal, where a container is.

use super::place::{Place, told};
use super::seat::Seat;
use super::started::Started;
use rustix::process::Signal;
use std::io::Write as _;
use std::process::Stdio;

const SLEEPS: &str = "
  restartPolicy: Never
  containers:
    - {name: app, command: [sh, -c, 'echo up; exec sleep 1000']}
";

const UP: &str = r#""line":"up""#;

#[test]
fn a_shell_in_a_terminal_has_job_control() {
    let place = Place::new();
    let _pod = place.run("orders", SLEEPS, UP);
    let mut seat = Seat::run(&place.pillion(&["exec", "orders", "--", "sh", "-i"]));

    seat.types("PS1='rea''dy> '\r");
    seat.sees("ready> ");
    assert!(!seat.is_usual());
    seat.types("stty size; echo $TERM $PILLION_CONTAINER\r");
    seat.sees("30 100\r\nvt100 app\r\n");
    seat.resize(70, 20);
    seat.types("cat\r");
    seat.converses();
    seat.types("\u{1a}");
    seat.sees("Stopped");
    seat.types("stty size; jobs\r");
    seat.sees("20 70\r\n");
    seat.sees("Stopped");
    seat.types("fg\r");
    seat.converses();
    seat.types("\u{3}");
    seat.sees("ready> ");
    seat.types("exit 5\r");

    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(5), true));
}

#[test]
fn a_terminal_is_given_back_when_the_other_side_is_killed() {
    let place = Place::new();
    let pod = place.run("orders", SLEEPS, UP);
    let mut seat = Seat::run(&place.pillion(&["exec", "-it", "orders", "--", "sh", "-i"]));
    seat.types("echo $((6 * 7))\r");
    seat.sees("42\r\n");

    super::send(Signal::KILL, pod.id());

    seat.sees("error: orders is gone\r\n");
    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(2), true));
}

#[test]
fn a_terminal_is_given_back_when_there_is_no_such_program() {
    let place = Place::new();
    let _pod = place.run("orders", SLEEPS, UP);
    let mut seat = Seat::run(&place.pillion(&["exec", "orders", "--", "no-such-program"]));

    seat.sees("error: cannot run `no-such-program`");
    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(127), true));
}

#[test]
fn a_terminal_can_be_had_where_there_is_none() {
    let place = Place::new();
    let _pod = place.run("orders", SLEEPS, UP);
    let script = "test -t 0 && cat && echo all read && exit 6";
    let mut command = place.pillion(&["exec", "-t", "orders", "--", "sh", "-c", script]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut started = Started::of(command.stderr(Stdio::piped()));

    let mut input = started.input();
    input.write_all(b"typed\n").expect("somebody reads");
    drop(input);

    let expected = "typed\r\ntyped\r\nall read\r\n".to_owned();
    assert_eq!(told(&started.end()), (expected, String::new(), Some(6)));
}
