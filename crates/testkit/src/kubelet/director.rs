//! Plays one scenario at a place: makes the pod, does to it what the scenario says, and keeps all that is seen.

mod deed;
mod end;

pub(crate) use end::has_ended;

use super::eyes::Glimpse;
use super::footage::{Footage, log};
use super::interruption::{Asker, Interruptions, Ticket};
use super::late::Late;
use super::limits::{asks_for_events, interrupts};
use super::manifest::manifest;
use super::place::Place;
use super::status;
use crate::processes::network::Network;
use crate::processes::stage::Stage;
use crate::processes::witness::{Life, Witness};
use anyhow::Context as _;
use pillion_engine::{PodStatus, Tick};
use pillion_runtime::clock;
use pillion_simulator::Scenario;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::line::{LineName, Part, Word};
use pillion_simulator::record::Event;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// One play.
pub(crate) struct Director<'t> {
    place: &'t dyn Place,
    scenario: &'t Scenario,
    /// The pod's name.
    name: String,
    folder: PathBuf,
    stage: Stage,
    witness: Witness,
    began: Tick,
    /// The act that is next, and since when its condition has held.
    next: usize,
    since: Option<Tick>,
    /// What there was when that was looked at last.
    considered: Option<Extent>,
    /// It is still to ask for a restart of the node.
    asker: Option<Asker<'t>>,
    /// A restart of the node that was asked for.
    ticket: Option<Ticket>,
    late: Late,
    exits: Vec<Exit>,
    moments: BTreeMap<Box<str>, Tick>,
    glimpses: Vec<Glimpse>,
    /// What Kubernetes events have told, if a check is about them.
    events: Option<Vec<Event>>,
    looked: Tick,
}

/// The end of a process, as it was noticed.
struct Exit {
    noticed: Tick,
    began: Option<Tick>,
    line: LineName,
}

/// How much has been seen, for one act.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Extent {
    act: usize,
    /// Bytes of lines.
    lines: u64,
    exits: usize,
    glimpses: usize,
}

/// How often is looked whether something has changed.
const LOOK: Duration = Duration::from_millis(50);

/// Where that cannot be done.
const NOBODY: &str = "nobody can be restarted here";

// === impl Director ===

impl<'t> Director<'t> {
    /// Sets the stage and makes the pod.
    pub(crate) fn begin(
        place: &'t dyn Place,
        scenario: &'t Scenario,
        pod: &Value,
        name: String,
    ) -> anyhow::Result<Self> {
        let asker = asker(place, scenario);
        let folder = place.stage().join(&name);
        fs::create_dir_all(&folder)?;
        let stage = Stage::at(&folder);
        let network = Network::of(pod, scenario, |port| place.address(port))?;
        for container in &scenario.pod.containers {
            let script = scenario.scripts.get(&container.name).cloned();
            stage.cast(&container.name, &script.unwrap_or_default())?;
            stage.open(&container.name, network.services(&container.name))?;
        }
        let witness = Witness::at(&stage.alive())?;
        let pod = manifest(pod, &name, (&folder, place.actor()), scenario, &network);
        let began = clock::now();
        place.create(&name, &pod)?;
        Ok(Self {
            place,
            scenario,
            name,
            folder,
            stage,
            witness,
            began,
            next: 0,
            since: None,
            considered: None,
            asker,
            ticket: None,
            late: Late::default(),
            exits: Vec::new(),
            moments: BTreeMap::new(),
            glimpses: Vec::new(),
            events: None,
            looked: began,
        })
    }

    /// Plays it to its end.
    pub(crate) fn play(mut self) -> anyhow::Result<Footage> {
        let played = self.go_on();
        // Nobody waits for what this play might still ask for.
        self.asker = None;
        let removed = self.place.remove(&self.name);
        let ended = self.end_survivors();
        played.and(removed).and(ended)?;
        let footage = self.footage();
        // Actors that still end write into a folder that nobody sees any more.
        let _ = fs::remove_dir_all(&self.folder);
        Ok(footage)
    }

