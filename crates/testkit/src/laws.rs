//! The promises of the engine as laws over traces.
//!
//! One file per promise. A law sees the pod, the trace, and the judge's own model of what the
//! trace tells; never the engine's state. It is broken only by what the promises surely forbid.

pub mod budget;
pub mod completion;
pub mod deterministic;
pub mod goal;
pub mod readiness;
pub mod recovery;
pub mod refusal;
pub mod replacement;
pub mod restarts;
pub mod sidecars;
pub mod single;
pub mod start;
pub mod stop;
pub mod waiting;

use crate::world::World;
use pillion_engine::pod::Pod;
use pillion_engine::{Action, ContainerId, PodResult, Refused, Request, Tick};
use pillion_simulator::trace::{Item, Step, Trace};
use std::fmt;
use std::hash::Hasher;

/// What the engine promises, in the order in which it is written down.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Promise {
    /// A container starts when its requirements let it, and then at once.
    Start,
    /// Nothing waits for what cannot come.
    Waiting,
    /// Stops go in reverse, in parallel.
    Stop,
    /// One budget for every ordered stop.
    Budget,
    /// Sidecars neither keep a pod alive nor decide its result, and go last.
    Sidecars,
    /// A pod ends when its mains have, with the right result.
    Completion,
    /// Restarts follow policy, back-off and edges.
    Restarts,
    /// A pod's goal only moves right.
    Goal,
    /// Readiness is a level.
    Readiness,
    /// At most one live process per container.
    Single,
    /// One container can be exchanged in place.
    Replacement,
    /// A driver that dies changes nothing.
    Recovery,
    /// Bad graphs are refused.
    Refusal,
    /// The same inputs give the same outputs.
    Deterministic,
}

/// A law was broken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Violation {
    /// Which promise was not kept.
    pub promise: Promise,
    /// At which step of the trace.
    pub step: usize,
    /// By which container, if by one.
    pub container: Option<ContainerId>,
    /// What was wrong.
    pub sentence: String,
}

/// Reads a trace step by step and says which law it breaks first.
#[derive(Clone, Debug)]
pub struct Judge {
    world: World,
    laws: &'static [&'static dyn Law],
    step: usize,
    settled: bool,
}

/// What a law complains of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Complaint {
    container: Option<ContainerId>,
    sentence: String,
}

/// What a law says to one step.
pub(crate) type Verdict = Result<(), Complaint>;

/// One law. Every method has a default that allows everything.
pub(crate) trait Law: fmt::Debug + Sync {
    /// The promise that it keeps.
    fn promise(&self) -> Promise;

    /// Before an action is carried out.
    fn action(&self, _world: &World, _action: &Action) -> Verdict {
        Ok(())
    }

    /// A request was answered, and has had no effect yet.
    fn request(&self, _world: &World, _request: &Request, _answer: Result<(), Refused>) -> Verdict {
        Ok(())
    }

    /// The pod's result was told.
    fn ended(&self, _world: &World, _result: &PodResult) -> Verdict {
        Ok(())
    }

    /// After a crash, when everything that was found has been told.
    fn resumed(&self, _world: &World) -> Verdict {
        Ok(())
    }

    /// The engine has said all that it has to say to the last input.
    fn settled(&self, _world: &World) -> Verdict {
        Ok(())
    }

    /// Nothing is outstanding, and no deadline will come: so it stays.
    fn rest(&self, _world: &World) -> Verdict {
        Ok(())
    }
}

// === impl Promise ===

impl Promise {
    /// Every promise, in order.
    pub const ALL: [Self; 14] = [
        Self::Start,
        Self::Waiting,
        Self::Stop,
        Self::Budget,
        Self::Sidecars,
        Self::Completion,
        Self::Restarts,
        Self::Goal,
        Self::Readiness,
        Self::Single,
        Self::Replacement,
        Self::Recovery,
        Self::Refusal,
        Self::Deterministic,
    ];

    /// The law that watches over it, if a trace alone can tell.
    fn laws(self) -> &'static [&'static dyn Law] {
        match self {
            Self::Start => &[&start::Start],
            Self::Waiting => &[&waiting::Waiting],
            Self::Stop => &[&stop::Stop],
            Self::Budget => &[&budget::Budget],
            Self::Sidecars => &[&sidecars::Sidecars],
            Self::Completion => &[&completion::Completion],
            Self::Restarts => &[&restarts::Restarts],
            Self::Goal => &[&goal::Goal],
            Self::Readiness => &[&readiness::Readiness],
            Self::Single => &[&single::Single],
            Self::Replacement => &[&replacement::Replacement],
            Self::Recovery => &[&recovery::Recovery],
            Self::Refusal | Self::Deterministic => &[],
        }
    }
}

// === impl Violation ===

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "step {}: the law of {:?} is broken",
            self.step, self.promise
        )?;
        if let Some(ContainerId(id)) = self.container {
            write!(f, " by container {id}")?;
        }
        write!(f, ": {}", self.sentence)
    }
}

