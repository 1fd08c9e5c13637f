//! How the requirements of a container stand.

use super::World;
use super::fate::Fates;
use super::life::{Anew, Hook};
use crate::tri::Tri;
use pillion_engine::ContainerId;
use pillion_engine::pod::{List, Need, Requirement, Target, Until};

// === impl World ===

impl World {
    /// Whether every requirement of a container lets it start now.
    pub(crate) fn lets_all(&self, id: ContainerId) -> Tri {
        let edges = 0..self.container(id).requires.len();
        Tri::all(edges.map(|index| self.lets(id, index)))
    }

    /// Whether one requirement of a container lets it start now.
    pub(crate) fn lets(&self, id: ContainerId, index: usize) -> Tri {
        let edge = &self.container(id).requires[index];
        if !edge.gates_start() {
            return Tri::Yes;
        }
        let satisfied = self.satisfied(id, edge);
        let impossible = self.impossible(id, index);
        let usual = self.passes(id, edge, satisfied, impossible);
        match self.lost(id, index) {
            None => usual,
            Some(lost) => {
                let anew = self.passes_anew(edge, satisfied & Tri::from(lost.back), impossible);
                // Nobody knows whether it was lost: whatever both say.
                if lost.surely.surely() || anew == usual {
                    anew
                } else {
                    Tri::Maybe
                }
            }
        }
    }

    /// Whether a requirement that was lost lets its container start: when it holds again, whatever
    /// its need, or when it cannot and need not.
    fn passes_anew(&self, edge: &Requirement, satisfied: Tri, impossible: Tri) -> Tri {
        match edge.need {
            Need::Hard => satisfied,
            Need::Order => satisfied | impossible,
            // "Starts when the requirement holds again" and "soft goes on either way" disagree.
            Need::Soft => satisfied | impossible | self.target_failed(edge).doubted(),
        }
    }

    /// Whether a hard requirement of a container cannot be fulfilled any more.
    pub(crate) fn hopeless(&self, id: ContainerId) -> Tri {
        let edges = self.container(id).requires.iter().enumerate();
        let hard = edges.filter(|(_, edge)| edge.need == Need::Hard && edge.gates_start());
        Tri::any(hard.map(|(index, _)| self.impossible(id, index)))
    }

    /// Whether a requirement of a container cannot be fulfilled any more (for this start).
    pub(crate) fn impossible(&self, id: ContainerId, index: usize) -> Tri {
        let edge = &self.container(id).requires[index];
        let lost = self.lost(id, index).filter(|lost| !lost.back);
        let lost = lost.map_or(Tri::No, |lost| lost.surely);
        let satisfied = self.satisfied(id, edge) & !lost;
        !satisfied & (self.out_of_reach(id, edge) | self.timed_out(id, edge))
    }

    /// Whether the condition of a requirement holds now, as seen by the container that requires.
    pub(crate) fn satisfied(&self, id: ContainerId, edge: &Requirement) -> Tri {
        match edge.target {
            Target::Barrier(barrier) => {
                let edges = &self.shape.pod.barriers[barrier.index()].requires;
                let gating = edges.iter().filter(|edge| edge.gates_start());
                Tri::all(gating.map(|edge| self.passes_barrier(id, edge)))
            }
            Target::Container(target) => self.condition(target, edge.until),
        }
    }

    /// Whether a condition on a container holds now.
    pub(crate) fn condition(&self, id: ContainerId, until: Until) -> Tri {
        let (life, container) = (self.life(id), self.container(id));
        let ignored = life.fates.is(Fates::IGNORED).doubted();
        match until {
            Until::Attempted => life.run.attempted,
            // One that has done its work has started, though its hook or its probe had no time to say so.
            Until::Started if container.is_oneshot() => {
                life.run.started | life.fates.is(Fates::ENDED_OK).doubted()
            }
            Until::Started => life.started(container) & self.stays(id),
            Until::Ready if container.is_oneshot() => Tri::No,
            Until::Ready => life.ready(container) & self.stays(id),
            Until::Succeeded if life.run.code == Some(0) => {
                life.fates.is(Fates::ENDED_OK) | ignored
            }
            Until::Succeeded => life.fates.is(Fates::ENDED_OK),
            Until::Exited => life.fates.is(Fates::ENDED) | ignored,
            Until::Settled => Tri::Maybe,
        }
    }

