//! Builds pods and tells their lives as an engine would, without the noise.

use crate::record::Seq;
use crate::{Base, Recorder, Timeline};
use pillion_engine::entry::{Cause, Entry, What};
use pillion_engine::event::Exit;
use pillion_engine::pod::{
    Barrier, BarrierId, Container, ContainerId, Keystone, Kind, Need, Pod, Requirement, Rerun,
    RestartPolicy, Role, Scope, Target, Until,
};
use pillion_engine::status::Phase;
use pillion_engine::tick::Tick;
use std::time::Duration;

/// A pod without containers.
pub(super) fn pod(name: &str) -> Pod {
    Pod {
        name: name.into(),
        containers: Vec::new(),
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Never,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: pillion_engine::pod::Backoff::default(),
    }
}

/// Short ways to describe a pod.
pub(super) trait Describe: Sized {
    fn main(self, name: &str) -> Self;
    fn sidecar(self, name: &str) -> Self;
    fn oneshot(self, name: &str) -> Self;
    fn keystone(self, name: &str) -> Self;
    fn barrier(self, name: &str) -> Self;
    fn requires(self, name: &str, target: &str, until: Until) -> Self;
    fn requires_with(self, name: &str, target: &str, until: Until, need: Need) -> Self;
    fn stops_before(self, name: &str, target: &str) -> Self;
}

impl Describe for Pod {
    fn main(mut self, name: &str) -> Self {
        self.containers
            .push(Container::new(name, RestartPolicy::Never));
        self
    }

    fn sidecar(mut self, name: &str) -> Self {
        let container = Container::new(name, RestartPolicy::Always);
        self.containers.push(Container {
            role: Role::Sidecar,
            ..container
        });
        self
    }

    fn oneshot(mut self, name: &str) -> Self {
        let container = Container::new(name, RestartPolicy::Never);
        let kind = Kind::Oneshot {
            undo: false,
            rerun: Rerun::OnPodRestart,
        };
        self.containers.push(Container { kind, ..container });
        self
    }

    fn keystone(mut self, name: &str) -> Self {
        let container = Container::new(name, RestartPolicy::Never);
        self.containers.push(Container {
            keystone: Some(Keystone::Any),
            ..container
        });
        self
    }

    fn barrier(mut self, name: &str) -> Self {
        self.barriers.push(Barrier {
            name: name.into(),
            requires: Vec::new(),
        });
        self
    }

    fn requires(self, name: &str, target: &str, until: Until) -> Self {
        self.requires_with(name, target, until, Need::Hard)
    }

    fn requires_with(mut self, name: &str, target: &str, until: Until, need: Need) -> Self {
        let requirement = Requirement {
            need,
            ..Requirement::hard(find(&self, target), until)
        };
        requirements(&mut self, name).push(requirement);
        self
    }

    fn stops_before(mut self, name: &str, target: &str) -> Self {
        let edge = Requirement::hard(find(&self, target), Until::Settled);
        let requirement = Requirement {
            scope: Scope::StopOnly,
            ..edge
        };
        requirements(&mut self, name).push(requirement);
        self
    }
}

/// The container or the barrier of that name.
pub(super) fn find(pod: &Pod, name: &str) -> Target {
    let container = pod
        .containers
        .iter()
        .position(|container| &*container.name == name);
    let barrier = || {
        pod.barriers
            .iter()
            .position(|barrier| &*barrier.name == name)
    };
    let id = |index: usize| u32::try_from(index).unwrap();
    match container {
        Some(index) => Target::Container(ContainerId(id(index))),
        None => Target::Barrier(BarrierId(id(barrier().unwrap()))),
    }
}

fn requirements<'a>(pod: &'a mut Pod, name: &str) -> &'a mut Vec<Requirement> {
    match find(pod, name) {
        Target::Container(id) => &mut pod.containers[id.index()].requires,
        Target::Barrier(id) => &mut pod.barriers[id.index()].requires,
    }
}

/// A pod that lives: entries in, timeline out.
pub(super) struct Life {
    pub(super) pod: Pod,
    pub(super) recorder: Recorder,
    pub(super) timeline: Timeline,
    attempts: Vec<u32>,
    now: Tick,
}

impl Life {
    pub(super) fn new(pod: Pod) -> Self {
        Self::with_base(pod, Base::default())
    }

    pub(super) fn with_base(pod: Pod, base: Base) -> Self {
        let recorder = Recorder::new(&pod, base);
        let timeline = Timeline::new(recorder.header(&pod));
        let attempts = vec![0; pod.containers.len()];
        Self {
            pod,
            recorder,
            timeline,
            attempts,
            now: base.tick,
        }
    }

    /// Lets time pass until so many milliseconds after the beginning.
    pub(super) fn at(&mut self, millis: u64) -> &mut Self {
        self.now = Tick::from_millis(millis);
        self
    }

    /// Tells of a container, by itself.
    pub(super) fn tell(&mut self, name: &str, what: What) -> Seq {
        self.tell_why(name, what, Cause::Itself)
    }

