//! Pods of a given shape and size.
//!
//! Edges grow with the containers and not with their square, as in any pod that a person wrote:
//! what is waited for by all is waited for by way of a barrier.

use pillion_engine::BarrierId;
use pillion_engine::pod::{
    Backoff, Barrier, Container, ContainerId, Need, Pod, Probe, Requirement, RestartPolicy, Role,
    Scope, Target, Until,
};
use std::time::Duration;

/// The shape of a graph.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum Shape {
    /// Each requires the one before it.
    Chain,
    /// All require the first, and the last requires all.
    Fan,
    /// Layers of five: each requires all of the layer before.
    Layers,
    /// Ten phases with barriers between them.
    Phases,
    /// Each requires up to three of those before it, half of them softly.
    Random,
}

// === impl Shape ===

impl Shape {
    pub(super) const ALL: [Self; 5] = [
        Self::Chain,
        Self::Fan,
        Self::Layers,
        Self::Phases,
        Self::Random,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Fan => "fan",
            Self::Layers => "layers",
            Self::Phases => "phases",
            Self::Random => "random",
        }
    }

    /// A pod of this shape. Every container has an image and a readiness probe, every third one is
    /// a sidecar.
    pub(super) fn pod(self, size: u32) -> Pod {
        let mut containers: Vec<_> = (0..size).map(container).collect();
        let mut barriers = Vec::new();
        match self {
            Self::Chain => connect(&mut containers, |i| (i.saturating_sub(1)..i).collect()),
            Self::Fan => connect(&mut containers, |i| match i {
                0 => Vec::new(),
                i if i + 1 == size => (0..i).collect(),
                _ => vec![0],
            }),
            Self::Layers => connect(&mut containers, |i| {
                let layer = i / 5 * 5;
                (layer.saturating_sub(5)..layer).collect()
            }),
            Self::Phases => add_phases(&mut containers, &mut barriers),
            Self::Random => {
                let mut dice = Dice(0x5eed);
                connect(&mut containers, |i| dice.some_below(i));
            }
        }
        add_roles(&mut containers, &mut barriers);
        Pod {
            name: self.name().into(),
            containers,
            barriers,
            restart_policy: RestartPolicy::Always,
            grace: Duration::from_secs(30),
            active_deadline: None,
            restart_limit: None,
            backoff: Backoff::default(),
        }
    }
}

fn container(number: u32) -> Container {
    let mut container = Container::new(&format!("c{number}"), RestartPolicy::Always);
    container.image = Some("registry.example/image:1".into());
    container.probes.readiness = Some(Probe::default());
    container
}

fn connect(containers: &mut [Container], mut required: impl FnMut(u32) -> Vec<u32>) {
    for (number, container) in (0..).zip(containers) {
        for target in required(number) {
            let target = Target::Container(ContainerId(target));
            let mut edge = Requirement::hard(target, Until::Ready);
            if number % 2 == 1 {
                edge.need = Need::Soft;
            }
            container.requires.push(edge);
        }
    }
}

fn add_phases(containers: &mut [Container], barriers: &mut Vec<Barrier>) {
    let width = containers.len().div_ceil(10);
    let numbers: Vec<_> = (0..).map(ContainerId).take(containers.len()).collect();
    for phase in numbers.chunks(width) {
        if let Some(before) = barriers.len().checked_sub(1) {
            let before = Target::Barrier(BarrierId(u32::try_from(before).expect("ten phases")));
            for id in phase {
                let edge = Requirement::hard(before, Until::Settled);
                containers[id.index()].requires.push(edge);
            }
        }
        let ends = phase
            .iter()
            .map(|id| Requirement::hard(Target::Container(*id), Until::Ready));
        let name = format!("phase {}", barriers.len()).into();
        barriers.push(Barrier {
            name,
            requires: ends.collect(),
        });
    }
}

/// Every third container that requires nobody is a sidecar, and is stopped after the mains.
fn add_roles(containers: &mut [Container], barriers: &mut Vec<Barrier>) {
    let sidecars = containers
        .iter_mut()
        .step_by(3)
        .filter(|c| c.requires.is_empty());
    sidecars.for_each(|container| container.role = Role::Sidecar);
    let mains = Target::Barrier(BarrierId(
        u32::try_from(barriers.len()).expect("few barriers"),
    ));
    let stop_order = |target| Requirement {
        scope: Scope::StopOnly,
        ..Requirement::hard(target, Until::Settled)
    };
    let is_sidecar = |(_, container): &(u32, &Container)| container.role == Role::Sidecar;
    let numbered = (0..).zip(&*containers).filter(is_sidecar);
    let below = numbered
        .map(|(id, _)| stop_order(Target::Container(ContainerId(id))))
        .collect();
    barriers.push(Barrier {
        name: "mains".into(),
        requires: below,
    });
    for main in containers.iter_mut().filter(|c| c.role == Role::Main) {
        main.requires.push(stop_order(mains));
    }
}

/// A small generator, so that every run measures the same graphs.
struct Dice(u64);

// === impl Dice ===

impl Dice {
    /// Up to three different numbers below `limit`.
    fn some_below(&mut self, limit: u32) -> Vec<u32> {
        let mut chosen: Vec<_> = (0..3).filter_map(|_| self.below(limit)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// Xorshift: good enough to spread edges.
    fn below(&mut self, limit: u32) -> Option<u32> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let drawn = self.0.checked_rem(u64::from(limit))?;
        u32::try_from(drawn).ok()
    }
}
