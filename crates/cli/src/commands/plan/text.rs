//! A plan for people: the graph, the waves, the budget, the resources.

use super::conditions::conditions;
use super::names::Names;
use crate::graph::Graph;
use crate::graph::drawing::draw;
use pillion_engine::pod::{
    Container, ContainerId, Keystone, LAST_WINDOW, OnGiveUp, Pod, Role, Until,
};
use pillion_spec::container::Container as Written;
use pillion_spec::effective::{Amounts, effective};
use pillion_spec::plan::start_waves;
use pillion_spec::plan::stop::{Stop, StopPlan, stop_plan};
use pillion_spec::pod::PodSpec;
use pillion_spec::{Code, LoadedPod};
use pillion_timeline::quantity::length;
use pillion_timeline::text::{columns, tame};
use pillion_timeline::{Line, Style, Tone};

/// The whole plan of one pod.
pub(super) fn plan(loaded: &LoadedPod, style: Style) -> Vec<Line> {
    let pod = &loaded.lowered.pod;
    let stop = stop_plan(pod, &loaded.file.pod.spec);
    let names = Names::new(pod, style);
    let graph = draw(pod, style).unwrap_or_else(|| too_large(style));
    let mut parts = vec![style.wrap(&title(loaded, style), 2), graph];
    let mut waves = starts(loaded, &names, style);
    waves.extend(stops(pod, &stop, &names, style));
    parts.push(waves);
    let mut summary = budget(loaded, &stop, &names, style);
    summary.extend(resources(loaded, &names, style));
    parts.push(summary);
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}

/// `orders · 4 containers · graph`
fn title(loaded: &LoadedPod, style: Style) -> Line {
    let pod = &loaded.lowered.pod;
    let dot = format!(" {} ", style.dot());
    let count = match pod.containers.len() {
        1 => "1 container".to_owned(),
        more => format!("{more} containers"),
    };
    let dialects: Vec<_> = loaded
        .lowered
        .dialects
        .iter()
        .map(ToString::to_string)
        .collect();
    let dialects = if dialects.is_empty() {
        "plain".to_owned()
    } else {
        dialects.join(", ")
    };
    let mut line = Line::new(Tone::Strong, tame(&pod.name));
    if loaded.file.kind != pillion_spec::file::WorkloadKind::Pod {
        line.push(Tone::Plain, format!(" ({})", loaded.file.kind));
    }
    line.and(Tone::Dim, &*dot)
        .and(Tone::Plain, count)
        .and(Tone::Dim, dot)
        .and(Tone::Plain, dialects)
}

/// The list of starts says the same, if not as a picture.
fn too_large(style: Style) -> Vec<Line> {
    let text = "  the graph is too large to be drawn here; try -o mermaid or -o dot";
    style.wrap(&Line::new(Tone::Dim, text), 2)
}

/// A row for each container that is started, by wave.
fn starts(loaded: &LoadedPod, names: &Names, style: Style) -> Vec<Line> {
    let pod = &loaded.lowered.pod;
    let graph = Graph::new(pod);
    let waves = start_waves(pod);
    let spec = &loaded.file.pod.spec;
    let written: Vec<_> = spec.all_containers().map(|(_, _, c)| c).collect();
    let what = |id: ContainerId| {
        let container = &pod.containers[id.index()];
        what_it_is(container, written.get(id.index()).copied(), style)
    };
    let widest = waves
        .iter()
        .flatten()
        .map(|id| columns(&what(*id)))
        .max()
        .unwrap_or_default();
    let (places, before) = (graph.places(), graph.all_before());
    let row = |label: &str, id: ContainerId| {
        let name = &pod.containers[id.index()].name;
        let conditions = places
            .get(&**name)
            .map(|node| conditions(pod, id, &graph, &before[*node], names))
            .unwrap_or_default();
        let head = head(label, name, names);
        start_row(head, &what(id), widest, &conditions, style)
    };
    let mut lines = rows("start", &waves, row);
    lines.extend(list_order(pod, style));
    lines
}

/// Mains of a plain pod are in one wave because nothing is waited for but the start of the one
/// before; that they are not started all at once is said.
fn list_order(pod: &Pod, style: Style) -> Vec<Line> {
    let one_by_one = pod.containers.iter().any(|container| {
        let mut requires = container.requires.iter();
        requires.any(|requirement| requirement.until == Until::Attempted)
    });
    if !one_by_one {
        return Vec::new();
    }
    let text = "            plain containers start one after another, in list order";
    style.wrap(&Line::new(Tone::Dim, text), 12)
}

