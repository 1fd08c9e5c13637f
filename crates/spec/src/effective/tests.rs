//! The count against the rules of the scheduler, worked out by hand.

use super::*;
use crate::file::{Outcome, read};

fn counted(spec: &str) -> Effective {
    let outcome = outcome(spec);
    assert!(!outcome.has_errors(), "{:#?}", outcome.diagnostics);
    effective(&outcome.pods[0].pod.spec)
}

/// The count of a pod that no API server takes: it is shown beside what is wrong.
fn counted_all_the_same(spec: &str) -> Effective {
    let outcome = outcome(spec);
    assert!(outcome.has_errors());
    effective(&outcome.pods[0].pod.spec)
}

fn outcome(spec: &str) -> Outcome {
    let indented: Vec<_> = spec
        .trim()
        .lines()
        .map(|line| format!("  {line}"))
        .collect();
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\nspec:\n";
    read(
        "pod.yaml",
        (head.to_owned() + &indented.join("\n")).as_bytes(),
    )
}

fn words(amounts: &Amounts) -> String {
    let amounts = amounts
        .iter()
        .map(|(name, amount)| format!("{name} {amount}"));
    amounts.collect::<Vec<_>>().join(", ")
}

fn requests(spec: &str) -> String {
    words(&counted(spec).requests)
}

#[test]
fn regular_containers_add_up() {
    let spec = "
containers:
- {name: a, image: x, resources: {requests: {cpu: 100m, memory: 64Mi}}}
- {name: b, image: x, resources: {requests: {cpu: 250m, nvidia.com/gpu: 1}}}
";
    assert_eq!(requests(spec), "cpu 350m, memory 64Mi, nvidia.com/gpu 1");
}

#[test]
fn a_limit_without_a_request_is_a_request_too() {
    let spec = "
containers:
- {name: a, image: x, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 200m}}}
";
    let counted = counted(spec);
    assert_eq!(words(&counted.requests), "cpu 200m, memory 1Gi");
    assert_eq!(words(&counted.limits), "cpu 1, memory 1Gi");
}

#[test]
fn init_containers_count_only_as_far_as_they_exceed_what_runs_later() {
    let spec = "
initContainers:
- {name: small, image: x, resources: {requests: {cpu: 100m, memory: 10Mi}}}
- {name: big, image: x, resources: {requests: {cpu: 50m, memory: 1Gi}}}
containers:
- {name: a, image: x, resources: {requests: {cpu: 300m, memory: 100Mi}}}
";
    assert_eq!(requests(spec), "cpu 300m, memory 1Gi");
}

#[test]
fn a_sidecar_counts_for_the_entries_after_it_and_for_the_regular_containers() {
    // i1: 200; r1: 100; i2: 100 + 250; later: r1 100 + r2 50 + a 150.
    let spec = "
initContainers:
- {name: i1, image: x, resources: {requests: {cpu: 200m}}}
- {name: r1, image: x, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
- {name: i2, image: x, resources: {requests: {cpu: 250m}}}
- {name: r2, image: x, restartPolicy: Always, resources: {requests: {cpu: 50m}}}
containers:
- {name: a, image: x, resources: {requests: {cpu: 150m}}}
";
    assert_eq!(requests(spec), "cpu 350m");
    assert_eq!(requests(&spec.replace("250m", "10m")), "cpu 300m");
}

#[test]
fn amounts_for_the_pod_replace_the_count() {
    let spec = "
resources: {requests: {cpu: 2}, limits: {cpu: 4, memory: 1Gi}}
containers:
- {name: a, image: x, resources: {requests: {cpu: 500m, memory: 100Mi, nvidia.com/gpu: 1}}}
";
    let counted = counted(spec);
    // Memory is not requested for the pod, so what its containers request stands.
    assert_eq!(
        words(&counted.requests),
        "cpu 2, memory 100Mi, nvidia.com/gpu 1"
    );
    assert_eq!(words(&counted.limits), "cpu 4, memory 1Gi");
}

#[test]
fn a_limit_for_the_pod_is_its_request_if_no_container_requests_anything() {
    let spec = "
resources: {limits: {memory: 1Gi}}
containers: [{name: a, image: x}]
";
    assert_eq!(requests(spec), "memory 1Gi");
}

#[test]
fn overhead_is_added_to_requests_and_to_limits_that_exist() {
    let spec = "
overhead: {cpu: 10m, memory: 20Mi}
containers:
- {name: a, image: x, resources: {requests: {cpu: 90m}, limits: {memory: 100Mi}}}
";
    let counted = counted(spec);
    assert_eq!(words(&counted.requests), "cpu 100m, memory 120Mi");
    assert_eq!(words(&counted.limits), "memory 120Mi");
}

#[test]
fn overhead_is_not_added_to_a_limit_of_nothing() {
    let spec = "
overhead: {cpu: 10m}
containers:
- {name: a, image: x, resources: {limits: {cpu: 0}}}
";
    assert_eq!(words(&counted(spec).limits), "cpu 0");
}

#[test]
fn a_pod_with_amounts_of_its_own_requests_the_huge_pages_that_its_containers_may_use() {
    let spec = "
resources: {limits: {memory: 1Gi}}
containers:
- {name: a, image: x, resources: {requests: {hugepages-2Mi: 2Mi}, limits: {hugepages-2Mi: 4Mi}}}
- {name: b, image: x, resources: {limits: {hugepages-2Mi: 2Mi}}}
";
    let counted = counted(spec);
    assert_eq!(words(&counted.requests), "hugepages-2Mi 6Mi, memory 1Gi");
    assert_eq!(words(&counted.limits), "hugepages-2Mi 6Mi, memory 1Gi");
}

#[test]
fn huge_pages_requested_for_the_pod_replace_the_requests_and_not_the_limits() {
    let spec = "
resources: {requests: {hugepages-2Mi: 8Mi}}
containers:
- {name: a, image: x, resources: {limits: {hugepages-2Mi: 4Mi, memory: 100Mi}}}
";
    let counted = counted_all_the_same(spec);
    assert_eq!(words(&counted.requests), "hugepages-2Mi 8Mi, memory 100Mi");
    assert_eq!(words(&counted.limits), "hugepages-2Mi 4Mi, memory 100Mi");
}

#[test]
fn only_cpu_memory_and_huge_pages_can_be_given_for_the_pod() {
    let spec = "
resources: {requests: {nvidia.com/gpu: 4, cpu: 1}, limits: {nvidia.com/gpu: 4, cpu: 2}}
containers:
- {name: a, image: x, resources: {limits: {nvidia.com/gpu: 1}}}
";
    let counted = counted_all_the_same(spec);
    assert_eq!(words(&counted.requests), "cpu 1, nvidia.com/gpu 1");
    assert_eq!(words(&counted.limits), "cpu 2, nvidia.com/gpu 1");
}
