//! A random pod, what its containers do, and what is done to it.
//!
//! Every container may require those that were drawn before it, and stands anywhere in the file. Times are in tenths of a
//! second of the file.

mod text;

use crate::differential::dice::Dice;

/// A pod.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    policy: &'static str,
    parts: Vec<Part>,
    /// Which container is killed from outside, and when.
    kill: Option<(usize, u64)>,
    /// When the pod is deleted after that.
    deletion: u64,
}

/// One container.
#[derive(Clone, Debug)]
struct Part {
    number: usize,
    kind: Kind,
    keystone: Option<&'static str>,
    policy: Option<&'static str>,
    edges: Vec<Edge>,
    life: Life,
    /// It counts as started only when it has said so.
    is_awaited: bool,
    pre_stop: Option<u64>,
    startup: Option<Startup>,
    readiness: Option<Readiness>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Main,
    Sidecar,
    Oneshot { undo: bool },
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    target: usize,
    until: Option<&'static str>,
    need: &'static str,
    on_restart: &'static str,
}

/// What the process does.
#[derive(Clone, Debug)]
struct Life {
    starts_in: u64,
    /// `None` runs until it is stopped.
    runs: Option<u64>,
    end: End,
    /// `None` ignores the signal.
    stops_in: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum End {
    /// The code of the first run, and that of later ones.
    Exits(u8, u8),
    /// By SIGKILL.
    Dies,
}

#[derive(Clone, Copy, Debug)]
enum Startup {
    OkAfter(u64),
    Fails,
}

/// From when to when it is ready.
#[derive(Clone, Copy, Debug)]
struct Readiness {
    after: u64,
    until: Option<u64>,
}

// === impl Draft ===

impl Draft {
    pub(super) fn random(dice: &mut Dice) -> Self {
        let policy = dice.pick(&["Never", "OnFailure", "OnFailure", "Always"]);
        let count = 2 + usize::try_from(dice.roll(6)).unwrap_or_default();
        let mut parts: Vec<Part> = Vec::new();
        for number in 0..count {
            let part = Part::random(dice, number, &parts);
            parts.push(part);
        }
        // Somebody keeps the pod alive.
        if parts.iter().all(|part| part.kind == Kind::Sidecar) {
            parts[0].kind = Kind::Main;
        }
        let kill = dice.one_in(2).then(|| {
            let whom = dice.roll(count as u64);
            (usize::try_from(whom).unwrap_or_default(), dice.roll(60))
        });
        shuffle(dice, &mut parts);
        Self {
            policy,
            parts,
            kill,
            // Most pods have come to rest by then; the last ones had time to come to their end.
            deletion: dice.pick(&[40, 90, 150, 250, 250, 700]),
        }
    }
}

fn shuffle<T>(dice: &mut Dice, all: &mut [T]) {
    for place in (1..all.len()).rev() {
        let other = usize::try_from(dice.roll(place as u64 + 1)).unwrap_or_default();
        all.swap(place, other);
    }
}

// === impl Part ===

impl Part {
    fn random(dice: &mut Dice, number: usize, before: &[Self]) -> Self {
        let undo = dice.one_in(2);
        let kind = dice.pick(&[
            Kind::Main,
            Kind::Main,
            Kind::Sidecar,
            Kind::Oneshot { undo },
        ]);
        let mut part = Self {
            number,
            kind,
            keystone: dice
                .one_in(6)
                .then(|| dice.pick(&["any", "success", "failure"])),
            policy: dice
                .one_in(4)
                .then(|| dice.pick(&["Never", "OnFailure", "Always"])),
            edges: Vec::new(),
            life: Life::random(dice, kind),
            is_awaited: !dice.one_in(4),
            pre_stop: dice.one_in(6).then(|| dice.roll(8)),
            startup: None,
            readiness: None,
        };
        for target in before {
            if dice.one_in(2) {
                part.edges.push(Edge::random(dice, target));
            }
        }
        if part.is_service() {
            part.add_probes(dice);
        }
        part
    }

    fn add_probes(&mut self, dice: &mut Dice) {
        self.startup = dice.one_in(4).then(|| {
            if dice.one_in(6) {
                Startup::Fails
            } else {
                Startup::OkAfter(dice.roll(15))
            }
        });
        self.readiness = dice.one_in(3).then(|| Readiness {
            after: dice.roll(15),
            until: dice.one_in(4).then(|| 20 + dice.roll(40)),
        });
    }

    fn is_service(&self) -> bool {
        matches!(self.kind, Kind::Main | Kind::Sidecar)
    }
}

// === impl Edge ===

impl Edge {
    fn random(dice: &mut Dice, target: &Part) -> Self {
        Self {
            target: target.number,
            until: dice.pick(&[None, None, Some("started"), Some("exited")]),
            need: dice.pick(&["hard", "hard", "hard", "soft", "order"]),
            on_restart: dice.pick(&["keep", "keep", "keep", "restart", "stop"]),
        }
    }
}

// === impl Life ===

impl Life {
    fn random(dice: &mut Dice, kind: Kind) -> Self {
        let ends = match kind {
            Kind::Main => dice.one_in(2),
            Kind::Sidecar => dice.one_in(3),
            Kind::Oneshot { .. } => true,
        };
        let code = |dice: &mut Dice| u8::from(dice.one_in(4));
        Self {
            starts_in: dice.roll(6),
            runs: ends.then(|| dice.roll(40)),
            end: if dice.one_in(12) {
                End::Dies
            } else {
                End::Exits(code(dice), code(dice))
            },
            stops_in: (!dice.one_in(16)).then(|| dice.roll(12)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RandomPod;
    use pillion_engine::pod::{Need, OnRestart, Role};

    /// What no pod has is not tried, however often.
    #[test]
    fn pods_have_everything_that_is_judged() {
        let pods: Vec<_> = (0..60)
            .map(|seed| RandomPod::of_seed(seed).unwrap())
            .collect();
        let containers = || pods.iter().flat_map(|pod| &pod.scenario.pod.containers);
        let edges = || containers().flat_map(|container| &container.requires);

        assert!(containers().filter(|one| one.role == Role::Sidecar).count() > 20);
        assert!(containers().filter(|one| one.keystone.is_some()).count() > 10);
        assert!(containers().filter(|one| one.has_undo()).count() > 10);
        assert!(
            containers()
                .filter(|one| one.probes.startup.is_some())
                .count()
                > 10
        );
        assert!(
            containers()
                .filter(|one| one.probes.readiness.is_some())
                .count()
                > 20
        );
        for need in [Need::Hard, Need::Soft, Need::Order] {
            assert!(edges().filter(|edge| edge.need == need).count() > 20);
        }
        for on_restart in [OnRestart::Keep, OnRestart::Restart, OnRestart::Stop] {
            assert!(edges().filter(|edge| edge.on_restart == on_restart).count() > 20);
        }
    }
}
