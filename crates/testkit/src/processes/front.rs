//! Who does to a pod of real processes what a scenario says, and when.

use super::actor::TAKE_LEAVE;
use super::plan;
use super::presence::is_everybody_there;
use super::stage::Stage;
use pillion_engine::fact::Goal;
use pillion_engine::{ContainerId, Engine, Entry, Request, Tick};
use pillion_runtime::clock;
use pillion_runtime::guard::{NotStarted, Outcome};
use pillion_runtime::poller::Token;
use pillion_runtime::process::Processes;
use pillion_runtime::pump::{Driven, Front};
use pillion_runtime::runtime::{Output, Stream};
use pillion_simulator::Scenario;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::line::{LineName, Log, Part, Who, Word};
use pillion_simulator::record::{Moment, Record, Sample};
use std::collections::BTreeMap;
use std::time::Duration;

/// The front of a pod that is played.
pub(super) struct Director {
    scenario: Scenario,
    stage: Stage,
    began: Tick,
    /// The act that is next, and since when its condition has held.
    next: usize,
    since: Option<Tick>,
    timed: usize,
    /// Ends, which nobody who is killed can write of.
    ends: Vec<(Tick, LineName)>,
    moments: BTreeMap<Box<str>, Tick>,
    /// The pod's status whenever it changed.
    statuses: Vec<Sample>,
    /// What a container asked for, until it is passed on.
    asked: Vec<(ContainerId, usize)>,
    /// When watching ended, if the pod had not.
    until: Option<Tick>,
    /// When was looked last.
    now: Tick,
}

/// How often is looked whether the time has come for an act that waits for something.
const LOOK: Duration = Duration::from_millis(10);

/// SIGSEGV and SIGBUS.
const CRASHES: [i32; 2] = [11, 7];
const ABORT: i32 = 6;

// === impl Director ===

impl Director {
    pub(super) fn new(scenario: Scenario, stage: Stage, began: Tick) -> Self {
        Self {
            scenario,
            stage,
            began,
            next: 0,
            since: None,
            timed: 0,
            ends: Vec::new(),
            moments: BTreeMap::new(),
            statuses: Vec::new(),
            asked: Vec::new(),
            until: None,
            now: began,
        }
    }

    /// Whether the pod has ended while somebody watched.
    pub(super) fn is_watching(&self) -> bool {
        self.until.is_none()
    }

    /// Everything that was seen, with times from the beginning.
    pub(super) fn into_record(self) -> Record {
        let until = self.until.unwrap_or_else(clock::now);
        let mut lines = self.stage.lines();
        lines.extend(self.ends);
        lines.retain(|(at, _)| *at <= until);
        lines.sort_by_key(|(at, _)| *at);
        let moments = self.moments.into_iter().map(|(name, at)| {
            let since_began = Tick::ZERO + at.since(self.began);
            let statuses = self.statuses.iter();
            let moment = Moment {
                at: since_began,
                lines: lines.partition_point(|(line, _)| *line <= at),
                statuses: statuses.filter(|sample| sample.at <= since_began).count(),
            };
            (name, moment)
        });
        let acts = self.scenario.acts.iter().skip(self.next);
        let mut record = Record {
            moments: moments.collect(),
            statuses: self.statuses,
            left_undone: acts.map(Act::title).collect(),
            until: Tick::ZERO + until.since(self.began),
            ..Record::default()
        };
        for (at, LineName { who, word }) in lines {
            record
                .log
                .write(Tick::ZERO + at.since(self.began), who, word);
        }
        record
    }

    /// A run of a container is over: its hooks and probes that could not tell their end are gone with it.
    fn note_end(&mut self, name: &str) {
        let now = clock::now();
        let line = Who::container(name).says(Word::Exited);
        self.ends.push((now, line));
        for part in self.stage.cut_off(name) {
            let line = Who::part(name, part).says(Word::Exited);
            self.ends.push((now, line));
        }
    }

    fn log(&self) -> Log {
        let mut lines = self.stage.lines();
        lines.extend(self.ends.iter().cloned());
        lines.sort_by_key(|(at, _)| *at);
        let mut log = Log::default();
        for (at, LineName { who, word }) in lines {
            log.write(at, who, word);
        }
        log
    }

    /// When the act that is next is due, if what it waits for holds.
    fn due(&self) -> Option<Tick> {
        let act = self.scenario.acts.get(self.next)?;
        let since = Tick::ZERO + self.since?.since(self.began);
        Some(self.began + act.due(since).elapsed())
    }

    fn timed_due(&self) -> Option<Tick> {
        let act = self.scenario.timed_acts.get(self.timed)?;
        Some(self.began + act.due(Tick::ZERO).elapsed())
    }

    fn last_moment(&self) -> Tick {
        self.began + self.scenario.run_for
    }

    fn consider(&mut self, engine: &Engine) {
        let Some(act) = self.scenario.acts.get(self.next) else {
            return;
        };
        let (log, status) = (self.log(), engine.status());
        let holds = act.when.holds(&log, &status);
        // Whoever has just been started takes no signal yet.
        let is_early = || act.deed.is_some() && !is_everybody_there(&log, &status);
        match (holds, self.since) {
            (true, None) if is_early() => {}
            (true, None) => self.since = Some(self.now),
            (false, Some(_)) if !act.holds_for.is_zero() => self.since = None,
            (true, Some(_)) | (false, Some(_) | None) => {}
        }
    }

    /// Whether the act that is next does nothing but to note a moment.
    fn is_next_a_note(&self) -> bool {
        let act = self.scenario.acts.get(self.next);
        act.is_some_and(|act| act.deed.is_none())
    }