    fn go_on(&mut self) -> anyhow::Result<()> {
        while !self.is_over()? {
            self.look(LOOK)?;
            self.supply()?;
            self.act()?;
        }
        self.come_to_an_end()?;
        self.look(LOOK)?;
        self.listen()
    }

    /// Sees what has changed.
    fn look(&mut self, time: Duration) -> anyhow::Result<()> {
        for life in self.witness.wait(time)? {
            let began = life.when(Word::Starting);
            let Life { who, gone, .. } = life;
            // A hook or probe that could still say so has said so.
            let says = |word| who.says(word);
            let (starting, exited) = (says(Word::Starting), says(Word::Exited));
            let lines = self.stage.lines();
            let count = |name: &LineName| lines.iter().filter(|(_, line)| line == name).count();
            if who.part == Part::Itself || count(&starting) > count(&exited) {
                self.exits.extend(gone.map(|noticed| Exit {
                    noticed,
                    began,
                    line: exited,
                }));
            }
        }
        let new = self.place.seen(&self.name, self.glimpses.len())?;
        self.glimpses.extend(new);
        Ok(())
    }

    /// Hears what has been told.
    fn listen(&mut self) -> anyhow::Result<()> {
        if asks_for_events(self.scenario) {
            self.events = self.place.events(&self.name)?;
        }
        Ok(())
    }

    fn supply(&mut self) -> anyhow::Result<()> {
        let mut late = self.late;
        if let Some(pod) = self.pod() {
            self.place.supply(&mut late, clock::now(), pod)?;
        }
        self.late = late;
        Ok(())
    }

    fn act(&mut self) -> anyhow::Result<()> {
        let Some(act) = self.scenario.acts.get(self.next) else {
            return Ok(());
        };
        if let Some(ticket) = self.ticket {
            if let Some(at) = self.interruptions()?.done(ticket)? {
                self.ticket = None;
                self.finish(act, at);
            }
            return Ok(());
        }
        let now = clock::now();
        self.consider(act, now);
        let Some(since) = self.since else {
            return Ok(());
        };
        let due = self.began + act.due(Tick::ZERO + since.since(self.began)).elapsed();
        if due > now {
            return Ok(());
        }
        match &act.deed {
            Some(deed) if interrupts(deed) => {
                let interruption = self.interruption(deed);
                let asker = self.asker.as_ref().context(NOBODY)?;
                self.ticket = Some(asker.ask(interruption));
            }
            Some(deed) => {
                self.finish(act, now);
                self.perform(deed)?;
            }
            None => self.finish(act, now),
        }
        Ok(())
    }

