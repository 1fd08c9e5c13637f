//! Plays a scenario: couples an engine with a simulated world and moves the clock.
//!
//! Whatever is earliest comes next. In one instant, what happened in the world comes before what
//! the engine has set its clock for: an exit at the very end of a grace period is an exit in time.

mod deed;
mod recovery;

use crate::journal::{Crash, CrashPoint, Journal};
use crate::machine::{Machine, Unplayable};
use crate::record::{End, Record};
use crate::scenario::Scenario;
use crate::trace::{Item, Trace};
use crate::world::{Heard, Latency, World};
use deed::{Acting, Wanted};
use pillion_engine::{Engine, Entry, Event, Pod, Tick};
use pillion_timeline::{Base, Recorder, Timeline};

/// How to play, beside the scenario itself.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Setup {
    /// How long things take between the engine and its containers.
    pub latency: Latency,
    /// Where the driver dies.
    pub crash: Option<Crash>,
}

/// A scenario that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What could be seen from outside.
    pub record: Record,
    /// What went into the engine and came out of it.
    pub trace: Trace,
    /// What the engine told.
    pub entries: Vec<Entry>,
    /// The pod at the end, with what was added and replaced.
    pub pod: Pod,
    /// How many facts the engine handed out.
    pub facts: usize,
}

/// Plays a scenario with the engine.
pub fn play(scenario: &Scenario) -> Result<Played, Unplayable> {
    play_on::<Engine>(scenario, Setup::default())
}

/// Plays a scenario with any machine.
pub fn play_on<M: Machine>(scenario: &Scenario, setup: Setup) -> Result<Played, Unplayable> {
    Player::<M>::new(scenario, setup).play()
}

struct Player<'s, M> {
    scenario: &'s Scenario,
    crash: Option<Crash>,
    /// Gone while the driver is away.
    machine: Option<M>,
    /// When the driver comes back.
    back_at: Option<Tick>,
    /// Whether the machine was restarted while the driver was away.
    rebooted: bool,
    world: World,
    journal: Journal,
    acting: Acting,
    /// Requests that must be made again when the driver is back.
    unanswered: Vec<Wanted>,
    record: Record,
    trace: Trace,
    entries: Vec<Entry>,
    pod: Pod,
    steps_now: usize,
}

/// What goes into the machine.
enum Input {
    Event(Event),
    Wanted(Box<Wanted>),
    Timeout,
}

/// Whether the driver lives after a step.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
enum Driver {
    Lives,
    Dies,
}

/// An instant in which more than this happens per container never ends.
const STEPS_PER_INSTANT: usize = 1_000;

// === impl Played ===

impl Played {
    /// What the engine told, as a timeline that begins with the play.
    pub fn timeline(&self) -> Timeline {
        let mut recorder = Recorder::new(&self.pod, Base::default());
        let mut timeline = Timeline::new(recorder.header(&self.pod));
        let records = self
            .entries
            .iter()
            .map(|entry| recorder.record(&self.pod, entry));
        timeline.extend(records);
        timeline
    }
}

// === impl Player ===

impl<'s, M: Machine> Player<'s, M> {
    fn new(scenario: &'s Scenario, setup: Setup) -> Self {
        let mut world = World::new(setup.latency);
        for container in &scenario.pod.containers {
            let script = scenario.scripts.get(&container.name);
            world.add(container, script.cloned().unwrap_or_default());
        }
        Self {
            scenario,
            crash: setup.crash,
            machine: None,
            back_at: None,
            rebooted: false,
            world,
            journal: Journal::default(),
            acting: Acting::default(),
            unanswered: Vec::new(),
            record: Record::default(),
            trace: Trace::default(),
            entries: Vec::new(),
            pod: scenario.pod.clone(),
            steps_now: 0,
        }
    }

    fn play(mut self) -> Result<Played, Unplayable> {
        self.put_timed_acts();
        self.come_back()?;
        self.look_for_acts();
        self.consider_acts();
        while let Some(at) = self.next_at() {
            if self.record.end.is_some() || at > self.last_moment() || self.is_stuck(at) {
                break;
            }
            self.step(at)?;
            self.look_for_acts();
            self.consider_acts();
        }
        Ok(self.finish())
    }

    fn last_moment(&self) -> Tick {
        Tick::ZERO + self.scenario.run_for
    }

    fn next_at(&self) -> Option<Tick> {
        let deadline = self.machine.as_ref().and_then(M::poll_deadline);
        let next = [self.world.next_at(), self.back_at, deadline];
        let next = next.into_iter().flatten().filter(|at| *at != Tick::NEVER);
        next.min().map(|at| at.max(self.world.now()))
    }

    fn step(&mut self, at: Tick) -> Result<(), Unplayable> {
        if self.world.next_at() == Some(at) {
            match self.world.turn() {
                Heard::Nothing => Ok(()),
                Heard::Event(event) => self.tell(Input::Event(event)),
                Heard::Request(request) => {
                    self.tell(Input::Wanted(Box::new(Wanted::plain(request))))
                }
                Heard::Act(ticket) => self.act_is_due(ticket),
            }
        } else {
            self.world.advance(at);
            if self.back_at.is_some_and(|back| back <= at) {
                self.come_back()
            } else {
                self.tell(Input::Timeout)
            }
        }
    }

