//! A driver that does what bytes say, and watches what it is asked to do.
//!
//! It is honest: it tells of a process only what happened to it. Beside that it repeats old events
//! and makes some up about attempts that never were, which must do no harm, and it dies and comes
//! back.

use super::bytes::Bytes;
use super::pod;
use pillion_engine::pod::{HookKind, ProbeKind, Reaction};
use pillion_engine::{
    Action, Attempt, ContainerId, Engine, Event, Exit, Fact, Found, Pod, Request, StartFailure,
    Tick,
};
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

    fn answer(&mut self, bytes: &mut Bytes<'_>) {
        if self.open.is_empty() {
            return self.wait_for_deadline();
        }
        let chosen = bytes.below(self.open.len());
        let action = self.open.remove(chosen);
        if bytes.once_in(5) {
            self.answer_badly(&action);
        } else {
            self.answer_well(&action);
        }
    }

    fn answer_well(&mut self, action: &Action) {
        match *action {
            Action::Pull {
                container, attempt, ..
            } => {
                self.tell(Event::Pulled { container, attempt });
            }
            Action::Start {
                container, attempt, ..
            } => self.started(container, attempt),
            Action::RunHook {
                container,
                attempt,
                hook,
                ..
            } => {
                self.hook_done(container, attempt, hook, true);
            }
            Action::Probe {
                container,
                attempt,
                probe,
                ..
            } => {
                self.probed(container, attempt, probe, true);
            }
            Action::Stop {
                container, attempt, ..
            } => {
                self.exited(container, attempt, Exit::code(0));
            }
            Action::CancelPull { .. } => {}
        }
    }

    fn answer_badly(&mut self, action: &Action) {
        let message = Box::from("it did not work");
        match *action {
            Action::Pull {
                container, attempt, ..
            } => {
                self.tell(Event::PullFailed {
                    container,
                    attempt,
                    message,
                });
            }
            Action::Start {
                container, attempt, ..
            } => {
                if self.is(container, attempt, ProcessState::Asked) {
                    self.containers[container.index()].state = ProcessState::None;
                    let reason = StartFailure::CreateContainerError;
                    self.tell(Event::StartFailed {
                        container,
                        attempt,
                        reason,
                        message,
                    });
                }
            }
            Action::RunHook {
                container,
                attempt,
                hook,
                ..
            } => {
                self.hook_done(container, attempt, hook, false);
            }
            Action::Probe {
                container,
                attempt,
                probe,
                ..
            } => {
                self.probed(container, attempt, probe, false);
            }
            Action::Stop {
                container, attempt, ..
            } => {
                self.exited(container, attempt, Exit::signal(9));
            }
            Action::CancelPull { .. } => {}
        }
    }

    fn started(&mut self, container: ContainerId, attempt: Attempt) {
        if self.is(container, attempt, ProcessState::Asked) {
            self.containers[container.index()].state = ProcessState::Runs;
            self.tell(Event::Started { container, attempt });
        }
    }

    fn hook_done(&mut self, container: ContainerId, attempt: Attempt, hook: HookKind, ok: bool) {
        self.tell(Event::HookDone {
            container,
            attempt,
            hook,
            ok,
        });
    }

    fn probed(&mut self, container: ContainerId, attempt: Attempt, probe: ProbeKind, ok: bool) {
        self.tell(Event::Probed {
            container,
            attempt,
            probe,
            ok,
        });
    }

    fn exited(&mut self, container: ContainerId, attempt: Attempt, exit: Exit) {
        let process = &mut self.containers[container.index()];
        if process.attempt == attempt && process.state != ProcessState::None {
            process.state = ProcessState::None;
            self.tell(Event::Exited {
                container,
                attempt,
                exit,
            });
        }
    }

    fn is(&self, container: ContainerId, attempt: Attempt, state: ProcessState) -> bool {
        let process = self.containers[container.index()];
        process.attempt == attempt && process.state == state
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

    /// Something that did not happen, about an attempt that is not, or about nobody.
    fn make_up(&mut self, bytes: &mut Bytes<'_>) {
        let container = ContainerId(u32::try_from(bytes.below(8)).unwrap_or(0));
        let known = self.containers.get(container.index());
        let attempt = known.map_or(0, |process| process.attempt);
        let attempt = bytes.one_of([attempt.wrapping_sub(1), attempt + 1, Attempt::MAX]);
        let event = match bytes.below(6) {
            0 => Event::Started { container, attempt },
            1 => Event::Exited {
                container,
                attempt,
                exit: Exit::code(0),
            },
            2 => Event::Probed {
                container,
                attempt,
                probe: ProbeKind::Readiness,
                ok: true,
            },
            3 => Event::HookDone {
                container,
                attempt,
                hook: HookKind::PreStop,
                ok: true,
            },
            4 => Event::Notified {
                container,
                attempt,
                ready: true,
            },
            _ => Event::SandboxReady,
        };
        self.tell(event);
    }

    fn request(&mut self, bytes: &mut Bytes<'_>) {
        let request = match bytes.below(4) {
            0 => Request::Delete {
                grace: bytes
                    .once_in(2)
                    .then(|| Duration::from_secs(u64::try_from(bytes.below(40)).unwrap_or(0))),
            },
            1 => Request::Ask {
                reaction: bytes.one_of([
                    Reaction::RestartPod,
                    Reaction::RestartAllContainers,
                    Reaction::Restart,
                    Reaction::FailPod,
                    Reaction::CompletePod,
                    Reaction::Ignore,
                ]),
                by: bytes
                    .once_in(2)
                    .then(|| ContainerId(u32::try_from(bytes.below(7)).unwrap_or(0))),
                reason: "because".into(),
            },
            2 => {
                let container = self.some_container(bytes);
                let with = self.engine.pod().containers[container.index()].clone();
                Request::Replace {
                    container,
                    with: Box::new(with),
                    timeout: bytes.once_in(2).then(|| Duration::from_secs(20)),
                    force: bytes.once_in(2),
                }
            }
            _ => Request::AddEphemeral(Box::new(pod::container(bytes, 99))),
        };
        let _ = self.engine.handle_request(self.now, request);
        self.containers
            .resize(self.engine.pod().containers.len(), Process::default());
        self.drain();
    }

    fn lose_sandbox(&mut self, bytes: &mut Bytes<'_>) {
        if !bytes.once_in(4) {
            return;
        }
        for process in &mut self.containers {
            process.state = ProcessState::None;
        }
        self.open
            .retain(|action| matches!(action, Action::Pull { .. } | Action::CancelPull { .. }));
        self.tell(Event::SandboxLost);
        self.tell(Event::SandboxReady);
    }

    /// The driver dies; what runs goes on, and is found again. Starts that nobody saw never happened.
    fn crash(&mut self, bytes: &mut Bytes<'_>) {
        if !bytes.once_in(3) {
            return;
        }
        self.open.clear();
        let restored = Engine::restore(self.pod.clone(), self.facts.iter().cloned());
        self.engine = restored.expect("the same pod was taken before");
        for id in self.engine.expected() {
            let process = &mut self.containers[id.index()];
            let attempt = process.attempt;
            let found = match process.state {
                ProcessState::Runs => Found::Running { attempt },
                ProcessState::None if bytes.once_in(2) => Found::Ended {
                    attempt,
                    exit: None,
                },
                ProcessState::None | ProcessState::Asked => Found::NeverCreated,
            };
            if process.state == ProcessState::Asked {
                process.state = ProcessState::None;
            }
            self.engine.handle_found(self.now, id, found);
        }
        self.engine.handle_resume(self.now);
        self.drain();
        self.tell(Event::SandboxReady);
    }

    fn some_container(&self, bytes: &mut Bytes<'_>) -> ContainerId {
        ContainerId(u32::try_from(bytes.below(self.containers.len())).unwrap_or(0))
    }
}
