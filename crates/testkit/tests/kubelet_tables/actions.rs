//! What is started and stopped in a situation: the kubelet's `computePodActions`.
//!
//! The kubelet looks at what the runtime has and computes what to do; here a driver has come back,
//! tells what it finds, and does what the engine asks for. Starts and stops are compared as sets:
//! their order is the subject of other tests. Time goes on for longer than the first back-off, so
//! that what must not be started is not started a little later either.

pub(crate) mod container_policy;
pub(crate) mod ephemeral;
pub(crate) mod init;
pub(crate) mod regular;
pub(crate) mod restart_all;
pub(crate) mod sidecar;

use crate::driver::{Driver, Manner};
use crate::situation::{Sandbox, Situation};
use pillion_engine::fact::Goal;
use pillion_engine::{ContainerId, Event, Tick};
use std::collections::BTreeSet;
use std::time::Duration;

/// Longer than the first back-off, shorter than any grace period.
const A_WHILE: Duration = Duration::from_secs(15);

/// What follows.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Then {
    stop: Vec<String>,
    start: Vec<String>,
    pod: Fate,
}

/// What becomes of the pod.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    Runs,
    /// It goes on in a new sandbox.
    NewSandbox,
    Ends,
}

/// Nothing is started or stopped.
fn nothing() -> Then {
    start([])
}

/// These are started, and nothing is stopped.
fn start<const N: usize>(names: [&str; N]) -> Then {
    Then {
        stop: Vec::new(),
        start: names.map(Into::into).into(),
        pod: Fate::Runs,
    }
}

/// These are stopped, and nothing is started.
fn stop<const N: usize>(names: [&str; N]) -> Then {
    Then {
        stop: names.map(Into::into).into(),
        ..nothing()
    }
}

/// The pod gets a new sandbox, in which these are started.
fn new_sandbox<const N: usize>(names: [&str; N]) -> Then {
    Then {
        pod: Fate::NewSandbox,
        ..start(names)
    }
}

/// The pod ends; these, which still run, are stopped.
fn ends<const N: usize>(names: [&str; N]) -> Then {
    Then {
        pod: Fate::Ends,
        ..stop(names)
    }
}

// === impl Then ===

impl Then {
    fn and_start<const N: usize>(mut self, names: [&str; N]) -> Self {
        self.start = names.map(Into::into).into();
        self
    }
}

/// What follows, in each way to get into the situation.
pub(crate) fn play(situation: &Situation) -> Vec<Then> {
    match situation.sandbox {
        Sandbox::Ready => vec![in_sandbox(situation)],
        Sandbox::Missing => vec![before_sandbox(situation)],
        Sandbox::Lost | Sandbox::Replaced => vec![after_reboot(situation), after_loss(situation)],
    }
}

fn in_sandbox(situation: &Situation) -> Then {
    let mut driver = situation.found(Manner::Obeys);
    situation.happen(&mut driver);
    driver.pass(A_WHILE);
    then(&driver, Fate::Runs)
}

fn before_sandbox(situation: &Situation) -> Then {
    let driver = situation.found(Manner::Obeys);
    in_new_sandbox(driver)
}

/// The driver was away when the sandbox was lost.
fn after_reboot(situation: &Situation) -> Then {
    let driver = situation.found_without_sandbox(Manner::Obeys);
    in_new_sandbox(driver)
}

/// The driver sees how the sandbox is lost, after what it has found has been dealt with.
fn after_loss(situation: &Situation) -> Then {
    let mut driver = situation.found(Manner::Watches);
    driver.starts.clear();
    driver.stops.clear();
    driver.hear(Event::SandboxLost);
    driver.obey();
    in_new_sandbox(driver)
}

fn in_new_sandbox(mut driver: Driver) -> Then {
    driver.pass(A_WHILE);
    assert_eq!(driver.starts, [], "nothing is started without a sandbox");
    if *driver.engine.goal() == Goal::Run {
        driver.hear(Event::SandboxReady);
        driver.pass(A_WHILE);
    }
    then(&driver, Fate::NewSandbox)
}

fn then(driver: &Driver, unless_ended: Fate) -> Then {
    let names = |asked: &[(Tick, ContainerId)]| {
        let ids: BTreeSet<_> = asked.iter().map(|(_, id)| id.index()).collect();
        let containers = &driver.engine.pod().containers;
        ids.into_iter()
            .map(|id| containers[id].name.to_string())
            .collect()
    };
    let ended = driver.engine.result().is_some();
    Then {
        stop: names(&driver.stops),
        start: names(&driver.starts),
        pod: if ended { Fate::Ends } else { unless_ended },
    }
}
