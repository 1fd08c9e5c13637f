//! What goes wrong around a driver: events that never were, requests at any time, a machine that
//! restarts, a driver that dies.

use super::{Driver, Process, ProcessState};
use crate::fuzz::bytes::Bytes;
use crate::fuzz::pod;
use pillion_engine::pod::{HookKind, ProbeKind, Reaction};
use pillion_engine::{Action, Attempt, ContainerId, Engine, Event, Exit, Found, Request};
use std::time::Duration;

impl Driver {
    /// Something that did not happen, about an attempt that is not, or about nobody.
    pub(super) fn make_up(&mut self, bytes: &mut Bytes<'_>) {
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

    pub(super) fn request(&mut self, bytes: &mut Bytes<'_>) {
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

    pub(super) fn lose_sandbox(&mut self, bytes: &mut Bytes<'_>) {
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
    pub(super) fn crash(&mut self, bytes: &mut Bytes<'_>) {
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
}
