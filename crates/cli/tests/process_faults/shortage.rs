//! There is not enough of something, or nobody is there: a clear word, and nothing is left.

use super::kills::told;
use super::machine::{self, is_root, skip};
use super::pod::{Ended, Pod, Running};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, prlimit};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const TWO: &str = "
  restartPolicy: Never
  volumes: [{name: shared, emptyDir: {}}]
  containers:
    - name: app
      requires: [{container: base, until: ready}]
      command: [sh, -c, 'echo done; exit 3']
    - name: base
      sidecar: true
      readyOn: {logLine: up}
      command: [sh, -c, 'echo up; exec sleep 1000']
";

/// A shell that does something first, and then becomes pillion.
fn after(pod: &Pod, script: &str) -> Command {
    let mut command = Command::new("sh");
    pod.dress(&mut command);
    let script = format!("{script} exec \"$0\" run pod.yaml");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_pillion")]);
    command
}

#[test]
fn with_few_descriptors_a_pod_runs_or_somebody_says_what_is_wrong() {
    let mut codes = Vec::new();
    for most in (3..26).chain([64]) {
        let pod = Pod::new(TWO);
        let run = Running::start(after(&pod, &format!("exec 2>&1; ulimit -n {most};")));

        let (heard, ended) = stop_when_stuck(run);

        let clear = ["done", "error:", "Too many open files", "cannot open"];
        let is_clear = heard
            .iter()
            .any(|line| clear.iter().any(|text| line.contains(text)));
        assert!(is_clear, "with {most}: {heard:#?}, {ended:?}");
        pod.wait_until_nobody_is_left();
        codes.push(ended.code);
    }
    assert_eq!(codes.last(), Some(&3), "{codes:?}");
}

#[test]
fn more_containers_than_descriptors_at_first_have_their_logs_and_the_limit_of_before() {
    let side = |number| {
        format!("    - {{name: side-{number}, sidecar: true, command: [sleep, '1000']}}\n")
    };
    let sides: String = (0..24).map(side).collect();
    let mut spec = format!("\n  restartPolicy: Never\n  containers:\n{sides}");
    // The second run is that of a guard that was started later.
    spec += "    - {name: app, restartPolicy: OnFailure, command: [sh, -c, \
             'ulimit -Sn; test ! -e second || exit 0; touch second; while test ! -e go; do sleep 0.02; done; exit 1']}\n";
    let pod = Pod::new(&spec);
    let run = Running::start(after(&pod, "ulimit -Sn 40;"));

    assert_eq!(run.hear("app"), "app | 40");
    run.guard().signal(Signal::KILL);
    fs::write(pod.path("go"), "").unwrap();
    assert_eq!(run.hear("app"), "app | 40");

    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!ended.notes.contains("open files"), "{}", ended.notes);
    pod.assert_nothing_is_left();
}

#[test]
fn what_to_do_about_too_few_descriptors_is_told() {
    for most in [5, 6, 7, 8, 10, 12] {
        let pod = Pod::new(TWO);

        let ended = Running::start(after(&pod, &format!("ulimit -n {most};"))).end();

        let lines: Vec<_> = ended.notes.lines().collect();
        let [what, why, help] = lines[..] else {
            panic!("with {most}: {}", ended.notes);
        };
        assert!(what.starts_with("error: cannot "), "with {most}: {what}");
        assert!(why.contains("Too many open files"), "with {most}: {why}");
        assert!(help.contains("ulimit -n"), "with {most}: {help}");
    }
}

#[test]
fn a_pod_that_runs_out_of_descriptors_says_so_and_goes_on_when_there_are_more() {
    let pod = Pod::new(
        "
  restartPolicy: OnFailure
  containers:
    - name: base
      sidecar: true
      readyOn: {logLine: base at}
      command: [sh, -c, 'echo base at $$$$; exec sleep 1000']
    - name: app
      requires: [base]
      backoff: {initialSeconds: 1}
      command: [sh, -c, 'echo app up; mkdir once || exit 0; until [ -e again ]; do sleep 0.02; done; exit 1']
",
    );
    let run = Running::start(after(&pod, "exec 2>&1;"));
    let base = told(&run.hear("base at "));
    run.hear("app up");
    // What it has open stays so.
    let few = Rlimit {
        current: Some(3),
        ..getrlimit(Resource::Nofile)
    };
    let process = Pid::from_raw(run.pid());
    let enough = prlimit(process, Resource::Nofile, few).unwrap();

    fs::write(pod.path("again"), "").unwrap();
    run.hear("Too many open files");
    assert!(!base.ends_within(Duration::ZERO));
    prlimit(process, Resource::Nofile, enough).unwrap();

    run.hear("app up");
    assert_eq!(run.end().code, 0);
    pod.assert_nothing_is_left();
}

