//! What somebody wants to be done to a pod while it runs.

use super::pod::{Ended, Pod, Running};

/// Runs a pod of one container with this script.
fn run(script: &str, options: &[&str]) -> Ended {
    let pod = Pod::new(&format!(
        "
  restartPolicy: Never
  containers:
    - name: app
      command: [sh, -c, '{script}']
"
    ));
    let mut command = pod.command();
    command.args(options);
    let ended = Running::start(command).end();
    pod.assert_nothing_is_left();
    ended
}

#[test]
fn a_container_is_killed_when_somebody_wants_to_see_that() {
    // On a machine with much to do it may not be there the first time.
    let options = ["--kill", "app@1s", "--kill", "app@20s"];

    let ended = run("exec sleep 1000", &options);

    assert_eq!(ended.code, 137, "{ended:?}");
}

#[test]
fn a_pod_is_restarted_when_somebody_wants_to_see_that() {
    let options = ["--ask", "restart-pod@1s", "--ask", "restart-pod@20s"];

    let ended = run("mkdir once && exec sleep 1000; exit 5", &options);

    assert_eq!(ended.code, 5, "{ended:?}");
}

#[test]
fn a_pod_is_stopped_when_somebody_wants_to_see_that() {
    let script = r#"trap "echo bye; exit 0" TERM; while :; do sleep 0.02; done"#;

    let ended = run(script, &["--delete", "1s"]);

    assert!(ended.said("bye"), "{ended:?}");
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn a_kill_that_meets_nobody_is_said() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - {name: pause, oneshot: true, command: [sleep, '1']}
    - {name: app, requires: [pause], command: [sleep, '1000']}
",
    );
    let mut command = pod.command();
    command.args(["--kill", "app@100ms", "--kill", "app@2s"]);

    let ended = Running::start(command).end();

    assert_eq!(ended.code, 137, "{ended:?}");
    let in_vain = "signal 9 to app changes nothing: its container is not up";
    assert_eq!(ended.notes.matches(in_vain).count(), 1, "{ended:?}");
}
