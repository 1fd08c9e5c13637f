//! The engine's own tests, one file per subject, on a small stage with virtual time.
//!
//! A test says what happens to the containers and reads what the engine asks for, as text:
//! `start app`, `stop app by 30s`, `preStop app`, `readiness app`.

mod budget;
mod causes;
mod cut_short;
mod ended_well;
mod exchanges;
mod goal;
mod hopeless;
mod kept;
mod left_out;
mod left_over;
mod limits;
mod mid_swap;
mod moments;
mod pod_restart;
mod probes;
mod recovery;
mod regular;
mod replace;
mod requirements;
mod restarts;
mod shown;
mod standing;
mod stops;
mod swaps;
mod undo;
mod verdicts;
mod waited;
mod waits;

use crate::pod::{
    Backoff, Barrier, BarrierId, Container, ContainerId, HookKind, Kind, Need, OnRestart, Pod,
    Probe, ProbeKind, Reaction, Requirement, Rerun, RestartPolicy, Role, Scope, Target, Until,
};
use crate::status::Phase;
use crate::{
    Action, Command, Engine, Entry, Event, Exit, Fact, Found, Refused, Request, StartFailure, Tick,
};
use std::time::Duration;

/// A pod in the making.
pub(super) struct Draft(pub(super) Pod);

/// An engine with a clock, a journal and somebody who answers.
pub(super) struct Stage {
    pub(super) engine: Engine,
    pod: Pod,
    now: Tick,
    journal: Vec<Fact>,
    actions: Vec<Action>,
}

// === impl Draft ===

impl Draft {
    /// Services of these names that are mains under `Always`.
    pub(super) fn new(names: &[&str]) -> Self {
        Self(Pod {
            name: "test".into(),
            containers: names
                .iter()
                .map(|name| Container::new(name, RestartPolicy::Always))
                .collect(),
            barriers: Vec::new(),
            restart_policy: RestartPolicy::Always,
            grace: Duration::from_secs(30),
            active_deadline: None,
            restart_limit: None,
            backoff: Backoff::default(),
        })
    }

    pub(super) fn id(&self, name: &str) -> ContainerId {
        id_in(&self.0, name)
    }

    /// Changes one container.
    pub(super) fn with(mut self, name: &str, change: impl FnOnce(&mut Container)) -> Self {
        let id = self.id(name);
        change(&mut self.0.containers[id.index()]);
        self
    }

    pub(super) fn policy(self, name: &str, policy: RestartPolicy) -> Self {
        self.with(name, |container| container.restart.policy = policy)
    }

    pub(super) fn never(mut self) -> Self {
        self.0.restart_policy = RestartPolicy::Never;
        for container in &mut self.0.containers {
            container.restart.policy = RestartPolicy::Never;
        }
        self
    }

    pub(super) fn oneshot(self, name: &str) -> Self {
        self.with(name, |container| {
            container.kind = Kind::Oneshot {
                undo: false,
                rerun: Rerun::OnPodRestart,
            }
        })
    }

    pub(super) fn undo(self, name: &str) -> Self {
        self.with(name, |container| {
            container.kind = Kind::Oneshot {
                undo: true,
                rerun: Rerun::OnPodRestart,
            }
        })
    }

    pub(super) fn sidecar(self, name: &str) -> Self {
        self.with(name, |container| {
            container.role = Role::Sidecar;
            container.on_give_up = crate::pod::OnGiveUp::Unready;
        })
    }

    /// `from` requires `to`, by the default of its kind.
    pub(super) fn requires(self, from: &str, to: &str) -> Self {
        self.edge(from, to, |_| {})
    }

    pub(super) fn edge(self, from: &str, to: &str, change: impl FnOnce(&mut Requirement)) -> Self {
        let target = self.id(to);
        let mut requirement = Requirement::hard(
            Target::Container(target),
            self.0.containers[target.index()].default_until(),
        );
        change(&mut requirement);
        self.with(from, |container| container.requires.push(requirement))
    }

    pub(super) fn on_restart(self, from: &str, to: &str, on_restart: OnRestart) -> Self {
        self.edge(from, to, |edge| edge.on_restart = on_restart)
    }

    pub(super) fn need(self, from: &str, to: &str, need: Need) -> Self {
        self.edge(from, to, |edge| edge.need = need)
    }

    /// Everything in `before` is through before anything in `after` starts.
    pub(super) fn phase(mut self, before: &[&str], after: &[&str]) -> Self {
        let members = before.iter().map(|name| {
            let id = self.id(name);
            Requirement::hard(
                Target::Container(id),
                self.0.containers[id.index()].default_until(),
            )
        });
        let barrier = BarrierId(u32::try_from(self.0.barriers.len()).unwrap());
        let requires = members.collect();
        self.0.barriers.push(Barrier {
            name: "phase".into(),
            requires,
        });
        for name in after {
            let requirement = Requirement::hard(Target::Barrier(barrier), Until::Settled);
            self = self.with(name, |container| container.requires.push(requirement));
        }
        self
    }

