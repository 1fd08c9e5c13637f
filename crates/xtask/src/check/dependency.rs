//! What each crate may be built from: this is how the pure parts stay pure.

use super::Findings;
use super::metadata::Metadata;

/// How far a crate may reach.
enum Reach {
    /// It needs nothing but the standard library, and something to write its facts down with if it is asked to.
    Alone,
    /// It decides and does not act: nothing that runs tasks, talks or tells the time.
    Pure,
    /// It is a program, or serves programs and tests.
    Free,
}

/// Every crate of ours has a line here: a new one must be thought about.
const REACH: [(&str, Reach); 8] = [
    ("pillion-engine", Reach::Alone),
    ("pillion-spec", Reach::Pure),
    ("pillion-timeline", Reach::Pure),
    ("pillion-simulator", Reach::Pure),
    ("pillion-runtime", Reach::Free),
    ("pillion-testkit", Reach::Free),
    ("pillion", Reach::Free),
    ("xtask", Reach::Free),
];

/// What `serde` brings.
const FOR_FACTS: [&str; 7] = [
    "proc-macro2",
    "quote",
    "serde",
    "serde_core",
    "serde_derive",
    "syn",
    "unicode-ident",
];

/// Runtimes, clients and clocks.
const IMPURE: [&str; 22] = [
    "async-io",
    "async-std",
    "chrono",
    "coarsetime",
    "fastrand",
    "getrandom",
    "h2",
    "hyper",
    "instant",
    "jiff",
    "k8s-openapi",
    "kube",
    "kube-client",
    "mio",
    "quanta",
    "rand",
    "reqwest",
    "smol",
    "time",
    "tokio",
    "tonic",
    "web-time",
];

pub(super) fn check(metadata: &Metadata) -> Findings {
    let mut errors = Vec::new();
    let mut members = 0;
    for (id, package) in metadata.members() {
        members += 1;
        let name = &package.name;
        let reach = REACH
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, reach)| reach);
        let forbidden: Box<dyn Fn(&str) -> bool> = match reach {
            Some(Reach::Alone) => Box::new(|dependency| !FOR_FACTS.contains(&dependency)),
            Some(Reach::Pure) => Box::new(|dependency| IMPURE.contains(&dependency)),
            Some(Reach::Free) => Box::new(|_| false),
            None => {
                let file = "crates/xtask/src/check/dependency.rs";
                errors.push(format!("{name} has no line in {file}"));
                continue;
            }
        };
        let ways = metadata.needs(id).into_iter();
        let wrong = ways.filter(|way| way.last().is_some_and(|last| forbidden(last)));
        errors.extend(wrong.map(|way| format!("{name} must not depend on {}", way.join(" → "))));
    }
    let looked_at = format!("{members} crates of our own");
    Findings {
        errors,
        looked_at,
        ..Findings::default()
    }
}
