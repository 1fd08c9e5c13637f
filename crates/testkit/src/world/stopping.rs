//! Who is up, who is needed, and what reasons there are to stop a container.

use super::World;
use super::fate::Fates;
use super::goal::Level;
use super::life::{Asked, Hook, Undo, Why};
use crate::tri::Tri;
use pillion_engine::ContainerId;
use pillion_engine::pod::{Kind, Rerun, Role};

// === impl World ===

impl World {
    /// Whether a container is up: it has a process, or its reversal is still to come.
    pub(crate) fn up(&self, id: ContainerId) -> Tri {
        let life = self.life(id);
        if life.live() {
            return Tri::Yes;
        }
        match life.undo {
            Undo::Nothing | Undo::Runs => Tri::No,
            Undo::Owed(owed) => owed & self.reverses(id) & !self.budget_spent(),
        }
    }

    /// Whether everything that requires it, directly or through others, is down.
    pub(crate) fn unneeded(&self, id: ContainerId) -> Tri {
        let above = self.shape.above(id);
        Tri::all(above.iter().map(|it| !self.up(it)))
    }

    /// Whether nothing but debugging containers is up.
    pub(crate) fn all_down(&self) -> Tri {
        let counted = self
            .ids()
            .filter(|&id| self.container(id).role != Role::Ephemeral);
        Tri::all(counted.map(|id| !self.up(id)))
    }

    /// A restart of the pod leaves those alone that were added for debugging.
    pub(crate) fn is_untouched(&self, id: ContainerId) -> bool {
        let again = matches!(self.goal.level, Level::Restart | Level::Kill);
        again && self.container(id).role == Role::Ephemeral
    }

    /// Whether the budget of the stop that is under way is used up.
    pub(crate) fn budget_spent(&self) -> Tri {
        let Some(stop) = self.goal.stop else {
            return Tri::No;
        };
        if self.timed >= stop.ends.latest {
            Tri::Yes
        } else {
            Tri::from(self.now >= stop.ends.earliest).doubted()
        }
    }

    /// Whether the stop that is under way reverses that oneshot.
    pub(crate) fn reverses(&self, id: ContainerId) -> Tri {
        let again = matches!(
            self.container(id).kind,
            Kind::Oneshot {
                rerun: Rerun::OnPodRestart,
                ..
            }
        );
        match self.goal.level {
            Level::Run | Level::Kill => Tri::No,
            // One that was cut short may not have done its work: it runs again, whatever it says.
            Level::Restart if self.life(id).undo == Undo::Owed(Tri::Maybe) => {
                Tri::from(again) | Tri::Maybe
            }
            Level::Restart => Tri::from(again),
            Level::End => Tri::Yes,
        }
    }

    /// Whether a container that is down may be started (again) as far as the pod is concerned.
    pub(crate) fn may_run(&self, id: ContainerId) -> Tri {
        let wanted = self.life(id).fates.is(Fates::WANTED);
        match self.goal.level {
            // Those that go with it may have to be down first.
            Level::Run if self.alone_in_going(id) == Tri::No => {
                (wanted & self.is_running()).doubted()
            }
            Level::Run => wanted & self.is_running(),
            Level::Kill => Tri::No,
            Level::Restart | Level::End => wanted & self.restarts_in_stop(id),
        }
    }

    /// A sidecar that is down is started again during a stop while something above it is up.
    fn restarts_in_stop(&self, id: ContainerId) -> Tri {
        let (life, container) = (self.life(id), self.container(id));
        if container.role != Role::Sidecar || container.plain || self.budget_spent().surely() {
            return Tri::No;
        }
        // Who was in back-off when the stop began is not named.
        let is_restart = match life.run.begun {
            Tri::Yes if life.run.fell => Tri::Yes,
            Tri::Yes | Tri::Maybe => Tri::Maybe,
            Tri::No => Tri::No,
        };
        is_restart & !self.unneeded(id) & !self.budget_spent()
    }

