//! A pod in which each container stands somewhere, and what happens next.

use crate::driver::{Driver, Manner};
use crate::plain::{self, Draft};
use crate::standing::Standing;
use pillion_engine::fact::{Change, EndCause, Goal, PodRecord};
use pillion_engine::pod::{Container, List, Pod, ProbeKind, Reaction, RestartPolicy};
use pillion_engine::{ContainerId, Engine, Event, Fact, Request, Tick};
use std::time::Duration;

/// The time at which every row begins.
pub(crate) const BEGIN: Tick = Tick::from_secs(5);

/// A pod, where its containers stand, and what happens next.
pub(crate) struct Situation {
    policy: RestartPolicy,
    drafts: Vec<Draft>,
    pub(crate) sandbox: Sandbox,
    pub(crate) deeds: Vec<Deed>,
    deleted: bool,
}

/// The sandbox of the pod.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sandbox {
    /// There is none yet.
    Missing,
    Ready,
    /// It is gone, with all that ran in it.
    Lost,
    /// It was lost, and there is a new one.
    Replaced,
}

/// Something that happens.
pub(crate) enum Deed {
    /// A probe answers.
    Probed(&'static str, ProbeKind, bool),
    /// A container's definition changes.
    Changed(&'static str),
    /// Somebody asks for it.
    Asked(Reaction),
    /// A container is added for debugging.
    Added(&'static str),
}

/// A pod with this policy, in which each container stands somewhere.
pub(crate) fn given(policy: RestartPolicy, drafts: impl IntoIterator<Item = Draft>) -> Situation {
    Situation {
        policy,
        drafts: drafts.into_iter().collect(),
        sandbox: Sandbox::Ready,
        deeds: Vec::new(),
        deleted: false,
    }
}

// === impl Situation ===

impl Situation {
    /// Its sandbox is gone.
    pub(crate) fn sandbox_lost(mut self) -> Self {
        self.sandbox = Sandbox::Lost;
        self
    }

    /// Its sandbox is gone, and there is a new one in which its containers have begun to run.
    pub(crate) fn sandbox_replaced(mut self) -> Self {
        self.sandbox = Sandbox::Replaced;
        self
    }

    /// It has no sandbox yet.
    pub(crate) fn without_sandbox(mut self) -> Self {
        self.sandbox = Sandbox::Missing;
        self
    }

    /// It is being deleted.
    pub(crate) fn deleted(mut self) -> Self {
        self.deleted = true;
        self
    }

    /// That happens next.
    pub(crate) fn and(mut self, deed: Deed) -> Self {
        self.deeds.push(deed);
        self
    }

    pub(crate) fn pod(&self) -> Pod {
        plain::pod(self.policy, &self.drafts)
    }

    /// A driver that has just come back and told the engine what it found.
    pub(crate) fn found(&self, manner: Manner) -> Driver {
        let mut driver = self.back(manner);
        driver.engine.handle_resume(BEGIN);
        driver.carry_out();
        driver
    }

    /// A driver that came back and found that the sandbox is gone, too.
    pub(crate) fn found_without_sandbox(&self, manner: Manner) -> Driver {
        let mut driver = self.back(manner);
        driver.engine.handle_event(BEGIN, Event::SandboxLost);
        driver.engine.handle_resume(BEGIN);
        driver.carry_out();
        driver
    }

    fn back(&self, manner: Manner) -> Driver {
        let pod = self.pod();
        let records = self.drafts.iter().zip(&pod.containers).zip(0..);
        let changes = records
            .map(|((draft, container), id)| {
                let record = Box::new(draft.standing.record(container));
                Change::Container(ContainerId(id), record)
            })
            .chain([Change::Pod(Box::new(self.pod_record()))])
            .collect();
        let at = BEGIN;
        let mut engine =
            Engine::restore(pod, [Fact { at, changes }]).expect("a list has no cycles");
        for id in engine.expected() {
            let attempt = engine.record(id).expect("it is expected").attempt;
            let found = self.drafts[id.index()].standing.found(attempt);
            engine.handle_found(BEGIN, id, found);
        }
        Driver::new(engine, BEGIN, manner)
    }

    /// Does what happens next.
    pub(crate) fn happen(&self, driver: &mut Driver) {
        for deed in &self.deeds {
            match deed {
                Deed::Probed(name, probe, ok) => driver.probe(self.id(name), *probe, *ok),
                Deed::Changed(name) => self.change(driver, name),
                Deed::Asked(reaction) => request(
                    driver,
                    Request::Ask {
                        reaction: *reaction,
                        by: None,
                        reason: "test".into(),
                    },
                ),
                Deed::Added(name) => {
                    let container = Box::new(Container::new(name, RestartPolicy::Never));
                    request(driver, Request::AddEphemeral(container));
                }
            }
        }
    }

    pub(crate) fn id(&self, name: &str) -> ContainerId {
        let index = self
            .drafts
            .iter()
            .position(|draft| draft.name == name)
            .expect("the row names its containers");
        ContainerId(u32::try_from(index).expect("a pod is small"))
    }

    fn change(&self, driver: &mut Driver, name: &str) {
        let container = self.id(name);
        let mut with = driver.engine.pod().containers[container.index()].clone();
        with.image = Some("image:2".into());
        request(
            driver,
            Request::Replace {
                container,
                with: Box::new(with),
                timeout: None,
                force: false,
            },
        );
    }

    fn pod_record(&self) -> PodRecord {
        let regular = |draft: &&Draft| draft.list == List::Regular;
        let goal = if self.deleted {
            Goal::End {
                cause: EndCause::Deletion,
                deadline: BEGIN + Duration::from_secs(30),
            }
        } else {
            Goal::Run
        };
        PodRecord {
            run: 1,
            goal,
            initialized: self
                .drafts
                .iter()
                .filter(regular)
                .any(|draft| draft.standing.has_run()),
            stays_initialized: false,
            sandbox: self.sandbox != Sandbox::Missing,
            created: Tick::ZERO,
            run_began: Tick::ZERO,
            backoff_level: 0,
            result: None,
        }
    }
}

fn request(driver: &mut Driver, request: Request) {
    driver
        .engine
        .handle_request(driver.now, request)
        .expect("the pod runs");
    driver.carry_out();
}

/// Where a container stands, in few words.
impl Draft {
    pub(crate) fn up(self) -> Self {
        self.is(Standing::Up)
    }

    pub(crate) fn coming_up(self) -> Self {
        self.is(Standing::ComingUp)
    }

    pub(crate) fn done(self) -> Self {
        self.is(Standing::Done)
    }

    pub(crate) fn exited(self, code: i32) -> Self {
        self.is(Standing::Exited(code))
    }

    pub(crate) fn lost(self) -> Self {
        self.is(Standing::Lost)
    }

    pub(crate) fn up_again(self, code: i32) -> Self {
        self.is(Standing::UpAgain(code))
    }

    pub(crate) fn created(self) -> Self {
        self.is(Standing::Created)
    }

    pub(crate) fn backing_off(self, code: i32) -> Self {
        self.is(Standing::BackOff(code))
    }

    pub(crate) fn ended_before(self, code: i32) -> Self {
        self.is(Standing::Before(code))
    }

    pub(crate) fn removed(self) -> Self {
        self.is(Standing::Removed)
    }
}