    /// Tells of a container.
    pub(super) fn tell_why(&mut self, name: &str, what: What, cause: Cause) -> Seq {
        let id = self.id(name);
        let attempt = &mut self.attempts[id.index()];
        *attempt += u32::from(what == What::Starting);
        let attempt = *attempt;
        self.entry(Some(id), attempt, what, cause)
    }

    /// Tells of the pod.
    pub(super) fn tell_pod(&mut self, what: What, cause: Cause) -> Seq {
        self.entry(None, 0, what, cause)
    }

    pub(super) fn entry(
        &mut self,
        container: Option<ContainerId>,
        attempt: u32,
        what: What,
        cause: Cause,
    ) -> Seq {
        let entry = Entry {
            at: self.now,
            container,
            attempt,
            what,
            cause,
        };
        let record = self.recorder.record(&self.pod, &entry);
        let seq = record.seq;
        self.timeline.push(record);
        seq
    }

    pub(super) fn id(&self, name: &str) -> ContainerId {
        match find(&self.pod, name) {
            Target::Container(id) => id,
            Target::Barrier(_) => panic!("{name} is a barrier"),
        }
    }

    pub(super) fn fulfilled(&self, target: &str, until: Until) -> Cause {
        Cause::Fulfilled {
            target: find(&self.pod, target),
            until,
        }
    }

    pub(super) fn starts_pod(&mut self) -> Seq {
        self.tell_pod(What::PodStarted { run: 1 }, Cause::PodStart)
    }

    pub(super) fn waits(&mut self, name: &str, target: &str, until: Until) -> Seq {
        let target = find(&self.pod, target);
        self.tell_why(name, What::Waiting { target, until }, Cause::PodStart)
    }

    /// Its turn and its start.
    pub(super) fn starts(&mut self, name: &str, cause: Cause) -> Seq {
        let turn = self.tell_why(name, What::Turn, cause);
        self.tell(name, What::Starting);
        turn
    }

    /// Running and started.
    pub(super) fn runs(&mut self, name: &str) {
        self.tell(name, What::Running);
        self.tell(name, What::Started);
    }

    pub(super) fn ready(&mut self, name: &str) -> Seq {
        self.tell(name, What::Ready)
    }

    pub(super) fn stops(&mut self, name: &str, cause: Cause) -> Seq {
        let deadline = self.now + self.pod.grace;
        self.tell_why(name, What::Stopping { deadline }, cause)
    }

    pub(super) fn exits(&mut self, name: &str, code: i32) -> Seq {
        self.tell(name, What::Exited(Exit::code(code)))
    }

    /// An exit that is the end.
    pub(super) fn ends(&mut self, name: &str, code: i32) -> Seq {
        self.exits(name, code);
        self.tell_why(name, What::Ended { ok: code == 0 }, Cause::Policy)
    }

    pub(super) fn pod_stops(&mut self, cause: Cause) -> Seq {
        let deadline = self.now + self.pod.grace;
        self.tell_pod(What::PodStopping { deadline }, cause)
    }

    pub(super) fn pod_ends(&mut self, phase: Phase, decider: &str, code: i32, cause: Cause) -> Seq {
        let decider = Some(self.id(decider));
        self.tell_pod(
            What::PodEnded {
                phase,
                decider,
                code,
            },
            cause,
        )
    }

    /// The number of the record that caused the one of that number.
    pub(super) fn because(&self, seq: Seq) -> Option<Seq> {
        self.timeline.record(seq).unwrap().because
    }
}

/// A shop with a proxy, a migration, a cache and the app itself, from start to end.
pub(super) fn orders() -> Life {
    let pod = pod("orders")
        .sidecar("proxy")
        .oneshot("migrate")
        .sidecar("cache")
        .keystone("app")
        .requires("migrate", "proxy", Until::Ready)
        .requires("cache", "proxy", Until::Ready)
        .requires("app", "migrate", Until::Succeeded)
        .requires_with("app", "cache", Until::Started, Need::Soft);
    let mut life = Life::new(pod);
    life.starts_pod();
    life.starts("proxy", Cause::PodStart);
    life.waits("migrate", "proxy", Until::Ready);
    life.waits("cache", "proxy", Until::Ready);
    life.waits("app", "migrate", Until::Succeeded);
    life.waits("app", "cache", Until::Started);
    life.at(20).runs("proxy");
    life.at(310).ready("proxy");
    let proxy = life.fulfilled("proxy", Until::Ready);
    life.starts("migrate", proxy.clone());
    life.starts("cache", proxy);
    life.at(330).runs("migrate");
    life.runs("cache");
    life.ready("cache");
    life.at(820).ends("migrate", 0);
    let migrate = life.fulfilled("migrate", Until::Succeeded);
    life.starts("app", migrate);
    life.at(840).runs("app");
    life.at(900).ready("app");
    life.tell_pod(What::PodReady, Cause::Itself);
    let app = life.id("app");
    life.at(3900).ends("app", 0);
    life.pod_stops(Cause::Keystone(app));
    life.stops("cache", Cause::Unneeded);
    life.at(4000).exits("cache", 0);
    life.stops("proxy", Cause::Unneeded);
    life.at(4200).exits("proxy", 0);
    life.pod_ends(Phase::Succeeded, "app", 0, Cause::Keystone(app));
    life
}
