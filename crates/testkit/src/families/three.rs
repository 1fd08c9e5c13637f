//! Three containers in every shape, with a table in which every two features meet.

use super::{Specimen, hasty, pulled};
use crate::draft::{as_sidecar, edge, oneshot, pod, service};
use crate::pairwise;
use pillion_engine::ContainerId;
use pillion_engine::pod::{
    Container, Hooks, Keystone, Kind, Need, OnGiveUp, OnRestart, Probe, Probes, Reaction,
    Requirement, Rerun, RestartLimit, RestartPolicy, Role, Rule, Target, Until, When,
};
use std::time::Duration;

/// The features of one pod, each a number below its count in [`FACTORS`].
struct Features<'r>(&'r [usize]);

/// All of them.
pub fn pods() -> Vec<Specimen> {
    let sizes = FACTORS.map(|(_, choices)| choices);
    let rows = pairwise::table(&sizes);
    rows.iter().map(|row| Features(row).specimen()).collect()
}

// === impl Features ===

impl Features<'_> {
    fn get(&self, feature: Feature) -> usize {
        self.0[feature as usize]
    }

    fn specimen(&self) -> Specimen {
        let mut bottom = self.bottom();
        let mut middle = self.middle();
        let mut top = self.top();
        for (from, to) in SHAPES[self.get(Feature::Shape)] {
            let target = if *to == 0 { &bottom } else { &middle };
            let requirement = self.requirement(*from, *to, target);
            let from = if *from == 1 { &mut middle } else { &mut top };
            *from = edge(from.clone(), requirement);
        }
        if self.get(Feature::Plain) == 1 {
            bottom.plain = true;
        }
        let mut pod = hasty(pod([bottom, middle, top]));
        if self.get(Feature::Deadline) == 1 {
            pod.active_deadline = Some(Duration::from_secs(25));
        }
        Specimen {
            name: format!("three {:?}", self.0),
            pod,
        }
    }

    /// The one that the others build on: kinds, roles, probes, back-off.
    fn bottom(&self) -> Container {
        let mut bottom = match self.get(Feature::Bottom) {
            0 => service("bottom"),
            1 => as_sidecar(service("bottom")),
            2 => oneshot("bottom"),
            _ => undoable(oneshot("bottom")),
        };
        bottom.restart.policy = POLICIES[self.get(Feature::Policy)];
        if bottom.role == Role::Sidecar {
            bottom.restart.policy = RestartPolicy::Always;
        }
        if !bottom.is_oneshot() {
            bottom.probes = probes(self.get(Feature::Probe));
            bottom.ready_on = self.get(Feature::Probe) == 4;
        }
        bottom.restart.limit = (self.get(Feature::GiveUp) > 0).then_some(RestartLimit {
            max: 1,
            window: None,
        });
        bottom.on_give_up = match self.get(Feature::GiveUp) {
            0 | 1 if bottom.role == Role::Main => OnGiveUp::FailPod,
            0..=2 => OnGiveUp::Unready,
            _ => OnGiveUp::Ignore,
        };
        if self.get(Feature::Image) == 1 {
            pulled(bottom)
        } else {
            bottom
        }
    }

    /// The one in between: hooks, rules, timeouts.
    fn middle(&self) -> Container {
        let mut middle = match self.get(Feature::Middle) {
            0 => service("middle"),
            1 => oneshot("middle"),
            _ => as_sidecar(service("middle")),
        };
        if middle.role == Role::Sidecar {
            middle.restart.policy = RestartPolicy::Always;
        }
        middle.hooks = hooks(self.get(Feature::Hook));
        let reaction = REACTIONS[self.get(Feature::Rule)];
        middle.restart.rules.extend(reaction.map(|reaction| Rule {
            when: When::CodeIn(vec![3]),
            reaction,
        }));
        middle.start_timeout = (self.get(Feature::Timeout) == 1).then(|| Duration::from_secs(15));
        middle.stop_timeout = (self.get(Feature::Timeout) == 2).then(|| Duration::from_secs(4));
        middle
    }

    /// The one that requires the others: keystones.
    fn top(&self) -> Container {
        let mut top = match self.get(Feature::Top) {
            0 => service("top"),
            _ => oneshot("top"),
        };
        top.restart.policy = POLICIES[self.get(Feature::Policy)].max_ending();
        top.keystone = KEYSTONES[self.get(Feature::Keystone)];
        top
    }

    fn requirement(&self, from: usize, to: usize, target: &Container) -> Requirement {
        let direct = from == to + 1;
        let (need, on_restart) = if direct {
            (Feature::Need, Feature::OnRestart)
        } else {
            (Feature::FarNeed, Feature::FarOnRestart)
        };
        let until = match (self.get(Feature::Until), target.is_oneshot()) {
            (0, _) => Until::Started,
            (_, true) => Until::Succeeded,
            (_, false) => Until::Ready,
        };
        let id = ContainerId(u32::from(to == 1));
        let timeout = (self.get(Feature::Timeout) == 3).then(|| Duration::from_secs(15));
        Requirement {
            need: NEEDS[self.get(need)],
            on_restart: if target.is_oneshot() {
                OnRestart::Keep
            } else {
                ON_RESTART[self.get(on_restart)]
            },
            timeout,
            ..Requirement::hard(Target::Container(id), until)
        }
    }
}

