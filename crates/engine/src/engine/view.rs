//! The pod's status for Kubernetes' eyes: phase, conditions, container states.
//!
//! Everything here is read off the records; nothing is decided.

use super::Engine;
use super::lost::explanation;
use crate::fact::{EndCause, Goal};
use crate::life::{HookStep, Image, PutOff, State, StopWhy, Termination};
use crate::pod::{ContainerId, HookKind, List, Reaction, Role};
use crate::restart;
use crate::result::PodReason;
use crate::status::{
    Condition, ConditionKind, ContainerState, ContainerStatus, Phase, PodStatus, Terminated,
};

impl Engine {
    /// The pod's status as Kubernetes would show it.
    pub fn status(&self) -> PodStatus {
        let mut containers: Vec<_> = self
            .containers()
            .map(|container| self.container_status(container))
            .collect();
        let phase = self.phase(&containers);
        let conditions = self.conditions(phase, &containers);
        if self.record.result.is_some() {
            self.mark_lost(&mut containers);
        }
        PodStatus {
            phase,
            reason: self
                .record
                .result
                .as_ref()
                .and_then(|result| result.reason)
                .map(PodReason::as_str)
                .map(Into::into),
            message: self.status_message(),
            conditions,
            containers,
        }
    }

    fn container_status(&self, container: ContainerId) -> ContainerStatus {
        let def = self.def(container);
        let record = &self.life(container).record;
        let (state, last) = self.container_state(container);
        let runs = matches!(state, ContainerState::Running { .. });
        let image = if record.attempt > 0 {
            &record.image
        } else {
            &def.image
        };
        let succeeded = matches!(&state, ContainerState::Terminated(end) if end.code == 0);
        ContainerStatus {
            name: def.name.clone(),
            list: def.list,
            image: image.clone(),
            ready: if is_regular_init(def.list, def.is_oneshot()) {
                succeeded
            } else if def.is_oneshot() {
                runs
            } else {
                self.is_ready(container)
            },
            started: record.is_running() && record.started,
            restarts: self.shown_restarts(container),
            state,
            last: last.map(terminated),
        }
    }

    /// A start counts when it is shown, and a container that was removed to run all again has been counted then.
    fn shown_restarts(&self, container: ContainerId) -> u32 {
        let record = &self.life(container).record;
        let before = record
            .last
            .as_deref()
            .filter(|_| self.is_in_post_start(container));
        if before.is_some_and(|end| !end.restarting_all || end.waited) {
            record.restarts.saturating_sub(1)
        } else if self.is_removed(container) && !self.waited(container) {
            record.restarts.saturating_add(1)
        } else {
            record.restarts
        }
    }

    /// The kubelet does nothing else for a pod while a postStart hook runs: until that has returned, and the container is
    /// gone if it failed, it shows what was there before the start.
    fn is_in_post_start(&self, container: ContainerId) -> bool {
        let record = &self.life(container).record;
        match record.state {
            State::Running { .. } => record.hooks.get(HookKind::PostStart) == HookStep::Begun,
            State::Stopping { why, .. } => why == StopWhy::PostStart,
            State::Waiting
            | State::BackOff { .. }
            | State::Starting
            | State::Ended { .. }
            | State::GaveUp { .. } => false,
        }
    }

    /// It is down to be run again with all others, and has not been yet. The kubelet has removed it, and with it how it
    /// ended.
    fn is_removed(&self, container: ContainerId) -> bool {
        let record = &self.life(container).record;
        let removed = record
            .exit
            .as_deref()
            .is_some_and(|exit| exit.restarting_all);
        removed
            && match self.record.goal {
                Goal::Run => matches!(
                    record.state,
                    State::Waiting | State::BackOff { .. } | State::Starting
                ),
                Goal::Restart { waiting, .. } => waiting.is_some() || self.waited(container),
                Goal::End { .. } => true,
            }
    }

    /// Whether it was shown as waiting when all were restarted: a kubelet shows nothing else of it then, though it has removed it as well.
    fn waited(&self, container: ContainerId) -> bool {
        let end = self.life(container).record.exit.as_deref();
        end.is_some_and(|end| end.waited)
    }

