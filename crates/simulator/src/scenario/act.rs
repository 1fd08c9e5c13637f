//! Reads `acts`: what is done to the pod, and when.

use super::decode::{Findings, Keys};
use super::item::{Item, Value};
use crate::act::{Act, Deed, Replacement, When};
use crate::actor::{SIGNALS, Script};
use crate::check::status::{ContainerPart, Number, StatusPart, Text};
use pillion_engine::pod::{ProbeKind, Reaction};

/// An act as it was read.
#[derive(Debug)]
pub(super) struct DraftAct {
    pub(super) act: Act,
    /// What a replacement changes in the container's definition.
    pub(super) fields: Option<Item>,
}

/// The conditions that a pod can have.
const CONDITIONS: [(&str, &str); 6] = [
    ("Ready", "Ready"),
    ("ContainersReady", "ContainersReady"),
    ("Initialized", "Initialized"),
    ("PodReadyToStartContainers", "PodReadyToStartContainers"),
    ("PodScheduled", "PodScheduled"),
    ("AllContainersRestarting", "AllContainersRestarting"),
];

// === impl Findings ===

impl Findings {
    pub(super) fn acts(&mut self, item: &Item) -> Vec<DraftAct> {
        let acts = self.list(item).iter();
        acts.filter_map(|item| self.act(item)).collect()
    }

    fn act(&mut self, item: &Item) -> Option<DraftAct> {
        let mut keys = self.map(item)?;
        let name = keys.take("name").and_then(|i| self.owned(i));
        let when = keys.take("when").and_then(|i| self.when(i));
        let after = keys.take("after").and_then(|i| self.duration(i));
        let mut fields = None;
        let deed = self.deed(&mut keys, &mut fields);
        keys.end(self);
        if let Some(name) = &name {
            self.acts.insert(name.clone());
        }
        let act = Act {
            name,
            when: when.unwrap_or_default(),
            after: after.unwrap_or_default(),
            deed,
            ..Act::default()
        };
        Some(DraftAct { act, fields })
    }

    /// What is done: at most one of the keys that say so.
    fn deed(&mut self, keys: &mut Keys<'_>, fields: &mut Option<Item>) -> Option<Deed> {
        let deeds = [
            keys.take("delete").and_then(|i| self.delete(i)),
            keys.take("setImage").and_then(|i| self.set_image(i)),
            keys.take("replace").and_then(|i| self.replace(i, fields)),
            keys.take("kill").and_then(|i| self.kill(i)),
            keys.take("driver").and_then(|i| self.driver(i)),
            keys.take("ask").and_then(|i| self.ask_outside(i)),
            keys.take("setProbe").and_then(|i| self.set_probe(i)),
            keys.take("addEphemeral")
                .and_then(|i| self.add_ephemeral(i)),
        ];
        let mut deeds = deeds.into_iter().flatten();
        let deed = deeds.next();
        if deeds.next().is_some() {
            let message = "an act does one thing: write two acts".into();
            self.refused(keys.item().place, message);
        }
        deed
    }

    /// What must be so first.
    fn when(&mut self, item: &Item) -> Option<When> {
        let mut keys = self.map(item)?;
        let container = keys.take("container").and_then(|i| self.container(i));
        let part = ContainerPart {
            state: keys.take("state").and_then(|i| self.state(i)),
            started: keys.take("started").and_then(|i| self.truth(i)),
            ready: keys.take("ready").and_then(|i| self.truth(i)),
            restarts: keys
                .take("restarts")
                .and_then(|i| self.number(i))
                .map(Number::AtLeast),
            ..ContainerPart::default()
        };
        let exits = keys.take("exits").and_then(|i| self.number(i));
        let mut status = StatusPart::default();
        if let Some(name) = &container {
            status.containers.insert(name.clone(), part);
        } else if part != ContainerPart::default() || exits.is_some() {
            self.missing(item, "container");
        }
        status.phase = keys.take("phase").and_then(|i| self.pattern(i));
        let condition = keys
            .take("condition")
            .and_then(|i| self.word(i, &CONDITIONS));
        let is = keys.take("is").and_then(|i| self.condition_status(i));
        if let Some(condition) = condition {
            let wanted = StatusPart::condition(condition, is.unwrap_or(true));
            status.conditions.extend(wanted.conditions);
        }
        let line = keys.take("line").and_then(|i| self.line(i));
        keys.end(self);
        Some(When {
            status,
            exits: container.zip(exits),
            line,
        })
    }