    /// Whether this instant never ends.
    fn is_stuck(&mut self, at: Tick) -> bool {
        if at > self.world.now() {
            self.steps_now = 0;
        }
        self.steps_now += 1;
        let limit = STEPS_PER_INSTANT * (1 + self.pod.containers.len());
        let stuck = self.steps_now > limit;
        if stuck {
            self.world.violated(format!(
                "time stands still: {limit} steps in one instant. Something comes back as fast as it \
                 ends, like a container that runs for 0s and has no back-off"
            ));
        }
        stuck
    }

    /// Puts something into the machine and takes out what it says to it.
    fn tell(&mut self, input: Input) -> Result<(), Unplayable> {
        let now = self.world.now();
        let Some(machine) = &mut self.machine else {
            // Whoever wants something tries again; what happened will be found.
            if let Input::Wanted(wanted) = input {
                self.unanswered.push(*wanted);
            }
            return Ok(());
        };
        let kept = self.journal.facts.len();
        let wanted = match input {
            Input::Event(event) => {
                self.trace.push(now, Item::Event(event.clone()));
                machine.handle_event(now, event);
                None
            }
            Input::Timeout => {
                self.trace.push(now, Item::Timeout);
                machine.handle_timeout(now);
                None
            }
            Input::Wanted(wanted) => {
                let answer = machine.handle_request(now, wanted.request.clone());
                let request = wanted.request.clone();
                self.trace.push(now, Item::Request(request, answer));
                Some(match answer {
                    Ok(()) => self.stage(*wanted),
                    Err(why) => {
                        self.note_refused(&wanted.request, why);
                        *wanted
                    }
                })
            }
        };
        match self.drain() {
            Driver::Lives => Ok(()),
            Driver::Dies => {
                // A request that left no trace was never answered, so it is made again.
                let lost = self.journal.facts.len() == kept;
                self.unanswered.extend(wanted.filter(|_| lost));
                self.die()
            }
        }
    }

    /// Keeps, does and tells all that the machine has to say.
    fn drain(&mut self) -> Driver {
        let now = self.world.now();
        let Some(machine) = &mut self.machine else {
            return Driver::Lives;
        };
        let first = self.journal.seen() + 1;
        while let Some(fact) = machine.poll_fact() {
            if self.journal.keep(fact, self.crash) {
                return Driver::Dies;
            }
        }
        while let Some(action) = machine.poll_action() {
            self.trace.push(now, Item::Action(action.clone()));
            self.world.carry_out(&action);
        }
        while let Some(entry) = machine.poll_entry() {
            if entry.at != now {
                self.world
                    .violated(format!("what happens now is told as of {}", entry.at));
            }
            self.entries.push(entry);
        }
        self.look_at_status();
        self.look_for_the_end();
        let last = self.journal.seen();
        let here = |crash: &Crash| {
            crash.point == CrashPoint::AfterActs && (first..=last).contains(&crash.fact)
        };
        if self.crash.as_ref().is_some_and(here) {
            Driver::Dies
        } else {
            Driver::Lives
        }
    }

    /// Notes the pod's status for those who look at every step of it.
    fn look_at_status(&mut self) {
        if let Some(machine) = &self.machine
            && !self.scenario.cases.is_empty()
        {
            self.record.sample(self.world.now(), machine.status());
        }
    }

    /// Notes the pod's status for acts that wait for one. A status is as long as the pod, so a play
    /// that expects nothing looks once in an instant and keeps only the newest.
    fn look_for_acts(&mut self) {
        if let Some(machine) = &self.machine
            && self.scenario.cases.is_empty()
            && self.acting.next < self.scenario.acts.len()
            && self.is_instant_over()
        {
            self.record.statuses.clear();
            self.record.sample(self.world.now(), machine.status());
        }
    }

    /// Whether nothing more happens now.
    fn is_instant_over(&self) -> bool {
        self.next_at().is_none_or(|next| next > self.world.now())
    }

    fn look_for_the_end(&mut self) {
        let now = self.world.now();
        let Some(machine) = &self.machine else {
            return;
        };
        let (None, Some(result)) = (&self.record.end, machine.result()) else {
            return;
        };
        let containers = &machine.pod().containers;
        let decider = result.decider.and_then(|id| containers.get(id.index()));
        self.trace.push(now, Item::Ended(result.clone()));
        self.record.end = Some(End {
            at: now,
            result: Some(result.clone()),
            decided_by: decider.map(|container| container.name.clone()),
        });
        let alive: Vec<_> = self.world.alive().map(str::to_owned).collect();
        for name in alive {
            self.world
                .violated(format!("the pod has ended while {name} still runs"));
        }
    }

    fn finish(mut self) -> Played {
        if let Some(machine) = &self.machine {
            self.record.sample(self.world.now(), machine.status());
        }
        let until = match &self.record.end {
            Some(end) => end.at,
            None => self.last_moment().max(self.world.now()),
        };
        let never_done = self.never_done();
        self.record.in_vain.extend(never_done);
        let left_undone = self.acts_left().map(|(act, _)| act.title()).collect();
        Played {
            record: Record {
                log: self.world.log,
                left_undone,
                until,
                violations: self.world.violations,
                ..self.record
            },
            trace: self.trace,
            entries: self.entries,
            pod: self
                .machine
                .map_or(self.pod, |machine| machine.pod().clone()),
            facts: self.journal.seen(),
        }
    }
}

#[cfg(test)]
mod tests;
