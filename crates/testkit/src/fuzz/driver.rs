//! A driver that does what bytes say, and watches what it is asked to do.
//!
//! It is honest: it tells of a process only what happened to it. Beside that it repeats old events
//! and makes some up about attempts that never were, which must do no harm, and it dies and comes
//! back.

mod answer;
mod trouble;

use super::bytes::Bytes;
use pillion_engine::{Action, Attempt, ContainerId, Engine, Event, Exit, Fact, Pod, Request, Tick};
use std::time::Duration;

/// The engine, and the world as the driver knows it.
pub(super) struct Driver {
    engine: Engine,
    pod: Pod,
    facts: Vec<Fact>,
    now: Tick,
    containers: Vec<Process>,
    /// Asked for and not yet answered.
    open: Vec<Action>,
}

/// The process of a container.
#[derive(Clone, Copy, Debug, Default)]
struct Process {
    attempt: Attempt,
    state: ProcessState,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum ProcessState {
    #[default]
    None,
    Asked,
    Runs,
}

/// More than this and a pod that was deleted will never end.
const STEPS_TO_END: usize = 20_000;

// === impl Driver ===

impl Driver {
    pub(super) fn new(pod: Pod) -> Self {
        let engine =
            Engine::new(pod.clone(), Tick::ZERO).expect("edges lead to earlier containers");
        let mut driver = Self {
            engine,
            containers: vec![Process::default(); pod.containers.len()],
            pod,
            facts: Vec::new(),
            now: Tick::ZERO,
            open: Vec::new(),
        };
        driver.drain();
        driver.tell(Event::SandboxReady);
        driver
    }

    /// Lets one thing happen.
    pub(super) fn step(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(16) {
            0..=6 => self.answer(bytes),
            7 => self.exit(bytes),
            8 => self.notify(bytes),
            9 | 10 => self.wait(bytes),
            11 => self.make_up(bytes),
            12 => self.request(bytes),
            13 => self.lose_sandbox(bytes),
            14 => self.crash(bytes),
            _ => self.wait_for_deadline(),
        }
    }

    /// Deletes the pod, and answers everything well until it has ended.
    pub(super) fn finish(mut self) {
        let _ = self
            .engine
            .handle_request(self.now, Request::Delete { grace: None });
        self.drain();
        for _ in 0..STEPS_TO_END {
            if self.engine.result().is_some() {
                let alive = self
                    .containers
                    .iter()
                    .any(|p| p.state != ProcessState::None);
                assert!(!alive, "the pod has ended and something still runs");
                return;
            }
            match self.open.pop() {
                Some(action) => self.answer_well(&action),
                None => self.wait_for_deadline(),
            }
        }
        panic!("a pod that was deleted does not end");
    }

    fn tell(&mut self, event: Event) {
        self.engine.handle_event(self.now, event);
        self.drain();
    }

    /// Keeps the facts and looks at every action.
    fn drain(&mut self) {
        while let Some(fact) = self.engine.poll_fact() {
            self.facts.push(fact);
        }
        while self.engine.poll_entry().is_some() {}
        while let Some(action) = self.engine.poll_action() {
            self.look_at(&action);
            self.open.push(action);
        }
        let _ = self.engine.status();
    }

    /// What must hold for an action, whatever happened before.
    fn look_at(&mut self, action: &Action) {
        let (id, attempt) = action.container();
        let process = &mut self.containers[id.index()];
        match action {
            Action::Start { .. } => {
                assert_eq!(
                    process.state,
                    ProcessState::None,
                    "a second process of {id:?}"
                );
                assert!(
                    attempt > process.attempt,
                    "attempt {attempt} of {id:?} was used before"
                );
                *process = Process {
                    attempt,
                    state: ProcessState::Asked,
                };
            }
            Action::Stop { .. } | Action::RunHook { .. } | Action::Probe { .. } => {
                assert_eq!(
                    process.attempt, attempt,
                    "{action:?} is about another attempt"
                );
                assert_ne!(
                    process.state,
                    ProcessState::None,
                    "{action:?} is about nothing"
                );
            }
            Action::Pull { .. } | Action::CancelPull { .. } => {}
        }
    }

    /// A process ends by itself.
    fn exit(&mut self, bytes: &mut Bytes<'_>) {
        let container = self.some_container(bytes);
        let attempt = self.containers[container.index()].attempt;
        let exit = match bytes.below(5) {
            0 | 1 => Exit::code(0),
            2 => Exit::code(1),
            3 => Exit::signal(9),
            _ => Exit::out_of_memory(),
        };
        self.exited(container, attempt, exit);
    }

    fn notify(&mut self, bytes: &mut Bytes<'_>) {
        let container = self.some_container(bytes);
        let attempt = self.containers[container.index()].attempt;
        let ready = !bytes.once_in(4);
        self.tell(Event::Notified {
            container,
            attempt,
            ready,
        });
    }

    fn wait(&mut self, bytes: &mut Bytes<'_>) {
        let milliseconds = u64::try_from(bytes.below(256)).unwrap_or(0) * 100;
        self.advance(self.now + Duration::from_millis(milliseconds));
    }

    fn wait_for_deadline(&mut self) {
        if let Some(deadline) = self.engine.poll_deadline() {
            self.advance(deadline.max(self.now));
        }
    }

    fn advance(&mut self, to: Tick) {
        if to == Tick::NEVER {
            return;
        }
        self.now = to;
        self.engine.handle_timeout(self.now);
        self.drain();
    }

    fn some_container(&self, bytes: &mut Bytes<'_>) -> ContainerId {
        ContainerId(u32::try_from(bytes.below(self.containers.len())).unwrap_or(0))
    }
}