impl std::error::Error for Violation {}

// === impl Complaint ===

impl Complaint {
    /// About one container.
    pub(crate) fn of(container: ContainerId, sentence: impl Into<String>) -> Self {
        Self {
            container: Some(container),
            sentence: sentence.into(),
        }
    }

    /// About the pod.
    pub(crate) fn pod(sentence: impl Into<String>) -> Self {
        Self {
            container: None,
            sentence: sentence.into(),
        }
    }
}

// === impl Judge ===

impl Judge {
    /// Judges by every law a pod that is taken in at that time.
    pub fn new(pod: &Pod, now: Tick) -> Self {
        Self::by(EVERY, pod, now)
    }

    /// Judges by the law of one promise.
    pub fn of(promise: Promise, pod: &Pod, now: Tick) -> Self {
        Self::by(promise.laws(), pod, now)
    }

    fn by(laws: &'static [&'static dyn Law], pod: &Pod, now: Tick) -> Self {
        Self {
            world: World::new(pod, now),
            laws,
            step: 0,
            settled: false,
        }
    }

    /// Reads the next step.
    pub fn step(&mut self, step: &Step) -> Result<(), Violation> {
        let said = matches!(step.item, Item::Action(_) | Item::Ready(_) | Item::Ended(_));
        // A driver that dies may have kept to itself what the engine had to say.
        self.settled |= step.item == Item::Crash;
        if !said {
            self.settle()?;
            self.world.now = self.world.now.max(step.at);
        }
        self.read(&step.item)?;
        self.settled = false;
        self.step += 1;
        Ok(())
    }

    /// The engine has said all that it has to say to what came in so far.
    pub fn settle(&mut self) -> Result<(), Violation> {
        if self.settled || self.world.dead || self.world.result.is_some() {
            return Ok(());
        }
        self.settled = true;
        self.ask(|law, world| law.settled(world))
    }

    /// Nothing is outstanding and no deadline will come: the pod stays as it is.
    pub fn rest(&mut self) -> Result<(), Violation> {
        self.settle()?;
        if self.world.result.is_some() {
            return Ok(());
        }
        self.ask(|law, world| law.rest(world))
    }

    /// How many steps were read.
    pub fn steps(&self) -> usize {
        self.step
    }

    /// Mixes what is known into a hash; states that differ only in the date give the same.
    pub fn fingerprint(&self, hasher: &mut impl Hasher) {
        self.world.fingerprint(hasher);
    }

    fn read(&mut self, item: &Item) -> Result<(), Violation> {
        match item {
            Item::Event(event) => self.world.take_event(event),
            Item::Request(request, answer) => {
                self.ask(|law, world| law.request(world, request, *answer))?;
                if answer.is_ok() {
                    self.world.take_request(request);
                }
            }
            Item::Timeout => self.world.take_timeout(),
            Item::Action(action) => {
                self.world.recognise(action);
                self.ask(|law, world| law.action(world, action))?;
                self.world.carry_out(action);
            }
            Item::Crash => self.world.take_crash(),
            Item::Found(id, found) => self.world.take_found(*id, found),
            Item::Resume => {
                self.ask(|law, world| law.resumed(world))?;
                self.world.take_resume();
            }
            Item::Ready(ready) => self.world.shown_ready = *ready,
            Item::Ended(result) => {
                self.world.recognise_end();
                self.ask(|law, world| law.ended(world, result))?;
                self.world.result = Some(result.clone());
            }
        }
        Ok(())
    }

    fn ask(&self, question: impl Fn(&dyn Law, &World) -> Verdict) -> Result<(), Violation> {
        for law in self.laws {
            question(*law, &self.world).map_err(|complaint| Violation {
                promise: law.promise(),
                step: self.step,
                container: complaint.container,
                sentence: complaint.sentence,
            })?;
        }
        Ok(())
    }
}

/// Reads a whole trace by every law.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    read_all(Judge::new(pod, beginning(trace)), trace)
}

/// Reads a whole trace by the law of one promise.
pub(crate) fn check_one(promise: Promise, pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    read_all(Judge::of(promise, pod, beginning(trace)), trace)
}

fn read_all(mut judge: Judge, trace: &Trace) -> Result<(), Violation> {
    for step in &trace.steps {
        judge.step(step)?;
    }
    judge.settle()
}

fn beginning(trace: &Trace) -> Tick {
    trace.steps.first().map_or(Tick::ZERO, |step| step.at)
}

/// Every law that a trace alone can break. The particular come before the general, so that what
/// breaks several is told by the one that says most of it.
const EVERY: &[&dyn Law] = &[
    &recovery::Recovery,
    &replacement::Replacement,
    &single::Single,
    &readiness::Readiness,
    &goal::Goal,
    &restarts::Restarts,
    &sidecars::Sidecars,
    &completion::Completion,
    &budget::Budget,
    &waiting::Waiting,
    &stop::Stop,
    &start::Start,
];
