//! The engine itself: owns the containers, dispatches what comes in, queues what goes out.
//!
//! The decisions live in the modules below, one subject each:
//!
//! | module | what it decides |
//! | --- | --- |
//! | `request` | what is wanted of the pod, and whether that can be |
//! | `edges` | how each requirement stands, and who is held back by it |
//! | `regular` | whether anything of the regular list is up, as far as others are held back by that |
//! | `start` | when a container's turn has come: image, start |
//! | `running` | hooks, probes, readiness of a process that runs |
//! | `exit` | what an exit means: rules, policy, giving up |
//! | `back_off` | how long a container waits before it is tried again |
//! | `stop` | stopping one container: hooks, signal, time |
//! | `wave` | stopping many in order |
//! | `propagate` | `onRestart`: who goes down with a target |
//! | `goal` | the end of the pod, its restart, its result |
//! | `removed` | what becomes of those that are down when all are restarted |
//! | `replace` | exchanging one container |
//! | `recover` | coming back after a crash |
//! | `view` | the pod's status for Kubernetes' eyes |
//! | `lost` | which containers of an ended pod that status calls lost |

mod back_off;
mod edges;
mod exit;
mod fingerprint;
mod goal;
mod lost;
mod propagate;
mod recover;
mod regular;
mod removed;
mod replace;
mod request;
mod running;
mod start;
mod stop;
mod view;
mod wave;

use crate::action::Action;
use crate::entry::{Cause, Entry, What};
use crate::event::{Event, Request};
use crate::fact::{Change, EndCause, Fact, Goal, PodRecord, Replacing};
use crate::graph::{Graph, InvalidGraph};
use crate::life::{Life, Record};
use crate::pod::{Container, ContainerId, List, Pod, Target};
use crate::result::{PodResult, Refused, Wait};
use crate::tick::Tick;
use crate::timer::{Timer, Timers};
use edges::{BarrierLife, Gate};
use std::collections::{BTreeMap, VecDeque};

/// The lifecycle of one pod.
///
/// The engine does nothing by itself. It has three kinds of methods:
///
/// - `handle_*` takes in something that happened,
/// - `poll_*` hands out something to do,
/// - everything else reads.
///
/// After each `handle_*`, call [`poll_fact`](Self::poll_fact) until it returns `None` and keep what
/// it gave, then [`poll_action`](Self::poll_action) until `None` and do what it says, then wait for
/// the next event or for [`poll_deadline`](Self::poll_deadline). Times never go back.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Engine {
    pod: Pod,
    graph: Graph,
    record: PodRecord,
    lives: Vec<Life>,
    barriers: Vec<BarrierLife>,
    gates: Vec<Gate>,
    timers: Timers,
    replacing: BTreeMap<ContainerId, Replacing>,
    /// Mains that have not ended for good.
    mains_left: usize,
    /// Services that count for the pod's readiness and are not ready, or have given up.
    unready: usize,
    /// Those of the regular list that are up.
    regulars_up: usize,
    /// The plain ones among them.
    plain_up: usize,
    /// Nodes that are being stopped in order and are not through.
    stopping: usize,
    /// The nodes of a partial wave.
    wave: Vec<Target>,
    /// The containers that a partial wave brings down.
    marked: Vec<ContainerId>,
    /// Mains that are being stopped and will not be started again.
    doomed: usize,
    /// Those are all that is left.
    winding_down: bool,
    /// Why the pod stops, for people.
    stop_cause: Option<Cause>,
    /// The budget of the pod's stop is used up.
    budget_spent: bool,
    /// The pod has an init list.
    has_init: bool,
    /// The pod has a main.
    has_mains: bool,
    /// The pod has a service whose readiness counts.
    has_services: bool,
    /// What the pod's readiness was when it was last told.
    told_ready: bool,
    /// Things to look at before the current input has been dealt with.
    work: VecDeque<Work>,
    /// Nodes whose conditions have changed: those who wait for them are looked at before anything else.
    changed: VecDeque<Target>,
    /// Containers that nothing holds back, to be started when everything has been looked at.
    free: VecDeque<ContainerId>,
    /// Containers that may need an image, to be asked for when everything has been looked at.
    unpulled: VecDeque<ContainerId>,
    dirty: Vec<ContainerId>,
    dirty_edges: Vec<u32>,
    pod_dirty: bool,
    /// What the current input has changed, beside the records that are dirty.
    changes: Vec<Change>,
    /// When the newest of all that must be remembered became so.
    newest: Tick,
    facts: VecDeque<Fact>,
    actions: VecDeque<Action>,
    entries: VecDeque<Entry>,
    silent: bool,
}