    /// The reasons there are to stop a container now, but for the pod's own stop.
    pub(crate) fn own_reasons(&self, id: ContainerId) -> Why {
        let life = self.life(id);
        let mut why = Why::default();
        let failed = life.broken() | self.start_timed_out(id);
        why.add(Why::FAILURE, failed.possibly() || life.condemned);
        why.add(Why::TARGET, life.going.is_some());
        let left_before = self.goal.level != Level::Run && life.run.left_before;
        why.add(Why::ASKED, life.asked.is_some() || left_before);
        why.add(Why::REPLACE, self.swaps(id).possibly());
        why
    }

    /// All the reasons there are to stop a container now.
    pub(crate) fn reasons(&self, id: ContainerId) -> Why {
        let mut why = self.own_reasons(id);
        why.add(Why::POD, self.is_stopping_in_order());
        why.add(Why::KILL, self.goal.level == Level::Kill);
        why
    }

    /// The reasons for which a container is told to stop now: the pod's, if it is its turn.
    pub(crate) fn reasons_to_tell(&self, id: ContainerId) -> Why {
        let own = self.own_reasons(id);
        let early = self.unneeded(id) == Tri::No && !self.budget_spent().possibly();
        if early && !own.is_empty() && self.goal.level != Level::Kill {
            return own;
        }
        self.reasons(id)
    }

    /// Whether something surely demands that a container is stopped now, in a pod that runs on.
    pub(crate) fn must_go(&self, id: ContainerId) -> Tri {
        let life = self.life(id);
        let going = life.going.map_or(Tri::No, |going| going.must);
        let going = going & self.alone_in_going(id);
        let asked = Tri::from(life.asked == Some(Asked::Restart));
        going | asked | life.broken() | self.start_timed_out(id)
    }

    /// Of those that go together, everything above it is down.
    pub(crate) fn alone_in_going(&self, id: ContainerId) -> Tri {
        let above = self.shape.above(id);
        let together = above.iter().filter(|&it| self.life(it).going.is_some());
        Tri::all(together.map(|it| Tri::from(!self.life(it).live())))
    }

    /// Whether a container has had the whole grace period to go because of a target.
    pub(crate) fn had_its_time_to_go(&self, id: ContainerId) -> bool {
        let going = self.life(id).going;
        going.is_some_and(|going| going.since + self.shape.pod.grace <= self.now)
    }

    /// Whether its start took longer than it may.
    pub(crate) fn start_timed_out(&self, id: ContainerId) -> Tri {
        let (life, container) = (self.life(id), self.container(id));
        let Some(timeout) = container.start_timeout else {
            return Tri::No;
        };
        if life.live() && !life.runs_itself() {
            return Tri::No;
        }
        let over = if container.is_oneshot() {
            Tri::No
        } else if life.pre_stop == Hook::Idle {
            life.shown.was_ready
        } else {
            // Its stop has begun, and its start may have ended only then.
            life.shown.was_ready.doubted()
        };
        let surely = life
            .turn
            .latest
            .is_some_and(|at| at + timeout <= self.timed);
        let possibly = life
            .turn
            .earliest
            .is_some_and(|at| at + timeout <= self.now);
        !over & (Tri::from(surely) | Tri::from(possibly).doubted())
    }

    /// Whether it is to be stopped for an exchange now, there or back.
    pub(crate) fn swaps(&self, id: ContainerId) -> Tri {
        let Some(replacing) = self.life(id).replacing else {
            return Tri::No;
        };
        match replacing.swapped {
            None => replacing.swap & Tri::from(replacing.pulled),
            Some(at) => {
                // It counts from the turn: an image that was lost with a driver is pulled again first.
                let turn = self.life(id).turn.earliest;
                let since = turn.map_or(at, |turn| turn.min(at));
                let late = self.now >= since + replacing.patience;
                !replacing.settled & Tri::from(late).doubted()
            }
        }
    }
}