    /// The state, and the end of the run before it.
    fn container_state(&self, container: ContainerId) -> (ContainerState, Option<&Termination>) {
        let record = &self.life(container).record;
        let waiting = |reason, message| ContainerState::Waiting { reason, message };
        if self.is_in_post_start(container) {
            let removed = record.last.as_deref().filter(|end| end.restarting_all);
            if let Some(last) = removed {
                let state = if last.waited {
                    self.still_waiting(container)
                } else {
                    waiting(self.first_wait(), None)
                };
                return (state, Some(last));
            }
            return match (self.put_off(container), &record.last) {
                (Some(why), last) if !self.is_through(container, last.as_deref()) => {
                    (why, last.as_deref())
                }
                (_, Some(last)) => (ContainerState::Terminated(terminated(last)), None),
                (_, None) => (waiting(self.first_wait(), None), None),
            };
        }
        if let Some(since) = record.running_since() {
            return (ContainerState::Running { since }, record.last.as_deref());
        }
        let end = record.exit.as_deref();
        if let Some(end) = end.filter(|end| end.waited && self.ends_by_itself()) {
            return (self.still_waiting(container), Some(end));
        }
        if let Some(end) = end.filter(|_| self.is_removed(container)) {
            let state = if end.waited {
                self.still_waiting(container)
            } else {
                self.removed()
            };
            return (state, Some(end));
        }
        let reason = match &record.state {
            _ if self.is_through(container, end) => None,
            State::BackOff { .. } => self.life(container).put_off.as_ref().map(why_put_off),
            State::Waiting if self.shows_image_failure(container) => {
                let (reason, message) = self.image_failure(container);
                Some(waiting(reason, message))
            }
            State::Waiting
            | State::Starting
            | State::Running { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => self.put_off(container),
        };
        match (reason, end) {
            (Some(reason), end) => (reason, end),
            // Until the new process runs, the end of the old one is what there is to see.
            (None, Some(end)) => (
                ContainerState::Terminated(terminated(end)),
                record.last.as_deref(),
            ),
            (None, None) => (waiting(self.first_wait(), None), None),
        }
    }

    /// The kubelet takes whatever stands in the init list and has ended with 0 for something that is not started again,
    /// and so shows a sidecar's end and not what it waits for.
    fn is_through(&self, container: ContainerId, end: Option<&Termination>) -> bool {
        self.def(container).list == List::Init && end.is_some_and(|end| end.exit.is_success())
    }

    /// A kubelet shows why it could not start a container, or keep it, until a start has succeeded.
    fn put_off(&self, container: ContainerId) -> Option<ContainerState> {
        let life = self.life(container);
        if self.record.goal != Goal::Run || life.record.is_over() {
            return None;
        }
        life.put_off.as_ref().map(why_put_off)
    }

    /// Whether it is down, and shown as waiting for another try.
    pub(super) fn shows_what_it_waits_for(&self, container: ContainerId) -> bool {
        let (state, end) = self.container_state(container);
        end.is_some() && matches!(state, ContainerState::Waiting { .. })
    }

    /// A container that was removed so that all are run again: that shows until the first of them has been.
    fn removed(&self) -> ContainerState {
        let any_ran = self.lives.iter().any(|life| life.record.ran);
        let (reason, message) = match self.record.goal {
            Goal::Run | Goal::End { .. } if any_ran => (self.first_wait(), None),
            Goal::Run | Goal::Restart { .. } | Goal::End { .. } => {
                (RESTARTING_ALL, Some(REMOVED.into()))
            }
        };
        ContainerState::Waiting { reason, message }
    }

    fn ends_by_itself(&self) -> bool {
        matches!(self.record.goal, Goal::End { .. }) && !self.is_deleted()
    }

    /// Whether the pod ends because it was deleted.
    pub(super) fn is_deleted(&self) -> bool {
        matches!(
            self.record.goal,
            Goal::End {
                cause: EndCause::Deletion,
                ..
            }
        )
    }

    /// What a container waits for that waited for it when all were restarted. A kubelet that has forgotten it, or deletes the pod, gives no reason.
    fn still_waiting(&self, container: ContainerId) -> ContainerState {
        let life = self.life(container);
        let (reason, message) = match &life.put_off {
            _ if self.is_deleted() => (self.first_wait(), None),
            _ if matches!(life.image, Image::Failed { .. }) => self.image_failure(container),
            Some(why) => return why_put_off(why),
            None => (self.first_wait(), None),
        };
        ContainerState::Waiting { reason, message }
    }

    /// An image is pulled early, but its trouble shows when its turn has come, as under the kubelet.
    fn shows_image_failure(&self, container: ContainerId) -> bool {
        let life = self.life(container);
        life.record.turn.is_some() && matches!(life.image, Image::Failed { .. })
    }

    fn image_failure(&self, container: ContainerId) -> (&'static str, Option<Box<str>>) {
        match &self.life(container).image {
            Image::Failed {
                retrying: Some(_),
                message,
                ..
            } => ("ErrImagePull", Some(message.clone())),
            Image::Failed {
                retrying: None,
                message,
                ..
            } => ("ImagePullBackOff", Some(message.clone())),
            Image::Unknown | Image::Pulling(_) | Image::Present(_) => (self.first_wait(), None),
        }
    }

    fn first_wait(&self) -> &'static str {
        if self.has_init {
            "PodInitializing"
        } else {
            "ContainerCreating"
        }
    }