/// Something to look at again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Work {
    /// May this container start?
    Consider(ContainerId),
    /// Nothing above this node is up any more: it is its turn to stop.
    StopTurn(Target),
}

// === impl Engine ===

impl Engine {
    /// Takes a pod in at that time. Images are pulled at once; nothing starts before `SandboxReady`.
    pub fn new(pod: Pod, now: Tick) -> Result<Self, InvalidGraph> {
        let mut engine = Self::blank(pod, now)?;
        if let Some(limit) = engine.pod.active_deadline {
            engine.timers.arm(Timer::ActiveDeadline, now + limit);
        }
        engine.begin_run(now, Cause::PodStart);
        engine.settle(now);
        Ok(engine)
    }

    /// Tells no entries from now on: for drivers that do not read them.
    #[must_use]
    pub fn silent(mut self) -> Self {
        self.silent = true;
        self.entries.clear();
        self
    }

    /// Takes in something that happened.
    pub fn handle_event(&mut self, now: Tick, event: Event) {
        match event {
            Event::SandboxReady => self.on_sandbox_ready(),
            Event::SandboxLost => self.on_sandbox_lost(now),
            Event::Pulled { container, attempt } => self.on_pulled(now, container, attempt),
            Event::PullFailed {
                container,
                attempt,
                message,
            } => self.on_pull_failed(now, container, attempt, message),
            Event::Started { container, attempt } => self.on_started(now, container, attempt),
            Event::StartFailed {
                container,
                attempt,
                reason,
                message,
            } => {
                self.on_start_failed(now, container, attempt, reason, message);
            }
            Event::Exited {
                container,
                attempt,
                exit,
            } => self.on_exited(now, container, attempt, &exit),
            Event::HookDone {
                container,
                attempt,
                hook,
                ok,
            } => self.on_hook_done(now, container, attempt, hook, ok),
            Event::Probed {
                container,
                attempt,
                probe,
                ok,
            } => self.on_probed(now, container, attempt, probe, ok),
            Event::Notified {
                container,
                attempt,
                ready,
            } => self.on_notified(now, container, attempt, ready),
        }
        self.settle(now);
    }

    /// Takes in something that is wanted.
    pub fn handle_request(&mut self, now: Tick, request: Request) -> Result<(), Refused> {
        let answer = match request {
            Request::Delete { grace } => {
                self.note_through_init();
                self.begin_end(now, EndCause::Deletion, Cause::Deletion, grace);
                Ok(())
            }
            Request::Ask {
                reaction,
                by,
                reason,
            } => self.on_ask(now, reaction, by, reason),
            Request::Replace {
                container,
                with,
                timeout,
                force,
            } => self.on_replace(now, container, *with, timeout, force),
            Request::AddEphemeral(container) => self.on_add_ephemeral(now, *container),
        };
        self.settle(now);
        answer
    }

    /// Does what has become due.
    pub fn handle_timeout(&mut self, now: Tick) {
        while self.timers.next().is_some_and(|at| at <= now) {
            // What becomes due in one instant is looked at together, before anything is started.
            while let Some(timer) = self.timers.expire(now) {
                self.on_timer(now, timer);
                self.follow(now);
            }
            self.settle(now);
        }
    }

    /// The next fact to keep, before any action is carried out.
    #[must_use]
    pub fn poll_fact(&mut self) -> Option<Fact> {
        self.facts.pop_front()
    }

