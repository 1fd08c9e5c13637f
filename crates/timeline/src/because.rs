//! Finds the record that caused another, from the typed cause that the engine tells.
//!
//! Kept is only the latest number of each kind of record per container, so that a pod that lives
//! for years costs no more than one that lives for a minute.

use crate::record::{Record, Seq};
use pillion_engine::entry::{self, Cause, Entry, Impossible};
use pillion_engine::pod::{
    BarrierId, ContainerId, HookKind, Need, Pod, Reaction, Requirement, Role, Target, Until,
};
use std::collections::BTreeSet;

mod marks;

use marks::{Mark, Marks};

/// The latest records of everybody, and who stands above whom.
#[derive(Clone, Debug)]
pub(crate) struct Causes {
    containers: Vec<Marks>,
    pod: Marks,
    /// Of whichever container.
    anyone: Marks,
    /// Of whichever main.
    mains: Marks,
    /// Who requires a container, directly, where it counts at stop.
    above_container: Vec<Vec<Node>>,
    /// Who requires a barrier.
    above_barrier: Vec<Vec<Node>>,
    /// By container that was told to stop because nothing needs it any more: in which stop of the
    /// pod, and the last end above it. Nothing above it comes up again in that stop.
    ends_above: Vec<Option<(Option<Seq>, Option<Seq>)>>,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Node {
    Container(ContainerId),
    Barrier(BarrierId),
}

// === impl Causes ===

impl Causes {
    pub(crate) fn new(pod: &Pod) -> Self {
        let mut causes = Self {
            containers: vec![Marks::default(); pod.containers.len()],
            pod: Marks::default(),
            anyone: Marks::default(),
            mains: Marks::default(),
            above_container: vec![Vec::new(); pod.containers.len()],
            above_barrier: vec![Vec::new(); pod.barriers.len()],
            ends_above: vec![None; pod.containers.len()],
        };
        for (id, container) in (0..).zip(&pod.containers) {
            causes.place_above(Node::Container(ContainerId(id)), &container.requires);
        }
        for (id, barrier) in (0..).zip(&pod.barriers) {
            causes.place_above(Node::Barrier(BarrierId(id)), &barrier.requires);
        }
        causes
    }

    fn place_above(&mut self, above: Node, requires: &[Requirement]) {
        for requirement in requires
            .iter()
            .filter(|requirement| requirement.orders_stop())
        {
            let list = match requirement.target {
                Target::Container(id) => self.above_container.get_mut(id.index()),
                Target::Barrier(id) => self.above_barrier.get_mut(id.index()),
            };
            if let Some(list) = list {
                list.push(above);
            }
        }
    }

    /// Takes in a record, so that later ones can follow from it.
    pub(crate) fn note(&mut self, pod: &Pod, container: Option<ContainerId>, record: &Record) {
        let (what, seq) = (&record.what, record.seq);
        let Some(id) = container else {
            return self.pod.note(what, seq);
        };
        // An ephemeral container can join later; an id far out of range is somebody's mistake.
        if id.index() < pod.containers.len() && id.index() >= self.containers.len() {
            self.containers
                .resize(pod.containers.len(), Marks::default());
            self.above_container
                .resize(pod.containers.len(), Vec::new());
            self.ends_above.resize(pod.containers.len(), None);
        }
        if let Some(marks) = self.containers.get_mut(id.index()) {
            marks.note(what, seq);
        }
        self.anyone.note(what, seq);
        if pod
            .containers
            .get(id.index())
            .is_some_and(|container| container.role == Role::Main)
        {
            self.mains.note(what, seq);
        }
    }

    /// The number of the record that the entry follows from.
    pub(crate) fn find(&mut self, pod: &Pod, entry: &Entry) -> Option<Seq> {
        use entry::What;
        if let (Cause::Unneeded, Some(id)) = (&entry.cause, entry.container) {
            self.look_above(id);
        }
        // These come when the last one is down, whatever the reason for the whole.
        if matches!(
            entry.what,
            What::PodEnded { .. } | What::PodRestarting { .. }
        ) {
            let marks = [Mark::Down, Mark::Ended, Mark::GaveUp];
            return self.anyone.latest(&marks).max(self.pod.latest(&STOPS));
        }
        if entry.what == What::BudgetSpent {
            return self.pod.latest(&STOPS);
        }
        self.by_cause(pod, entry)
    }

    /// What has brought a target down, or will, since its dependant came up; if nothing can be seen of
    /// that, whatever came down last, because the target goes down with that.
    fn downfall(&self, own: &Marks, target: &Marks) -> Option<Seq> {
        let goes = target.latest(&[Mark::Stopping, Mark::ReplaceBegan]);
        let down = target.latest(&DOWN).max(goes);
        let up = own.latest(&[Mark::Attempted, Mark::Started]);
        down.filter(|down| Some(*down) > up)
            .or_else(|| self.anyone.latest(&DOWN))
            .or_else(|| target.latest(&[Mark::Last]))
    }

