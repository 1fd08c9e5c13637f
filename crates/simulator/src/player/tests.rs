//! The player with a puppet in the place of the engine: it starts everything at once, and stops
//! everything at once when the pod is deleted.

use super::*;
use crate::act::{Act, Deed, When};
use crate::actor::{Answers, Script};
use crate::check::status::StatusPart;
use crate::line::{Who, Word};
use pillion_engine::action::Command;
use pillion_engine::pod::{Backoff, Container, ProbeKind, RestartPolicy};
use pillion_engine::status::{Condition, ConditionKind, Phase};
use pillion_engine::{Action, ContainerId, Fact, Found, PodResult, PodStatus, Refused, Request};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

struct Puppet {
    pod: Pod,
    up: BTreeSet<ContainerId>,
    begun: bool,
    /// Asks for a second process of everything: what a player must notice.
    twice: bool,
    actions: VecDeque<Action>,
    result: Option<PodResult>,
}

impl Puppet {
    fn ids(&self) -> Vec<ContainerId> {
        (0..)
            .map(ContainerId)
            .take(self.pod.containers.len())
            .collect()
    }

    fn start_all(&mut self) {
        for container in self.ids() {
            for attempt in 1..=u32::from(self.twice) + 1 {
                self.actions.push_back(Action::Start {
                    container,
                    attempt,
                    version: 0,
                    command: Command::Run,
                });
            }
            self.up.insert(container);
        }
        self.begun = true;
    }
}

impl Machine for Puppet {
    fn create(pod: Pod, _now: Tick) -> Result<Self, Unplayable> {
        Ok(Self {
            twice: &*pod.name == "twice",
            pod,
            up: BTreeSet::new(),
            begun: false,
            actions: VecDeque::new(),
            result: None,
        })
    }

    fn restore(pod: Pod, _facts: Vec<Fact>) -> Result<Self, Unplayable> {
        Self::create(pod, Tick::ZERO)
    }

    fn expected(&self) -> Vec<ContainerId> {
        Vec::new()
    }

    fn handle_found(&mut self, _now: Tick, _container: ContainerId, _found: Found) {}

    fn handle_resume(&mut self, _now: Tick) {}

    fn handle_event(&mut self, _now: Tick, event: Event) {
        if event == Event::SandboxReady {
            self.start_all();
        } else if let Event::Exited { container, .. } = event {
            self.up.remove(&container);
        }
        if self.begun && self.up.is_empty() {
            self.result = Some(PodResult {
                phase: Phase::Succeeded,
                decider: Some(ContainerId(0)),
                code: 0,
                reason: None,
            });
        }
    }

    fn handle_request(&mut self, now: Tick, request: Request) -> Result<(), Refused> {
        let Request::Delete { grace } = request else {
            return Err(Refused::Ending);
        };
        let deadline = now + grace.unwrap_or(self.pod.grace);
        for container in self.up.clone() {
            self.actions.push_back(Action::Stop {
                container,
                attempt: 1,
                deadline,
            });
        }
        Ok(())
    }

    fn handle_timeout(&mut self, _now: Tick) {}