/// Listens to a run to its end, and stops it when it waits for better times.
fn stop_when_stuck(run: Running) -> (Vec<String>, Ended) {
    let mut heard = Vec::new();
    while let Some(line) = run.next_line() {
        if line.contains("restarts in") {
            run.signal(Signal::TERM);
        }
        heard.push(line);
    }
    (heard, run.end())
}

/// The machine lets us make a file system of our own.
fn can_mount() -> bool {
    // Who is root only in a namespace of its own has no place for its sockets.
    if !is_root() {
        skip("only root has a place for its sockets there");
    }
    is_root() && machine::can_mount()
}

/// A mount namespace of its own.
const MOUNTS: &str = "--mount";

/// Runs a pod whose state is on a file system of this size, with so many bytes taken.
fn run_on(pod: &Pod, kilobytes: u32, taken: u32) -> Ended {
    fs::create_dir(pod.path("state")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k none state && head -c {taken} /dev/zero > state/taken;"
    );
    let shell = after(pod, &script);
    let mut command = Command::new("unshare");
    pod.dress(&mut command);
    command.arg(MOUNTS).arg("sh").args(shell.get_args());
    Running::start(command).end()
}

#[test]
fn a_disk_that_becomes_full_does_not_end_the_pod() {
    if !can_mount() {
        return;
    }
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - {name: app, command: [sh, -c, 'yes | head -c 2000000; echo done; exit 3']}
",
    );

    let ended = run_on(&pod, 512, 0);

    assert_eq!(ended.code, 3, "{}", ended.notes);
    assert!(ended.said("done"));
    assert!(
        ended.notes.contains("No space left"),
        "it is said: {}",
        ended.notes
    );
}

#[test]
fn output_into_a_disk_that_is_full_does_not_end_the_pod() {
    for full in ["exec >/dev/full;", "exec >/dev/full 2>&1;"] {
        let pod = Pod::new(TWO);

        let ended = Running::start(after(&pod, full)).end();

        assert_eq!(ended.code, 3, "{full} {ended:?}");
        let told = ended.notes.is_empty() || ended.notes.contains("not all of this run was shown");
        assert!(told, "{full} {}", ended.notes);
        let log = fs::read_to_string(pod.first_run().join("logs/app.log")).unwrap();
        assert!(log.contains("done"), "{full} {log}");
        pod.assert_nothing_is_left();
    }
}

#[test]
fn limits_that_cannot_be_kept_are_named_one_by_one() {
    // Only the older control groups can be taken away one by one.
    let each = |name: &str| Path::new("/sys/fs/cgroup").join(name).is_dir();
    if !can_mount() {
        return;
    }
    if !["cpu", "memory"].into_iter().all(each) {
        return skip("the control groups here are the newer ones");
    }
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - {name: app, command: [echo, ran], resources: {limits: {cpu: 1, memory: 64Mi}}}
    - {name: other, command: [echo, ran], resources: {limits: {memory: 64Mi}}}
",
    );
    let shell = after(&pod, "umount /sys/fs/cgroup/cpu;");
    let mut command = Command::new("unshare");
    pod.dress(&mut command);
    command.arg("-m").arg("sh").args(shell.get_args());

    let ended = Running::start(command).end();

    assert_eq!(ended.code, 0, "{ended:?}");
    let warning = "warning: limits are not kept: `app` (cpu): ";
    assert!(ended.notes.contains(warning), "{}", ended.notes);
    pod.assert_nothing_is_left();
}

#[test]
fn a_disk_that_is_full_is_named() {
    if !can_mount() {
        return;
    }
    let pod = Pod::new(TWO);

    let ended = run_on(&pod, 64, 64 << 10);

    assert_eq!(ended.code, 125, "{ended:?}");
    assert!(ended.notes.contains("No space left"), "{}", ended.notes);
    assert!(ended.notes.contains("state"), "{}", ended.notes);
    let help = "help: make room there, or set `XDG_STATE_HOME` to a folder that has some\n";
    assert!(ended.notes.ends_with(help), "{}", ended.notes);
    pod.assert_nothing_is_left();
}