/// What a container is and what it waits for, the latter below if there is no room beside.
fn start_row(head: Line, what: &str, widest: usize, after: &[Line], style: Style) -> Vec<Line> {
    if after.is_empty() {
        let indent = head.width();
        return style.wrap(&head.and(Tone::Plain, what), indent);
    }
    let longest = after.iter().map(Line::width).max().unwrap_or_default();
    let beside = head.width() + widest + columns(AFTER) + longest <= style.width;
    if beside {
        let head = head.clone().and(Tone::Plain, format!("{what:widest$}"));
        let lines = style.flow(head.and(Tone::Dim, AFTER), " ", after);
        if lines.len() <= BESIDE {
            return lines;
        }
    }
    let indent = head.width();
    let mut lines = style.wrap(&head.and(Tone::Plain, what), indent);
    // Where long names leave no room in their column, conditions go below the name.
    let room = indent + columns(AFTER) + longest <= style.width;
    let indent = if room {
        indent
    } else {
        NARROW.min(style.width / 3)
    };
    let below = Line::new(Tone::Plain, " ".repeat(indent)).and(Tone::Dim, AFTER.trim_start());
    lines.extend(style.flow(below, " ", after));
    lines
}

/// More lines than this beside a name are better read below it, where each holds more.
const BESIDE: usize = 3;
/// Between what a container is and what it waits for.
const AFTER: &str = "  after ";
/// Before conditions that have no room elsewhere: below the name, and a little to the right.
const NARROW: usize = 14;

/// A row for each container that is stopped, by wave.
fn stops(pod: &Pod, plan: &StopPlan, names: &Names, style: Style) -> Vec<Line> {
    let row = |label: &str, id: ContainerId| {
        let name = &pod.containers[id.index()].name;
        let time = plan.stops.get(id.index()).copied().flatten();
        let time = time.map_or_else(String::new, |stop| stop_time(&stop));
        let head = head(label, name, names);
        let indent = head.width();
        style.wrap(&head.and(Tone::Plain, time), indent)
    };
    rows("stop", &plan.waves, row)
}

/// Numbers the waves: the number stands before the first of each.
fn rows(
    verb: &str,
    waves: &[Vec<ContainerId>],
    row: impl Fn(&str, ContainerId) -> Vec<Line>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, wave) in (1..).zip(waves) {
        for (place, id) in wave.iter().enumerate() {
            let verb = if (number, place) == (1, 0) { verb } else { "" };
            let number = if place == 0 {
                number.to_string()
            } else {
                String::new()
            };
            lines.extend(row(&format!("  {verb:5}{number:>3}"), *id));
        }
    }
    lines
}

fn head(label: &str, name: &str, names: &Names) -> Line {
    let (name, width) = (names.of(name), names.width);
    Line::new(Tone::Dim, format!("{label}  ")).and(Tone::Plain, format!("{name:width$}  "))
}

/// `main · keystone`
fn what_it_is(container: &Container, written: Option<&Written>, style: Style) -> String {
    let mut words = vec![role(container).to_owned()];
    words.extend(container.keystone.map(|keystone| match keystone {
        Keystone::Any => "keystone".to_owned(),
        Keystone::Success => "keystone on success".to_owned(),
        Keystone::Failure => "keystone on failure".to_owned(),
    }));
    words.extend(give_up(container));
    let provides = written.and_then(|written| written.pillion.provides.as_ref());
    words.extend(
        provides
            .filter(|p| !p.is_empty())
            .map(|p| format!("provides {}", p.join(", "))),
    );
    words.join(&format!(" {} ", style.dot()))
}

/// What it does to the pod when it gives up, if that is not the usual for its role.
fn give_up(container: &Container) -> Option<String> {
    let usual = match container.role {
        Role::Main => OnGiveUp::FailPod,
        Role::Sidecar => OnGiveUp::Unready,
        Role::Ephemeral => return None,
    };
    let word = match container.on_give_up {
        same if same == usual => return None,
        OnGiveUp::FailPod => "failPod",
        OnGiveUp::Unready => "unready",
        OnGiveUp::Ignore => "ignore",
    };
    Some(format!("onGiveUp {word}"))
}

const fn role(container: &Container) -> &'static str {
    match (container.role, container.is_oneshot()) {
        (Role::Main, false) => "main",
        (Role::Sidecar, false) => "sidecar",
        (Role::Main, true) => "oneshot",
        (Role::Sidecar, true) => "sidecar oneshot",
        (Role::Ephemeral, _) => "ephemeral",
    }
}

