//! A driver that does at once what the engine asks for, and keeps count of it.

use pillion_engine::pod::ProbeKind;
use pillion_engine::{Action, ContainerId, Engine, Event, Exit, Tick};
use std::time::Duration;

/// An engine and what was asked of its driver.
pub(crate) struct Driver {
    pub(crate) engine: Engine,
    pub(crate) now: Tick,
    pub(crate) manner: Manner,
    pub(crate) starts: Vec<(Tick, ContainerId)>,
    pub(crate) stops: Vec<(Tick, ContainerId)>,
    pub(crate) pulls: Vec<(Tick, ContainerId)>,
}

/// How the driver answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Manner {
    /// Not at all.
    Watches,
    /// Everything that is asked for happens at once. Probes are never answered.
    Obeys,
    /// As before, but images that are asked for do not come.
    LacksImages,
}

// === impl Driver ===

impl Driver {
    pub(crate) fn new(engine: Engine, now: Tick, manner: Manner) -> Self {
        Self {
            engine,
            now,
            manner,
            starts: Vec::new(),
            stops: Vec::new(),
            pulls: Vec::new(),
        }
    }

    /// Something happens, and the driver does what follows.
    pub(crate) fn hear(&mut self, event: Event) {
        self.engine.handle_event(self.now, event);
        self.carry_out();
    }

    /// A container ends by itself.
    pub(crate) fn exit(&mut self, container: ContainerId, exit: Exit) {
        let attempt = self.attempt(container);
        self.hear(Event::Exited {
            container,
            attempt,
            exit,
        });
    }

    /// A probe that is due gets this answer.
    pub(crate) fn probe(&mut self, container: ContainerId, probe: ProbeKind, ok: bool) {
        self.pass(Duration::ZERO);
        let attempt = self.attempt(container);
        self.hear(Event::Probed {
            container,
            attempt,
            probe,
            ok,
        });
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        self.carry_out();
        while let Some(due) = self.engine.poll_deadline().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.engine.handle_timeout(self.now);
            self.carry_out();
        }
        self.now = end;
    }

    /// Does what is asked for, until nothing more is.
    pub(crate) fn carry_out(&mut self) {
        while self.engine.poll_fact().is_some() {}
        while let Some(action) = self.engine.poll_action() {
            let (container, attempt) = action.container();
            let asked = (self.now, container);
            match action {
                Action::Start { .. } => {
                    self.starts.push(asked);
                    self.answer(Event::Started { container, attempt });
                }
                Action::Stop { .. } => {
                    self.stops.push(asked);
                    let exit = Exit::signal(15);
                    self.answer(Event::Exited {
                        container,
                        attempt,
                        exit,
                    });
                }
                Action::Pull { .. } => {
                    self.pulls.push(asked);
                    if self.manner != Manner::LacksImages {
                        self.answer(Event::Pulled { container, attempt });
                    }
                }
                Action::CancelPull { .. } | Action::RunHook { .. } | Action::Probe { .. } => {}
            }
            while self.engine.poll_fact().is_some() {}
        }
    }

    /// From now on what is asked for happens, and so do the pulls that were asked for before.
    pub(crate) fn obey(&mut self) {
        self.manner = Manner::Obeys;
        for (_, container) in self.pulls.clone() {
            let attempt = self.attempt(container) + 1;
            self.hear(Event::Pulled { container, attempt });
        }
    }

    pub(crate) fn attempt(&self, container: ContainerId) -> u32 {
        self.engine
            .record(container)
            .expect("only ids of the pod are used")
            .attempt
    }

    fn answer(&mut self, event: Event) {
        if self.manner != Manner::Watches {
            self.engine.handle_event(self.now, event);
        }
    }
}
