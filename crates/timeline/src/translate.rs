//! From the engine's entries to records: ids become names, ticks become time since the start.

use crate::record::{Cause, Name, Target, What};
use pillion_engine::entry;
use pillion_engine::event::Exit;
use pillion_engine::pod::{self, BarrierId, ContainerId, Pod};
use pillion_engine::tick::Tick;
use std::time::Duration;

/// What the translation needs to know: the pod for names, and a way to count time.
pub(crate) struct Translator<'a, F> {
    pub(crate) pod: &'a Pod,
    pub(crate) since_start: F,
}

// === impl Translator ===

impl<F: Fn(Tick) -> Duration> Translator<'_, F> {
    pub(crate) fn what(&self, what: &entry::What) -> What {
        match what {
            entry::What::Waiting { target, until } => What::Waiting {
                target: self.target(*target),
                until: *until,
            },
            entry::What::Turn => What::Turn,
            entry::What::Pulling => What::Pulling,
            entry::What::Pulled => What::Pulled,
            entry::What::PullFailed { message, retry_in } => What::PullFailed {
                message: message.clone(),
                retry_in: whole_micros(*retry_in),
            },
            entry::What::Starting => What::Starting,
            entry::What::Running => What::Running,
            entry::What::StartFailed { reason, message } => What::StartFailed {
                reason: *reason,
                message: message.clone(),
            },
            entry::What::HookBegan(hook) => What::HookBegan { hook: *hook },
            entry::What::HookEnded { hook, ok } => What::HookEnded {
                hook: *hook,
                ok: *ok,
                message: None,
            },
            entry::What::HookCut(hook) => What::HookCut { hook: *hook },
            entry::What::HookSkipped(hook) => What::HookSkipped { hook: *hook },
            entry::What::ProbeVerdict { probe, ok } => What::ProbeVerdict {
                probe: *probe,
                ok: *ok,
                message: None,
            },
            entry::What::Started => What::Started,
            entry::What::Ready => What::Ready,
            entry::What::Unready => What::Unready,
            entry::What::Stopping { deadline } => What::Stopping {
                deadline: self.deadline(*deadline),
            },
            entry::What::Exited(exit) => exited(exit),
            entry::What::Restarting { after } => What::Restarting {
                after: whole_micros(*after),
            },
            entry::What::Ended { ok } => What::Ended { ok: *ok },
            entry::What::GaveUp => What::GaveUp,
            entry::What::Ignored => What::Ignored,
            entry::What::Undoing => What::Undoing,
            entry::What::Undone { ok } => What::Undone { ok: *ok },
            entry::What::UndoSkipped => What::UndoSkipped,
            entry::What::ReplaceBegan => What::ReplaceBegan,
            entry::What::Replaced => What::Replaced,
            entry::What::RolledBack => What::RolledBack,
            entry::What::ReplaceAbandoned => What::ReplaceAbandoned,
            entry::What::PodStarted { run } => What::PodStarted { run: *run },
            entry::What::PodReady => What::PodReady,
            entry::What::PodUnready => What::PodUnready,
            entry::What::PodStopping { deadline } => What::PodStopping {
                deadline: self.deadline(*deadline),
            },
            entry::What::PodKilled => What::PodKilled,
            entry::What::PodHurried { deadline } => What::PodHurried {
                deadline: self.deadline(*deadline),
            },
            entry::What::PodNotDelayed { deadline } => What::PodNotDelayed {
                deadline: self.deadline(*deadline),
            },
            entry::What::BudgetSpent => What::BudgetSpent,
            entry::What::PodRestarting { after } => What::PodRestarting {
                after: whole_micros(*after),
            },
            entry::What::PodEnded {
                phase,
                decider,
                code,
            } => What::PodEnded {
                phase: *phase,
                decider: decider.map(|id| self.name(id)),
                code: *code,
                status: None,
            },
            entry::What::Recovered => What::Recovered,
        }
    }

    pub(crate) fn cause(&self, cause: &entry::Cause) -> Cause {
        match cause {
            entry::Cause::PodStart => Cause::PodStart,
            entry::Cause::Itself => Cause::Itself,
            entry::Cause::Fulfilled { target, until } => Cause::Fulfilled {
                target: self.target(*target),
                until: *until,
            },
            entry::Cause::Without { target, until } => Cause::Without {
                target: self.target(*target),
                until: *until,
            },
            entry::Cause::Impossible { target, until, why } => Cause::Impossible {
                target: self.target(*target),
                until: *until,
                why: *why,
            },
            entry::Cause::TargetDown { target } => Cause::TargetDown {
                target: self.name(*target),
            },
            entry::Cause::Unneeded => Cause::Unneeded,
            entry::Cause::Policy => Cause::Policy,
            entry::Cause::Rule {
                container,
                index,
                reaction,
            } => Cause::Rule {
                container: self.name(*container),
                index: *index,
                reaction: *reaction,
            },
            entry::Cause::Probe(probe) => Cause::Probe {
                probe: *probe,
                message: None,
            },
            entry::Cause::PostStart => Cause::PostStart,
            entry::Cause::StartTimeout => Cause::StartTimeout,
            entry::Cause::RestartLimit => Cause::RestartLimit,
            entry::Cause::FailedAttempt(id) => Cause::FailedAttempt {
                container: self.name(*id),
            },
            entry::Cause::Asked {
                by,
                reaction,
                reason,
            } => Cause::Asked {
                by: by.map(|id| self.name(id)),
                reaction: *reaction,
                reason: reason.clone(),
            },
            entry::Cause::Deletion => Cause::Deletion { by: None },
            entry::Cause::Completion => Cause::Completion,
            entry::Cause::Keystone(id) => Cause::Keystone {
                container: self.name(*id),
            },
            entry::Cause::GiveUp(id) => Cause::GiveUp {
                container: self.name(*id),
            },
            entry::Cause::ActiveDeadline => Cause::ActiveDeadline,
            entry::Cause::NeverRan(id) => Cause::NeverRan {
                container: self.name(*id),
            },
            entry::Cause::Budget => Cause::Budget,
            entry::Cause::SandboxLost => Cause::SandboxLost,
            entry::Cause::Replacement(id) => Cause::Replacement {
                container: self.name(*id),
                by: None,
            },
            entry::Cause::PodRestart => Cause::PodRestart,
        }
    }

    /// The name of a container. An id that the pod does not have is shown as a number: the entry
    /// still says more than nothing.
    pub(crate) fn name(&self, id: ContainerId) -> Name {
        match self.pod.containers.get(id.index()) {
            Some(container) => container.name.clone(),
            None => format!("#{}", id.0).into(),
        }
    }

    fn target(&self, target: pod::Target) -> Target {
        match target {
            pod::Target::Container(id) => Target::Container(self.name(id)),
            pod::Target::Barrier(id) => Target::Barrier(self.barrier(id)),
        }
    }

    fn barrier(&self, id: BarrierId) -> Box<str> {
        match self.pod.barriers.get(id.index()) {
            Some(barrier) => barrier.name.clone(),
            None => format!("barrier #{}", id.0).into(),
        }
    }

    fn deadline(&self, deadline: Tick) -> Option<Duration> {
        (deadline != Tick::NEVER).then(|| (self.since_start)(deadline))
    }
}

/// Records hold whole microseconds, which JSON numbers can carry exactly.
pub(crate) const fn whole_micros(duration: Duration) -> Duration {
    Duration::new(duration.as_secs(), duration.subsec_micros() * 1000)
}

fn exited(exit: &Exit) -> What {
    let Exit {
        code,
        signal,
        oom,
        reason,
        message,
    } = exit;
    What::Exited {
        code: *code,
        signal: *signal,
        oom: *oom,
        reason: reason.clone(),
        message: message.clone(),
    }
}
