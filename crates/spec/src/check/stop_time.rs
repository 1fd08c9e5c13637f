//! Stops that do not fit into the pod's grace period.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;
use crate::lower::sketch::{Incoming, Reached};
use crate::plan::{LAST_MOMENT, budget, is_stopped, stop_begins};
use pillion_engine::pod::{self as engine, ContainerId, Requirement, Target};
use std::time::Duration;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, drawn, _) in subject.containers() {
        findings.extend(beyond_grace(subject, id, drawn));
    }
    findings.extend(cut_short(subject));
}

/// A time for which the container asks: how long, and which field says so.
#[derive(Clone, Copy)]
struct Wish {
    time: Duration,
    field: &'static str,
    /// What it gets even when the budget is used up: a signal is given a last moment, a hook that
    /// has not begun is skipped.
    least: Duration,
}

/// A container that has less time than it asks for.
struct Victim {
    id: ContainerId,
    wish: Wish,
    /// When its turn comes.
    begins: Duration,
    /// What it gets.
    left: Duration,
}

fn timeout(drawn: &engine::Container) -> Option<Wish> {
    drawn.stop_timeout.map(|time| Wish {
        time,
        field: "stopTimeoutSeconds",
        least: LAST_MOMENT,
    })
}

fn sleep(written: &Container) -> Option<Wish> {
    match &written.lifecycle.pre_stop {
        Some(Hook::Sleep { seconds }) => Some(Wish {
            time: Duration::from_secs(*seconds),
            field: "lifecycle.preStop.sleep.seconds",
            least: Duration::ZERO,
        }),
        Some(Hook::Exec(_) | Hook::HttpGet(_) | Hook::TcpSocket(_)) | None => None,
    }
}

/// The time that a container asks for at its own turn. The hook of a plain container begins with
/// the stop of the pod.
fn wish(drawn: &engine::Container, written: &Container) -> Option<Wish> {
    timeout(drawn).or_else(|| sleep(written).filter(|_| !drawn.plain))
}

fn beyond_grace(
    subject: &Subject<'_>,
    id: ContainerId,
    drawn: &engine::Container,
) -> Option<Diagnostic> {
    let budget = budget(subject.pod);
    let wish = timeout(drawn).filter(|wish| wish.time > budget.max(wish.least))?;
    let name = subject.name(id);
    let message = format!("container `{name}` never has the time that it asks for to stop");
    let finding = Diagnostic::new(Code::BeyondGrace, message)
        .primary(subject.place(id, wish.field), "more than the whole pod has")
        .help(format!(
            "raise `terminationGracePeriodSeconds`, which is {}, or ask for less",
            length(subject.pod.grace, budget)
        ));
    Some(with_grace(subject, finding))
}

/// A grace period, and what it counts as if that is something else.
fn length(grace: Duration, budget: Duration) -> String {
    if grace == budget {
        return format!("{} s", grace.as_secs());
    }
    format!("{} s and counts as {} s", grace.as_secs(), budget.as_secs())
}

/// Those whose turn may come so late that less is left than they ask for.
fn cut_short(subject: &Subject<'_>) -> Option<Diagnostic> {
    // Times that are written down and do not fit are a mistake; what is open may turn out well.
    let certain = victims(subject, Duration::ZERO);
    if !certain.is_empty() {
        return finding(subject, &certain).map(|finding| finding.help(enough(&certain)));
    }
    let possible = victims(subject, budget(subject.pod));
    let first = possible.first()?;
    let found = finding(subject, &possible)?.severity(Severity::Note);
    // It fits by what is written down, so somebody without a limit comes before.
    let unlimited = unlimited_before(subject, first.id)?;
    let (name, time) = (subject.name(unlimited), first.wish.time.as_secs());
    let found = found
        .secondary(
            subject.name_place(unlimited),
            "has no limit and may take it all",
        )
        .help(format!(
            "give `{name}` a `stopTimeoutSeconds` that leaves {time} s"
        ));
    Some(found)
}

/// Who gets too little if those without a limit take this long.
fn victims(subject: &Subject<'_>, open: Duration) -> Vec<Victim> {
    let wish_of = |id: ContainerId| wish(subject.container(id), subject.written[id.index()]);
    let takes = |id, _: &engine::Container| wish_of(id).map_or(open, |wish| wish.time);
    let begins = stop_begins(subject.pod, takes);
    let budget = budget(subject.pod);
    let victim = |(id, begins): (ContainerId, Option<Duration>)| {
        let wish = wish_of(id).filter(|_| is_stopped(subject.container(id)))?;
        let begins = begins?;
        let left = budget.saturating_sub(begins).max(wish.least);
        // What is too long by itself is reported by itself.
        (left < wish.time && wish.time <= budget).then_some(Victim {
            id,
            wish,
            begins,
            left,
        })
    };
    (0..)
        .map(ContainerId)
        .zip(begins)
        .filter_map(victim)
        .collect()
}

/// Of more victims than this the first are shown, and the others counted.
const SHOWN: usize = 4;

fn finding(subject: &Subject<'_>, victims: &[Victim]) -> Option<Diagnostic> {
    let first = victims.first()?;
    let grace = subject.pod.grace;
    let name = |victim: &Victim| format!("`{}`", subject.name(victim.id));
    let shown = &victims[..victims.len().min(SHOWN)];
    let names = shown.iter().map(name).collect::<Vec<_>>().join(", ");
    let names = match victims.len() - shown.len() {
        0 => names,
        more => format!("{names} and {more} more"),
    };
    let message = format!(
        "a grace period of {} s may cut {names} short",
        grace.as_secs()
    );
    let mut finding = Diagnostic::new(Code::CutShort, message);
    for Victim { id, wish, left, .. } in shown {
        let text = format!(
            "may get {} s of its {} s",
            left.as_secs(),
            wish.time.as_secs()
        );
        let place = subject.place(*id, wish.field);
        finding = if *id == first.id {
            finding.primary(place, text)
        } else {
            finding.secondary(place, text)
        };
    }
    Some(with_grace(subject, finding))
}

fn enough(victims: &[Victim]) -> String {
    let ends = victims
        .iter()
        .map(|victim| victim.begins.saturating_add(victim.wish.time));
    let seconds = ends.max().unwrap_or_default().as_secs();
    format!("raise `terminationGracePeriodSeconds` to {seconds}, or shorten the stops before")
}

/// Somebody without a limit who is stopped before a container.
fn unlimited_before(subject: &Subject<'_>, id: ContainerId) -> Option<ContainerId> {
    let mut before = Reached::none(subject.pod);
    let incoming = Incoming::of(subject.pod, Requirement::orders_stop);
    incoming.reach(Target::Container(id), &mut before);
    let unlimited = subject.containers().find(|(other, drawn, written)| {
        let is_before = *other != id && before.contains(Target::Container(*other));
        is_before && is_stopped(drawn) && wish(drawn, written).is_none()
    });
    unlimited.map(|(id, _, _)| id)
}

fn with_grace(subject: &Subject<'_>, finding: Diagnostic) -> Diagnostic {
    let path = "spec.terminationGracePeriodSeconds";
    if subject.file.places.contains(path) {
        let place = subject.file.places.value(path);
        return finding.secondary(place, "the whole pod has this long");
    }
    finding
}