    fn poll_fact(&mut self) -> Option<Fact> {
        None
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn poll_entry(&mut self) -> Option<Entry> {
        None
    }

    fn poll_deadline(&self) -> Option<Tick> {
        None
    }

    fn pod(&self) -> &Pod {
        &self.pod
    }

    fn status(&self) -> PodStatus {
        PodStatus {
            phase: if self.up.is_empty() {
                Phase::Pending
            } else {
                Phase::Running
            },
            reason: None,
            message: None,
            conditions: vec![Condition {
                kind: ConditionKind::Ready,
                status: self.up.len() == self.pod.containers.len(),
                reason: None,
                message: None,
            }],
            containers: Vec::new(),
        }
    }

    fn result(&self) -> Option<&PodResult> {
        self.result.as_ref()
    }
}

fn pod(name: &str, containers: &[&str]) -> Pod {
    let containers = containers.iter();
    Pod {
        name: name.into(),
        containers: containers
            .map(|name| Container::new(name, RestartPolicy::Never))
            .collect(),
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Never,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn delete() -> Deed {
    Deed::Delete { grace: None }
}

fn played(scenario: &Scenario) -> Played {
    play_on::<Puppet>(scenario, Setup::default()).unwrap()
}

fn ended_at(scenario: &Scenario) -> Option<Tick> {
    played(scenario).record.end.map(|end| end.at)
}

#[test]
fn a_play_ends_with_its_pod() {
    let scenario = Scenario::new(pod("p", &["a", "b"]))
        .script("a", Script::runs(secs(2), 0))
        .script("b", Script::runs(secs(5), 0));
    assert_eq!(ended_at(&scenario), Some(Tick::from_secs(5)));
}

#[test]
fn a_pod_that_goes_on_is_watched_as_long_as_the_scenario_says() {
    let scenario = Scenario {
        run_for: secs(90),
        ..Scenario::new(pod("p", &["a"]))
    };
    let played = played(&scenario);
    assert_eq!(played.record.end, None);
    assert_eq!(played.record.until, Tick::from_secs(90));
}

#[test]
fn acts_wait_for_each_other_for_their_condition_and_for_their_time() {
    let line = Who::container("a").says(Word::Started);
    let scenario = Scenario::new(pod("p", &["a"]))
        .script(
            "a",
            Script {
                starts_in: crate::actor::PerRun::same(secs(3)),
                ..Script::default()
            },
        )
        .act(Act::default().named("up").when(When::line(line)))
        .act(Act::default().named("later").after(secs(4)))
        .act(Act::new(delete()).after(secs(1)));
    let played = played(&scenario);
    let at = |name| played.record.moments[name].at;
    assert_eq!(at("up"), Tick::from_secs(3));
    assert_eq!(at("later"), Tick::from_secs(7));
    assert_eq!(played.record.end.unwrap().at, Tick::from_secs(8));
}

#[test]
fn a_condition_that_must_hold_without_a_break_starts_anew_after_one() {
    let ready = When::status(StatusPart::condition("Ready", false));
    let act = Act {
        holds_for: secs(5),
        ..Act::new(delete()).when(ready)
    };
    // Not ready until the sandbox is there, and then again from the exit of `a` on.
    let scenario = Scenario::new(pod("p", &["a", "b"]))
        .script("a", Script::runs(secs(2), 0))
        .act(act);
    assert_eq!(ended_at(&scenario), Some(Tick::from_secs(7)));
}

#[test]
fn acts_that_are_never_done_are_told() {
    let line = Who::container("a").says(Word::Stopping);
    let scenario = Scenario::new(pod("p", &["a"]))
        .script("a", Script::runs(secs(2), 0))
        .act(Act::new(delete()).named("deleted").when(When::line(line)));
    assert_eq!(played(&scenario).record.left_undone, ["`deleted`"]);
}

#[test]
fn acts_that_change_nothing_are_told_with_the_reason() {
    let exit = Deed::Exit {
        container: "a".into(),
        code: 0,
    };
    let probe = Deed::SetProbe {
        container: "b".into(),
        probe: ProbeKind::Liveness,
        answers: Answers::Fail,
    };
    let scenario = Scenario::new(pod("p", &["a", "b"]))
        .script("a", Script::runs(secs(2), 0))
        .act(Act::at(secs(3), exit.clone()))
        .act(Act::at(secs(4), probe))
        .act(Act::at(secs(5), delete()))
        .act(Act::at(secs(500), exit));
    assert_eq!(
        played(&scenario).record.in_vain,
        [
            "the exit of a with 0 at 3.000s changes nothing: a was not running any more",
            "the new answer of b's probe at 4.000s changes nothing: b has no liveness probe",
            "the exit of a with 0 was never done: the pod had ended at 5.000s",
        ]
    );
}

#[test]
fn kills_and_exits_from_outside_are_heard_of() {
    let kill = |container: &str| Deed::Kill {
        container: container.into(),
        signal: 9,
    };
    let exit = Deed::Exit {
        container: "b".into(),
        code: 3,
    };
    let scenario = Scenario::new(pod("p", &["a", "b"]))
        .act(Act::at(secs(4), kill("a")))
        .act(Act::at(secs(6), exit));
    assert_eq!(ended_at(&scenario), Some(Tick::from_secs(6)));
}

#[test]
fn two_processes_of_one_container_are_a_violation() {
    let scenario = Scenario::new(pod("twice", &["a"])).script("a", Script::runs(secs(1), 0));
    assert_eq!(played(&scenario).record.violations.len(), 1);
}

#[test]
fn every_play_of_a_scenario_is_the_same() {
    let scenario = Scenario::new(pod("p", &["a", "b", "c"]))
        .script("b", Script::runs(secs(2), 1))
        .act(Act::at(secs(3), delete()));
    let (one, two) = (played(&scenario), played(&scenario));
    assert_eq!(one.trace, two.trace);
    assert_eq!(one.record.log, two.record.log);
}