    fn status_message(&self) -> Option<Box<str>> {
        let deadline = self
            .record
            .result
            .as_ref()
            .is_some_and(|result| result.reason == Some(PodReason::DeadlineExceeded));
        deadline.then(|| "Pod was active on the node longer than the specified deadline".into())
    }

    /// Pending until everything that will start has started once, Running until all is down.
    fn phase(&self, containers: &[ContainerStatus]) -> Phase {
        if let Some(result) = &self.record.result {
            return result.phase;
        }
        let initialized = self.has_initialized();
        let (mut running, mut stopped) = (false, false);
        for (container, status) in self.containers().zip(containers) {
            let def = self.def(container);
            if def.role == Role::Ephemeral || self.will_never_run(container) {
                continue;
            }
            let never_ran = status.last.is_none();
            let pending = match (&status.state, def.list, def.is_oneshot()) {
                (ContainerState::Running { .. }, List::Init, true) => true,
                (ContainerState::Running { .. }, List::Init, false) => {
                    !status.started && !initialized
                }
                (ContainerState::Waiting { .. }, List::Init, false) => never_ran && !initialized,
                (ContainerState::Waiting { .. }, _, _) => never_ran,
                (ContainerState::Running { .. } | ContainerState::Terminated(_), _, _) => false,
            };
            if pending {
                return Phase::Pending;
            }
            running |= matches!(status.state, ContainerState::Running { .. });
            stopped |= !matches!(status.state, ContainerState::Running { .. })
                && def.list == List::Regular
                && !(never_ran && matches!(status.state, ContainerState::Waiting { .. }));
        }
        if running || stopped {
            self.phase_of_stopping_pod(initialized)
        } else {
            Phase::Pending
        }
    }

    fn phase_of_stopping_pod(&self, initialized: bool) -> Phase {
        match self.record.goal {
            Goal::Run => Phase::Running,
            Goal::Restart { .. } | Goal::End { .. } if initialized || !self.has_init => {
                Phase::Running
            }
            Goal::Restart { .. } | Goal::End { .. } => Phase::Pending,
        }
    }

    /// Whether a container of the regular list has been started in this run.
    fn has_initialized(&self) -> bool {
        let regular = self
            .containers()
            .filter(|container| self.def(*container).list == List::Regular);
        regular
            .into_iter()
            .any(|container| self.life(container).record.ran)
    }

    /// It gave up or ended before it ever ran.
    fn will_never_run(&self, container: ContainerId) -> bool {
        let record = &self.life(container).record;
        record.is_over() && record.exit.is_none() && record.last.is_none()
    }

