//! Stops that do not fit into the pod's grace period.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;
use crate::lower::sketch::{Incoming, Reached};
use crate::plan::is_stopped;
use crate::plan::stop::{Manner, budget, stop_begins};
use pillion_engine::pod::{self as engine, ContainerId, LAST_WINDOW, Requirement, Target};
use std::time::Duration;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, drawn, written) in subject.containers() {
        let name = subject.name(id);
        let asks = format!("container `{name}` never has the time that it asks for to stop");
        findings.extend(timeout(drawn).and_then(|wish| beyond_grace(subject, id, wish, asks)));
        // That a `preStop` must not sleep longer than the pod has is a rule of Kubernetes.
        let sleeps = format!("`podStopping` of container `{name}` is cut off in every stop");
        let early = early_sleep(written);
        findings.extend(early.and_then(|wish| beyond_grace(subject, id, wish, sleeps)));
        let own = sleep(written).map(|sleep| ("preStop", sleep));
        let early = early.filter(|sleep| sleep.time <= budget(subject.pod));
        let hooks = own
            .into_iter()
            .chain(early.map(|sleep| ("podStopping", sleep)));
        findings
            .extend(hooks.filter_map(|(hook, sleep)| sleeps_too_long(subject, id, hook, sleep)));
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
        least: LAST_WINDOW,
    })
}

fn sleep(written: &Container) -> Option<Wish> {
    let hook = written.lifecycle.pre_stop.as_ref();
    sleep_of(hook, "lifecycle.preStop.sleep.seconds")
}

/// The sleep that begins with the stop of the pod.
fn early_sleep(written: &Container) -> Option<Wish> {
    let hook = written.lifecycle.pod_stopping.as_ref();
    sleep_of(hook, "lifecycle.podStopping.sleep.seconds")
}

fn sleep_of(hook: Option<&Hook>, field: &'static str) -> Option<Wish> {
    match hook {
        Some(Hook::Sleep { seconds }) => Some(Wish {
            time: Duration::from_secs(*seconds),
            field,
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
    wish: Wish,
    message: String,
) -> Option<Diagnostic> {
    let budget = budget(subject.pod);
    if wish.time <= budget.max(wish.least) {
        return None;
    }
    let finding = Diagnostic::new(Code::BeyondGrace, message)
        .primary(subject.place(id, wish.field), "more than the whole pod has")
        .help(format!(
            "raise `terminationGracePeriodSeconds`, which is {}, or ask for less",
            length(subject.pod.grace, budget)
        ));
    Some(with_grace(subject, finding))
}

/// A hook that is cut off in every stop, because its container has less time than it sleeps.
fn sleeps_too_long(
    subject: &Subject<'_>,
    id: ContainerId,
    hook: &str,
    sleep: Wish,
) -> Option<Diagnostic> {
    let limit = timeout(subject.container(id))?;
    // What begins with the stop of the pod may be over when a later turn comes.
    let at_turn = hook == "preStop" || stopped_before(subject, id).next().is_none();
    if sleep.time <= limit.time || !at_turn {
        return None;
    }
    let name = subject.name(id);
    let message = format!("`{hook}` of container `{name}` sleeps longer than it has to stop");
    let finding = Diagnostic::new(Code::CutShort, message)
        .primary(
            subject.place(id, sleep.field),
            format!("cut off after {} s", limit.time.as_secs()),
        )
        .secondary(subject.place(id, limit.field), "its hooks included")
        .help(format!(
            "raise `stopTimeoutSeconds` to more than {}, or sleep less",
            sleep.time.as_secs()
        ));
    Some(finding)
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
    let certain = victims(subject, Open::Passes);
    if !certain.is_empty() {
        return finding(subject, &certain).map(|finding| finding.help(enough(&certain)));
    }
    let possible = victims(subject, Open::Takes);
    let first = possible.first()?;
    let found = finding(subject, &possible)?.severity(Severity::Note);
    // It fits by what is written down, so something before it is open.
    Some(match open_before(subject, first.id)? {
        (culprit, Some(hook)) => found
            .secondary(subject.place(culprit, hook), "if it hangs, 2 s more")
            .help(enough(&possible)),
        (culprit, None) => {
            let (name, time) = (subject.name(culprit), first.wish.time.as_secs());
            let text = "has no limit and may take it all";
            let help = format!("give `{name}` a `stopTimeoutSeconds` that leaves {time} s");
            found
                .secondary(subject.name_place(culprit), text)
                .help(help)
        }
    })
}

/// What becomes of the times that nobody has written down.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Open {
    /// Who has no limit stops at once, and hooks return in time.
    Passes,
    /// Who has no limit takes what is left, and hooks hang.
    Takes,
}

/// Who gets too little.
fn victims(subject: &Subject<'_>, open: Open) -> Vec<Victim> {
    let wish_of = |id: ContainerId| wish(subject.container(id), subject.written[id.index()]);
    let budget = budget(subject.pod);
    let ends = |id, begin: Duration| match (wish_of(id), open) {
        (Some(_), Open::Takes) if manner(subject, id).hook_may_hang() => {
            manner(subject, id).end(begin, budget)
        }
        (Some(wish), Open::Passes | Open::Takes) => begin.saturating_add(wish.time),
        (None, Open::Passes) => begin,
        (None, Open::Takes) => begin.saturating_add(budget),
    };
    let begins = stop_begins(subject.pod, ends);
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

/// Somebody who is stopped before a container and may take longer than is written down: one without
/// a limit, else one with a hook, and that hook.
fn open_before(
    subject: &Subject<'_>,
    id: ContainerId,
) -> Option<(ContainerId, Option<&'static str>)> {
    let before: Vec<_> = stopped_before(subject, id).collect();
    let ids = || before.iter().copied();
    let unlimited =
        |id: &ContainerId| wish(subject.container(*id), subject.written[id.index()]).is_none();
    let hooked = |id: &ContainerId| manner(subject, *id).hook_may_hang();
    let by_hook = || ids().find(hooked).map(|id| (id, Some(hook(subject, id))));
    ids().find(unlimited).map(|id| (id, None)).or_else(by_hook)
}

/// All that are stopped before a container.
fn stopped_before(subject: &Subject<'_>, id: ContainerId) -> impl Iterator<Item = ContainerId> {
    let mut before = Reached::none(subject.pod);
    let incoming = Incoming::of(subject.pod, Requirement::orders_stop);
    incoming.reach(Target::Container(id), &mut before);
    let ids = subject.containers().map(|(id, _, _)| id);
    ids.filter(move |other| {
        let stops = *other != id && is_stopped(subject.container(*other));
        stops && before.contains(Target::Container(*other))
    })
}

fn manner(subject: &Subject<'_>, id: ContainerId) -> Manner {
    Manner::of((subject.container(id), subject.written[id.index()]))
}

/// The hook that is waited for before the signal.
fn hook(subject: &Subject<'_>, id: ContainerId) -> &'static str {
    match subject.written[id.index()].lifecycle.pre_stop {
        Some(_) => "lifecycle.preStop",
        None => "lifecycle.podStopping",
    }
}

fn with_grace(subject: &Subject<'_>, finding: Diagnostic) -> Diagnostic {
    let path = "spec.terminationGracePeriodSeconds";
    if subject.file.places.contains(path) {
        let place = subject.file.places.value(path);
        return finding.secondary(place, "the whole pod has this long");
    }
    finding
}
