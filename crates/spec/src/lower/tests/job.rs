//! What a Job makes of its pod.

use crate::file::read;
use crate::lower::{LowerOptions, lower};
use pillion_engine::pod::Pod;
use std::time::Duration;

const CONTAINERS: &str = "initContainers: [{name: first, image: x}, \
    {name: proxy, image: x, restartPolicy: Always}], \
    containers: [{name: app, image: x}, {name: own, image: x, backoff: {maxRestarts: 2}}]";

/// The pod of a Job, or of a `CronJob`, that says this about itself and about its pods.
fn pod(kind: &str, job: &str, template: &str) -> Pod {
    let spec = format!("{{{job}template: {{spec: {{{template}{CONTAINERS}}}}}}}");
    let spec = match kind {
        "CronJob" => format!("{{schedule: '* * * * *', jobTemplate: {{spec: {spec}}}}}"),
        _ => spec,
    };
    let text = format!("apiVersion: batch/v1\nkind: {kind}\nmetadata: {{name: w}}\nspec: {spec}\n");
    let outcome = read("job.yaml", text.as_bytes());
    let errors: Vec<_> = outcome
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    lower(&outcome.pods[0], LowerOptions::default()).pod
}

/// How often `first`, `proxy`, `app` and `own` are restarted at most.
fn limits(pod: &Pod) -> Vec<Option<u32>> {
    let limits = pod.containers.iter().map(|c| c.restart.limit);
    limits.map(|limit| limit.map(|limit| limit.max)).collect()
}

#[test]
fn a_job_that_restarts_its_containers_gives_up() {
    for kind in ["Job", "CronJob"] {
        for (job, max) in [("", 6), ("backoffLimit: 3, ", 3), ("backoffLimit: 0, ", 0)] {
            let pod = pod(kind, job, "restartPolicy: OnFailure, ");
            assert_eq!(pod.restart_limit, Some(max), "{kind} {job}");
            assert_eq!(limits(&pod), [None, None, None, Some(2)], "{kind} {job}");
        }
    }
}

#[test]
fn the_limit_of_a_job_that_makes_new_pods_is_not_that_of_one_pod() {
    for kind in ["Job", "CronJob"] {
        let pod = pod(kind, "backoffLimit: 3, ", "restartPolicy: Never, ");
        assert_eq!(pod.restart_limit, None, "{kind}");
        assert_eq!(limits(&pod), [None, None, None, Some(2)], "{kind}");
    }
}

#[test]
fn a_pod_is_active_no_longer_than_its_job() {
    for (job, template, seconds) in [
        ("", "", None),
        ("", "activeDeadlineSeconds: 9, ", Some(9)),
        ("activeDeadlineSeconds: 5, ", "", Some(5)),
        (
            "activeDeadlineSeconds: 5, ",
            "activeDeadlineSeconds: 9, ",
            Some(5),
        ),
        (
            "activeDeadlineSeconds: 9, ",
            "activeDeadlineSeconds: 5, ",
            Some(5),
        ),
        ("activeDeadlineSeconds: 0, ", "", Some(0)),
    ] {
        for kind in ["Job", "CronJob"] {
            let template = format!("restartPolicy: Never, {template}");
            let pod = pod(kind, job, &template);
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(pod.active_deadline, expected, "{kind} {job} {template}");
        }
    }
}