    /// The mains are stopped before the sidecars.
    pub(super) fn sidecars_stop_last(mut self) -> Self {
        let barrier = Target::Barrier(BarrierId(u32::try_from(self.0.barriers.len()).unwrap()));
        let edge = |target| Requirement {
            scope: Scope::StopOnly,
            ..Requirement::hard(target, Until::Settled)
        };
        let mut requires = Vec::new();
        for (index, container) in (0..).zip(&mut self.0.containers) {
            match container.role {
                Role::Main => container.requires.push(edge(barrier)),
                Role::Sidecar => requires.push(edge(Target::Container(ContainerId(index)))),
                Role::Ephemeral => {}
            }
        }
        self.0.barriers.push(Barrier {
            name: "mains".into(),
            requires,
        });
        self
    }

    pub(super) fn probe(self, name: &str, kind: ProbeKind, period: u64) -> Self {
        let probe = Probe {
            period: Duration::from_secs(period),
            ..Probe::default()
        };
        self.with(name, |container| match kind {
            ProbeKind::Startup => container.probes.startup = Some(probe),
            ProbeKind::Readiness => container.probes.readiness = Some(probe),
            ProbeKind::Liveness => container.probes.liveness = Some(probe),
        })
    }

    /// An engine for the pod, whose sandbox is there.
    pub(super) fn play(self) -> Stage {
        let engine = Engine::new(self.0.clone(), Tick::ZERO).unwrap();
        let mut stage = Stage {
            engine,
            pod: self.0,
            now: Tick::ZERO,
            journal: Vec::new(),
            actions: Vec::new(),
        };
        stage.drain();
        stage.event(Event::SandboxReady);
        stage
    }
}

// === impl Stage ===

impl Stage {
    pub(super) fn id(&self, name: &str) -> ContainerId {
        id_in(self.engine.pod(), name)
    }

    fn attempt(&self, name: &str) -> u32 {
        self.engine.record(self.id(name)).unwrap().attempt
    }

    pub(super) fn event(&mut self, event: Event) {
        self.engine.handle_event(self.now, event);
        self.drain();
    }

    pub(super) fn request(&mut self, request: Request) -> Result<(), Refused> {
        let answer = self.engine.handle_request(self.now, request);
        self.drain();
        answer
    }

    /// The image that the next start of the container needs is there.
    pub(super) fn pulled(&mut self, name: &str) {
        let (container, attempt) = (self.id(name), self.attempt(name) + 1);
        self.event(Event::Pulled { container, attempt });
    }

    pub(super) fn started(&mut self, name: &str) {
        let (container, attempt) = (self.id(name), self.attempt(name));
        self.event(Event::Started { container, attempt });
    }

    pub(super) fn exited(&mut self, name: &str, code: i32) {
        self.exited_with(name, Exit::code(code));
    }

    pub(super) fn exited_with(&mut self, name: &str, exit: Exit) {
        let (container, attempt) = (self.id(name), self.attempt(name));
        self.event(Event::Exited {
            container,
            attempt,
            exit,
        });
    }

    pub(super) fn start_fails(&mut self, name: &str) {
        let (container, attempt) = (self.id(name), self.attempt(name));
        self.event(Event::StartFailed {
            container,
            attempt,
            reason: StartFailure::CreateContainerError,
            message: "no".into(),
        });
    }

    /// What the engine has told since it was last looked at.
    pub(super) fn told(&mut self) -> Vec<Entry> {
        std::iter::from_fn(|| self.engine.poll_entry()).collect()
    }

    /// Starts and runs to its end.
    pub(super) fn runs(&mut self, name: &str, code: i32) {
        self.started(name);
        self.exited(name, code);
    }

    pub(super) fn probed(&mut self, name: &str, probe: ProbeKind, ok: bool) {
        let (container, attempt) = (self.id(name), self.attempt(name));
        self.event(Event::Probed {
            container,
            attempt,
            probe,
            ok,
        });
    }

    pub(super) fn hook_done(&mut self, name: &str, hook: HookKind, ok: bool) {
        let (container, attempt) = (self.id(name), self.attempt(name));
        self.event(Event::HookDone {
            container,
            attempt,
            hook,
            ok,
        });
    }

    /// Somebody outside asks for something.
    pub(super) fn ask(&mut self, reaction: Reaction) {
        self.ask_by(None, reaction).unwrap();
    }

    /// A container, or somebody outside, asks for something.
    pub(super) fn ask_by(&mut self, by: Option<&str>, reaction: Reaction) -> Result<(), Refused> {
        let by = by.map(|name| self.id(name));
        let reason = "test".into();
        self.request(Request::Ask {
            reaction,
            by,
            reason,
        })
    }

