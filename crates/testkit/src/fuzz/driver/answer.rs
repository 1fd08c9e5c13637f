//! What a driver answers to what it was asked: well, or badly, but always honestly.

use super::{Driver, ProcessState};
use crate::fuzz::bytes::Bytes;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Action, Attempt, ContainerId, Event, Exit, StartFailure};

impl Driver {
    pub(super) fn answer(&mut self, bytes: &mut Bytes<'_>) {
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

    pub(super) fn answer_well(&mut self, action: &Action) {
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

    pub(super) fn exited(&mut self, container: ContainerId, attempt: Attempt, exit: Exit) {
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
}
