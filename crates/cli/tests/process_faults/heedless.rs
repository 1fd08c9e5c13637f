//! Whoever starts a run ignores signals, as `nohup` does, and a script with what it runs in the background.

use super::pod::{Pod, Running};
use rustix::process::Signal;
use std::process::{Command, Stdio};

/// A run by somebody who ignores what a terminal sends.
fn start(pod: &Pod) -> Running {
    start_by(
        pod,
        "sh",
        &["-c", "trap '' HUP INT QUIT; exec \"$0\" \"$@\""],
    )
}

/// A run by a program that becomes it.
fn start_by(pod: &Pod, program: &str, arguments: &[&str]) -> Running {
    let run = pod.command();
    let mut command = Command::new(program);
    pod.dress(&mut command);
    command
        .args(arguments)
        .arg(run.get_program())
        .args(run.get_args())
        .stdin(Stdio::null());
    Running::start(command)
}

#[test]
fn a_container_heeds_its_stop_signal_whatever_pillion_ignores() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  terminationGracePeriodSeconds: 20
  os: {name: linux}
  containers:
    - name: app
      lifecycle: {stopSignal: SIGINT}
      command: [sh, -c, 'trap \"echo bye; exit\" INT; echo up; while :; do sleep 0.02; done']
",
    );
    let run = start(&pod);
    run.hear("up");

    run.signal(Signal::TERM);

    let ended = run.end();
    assert!(ended.said("bye"), "{ended:?}");
}

#[test]
fn the_end_of_the_terminal_stops_in_order() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - {name: app, command: [sh, -c, 'trap \"echo bye; exit 3\" TERM; echo up; while :; do sleep 0.02; done']}
",
    );
    // Whoever runs the tests may ignore it.
    let run = start_by(&pod, "env", &["--default-signal=HUP"]);
    run.hear("up");

    run.signal(Signal::HUP);

    let ended = run.end();
    assert_eq!(ended.code, 129, "{ended:?}");
    assert!(ended.said("bye"), "{ended:?}");
    pod.assert_nothing_is_left();
}

#[test]
fn a_pod_outlives_its_terminal_if_it_is_told_to() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - {name: app, command: [sh, -c, 'echo up; read line < fifo; exit 4']}
",
    );
    let made = Command::new("mkfifo").arg(pod.path("fifo")).status();
    assert!(made.unwrap().success());
    let run = start(&pod);
    run.hear("up");

    run.signal(Signal::HUP);
    std::fs::write(pod.path("fifo"), "go\n").unwrap();

    assert_eq!(run.end().code, 4);
}