fn stop_time(stop: &Stop) -> String {
    let has = length(stop.has);
    match stop.limit {
        _ if stop.undo && stop.has.is_zero() => "its undo, if time is left".to_owned(),
        _ if stop.undo => format!("its undo, up to {has}"),
        Some(limit) if limit > stop.has => format!("up to {}, at least {has}", length(limit)),
        None if !stop.begins_by.is_zero() => format!("what is left, at least {has}"),
        Some(_) | None if stop.hook_may_hang => {
            let most = length(stop.has + LAST_WINDOW);
            format!("up to {has}, {most} if its hook hangs")
        }
        // A hook that sleeps for too long leaves it the last moment all the same.
        Some(_) | None => {
            let takes = stop.ends_by.saturating_sub(stop.begins_by);
            format!("up to {}", length(takes.max(stop.has)))
        }
    }
}

/// `grace 30 s, worst case 32 s: cache and proxy may be cut short (L0311)`
fn budget(loaded: &LoadedPod, plan: &StopPlan, names: &Names, style: Style) -> Vec<Line> {
    let pod = &loaded.lowered.pod;
    let grace = format!(
        "  grace {}, worst case {}",
        length(pod.grace),
        length(plan.worst_case)
    );
    let cut: Vec<_> = cut_short(pod, plan, names).collect();
    let Some((last, others)) = cut.split_last() else {
        return style.wrap(&Line::new(Tone::Plain, grace), 4);
    };
    let mut cut_off = "may be cut short".to_owned();
    if loaded.reports(Code::CutShort) {
        cut_off = format!("{cut_off} ({})", Code::CutShort);
    }
    let text = match others {
        [] => format!("{last} {cut_off}"),
        few if few.len() < MANY => format!("{} and {last} {cut_off}", few.join(", ")),
        many => {
            let first = many[..FIRST].join(", ");
            let more = if style.ascii { "..." } else { "…" };
            format!("{} containers {cut_off}: {first}, {more}", cut.len())
        }
    };
    let words: Vec<_> = text
        .split(' ')
        .map(|word| Line::new(Tone::Waiting, word))
        .collect();
    style.flow(Line::new(Tone::Plain, format!("{grace}: ")), " ", &words)
}

/// Of so many names only the first are told.
const MANY: usize = 8;
const FIRST: usize = 3;

/// Who may be cut short, in the order of the stop.
fn cut_short<'a>(
    pod: &'a Pod,
    plan: &'a StopPlan,
    names: &'a Names,
) -> impl Iterator<Item = &'a str> {
    let stop = |id: &ContainerId| plan.stops.get(id.index()).copied().flatten();
    let cut = move |id: &&ContainerId| stop(id).is_some_and(|stop| stop.is_cut_short());
    let ids = plan.waves.iter().flatten().filter(cut);
    ids.map(|id| names.of(&pod.containers[id.index()].name))
}

/// `counted by the scheduler: cpu 350m, memory 420Mi`
fn resources(loaded: &LoadedPod, names: &Names, style: Style) -> Vec<Line> {
    let effective = effective(&loaded.file.pod.spec);
    let mut lines = amounts("counted by the scheduler", &effective.requests, style);
    let spec = &loaded.file.pod.spec;
    let limits = effective.limits.into_iter();
    let (whole, partial): (Amounts, Amounts) = limits.partition(|(name, _)| limits_pod(spec, name));
    if !whole.is_empty() {
        lines.extend(amounts("limited to", &whole, style));
    }
    if !partial.is_empty() {
        let who = style.names(&limited_in(spec, &partial, names));
        lines.extend(amounts(&format!("limits of {who} only"), &partial, style));
    }
    lines
}

/// Whether the pod as a whole cannot exceed its limit of a resource: a sum over some containers is no limit of the pod.
fn limits_pod(spec: &PodSpec, resource: &str) -> bool {
    let of_pod = spec.resources.as_ref();
    let mut containers = spec.all_containers();
    of_pod.is_some_and(|resources| resources.limits.contains_key(resource))
        || containers.all(|(_, _, container)| container.resources.limits.contains_key(resource))
}

/// The containers that have a limit of one of these resources.
fn limited_in(spec: &PodSpec, resources: &Amounts, names: &Names) -> Vec<String> {
    let has_one = |container: &Written| {
        let mut limits = container.resources.limits.keys();
        limits.any(|resource| resources.contains_key(resource))
    };
    let containers = spec.all_containers().map(|(_, _, container)| container);
    let limited = containers.filter(|container| has_one(container));
    limited
        .map(|container| names.of(&container.name).to_owned())
        .collect()
}

fn amounts(what: &str, amounts: &Amounts, style: Style) -> Vec<Line> {
    let last = amounts.len().saturating_sub(1);
    let part = |(number, (name, amount)): (usize, (&String, &pillion_spec::quantity::Quantity))| {
        let comma = if number == last { "" } else { "," };
        Line::new(Tone::Plain, format!("{} {amount}{comma}", tame(name)))
    };
    let parts: Vec<_> = amounts.iter().enumerate().map(part).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    style.flow(Line::new(Tone::Plain, format!("  {what}: ")), " ", &parts)
}
