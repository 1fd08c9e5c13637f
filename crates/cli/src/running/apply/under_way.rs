//! A file that is being applied: which exchanges have been begun, and what came of them.

use super::candidate::Candidate;
use super::changed::Changed;
use crate::control::apply::{Apply, Done, Outcome, Report};
use pillion_engine::fact::{Goal, ReplaceStep};
use pillion_engine::{ContainerId, Entry, Request, Tick, What};
use pillion_runtime::process::Processes;
use pillion_runtime::pump::Driven;
use pillion_timeline::quantity::length;
use pillion_timeline::words::{exited, in_brackets};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// All of it.
#[derive(Debug)]
pub(super) struct UnderWay {
    candidate: Candidate,
    /// Whose turn has not come.
    waiting: VecDeque<Vec<Changed>>,
    begun: BTreeMap<ContainerId, Begun>,
    done: Vec<Done>,
    since: Tick,
    force: bool,
    timeout: Option<Duration>,
    /// Something has happened that may make a difference.
    stirred: bool,
}

/// An exchange that the engine has taken.
#[derive(Debug)]
struct Begun {
    name: String,
    version: u32,
    since: Tick,
    told: Told,
    /// The new one has been tried.
    tried: bool,
    /// What was wrong with it last.
    trouble: Option<String>,
}

/// What the engine has told of it last.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Told {
    Began,
    Replaced,
    Abandoned,
    /// The old one is put back. It is waited for until then.
    Back {
        reason: String,
        until: Tick,
    },
}

/// How long the old one, put back, is waited for before that is reported.
const RETURN: Duration = Duration::from_secs(10);

// === impl UnderWay ===

impl UnderWay {
    pub(super) fn new(
        candidate: Candidate,
        batches: Vec<Vec<Changed>>,
        apply: &Apply,
        now: Tick,
    ) -> Self {
        Self {
            candidate,
            waiting: batches.into(),
            begun: BTreeMap::new(),
            done: Vec::new(),
            since: now,
            force: apply.force,
            timeout: apply.timeout.map(Duration::from_millis),
            stirred: true,
        }
    }

    pub(super) fn into_candidate(self) -> Candidate {
        self.candidate
    }

    /// Something happened in the pod's life.
    pub(super) fn told(&mut self, entry: &Entry) {
        self.stirred = true;
        let begun = entry.container.and_then(|id| self.begun.get_mut(&id));
        if let Some(begun) = begun {
            begun.told(entry.at, &entry.what);
        }
    }

    /// When to [`go_on`](Self::go_on) though nothing happens.
    pub(super) fn next_wake(&self) -> Option<Tick> {
        let now = self.stirred.then_some(Tick::ZERO);
        let returns = self.begun.values().filter_map(|begun| match begun.told {
            Told::Back { until, .. } => Some(until),
            Told::Began | Told::Replaced | Told::Abandoned => None,
        });
        now.into_iter().chain(returns).min()
    }

    /// Begins what can be begun, and says what came of it all when nothing is left.
    pub(super) fn go_on(&mut self, pod: &mut Driven<'_, Processes>) -> Option<Report> {
        self.stirred = false;
        loop {
            self.take_ends(pod);
            if !self.begun.is_empty() {
                return None;
            }
            let Some(batch) = self.waiting.pop_front() else {
                return Some(self.report(pod.now));
            };
            for change in batch {
                self.begin(change, pod);
            }
        }
    }