/// What can be chosen.
#[derive(Clone, Copy)]
enum Feature {
    Shape,
    Bottom,
    Middle,
    Top,
    Until,
    Need,
    FarNeed,
    OnRestart,
    FarOnRestart,
    Policy,
    Probe,
    GiveUp,
    Image,
    Plain,
    Hook,
    Rule,
    Timeout,
    Keystone,
    Deadline,
}

trait Ending {
    /// The nearest policy under which a service can end.
    fn max_ending(self) -> Self;
}

impl Ending for RestartPolicy {
    fn max_ending(self) -> Self {
        match self {
            Self::Always | Self::OnFailure => Self::OnFailure,
            Self::Never => Self::Never,
        }
    }
}

fn undoable(container: Container) -> Container {
    Container {
        kind: Kind::Oneshot {
            undo: true,
            rerun: Rerun::Never,
        },
        ..container
    }
}

fn probes(choice: usize) -> Probes {
    let probe = Some(Probe {
        period: Duration::from_secs(10),
        timeout: Duration::from_secs(1),
        failure_threshold: 1,
        ..Probe::default()
    });
    match choice {
        1 => Probes {
            startup: probe,
            ..Probes::default()
        },
        2 => Probes {
            readiness: probe,
            ..Probes::default()
        },
        3 => Probes {
            liveness: probe,
            ..Probes::default()
        },
        _ => Probes::default(),
    }
}

fn hooks(choice: usize) -> Hooks {
    Hooks {
        post_start: choice == 1,
        pre_stop: choice == 2,
        pod_stopping: choice == 3,
    }
}

/// Every feature, and how many choices there are.
const FACTORS: [(Feature, usize); 19] = [
    (Feature::Shape, SHAPES.len()),
    (Feature::Bottom, 4),
    (Feature::Middle, 3),
    (Feature::Top, 2),
    (Feature::Until, 2),
    (Feature::Need, 3),
    (Feature::FarNeed, 3),
    (Feature::OnRestart, 3),
    (Feature::FarOnRestart, 3),
    (Feature::Policy, 3),
    (Feature::Probe, 5),
    (Feature::GiveUp, 4),
    (Feature::Image, 2),
    (Feature::Plain, 2),
    (Feature::Hook, 4),
    (Feature::Rule, REACTIONS.len()),
    (Feature::Timeout, 4),
    (Feature::Keystone, 4),
    (Feature::Deadline, 2),
];

/// Who requires whom, by number from the bottom.
const SHAPES: [&[(usize, usize)]; 6] = [
    &[(1, 0), (2, 1)],
    &[(1, 0), (2, 1), (2, 0)],
    &[(1, 0), (2, 0)],
    &[(2, 0), (2, 1)],
    &[(1, 0)],
    &[],
];
const NEEDS: [Need; 3] = [Need::Hard, Need::Soft, Need::Order];
const ON_RESTART: [OnRestart; 3] = [OnRestart::Keep, OnRestart::Restart, OnRestart::Stop];
const POLICIES: [RestartPolicy; 3] = [
    RestartPolicy::OnFailure,
    RestartPolicy::Always,
    RestartPolicy::Never,
];
const KEYSTONES: [Option<Keystone>; 4] = [
    None,
    Some(Keystone::Any),
    Some(Keystone::Success),
    Some(Keystone::Failure),
];
const REACTIONS: [Option<Reaction>; 7] = [
    None,
    Some(Reaction::Restart),
    Some(Reaction::RestartAllContainers),
    Some(Reaction::RestartPod),
    Some(Reaction::FailPod),
    Some(Reaction::CompletePod),
    Some(Reaction::Ignore),
];