    /// What an entry follows from that has no other cause than what came before.
    fn by_what(&self, entry: &Entry) -> Option<Seq> {
        use entry::What;
        let own = self.own(entry);
        let last = own.latest(&[Mark::Last]);
        match &entry.what {
            What::PodReady => self.anyone.latest(&[Mark::Ready]),
            What::PodUnready => {
                let marks = [Mark::Unready, Mark::Down, Mark::GaveUp, Mark::Stopping];
                self.anyone.latest(&marks).max(self.pod.latest(&STOPS))
            }
            // Who begins anew does so because the pod does.
            What::Waiting { .. } | What::Turn | What::Pulling | What::Starting => {
                last.max(self.pod.latest(&[Mark::PodStarted]))
            }
            // Nobody stands above it: it goes as soon as the pod does.
            What::Stopping { .. }
            | What::Unready
            | What::HookBegan(HookKind::PreStop | HookKind::PodStopping) => {
                last.max(self.pod.latest(&STOPS))
            }
            What::Pulled | What::PullFailed { .. } => own.latest(&[Mark::Pulling]),
            What::HookEnded { hook, .. } => own.latest(&[Mark::HookBegan(*hook)]),
            What::Undone { .. } => own.latest(&[Mark::Undoing]),
            What::Running
            | What::StartFailed { .. }
            | What::HookBegan(HookKind::PostStart)
            | What::HookCut(_)
            | What::HookSkipped(_)
            | What::ProbeVerdict { .. }
            | What::Started
            | What::Ready
            | What::Exited(_)
            | What::Restarting { .. }
            | What::Ended { .. }
            | What::GaveUp
            | What::Ignored
            | What::Undoing
            | What::UndoSkipped
            | What::ReplaceBegan
            | What::Replaced
            | What::RolledBack
            | What::ReplaceAbandoned
            | What::PodStarted { .. }
            | What::PodStopping { .. }
            | What::PodKilled
            | What::PodHurried { .. }
            | What::PodNotDelayed { .. }
            | What::BudgetSpent
            | What::PodRestarting { .. }
            | What::PodEnded { .. }
            | What::Recovered => last,
        }
    }

    fn by_cause(&self, pod: &Pod, entry: &Entry) -> Option<Seq> {
        let own = self.own(entry);
        match &entry.cause {
            Cause::PodStart | Cause::ActiveDeadline => self.pod.latest(&[Mark::PodStarted]),
            Cause::Itself => self.by_what(entry),
            Cause::Fulfilled { target, until } | Cause::Without { target, until } => self
                .fulfilment(
                    pod,
                    *target,
                    *until,
                    need(pod, entry.container, *target, *until),
                ),
            Cause::Impossible { target, why, .. } => self
                .impossibility(pod, *target, *why)
                .or_else(|| own.latest(&[Mark::Waiting])),
            Cause::TargetDown { target } => self.downfall(own, self.of(*target)),
            Cause::Unneeded => self
                .end_above(entry.container?)
                .max(self.pod.latest(&STOPS))
                .or_else(|| own.latest(&[Mark::Last])),
            Cause::Rule { container, .. } | Cause::FailedAttempt(container) => {
                self.of(*container).after_exit()
            }
            Cause::Policy | Cause::RestartLimit => own.after_exit(),
            Cause::Probe(probe) => own.first_of(&[&[Mark::ProbeFailed(*probe)], &[Mark::Last]]),
            Cause::PostStart => own.first_of(&[&[Mark::PostStartFailed], &[Mark::Last]]),
            // The kill follows from the turn that took too long, the rest from the kill.
            Cause::StartTimeout => own.latest(&[Mark::Turn, Mark::Down, Mark::Failed]),
            Cause::Asked { by, reaction, .. } => self.asked(entry, *by, *reaction),
            // It came from outside, like a deletion of which the pod itself tells.
            Cause::SandboxLost => None,
            Cause::Deletion => self.pod_own(entry),
            Cause::Completion => self
                .pod_own(entry)
                .or_else(|| self.mains.latest(&[Mark::Ended, Mark::GaveUp])),
            Cause::Keystone(id) => self
                .of(*id)
                .first_of(&[&[Mark::Ended, Mark::GaveUp], &[Mark::Down]]),
            Cause::NeverRan(id) => self.of(*id).latest(&[Mark::Last]),
            Cause::GiveUp(id) => self.of(*id).latest(&[Mark::GaveUp]),
            Cause::Budget => self.pod.first_of(&[&[Mark::BudgetSpent], &STOPS]),
            Cause::Replacement(id) => self.of(*id).latest(&[Mark::ReplaceBegan]),
            Cause::PodRestart => {
                self.pod
                    .latest(&[Mark::PodRestarting, Mark::PodKilled, Mark::PodStarted])
            }
        }
    }

    /// What a container's entry follows from in the pod's own; the pod's own came from outside.
    fn pod_own(&self, entry: &Entry) -> Option<Seq> {
        entry.container.and_then(|_| self.pod.latest(&STOPS))
    }