    fn conditions(&self, phase: Phase, containers: &[ContainerStatus]) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let sandbox = self.record.sandbox && self.record.result.is_none();
        conditions.push(holds(ConditionKind::PodReadyToStartContainers, sandbox));
        conditions.push(self.initialized(phase, containers));
        let ready = self.containers_ready(phase);
        conditions.push(Condition {
            kind: ConditionKind::Ready,
            ..ready.clone()
        });
        conditions.push(ready);
        conditions.push(holds(ConditionKind::PodScheduled, true));
        conditions.extend(self.all_containers_restarting(phase));
        conditions
    }

    /// Shown where a rule can bring it about, and where it was asked for.
    fn all_containers_restarting(&self, phase: Phase) -> Option<Condition> {
        let kind = ConditionKind::AllContainersRestarting;
        let restarts = matches!(self.record.goal, Goal::Restart { at_once: true, .. });
        if restarts || self.was_deleted_while_pending() && self.would_restart_all() {
            return Some(Condition {
                reason: Some("RestartAllContainersStarted"),
                message: Some("container exited with restart policy rule".into()),
                ..holds(kind, true)
            });
        }
        let reason = match phase {
            Phase::Succeeded => Some("PodCompleted"),
            Phase::Failed if !self.was_deleted_while_pending() => Some("PodFailed"),
            Phase::Failed | Phase::Pending | Phase::Running => None,
        };
        (self.can_restart_all() || self.has_restarted_all()).then_some(Condition {
            reason,
            ..holds(kind, false)
        })
    }

    /// Whether a container has ended in a way for which all are restarted, whoever told it to.
    fn would_restart_all(&self) -> bool {
        self.containers().any(|container| {
            let end = self.life(container).record.exit.as_deref();
            let end = end.filter(|end| !end.restarting_all);
            end.is_some_and(|end| self.restarts_all(container, &end.exit))
        })
    }

    fn can_restart_all(&self) -> bool {
        let mut rules = self
            .pod
            .containers
            .iter()
            .flat_map(|def| &def.restart.rules);
        rules.any(|rule| rule.reaction == Reaction::RestartAllContainers)
    }

    fn has_restarted_all(&self) -> bool {
        let records = self.lives.iter().map(|life| &life.record);
        let mut ends = records.flat_map(|record| [&record.exit, &record.last]);
        ends.any(|end| end.as_ref().is_some_and(|end| end.restarting_all))
    }

    fn initialized(&self, phase: Phase, containers: &[ContainerStatus]) -> Condition {
        let kind = ConditionKind::Initialized;
        if phase == Phase::Succeeded {
            return Condition {
                reason: Some("PodCompleted"),
                ..holds(kind, true)
            };
        }
        let init = self
            .containers()
            .zip(containers)
            .filter(|(_, status)| status.list == List::Init);
        let incomplete = init.filter(|(container, status)| {
            if self.def(*container).is_oneshot() {
                !status.ready
            } else {
                !status.started
            }
        });
        let incomplete: Vec<_> = incomplete.map(|(_, status)| &*status.name).collect();
        if incomplete.is_empty() || self.was_initialized() {
            return holds(kind, true);
        }
        let message = format!(
            "containers with incomplete status: [{}]",
            incomplete.join(" ")
        );
        Condition {
            reason: Some("ContainersNotInitialized"),
            message: Some(message.into()),
            ..holds(kind, false)
        }
    }

    /// Notes that the condition holds at the moment at which all containers are restarted: for a kubelet it does so from then on.
    pub(super) fn note_initialized(&mut self) {
        let containers = self.status().containers;
        if self.initialized(Phase::Pending, &containers).status && !self.was_initialized() {
            self.pod_mut().stays_initialized = true;
        }
    }

    /// Once a pod is initialised it stays so, in a new sandbox too.
    fn was_initialized(&self) -> bool {
        self.has_initialized() || self.record.initialized || self.record.stays_initialized
    }

    /// A kubelet finds such a pod pending to its last look at it, and calls it failed only after that.
    fn was_deleted_while_pending(&self) -> bool {
        let mut containers = self.containers();
        self.is_deleted()
            && !self.has_failed_to_initialize()
            && containers.any(|container| {
                let record = &self.life(container).record;
                let has_run = record.ran || record.exit.is_some() || record.last.is_some();
                self.def(container).list == List::Regular && !has_run
            })
    }

    /// Whether an init container has ended with an error in this run of the pod, and neither a rule nor its policy would run
    /// it again: a kubelet looks at no more than that, though it was told to stop.
    fn has_failed_to_initialize(&self) -> bool {
        self.containers().any(|container| {
            let (def, record) = (self.def(container), &self.life(container).record);
            let failed = record.exit.as_deref().filter(|end| !end.exit.is_success());
            let failed = failed.filter(|_| record.ran);
            is_regular_init(def.list, def.is_oneshot())
                && failed.is_some_and(
                    |end| match restart::matching_rule(&def.restart, &end.exit) {
                        Some((
                            _,
                            Reaction::Restart
                            | Reaction::RestartAllContainers
                            | Reaction::RestartPod
                            | Reaction::CompletePod
                            | Reaction::Ignore,
                        )) => false,
                        Some((_, Reaction::FailPod)) => true,
                        None => !restart::restarts(def.restart.policy, true, false),
                    },
                )
        })
    }

    fn containers_ready(&self, phase: Phase) -> Condition {
        let kind = ConditionKind::ContainersReady;
        match phase {
            Phase::Succeeded => {
                return Condition {
                    reason: Some("PodCompleted"),
                    ..holds(kind, false)
                };
            }
            Phase::Failed if !self.was_deleted_while_pending() => {
                return Condition {
                    reason: Some("PodFailed"),
                    ..holds(kind, false)
                };
            }
            Phase::Failed | Phase::Pending | Phase::Running => {}
        }
        let unready = self
            .containers()
            .filter(|container| self.counts_as_unready(*container));
        let unready: Vec<_> = unready
            .map(|container| &*self.def(container).name)
            .collect();
        if unready.is_empty() {
            // Where nothing serves there is nothing to be ready for.
            let reason = (!self.has_services).then_some("ContainersNotReady");
            return Condition {
                reason,
                ..holds(kind, self.has_services)
            };
        }
        let message = format!("containers with unready status: [{}]", unready.join(" "));
        Condition {
            reason: Some("ContainersNotReady"),
            message: Some(message.into()),
            ..holds(kind, false)
        }
    }
}

