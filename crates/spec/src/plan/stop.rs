//! How long stopping may take: who is told when, who is cut short, and when the last has ended.
//!
//! The worst case is that everybody is deaf to the signal and every hook hangs. It is a bound that
//! is reached, of a pod that is up: what the simulator plays then never takes longer.

use super::{Order, is_stopped, waves};
use crate::container::Container as Written;
use crate::hook::Hook;
use crate::pod::PodSpec;
use pillion_engine::pod::{Container, ContainerId, LAST_WINDOW, Pod, Requirement, SHORTEST_GRACE};
use std::time::Duration;

/// How a pod stops when everything takes as long as it may.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StopPlan {
    /// Those that are stopped, first wave first. A oneshot without an undo has long ended.
    pub waves: Vec<Vec<ContainerId>>,
    /// By container, as far as it is in a wave.
    pub stops: Vec<Option<Stop>>,
    /// From the beginning of the stop to the last exit.
    pub worst_case: Duration,
}

/// The stop of one container when everything takes as long as it may.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Stop {
    /// When it is told to stop, at the latest.
    pub begins_by: Duration,
    /// When it has ended, at the latest.
    pub ends_by: Duration,
    /// How long it may take by its own `stopTimeoutSeconds`; what the budget leaves if not given.
    pub limit: Option<Duration>,
    /// How long it has before it is killed, at least. Nothing for an undo that would be skipped.
    pub has: Duration,
    /// A hook that hangs uses up what it has, and then it still has the last moment.
    pub hook_may_hang: bool,
    /// What is done is the undo of a oneshot.
    pub undo: bool,
}

/// How one container goes about its stop.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    limit: Option<Duration>,
    undo: bool,
    /// How long the hook may run that begins with the stop of the pod.
    pod_stopping: Option<Duration>,
    /// How long the hook may run that begins at its own turn.
    pre_stop: Option<Duration>,
    /// All its hooks begin with the stop of the pod.
    plain: bool,
}

/// What a pod has for stopping: its grace period, and never nothing.
pub fn budget(pod: &Pod) -> Duration {
    pod.grace.max(SHORTEST_GRACE)
}

/// The order in which containers stop, and how long that may take. What is written tells how long
/// hooks that sleep take; other hooks may hang.
pub fn stop_plan(pod: &Pod, written: &PodSpec) -> StopPlan {
    let (order, budget) = (stop_order(pod), budget(pod));
    let wave = order.flow(|node, _, wave: usize| {
        wave + usize::from(pod.containers.get(node).is_some_and(is_stopped))
    });
    let written = written.all_containers().map(|(_, _, container)| container);
    let manners: Vec<_> = pod.containers.iter().zip(written).map(Manner::of).collect();
    let begins = order.begins(pod, |id, begin| manners[id.index()].end(begin, budget));
    let stop = |((begin, manner), container): ((Option<Duration>, &Manner), &Container)| {
        let begin = begin.filter(|_| is_stopped(container))?;
        Some(Stop::new(begin.min(budget), budget, manner))
    };
    let stops = begins.into_iter().zip(&manners).zip(&pod.containers);
    let stops: Vec<_> = stops.map(stop).collect();
    let ends = stops.iter().flatten().map(|stop| stop.ends_by);
    StopPlan {
        waves: waves(pod, &wave, is_stopped),
        worst_case: ends.max().unwrap_or_default(),
        stops,
    }
}

/// When each container is told to stop at the latest, if one whose turn comes ends as `ends` says.
pub(crate) fn stop_begins(
    pod: &Pod,
    ends: impl Fn(ContainerId, Duration) -> Duration,
) -> Vec<Option<Duration>> {
    stop_order(pod).begins(pod, ends)
}

fn stop_order(pod: &Pod) -> Order {
    Order::new(pod, Requirement::orders_stop, |from, to| (from, to))
}

/// How long a hook may run. Only a sleep is known to end.
fn hook_time(hook: Option<&Hook>) -> Option<Duration> {
    hook.map(|hook| match hook {
        Hook::Sleep { seconds } => Duration::from_secs(*seconds),
        Hook::Exec(_) | Hook::HttpGet(_) | Hook::TcpSocket(_) => Duration::MAX,
    })
}

// === impl Stop ===

impl Stop {
    fn new(begins_by: Duration, budget: Duration, manner: &Manner) -> Self {
        Self {
            begins_by,
            ends_by: manner.end(begins_by, budget),
            limit: manner.limit,
            has: manner.has(begins_by, budget),
            hook_may_hang: manner.hook_may_hang(),
            undo: manner.undo,
        }
    }

    /// Whether it may get less than its own limit, or nothing but the last moment.
    pub fn is_cut_short(&self) -> bool {
        match self.limit {
            Some(limit) => self.has < limit,
            None => self.has <= LAST_WINDOW && !self.begins_by.is_zero(),
        }
    }
}

// === impl Manner ===

impl Manner {
    pub(crate) fn of((drawn, written): (&Container, &Written)) -> Self {
        let lifecycle = &written.lifecycle;
        Self {
            limit: drawn.stop_timeout,
            undo: drawn.has_undo(),
            pod_stopping: hook_time(lifecycle.pod_stopping.as_ref()),
            pre_stop: hook_time(lifecycle.pre_stop.as_ref()),
            plain: drawn.plain,
        }
    }

    pub(crate) fn hook_may_hang(&self) -> bool {
        !self.undo && [self.pod_stopping, self.pre_stop].contains(&Some(Duration::MAX))
    }

    /// When it has ended at the latest, if its turn comes then.
    pub(crate) fn end(&self, begin: Duration, budget: Duration) -> Duration {
        let begin = begin.min(budget);
        let deadline = self.deadline(begin, budget);
        let signal = self.signal(begin);
        // An undo is told to stop when its time is over. If its turn may come too late to begin at
        // all, it may also come just in time.
        if self.undo || signal >= deadline {
            return deadline.saturating_add(LAST_WINDOW);
        }
        match self.limit {
            Some(_) => deadline,
            None => deadline.max(signal.saturating_add(LAST_WINDOW)),
        }
    }

    /// How long it has until it is killed, at least.
    fn has(&self, begin: Duration, budget: Duration) -> Duration {
        let left = self.deadline(begin, budget).saturating_sub(begin);
        match self.limit {
            _ if self.undo => left,
            Some(_) if !left.is_zero() => left,
            Some(_) | None => left.max(LAST_WINDOW),
        }
    }

    fn deadline(&self, begin: Duration, budget: Duration) -> Duration {
        let own = self.limit.map(|limit| begin.saturating_add(limit));
        own.map_or(budget, |own| own.min(budget))
    }

    /// When its hooks have ended, if nobody ends them.
    fn signal(&self, begin: Duration) -> Duration {
        let begin = begin.max(self.pod_stopping.unwrap_or_default());
        let pre_stop = self.pre_stop.unwrap_or_default();
        if self.plain {
            begin.max(pre_stop)
        } else {
            begin.saturating_add(pre_stop)
        }
    }
}
