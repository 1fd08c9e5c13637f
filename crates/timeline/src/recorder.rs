//! Turns what the engine tells into records, one by one.

use crate::because::Causes;
use crate::record::{Cause, Record, Seq, What};
use crate::timeline::{Header, Timeline};
use crate::translate::{Translator, whole_micros};
use crate::wall::Wall;
use pillion_engine::entry::{self, Entry};
use pillion_engine::pod::{ContainerId, HookKind, Pod, ProbeKind};
use pillion_engine::tick::Tick;
use std::time::Duration;

/// Numbers entries, names their containers, and finds for each the record that caused it.
///
/// It keeps no records: memory depends on the pod's size and not on its age.
#[derive(Clone, Debug)]
pub struct Recorder {
    base: Base,
    next: Seq,
    causes: Causes,
    /// What made the pod end, and what made it hurry.
    deleted_by: Option<Box<str>>,
    hurried_by: Option<Box<str>>,
    /// With what whoever runs the pod will end, whatever its containers make of it.
    status: Option<i32>,
    /// Why containers are exchanged from now on.
    replaced_by: Option<Box<str>>,
    /// Why hooks failed the last time.
    hooks: Vec<(ContainerId, HookKind, Box<str>)>,
    /// Why the latest attempts of probes failed.
    probes: Vec<(ContainerId, ProbeKind, Box<str>)>,
}

/// The moment from which a recorder counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Base {
    /// The engine's time at that moment.
    pub tick: Tick,
    /// How long the pod had lived by then; zero unless a recorder goes on with a timeline.
    pub elapsed: Duration,
    /// The calendar's time at that moment, if there is one.
    pub wall: Option<Wall>,
}

// === impl Recorder ===

impl Recorder {
    /// For a pod that begins its life.
    pub fn new(pod: &Pod, base: Base) -> Self {
        Self {
            base,
            next: 1,
            causes: Causes::new(pod),
            deleted_by: None,
            hurried_by: None,
            status: None,
            replaced_by: None,
            hooks: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// Says why a hook failed, before it is told that it did.
    pub fn hook_failed(&mut self, container: ContainerId, hook: HookKind, why: &str) {
        self.hooks
            .retain(|(of, kind, _)| (*of, *kind) != (container, hook));
        self.hooks.push((container, hook, why.into()));
    }

    /// Says why an attempt of a probe failed, before it is told what comes of that.
    pub fn probe_failed(&mut self, container: ContainerId, probe: ProbeKind, why: &str) {
        self.probes
            .retain(|(of, kind, _)| (*of, *kind) != (container, probe));
        self.probes.push((container, probe, why.into()));
    }

    /// Says what a deletion that is about to be told comes from: `Ctrl-C`. The first one ends the pod; later ones
    /// can only hurry it.
    pub fn deleted_by(&mut self, what: &str) {
        self.deleted_by.get_or_insert_with(|| what.into());
        self.hurried_by = Some(what.into());
    }

    /// Says with what whoever runs the pod will end, whatever its containers make of it.
    pub fn ends_with(&mut self, status: i32) {
        self.status = Some(status);
    }

    /// Says why containers are exchanged from now on.
    pub fn replaced_by(&mut self, what: &str) {
        self.replaced_by = Some(what.into());
    }

    /// Goes on with a timeline, after the one who wrote it went away.
    pub fn resume(pod: &Pod, base: Base, timeline: &Timeline) -> Self {
        let mut recorder = Self::new(pod, base);
        for record in timeline.records() {
            let container = record.container.as_deref().map(|name| id_of(pod, name));
            // A container that the pod has no more causes nothing more either.
            if container != Some(None) {
                recorder.causes.note(pod, container.flatten(), record);
            }
            recorder.next = record.seq.saturating_add(1);
        }
        recorder
    }

    /// The header that goes before the records.
    pub fn header(&self, pod: &Pod) -> Header {
        Header::new(pod, self.base.wall)
    }

    /// Makes a record of an entry. The pod is the engine's own, which may have grown meanwhile.
    pub fn record(&mut self, pod: &Pod, entry: &Entry) -> Record {
        let translator = Translator {
            pod,
            since_start: |tick| self.since_start(tick),
        };
        let record = Record {
            seq: self.next,
            at: self.since_start(entry.at),
            time: self
                .base
                .wall
                .map(|wall| wall.after(entry.at.since(self.base.tick))),
            container: entry.container.map(|id| translator.name(id)),
            attempt: entry.attempt,
            what: self.what(translator.what(&entry.what), entry),
            cause: self.cause(translator.cause(&entry.cause), pod, entry),
            because: self.causes.find(pod, entry),
        };
        self.causes.note(pod, entry.container, &record);
        self.next = self.next.saturating_add(1);
        record
    }

    /// What happened, with what only those outside know of it.
    fn what(&self, mut what: What, entry: &Entry) -> What {
        if let What::HookEnded {
            hook,
            ok: false,
            message,
        } = &mut what
        {
            *message = why(&self.hooks, entry.container, *hook);
        } else if let What::ProbeVerdict {
            probe,
            ok: false,
            message,
        } = &mut what
        {
            *message = why(&self.probes, entry.container, *probe);
        } else if let What::PodEnded { code, status, .. } = &mut what {
            *status = self.status.filter(|status| status != code);
        }
        what
    }

    /// A cause with what only those outside know of it.
    fn cause(&self, cause: Cause, pod: &Pod, entry: &Entry) -> Cause {
        let container = entry
            .container
            .and_then(|id| pod.containers.get(id.index()));
        match (cause, &entry.what, container) {
            (
                Cause::Deletion { by: None },
                entry::What::PodHurried { .. } | entry::What::PodNotDelayed { .. },
                _,
            ) => Cause::Deletion {
                by: self.hurried_by.clone(),
            },
            (Cause::Deletion { by: None }, _, _) => Cause::Deletion {
                by: self.deleted_by.clone(),
            },
            (Cause::Itself, entry::What::ReplaceBegan, Some(container))
                if self.replaced_by.is_some() =>
            {
                Cause::Replacement {
                    container: container.name.clone(),
                    by: self.replaced_by.clone(),
                }
            }
            (Cause::Probe { probe, .. }, _, _) => Cause::Probe {
                probe,
                message: why(&self.probes, entry.container, probe),
            },
            (cause, _, _) => cause,
        }
    }

    fn since_start(&self, tick: Tick) -> Duration {
        whole_micros(self.base.elapsed.saturating_add(tick.since(self.base.tick)))
    }
}

/// Why something of that kind failed in a container, if somebody said so.
fn why<K: Copy + PartialEq>(
    known: &[(ContainerId, K, Box<str>)],
    container: Option<ContainerId>,
    kind: K,
) -> Option<Box<str>> {
    let mut known = known.iter();
    let known = known.find(|(of, other, _)| Some(*of) == container && *other == kind);
    known.map(|(_, _, why)| why.clone())
}

fn id_of(pod: &Pod, name: &str) -> Option<ContainerId> {
    let index = pod
        .containers
        .iter()
        .position(|container| &*container.name == name)?;
    u32::try_from(index).ok().map(ContainerId)
}