    fn delete(&mut self, item: &Item) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let grace = keys.take("grace").and_then(|i| self.duration(i));
        keys.end(self);
        Some(Deed::Delete { grace })
    }

    fn set_image(&mut self, item: &Item) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let container = keys.need("container", self).and_then(|i| self.container(i));
        let image = keys.need("image", self).and_then(|i| self.owned(i));
        keys.end(self);
        Some(Deed::SetImage {
            container: container?,
            image: image?,
        })
    }

    fn replace(&mut self, item: &Item, fields: &mut Option<Item>) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let container = keys.need("container", self).and_then(|i| self.container(i));
        let script = keys
            .take("actor")
            .map(|i| self.script(i, Script::default()));
        let timeout = keys.take("timeout").and_then(|i| self.duration(i));
        let force = keys.take("force").and_then(|i| self.truth(i));
        *fields = keys.take("fields").cloned();
        keys.end(self);
        Some(Deed::Replace(Box::new(Replacement {
            container: container?,
            with: None,
            script,
            timeout,
            force: force.unwrap_or_default(),
        })))
    }

    fn kill(&mut self, item: &Item) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let container = keys.need("container", self).and_then(|i| self.container(i));
        let signal = keys.take("signal").and_then(|i| self.within(i, SIGNALS));
        keys.end(self);
        Some(Deed::Kill {
            container: container?,
            signal: signal.unwrap_or(9),
        })
    }

    fn driver(&mut self, item: &Item) -> Option<Deed> {
        let Value::Map(_) = item.value else {
            let restart = self.word(item, &[("restart", true), ("reboot", false)])?;
            let forget = Vec::new();
            return Some(if restart {
                Deed::RestartDriver { forget }
            } else {
                Deed::Reboot
            });
        };
        let mut keys = self.map(item)?;
        let names = keys.need("remove", self);
        let names = names.map_or(&[][..], |item| self.list(item));
        let forget = names.iter().filter_map(|i| self.container(i)).collect();
        keys.end(self);
        Some(Deed::RestartDriver { forget })
    }

    fn ask_outside(&mut self, item: &Item) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let reaction = keys.need("for", self).and_then(|i| self.reaction(i));
        let by = keys.take("by").and_then(|i| self.container(i));
        let reason = keys.take("reason").and_then(|i| self.owned(i));
        keys.end(self);
        if reaction == Some(Reaction::Ignore) && by.is_none() {
            self.missing(item, "by");
        }
        Some(Deed::Ask {
            reaction: reaction?,
            by,
            reason: reason.unwrap_or_default(),
        })
    }

    fn set_probe(&mut self, item: &Item) -> Option<Deed> {
        let mut keys = self.map(item)?;
        let container = keys.need("container", self).and_then(|i| self.container(i));
        let probes = [
            ("startup", ProbeKind::Startup),
            ("readiness", ProbeKind::Readiness),
            ("liveness", ProbeKind::Liveness),
        ];
        let probe = keys.need("probe", self).and_then(|i| self.word(i, &probes));
        let answers = keys.need("answers", self).and_then(|i| self.answers(i));
        keys.end(self);
        Some(Deed::SetProbe {
            container: container?,
            probe: probe?,
            answers: answers?,
        })
    }

    /// A name, and everything that an actor can have.
    fn add_ephemeral(&mut self, item: &Item) -> Option<Deed> {
        let name = self
            .map(item)?
            .need("name", self)
            .and_then(|i| self.owned(i));
        let mut actor = item.clone();
        if let Value::Map(fields) = &mut actor.value {
            fields.retain(|field| &*field.key != "name");
        }
        let script = Box::new(self.script(&actor, Script::default()));
        let name = name?;
        if self.added.insert(name.clone(), item.place).is_some() {
            self.refused(item.place, format!("`{name}` is added twice"));
        }
        Some(Deed::AddEphemeral { name, script })
    }

    /// The name of a container, which the pod must have.
    pub(super) fn container(&mut self, item: &Item) -> Option<Box<str>> {
        let name = self.owned(item)?;
        self.named.push((name.clone(), item.place));
        Some(name)
    }

    /// One of the states, or anything but one.
    pub(super) fn state(&mut self, item: &Item) -> Option<Text> {
        let text = self.text(item)?;
        let state = text.strip_prefix('!').unwrap_or(text);
        if !["waiting", "running", "terminated"].contains(&state) {
            self.unknown_value(item, "one of waiting, running, terminated");
            return None;
        }
        Some(Text::written(text))
    }
}
