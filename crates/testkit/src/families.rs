//! Small pods that are explored to the last state, and the kinds of trouble they are put through.
//!
//! - [`two::pods`]: two containers, every edge between every pair of kinds and roles;
//! - [`three::pods`]: three in every shape, with a table in which every two features meet;
//! - [`four::pods`]: four, as people really put them together.

pub mod four;
pub mod three;
pub mod two;

use crate::environment::Limits;
use pillion_engine::Pod;
use pillion_engine::pod::{Backoff, Container};
use std::time::Duration;

/// A pod of a family.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// What is special about it.
    pub name: String,
    /// The pod.
    pub pod: Pod,
}

/// A kind of trouble that pods are put through.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// In one word.
    pub name: &'static str,
    /// What may happen.
    pub limits: Limits,
}

/// Exits, failed starts, pulls, hooks and probes, and a deletion.
pub const FAULTS: Trouble = Trouble {
    name: "faults",
    limits: Limits::CALM.faults(2).deletions(1),
};

/// A deletion in the middle of one fault, and another one that hurries.
pub const HURRY: Trouble = Trouble {
    name: "hurry",
    limits: Limits::CALM.faults(1).deletions(2).late(1),
};

/// A request of any kind, and a deletion.
pub const REQUESTS: Trouble = Trouble {
    name: "requests",
    limits: Limits::CALM.requests(1).deletions(1),
};

/// The sandbox is lost.
pub const LOSSES: Trouble = Trouble {
    name: "losses",
    limits: Limits::CALM.faults(1).losses(1).deletions(1),
};

/// The driver dies, at every point at which it can.
pub const CRASHES: Trouble = Trouble {
    name: "crashes",
    limits: Limits::CALM.faults(1).crashes(1).deletions(1),
};

/// One thing that goes wrong, or is wanted, in a whole life.
pub const SINGLES: [Trouble; 5] = [
    Trouble {
        name: "a deletion",
        limits: Limits::CALM.deletions(1),
    },
    Trouble {
        name: "a fault",
        limits: Limits::CALM.faults(1),
    },
    Trouble {
        name: "a request",
        limits: Limits::CALM.requests(1),
    },
    Trouble {
        name: "a loss",
        limits: Limits::CALM.losses(1),
    },
    Trouble {
        name: "a crash",
        limits: Limits::CALM.crashes(1),
    },
];

/// Every kind of trouble.
pub const TROUBLES: [Trouble; 5] = [FAULTS, HURRY, REQUESTS, LOSSES, CRASHES];

/// Times that are short, so that few moments are enough to reach all of them.
pub(crate) fn hasty(mut pod: Pod) -> Pod {
    pod.grace = Duration::from_secs(10);
    pod.backoff = HASTE;
    for container in &mut pod.containers {
        container.restart.backoff = HASTE;
    }
    pod
}

/// A container that pulls an image before each start.
pub(crate) fn pulled(container: Container) -> Container {
    Container {
        image: Some("image".into()),
        ..container
    }
}

const HASTE: Backoff = Backoff {
    initial: Duration::from_secs(10),
    factor: 2000,
    max: Duration::from_secs(20),
    reset: Duration::from_secs(30),
};
