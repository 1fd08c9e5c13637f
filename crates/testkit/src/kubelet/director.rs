//! Plays one scenario at a place: makes the pod, does to it what the scenario says, and keeps all that is seen.

use super::eyes::Glimpse;
use super::interruption::{Interruption, Interruptions, Ticket};
use super::late::Late;
use super::limits::{interrupts, is_settled};
use super::manifest::{image, manifest};
use super::place::Place;
use super::status;
use crate::processes::actor::TAKE_LEAVE;
use crate::processes::network::Network;
use crate::processes::plan;
use crate::processes::stage::Stage;
use crate::processes::witness::{Life, Witness};
use anyhow::Context as _;
use pillion_engine::status::Phase;
use pillion_engine::{PodResult, Tick};
use pillion_runtime::clock;
use pillion_simulator::Scenario;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::line::{LineName, Part, Who, Word};
use pillion_simulator::record::{End, Moment, Record};
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
    /// A restart of the node that was asked for.
    ticket: Option<Ticket>,
    late: Late,
    exits: Vec<Exit>,
    moments: BTreeMap<Box<str>, Tick>,
    glimpses: Vec<Glimpse>,
    looked: Tick,
}

/// The end of a process, as it was noticed.
struct Exit {
    noticed: Tick,
    began: Option<Tick>,
    line: LineName,
}

/// How often is looked whether something has changed.
const LOOK: Duration = Duration::from_millis(50);

/// How often is looked whether enough has been seen.
const REVIEW: Duration = Duration::from_secs(1);

/// A kubelet that has stopped a pod needs a while until it is through with it.
const LAST_WORD: Duration = Duration::from_secs(10);

// === impl Director ===

