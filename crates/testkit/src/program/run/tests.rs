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

/// Looks until that is so.
fn look_until(run: &mut Run, is_so: impl Fn(&Run) -> bool) {
    let began = clock::now();
    while !is_so(run) {
        assert!(clock::now().since(began) < LONG, "it is never so");
        run.seen(0).unwrap();
    }
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
    run.afterglow = SHORT;
    run.set_image("main", "new").unwrap();
    let error = fault(&mut run);
    assert!(error.contains("the pod goes on"), "{error}");
    assert!(error.contains("another file is being applied"), "{error}");
    let kept = fs::read_to_string(folder.path().join("apply-1.errors")).unwrap();
    assert!(kept.contains("another file"), "{kept}");
}

#[test]
fn a_change_that_a_pod_has_given_up_though_it_goes_on_is_told_at_its_end() {
    let given_up = r#"{"applied":{"containers":[{"container":"main","outcome":"given-up","reason":"the old one stays"}]}}"#;
    let refuses = format!("echo '{given_up}'; exit 1");
    let verbs = [("run", GOES_ON), ("get", "echo '{}'"), ("apply", &refuses)];
    let (_folder, mut run) = run(LONG, &verbs);
    run.afterglow = SHORT;
    run.set_image("main", "new").unwrap();
    while run.asking[0].ended().unwrap().is_none() {
        thread::yield_now();
    }
    let error = format!("{:#}", run.end().unwrap_err());
    assert!(error.contains("the pod goes on"), "{error}");
    assert!(error.contains("the old one stays"), "{error}");
}

#[test]
fn a_change_that_a_pod_has_given_up_because_it_ends_is_no_fault() {
    let given_up = r#"{"applied":{"containers":[{"container":"main","outcome":"given-up","reason":"the old one stays"}]}}"#;
    let ending = r#"{"not-applied":[{"message":"the pod is ending"}]}"#;
    let is_asked = "[ $2 = --dry-run ]";
    let applies = format!("{is_asked} && echo '{ending}' || echo '{given_up}'; exit 1");
    let verbs = [("run", GOES_ON), ("get", "echo '{}'"), ("apply", &applies)];
    let (folder, mut run) = run(LONG, &verbs);
    run.afterglow = SHORT;
    run.set_image("main", "new").unwrap();
    let asked = folder.path().join("dry-run.out");
    look_until(&mut run, |_| asked.exists());
    assert!(run.refusal.is_none());
    run.end().unwrap();
}

#[test]
fn a_change_that_comes_too_soon_is_asked_for_again() {
    let restarted =
        r#"{"not-applied":[{"message":"the pod is being restarted: ask again when it runs"}]}"#;
    let first = "first=${0%/*}/first; [ -e \"$first\" ] && exit 0";
    let applies = format!("{first}; touch \"$first\"; echo '{restarted}'; exit 1");
    let verbs = [("run", GOES_ON), ("get", "echo '{}'"), ("apply", &applies)];
    let (_folder, mut run) = run(LONG, &verbs);
    run.afterglow = SHORT;
    run.set_image("main", "new").unwrap();
    look_until(&mut run, |run| run.errands == 2 && run.asking.is_empty());
    assert!(run.refusal.is_none() && run.again.is_none());
    run.end().unwrap();
}

#[test]
fn a_program_that_dies_behind_the_end_of_its_pod_is_told_with_what_it_said() {
    let ended = r#"echo '{"status":{"phase":"Succeeded"}}'"#;
    for (dies, how) in [
        ("exit 101", "exit status: 101"),
        ("exit 125", "exit status: 125"),
        ("kill -KILL $$", "signal: 9"),
    ] {
        let dies = format!("echo a last word >&2; {dies}");
        let (_folder, mut run) = run(LONG, &[("run", &dies), ("get", ended)]);
        let error = fault(&mut run);
        assert!(error.contains("`pillion run` has failed"), "{error}");
        assert!(error.contains(how), "{error}");
        assert!(error.contains("a last word"), "{error}");
    }
}

#[test]
fn a_program_that_ends_like_its_container_has_not_failed() {
    let state = r#"{"containerStatuses":[{"state":{"terminated":{"exitCode":101}}}]}"#;
    let ended = format!("echo '{{\"status\":{state}}}'");
    let (_folder, mut run) = run(LONG, &[("run", "exit 101"), ("get", &ended)]);
    look_until(&mut run, |run| run.is_over);
    assert_eq!(run.seen(0).unwrap().len(), 2);
    run.end().unwrap();
}