    /// An ask is no record itself: what it made of the pod is, else the run of who asked.
    fn asked(&self, entry: &Entry, by: Option<ContainerId>, reaction: Reaction) -> Option<Seq> {
        let asker = || by.and_then(|id| self.of(id).latest(&[Mark::Last]));
        match reaction {
            Reaction::Restart | Reaction::Ignore => asker(),
            Reaction::RestartAllContainers
            | Reaction::RestartPod
            | Reaction::FailPod
            | Reaction::CompletePod => self.pod_own(entry).or_else(asker),
        }
    }

    /// The record by which a target let somebody through.
    fn fulfilment(&self, pod: &Pod, target: Target, until: Until, need: Need) -> Option<Seq> {
        match target {
            Target::Container(id) => self.of(id).fulfilment(until, need),
            Target::Barrier(_) => members(pod, target)
                .into_iter()
                .filter_map(|(id, until, need)| self.of(id).fulfilment(until, need))
                .max(),
        }
    }

    /// The record after which a target could not let anybody through any more.
    fn impossibility(&self, pod: &Pod, target: Target, why: Impossible) -> Option<Seq> {
        let mark = match why {
            Impossible::GaveUp => Mark::GaveUp,
            Impossible::Ended => Mark::Ended,
            // The time counts from there.
            Impossible::TimedOut => Mark::Turn,
        };
        match target {
            Target::Container(id) => self.of(id).latest(&[mark]),
            Target::Barrier(_) => members(pod, target)
                .into_iter()
                .filter_map(|(id, ..)| self.of(id).latest(&[mark]))
                .max(),
        }
    }

    /// Keeps the last end above a container that is told to stop, for itself and those below it:
    /// a long chain is climbed only once.
    fn look_above(&mut self, id: ContainerId) {
        let seen = (self.pod.latest(&STOPS), self.last_down_above(id));
        if let Some(kept) = self.ends_above.get_mut(id.index()) {
            *kept = Some(seen);
        }
    }

    /// What was kept of the last end above a container in this stop of the pod.
    fn end_above(&self, id: ContainerId) -> Option<Seq> {
        let kept = self.ends_above.get(id.index()).copied().flatten();
        kept.and_then(|(_, end)| end)
    }

    fn is_kept(&self, id: ContainerId) -> bool {
        let kept = self.ends_above.get(id.index()).copied().flatten();
        kept.is_some_and(|(stop, _)| stop == self.pod.latest(&STOPS))
    }

    /// The last end among all that require a container, directly or through others.
    fn last_down_above(&self, id: ContainerId) -> Option<Seq> {
        let mut seen = BTreeSet::new();
        let mut open = vec![Node::Container(id)];
        let mut last = None;
        while let Some(node) = open.pop() {
            let above = match node {
                Node::Container(id) => self.above_container.get(id.index()),
                Node::Barrier(id) => self.above_barrier.get(id.index()),
            };
            for &node in above.into_iter().flatten() {
                if !seen.insert(node) {
                    continue;
                }
                match node {
                    Node::Container(id) => {
                        last = last.max(self.of(id).latest(&[Mark::Down]));
                        if self.is_kept(id) {
                            last = last.max(self.end_above(id));
                        } else {
                            open.push(node);
                        }
                    }
                    Node::Barrier(_) => open.push(node),
                }
            }
        }
        last
    }

    fn own(&self, entry: &Entry) -> &Marks {
        entry.container.map_or(&self.pod, |id| self.of(id))
    }

    fn of(&self, id: ContainerId) -> &Marks {
        self.containers.get(id.index()).unwrap_or(Marks::NONE)
    }
}

/// The ways in which a container has gone down.
const DOWN: [Mark; 4] = [Mark::Down, Mark::Failed, Mark::Ended, Mark::GaveUp];

/// The ways in which a pod begins to go down.
const STOPS: [Mark; 2] = [Mark::PodStopping, Mark::PodKilled];

/// How strongly a container waits for a target.
fn need(pod: &Pod, container: Option<ContainerId>, target: Target, until: Until) -> Need {
    let own = container
        .and_then(|id| pod.containers.get(id.index()))
        .into_iter()
        .flat_map(|container| &container.requires);
    // What others meet for may be gone without as well.
    let met = pod.barriers.iter().flat_map(|barrier| &barrier.requires);
    own.chain(met)
        .find(|requirement| requirement.target == target && requirement.until == until)
        .map_or(Need::Hard, |requirement| requirement.need)
}

/// The containers that a barrier gathers, through other barriers too.
fn members(pod: &Pod, barrier: Target) -> Vec<(ContainerId, Until, Need)> {
    let mut seen = BTreeSet::new();
    let mut open = vec![barrier];
    let mut members = Vec::new();
    while let Some(target) = open.pop() {
        let Target::Barrier(id) = target else {
            continue;
        };
        if !seen.insert(id) {
            continue;
        }
        let requires = pod
            .barriers
            .get(id.index())
            .into_iter()
            .flat_map(|b| &b.requires);
        for requirement in requires.filter(|requirement| requirement.gates_start()) {
            match requirement.target {
                Target::Container(id) => members.push((id, requirement.until, requirement.need)),
                Target::Barrier(_) => open.push(requirement.target),
            }
        }
    }
    members
}
