//! What the result of a pod must be.

use super::World;
use super::fate::Fates;
use super::goal::EndCause;
use super::life::Life;
use crate::tri::Tri;
use pillion_engine::pod::{Keystone, OnGiveUp, Role, Target};
use pillion_engine::status::Phase;
use pillion_engine::{ContainerId, PodResult};

// === impl World ===

impl World {
    /// Why a result is not the one the pod must have, if it is not.
    pub(crate) fn wrong_result(&self, result: &PodResult) -> Option<String> {
        let causes = &self.goal.causes;
        let wrongs: Vec<_> = causes.iter().map(|it| self.wrong_by(*it, result)).collect();
        if wrongs.iter().any(Option::is_none) {
            return None;
        }
        let first = wrongs.into_iter().flatten().next();
        Some(first.unwrap_or_else(|| "nothing has ended the pod".into()))
    }

    fn wrong_by(&self, cause: EndCause, result: &PodResult) -> Option<String> {
        let expected = self.success_by(cause);
        let shown = result.phase == Phase::Succeeded;
        let wrong = match expected {
            Tri::Yes => !shown,
            Tri::No => shown,
            Tri::Maybe => false,
        };
        if wrong {
            return Some(format!("the pod is {:?} after {cause:?}", result.phase));
        }
        self.wrong_decider(cause, result)
    }

    /// Whether the pod has succeeded if this was the first cause of its end.
    fn success_by(&self, cause: EndCause) -> Tri {
        match cause {
            EndCause::Deletion | EndCause::Completion | EndCause::SandboxLost => {
                self.mains_succeeded()
            }
            EndCause::Keystone(id) => self.keystone_succeeded(id),
            EndCause::GiveUp(_) | EndCause::Fail(_) | EndCause::Deadline => Tri::No,
            EndCause::Complete(_) => Tri::Yes,
        }
    }

    fn keystone_succeeded(&self, id: ContainerId) -> Tri {
        let life = self.life(id);
        match self.container(id).keystone {
            Some(Keystone::Success) => Tri::Yes,
            Some(Keystone::Failure) => Tri::No,
            Some(Keystone::Any) | None => {
                let gave_up = life.fates.is(Fates::GAVE_UP);
                let pardoned = Tri::from(life.run.pardoned).doubted();
                let undone = life.undone() & Tri::from(self.container(id).is_oneshot());
                (Tri::from(life.run.code == Some(0)) | pardoned) & !gave_up & !undone
            }
        }
    }

    /// Whether every main that counts has ended with 0.
    fn mains_succeeded(&self) -> Tri {
        let mains = self
            .ids()
            .filter(|&id| self.container(id).role == Role::Main);
        let counts: Vec<_> = mains.map(|id| self.counted_success(id)).collect();
        let counted: Vec<_> = counts.iter().flatten().copied().collect();
        // A pod of which no main counts has no result of its own.
        if counted.is_empty() {
            Tri::Maybe
        } else {
            Tri::all(counted)
        }
    }

    /// Whether a main ended with 0; `None` if it does not count.
    fn counted_success(&self, id: ContainerId) -> Option<Tri> {
        let (life, container) = (self.life(id), self.container(id));
        let bad = life.fates.is(Fates::GAVE_UP) | life.fates.is(Fates::ENDED_BAD) | life.undone();
        let well = match life.run.code {
            // Killed by a probe or a timeout, and yet it ended with 0: that is open.
            Some(0) => !bad.doubted(),
            Some(_) => Tri::from(life.run.pardoned).doubted(),
            // It counts as ended with 0 if what it had waited for has.
            None if life.run.pardoned => Tri::Maybe,
            None if life.attempt == 0 => Tri::No,
            // It ran in a run of the pod before this one, or its start failed.
            None => Tri::Maybe,
        };
        let ignored = life.fates.is(Fates::IGNORED);
        let forgiven = container.on_give_up == OnGiveUp::Ignore && !well.surely();
        match ignored {
            Tri::Yes => None,
            Tri::No | Tri::Maybe if forgiven => None,
            Tri::Maybe => Some(Tri::Maybe),
            Tri::No => Some(well),
        }
    }

    fn wrong_decider(&self, cause: EndCause, result: &PodResult) -> Option<String> {
        match cause {
            EndCause::Keystone(id) if self.life(id).fates.is(Fates::GAVE_UP).possibly() => {
                self.wrong_root(id, result.decider)
            }
            EndCause::Keystone(id) if result.decider != Some(id) => {
                Some(format!("decided by {:?}, not by {id:?}", result.decider))
            }
            EndCause::Keystone(id) => self.wrong_code(id, result),
            EndCause::GiveUp(id) => self.wrong_root(id, result.decider),
            EndCause::Fail(by) | EndCause::Complete(by) => {
                let other = result.decider.is_some() && result.decider != by;
                other.then(|| format!("decided by {:?}, not by {by:?}", result.decider))
            }
            EndCause::Deletion | EndCause::Completion | EndCause::SandboxLost => {
                self.wrong_sum(result)
            }
            EndCause::Deadline => {
                let told = result.reason == Some(pillion_engine::PodReason::DeadlineExceeded);
                (!told).then(|| "the reason is not DeadlineExceeded".into())
            }
        }
    }

    /// Whoever gave up decides, or the one below it for whose sake it did.
    fn wrong_root(&self, id: ContainerId, decider: Option<ContainerId>) -> Option<String> {
        let root = decider.is_some_and(|root| root == id || self.requires_at_all(id, root));
        (!root).then(|| format!("decided by {decider:?}, though {id:?} gave up"))
    }

    /// Whether one container requires another, directly or through others, by any edge.
    pub(crate) fn requires_at_all(&self, id: ContainerId, target: ContainerId) -> bool {
        let mut open = self.container(id).requires.clone();
        while let Some(edge) = open.pop() {
            match edge.target {
                Target::Container(next) if next == target => return true,
                Target::Container(next) => open.extend(self.container(next).requires.clone()),
                Target::Barrier(next) => {
                    open.extend(self.shape.pod.barriers[next.index()].requires.clone());
                }
            }
        }
        false
    }

    fn wrong_code(&self, id: ContainerId, result: &PodResult) -> Option<String> {
        let run = &self.life(id).run;
        let code = run.code?;
        let odd = code == 0 && result.phase == Phase::Failed;
        let pardoned = run.pardoned && result.phase == Phase::Succeeded;
        (code != result.code && !odd && !pardoned)
            .then(|| format!("the code is {}, the keystone's is {code}", result.code))
    }

    /// Without a keystone the code is 0, or that of a main that failed.
    fn wrong_sum(&self, result: &PodResult) -> Option<String> {
        let mains = self
            .ids()
            .filter(|&id| self.container(id).role == Role::Main);
        let mut codes = mains.map(|id| self.life(id).run.code);
        let known = match result.phase {
            Phase::Succeeded => result.code == 0,
            // One that never ran has no code of its own.
            Phase::Pending | Phase::Running | Phase::Failed => {
                codes.any(|code| code.is_none_or(|code| code == result.code || code == 0))
            }
        };
        (!known).then(|| format!("no main ended with {}", result.code))
    }
}

// === impl Life ===

impl Life {
    /// A oneshot that was killed has not done its work, whatever its code, also while it is to be tried again.
    fn undone(&self) -> Tri {
        let verdict = self.run.verdict;
        verdict.map_or(Tri::No, |own| own.is(Fates::ENDED_BAD))
    }
}
