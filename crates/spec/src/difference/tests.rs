//! Two files for one pod: what can be exchanged while it runs, and what cannot.

use super::{Side, fields, refusals};
use crate::load::{Loaded, load};
use crate::lower::LowerOptions;

fn file(spec: &str) -> Loaded {
    read(&format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec:\n{spec}"
    ))
}

/// A Job that says this about itself, with pods of this policy.
fn job(job: &str, policy: &str) -> Loaded {
    read(&format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: x}}\nspec: {{{job}template: {{spec: \
         {{restartPolicy: {policy}, containers: [{{name: app, command: [app]}}]}}}}}}\n"
    ))
}

fn read(text: &str) -> Loaded {
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::WITHOUT_IMAGES);
    let errors = loaded.diagnostics.iter().filter(|found| found.is_error());
    let errors: Vec<_> = errors.map(|error| &error.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    loaded
}

/// What is refused, one line each: `app requires: would wait for other things than it did`.
fn refused(old: &str, new: &str) -> Vec<String> {
    refused_of(file(old), file(new))
}

fn refused_of(old: Loaded, new: Loaded) -> Vec<String> {
    let side = |loaded: &'static Loaded| {
        let pod = &loaded.pods[0];
        Side::of_file(&pod.lowered.pod, &pod.file.pod.spec)
    };
    let [old, new] = [old, new].map(|loaded| side(Box::leak(Box::new(loaded))));
    let told = refusals(&old, &new).into_iter().map(|refusal| {
        let who = refusal.container.unwrap_or_else(|| "pod".to_owned());
        let fields = refusal.fields.join(", ");
        format!("{who} {fields}: {}", refusal.message)
    });
    told.collect()
}

const TWO: &str = "
  containers:
    - {name: proxy, sidecar: true, command: [proxy]}
    - {name: app, requires: [proxy], command: [app]}
";

#[test]
fn what_a_container_runs_can_be_anything() {
    let new = "
  containers:
    - {name: proxy, sidecar: true, command: [other], env: [{name: A, value: b}], onGiveUp: ignore}
    - {name: app, requires: [proxy], command: [app], startTimeoutSeconds: 3, readyOn: notify}
";
    assert_eq!(refused(TWO, new), [] as [&str; 0]);
}

#[test]
fn the_order_of_a_graph_in_its_file_does_not_count() {
    let new = "
  containers:
    - {name: app, requires: [{container: proxy, until: ready}], command: [app]}
    - {name: proxy, sidecar: true, command: [proxy]}
";
    assert_eq!(refused(TWO, new), [] as [&str; 0]);
}

#[test]
fn the_order_of_a_plain_list_counts() {
    let old = "  containers: [{name: a, command: [a]}, {name: b, command: [b]}]\n";
    let new = "  containers: [{name: b, command: [b]}, {name: a, command: [a]}]\n";
    let expected = [
        "a : stands in another place of its list, whose order counts",
        "b : stands in another place of its list, whose order counts",
    ];
    assert_eq!(refused(old, new), expected);
}

#[test]
fn everything_that_cannot_be_is_told_at_once() {
    let new = "
  restartPolicy: Never
  terminationGracePeriodSeconds: 5
  activeDeadlineSeconds: 60
  shareProcessNamespace: true
  initContainers:
    - {name: app, command: [app]}
  containers:
    - {name: proxy, command: [proxy]}
    - {name: extra, command: [extra]}
";
    let expected = [
        "pod restartPolicy: is Always, and would be Never",
        "pod terminationGracePeriodSeconds: is 30 s, and would be 5 s",
        "pod activeDeadlineSeconds: is none, and would be 60 s",
        "pod shareProcessNamespace: is false, and would be true",
        "extra : is new",
        "proxy sidecar: is a sidecar, and would be a main",
        "app : was in `containers`, and is in `initContainers`",
        "app requires: is a main, and would be a oneshot",
    ];
    assert_eq!(refused(TWO, new), expected);
}

#[test]
fn the_limit_of_a_job_is_that_of_the_pod_that_runs() {
    let limit = "backoffLimit: 2, ";
    let refused = refused_of(job("", "OnFailure"), job(limit, "OnFailure"));
    assert_eq!(refused, ["pod backoffLimit: is 6, and would be 2"]);
    assert_eq!(
        refused_of(job("", "Never"), job(limit, "Never")),
        [] as [&str; 0]
    );
    let refused = refused_of(job("", "OnFailure"), job(limit, "Never"));
    assert_eq!(
        refused,
        ["pod restartPolicy: is OnFailure, and would be Never"]
    );
}

#[test]
fn whoever_brings_a_difference_about_is_named_and_not_those_who_follow() {
    let new = "
  containers:
    - {name: proxy, sidecar: true, provides: [network], command: [proxy]}
    - {name: app, command: [app]}
";
    let old = "
  containers:
    - {name: proxy, sidecar: true, command: [proxy]}
    - {name: app, command: [app]}
";
    let expected = ["proxy provides: others would wait for other things"];
    assert_eq!(refused(old, new), expected);
    let both = new.replace("{name: app,", "{name: app, requires: [proxy],");
    let expected = ["app requires: would wait for other things than it did"];
    assert_eq!(refused(old, &both), expected);
}

#[test]
fn a_container_that_is_gone_is_named() {
    let new = "  containers: [{name: app, command: [app]}]\n";
    let expected = [
        "proxy : is not in the file any more",
        "app requires: would wait for other things than it did",
    ];
    assert_eq!(refused(TWO, new), expected);
}

#[test]
fn phases_are_compared_through_their_barriers() {
    let phased = |phase: u32| {
        format!(
            "  containers:\n    - {{name: a, phase: {phase}, command: [a]}}\n    - {{name: b, phase: 20, command: [b]}}\n"
        )
    };
    assert_eq!(refused(&phased(10), &phased(10)), [] as [&str; 0]);
    let told = refused(&phased(10), &phased(30));
    assert!(
        told.iter().all(|line| line.contains(" phase: ")),
        "{told:?}"
    );
    assert!(!told.is_empty());
}

#[test]
fn fields_are_named_as_in_the_file() {
    let old = file(
        "  containers: [{name: a, command: [one], lifecycle: {preStop: {sleep: {seconds: 1}}}}]\n",
    );
    let new = file(
        "  containers: [{name: a, command: [two], tty: true, lifecycle: {preStop: {sleep: {seconds: 2}}}, listen: [80]}]\n",
    );
    let [old, new] = [&old, &new].map(|file| &file.pods[0].file.pod.spec.containers[0]);
    assert_eq!(
        fields(old, new),
        ["command", "lifecycle.preStop", "listen", "tty"]
    );
    assert_eq!(fields(old, old), [] as [&str; 0]);
}
