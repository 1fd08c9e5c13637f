//! Laws over random pod files: what lint accepts can be run.
//!
//! Pods are made as text, in every dialect at once, so that the whole way is under test: reading,
//! drawing, checking. Most of them are wrong in some way; those must be refused, never crash.

use pillion_engine::ContainerId;
use pillion_engine::graph::Graph;
use pillion_engine::pod::{Pod, Role, Target};
use pillion_spec::{LowerOptions, load};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The names that containers and requirements are drawn from.
const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn one_of(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::sample::select(values).prop_map(str::to_owned)
}

fn requirement() -> impl Strategy<Value = String> {
    let until = one_of(&["", ", until: started", ", until: exited", ", until: ready"]);
    let need = one_of(&["", "", ", need: soft", ", need: order"]);
    let on_restart = one_of(&["", "", ", onRestart: restart"]);
    (one_of(&NAMES), until, need, on_restart).prop_map(|(name, until, need, on_restart)| {
        format!("{{container: {name}{until}{need}{on_restart}}}")
    })
}

/// Fields of a container, mostly none.
fn fields() -> impl Strategy<Value = String> {
    let requires = prop_oneof![
        2 => Just(String::new()),
        1 => proptest::collection::vec(requirement(), 1..3)
            .prop_map(|list| format!(", requires: [{}]", list.join(", "))),
    ];
    let what = one_of(&[
        "",
        "",
        "",
        ", oneshot: true",
        ", sidecar: true",
        ", sidecar: true, oneshot: true",
        ", keystone: true",
        ", lifecycle: {type: PreSidecar}",
        ", lifecycle: {type: PostSidecar}",
        ", onGiveUp: ignore",
    ]);
    let capability = one_of(&[
        "",
        "",
        "",
        "",
        ", provides: [network]",
        ", provides: [x]",
        ", uses: [{name: x, need: soft}]",
        ", network: none",
    ]);
    let phase = one_of(&[
        "",
        "",
        "",
        "",
        ", phase: network",
        ", phase: 20",
        ", phase: appInit",
    ]);
    let policy = one_of(&["", "", ", restartPolicy: Always", ", restartPolicy: Never"]);
    let env = one_of(&[
        "",
        "",
        ", env: [{name: KRUISE_CONTAINER_PRIORITY, value: \"3\"}]",
        ", env: [{name: KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT, value: \"true\"}]",
    ]);
    (requires, what, capability, phase, policy, env)
        .prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f].concat())
}

prop_compose! {
    fn pod_text()(
        init in 0_usize..3,
        fields in proptest::collection::vec(fields(), 1..6),
        policy in one_of(&["Always", "OnFailure", "Never"]),
        ordered in proptest::bool::weighted(0.1),
    ) -> String {
        let annotation = if ordered {
            "\n  annotations: {apps.kruise.io/container-launch-priority: Ordered}"
        } else {
            ""
        };
        let mut lines = vec![
            format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: test{annotation}"),
            format!("spec:\n  restartPolicy: {policy}"),
        ];
        let init = init.min(fields.len() - 1);
        for (index, (name, fields)) in NAMES.iter().zip(&fields).enumerate() {
            if index == init {
                lines.push("  containers:".to_owned());
            } else if index == 0 {
                lines.push("  initContainers:".to_owned());
            }
            lines.push(format!("  - {{name: {name}, image: x{fields}}}"));
        }
        lines.join("\n")
    }
}

/// What a node requires by the edges that order stops, through others.
fn stopped_later(pod: &Pod, from: Target) -> BTreeSet<u32> {
    let mut seen: Vec<Target> = Vec::new();
    let mut pending = vec![from];
    while let Some(node) = pending.pop() {
        if seen.contains(&node) {
            continue;
        }
        seen.push(node);
        let requires = match node {
            Target::Container(id) => &pod.containers[id.index()].requires,
            Target::Barrier(id) => &pod.barriers[id.index()].requires,
        };
        let ordering = requires.iter().filter(|edge| edge.orders_stop());
        pending.extend(ordering.map(|edge| edge.target));
    }
    let ids = seen.into_iter().skip(1).filter_map(|node| match node {
        Target::Container(id) => Some(id.0),
        Target::Barrier(_) => None,
    });
    ids.collect()
}

/// The pod, if it is one that can be run.
fn accepted(text: &str) -> Option<Pod> {
    let mut loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    if loaded.has_errors() {
        return None;
    }
    Some(loaded.pods.pop().expect("the file has a pod").lowered.pod)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_accepted_pod_has_no_cycle_and_no_edge_to_nowhere(text in pod_text()) {
        if let Some(pod) = accepted(&text) {
            prop_assert!(Graph::new(&pod).is_ok(), "{:?}\n{text}", Graph::new(&pod).err());
        }
    }

    #[test]
    fn sidecars_of_an_accepted_pod_stop_after_the_mains_that_they_do_not_require(text in pod_text()) {
        let Some(pod) = accepted(&text) else { return Ok(()) };
        let later: Vec<_> = (0..).zip(&pod.containers)
            .map(|(id, _)| stopped_later(&pod, Target::Container(ContainerId(id))))
            .collect();
        let of_role = |role| (0_u32..).zip(&pod.containers).filter(move |(_, c)| c.role == role);
        for (sidecar, _) in of_role(Role::Sidecar) {
            let required: Vec<_> = of_role(Role::Main)
                .filter(|(main, _)| later[sidecar as usize].contains(main))
                .collect();
            let requires_service = required.iter().any(|(_, container)| !container.is_oneshot());
            for (main, container) in of_role(Role::Main) {
                // Who requires a main need not outlive the others; oneshots excuse it less.
                let excused = requires_service || (container.is_oneshot() && !required.is_empty());
                prop_assert!(
                    excused || later[main as usize].contains(&sidecar),
                    "{} is not stopped before {}\n{text}",
                    container.name, pod.containers[sidecar as usize].name,
                );
            }
        }
    }

    #[test]
    fn edges_grow_with_the_number_of_containers_not_with_its_square(text in pod_text()) {
        let Some(pod) = accepted(&text) else { return Ok(()) };
        let written = text.matches("container: ").count() + text.matches("uses: ").count();
        let all = pod.containers.iter().map(|c| &c.requires);
        let edges: usize = all.chain(pod.barriers.iter().map(|b| &b.requires)).map(Vec::len).sum();
        prop_assert!(edges <= written + 12 * pod.containers.len(), "{edges}\n{text}");
    }
}

#[test]
fn enough_random_pods_are_accepted_to_mean_something() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = pod_text();
    let mut texts = (0..500).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    let accepted = texts
        .by_ref()
        .filter(|text| accepted(text).is_some())
        .count();
    assert!(accepted >= 50, "{accepted} of 500");
}
