//! Jobs that fail: a cluster gives up on them, and so does a run.

use super::pod::{Ended, Pod};
use std::fs;

/// Runs the pod of a Job that says this about itself, under this policy.
fn run(job: &str, policy: &str, script: &str) -> Ended {
    run_all(job, policy, &[("work", script)])
}

/// The same of several containers.
fn run_all(job: &str, policy: &str, scripts: &[(&str, &str)]) -> Ended {
    let container = |(name, script): &(&str, &str)| {
        format!("        - {{name: {name}, command: [sh, -c, '{script}']}}\n")
    };
    let containers: String = scripts.iter().map(container).collect();
    let pod = Pod::new("");
    let name = &pod.name;
    let text = format!(
        "
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec:
  {job}
  template:
    spec:
      restartPolicy: {policy}
      containers:
{containers}"
    );
    fs::write(pod.file(), text).unwrap();
    let ended = pod.run();
    pod.assert_nothing_is_left();
    ended
}

fn attempts(ended: &Ended) -> usize {
    let said = |line: &&String| line.contains("attempt");
    ended.lines.iter().filter(said).count()
}

#[test]
fn a_job_that_fails_again_and_again_ends() {
    let ended = run("backoffLimit: 1", "OnFailure", "echo attempt; exit 3");
    assert_eq!((ended.code, attempts(&ended)), (3, 2), "{ended:?}");
    let note = "`completions` do not count, `backoffLimit` (1) limits the restarts of all containers together";
    assert!(ended.notes.contains(note), "{ended:?}");
}

#[test]
fn the_restarts_of_all_containers_of_a_job_add_up() {
    let one =
        "echo attempt; if test -e one; then touch two; exec sleep 1000; fi; touch one; exit 3";
    // It fails for the first time, when the other one has been restarted.
    let other = "until test -e two; do sleep 0.02; done; exit 4";
    let ended = run_all(
        "backoffLimit: 1",
        "OnFailure",
        &[("one", one), ("other", other)],
    );
    assert_eq!((ended.code, attempts(&ended)), (4, 2), "{ended:?}");
}

#[test]
fn a_job_that_would_make_another_pod_says_that_none_is_made() {
    let ended = run("backoffLimit: 1", "Never", "echo attempt; exit 3");
    assert_eq!((ended.code, attempts(&ended)), (3, 1), "{ended:?}");
    let note = "`completions` do not count, no other pod is made if it fails";
    assert!(ended.notes.contains(note), "{ended:?}");
}

#[test]
fn a_job_has_so_much_time() {
    let ended = run("activeDeadlineSeconds: 1", "Never", "exec sleep 1000");
    assert_ne!(ended.code, 0, "{ended:?}");
}
