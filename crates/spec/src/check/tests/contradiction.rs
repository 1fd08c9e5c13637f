//! Requirements that exclude each other, and ones that only seem to.

use super::{accepted, refused};
use crate::code::Code;

/// `a` has these requirements of `b`.
fn requires_of_b(edges: &[&str], b: &str) -> String {
    let edges = edges.iter().map(|edge| format!("{{container: b, {edge}}}"));
    let edges: Vec<_> = edges.collect();
    format!(
        "
restartPolicy: Never
containers:
- {{name: a, image: x, requires: [{}]}}
- {{name: b, image: x, {b}}}
",
        edges.join(", ")
    )
}

#[test]
fn nobody_waits_for_a_service_that_is_up_and_has_ended() {
    for edges in [
        ["until: exited", "until: ready"],
        ["until: ready", "until: exited"],
        ["until: succeeded", "until: started"],
        [
            "until: exited, timeoutSeconds: 9",
            "until: ready, timeoutSeconds: 5",
        ],
        ["until: exited, need: order", "until: ready"],
    ] {
        refused(&requires_of_b(&edges, "provides: [b]"), Code::NeverHolds);
    }
    // Reported once, and not at all beside a better reason.
    let thrice = ["until: exited", "until: succeeded", "until: ready"];
    refused(&requires_of_b(&thrice, "provides: [b]"), Code::NeverHolds);
    let always = "restartPolicy: Always";
    refused(
        &requires_of_b(&["until: exited", "until: ready"], always),
        Code::NeverHolds,
    );
}

#[test]
fn who_does_not_insist_goes_on_when_a_service_has_ended() {
    for edges in [
        ["until: exited", "until: ready, need: soft"],
        ["until: exited", "until: ready, need: order"],
        ["until: exited, need: soft", "until: ready"],
        [
            "until: exited, need: order, timeoutSeconds: 9",
            "until: ready",
        ],
        ["until: started", "until: ready"],
    ] {
        accepted(&requires_of_b(&edges, "provides: [b]"));
    }
    accepted(&requires_of_b(
        &["until: started", "until: succeeded"],
        "oneshot: true",
    ));
}

#[test]
fn what_a_phase_waits_for_does_not_go_down_before() {
    let pod = |until: &str| {
        format!(
            "
restartPolicy: Never
containers:
- {{name: b, image: x, phase: 1}}
- {{name: a, image: x, requires: [{{container: b, until: {until}}}]}}
"
        )
    };
    refused(&pod("exited"), Code::NeverHolds);
    accepted(&pod("ready"));
}

#[test]
fn whoever_uses_what_another_provides_needs_it_up() {
    refused(
        "
restartPolicy: Never
containers:
- {name: a, image: x, uses: [b], requires: [{container: b, until: exited}]}
- {name: b, image: x, provides: [b]}
",
        Code::NeverHolds,
    );
}
