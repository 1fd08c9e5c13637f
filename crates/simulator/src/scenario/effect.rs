//! What a scenario says and nobody ever asks for. It is played all the same, and told: silence would
//! be taken for an effect.

use super::decode::Findings;
use super::item::{Field, Item};
use crate::act::{Act, Deed};
use pillion_engine::Pod;
use pillion_engine::pod::{Container, Kind, ProbeKind};
use pillion_spec::{Code, Diagnostic};
use std::time::Duration;

impl Findings {
    /// Actors are asked only for what their containers have.
    pub(super) fn idle_actors(&mut self, actors: Option<&Item>, pod: &Pod, acts: &[Act]) {
        for actor in actors.into_iter().flat_map(Item::fields) {
            let own = pod.containers.iter();
            let own = own.filter(|container| container.name == actor.key);
            let definitions: Vec<_> = own.chain(replacements(acts, &actor.key)).collect();
            for said in actor.value.fields() {
                let asked = |container: &&Container| lacks(container, &said.key).is_none();
                if definitions.iter().any(asked) {
                    continue;
                }
                let first = definitions.first();
                if let Some(why) = first.and_then(|container| lacks(container, &said.key)) {
                    self.idle(said, &format!("`{}` {why}", actor.key));
                }
            }
        }
    }

    /// A longest pause that is shorter than the first one is the only one.
    pub(super) fn idle_backoff(&mut self, item: &Item, (initial, max): (Duration, Duration)) {
        let fields = item.fields().iter();
        let mut said = fields.filter(|field| &*field.key == "initial");
        if let (true, Some(said)) = (max < initial, said.next()) {
            self.idle(said, "`max` is less");
        }
    }

    fn idle(&mut self, said: &Field, why: &str) {
        let message = format!("`{}` has no effect here: {why}", said.key);
        let diagnostic = Diagnostic::new(Code::SettingWithoutEffect, message);
        let place = said.place;
        self.add(place.file, diagnostic.primary(place.span, "has no effect"));
    }
}

/// What acts put in the place of a container and leave to the same actor.
fn replacements<'a>(acts: &'a [Act], name: &'a str) -> impl Iterator<Item = &'a Container> {
    acts.iter().filter_map(move |act| match &act.deed {
        Some(Deed::Replace(replacement)) if &*replacement.container == name => {
            replacement.with.as_ref()
        }
        Some(_) | None => None,
    })
}

/// Why nobody asks the actor of a container for that.
fn lacks(container: &Container, key: &str) -> Option<&'static str> {
    let probe = |kind| container.probes.get(kind).is_some();
    let undo = matches!(container.kind, Kind::Oneshot { undo: true, .. });
    let (has, why) = match key {
        "postStart" => (container.hooks.post_start, "has no postStart hook"),
        "preStop" => (container.hooks.pre_stop, "has no preStop hook"),
        "podStopping" => (container.hooks.pod_stopping, "has no podStopping hook"),
        "undo" => (undo, "has no undo"),
        "startup" => (probe(ProbeKind::Startup), "has no startup probe"),
        "readiness" => (probe(ProbeKind::Readiness), "has no readiness probe"),
        "liveness" => (probe(ProbeKind::Liveness), "has no liveness probe"),
        "readyIn" => (container.ready_on, "has no readyOn"),
        _ => return None,
    };
    (!has).then_some(why)
}