    fn begin(&mut self, change: Changed, pod: &mut Driven<'_, Processes>) {
        let Changed {
            id,
            name,
            def,
            definition,
            fields: _,
        } = change;
        let bad = self.done.iter().find(|done| !done.outcome.is_good());
        let refused = if let Some(bad) = bad {
            Err(format!("`{}` was not replaced", bad.container))
        } else {
            let asked = pod.request(Request::Replace {
                container: id,
                with: Box::new(def),
                timeout: self.timeout,
                force: self.force,
            });
            asked.map_err(|refused| refused.to_string())
        };
        if let Err(reason) = refused {
            self.done.push(Done {
                container: name,
                outcome: Outcome::NotBegun,
                reason: Some(reason),
                milliseconds: 0,
            });
            return;
        }
        let engine = pod.engine();
        let version = match engine.replacing(id) {
            Some(replacing) => replacing.new_version,
            None => engine.record(id).map_or(0, |record| record.version),
        };
        pod.runtime.define(id, version, definition);
        let begun = Begun {
            name,
            version,
            since: pod.now,
            told: Told::Began,
            tried: false,
            trouble: None,
        };
        self.begun.insert(id, begun);
    }

    /// Takes note of those that are over.
    fn take_ends(&mut self, pod: &Driven<'_, Processes>) {
        let over = self
            .begun
            .extract_if(.., |id, begun| begun.outcome(*id, pod).is_some());
        let over: Vec<_> = over.collect();
        for (id, begun) in over {
            let Some((outcome, reason)) = begun.outcome(id, pod) else {
                continue;
            };
            self.done.push(Done {
                container: begun.name,
                outcome,
                reason,
                milliseconds: milliseconds(pod.now.since(begun.since)),
            });
        }
    }

    fn report(&mut self, now: Tick) -> Report {
        Report {
            containers: std::mem::take(&mut self.done),
            milliseconds: milliseconds(now.since(self.since)),
        }
    }
}

// === impl Begun ===

impl Begun {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most of what happens to a container is no news here"
    )]
    fn told(&mut self, at: Tick, what: &What) {
        match what {
            What::Starting => self.tried = true,
            What::Exited(exit) if self.tried => {
                let last_words = in_brackets(exit.message.as_deref().unwrap_or_default());
                self.trouble = Some(format!("{}{last_words}", exited(exit)));
            }
            What::StartFailed { message, .. } => {
                self.trouble = Some(format!("could not be started{}", in_brackets(message)));
            }
            What::Replaced => self.told = Told::Replaced,
            What::ReplaceAbandoned => self.told = Told::Abandoned,
            What::RolledBack => {
                let time = length(at.since(self.since));
                let trouble = self.trouble.take();
                let trouble = trouble.unwrap_or_else(|| format!("was not ready after {time}"));
                self.told = Told::Back {
                    reason: format!("the new one {trouble}"),
                    until: at + RETURN,
                };
            }
            _ => {}
        }
    }

    /// What came of it, once it is over.
    fn outcome(
        &self,
        id: ContainerId,
        pod: &Driven<'_, Processes>,
    ) -> Option<(Outcome, Option<String>)> {
        let engine = pod.engine();
        match engine.replacing(id).map(|replacing| replacing.step) {
            Some(ReplaceStep::NextStart) => return Some((Outcome::Taken, None)),
            Some(
                ReplaceStep::Pulling
                | ReplaceStep::Stopping
                | ReplaceStep::Watching
                | ReplaceStep::RollingBack,
            ) => return None,
            None => {}
        }
        let record = engine.record(id)?;
        match &self.told {
            Told::Replaced => Some((Outcome::Replaced, None)),
            // It has ended for good: the new one is what would be started, if the whole pod were.
            Told::Abandoned if record.is_over() && record.version == self.version => {
                Some((Outcome::Taken, None))
            }
            Told::Abandoned => Some((Outcome::GivenUp, Some("the old one stays".to_owned()))),
            Told::Back { reason, until } => {
                let back = engine.is_container_ready(id) || record.is_over() || *until <= pod.now;
                back.then(|| (Outcome::PutBack, Some(reason.clone())))
            }
            Told::Began => {
                let why = match engine.goal() {
                    Goal::End { .. } => "the pod is ending",
                    Goal::Run | Goal::Restart { .. } if record.version == self.version => {
                        return Some((Outcome::Taken, None));
                    }
                    Goal::Restart { .. } => "the pod is being restarted",
                    Goal::Run => "the old one stays",
                };
                Some((Outcome::GivenUp, Some(why.to_owned())))
            }
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