fn is_regular_init(list: List, oneshot: bool) -> bool {
    list == List::Init && oneshot
}

fn holds(kind: ConditionKind, status: bool) -> Condition {
    Condition {
        kind,
        status,
        reason: None,
        message: None,
    }
}

fn why_put_off(why: &PutOff) -> ContainerState {
    let (reason, message) = match why {
        PutOff::Crashed => (CRASH_LOOP, None),
        PutOff::PostStart => ("PostStartHookError", None),
        PutOff::Unstarted(reason, message) => (reason.as_str(), Some(message.clone())),
    };
    ContainerState::Waiting { reason, message }
}

fn terminated(end: &Termination) -> Terminated {
    let exit = &end.exit;
    // How it ended is gone with it; the kubelet makes this up.
    if end.restarting_all && !end.waited {
        return Terminated {
            code: 137,
            signal: None,
            reason: RESTARTING_ALL.into(),
            message: Some(REMOVED.into()),
            started: end.started,
            finished: end.finished,
        };
    }
    let reason = match &exit.reason {
        Some(reason) => reason.clone(),
        None if exit.oom => "OOMKilled".into(),
        None if exit.is_success() => "Completed".into(),
        None => "Error".into(),
    };
    Terminated {
        code: exit.code,
        signal: exit.signal,
        message: exit.message.clone().or_else(|| explanation(&reason)),
        reason,
        started: end.started,
        finished: end.finished,
    }
}

const CRASH_LOOP: &str = "CrashLoopBackOff";

/// The kubelet's words for a container that is removed so that all are run again.
const RESTARTING_ALL: &str = "RestartingAllContainers";
const REMOVED: &str = "The container is removed because RestartAllContainers in place";
