//! Somebody kills a part of a pod, with a signal that nobody can take.

use super::cut_short;
use super::pod::{Pod, Process};
use rustix::process::Signal;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// Two containers that stay, one below the other, with a volume and limits where these can be had. `$$` stands for
/// one dollar sign.
pub(super) const STAYS: &str = "
  restartPolicy: Never
  volumes: [{name: shared, emptyDir: {}}]
  containers:
    - name: base
      sidecar: true
      readyOn: {logLine: base at}
      resources: {limits: {memory: 500Mi}}
      command: [sh, -c, 'echo base at $$$$; exec sleep 1000']
    - name: app
      requires: [base]
      command: [sh, -c, 'echo app at $$$$; (setsid sleep 1000 &); exec sleep 1000']
";

/// The process that a container tells of in a line like `app | app at 123`.
pub(super) fn told(line: &str) -> Process {
    let pid = line.rsplit(' ').next().unwrap();
    Process::of(pid.parse().unwrap()).unwrap()
}

#[test]
fn a_container_that_is_killed_ends_as_a_shell_would_tell_it() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let app = told(&run.hear("app at "));

    app.signal(Signal::KILL);

    assert_eq!(run.end().code, 137);
    pod.assert_nothing_is_left();
}

#[test]
fn a_keeper_that_is_killed_takes_its_container_along_and_nobody_else() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let base = told(&run.hear("base at "));
    let app = told(&run.hear("app at "));

    parent(&app).signal(Signal::KILL);

    app.assert_ends();
    let ended = run.end();
    assert_ne!(ended.code, 0, "{ended:?}");
    base.assert_ends();
    pod.assert_nothing_is_left();
}

#[test]
fn a_run_that_has_lost_its_keeper_is_over_before_the_next_one_begins() {
    // One guard cannot see to what is left until it is woken, the other one never.
    for to_the_guard in [Signal::STOP, Signal::KILL] {
        let pod = Pod::new(
            "
  restartPolicy: Always
  containers:
    - name: app
      command: [sh, -c, 'exec 9> lock; flock -n 9 && echo app at $$$$ || echo overlap; exec sleep 1000']
",
        );
        let run = pod.start();
        let app = told(&run.hear("app at "));
        let keeper = parent(&app);

        run.guard().signal(to_the_guard);
        keeper.signal(Signal::KILL);

        let mut lines = std::iter::from_fn(|| run.next_line());
        let said = lines.find(|line| line.contains("app at ") || line.contains("overlap"));
        let said = said.unwrap();
        assert!(said.contains("app at "), "{said}");
        run.signal(Signal::TERM);
        run.end();
        pod.assert_nothing_is_left();
    }
}

#[test]
fn a_guard_that_is_killed_is_replaced() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - name: first
      oneshot: true
      command: [sh, -c, 'echo waiting; until [ -e go ]; do sleep 0.02; done']
    - {name: second, requires: [first], command: [echo, reached]}
",
    );
    let run = pod.start();
    run.hear("waiting");
    let guard = run.guard();

    guard.signal(Signal::KILL);
    guard.assert_ends();
    fs::write(pod.path("go"), "").unwrap();

    let ended = run.end();
    assert!(ended.said("reached"), "{ended:?}");
    assert_eq!(ended.code, 0);
    pod.assert_nothing_is_left();
}

#[test]
fn nobody_outlives_a_keeper_whose_guard_was_killed_before() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let base = told(&run.hear("base at "));
    let app = told(&run.hear("app at "));
    let guard = run.guard();

    guard.signal(Signal::KILL);
    guard.assert_ends();
    parent(&app).signal(Signal::KILL);

    app.assert_ends();
    assert_ne!(run.end().code, 0);
    base.assert_ends();
    pod.assert_nothing_is_left();
}

#[test]
fn nobody_outlives_a_keeper_and_a_guard_that_are_killed_at_once() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let app = told(&run.hear("app at "));
    let (guard, keeper) = (run.guard(), parent(&app));

    run.signal(Signal::STOP);
    guard.signal(Signal::STOP);
    keeper.signal(Signal::KILL);
    keeper.assert_ends();
    guard.signal(Signal::KILL);
    run.signal(Signal::CONT);

    app.assert_ends();
    assert_ne!(run.end().code, 0);
    pod.assert_nothing_is_left();
}

#[test]
fn a_keeper_that_is_stopped_goes_on_when_its_container_is_to_be_killed() {
    let pod = Pod::new(&STAYS.replace("Never\n", "Never\n  terminationGracePeriodSeconds: 1\n"));
    let run = pod.start();
    let app = told(&run.hear("app at "));

    parent(&app).signal(Signal::STOP);
    run.signal(Signal::TERM);

    assert_eq!(run.end().code, 143);
    pod.assert_nothing_is_left();
}

#[test]
fn a_guard_that_is_stopped_goes_on_when_it_is_needed() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("app at ");

    run.guard().signal(Signal::STOP);
    run.signal(Signal::TERM);

    assert_eq!(run.end().code, 143);
    pod.assert_nothing_is_left();
}

/// Commands beside the container that are so long that two of them do not fit into a socket.
const LONG_ORDERS: &str = "
  restartPolicy: Never
  containers:
    - name: app
      env: [{name: LONG, value: 'LONG'}]
      readinessProbe: {exec: {command: [touch, probed]}, periodSeconds: 1}
      command:
        - sh
        - -c
        - until [ -e probed ]; do sleep 0.02; done; echo app at $$$$; (setsid sleep 1000 &); exec sleep 1000
