//! Somebody kills pillion, its guard and all keepers at once, so that nobody is there to see to what they ran. The next run of
//! the pod does.

use super::kills::{STAYS, told};
use super::machine::{can_limit, can_mount};
use super::pod::{LIMIT, Pod, Process, Running};
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A pod that has no limits, no volumes and ends at once.
const ENDS: &str = "
  restartPolicy: Never
  containers: [{name: app, command: ['true']}]
";

/// A pod whose container does not see the folder for sockets.
const HIDES: &str = "
  restartPolicy: Never
  volumes: [{name: data, emptyDir: {}}]
  containers:
    - name: app
      volumeMounts: [{name: data, mountPath: SOCKETS}]
      command: [sh, -c, 'echo app at $$$$; exec sleep 1000']
";

/// A pod whose container does not know any more where it is, but for its limits.
const FORGETS: &str = "
  restartPolicy: Never
  containers:
    - name: app
      resources: {limits: {memory: 500Mi}}
      command: [sh, -c, 'echo app at $$$$; exec env -i sleep 1000']
";

/// Kills all who would see to an end, none of whom can notice the end of another one before.
fn kill_at_once(run: Running) {
    let mut all = run.keepers();
    all.push(run.guard());
    all.push(Process::of(run.pid()).unwrap());
    for signal in [Signal::STOP, Signal::KILL] {
        for process in &all {
            process.signal(signal);
        }
    }
    assert_eq!(run.end().code, 137);
}

/// A process that has nothing to do with a pod. Dropped, it is killed.
struct Bystander(Child);

impl Bystander {
    fn with(variable: &Path, argument: &Path) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", "read line"])
            .arg(argument)
            .env("PILLION_SOCKET", variable)
            .stdin(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        // After its end these do nothing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn whoever_outlives_all_of_pillion_is_gone_before_the_next_run_begins() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let base = told(&run.hear("base at "));
    let app = told(&run.hear("app at "));
    kill_at_once(run);
    assert!(!base.ends_within(Duration::ZERO) && !app.ends_within(Duration::ZERO));

    // Only the first of the two would have had control groups to look for.
    pod.write(ENDS);
    let next = pod.run();

    assert_eq!(next.code, 0, "{next:?}");
    assert_eq!(next.notes.matches("warning: ").count(), 1, "{next:?}");
    assert!(base.ends_within(Duration::ZERO) && app.ends_within(Duration::ZERO));
    pod.assert_nothing_is_left();
}

#[test]
fn whoever_has_a_volume_in_front_of_the_sockets_is_found_all_the_same() {
    if !can_mount() {
        return;
    }
    let pod = Pod::new("");
    let sockets = pod.path("runtime");
    pod.write(&HIDES.replace("SOCKETS", &sockets.to_string_lossy()));
    assert_next_run_ends_app(&pod);
}

/// Runs a pod whose container `app` outlives all of Pillion, and another one in its place: nothing of the first is left.
fn assert_next_run_ends_app(pod: &Pod) {
    let run = pod.start();
    let app = told(&run.hear("app at "));
    kill_at_once(run);

    pod.write(ENDS);
    let next = pod.run();

    assert_eq!(next.code, 0, "{next:?}");
    assert!(app.ends_within(Duration::ZERO));
    pod.assert_nothing_is_left();
}

#[test]
fn whoever_has_cleared_its_environment_is_found_in_its_control_group() {
    if !can_limit("memory") {
        return;
    }
    let pod = Pod::new(FORGETS);
    assert_next_run_ends_app(&pod);
}

#[test]
fn a_control_group_is_found_wherever_the_sockets_were() {
    if !can_limit("memory") {
        return;
    }
    let two = "containers:\n    - {name: first, resources: {limits: {memory: 1Gi}}, command: [sleep, '1000']}";
    let pod = Pod::new(&FORGETS.replace("containers:", two));
    let run = pod.start();
    let app = told(&run.hear("app at "));
    kill_at_once(run);
    fs::remove_dir_all(pod.path("runtime")).unwrap();

    // Its one group is not that of the second container, and at its end it cleans up in any case.
    pod.write(FORGETS);
    let next = pod.start();
    next.hear("app at ");

    assert!(app.ends_within(Duration::ZERO));
    next.signal(Signal::TERM);
    assert_eq!(next.end().code, 143);
    pod.assert_nothing_is_left();
}

#[test]
fn whoever_only_looks_like_a_survivor_is_left_alone() {
    let pod = Pod::new(STAYS);
    let room = pod.path("runtime").join(format!("default.{}", pod.name));
    let run = pod.start();
    let app = told(&run.hear("app at "));
    let other = Pod::new(STAYS);
    let mut command = other.command();
    command.env("PILLION_RUNTIME_DIR", pod.path("runtime"));
    let other_run = Running::start(command);
    let other_app = told(&other_run.hear("app at "));
    let longer = format!("{}0/ask-0", room.display());
    let mut bystanders = [
        Bystander::with(Path::new(&longer), Path::new("")),
        Bystander::with(Path::new(""), &room.join("ask-0")),
    ];
    kill_at_once(run);

    pod.write(ENDS);
    assert_eq!(pod.run().code, 0);

    assert!(app.ends_within(LIMIT));
    for bystander in &mut bystanders {
        assert!(bystander.lives());
    }
    assert!(!other_app.ends_within(Duration::ZERO));
    other_run.signal(Signal::TERM);
    assert_eq!(other_run.end().code, 143);
    other.assert_nothing_is_left();
}

#[test]
fn a_pod_can_be_run_again_from_what_is_left_of_it() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - name: app
      command:
        - sh
        - -c
        - |
          echo app at $$$$; until [ -e again ]; do sleep 0.02; done
          export PILLION_RUNTIME_DIR=$$PWD/runtime
          $$PILLION run pod.yaml > told 2>&1; echo $$? > code
",
    );
    let run = pod.start();
    let app = told(&run.hear("app at "));
    kill_at_once(run);

    pod.write(ENDS);
    fs::write(pod.path("again"), "").unwrap();

    assert!(app.ends_within(LIMIT));
    let code = fs::read_to_string(pod.path("code"));
    assert_eq!(code.unwrap().trim(), "0");
    pod.assert_nothing_is_left();
}

#[test]
fn whoever_runs_a_pod_again_is_told_that_the_last_run_was_killed() {
    let pod = Pod::new(
        "\n  restartPolicy: Never\n  containers:\n    - {name: app, command: [sh, -c, 'echo up; exec sleep 1000']}\n",
    );
    let run = pod.start();
    run.hear("up");
    run.signal(Signal::KILL);
    run.end();
    pod.wait_until_nobody_is_left();

    let mut command = pod.command();
    command.args(["--delete", "100ms"]);
    let ended = Running::start(command).end();
    let told = "pillion was killed in an earlier run of this pod";
    assert!(ended.notes.contains(told), "{ended:?}");

    let ended = pod.command().args(["--delete", "100ms"]).output().unwrap();
    let notes = String::from_utf8(ended.stderr).unwrap();
    assert!(!notes.contains(told), "{notes}");
}