impl<'t> Director<'t> {
    /// Sets the stage and makes the pod.
    pub(crate) fn begin(
        place: &'t dyn Place,
        scenario: &'t Scenario,
        pod: &Value,
        name: String,
    ) -> anyhow::Result<Self> {
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
            ticket: None,
            late: Late::default(),
            exits: Vec::new(),
            moments: BTreeMap::new(),
            glimpses: Vec::new(),
            looked: began,
        })
    }

    /// Plays it to its end.
    pub(crate) fn play(mut self) -> anyhow::Result<Record> {
        let played = self.go_on();
        self.leave();
        self.place.remove(&self.name)?;
        played?;
        let record = self.record();
        // Actors that still end write into a folder that nobody sees any more.
        let _ = fs::remove_dir_all(&self.folder);
        Ok(record)
    }

    fn go_on(&mut self) -> anyhow::Result<()> {
        while !self.is_over() {
            self.look(LOOK)?;
            self.supply()?;
            self.act()?;
        }
        // The last ends may still be on their way.
        while self.is_gone() && self.witness.is_anybody_there() {
            self.look(LOOK)?;
        }
        let ended = clock::now();
        while self.has_more_to_tell() && clock::now().since(ended) < LAST_WORD {
            self.look(LOOK)?;
        }
        self.look(LOOK)
    }

    /// A kubelet that is through with a pod says of what still waits, and has run before, how it ended.
    fn has_more_to_tell(&self) -> bool {
        let pod = self.pod().filter(|_| self.has_ended() && !self.is_gone());
        let mut containers = pod.into_iter().flat_map(status::all_statuses);
        containers.any(|one| {
            one["state"]["waiting"].is_object() && one["lastState"]["terminated"].is_object()
        })
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
        let record = self.record();
        let holds = record
            .status()
            .is_some_and(|status| act.when.holds(&record.log, status));
        match (holds, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(_)) if !act.holds_for.is_zero() => self.since = None,
            (true, Some(_)) | (false, Some(_) | None) => {}
        }
        let Some(since) = self.since else {
            return Ok(());
        };
        let due = self.began + act.due(Tick::ZERO + since.since(self.began)).elapsed();
        if due > now {
            return Ok(());
        }
        match &act.deed {
            Some(deed) if interrupts(deed) => {
                let asked = self.interruption(deed);
                self.ticket = Some(self.interruptions()?.ask(asked));
            }
            Some(deed) => {
                self.finish(act, now);
                self.perform(deed)?;
            }
            None => self.finish(act, now),
        }
        Ok(())
    }

    /// An act was done at that time; the next one is due.
    fn finish(&mut self, act: &Act, at: Tick) {
        if let Some(name) = &act.name {
            self.moments.entry(name.clone()).or_insert(at);
        }
        self.next += 1;
        self.since = None;
        if act.deed.as_ref().is_some_and(interrupts) && !self.will_interrupt() {
            self.leave_interruptions();
        }
    }

    fn interruptions(&self) -> anyhow::Result<&Interruptions> {
        let interruptions = self.place.interruptions();
        interruptions.context("nobody can be restarted here")
    }

    fn leave_interruptions(&self) {
        if let Some(interruptions) = self.place.interruptions() {
            interruptions.leave();
        }
    }

    fn will_interrupt(&self) -> bool {
        let mut acts = self.scenario.acts.iter().skip(self.next);
        acts.any(|act| act.deed.as_ref().is_some_and(interrupts))
    }

    /// Nobody waits for what this play might still ask for.
    fn leave(&self) {
        if self.will_interrupt() {
            self.leave_interruptions();
        }
    }

    fn perform(&self, deed: &Deed) -> anyhow::Result<()> {
        match deed {
            Deed::Delete { grace } => {
                let grace = grace.map(|grace| grace.as_secs());
                self.place.delete(&self.name, grace)
            }
            Deed::SetImage {
                container,
                image: name,
            } => {
                let pod = self.pod().cloned().unwrap_or_default();
                self.place.set_image(&pod, container, image(name))
            }
            Deed::Kill { container, signal } => {
                self.witness.signal(&Who::container(container), *signal);
                Ok(())
            }
            Deed::Exit { container, code } => {
                self.stage.set_last_code(container, *code)?;
                self.witness.signal(&Who::container(container), TAKE_LEAVE);
                Ok(())
            }
            Deed::SetProbe {
                container,
                probe,
                answers,
            } => {
                let word = plan::answers(*answers);
                Ok(self
                    .stage
                    .set_answers(container, Part::from(*probe), &word)?)
            }
            Deed::Replace(_)
            | Deed::RestartDriver { .. }
            | Deed::Reboot
            | Deed::Ask { .. }
            | Deed::AddEphemeral { .. } => Ok(()),
        }
    }

    fn interruption(&self, deed: &Deed) -> Interruption {
        let pod = self.pod().cloned().unwrap_or_default();
        match deed {
            Deed::RestartDriver { forget } if !forget.is_empty() => {
                let ids = forget.iter().filter_map(|name| container_id(&pod, name));
                Interruption::Forget(ids.collect())
            }
            Deed::Reboot => {
                let uid = pod["metadata"]["uid"].as_str().unwrap_or_default();
                Interruption::Reboot(uid.to_owned())
            }
            Deed::RestartDriver { .. }
            | Deed::Delete { .. }
            | Deed::SetImage { .. }
            | Deed::Replace(_)
            | Deed::Kill { .. }
            | Deed::Exit { .. }
            | Deed::Ask { .. }
            | Deed::SetProbe { .. }
            | Deed::AddEphemeral { .. } => Interruption::Restart,
        }
    }

    fn is_over(&mut self) -> bool {
        let now = clock::now();
        if now.since(self.began) > self.scenario.run_for || self.has_ended() {
            return true;
        }
        if now.since(self.looked) < REVIEW || self.next < self.scenario.acts.len() {
            return false;
        }
        self.looked = now;
        let record = self.record();
        let now = Tick::ZERO + now.since(self.began);
        let checks = self.scenario.cases.iter().flat_map(|case| &case.checks);
        let mut checks = checks.peekable();
        // A play that is only to be compared with another one is watched to its end.
        checks.peek().is_some() && checks.all(|check| is_settled(check, &record, now))
    }

    fn has_ended(&self) -> bool {
        self.glimpses.last().is_some_and(has_ended)
    }

    fn is_gone(&self) -> bool {
        self.glimpses
            .last()
            .is_some_and(|glimpse| glimpse.pod.is_none())
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

    /// Everything that has been seen, with times from the beginning.
    fn record(&self) -> Record {
        let from_start = |at: Tick| Tick::ZERO + at.since(self.began);
        let mut record = Record::default();
        let written = self.stage.lines();
        let exits = self.exits.iter();
        let exits = exits.map(|exit| (exit.at(&written), exit.line.clone()));
        let mut lines: Vec<_> = exits.collect();
        lines.extend(written);
        lines.sort_by_key(|(at, _)| *at);
        let new_image = self.new_image();
        for Glimpse { at, pod } in &self.glimpses {
            if let Some(pod) = pod.as_ref().filter(|pod| status::is_told(pod)) {
                record.sample(from_start(*at), status::read(pod, new_image));
            }
        }
        for (name, at) in &self.moments {
            let at = from_start(*at);
            let moment = Moment {
                at,
                lines: lines.partition_point(|(line, _)| from_start(*line) <= at),
                statuses: record.statuses.partition_point(|sample| sample.at <= at),
            };
            record.moments.insert(name.clone(), moment);
        }
        for (at, LineName { who, word }) in lines {
            record.log.write(from_start(at), who, word);
        }
        let undone = self.scenario.acts.iter().skip(self.next);
        record.left_undone = undone.map(Act::title).collect();
        record.until = from_start(clock::now());
        record.end = self.has_ended().then(|| self.end(&record));
        record
    }

    fn end(&self, record: &Record) -> End {
        // What is told after that is not news of the pod.
        let ended = self
            .glimpses
            .iter()
            .rev()
            .take_while(|glimpse| has_ended(glimpse));
        let last = ended.last().map_or(self.began, |glimpse| glimpse.at);
        let phase = record.status().map_or(Phase::Failed, |status| status.phase);
        End {
            at: Tick::ZERO + last.since(self.began),
            result: PodResult {
                phase,
                decider: None,
                code: 0,
                reason: None,
            },
            decided_by: None,
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

/// Whether the pod is gone, or has its result and is not being deleted.
fn has_ended(glimpse: &Glimpse) -> bool {
    glimpse.pod.as_ref().is_none_or(|pod| {
        let phase = pod["status"]["phase"].as_str();
        let ended = matches!(phase, Some("Succeeded" | "Failed"));
        ended && pod["metadata"]["deletionTimestamp"].is_null()
    })
}

/// The id that containerd has for a container.
fn container_id(pod: &Value, name: &str) -> Option<String> {
    let status = status::all_statuses(pod).find(|status| status["name"] == name)?;
    let id = status["containerID"].as_str()?;
    id.strip_prefix("containerd://").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

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
