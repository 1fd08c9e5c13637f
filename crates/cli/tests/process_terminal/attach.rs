//! Somebody joins a container that runs.

use super::place::{Place, rest, told};
use super::seat::Seat;
use super::started::{Started, hear};
use rustix::process::Signal;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};

/// A pod of one container with these fields, that runs this script.
fn app(fields: &str, script: &str) -> String {
    let indented: Vec<_> = script
        .lines()
        .map(|line| format!("          {line}\n"))
        .collect();
    format!(
        "  restartPolicy: Never\n  containers:\n    - name: app\n{fields}      command:\n        - sh\n        - -c\n        - |\n{}",
        indented.concat()
    )
}

const STDIN: &str = "      stdin: true\n";
const ONCE: &str = "      stdin: true\n      stdinOnce: true\n";
const TERMINAL: &str = "      stdin: true\n      tty: true\n";

/// Says what it reads.
const ECHO: &str = "echo up; while read line; do echo got $line; done; echo all; exit 3";

/// Like a shell for people.
const SHELL: &str = "echo up; exec sh -i";

fn begin(command: &mut Command) -> Started {
    Started::of(command.stdin(Stdio::piped()).stdout(Stdio::piped()))
}

#[test]
fn one_that_reads_is_written_to_by_one_after_the_other() {
    let place = Place::new();
    let mut pod = place.run("orders", &app(STDIN, ECHO), r#""line":"up""#);
    for word in ["one", "two"] {
        let mut joined = begin(&mut place.pillion(&["attach", "orders"]));
        let mut input = joined.input();
        writeln!(input, "{word}").expect("somebody reads");
        assert_eq!(joined.hear("\n"), format!("got {word}\n"));
        pod.wait_for(&format!(r#""line":"got {word}""#));
        drop(joined);
    }
    assert_eq!(place.says(&["stop", "--now"]).2, Some(0));
}

#[test]
fn one_that_reads_once_has_read_all_when_the_first_has_said_all() {
    let place = Place::new();
    let pod = place.run("orders", &app(ONCE, ECHO), r#""line":"up""#);

    let mut joined = begin(&mut place.pillion(&["attach", "orders/app"]));
    let mut input = joined.input();
    input.write_all(b"one\ntwo\n").expect("somebody reads");
    drop(input);

    let expected = "got one\ngot two\nall\n".to_owned();
    assert_eq!(told(&joined.end()), (expected, String::new(), Some(3)));
    pod.end();
}

#[test]
fn one_that_is_killed_has_said_all() {
    let place = Place::new();
    let pod = place.run("orders", &app(ONCE, ECHO), r#""line":"up""#);
    let mut joined = begin(&mut place.pillion(&["attach", "orders/app"]));
    let mut input = joined.input();
    input.write_all(b"one\n").expect("somebody reads");
    joined.hear("got one\n");

    drop(joined);

    let (_, told) = pod.end();
    assert!(told.join("\n").contains(r#""line":"all""#), "{told:?}");
}

#[test]
fn one_that_reads_nothing_is_only_seen() {
    let place = Place::new();
    let fifo = place.path().join("fifo");
    let script = format!(
        "mkfifo {0}; echo up; cat {0}; echo wrong >&2; exit 4",
        fifo.display()
    );
    let pod = place.run("orders", &app("", &script), r#""line":"up""#);
    let mut seat = Seat::run(&place.pillion(&["attach", "orders"]));
    seat.sees("attached to orders/app, which reads nothing · Ctrl-C detaches");

    std::fs::write(&fifo, "seen\n").expect("somebody reads");

    seat.sees("seen\r\n");
    seat.sees("wrong\r\n");
    assert_eq!(seat.end().0.code(), Some(4));
    pod.end();
}

#[test]
fn every_key_goes_to_a_terminal_but_those_that_detach() {
    let place = Place::new();
    let _pod = place.run("orders", &app(TERMINAL, SHELL), r#""line":"up""#);
    let mut seat = Seat::run(&place.pillion(&["attach", "orders/app"]));
    seat.sees("attached to orders/app · Ctrl-P Ctrl-Q detaches");

    seat.types("PS1='rea''dy> '; stty size; echo $((6 * 7)) $TERM\r");
    seat.sees("30 100\r\n42 xterm\r\n");
    assert!(!seat.is_usual());
    // An interrupt ends what runs there, and nothing else.
    seat.sees("ready> ");
    seat.types("cat\r");
    seat.converses();
    seat.types("\u{3}");
    seat.sees("ready> ");
    seat.types("echo still $((40 + 2))\r");
    seat.sees("still 42");
    seat.resize(70, 20);
    seat.types("stty size\r");
    seat.sees("20 70\r\n");
    seat.types("\u{10}\u{11}");
    seat.sees("detached from orders/app, which goes on\r\n");
    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(0), true));

    assert!(
        place
            .says(&["logs", "orders", "app"])
            .0
            .contains("\n42 xterm\n")
    );
    let mut again = Seat::run(&place.pillion(&["attach"]));
    again.sees("detaches");
    again.types("exit 9\r");
    let (status, again) = again.end();
    assert_eq!((status.code(), again.is_usual()), (Some(9), true));
}

#[test]
fn a_terminal_is_given_back_when_the_other_side_is_killed() {
    let place = Place::new();
    let pod = place.run("orders", &app(TERMINAL, SHELL), r#""line":"up""#);
    let mut seat = Seat::run(&place.pillion(&["attach"]));
    seat.sees("detaches");
    seat.types("echo $((6 * 7))\r");
    seat.sees("42\r\n");

    super::send(Signal::KILL, pod.id());

    seat.sees("error: orders is gone\r\n");
    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(2), true));
}

#[test]
fn one_who_stands_still_before_the_terminal_of_one_that_has_ended_keeps_nobody_awake() {
    let place = Place::new();
    let fifo = place.path().join("fifo");
    let script = format!("mkfifo {0}; echo up; cat {0}; exit 3", fifo.display());
    let stays = "    - {name: other, command: [sleep, '1000']}\n";
    let mut pod = place.run(
        "orders",
        &(app(TERMINAL, &script) + stays),
        r#""line":"up""#,
    );
    let mut seat = Seat::run(&place.pillion(&["attach", "orders/app"]));
    seat.sees("detaches");
    assert!(awaits_terminal(pod.id()));

    super::send(Signal::STOP, seat.id());
    std::fs::write(&fifo, "now\n").expect("somebody reads");

    pod.wait_for(r#""code":3"#);
    // Whoever runs the pod has come round when it answers.
    assert!(place.says(&["ps"]).0.contains("orders"));
    assert!(!awaits_terminal(pod.id()));
}

/// Whether what a process waits for has the outer end of a terminal among it.
fn awaits_terminal(process: u32) -> bool {
    let inside = std::fs::metadata("/dev/ptmx").expect("there are terminals");
    let number = format!(" ino:{:x} ", inside.ino());
    let told = std::fs::read_dir(format!("/proc/{process}/fdinfo")).expect("it runs");
    let mut told = told.flatten().map(|one| one.path());
    told.any(|one| {
        // It may have been closed just now.
        let text = std::fs::read_to_string(one).unwrap_or_default();
        let mut lines = text.lines().filter(|line| line.starts_with("tfd:"));
        lines.any(|line| line.contains(&number))
    })
}

#[test]
fn a_terminal_is_given_back_when_whoever_has_it_is_told_to_end() {
    let place = Place::new();
    let _pod = place.run("orders", &app(TERMINAL, SHELL), r#""line":"up""#);
    let mut seat = Seat::run(&place.pillion(&["attach"]));
    seat.sees("detaches");
    seat.types("echo $((6 * 7))\r");
    seat.sees("42\r\n");

    super::send(Signal::TERM, seat.id());

    let (status, seat) = seat.end();
    assert_eq!((status.code(), seat.is_usual()), (Some(143), true));
}

#[test]
fn whoever_does_not_read_misses_something_and_holds_nobody_up() {
    let place = Place::new();
    let script =
        "echo up; read go; yes 0123456789abcdef | head -c 10000000; echo; echo done; read end";
    let mut pod = place.run("orders", &app(STDIN, script), r#""line":"up""#);
    let mut deaf = place.connect("orders");
    deaf.write_all(b"{\"attach\":{}}\n")
        .expect("somebody reads");
    hear(&mut deaf, "attached");
    let mut command = place.pillion(&["attach", "orders"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut writer = Started::of(command);
    let mut input = writer.input();
    input.write_all(b"go\n").expect("somebody reads");

    pod.wait_for(r#""line":"done""#);
    input.write_all(b"end\n").expect("somebody reads");

    let heard = rest(&mut deaf);
    assert!(heard.len() < 9_000_000, "{}", heard.len());
    assert!(heard.contains("{\"missed\":"), "{}", heard.len());
    assert!(
        heard.ends_with("{\"exited\":0}\n"),
        "{}",
        &heard[heard.len() - 50..]
    );
    drop(input);
    assert!(writer.end().status.success());
    pod.end();
}
