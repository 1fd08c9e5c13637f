//! Images: they come, take their time, or do not come.

use super::{Cell, Happening, World};
use pillion_engine::{Attempt, ContainerId, Event};
use std::time::Duration;

/// No image of this name can be pulled.
const UNPULLABLE: &str = "unpullable";

/// An image that is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    number: u64,
    attempt: Attempt,
    version: usize,
}

// === impl World ===

impl World {
    pub(super) fn pull(&mut self, id: ContainerId, attempt: Attempt, version: u32) {
        let (now, number) = (self.now(), self.number());
        let version = version as usize;
        let cell = &mut self.cells[id.index()];
        if version >= cell.versions.len() {
            let wrong = format!("the image of {}, version {version}, is pulled", cell.name);
            return self.violated(format!("{wrong}: there is no such version"));
        }
        cell.pull = Some(Pull {
            number,
            attempt,
            version,
        });
        let takes = cell.pull_takes(version);
        self.agenda.put(now + takes, Happening::Pulled(id, number));
    }

    pub(super) fn cancel_pull(&mut self, id: ContainerId, attempt: Attempt) {
        let pull = &mut self.cells[id.index()].pull;
        *pull = pull.take().filter(|pull| pull.attempt != attempt);
    }

    pub(super) fn pull_ends(&mut self, id: ContainerId, number: u64) {
        let cell = &mut self.cells[id.index()];
        let Some(pull) = cell.pull.take_if(|pull| pull.number == number) else {
            return;
        };
        let (container, attempt) = (id, pull.attempt);
        let event = if cell.pull_fails(pull.version) {
            Event::PullFailed {
                container,
                attempt,
                message: "the scenario says so".into(),
            }
        } else {
            Event::Pulled { container, attempt }
        };
        self.hear(event);
    }
}

// === impl Cell ===

impl Cell {
    fn image(&self, version: usize) -> &str {
        self.versions[version].image.as_deref().unwrap_or_default()
    }

    /// Pulling an image that is there takes no time.
    fn pull_takes(&self, version: usize) -> Duration {
        if self.images.contains(self.image(version)) {
            return Duration::ZERO;
        }
        self.actors[self.versions[version].actor].script.pull.takes
    }

    /// Whether this attempt fails. If it does not, the image is there.
    fn pull_fails(&mut self, version: usize) -> bool {
        let image = Box::<str>::from(self.image(version));
        let actor = &mut self.actors[self.versions[version].actor];
        let fails = &*image == UNPULLABLE || actor.failed_pulls < actor.script.pull.fails;
        if fails {
            actor.failed_pulls = actor.failed_pulls.saturating_add(1);
        } else {
            self.images.insert(image);
        }
        fails
    }
}