#[test]
fn a_disk_that_has_no_room_for_sockets_is_named_and_left_as_it_was() {
    if !can_mount() {
        return;
    }
    // Its own folder takes one; then there are that of all pods, that of this one, and a socket.
    for entries in 1..=3 {
        let pod = Pod::new(TWO);
        let script = format!(
            "mount -t tmpfs -o nr_inodes={entries} none runtime || exit; \
             PILLION_RUNTIME_DIR=$PWD/runtime/pods \"$0\" run pod.yaml; code=$?; ls runtime; exit $code"
        );
        let mut command = Command::new("unshare");
        pod.dress(&mut command);
        command.args([MOUNTS, "sh", "-c", &script, env!("CARGO_BIN_EXE_pillion")]);

        let ended = Running::start(command).end();

        assert_eq!(ended.code, 125, "{entries}: {ended:?}");
        assert_eq!(ended.lines, [] as [String; 0], "{entries}");
        let lines: Vec<_> = ended.notes.lines().collect();
        let [what, why, help] = lines[..] else {
            panic!("{entries}: {}", ended.notes);
        };
        assert!(what.contains("/runtime/pods"), "{entries}: {what}");
        assert!(why.contains("No space left"), "{entries}: {why}");
        let room = "help: make room there, or set `PILLION_RUNTIME_DIR` to a folder that has some";
        assert_eq!(help, room, "{entries}");
    }
}

#[test]
fn a_relative_path_for_sockets_is_refused_by_all() {
    let pod = Pod::new(TWO);
    let mut run = pod.command();
    let mut ps = Command::new(env!("CARGO_BIN_EXE_pillion"));
    pod.dress(&mut ps);
    for command in [&mut run, ps.arg("ps")] {
        command.env("PILLION_RUNTIME_DIR", "some/where");

        let told = String::from_utf8(command.output().unwrap().stderr).unwrap();

        let what = "the path `some/where` in `PILLION_RUNTIME_DIR` is relative\n";
        assert!(told.contains(what), "{told}");
        let help =
            "help: set `PILLION_RUNTIME_DIR` to a path that begins with `/`, or not at all\n";
        assert!(told.ends_with(help), "{told}");
    }
    assert!(!pod.path("state").exists());
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named() {
    let pod = Pod::new(TWO);
    fs::write(pod.path("state"), "a file").unwrap();

    let ended = pod.run();

    assert_eq!(ended.code, 125, "{ended:?}");
    assert!(ended.notes.contains("state"), "{}", ended.notes);
    assert!(ended.notes.contains("XDG_STATE_HOME"), "{}", ended.notes);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let pod = Pod::new(TWO);
    fs::remove_file(pod.file()).unwrap();
    // Root reads every file, but no folder.
    fs::create_dir(pod.file()).unwrap();

    let ended = pod.run();

    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.notes.contains("pod.yaml"), "{}", ended.notes);
}

#[test]
fn a_file_that_is_closed_to_its_user_is_named() {
    if is_root() {
        return skip("root reads every file");
    }
    let pod = Pod::new(TWO);
    fs::set_permissions(pod.file(), fs::Permissions::from_mode(0o000)).unwrap();

    let ended = pod.run();

    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.notes.contains("pod.yaml"), "{}", ended.notes);
    assert!(ended.notes.contains("ermission denied"), "{}", ended.notes);
}

#[test]
fn a_reader_that_goes_away_ends_the_pod_in_order() {
    let pod = Pod::new(
        "
  restartPolicy: Never
  containers:
    - name: base
      sidecar: true
      provides: [network]
      readyOn: {logLine: up}
      command: [sh, -c, 'trap \"echo base >> order; exit 0\" TERM; echo up; while :; do sleep 0.02; done']
    - name: app
      command: [sh, -c, 'trap \"echo app >> order; exit 0\" TERM; while :; do echo more; sleep 0.02; done']
",
    );
    let mut command = pod.command();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();

    drop(out);

    let process = super::pod::Process::of(child.id().cast_signed()).unwrap();
    process.assert_ends();
    child.wait().unwrap();
    let order = fs::read_to_string(pod.path("order")).unwrap();
    assert_eq!(order, "app\nbase\n");
    pod.assert_nothing_is_left();
}
