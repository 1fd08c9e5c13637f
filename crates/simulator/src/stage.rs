//! A simulated machine for drivers that keep a loop of their own.

use crate::scenario::Scenario;
use crate::world::{Heard, Latency, Violation, World};
use pillion_engine::{Action, Attempt, ContainerId, Event, Found, Request, Tick};

/// A machine on which the containers of a scenario are played. What the scenario does to the pod is left to the driver.
#[derive(Clone, Debug)]
pub struct Stage {
    world: World,
}

/// What a driver hears.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum News {
    /// Something happened.
    Event(Event),
    /// A container asks for something.
    Request(Request),
}

// === impl Stage ===

impl Stage {
    /// A machine that has just made the pod's sandbox.
    pub fn new(scenario: &Scenario) -> Self {
        let mut world = World::new(Latency::default());
        for container in &scenario.pod.containers {
            let script = scenario.scripts.get(&container.name);
            world.add(container, script.cloned().unwrap_or_default());
        }
        world.hear(Event::SandboxReady);
        Self { world }
    }

    /// What time it is.
    pub fn now(&self) -> Tick {
        self.world.now()
    }

    /// Begins to do this.
    pub fn carry_out(&mut self, action: &Action) {
        self.world.carry_out(action);
    }

    /// Moves the clock to the next thing that a driver hears of. If nothing comes until then, that is the time; without
    /// a limit, time stands still.
    pub fn next(&mut self, until: Option<Tick>) -> Option<News> {
        while let Some(at) = self.world.next_at() {
            if until.is_some_and(|until| until < at) {
                break;
            }
            match self.world.turn() {
                Heard::Event(event) => return Some(News::Event(event)),
                Heard::Request(request) => return Some(News::Request(request)),
                Heard::Nothing | Heard::Act(_) => {}
            }
        }
        if let Some(until) = until {
            self.world.advance(until.max(self.now()));
        }
        None
    }

    /// What is there of a run of a container.
    pub fn found(&self, container: ContainerId, attempt: Attempt) -> Found {
        self.world.found(container, Some(attempt))
    }

    /// The driver dies, and another takes its place: what was on its way is lost, and levels are told again.
    pub fn change_driver(&mut self) {
        self.world.lose_driver();
        self.world.hear(Event::SandboxReady);
        self.world.tell_again();
    }

    /// What was asked for and must never be.
    pub fn violations(&self) -> &[Violation] {
        &self.world.violations
    }

    /// The containers that have a living process.
    pub fn alive(&self) -> impl Iterator<Item = &str> {
        self.world.alive()
    }
}
