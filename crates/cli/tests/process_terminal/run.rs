//! Somebody sits in front of a pod itself.

use super::glass::Terminal;
use super::place::Place;
use super::seat::Seat;
use super::started::hear;
use regex::Regex;
use rustix::process::Signal;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Does not listen to anybody.
const DEAF: &str = "  containers:\n    - name: app\n      command: [sh, -c, 'trap \"\" TERM; echo up; while :; do sleep 0.05; done']\n";

const SHOW_CURSOR: &str = "\x1b[?25h";

#[test]
fn quit_kills_and_leaves_the_terminal_and_the_machine_as_they_were() {
    let place = Place::new();
    let file = place.file("orders", DEAF);
    let mut seat = Seat::run(&place.pillion(&["run", &file]));
    seat.sees("up");

    seat.types("\x1c");

    seat.sees(SHOW_CURSOR);
    let (status, _) = seat.end();
    assert_eq!(status.code(), Some(131));
    assert!(!place.room("orders").exists());
}

/// A pipe with a name, open at both ends, so that nobody waits for the other one.
fn pipe(path: &PathBuf) -> File {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("it is there").success());
    let mut options = File::options();
    let opened = options.read(true).write(true).open(path);
    opened.expect("it was just made")
}

#[test]
fn whoever_leaves_a_pod_for_a_while_finds_it_at_work() {
    let place = Place::new();
    let (ask, answer) = (place.path().join("ask"), place.path().join("answer"));
    let (mut asking, mut answering) = (pipe(&ask), pipe(&answer));
    let script = format!("echo up; cat {} > {}", ask.display(), answer.display());
    let containers = format!("  containers: [{{name: app, command: [sh, -c, '{script}']}}]\n");
    let file = place.file("orders", &containers);
    let mut seat = Seat::run(&place.pillion(&["run", &file]));
    seat.sees("up");

    seat.types("\x1a");

    seat.is_left();
    seat.sees(SHOW_CURSOR);
    writeln!(asking, "anybody there?").expect("it is open");
    hear(&mut answering, "anybody there?\n");
    super::send(Signal::CONT, seat.id());
    seat.types("\x03");
    let (status, _) = seat.end();
    assert_eq!(status.code(), Some(130));
    assert!(!place.room("orders").exists());
}

/// Writes a line that not every terminal has room for, and ends in its own time.
const TALKS: &str = r#"  containers:
    - {name: proxy, sidecar: true, readyOn: {logLine: up}, command: [sh, -c, 'echo up; exec sleep 1000']}
    - name: app
      requires: [proxy]
      command: [sh, -c, 'trap "echo bye; exit 0" TERM; printf "%0150d\n" 7; while :; do sleep 0.02; done']
"#;

/// What is in a terminal, without how long things took: that is a number at the beginning of a line, or after `at` and
/// `after`.
fn timeless(terminal: &Terminal) -> Vec<String> {
    let time = Regex::new(r"^ *[0-9.]+s|(at|after) [0-9.]+ m?s").expect("it is one");
    let lines = terminal.text().into_iter();
    lines
        .map(|line| time.replace(&line, "$1 T").into_owned())
        .collect()
}

#[test]
fn whoever_interrupts_a_pod_sees_how_it_ends_however_wide_the_terminal_is() {
    let long = format!(" T app    {:0150}", 7);
    for columns in [80, 200] {
        let place = Place::new();
        let file = place.file("orders", TALKS);
        let mut seat = Seat::run_in(&place.pillion(&["run", &file]), columns);
        let mut terminal = Terminal::new(columns.into(), 30);
        terminal.write(seat.sees("0007").as_bytes());
        // The last line below says how to end it.
        terminal.write(seat.sees("Ctrl-C").as_bytes());
        let lines = timeless(&terminal);
        assert_eq!(lines[..2], [" T proxy  up", &long], "{lines:#?}");
        for line in &lines[2..] {
            assert!(line.chars().count() < columns.into(), "{lines:#?}");
        }

        seat.types("\x03");

        terminal.write(seat.sees(SHOW_CURSOR).as_bytes());
        let (status, seat) = seat.end();
        assert_eq!((status.code(), seat.is_usual()), (Some(130), true));
        let expected = [
            " T proxy  up",
            &long,
            " T app    bye",
            &"─".repeat(70),
            " – proxy  stopped   exited 143 (SIGTERM) at T",
            " – app    stopped   exited 0 at T",
            "orders succeeded after T (Ctrl-C) · pillion trace",
            "",
        ];
        assert_eq!(timeless(&terminal), expected);
    }
}
