//! The containers that a file changes: which, what becomes of each, and in which order.

use super::candidate::Candidate;
use super::difference::{Side, difference};
use super::order;
use crate::control::apply::{Along, Change, How, Plan, Problem};
use pillion_engine::fact::ReplaceStep;
use pillion_engine::life::State;
use pillion_engine::pod::Container;
use pillion_engine::{ContainerId, Engine, Refused};
use pillion_runtime::process::{Definition, Processes};
use pillion_runtime::pump::Driven;
use std::collections::BTreeMap;

/// A container that is to be exchanged.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) id: ContainerId,
    pub(super) name: String,
    /// What is different, as the file calls it.
    pub(super) fields: Vec<String>,
    pub(super) def: Container,
    pub(super) definition: Definition,
}

/// What a container is, or will be when it starts again.
pub(super) fn present<'p>(
    id: ContainerId,
    pod: &'p Driven<'_, Processes>,
) -> Option<(ContainerId, Side<'p>)> {
    let engine = pod.engine();
    let pending = engine.replacing(id);
    let pending = pending.filter(|replacing| replacing.step == ReplaceStep::NextStart);
    let (def, version) = match pending {
        Some(replacing) => (&replacing.new, replacing.new_version),
        None => (
            engine.pod().containers.get(id.index())?,
            engine.record(id)?.version,
        ),
    };
    let definition = pod.runtime.definition(id, version)?;
    Some((id, Side { def, definition }))
}

/// Everything that is different.
pub(super) fn all_changed(
    candidate: &Candidate,
    present: &[(ContainerId, Side<'_>)],
) -> Vec<Changed> {
    let pairs = present.iter().filter_map(|(id, old)| {
        let name = &old.definition.name;
        let definition = candidate.definitions.get(name)?;
        let mut defs = candidate.graph.containers.iter();
        let def = defs.find(|def| *def.name == **name)?;
        let fields = difference(*old, Side { def, definition })?;
        Some(Changed {
            id: *id,
            name: name.clone(),
            fields,
            def: Container {
                // The same, under the numbers that run.
                requires: old.def.requires.clone(),
                ..def.clone()
            },
            definition: definition.clone(),
        })
    });
    pairs.collect()
}

/// Who has something of a volume.
pub(super) fn users_of(volume: &str, present: &[(ContainerId, Side<'_>)]) -> Vec<String> {
    let users = present.iter().map(|(_, side)| side.definition);
    let users = users.filter(|one| one.volume_paths().contains_key(volume));
    users.map(|one| one.name.clone()).collect()
}

/// The changes in the order in which they are made; those of one batch are made at the same time.
pub(super) fn in_batches(changes: Vec<Changed>, engine: &Engine) -> Vec<Vec<Changed>> {
    let along = |id| order::along(engine, id).into_keys().collect();
    let ids = changes.iter().map(|change| change.id);
    let order = order::batches(engine.pod(), ids, along);
    let mut by_id: BTreeMap<_, _> = changes.into_iter().map(|one| (one.id, one)).collect();
    let batches = order.into_iter().map(|batch| {
        let batch = batch.into_iter().filter_map(|id| by_id.remove(&id));
        batch.collect()
    });
    batches.collect()
}

/// The same, to be told.
pub(super) fn plan(batches: &[Vec<Changed>], engine: &Engine) -> Plan {
    let changes: Vec<_> = batches.iter().flatten().collect();
    let all = engine
        .pod()
        .containers
        .iter()
        .map(|def| def.name.to_string());
    let unchanged = all.filter(|name| changes.iter().all(|change| change.name != *name));
    Plan {
        unchanged: unchanged.collect(),
        changes: changes.iter().map(|change| change.told(engine)).collect(),
        notes: Vec::new(),
    }
}

// === impl Changed ===

impl Changed {
    fn told(&self, engine: &Engine) -> Change {
        let how = self.how(engine);
        let along = match how {
            How::Replace => order::along(engine, self.id),
            How::Start | How::NextStart => BTreeMap::new(),
        };
        let along = along.into_iter().map(|(id, for_good)| Along {
            container: name_of(engine, id),
            for_good,
        });
        Change {
            container: self.name.clone(),
            fields: self.fields.clone(),
            how,
            along: along.collect(),
        }
    }

    fn how(&self, engine: &Engine) -> How {
        let state = engine.record(self.id).map(|record| &record.state);
        match state {
            Some(State::Ended { .. }) | None => How::NextStart,
            Some(State::Waiting | State::BackOff { .. } | State::GaveUp { .. }) => How::Start,
            Some(_) if self.def.is_oneshot() => How::NextStart,
            Some(State::Starting | State::Running { .. } | State::Stopping { .. }) => How::Replace,
        }
    }

    pub(super) fn refused(&self, why: Refused, engine: &Engine) -> Problem {
        let (message, help) = match why {
            Refused::WouldStop(dependant) => (
                format!("`{}` would be stopped for good", name_of(engine, dependant)),
                Some("`--force` does it all the same".to_owned()),
            ),
            Refused::Ending
            | Refused::Restarting
            | Refused::NoSuchContainer
            | Refused::Busy
            | Refused::NameTaken
            | Refused::Ephemeral
            | Refused::OtherShape => (why.to_string(), None),
        };
        Problem {
            container: Some(self.name.clone()),
            fields: Vec::new(),
            message,
            help,
        }
    }
}

fn name_of(engine: &Engine, id: ContainerId) -> String {
    let def = engine.pod().containers.get(id.index());
    def.map(|def| def.name.to_string()).unwrap_or_default()
}
