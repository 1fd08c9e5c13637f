//! Attempts of probes: each asks once, and has failed when it takes too long.

use super::{Happening, World};
use crate::line::{Part, Word};
use pillion_engine::pod::ProbeKind;
use pillion_engine::{Attempt, ContainerId, Event};
use std::time::Duration;

impl World {
    pub(super) fn probe(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        probe: ProbeKind,
        timeout: Duration,
    ) {
        let (now, number) = (self.now(), self.number());
        let Some(process) = self.run(id, attempt) else {
            return self.probed(id, attempt, probe, false);
        };
        process.probes.push((number, probe));
        let up = process.up.map(|up| now.since(up));
        let (actor, run) = (process.actor, process.run);
        let script = &self.cells[id.index()].actors[actor].script;
        let (ok, takes) = script.probe(probe).in_run(run).attempt(up);
        self.write(id, probe.into(), Word::Starting);
        self.write(id, probe.into(), Word::Started);
        let (answer, takes) = match takes {
            Some(takes) if takes < timeout => (Some(ok), takes),
            Some(_) | None => (None, timeout),
        };
        self.agenda
            .put(now + takes, Happening::ProbeEnd(id, number, answer));
    }

    /// An attempt answers, or is cut off.
    pub(super) fn probe_ends(&mut self, id: ContainerId, number: u64, answer: Option<bool>) {
        let Some(process) = self.cells[id.index()].process.as_mut() else {
            return;
        };
        let Some(at) = process.probes.iter().position(|(n, _)| *n == number) else {
            return;
        };
        let attempt = process.attempt;
        let (_, probe) = process.probes.remove(at);
        let part = Part::from(probe);
        if answer.is_some() {
            self.write(id, part, Word::Exiting);
        }
        self.write(id, part, Word::Exited);
        self.probed(id, attempt, probe, answer.unwrap_or(false));
    }

    fn probed(&mut self, id: ContainerId, attempt: Attempt, probe: ProbeKind, ok: bool) {
        self.hear(Event::Probed {
            container: id,
            attempt,
            probe,
            ok,
        });
    }
}
