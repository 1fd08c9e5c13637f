//! What is wanted of the pod: a container for debugging, a reaction that somebody asks for.

use super::Engine;
use crate::entry::Cause;
use crate::fact::{Change, Goal};
use crate::life::Life;
use crate::pod::{Container, ContainerId, Kind, List, OnGiveUp, Reaction, RestartPolicy, Role};
use crate::result::Refused;
use crate::tick::Tick;

impl Engine {
    pub(super) fn on_add_ephemeral(
        &mut self,
        now: Tick,
        mut container: Container,
    ) -> Result<(), Refused> {
        self.check_running()?;
        let mut defs = self.pod.containers.iter();
        if defs.any(|def| def.name == container.name) {
            return Err(Refused::NameTaken);
        }
        container.list = List::Ephemeral;
        container.role = Role::Ephemeral;
        container.requires.clear();
        container.keystone = None;
        container.restart.policy = RestartPolicy::Never;
        container.restart.rules.clear();
        container.restart.limit = None;
        container.restart.failure_restarts_pod = false;
        if let Kind::Oneshot { undo, .. } = &mut container.kind {
            *undo = false;
        }
        container.on_give_up = OnGiveUp::Ignore;
        let id =
            ContainerId(u32::try_from(self.pod.containers.len()).map_err(|_| Refused::OtherShape)?);
        self.changes
            .push(Change::Defined(id, 0, Box::new(container.clone())));
        self.pod.containers.push(container);
        self.lives.push(Life::default());
        self.enter_waiting(now, id);
        Ok(())
    }

    /// Some requests can only be met by a pod that runs.
    pub(super) fn check_running(&self) -> Result<(), Refused> {
        match self.record.goal {
            Goal::Run => Ok(()),
            Goal::Restart { .. } => Err(Refused::Restarting),
            Goal::End { .. } => Err(Refused::Ending),
        }
    }

    pub(super) fn on_ask(
        &mut self,
        now: Tick,
        reaction: Reaction,
        by: Option<ContainerId>,
        reason: Box<str>,
    ) -> Result<(), Refused> {
        if by.is_some_and(|by| by.index() >= self.lives.len()) {
            return Err(Refused::NoSuchContainer);
        }
        match (&self.record.goal, reaction) {
            (Goal::End { .. }, _) => return Err(Refused::Ending),
            (Goal::Restart { .. }, Reaction::Restart | Reaction::Ignore) => {
                return Err(Refused::Restarting);
            }
            (Goal::Run | Goal::Restart { .. }, _) => {}
        }
        let cause = Cause::Asked {
            by,
            reaction,
            reason,
        };
        match (reaction, by) {
            (Reaction::Ignore | Reaction::Restart, None) => return Err(Refused::NoSuchContainer),
            (Reaction::Ignore | Reaction::Restart, Some(by))
                if self.def(by).role == Role::Ephemeral =>
            {
                return Err(Refused::Ephemeral);
            }
            (Reaction::Ignore, Some(by)) => self.ignore_asked(now, by, cause),
            (Reaction::Restart, Some(by)) => self.restart_asked(now, by, cause),
            (
                Reaction::RestartAllContainers
                | Reaction::RestartPod
                | Reaction::FailPod
                | Reaction::CompletePod,
                by,
            ) => {
                self.react(now, reaction, by, cause);
            }
        }
        Ok(())
    }
}