    /// Whether what an act waits for holds: that changes only when something new is seen, and whoever looks without need is in
    /// the way of those whose times are judged.
    fn consider(&mut self, act: &Act, now: Tick) {
        let extent = self.extent();
        if self.considered == Some(extent) {
            return;
        }
        self.considered = Some(extent);
        let status = self.status();
        let holds = status.is_some_and(|status| act.when.holds(&log(&self.lines()), &status));
        match (holds, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(_)) if !act.holds_for.is_zero() => self.since = None,
            (true, Some(_)) | (false, Some(_) | None) => {}
        }
    }

    /// An act was done at that time; the next one is due.
    fn finish(&mut self, act: &Act, at: Tick) {
        if let Some(name) = &act.name {
            self.moments.entry(name.clone()).or_insert(at);
        }
        self.next += 1;
        self.since = None;
        let left = self.scenario.acts.get(self.next..).unwrap_or_default();
        if !interrupt(left) {
            self.asker = None;
        }
    }

    fn interruptions(&self) -> anyhow::Result<&Interruptions> {
        let interruptions = self.place.interruptions();
        interruptions.context(NOBODY)
    }

    /// The newest state of the pod that was seen.
    fn pod(&self) -> Option<&Value> {
        let mut pods = self
            .glimpses
            .iter()
            .rev()
            .filter_map(|glimpse| glimpse.pod.as_ref());
        pods.next()
    }

    fn extent(&self) -> Extent {
        Extent {
            act: self.next,
            lines: self.stage.extent(),
            exits: self.exits.len(),
            glimpses: self.glimpses.len(),
        }
    }

    /// The newest status that was told.
    fn status(&self) -> Option<PodStatus> {
        let pods = self.glimpses.iter().rev();
        let mut pods = pods.filter_map(|glimpse| glimpse.pod.as_ref());
        let told = pods.find(|pod| status::is_told(pod))?;
        Some(status::read(told, self.new_image()))
    }

    /// All lines and ends in order, with times from the beginning.
    fn lines(&self) -> Vec<(Tick, LineName)> {
        let written = self.stage.lines();
        let exits = self.exits.iter();
        let exits = exits.map(|exit| (exit.at(&written), exit.line.clone()));
        let mut lines: Vec<_> = exits.collect();
        lines.extend(written);
        lines.sort_by_key(|(at, _)| *at);
        for (at, _) in &mut lines {
            *at = self.since_start(*at);
        }
        lines
    }

    fn since_start(&self, at: Tick) -> Tick {
        Tick::ZERO + at.since(self.began)
    }

    /// Everything that has been seen, with times from the beginning.
    fn footage(&self) -> Footage {
        let since_start = |at: &Tick| self.since_start(*at);
        let glimpses = self.glimpses.iter().map(|Glimpse { at, pod }| Glimpse {
            at: since_start(at),
            pod: pod.clone(),
        });
        let moments = self.moments.iter();
        let moments = moments.map(|(name, at)| (name.clone(), since_start(at)));
        let undone = self.scenario.acts.iter().skip(self.next);
        Footage {
            lines: self.lines(),
            glimpses: glimpses.collect(),
            moments: moments.collect(),
            events: self.events.clone(),
            left_undone: undone.map(Act::title).collect(),
            new_image: self.new_image().into(),
            until: self.since_start(clock::now()),
        }
    }

    /// How the scenario calls the image that it changes to.
    fn new_image(&self) -> &str {
        let mut images = self.scenario.acts.iter().filter_map(|act| match &act.deed {
            Some(Deed::SetImage { image, .. }) => Some(&**image),
            Some(_) | None => None,
        });
        images.next_back().unwrap_or("new")
    }
}

// === impl Exit ===

impl Exit {
    /// When it was, by these lines: whoever was looking elsewhere meanwhile has noticed it only after the next one had begun.
    fn at(&self, lines: &[(Tick, LineName)]) -> Tick {
        let starting = self.line.who.says(Word::Starting);
        let starts = lines.iter().filter(|(_, line)| *line == starting);
        let later = starts.filter(|(at, _)| self.began.is_some_and(|began| *at > began));
        let next = later.map(|(at, _)| *at).min();
        next.map_or(self.noticed, |next| next.min(self.noticed))
    }
}

/// Whoever restarts the node waits for a play that asks for that as long as this is there.
fn asker<'t>(place: &'t dyn Place, scenario: &Scenario) -> Option<Asker<'t>> {
    let interruptions = place.interruptions()?;
    interrupt(&scenario.acts).then(|| interruptions.asker())
}

/// Whether any of these acts restarts the node.
fn interrupt(acts: &[Act]) -> bool {
    let mut deeds = acts.iter().filter_map(|act| act.deed.as_ref());
    deeds.any(interrupts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_simulator::line::Who;

    #[test]
    fn an_end_that_was_noticed_late_is_no_later_than_the_next_start() {
        let at = |seconds: u64| Tick::ZERO + Duration::from_secs(seconds);
        let who = Who::container("m1");
        let starting = |seconds| (at(seconds), who.says(Word::Starting));
        let exit = |began, noticed| Exit {
            noticed: at(noticed),
            began: Some(at(began)),
            line: who.says(Word::Exited),
        };
        let lines = [starting(1), starting(5), starting(9)];

        assert_eq!(exit(1, 4).at(&lines), at(4));
        assert_eq!(exit(1, 6).at(&lines), at(5));
        assert_eq!(exit(5, 10).at(&lines), at(9));
        assert_eq!(exit(9, 12).at(&lines), at(12));
    }
}
