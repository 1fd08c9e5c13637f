//! The descriptors that a process begins with: a terminal, and sockets that others have opened.

use super::kept::{Container, every_guard, own_guard, shell};
use pillion_runtime::guard::{Launch, Order, Outcome, Report};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read as _;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixListener;

/// The two ends of a terminal: ours, and that of whoever is in it.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let theirs = rustix::fs::open(name, flags, rustix::fs::Mode::empty()).unwrap();
    (File::from(ours), theirs)
}

/// What has been written to a terminal until its other end was closed.
fn written(mut ours: File) -> String {
    let mut text = Vec::new();
    // A terminal ends with an error.
    let _ = ours.read_to_end(&mut text);
    String::from_utf8(text).unwrap()
}

fn in_terminal(script: &str) -> Launch {
    Launch {
        terminal: true,
        ..shell(script)
    }
}

#[test]
fn a_terminal_is_the_one_that_controls_the_process() {
    let guard = own_guard();
    let mut keeper = guard.keeper().unwrap();
    let (ours, theirs) = terminal();
    let launch = in_terminal("test -t 0 && echo hello > /dev/tty");

    let stdio = [theirs.as_fd(); 3];
    keeper.send(&Order::Launch(launch), &stdio).unwrap();
    drop(theirs);

    assert!(matches!(keeper.receive().unwrap(), Report::Started { .. }));
    let outcome = Outcome::Code(0);
    let exited = Report::Exited {
        outcome,
        oom: false,
    };
    assert_eq!(keeper.receive::<Report>().unwrap(), exited);
    assert_eq!(written(ours), "hello\r\n");
}

#[test]
fn a_command_beside_the_process_can_have_a_terminal_too() {
    let guard = own_guard();
    let mut kept = Container::shell("exec sleep 1000").start(&guard);
    kept.started();
    let (ours, theirs) = terminal();
    let launch = in_terminal("test -t 0 && echo hello > /dev/tty");
    let order = Order::Exec {
        id: 1,
        input: true,
        launch,
    };

    kept.keeper.send(&order, &[theirs.as_fd(); 3]).unwrap();
    drop(theirs);

    let outcome = Ok(Outcome::Code(0));
    let late = false;
    let done = Report::ExecDone {
        id: 1,
        outcome,
        late,
    };
    assert_eq!(kept.keeper.receive::<Report>().unwrap(), done);
    assert_eq!(written(ours), "hello\r\n");
}

#[test]
fn a_command_beside_the_process_reads_what_it_is_given() {
    let guard = own_guard();
    let mut kept = Container::shell("exec sleep 1000").start(&guard);
    kept.started();
    let (question, ask) = std::io::pipe().unwrap();
    let (mut answer, tell) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut &ask, b"what?").unwrap();
    drop(ask);
    let order = Order::Exec {
        id: 1,
        input: true,
        launch: shell("cat"),
    };

    let stdio = [question.as_fd(), tell.as_fd(), tell.as_fd()];
    kept.keeper.send(&order, &stdio).unwrap();
    drop(tell);

    let mut said = String::new();
    answer.read_to_string(&mut said).unwrap();
    assert_eq!(said, "what?");
}

#[test]
fn sockets_are_handed_over_with_their_names_to_the_process_they_are_for() {
    for (guard, _program) in every_guard() {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let folder = super::kept::Folder::new();
        let unix = UnixListener::bind(folder.path().join("socket")).unwrap();
        let script = "test $LISTEN_PID = $$ && echo $LISTEN_FDS $LISTEN_FDNAMES; ls -l /proc/$$/fd 2>/dev/null | sed -n 's/.* \\([0-9]*\\) -> socket.*/\\1/p'";
        let mut container = Container::shell(script);
        container.launch.sockets = vec!["web".to_owned(), "admin".to_owned()];

        let kept = container.start_with(&guard, &[tcp.as_fd(), unix.as_fd()]);

        let (said, outcome, _) = kept.ends();
        assert_eq!(outcome, Outcome::Code(0), "{said}");
        let said: Vec<_> = said.split_whitespace().collect();
        assert_eq!(said, ["2", "web:admin", "3", "4"]);
    }
}

#[test]
fn what_whoever_started_us_has_left_open_stays_out() {
    let open = File::open("/dev/zero").unwrap();
    // Not closed by itself when a program is executed.
    let _left_open = rustix::io::dup(&open).unwrap();
    let guard = own_guard();

    let said = Container::shell("exec ls /proc/self/fd").says(&guard);

    assert_eq!(said, "0\n1\n2\n3\n", "its own three, and the folder");
}

#[test]
fn a_signal_is_for_the_process_and_for_nobody_else() {
    let guard = own_guard();
    let child = "sh -c 'trap \"echo both\" TERM; echo up; read line < /dev/zero' &";
    let script = format!("trap 'echo one; kill -9 0' TERM; {child} while :; do wait; done");
    let mut kept = Container::shell(&script).start(&guard);
    kept.started();
    assert_eq!(kept.line(), "up");

    kept.keeper.send(&Order::Signal(15), &[]).unwrap();

    let (said, outcome, _) = kept.finish();
    assert_eq!((said.as_str(), outcome), ("one\n", Outcome::Signal(9)));
}