    /// Exchanges a container for a changed one, which has 20 s to get ready.
    pub(super) fn replace(&mut self, name: &str, change: impl FnOnce(&mut Container)) {
        let container = self.id(name);
        let mut with = Box::new(self.engine.pod().containers[container.index()].clone());
        change(&mut with);
        let request = Request::Replace {
            container,
            with,
            timeout: Some(Duration::from_secs(20)),
            force: false,
        };
        self.request(request).unwrap();
    }

    pub(super) fn delete(&mut self) {
        self.request(Request::Delete { grace: None }).unwrap();
    }

    pub(super) fn delete_in(&mut self, seconds: u64) {
        self.request(Request::Delete {
            grace: Some(Duration::from_secs(seconds)),
        })
        .unwrap();
    }

    /// Lets time pass, stopping at every deadline on the way.
    pub(super) fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(deadline) = self
            .engine
            .poll_deadline()
            .filter(|deadline| *deadline <= end)
        {
            self.now = self.now.max(deadline);
            self.engine.handle_timeout(self.now);
            self.drain();
        }
        self.now = end;
    }

    /// Time passes, and the engine is not told.
    pub(super) fn lose_time(&mut self, seconds: u64) {
        self.now = self.now + Duration::from_secs(seconds);
    }

    pub(super) fn pass_secs(&mut self, seconds: u64) {
        self.pass(Duration::from_secs(seconds));
    }

    /// What the engine has asked for since it was last looked at.
    pub(super) fn asked(&mut self) -> Vec<String> {
        let actions = std::mem::take(&mut self.actions);
        actions.iter().map(|action| self.show(action)).collect()
    }

    pub(super) fn phase(&self) -> Phase {
        self.engine.status().phase
    }

    /// Phase, decider and code of a pod that has ended.
    pub(super) fn result(&self) -> Option<(Phase, Option<&str>, i32)> {
        let result = self.engine.result()?;
        let decider = result
            .decider
            .map(|id| &*self.engine.pod().containers[id.index()].name);
        Some((result.phase, decider, result.code))
    }

    /// The driver dies and comes back; `found` says what it finds of those that may be alive.
    pub(super) fn crash(&mut self, found: impl Fn(&str, u32) -> Found) {
        self.come_back(found);
        self.engine.handle_resume(self.now);
        self.drain();
    }

    /// The same, and the sandbox is gone, too.
    pub(super) fn crash_and_lose_sandbox(&mut self, found: impl Fn(&str, u32) -> Found) {
        self.come_back(found);
        self.engine.handle_event(self.now, Event::SandboxLost);
        self.engine.handle_resume(self.now);
        self.drain();
    }

    fn come_back(&mut self, found: impl Fn(&str, u32) -> Found) {
        self.engine = Engine::restore(self.pod.clone(), self.journal.clone()).unwrap();
        self.actions.clear();
        for id in self.engine.expected() {
            let name = self.engine.pod().containers[id.index()].name.clone();
            let attempt = self.engine.record(id).unwrap().attempt;
            self.engine
                .handle_found(self.now, id, found(&name, attempt));
        }
    }

    fn drain(&mut self) {
        while let Some(fact) = self.engine.poll_fact() {
            self.journal.push(fact);
        }
        while let Some(action) = self.engine.poll_action() {
            self.actions.push(action);
        }
    }

    fn show(&self, action: &Action) -> String {
        let (id, _) = action.container();
        let name = &self.engine.pod().containers[id.index()].name;
        match action {
            Action::Pull { .. } => format!("pull {name}"),
            Action::CancelPull { .. } => format!("cancel pull {name}"),
            Action::Start {
                command: Command::Run,
                version: 0,
                ..
            } => format!("start {name}"),
            Action::Start {
                command: Command::Run,
                version,
                ..
            } => format!("start {name} v{version}"),
            Action::Start {
                command: Command::Undo,
                ..
            } => format!("undo {name}"),
            Action::RunHook {
                hook: HookKind::PostStart,
                ..
            } => format!("postStart {name}"),
            Action::RunHook {
                hook: HookKind::PreStop,
                ..
            } => format!("preStop {name}"),
            Action::RunHook {
                hook: HookKind::PodStopping,
                ..
            } => format!("podStopping {name}"),
            Action::Probe { probe, .. } => format!("{probe:?} {name}").to_lowercase(),
            Action::Stop { deadline, .. } => {
                format!("stop {name} by {}s", deadline.elapsed().as_secs_f64())
            }
        }
    }
}

fn id_in(pod: &Pod, name: &str) -> ContainerId {
    let index = pod
        .containers
        .iter()
        .position(|container| &*container.name == name);
    ContainerId(u32::try_from(index.unwrap_or_else(|| panic!("no container {name}"))).unwrap())
}
