//! The program is a script here, which does what the program must not.

use super::*;
use serde_json::json;
use tempfile::TempDir;

/// For what never comes.
const SHORT: Duration = Duration::from_secs(1);

/// For what comes.
const LONG: Duration = Duration::from_mins(1);

/// Goes on until it is told to end, also if whoever runs the tests ignores the signal.
const GOES_ON: &str = "exec env --default-signal=QUIT sleep 600";

/// Runs a pod under a program that does this when it is called with that verb.
fn run(patience: Duration, verbs: &[(&str, &str)]) -> (TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("pillion");
    let cases = verbs
        .iter()
        .map(|(verb, script)| format!("{verb}) {script};;\n"));
    let script = format!("#!/bin/sh\ncase $1 in\n{}esac\n", cases.collect::<String>());
    // Written by somebody else: a program that is open for writing here could be inherited, and not be run.
    let write = "printf %s \"$2\" > \"$1\" && chmod +x \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write, "sh"]).arg(&program).arg(script);
    assert!(shell.status().unwrap().success());
    let pod = json!({"spec": {}});
    let max_backoff = Duration::from_mins(5);
    let run = Run::begin(&program, folder.path(), "pod", &pod, max_backoff, patience);
    (folder, run.unwrap())
}

/// Looks until something is wrong.
fn fault(run: &mut Run) -> String {
    let began = clock::now();
    while clock::now().since(began) < LONG {
        if let Err(error) = run.seen(0) {
            return format!("{error:#}");
        }
    }
    panic!("nothing is wrong")
}

#[test]
fn a_program_that_does_not_end_is_told_with_what_it_said() {
    let heedless = "trap '' QUIT; echo busy >&2; exec sleep 600";
    let (folder, run) = run(SHORT, &[("run", heedless)]);
    while last_words(&errors(folder.path())).is_empty() {
        thread::yield_now();
    }
    let error = format!("{:#}", run.end().unwrap_err());
    assert!(error.contains("does not end"), "{error}");
    assert!(error.contains("busy"), "{error}");
}

#[test]
fn a_program_that_does_not_answer_is_told() {
    let (_folder, mut run) = run(SHORT, &[("run", GOES_ON), ("get", "exec sleep 600")]);
    let error = fault(&mut run);
    assert!(
        error.contains("`pillion get` does not end within"),
        "{error}"
    );
}

#[test]
fn a_program_that_has_no_pod_to_show_is_told_with_what_it_says() {
    let no_pod = "echo no pod is running >&2; exit 2";
    let (_folder, mut run) = run(SHORT, &[("run", GOES_ON), ("get", no_pod)]);
    let error = fault(&mut run);
    assert!(error.contains("has not answered for"), "{error}");
    assert!(error.contains("no pod is running"), "{error}");
}

#[test]
fn a_program_that_fails_is_told_with_what_it_said() {
    let fails = "echo no such field >&2; exit 2";
    let (_folder, mut run) = run(LONG, &[("run", fails), ("get", "exit 2")]);
    let error = fault(&mut run);
    assert!(error.contains("`pillion run` has ended"), "{error}");
    assert!(error.contains("no such field"), "{error}");
}

#[test]
fn a_change_that_a_pod_refuses_though_it_goes_on_is_told() {
    let refuses = "echo another file is being applied >&2; exit 2";
    let verbs = [("run", GOES_ON), ("get", "echo '{}'"), ("apply", refuses)];
    let (folder, mut run) = run(SHORT, &verbs);
    run.set_image("main", "new").unwrap();
    let answer = run.asking[0].wait(LONG).unwrap();
    run.asking.clear();
    run.refusal = Some((Tick::ZERO, answer));
    let error = fault(&mut run);
    assert!(error.contains("the pod goes on"), "{error}");
    assert!(error.contains("another file is being applied"), "{error}");
    let kept = fs::read_to_string(folder.path().join("apply-1.errors")).unwrap();
    assert!(kept.contains("another file"), "{kept}");
}
