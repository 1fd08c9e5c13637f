//! Containers that do what containers should not do.

use super::machine::can_limit;
use super::pod::{Ended, Pod, Running};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

/// A pod of one container with this script.
fn script(script: &str) -> Pod {
    Pod::new(&spec(script))
}

fn spec(script: &str) -> String {
    let lines: Vec<_> = script
        .lines()
        .map(|line| format!("        {line}"))
        .collect();
    format!(
        "
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - name: app
    command:
    - sh
    - -c
    - |
{}
",
        lines.join("\n")
    )
}

/// Stops a pod once a container has said that it is up.
fn stop(pod: &Pod) -> Ended {
    let run = pod.start();
    run.hear("up");
    run.signal(Signal::TERM);
    let ended = run.end();
    pod.assert_nothing_is_left();
    ended
}

#[test]
fn one_that_does_not_listen_is_killed_when_its_time_is_over() {
    let pod = script("trap 'echo no' TERM\necho up\nwhile :; do sleep 0.02; done");

    let ended = stop(&pod);

    assert_eq!(ended.code, 143);
    assert!(ended.said("no"), "{ended:?}");
}

#[test]
fn one_that_crashes_again_and_again_waits_no_longer_than_is_said() {
    let pod = Pod::new(&spec("exit 3").replace("Policy: Never", "Policy: OnFailure"));
    let mut command = pod.command();
    command.args(["--json", "--max-backoff", "1s"]);
    let run = Running::start(command);
    // The first restart comes at once in any case; the third one would come after 20 s.
    for wait in [0, 1, 1] {
        run.hear(&format!(r#""restarting","after":{wait},"#));
    }
    run.signal(Signal::TERM);
    assert_eq!(run.end().code, 143);
    pod.assert_nothing_is_left();
}

#[test]
fn a_second_signal_kills_at_once() {
    let spec = spec("trap '' TERM\necho up\nwhile :; do sleep 0.02; done");
    let pod = Pod::new(&spec.replace("Seconds: 1\n", "Seconds: 3600\n"));
    let run = pod.start();
    run.hear("up");

    run.signal(Signal::INT);
    run.signal(Signal::TERM);

    assert_eq!(run.end().code, 130);
    pod.assert_nothing_is_left();
    let timeline = fs::read_to_string(pod.first_run().join("timeline")).unwrap();
    let second = |what: &str, field: &str| {
        let line = timeline.lines().find(|line| line.contains(what)).unwrap();
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record[field].as_f64().unwrap()
    };
    // Whoever is only told to hurry is killed two seconds after that time.
    let (told, exited) = (second("podHurried", "deadline"), second("exited", "at"));
    assert!(exited < told + 1.0, "{timeline}");
}

#[test]
fn a_thousand_children_go_with_their_container() {
    let pod = script("i=0; while [ $i -lt 1000 ]; do sleep 1000 & i=$((i+1)); done; echo up; wait");

    assert_eq!(stop(&pod).code, 143);
}

#[test]
fn one_that_forks_without_end_has_so_many_processes_as_it_may_have() {
    if !can_limit("pids") {
        return;
    }
    let pod = script("i=0; while [ $i -lt 50 ]; do sleep 1000 & i=$((i+1)); done; echo too many");
    let text = fs::read_to_string(pod.file()).unwrap();
    let annotated = "metadata: {annotations: {pillion.dev/pids-limit: '10'}, name:";
    fs::write(pod.file(), text.replace("metadata: {name:", annotated)).unwrap();

    let ended = pod.run();

    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(!ended.said("too many"), "{ended:?}");
    pod.assert_nothing_is_left();
}

#[test]
fn children_that_go_on_forking_go_with_their_container() {
    let pod = script(
        "spawn() { while :; do sh -c 'sleep 0.01'; done; }\nspawn & spawn & (setsid sh -c 'while :; do sleep 0.01; done' &)\necho up\nwait",
    );

    assert_eq!(stop(&pod).code, 143);
}

#[test]
fn a_daemon_goes_with_the_container_that_started_it() {
    let pod =
        script("(setsid sh -c 'trap \"\" TERM HUP; (setsid sleep 1000 &) ; sleep 1000' &)\nexit 4");

    let ended = pod.run();

    assert_eq!(ended.code, 4);
    pod.assert_nothing_is_left();
}

#[test]
fn another_process_group_changes_nothing() {
    let pod = script("set -m\nsleep 1000 &\nsleep 1000 | sleep 1000 &\necho up\nwait");

    assert_eq!(stop(&pod).code, 143);
}

#[test]
fn one_without_standard_files_is_waited_for() {
    let pod = script("exec <&- >&- 2>&-\nuntil [ -e go ]; do sleep 0.02; done\nexit 6");
    let run = pod.start();

    fs::write(pod.path("go"), "").unwrap();

    assert_eq!(run.end().code, 6);
    pod.assert_nothing_is_left();
}

#[test]
fn one_whose_output_a_daemon_holds_ends_when_it_ends() {
    let pod = script("(setsid sleep 1000 &)\necho last words\nexit 5");

    let ended = pod.run();

    assert_eq!(ended.code, 5);
    assert!(ended.said("last words"), "{ended:?}");
}

#[test]
fn a_line_without_an_end_is_shown() {
    let pod = script("printf 'no end'");

    assert!(pod.run().said("no end"));
}

#[test]
fn nobody_waits_for_last_words_from_a_pipe() {
    let pod =
        script("rm -f \"$PILLION_TERMINATION_LOG\"; mkfifo \"$PILLION_TERMINATION_LOG\"; exit 3");

    assert_eq!(pod.run().code, 3);
    pod.assert_nothing_is_left();
}

/// A pod of one container with a volume, that runs this script in it.
fn in_volume(script: &str) -> Pod {
    Pod::new(&format!(
        "
  restartPolicy: Never
  volumes: [{{name: data, emptyDir: {{}}}}]
  containers:
    - name: app
      command: [sh, -c, 'cd $PILLION_VOLUME_DATA && {script}']
"
    ))
}

#[test]
fn folders_that_nobody_may_write_to_go_with_their_volume() {
    let pod = in_volume("mkdir -p mod/in; touch mod/in/f; chmod 0 mod/in; chmod 555 mod");

    for _ in 0..2 {
        let ended = pod.run();
        assert_eq!((ended.code, ended.notes.contains("warning")), (0, false));
        pod.assert_nothing_is_left();
    }
}

#[test]
fn what_cannot_be_cleaned_up_is_told_after_the_result() {
    let pod = in_volume("chmod 555 ../..; exit 3");

    let ended = pod.run();

    fs::set_permissions(pod.first_run(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(ended.code, 3, "{ended:?}");
    // Nothing keeps root from it.
    let warned = ended
        .notes
        .lines()
        .last()
        .unwrap()
        .contains("cannot clean up");
    assert_eq!(warned, !rustix::process::geteuid().is_root(), "{ended:?}");
}

/// Bytes that a container floods its output with. A build that is not optimised takes a minute for the whole of it.
const FLOOD: u64 = if cfg!(debug_assertions) {
    128 << 20
} else {
    1 << 30
};

/// Kilobytes that must be enough for whatever is written, beside what a pod takes that writes nothing.
const ENOUGH: u64 = 8 << 10;

#[test]
fn a_flood_of_output_is_not_kept_in_memory() {
    let text = "x".repeat(400);
    let pod = Pod::new(&format!(
        "
  restartPolicy: Never
  containers:
    - name: first
      oneshot: true
      command: [sh, -c, 'grep VmHWM /proc/$RUNNER/status > idle']
    - name: flood
      oneshot: true
      requires: [first]
      command: [sh, -c, 'yes {text} | head -c {FLOOD}']
    - name: last
      requires: [flood]
      command: [sh, -c, 'grep VmHWM /proc/$RUNNER/status > high']
"
    ));
    let mut command = Command::new("sh");
    pod.dress(&mut command);
    let script = "export RUNNER=$$; exec \"$0\" run pod.yaml > written";
    command.args(["-c", script, env!("CARGO_BIN_EXE_pillion")]);
    command.stderr(Stdio::null());

    let ended = Running::start(command).end();

    assert_eq!(ended.code, 0, "{ended:?}");
    let kilobytes = |file| -> u64 {
        let line = fs::read_to_string(pod.path(file)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let (idle, high) = (kilobytes("idle"), kilobytes("high"));
    assert!(high < idle + ENOUGH, "{high} kB after {idle} kB");
    let written = fs::metadata(pod.path("written")).unwrap().len();
    assert!(written > FLOOD, "all of it is shown: {written}");
    let logs = fs::read_dir(pod.first_run().join("logs")).unwrap();
    let kept: u64 = logs
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(kept < 32 << 20, "a part of it is kept: {kept}");
}