    /// The act that is next, if its time has come. It is done now.
    fn take_next(&mut self) -> Option<Act> {
        self.due().filter(|due| *due <= self.now)?;
        let act = self.scenario.acts.get(self.next)?.clone();
        self.next += 1;
        self.since = None;
        self.note(&act);
        Some(act)
    }

    fn note(&mut self, act: &Act) {
        if let Some(name) = &act.name {
            self.moments.entry(name.clone()).or_insert(self.now);
        }
    }

    fn perform(&mut self, act: &Act, pod: &mut Driven<'_, Processes>) {
        let Some(deed) = &act.deed else {
            return;
        };
        let id = |name: &str| {
            let mut names = pod.engine().pod().containers.iter();
            let place = names.position(|one| &*one.name == name);
            place
                .and_then(|place| u32::try_from(place).ok())
                .map(ContainerId)
        };
        // What is refused, or comes too late, changes nothing; the checks tell.
        match deed {
            Deed::Delete { grace } => {
                let _ = pod.request(Request::Delete { grace: *grace });
            }
            Deed::Ask {
                reaction,
                by,
                reason,
            } => {
                let by = by.as_deref().and_then(id);
                let _ = pod.request(Request::Ask {
                    reaction: *reaction,
                    by,
                    reason: reason.clone(),
                });
            }
            Deed::Kill { container, signal } => {
                if let Some(id) = id(container) {
                    // A Rust program takes the others for its own overflow check, and goes on.
                    let crashes = CRASHES.contains(signal);
                    let signal = if crashes { ABORT } else { *signal };
                    pod.runtime.signal(id, signal);
                }
            }
            Deed::Exit { container, code } => {
                if let Some(id) = id(container) {
                    let _ = self.stage.set_last_code(container, *code);
                    pod.runtime.signal(id, TAKE_LEAVE);
                }
            }
            Deed::SetProbe {
                container,
                probe,
                answers,
            } => {
                let word = plan::answers(*answers);
                let _ = self.stage.set_answers(container, Part::from(*probe), &word);
            }
            Deed::SetImage { .. }
            | Deed::Replace(_)
            | Deed::RestartDriver { .. }
            | Deed::Reboot
            | Deed::AddEphemeral { .. } => {}
        }
    }

    /// Passes on what containers asked for.
    fn pass_on(&mut self, pod: &mut Driven<'_, Processes>) {
        for (container, number) in std::mem::take(&mut self.asked) {
            let name = &pod.engine().pod().containers[container.index()].name;
            let script = self.scenario.scripts.get(name);
            let Some(ask) = script.and_then(|script| script.asks.get(number)) else {
                continue;
            };
            let request = Request::Ask {
                reaction: ask.reaction,
                by: Some(container),
                reason: ask.reason.clone(),
            };
            // If it is refused, the checks tell.
            let _ = pod.request(request);
        }
    }
}

impl Front<Processes> for Director {
    fn told(&mut self, _: &Entry, _: &Engine) {}

    fn output(&mut self, output: &Output, engine: &Engine) {
        let container = output.container;
        // Both streams are closed at the end of a run, this one first.
        if output.bytes.is_empty() {
            if output.stream == Stream::Stdout {
                let name = engine.pod().containers[container.index()].name.clone();
                self.note_end(&name);
            }
            return;
        }
        let text = String::from_utf8_lossy(&output.bytes);
        let asks = text.lines().filter_map(|line| line.strip_prefix("ask "));
        let numbers = asks.filter_map(|number| number.parse().ok());
        self.asked.extend(numbers.map(|number| (container, number)));
    }

    fn ready(&mut self, _: Token, _: Driven<'_, Processes>) {}

    fn exec_done(&mut self, _: u64, _: Result<Outcome, NotStarted>) {}

    fn next_wake(&self) -> Option<Tick> {
        if !self.asked.is_empty() {
            return Some(Tick::ZERO);
        }
        if self.until.is_some() {
            return None;
        }
        let waits = self.next < self.scenario.acts.len();
        let look = waits.then(|| self.now + LOOK);
        let all = [
            self.due().or(look),
            self.timed_due(),
            Some(self.last_moment()),
        ];
        all.into_iter().flatten().min()
    }

    fn wake(&mut self, mut pod: Driven<'_, Processes>) {
        self.now = pod.now;
        self.pass_on(&mut pod);
        if self.until.is_none() && self.last_moment() <= self.now {
            self.until = Some(self.now);
        }
        if self.until.is_some() {
            if matches!(pod.engine().goal(), Goal::Run | Goal::Restart { .. }) {
                let _ = pod.request(Request::Delete {
                    grace: Some(Duration::ZERO),
                });
            }
            pod.runtime.kill_all();
            return;
        }
        self.consider(pod.engine());
        while self.timed_due().is_some_and(|due| due <= self.now) {
            let act = self.scenario.timed_acts[self.timed].clone();
            self.timed += 1;
            self.note(&act);
            self.perform(&act, &mut pod);
        }
        if let Some(act) = self.take_next() {
            self.perform(&act, &mut pod);
        }
    }

    fn settle(&mut self, now: Tick, engine: &Engine) {
        if self.until.is_some() {
            return;
        }
        let status = engine.status();
        let last = self.statuses.last();
        if last.is_some_and(|last| last.status == status) {
            return;
        }
        let at = Tick::ZERO + now.since(self.began);
        self.statuses.push(Sample { at, status });
        // The pod may have ended before anybody looks again. Whatever does something to it has time: actors that have just
        // been started do not listen yet.
        while self.is_next_a_note() {
            self.now = now;
            self.consider(engine);
            if self.take_next().is_none() {
                break;
            }
        }
    }
}
