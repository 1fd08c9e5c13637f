//! Two pods of the same name at the same time.

use super::pod::{Pod, Running};
use rustix::process::Signal;
use std::fs;

const LIMITED: &str = "
  restartPolicy: Never
  containers:
    - name: app
      command: [sh, -c, 'echo up; until [ -e $FLAG ]; do sleep 0.02; done']
      resources: {limits: {memory: 64Mi}}
";

/// The same pod as somebody else runs it: its state is elsewhere, its sockets are in this folder.
fn twin(pod: &Pod, sockets: &str, flag: &str) -> Running {
    let mut command = pod.command();
    command
        .env("FLAG", flag)
        .env("XDG_STATE_HOME", pod.path("other-state"))
        .env("PILLION_RUNTIME_DIR", pod.path(sockets));
    Running::start(command)
}

fn first(pod: &Pod) -> Running {
    let mut command = pod.command();
    command.env("FLAG", "never");
    let run = Running::start(command);
    run.hear("up");
    run
}

#[test]
fn twins_with_other_folders_let_each_other_live() {
    let pod = Pod::new(LIMITED);
    let first = first(&pod);
    fs::write(pod.path("now"), "").unwrap();

    let other = twin(&pod, "other-sockets", "now").end();

    assert_eq!(other.code, 0, "{other:?}");
    first.signal(Signal::TERM);
    // Killed by its twin, it would have failed before.
    let ended = first.end();
    assert_eq!(ended.code, 143, "{ended:?}");
    pod.assert_nothing_is_left();
}

#[test]
fn a_twin_with_the_same_sockets_is_refused() {
    let pod = Pod::new(LIMITED);
    let first = first(&pod);
    let control = pod.path("runtime").join(format!("default.{}", pod.name));
    let control = control.join("control");

    let other = twin(&pod, "runtime", "now").end();

    assert_eq!(other.code, 125, "{other:?}");
    let notes = &other.notes;
    assert!(notes.contains("is running already"), "{notes}");
    assert!(notes.contains("PILLION_RUNTIME_DIR"), "{notes}");
    assert!(control.exists());
    first.signal(Signal::TERM);
    assert_eq!(first.end().code, 143);
    pod.assert_nothing_is_left();
}