";

#[test]
fn a_keeper_that_takes_no_orders_holds_up_nobody() {
    let long = "x".repeat(120_000);
    let pod = Pod::new(&LONG_ORDERS.replace("'LONG'", &long));
    let run = pod.start();
    let app = told(&run.hear("app at "));

    parent(&app).signal(Signal::STOP);

    app.assert_ends();
    assert_eq!(run.end().code, 137);
    pod.assert_nothing_is_left();
}

#[test]
fn nobody_outlives_pillion_with_a_keeper_that_is_stopped() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let app = told(&run.hear("app at "));

    parent(&app).signal(Signal::STOP);
    run.signal(Signal::KILL);

    assert_eq!(run.end().code, 137);
    pod.wait_until_nobody_is_left();
}

#[test]
fn nobody_outlives_pillion() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("app at ");

    run.signal(Signal::KILL);

    assert_eq!(run.end().code, 137);
    pod.wait_until_nobody_is_left();
}

#[test]
fn nobody_outlives_pillion_and_its_guard() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("app at ");
    let guard = run.guard();

    run.signal(Signal::STOP);
    guard.signal(Signal::KILL);
    run.signal(Signal::KILL);

    assert_eq!(run.end().code, 137);
    pod.wait_until_nobody_is_left();
}

#[test]
fn nobody_outlives_a_keeper_that_is_killed_with_pillion() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let app = told(&run.hear("app at "));
    let keeper = parent(&app);

    run.signal(Signal::KILL);
    keeper.signal(Signal::KILL);

    assert_eq!(run.end().code, 137);
    pod.wait_until_nobody_is_left();
}

/// So many moments of its life are tried.
const MOMENTS: u32 = 60;

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_nobody_and_the_next_one_works() {
    let moments: Vec<_> = (0..MOMENTS)
        .map(|moment| Duration::from_millis(20) * moment)
        .collect();
    cut_short::at_each(&moments, |moment| kill_after(*moment));
}

/// Kills a run of a pod that lives for about a second, and then runs it again.
fn kill_after(time: Duration) {
    let spec = cut_short::spec(
        [":", "sleep 0.3", "sleep 0.3"],
        "lifecycle: {postStart: {exec: {command: [sleep, '0.1']}}}
      readinessProbe: {exec: {command: [sleep, '0.1']}, periodSeconds: 1}",
    );
    let pod = Pod::new(&spec);
    let run = pod.start();
    let process = Process::of(run.pid()).unwrap();
    process.ends_within(time);
    run.signal(Signal::KILL);
    cut_short::assert_over(&pod, &run.end(), libc::SIGKILL, time);

    cut_short::assert_whole(&pod, time);
}

#[test]
fn a_second_run_of_the_same_pod_is_refused_and_changes_nothing() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    let app = told(&run.hear("app at "));

    let second = pod.run();

    assert_eq!(second.code, 125);
    assert!(second.notes.contains("is running already"), "{second:?}");
    assert!(!app.ends_within(Duration::ZERO));
    run.signal(Signal::TERM);
    assert_eq!(run.end().code, 143);
    pod.assert_nothing_is_left();
}

#[test]
fn a_pod_whose_keepers_are_all_killed_ends() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("app at ");

    for keeper in run.keepers() {
        keeper.signal(Signal::KILL);
    }

    assert_ne!(run.end().code, 0);
    pod.assert_nothing_is_left();
}

fn parent(process: &Process) -> Process {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap();
    // The name stands in parentheses and may contain anything.
    let parent = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1);
    Process::of(parent.unwrap().parse().unwrap()).unwrap()
}

/// What `pillion trace` shows of a run of a pod.
fn traced(pod: &Pod, run: &str) -> String {
    traced_as(pod, run, "text")
}

/// The same in another form.
fn traced_as(pod: &Pod, run: &str, form: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
    pod.dress(&mut command);
    let arguments = ["trace", run, "-o", form];
    let output = command.args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_run_that_was_killed_is_not_shown_as_one_that_goes_on() {
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("app at ");
    let shown = traced(&pod, &pod.name);
    assert!(shown.contains(", and not ended:"), "{shown}");

    run.signal(Signal::KILL);
    run.end();
    pod.wait_until_nobody_is_left();

    let shown = traced(&pod, &pod.name);
    assert!(shown.contains(", then pillion was killed;"), "{shown}");
    assert!(!shown.contains("and not ended"), "{shown}");
    assert!(shown.contains("\n was running    base, app"), "{shown}");
    for (form, word) in [
        ("json", r#""cutOff":true"#),
        ("svg", ": then pillion was killed"),
        ("html", ">killed</span>"),
    ] {
        let shown = traced_as(&pod, &pod.name, form);
        assert!(shown.contains(word), "{form}: {shown}");
    }

    // While another run of the pod is there, that one is still the one that was killed.
    let next = pod.start();
    next.hear("app at ");
    let shown = traced(&pod, &format!("{}#1", pod.name));
    assert!(shown.contains(", then pillion was killed;"), "{shown}");
    let shown = traced(&pod, &pod.name);
    assert!(shown.contains(", and not ended:"), "{shown}");
}
