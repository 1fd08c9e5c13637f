//! The graph as people write it: `requires` by name, `uses` by capability, and the fields that say
//! what a container is.

use super::{Dialect, Mark, Traits};
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::findings::MAX_FINDINGS;
use crate::lower::capability::Providers;
use crate::lower::drawing::Drawing;
use crate::lower::sketch::SourceField;
use crate::nearest::nearest;
use crate::pillion::{self, Requirement, Use};
use pillion_engine::pod::{
    self as engine, ContainerId, Keystone, Need, OnRestart, Origin, Role, Scope, Target, Until,
};

/// Reads the markers of one container.
pub(crate) fn read(container: &Container, traits: &mut Traits) {
    let fields = &container.pillion;
    if let Some(oneshot) = fields.oneshot {
        traits.say_oneshot(oneshot, mark("oneshot"));
    }
    if let Some(sidecar) = fields.sidecar {
        let role = if sidecar { Role::Sidecar } else { Role::Main };
        traits.say_role(role, mark("sidecar"));
    }
    if let Some(keystone) = fields.keystone {
        traits.say_keystone(keystone.map(keystone_of), mark("keystone"));
    }
    let others = ["phase", "lifecycle.type", "lifecycle.onCompletion"];
    if container
        .pillion_fields()
        .iter()
        .any(|field| !others.contains(field))
    {
        traits.dialects.push(Dialect::Graph);
    }
}

/// Adds the edges that are written.
pub(crate) fn add(drawing: &mut Drawing<'_>, providers: &Providers<'_>) {
    for (id, container) in drawing.ordered() {
        let requires = container.pillion.requires.iter().flatten();
        for requirement in requires {
            add_requirement(drawing, id, requirement.entry, requirement);
        }
        for used in container.pillion.uses.iter().flatten() {
            add_use(drawing, providers, id, used.entry, used);
        }
    }
}

fn add_requirement(
    drawing: &mut Drawing<'_>,
    id: ContainerId,
    index: usize,
    written: &Requirement,
) {
    let Some(target) = drawing.named(&written.container) else {
        let finding = unknown_container(drawing, id, index, written);
        drawing.findings.push(finding);
        return;
    };
    let default = drawing.sketch.container(target).default_until();
    let edge = engine::Requirement {
        target: Target::Container(target),
        until: written.until.map_or(default, until_of),
        need: need_of(written.need),
        on_restart: on_restart_of(written.on_restart),
        timeout: written.timeout_seconds.map(crate::lower::seconds),
        scope: Scope::Both,
        origin: Origin::Written,
    };
    drawing.require(id, edge, SourceField::Requires(index));
}

fn add_use(
    drawing: &mut Drawing<'_>,
    providers: &Providers<'_>,
    id: ContainerId,
    index: usize,
    written: &Use,
) {
    let Some(provider) = providers.of(&written.name) else {
        drawing
            .findings
            .extend(no_provider(drawing, providers, id, index, written));
        return;
    };
    let edge = engine::Requirement {
        target: Target::Container(provider),
        until: drawing.sketch.container(provider).default_until(),
        need: need_of(written.need),
        on_restart: on_restart_of(written.on_restart),
        timeout: written.timeout_seconds.map(crate::lower::seconds),
        scope: Scope::Both,
        origin: Origin::Capability,
    };
    drawing.require(id, edge, SourceField::Uses(index));
}

fn unknown_container(
    drawing: &Drawing<'_>,
    id: ContainerId,
    index: usize,
    written: &Requirement,
) -> Diagnostic {
    let from = drawing.name(id);
    let name = &written.container;
    let message = format!("container `{from}` requires `{name}`, which does not exist");
    let entry = format!("requires[{index}]");
    let long_form = drawing.path(id, &format!("{entry}.container"));
    let place = if drawing.file.places.contains(&long_form) {
        drawing.file.places.value(&long_form)
    } else {
        drawing.place(id, &entry)
    };
    let finding = Diagnostic::new(Code::UnknownContainer, message)
        .severity(severity_without(written.need))
        .primary(place, "no container has this name");
    if drawing.findings.len() >= MAX_FINDINGS {
        return finding;
    }
    match nearest(name, drawing.names()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("the pod has {}", listed(drawing.names()))),
    }
}

fn no_provider(
    drawing: &Drawing<'_>,
    providers: &Providers<'_>,
    id: ContainerId,
    index: usize,
    written: &Use,
) -> Option<Diagnostic> {
    let severity = match need_of(written.need) {
        Need::Hard => Severity::Error,
        // Who writes `soft` has said that it can do without.
        Need::Soft => return None,
        Need::Order => Severity::Note,
    };
    let from = drawing.name(id);
    let name = &written.name;
    let message = format!("container `{from}` uses `{name}`, which nothing provides");
    let finding = Diagnostic::new(Code::NoProvider, message)
        .severity(severity)
        .primary(
            drawing.place(id, &format!("uses[{index}]")),
            "no container has it in `provides`",
        );
    let optional = format!("if it can do without, write `{{name: {name}, need: soft}}`");
    Some(
        match nearest(name, providers.names()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!(
                "add `provides: [{name}]` to the container that brings it"
            )),
        }
        .help(optional),
    )
}

/// How bad it is that the far end of an edge is missing: sets and apps compose without knowing
/// which of their neighbours are there, as long as they do not insist.
fn severity_without(need: Option<pillion::Need>) -> Severity {
    match need_of(need) {
        Need::Hard => Severity::Error,
        Need::Soft | Need::Order => Severity::Note,
    }
}

/// Names in backticks, at most a handful.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const MANY: usize = 8;
    let mut names: Vec<_> = names
        .take(MANY + 1)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MANY {
        names.truncate(MANY);
        names.push("others".to_owned());
    }
    names.join(", ")
}

fn mark(field: &'static str) -> Mark {
    Mark::new(Dialect::Graph, field)
}

fn keystone_of(keystone: pillion::Keystone) -> Keystone {
    match keystone {
        pillion::Keystone::Any => Keystone::Any,
        pillion::Keystone::Success => Keystone::Success,
        pillion::Keystone::Failure => Keystone::Failure,
    }
}

fn until_of(until: pillion::Until) -> Until {
    match until {
        pillion::Until::Ready => Until::Ready,
        pillion::Until::Started => Until::Started,
        pillion::Until::Succeeded => Until::Succeeded,
        pillion::Until::Exited => Until::Exited,
    }
}

fn need_of(need: Option<pillion::Need>) -> Need {
    match need {
        None | Some(pillion::Need::Hard) => Need::Hard,
        Some(pillion::Need::Soft) => Need::Soft,
        Some(pillion::Need::Order) => Need::Order,
    }
}

fn on_restart_of(on_restart: Option<pillion::OnRestart>) -> OnRestart {
    match on_restart {
        None | Some(pillion::OnRestart::Keep) => OnRestart::Keep,
        Some(pillion::OnRestart::Restart) => OnRestart::Restart,
        Some(pillion::OnRestart::Stop) => OnRestart::Stop,
    }
}
