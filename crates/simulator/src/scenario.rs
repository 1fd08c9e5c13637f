//! A scenario: a pod, what its containers do, what is done to it, and what must be seen.

mod act;
mod actor;
mod check;
pub(crate) mod decode;
mod effect;
mod item;
mod pod;
pub mod read;
mod status;

use crate::act::Act;
use crate::actor::Script;
use crate::check::Check;
use pillion_engine::Pod;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Everything that a play needs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scenario {
    /// In one line, for people.
    pub title: Box<str>,
    /// Where its expectations come from.
    pub source: Option<Box<str>>,
    /// The pod.
    pub pod: Pod,
    /// What the containers do, by name. Who is not here does what [`Script::default`] says.
    pub scripts: BTreeMap<Box<str>, Script>,
    /// What is done to the pod, in order.
    pub acts: Vec<Act>,
    /// What is done to the pod at certain times, whatever the other acts wait for; by time.
    pub timed_acts: Vec<Act>,
    /// What must be seen.
    pub cases: Vec<Case>,
    /// When to stop watching a pod that does not end.
    pub run_for: Duration,
    /// Drivers that cannot play it, with the reason.
    pub not_on: BTreeMap<Driver, Box<str>>,
}

/// A case of a suite, as expectations on a scenario.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Case {
    /// Its name in the suite.
    pub id: Box<str>,
    /// As the suite says it.
    pub title: Box<str>,
    /// All must hold.
    pub checks: Vec<Check>,
    /// For people.
    pub note: Option<Box<str>>,
    /// What stands for something that only a kubelet has.
    pub equivalent: Option<Box<str>>,
    /// Drivers on which it does not count, with the reason.
    pub not_on: BTreeMap<Driver, Box<str>>,
}

/// What plays scenarios.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Driver {
    /// The simulator.
    Virtual,
    /// Host processes.
    Process,
    /// A real kubelet.
    Kubelet,
}

/// A pod that goes on is watched this long unless a scenario says otherwise.
pub const RUN_FOR: Duration = Duration::from_mins(10);

// === impl Scenario ===

impl Scenario {
    /// A scenario in which nothing is done to the pod and nothing expected of it.
    pub fn new(pod: Pod) -> Self {
        Self {
            title: pod.name.clone(),
            source: None,
            pod,
            scripts: BTreeMap::new(),
            acts: Vec::new(),
            timed_acts: Vec::new(),
            cases: Vec::new(),
            run_for: RUN_FOR,
            not_on: BTreeMap::new(),
        }
    }

    /// Says what a container does.
    #[must_use]
    pub fn script(mut self, container: &str, script: Script) -> Self {
        self.scripts.insert(container.into(), script);
        self
    }

    /// Adds an act.
    #[must_use]
    pub fn act(mut self, act: Act) -> Self {
        self.acts.push(act);
        self
    }
}

// === impl Driver ===

impl Driver {
    /// Every driver.
    pub const ALL: [Self; 3] = [Self::Virtual, Self::Process, Self::Kubelet];

    /// As it is written in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Virtual => "virtual",
            Self::Process => "process",
            Self::Kubelet => "kubelet",
        }
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