    /// The next action to carry out.
    #[must_use]
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// The next entry of the timeline.
    #[must_use]
    pub fn poll_entry(&mut self) -> Option<Entry> {
        self.entries.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_deadline(&self) -> Option<Tick> {
        self.timers.next()
    }

    /// The pod that is run; replaced containers are the new ones.
    pub fn pod(&self) -> &Pod {
        &self.pod
    }

    /// How the pod ended, once everything is down.
    pub fn result(&self) -> Option<&PodResult> {
        self.record.result.as_ref()
    }

    /// What is remembered of a container.
    pub fn record(&self, container: ContainerId) -> Option<&Record> {
        self.lives.get(container.index()).map(|life| &life.record)
    }

    /// Whether a container can be used: a service whose readiness holds.
    pub fn is_container_ready(&self, container: ContainerId) -> bool {
        container.index() < self.lives.len() && self.is_ready(container)
    }

    /// Which run of the pod this is; the first is 1.
    pub fn run(&self) -> u32 {
        self.record.run
    }

    /// Where the pod is going.
    pub fn goal(&self) -> &Goal {
        &self.record.goal
    }

    /// The requirements of a container and how each stands.
    pub fn waits(&self, container: ContainerId) -> Vec<Wait> {
        let edges = self.graph.outgoing(Target::Container(container));
        let gates = |edge: &&u32| self.graph.edge(**edge).requirement.gates_start();
        let gating = edges.iter().filter(gates);
        gating.map(|edge| self.wait(container, *edge)).collect()
    }

    fn blank(pod: Pod, now: Tick) -> Result<Self, InvalidGraph> {
        let graph = Graph::new(&pod)?;
        let has_init = pod.containers.iter().any(|def| def.list == List::Init);
        let record = PodRecord {
            run: 0,
            goal: Goal::Run,
            initialized: false,
            stays_initialized: false,
            sandbox: false,
            created: now,
            run_began: now,
            backoff_level: 0,
            result: None,
        };
        Ok(Self {
            lives: vec![Life::default(); pod.containers.len()],
            barriers: vec![BarrierLife::default(); pod.barriers.len()],
            gates: vec![Gate::default(); graph.len()],
            pod,
            graph,
            record,
            timers: Timers::default(),
            replacing: BTreeMap::new(),
            mains_left: 0,
            unready: 0,
            regulars_up: 0,
            plain_up: 0,
            stopping: 0,
            wave: Vec::new(),
            marked: Vec::new(),
            doomed: 0,
            winding_down: false,
            stop_cause: None,
            budget_spent: false,
            has_init,
            has_mains: false,
            has_services: false,
            told_ready: false,
            work: VecDeque::new(),
            changed: VecDeque::new(),
            free: VecDeque::new(),
            unpulled: VecDeque::new(),
            dirty: Vec::new(),
            dirty_edges: Vec::new(),
            pod_dirty: false,
            changes: Vec::new(),
            newest: Tick::ZERO,
            facts: VecDeque::new(),
            actions: VecDeque::new(),
            entries: VecDeque::new(),
            silent: false,
        })
    }

    fn on_timer(&mut self, now: Tick, timer: Timer) {
        match timer {
            Timer::ActiveDeadline => {
                self.begin_end(now, EndCause::ActiveDeadline, Cause::ActiveDeadline, None);
            }
            Timer::Budget => self.on_budget_spent(now),
            Timer::Stop(container) => self.on_stop_deadline(now, container),
            Timer::Leave(container) => self.on_leave_deadline(now, container),
            Timer::Start(container) => self.on_start_timeout(now, container),
            Timer::Requirement(edge) => self.on_requirement_timeout(now, edge),
            Timer::Replace(container) => self.on_replace_timeout(now, container),
            Timer::PodBackOff => self.begin_run(now, Cause::PodRestart),
            Timer::BackOff(container) => self.on_back_off_over(now, container),
            Timer::Pull(container) => self.on_pull_due(now, container),
            Timer::Probe(container, probe) => self.on_probe_due(now, container, probe),
        }
    }

    /// Follows up on everything that the current input has changed, and hands out what comes of it.
    fn settle(&mut self, now: Tick) {
        self.follow(now);
        loop {
            while let Some(container) = self.unpulled.pop_front() {
                self.pull_missing(now, container);
            }
            let Some(container) = self.free.pop_front() else {
                break;
            };
            self.start_free(now, container);
            self.follow(now);
        }
        self.tell_readiness(now);
        self.flush(now);
    }

    /// Looks at everything that has changed until nothing moves any more; starts nothing.
    fn follow(&mut self, now: Tick) {
        loop {
            self.follow_changes(now);
            while let Some(work) = self.work.pop_front() {
                match work {
                    // Nothing is started in a pod whose last main has just ended.
                    Work::Consider(container) => {
                        self.move_goal(now);
                        self.follow_changes(now);
                        self.consider(now, container);
                    }
                    Work::StopTurn(node) => self.stop_turn(now, node),
                }
                self.follow_changes(now);
            }
            self.look_after_sidecars(now);
            if !self.move_goal(now) && self.work.is_empty() {
                break;
            }
        }
    }

    /// Tells those who wait how their requirements stand now, through meeting points to the end. Nobody is
    /// considered before: what stands a few steps away may still be as it was.
    fn follow_changes(&mut self, now: Tick) {
        while let Some(node) = self.changed.pop_front() {
            *self.change_queued(node) = false;
            self.refresh_incoming(now, node);
        }
    }

    /// Hands out what must be remembered of the current input.
    fn flush(&mut self, now: Tick) {
        if std::mem::take(&mut self.pod_dirty) {
            self.changes
                .push(Change::Pod(Box::new(self.record.clone())));
        }
        for container in std::mem::take(&mut self.dirty) {
            let life = self.life_mut(container);
            life.dirty = false;
            let record = Box::new(life.record.clone());
            self.changes.push(Change::Container(container, record));
        }
        for edge in std::mem::take(&mut self.dirty_edges) {
            self.gates[edge as usize].dirty = false;
            self.changes
                .push(Change::Requirement(edge, self.gate(edge)));
        }
        if !self.changes.is_empty() {
            let changes = std::mem::take(&mut self.changes);
            self.newest = self.newest.max(now);
            self.facts.push_back(Fact { at: now, changes });
        }
    }

    // --- small words used everywhere ---

    fn def(&self, container: ContainerId) -> &Container {
        &self.pod.containers[container.index()]
    }

    fn life(&self, container: ContainerId) -> &Life {
        &self.lives[container.index()]
    }

    fn life_mut(&mut self, container: ContainerId) -> &mut Life {
        &mut self.lives[container.index()]
    }

    /// The record of a container, to be changed: it will be handed out as a fact.
    fn record_mut(&mut self, container: ContainerId) -> &mut Record {
        let life = &mut self.lives[container.index()];
        if !life.dirty {
            life.dirty = true;
            self.dirty.push(container);
        }
        &mut life.record
    }

    /// The pod's own record, to be changed.
    fn pod_mut(&mut self) -> &mut PodRecord {
        self.pod_dirty = true;
        &mut self.record
    }

    fn containers(&self) -> impl Iterator<Item = ContainerId> + use<> {
        (0..self.lives.len()).map(|index| ContainerId(u32::try_from(index).expect("ids are u32")))
    }

    /// Whether an event is about the process that there is now.
    fn is_current(&self, container: ContainerId, attempt: u32) -> bool {
        self.lives
            .get(container.index())
            .is_some_and(|life| life.record.attempt == attempt && life.is_up())
    }

    fn tell(&mut self, now: Tick, container: ContainerId, what: What, cause: Cause) {
        if self.silent {
            return;
        }
        let attempt = self.life(container).record.attempt;
        self.entries.push_back(Entry {
            at: now,
            container: Some(container),
            attempt,
            what,
            cause,
        });
    }

    fn tell_pod(&mut self, now: Tick, what: What, cause: Cause) {
        if self.silent {
            return;
        }
        self.entries.push_back(Entry {
            at: now,
            container: None,
            attempt: 0,
            what,
            cause,
        });
    }

    fn changed(&mut self, container: ContainerId) {
        self.node_changed(Target::Container(container));
    }

    /// Has those who wait for a node look at it again: once, however often it changed by then.
    fn node_changed(&mut self, node: Target) {
        if !std::mem::replace(self.change_queued(node), true) {
            self.changed.push_back(node);
        }
    }

    fn change_queued(&mut self, node: Target) -> &mut bool {
        match node {
            Target::Container(id) => &mut self.lives[id.index()].change_queued,
            Target::Barrier(id) => &mut self.barriers[id.index()].change_queued,
        }
    }
}