    /// What is told to go is up and yet on its way down: it may count as either.
    fn stays(&self, id: ContainerId) -> Tri {
        let life = self.life(id);
        let told = life.told.is_some() || life.pre_stop != Hook::Idle;
        let goes = life.going.is_some() || life.condemned || self.swaps(id).possibly();
        let leaves = told || goes;
        if leaves { Tri::Maybe } else { Tri::Yes }
    }

    fn lost(&self, id: ContainerId, index: usize) -> Option<Anew> {
        let mut anew = self.life(id).run.anew.iter();
        anew.find(|lost| lost.edge == index).copied()
    }

    fn passes(&self, id: ContainerId, edge: &Requirement, satisfied: Tri, impossible: Tri) -> Tri {
        match edge.need {
            Need::Hard => satisfied,
            Need::Soft => satisfied | impossible | self.target_failed(edge),
            Need::Order => self.passes_in_order(id, edge) | satisfied | impossible,
        }
    }

    /// Whether an order edge counts no more: its container has been started in this run of the pod. As under a kubelet,
    /// the end of the init list counts for plain containers of the regular list whenever none of the list is up.
    fn passes_in_order(&self, id: ContainerId, edge: &Requirement) -> Tri {
        let begun = self.life(id).run.begun;
        let Target::Container(target) = edge.target else {
            return begun;
        };
        let (from, target) = (self.container(id), self.container(target));
        let by_list = from.plain
            && from.list == List::Regular
            && target.list == List::Init
            && !target.is_oneshot();
        if !by_list {
            return begun;
        }
        let regular = |id: &ContainerId| self.container(*id).list == List::Regular;
        let up = |id: &ContainerId| regular(id) && self.life(*id).live();
        let plain_up = self.ids().filter(up).any(|id| self.container(id).plain);
        Tri::from(plain_up) | (begun & Tri::from(self.ids().any(|id| up(&id))))
    }

    fn passes_barrier(&self, id: ContainerId, edge: &Requirement) -> Tri {
        let satisfied = self.satisfied(id, edge);
        let impossible = !satisfied & self.out_of_reach(id, edge);
        self.passes(id, edge, satisfied, impossible)
    }

    /// Whether an attempt of the target has failed in this run of the pod.
    fn target_failed(&self, edge: &Requirement) -> Tri {
        match edge.target {
            // It is being tried again: whether the wait has settled for good is open.
            Target::Container(target) if self.life(target).live() => {
                self.life(target).run.failed.doubted()
            }
            Target::Container(target) => self.life(target).run.failed,
            Target::Barrier(_) => Tri::No,
        }
    }

    /// The target has gone a way that never leads to the condition.
    fn out_of_reach(&self, id: ContainerId, edge: &Requirement) -> Tri {
        let target = match edge.target {
            Target::Container(target) => target,
            Target::Barrier(barrier) => {
                let edges = &self.shape.pod.barriers[barrier.index()].requires;
                let hard = edges
                    .iter()
                    .filter(|it| it.need == Need::Hard && it.gates_start());
                return Tri::any(
                    hard.map(|it| !self.satisfied(id, it) & self.out_of_reach(id, it)),
                );
            }
        };
        let fates = self.life(target).fates;
        match edge.until {
            Until::Attempted | Until::Started | Until::Ready => fates.is(Fates::OVER),
            Until::Succeeded => fates.is(Fates::OVER.without(Fates::ENDED_OK)),
            Until::Exited => fates.is(Fates::GAVE_UP) | fates.is(Fates::IGNORED).doubted(),
            Until::Settled => Tri::No,
        }
    }

    /// The wait was too long, counted from the target's turn.
    fn timed_out(&self, id: ContainerId, edge: &Requirement) -> Tri {
        let (Some(timeout), Target::Container(target)) = (edge.timeout, edge.target) else {
            return Tri::No;
        };
        let turn = self.life(target).turn;
        let waits_since = self.life(id).waits_since;
        let surely = turn.latest.map(|turn| turn.max(waits_since) + timeout);
        let possibly = turn.first.map(|turn| turn + timeout);
        if surely.is_some_and(|at| at <= self.timed) {
            Tri::Yes
        } else if possibly.is_some_and(|at| at <= self.now) {
            Tri::Maybe
        } else {
            Tri::No
        }
    }
}
