//! Where a container stands when a row begins.
//!
//! What the engine remembers of such a container is not made up: it is taken from an engine that
//! has brought the same container there, beside one other that keeps the pod going.

use crate::driver::{Driver, Manner};
use pillion_engine::life::Record;
use pillion_engine::pod::{Backoff, Container, Pod, ProbeKind, Reaction, RestartPolicy};
use pillion_engine::{Attempt, ContainerId, Engine, Event, Exit, Found, Request, Tick};
use std::time::Duration;

/// Where a container stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Standing {
    /// It was never started.
    New,
    /// Its process runs, and its startup is over.
    Up,
    /// Its process runs, and its startup probe has not passed.
    ComingUp,
    /// It ended with 0 some time ago.
    Done,
    /// It has just ended with this code.
    Exited(i32),
    /// It is gone, and nobody knows how.
    Lost,
    /// It ended with this code, was started again, and runs.
    UpAgain(i32),
    /// Its start was asked for and came to nothing.
    Created,
    /// It ended with this code more than once, and will be tried again later.
    BackOff(i32),
    /// It ended with this code in the run of the pod before this one.
    Before(i32),
    /// It was killed with all others, to be run again.
    Removed,
}

const IT: ContainerId = ContainerId(0);

// === impl Standing ===

impl Standing {
    /// What the engine remembers of a container that stands there.
    pub(crate) fn record(self, container: &Container) -> Record {
        let mut driver = beside_another(container);
        match self {
            Self::New => {}
            Self::Up | Self::Exited(_) | Self::Lost => bring_up(&mut driver),
            Self::ComingUp => driver.hear(Event::SandboxReady),
            Self::Created => {
                driver.manner = Manner::Watches;
                driver.hear(Event::SandboxReady);
            }
            Self::Done => {
                bring_up(&mut driver);
                driver.exit(IT, Exit::code(0));
            }
            Self::UpAgain(code) => {
                bring_up(&mut driver);
                driver.exit(IT, Exit::code(code));
                driver.probe(IT, ProbeKind::Startup, true);
            }
            Self::BackOff(code) => {
                bring_up(&mut driver);
                driver.exit(IT, Exit::code(code));
                driver.exit(IT, Exit::code(code));
            }
            Self::Before(code) => {
                bring_up(&mut driver);
                driver.manner = Manner::LacksImages;
                driver.exit(IT, Exit::code(code));
                ask(&mut driver, Reaction::RestartPod);
            }
            Self::Removed => {
                bring_up(&mut driver);
                driver.manner = Manner::LacksImages;
                ask(&mut driver, Reaction::RestartAllContainers);
            }
        }
        driver.engine.record(IT).expect("it is there").clone()
    }

    /// What a driver that comes back finds of it.
    pub(crate) fn found(self, attempt: Attempt) -> Found {
        match self {
            Self::Exited(code) => Found::Ended {
                attempt,
                exit: Some(Exit::code(code)),
            },
            Self::Lost => Found::Ended {
                attempt,
                exit: None,
            },
            Self::Created => Found::NeverCreated,
            Self::New
            | Self::Up
            | Self::ComingUp
            | Self::UpAgain(_)
            | Self::Done
            | Self::BackOff(_)
            | Self::Before(_)
            | Self::Removed => Found::Running { attempt },
        }
    }

    /// Whether its process has run since the sandbox was made.
    pub(crate) fn has_run(self) -> bool {
        match self {
            Self::New | Self::Created | Self::Before(_) => false,
            Self::Up
            | Self::ComingUp
            | Self::UpAgain(_)
            | Self::Done
            | Self::Exited(_)
            | Self::Lost
            | Self::BackOff(_)
            | Self::Removed => true,
        }
    }
}

fn beside_another(container: &Container) -> Driver {
    let image = Some("image:1".into());
    let alone = Container {
        requires: Vec::new(),
        image,
        ..container.clone()
    };
    let other = Container::new("other", RestartPolicy::Always);
    let pod = Pod {
        name: "alone".into(),
        containers: vec![alone, other],
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Always,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    };
    let engine = Engine::new(pod, Tick::ZERO).expect("it has no edges");
    Driver::new(engine, Tick::ZERO, Manner::Obeys)
}

fn bring_up(driver: &mut Driver) {
    driver.hear(Event::SandboxReady);
    driver.probe(IT, ProbeKind::Startup, true);
}

fn ask(driver: &mut Driver, reaction: Reaction) {
    let request = Request::Ask {
        reaction,
        by: None,
        reason: "to get there".into(),
    };
    driver
        .engine
        .handle_request(driver.now, request)
        .expect("the pod runs");
    driver.carry_out();
}
