//! One short English sentence per record, with its cause.
//!
//! The words are those of the documentation, in the present tense for what begins and in the past
//! for what is over: `app told to stop: keystone app ended`.

use crate::quantity::length;
use crate::record::{Cause, Record, Target, What};
use crate::text::{Tone, tame};
use pillion_engine::entry::Impossible;
use pillion_engine::event::Exit;
use pillion_engine::pod::{HookKind, ProbeKind, Reaction, Until};
use pillion_engine::status::Phase;
use std::fmt::Write as _;
use std::time::Duration;

/// The record as a sentence, without its time.
pub fn sentence(record: &Record) -> String {
    with_reason(event(record), reason(record))
}

/// Joins what happened and why.
pub(crate) fn with_reason(mut event: String, reason: Option<String>) -> String {
    if let Some(reason) = reason {
        event.push_str(": ");
        event.push_str(&reason);
    }
    event
}

/// Whether it is good or bad news.
pub fn tone(record: &Record) -> Tone {
    match &record.what {
        What::Ready
        | What::PodReady
        | What::Replaced
        | What::Ended { ok: true }
        | What::Undone { ok: true }
        | What::PodEnded {
            phase: Phase::Succeeded,
            ..
        } => Tone::Good,
        What::PullFailed { .. }
        | What::StartFailed { .. }
        | What::HookEnded { ok: false, .. }
        | What::HookCut { .. }
        | What::HookSkipped { .. }
        | What::ProbeVerdict { ok: false, .. }
        | What::Ended { ok: false }
        | What::GaveUp
        | What::Undone { ok: false }
        | What::UndoSkipped
        | What::RolledBack
        | What::BudgetSpent
        | What::PodKilled
        | What::PodEnded { .. } => Tone::Bad,
        What::Exited { code, .. } if *code != 0 => Tone::Bad,
        What::Waiting { .. } | What::Unready | What::Restarting { .. } | What::PodUnready => {
            Tone::Waiting
        }
        What::Turn
        | What::Pulling
        | What::Pulled
        | What::Starting
        | What::Running
        | What::HookBegan { .. }
        | What::HookEnded { .. }
        | What::ProbeVerdict { .. }
        | What::Started
        | What::Stopping { .. }
        | What::Exited { .. }
        | What::Ignored
        | What::Undoing
        | What::ReplaceBegan
        | What::ReplaceAbandoned
        | What::PodStarted { .. }
        | What::PodStopping { .. }
        | What::PodHurried { .. }
        | What::PodNotDelayed { .. }
        | What::PodRestarting { .. }
        | What::Recovered
        | What::Unknown => Tone::Plain,
    }
}

/// What happened: `app told to stop`.
pub(crate) fn event(record: &Record) -> String {
    let name = record
        .container
        .as_deref()
        .map_or_else(|| "pod".to_owned(), tame);
    format!("{name}{}", predicate(record))
}

/// What happened, after the name of whom: ` told to stop`.
pub(crate) fn predicate(record: &Record) -> String {
    match &record.what {
        What::Waiting { target, until } => format!(" waits {}", awaited(target, *until)),
        What::Turn => " may start".into(),
        What::Pulling => " pulls its image".into(),
        What::Pulled => " has its image".into(),
        What::PullFailed { message, retry_in } => {
            let message = in_brackets(message);
            format!(
                " cannot get its image{message}, tries again {}",
                after(*retry_in)
            )
        }
        What::Starting | What::PodStarted { run: 0 | 1 } => " starts".into(),
        What::Running => " runs".into(),
        What::StartFailed { reason, message } => {
            let reason = format!("{}: {message}", reason.as_str());
            format!(
                " could not be started{}",
                in_brackets(reason.trim_end_matches(": "))
            )
        }
        What::HookBegan { hook } => format!(" runs its {} hook", hook_name(*hook)),
        What::HookEnded { hook, ok, message } => format!(
            "'s {} hook {}{}",
            hook_name(*hook),
            done(*ok),
            in_brackets(message.as_deref().unwrap_or_default())
        ),
        What::HookCut { hook } => format!("'s {} hook was not waited for", hook_name(*hook)),
        What::HookSkipped { hook } => {
            format!("'s {} hook was skipped", hook_name(*hook))
        }
        What::ProbeVerdict { probe, ok, message } => {
            format!(
                " {} its {} probe{}",
                if *ok { "passed" } else { "failed" },
                probe_name(*probe),
                in_brackets(message.as_deref().unwrap_or_default())
            )
        }
        What::Started => " started".into(),
        What::Ready | What::PodReady => " ready".into(),
        What::Unready | What::PodUnready => " not ready any more".into(),
        What::Stopping { .. } | What::Restarting { .. } if is_asked_restart(record) => {
            " restarts".into()
        }
        What::Stopping { deadline } => stopping(record.at, *deadline).into(),
        What::Exited {
            code,
            signal,
            oom,
            reason,
            message,
        } => {
            let how = how(*signal, *oom, reason.as_deref());
            format!(
                " exited {code}{how}{}",
                in_brackets(message.as_deref().unwrap_or_default())
            )
        }
        What::Restarting { after: time } | What::PodRestarting { after: time } => {
            format!(" restarts {}", after(*time))
        }
        What::Ended { ok: true } => " succeeded".into(),
        What::Ended { ok: false } => " ended for good".into(),
        What::GaveUp => " gave up".into(),
        What::Ignored => " counts nowhere any more".into(),
        What::Undoing => " runs its undo".into(),
        What::Undone { ok: false } if record.cause == Cause::Budget => {
            "'s undo was cut short".into()
        }
        What::Undone { ok } => format!("'s undo {}", done(*ok)),
        What::UndoSkipped => "'s undo is skipped".into(),
        What::ReplaceBegan => " will be replaced".into(),
        What::Replaced => " was replaced".into(),
        What::RolledBack => " is put back".into(),
        What::ReplaceAbandoned => "'s replacement is given up".into(),
        What::PodStarted { run } => format!(" starts again (run {run})"),
        What::PodStopping { deadline } => format!(" stops{}", budget(record.at, *deadline)),
        What::PodKilled => " is killed, to run again".into(),
        What::PodHurried { deadline } => {
            format!(" gets less time, and stops{}", budget(record.at, *deadline))
        }
        What::PodNotDelayed { deadline } => {
            format!(
                " gets no more time, and stops{}",
                budget(record.at, *deadline)
            )
        }
        What::BudgetSpent => "'s time to stop is used up".into(),
        What::PodEnded {
            phase,
            decider,
            code,
            status: _,
        } => ended(*phase, decider.as_deref(), *code),
        What::Recovered => " is looked after again".into(),
        What::Unknown => " did something that this pillion has no words for".into(),
    }
}

/// Why it happened, if that is not plain from what happened.
pub(crate) fn reason(record: &Record) -> Option<String> {
    let of_pod = record.container.is_none();
    let plain = (of_pod && matches!(record.cause, Cause::PodStart | Cause::PodRestart))
        || (record.cause == Cause::Policy && record.what == (What::Ended { ok: true }))
        || record.what == What::BudgetSpent
        || ended_plainly(&record.what);
    cause_words(&record.cause, record.container.as_deref()).filter(|_| !plain)
}

/// Whether a pod's end says by itself why it is what it is.
fn ended_plainly(what: &What) -> bool {
    matches!(what, What::PodEnded { phase, decider, .. } if *phase != Phase::Failed || decider.is_some())
}

/// The words for the cause of something that is about that container.
pub fn cause_words(cause: &Cause, about: Option<&str>) -> Option<String> {
    Some(match cause {
        Cause::Itself | Cause::Unknown => return None,
        Cause::PodStart => "nothing to wait for".into(),
        Cause::Fulfilled { target, until } => fulfilled(target, *until),
        Cause::Without { target, .. } => format!("waits for {} no longer", tame(target.name())),
        Cause::Impossible { target, until, why } => impossible(target, *until, *why),
        Cause::TargetDown { target } => format!("{} goes down", tame(target)),
        Cause::Unneeded => "nothing needs it any more".into(),
        Cause::Policy => "policy".into(),
        Cause::Rule {
            container,
            reaction,
            ..
        } => rule(about, container, *reaction),
        Cause::Probe { probe, message } => probe_failed(*probe, message.as_deref()),
        Cause::PostStart => "postStart hook failed".into(),
        Cause::StartTimeout => "not up in time".into(),
        Cause::RestartLimit => "too many restarts".into(),
        Cause::FailedAttempt { container } => {
            format!("the one attempt of {} failed", tame(container))
        }
        Cause::Asked { reason, .. } if is_own_restart(cause, about) => match tame(reason) {
            nothing if nothing.is_empty() => "it asked for it".into(),
            reason => reason,
        },
        Cause::Asked {
            by,
            reaction,
            reason,
        } => {
            let who = by.as_deref().map_or_else(|| "somebody".to_owned(), tame);
            format!(
                "{who} asked for {}{}",
                reaction_name(*reaction),
                in_brackets(reason)
            )
        }
        Cause::Deletion { by } => match by {
            Some(by) => tame(by),
            None => "the pod is deleted".into(),
        },
        Cause::Completion => "every main has ended".into(),
        Cause::Keystone { container } => format!("keystone {} ended", tame(container)),
        Cause::GiveUp { container } => format!("{} gave up", tame(container)),
        Cause::ActiveDeadline => "the pod was active too long".into(),
        Cause::NeverRan { container } => format!("{} never ran", tame(container)),
        Cause::Budget => "no time left".into(),
        Cause::SandboxLost => "the sandbox was lost".into(),
        Cause::Replacement { by: Some(by), .. } => tame(by),
        Cause::Replacement { container, .. } if about == Some(container) => "replacement".into(),
        Cause::Replacement { container, .. } => format!("{} is replaced", tame(container)),
        Cause::PodRestart => "the pod restarts".into(),
    })
}

/// Whether a container begins to restart because it, or somebody outside, asked for that.
pub fn is_asked_restart(record: &Record) -> bool {
    let begins = matches!(record.what, What::Stopping { .. } | What::Restarting { .. });
    begins && is_own_restart(&record.cause, record.container.as_deref())
}

/// Only the container that restarts is named by whoever asks for that, inside or outside.
fn is_own_restart(cause: &Cause, about: Option<&str>) -> bool {
    matches!(cause, Cause::Asked { by, reaction: Reaction::Restart, .. } if by.is_some() && by.as_deref() == about)
}

/// `readiness probe failed: connection refused`
pub fn probe_failed(probe: ProbeKind, why: Option<&str>) -> String {
    let why = why.map(tame).filter(|why| !why.is_empty());
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    format!("{} probe failed{why}", probe_name(probe))
}

/// `exited 137 (killed)`
pub fn exited(exit: &Exit) -> String {
    let how = how(exit.signal, exit.oom, exit.reason.as_deref());
    format!("exited {}{how}", exit.code)
}

/// `for migrate to succeed`
pub fn awaited(target: &Target, until: Until) -> String {
    let name = tame(target.name());
    match (target, until) {
        (Target::Barrier(_), _) | (_, Until::Settled) => format!("for {name}"),
        (Target::Container(_), Until::Attempted) => format!("for {name} to have been tried"),
        (Target::Container(_), Until::Started) => format!("for {name} to start"),
        (Target::Container(_), Until::Ready) => format!("for {name} to be ready"),
        (Target::Container(_), Until::Succeeded) => format!("for {name} to succeed"),
        (Target::Container(_), Until::Exited) => format!("for {name} to end"),
    }
}

/// How much a condition asks for: of two on one target, the one that implies the other is told.
pub(crate) const fn strength(until: Until) -> u8 {
    match until {
        Until::Attempted | Until::Settled => 0,
        Until::Started => 1,
        Until::Ready => 2,
        Until::Exited => 3,
        Until::Succeeded => 4,
    }
}

fn fulfilled(target: &Target, until: Until) -> String {
    let name = tame(target.name());
    match (target, until) {
        (Target::Barrier(_), _) | (_, Until::Settled) => format!("{name} complete"),
        (Target::Container(_), Until::Attempted) => format!("{name} was tried"),
        (Target::Container(_), Until::Started) => format!("{name} started"),
        (Target::Container(_), Until::Ready) => format!("{name} ready"),
        (Target::Container(_), Until::Succeeded) => format!("{name} succeeded"),
        (Target::Container(_), Until::Exited) => format!("{name} ended"),
    }
}

fn impossible(target: &Target, until: Until, why: Impossible) -> String {
    let name = tame(target.name());
    match (why, until) {
        (Impossible::GaveUp, _) => format!("{name} gave up"),
        (Impossible::Ended, Until::Succeeded) => format!("{name} did not succeed"),
        (Impossible::Ended, Until::Ready) => format!("{name} ended and will not be ready"),
        (Impossible::Ended, Until::Started) => format!("{name} ended and will not start"),
        (Impossible::Ended, Until::Attempted | Until::Exited | Until::Settled) => {
            format!("{name} ended")
        }
        (Impossible::TimedOut, Until::Ready) => format!("{name} was not ready in time"),
        (Impossible::TimedOut, Until::Started) => format!("{name} did not start in time"),
        (Impossible::TimedOut, Until::Succeeded) => format!("{name} did not succeed in time"),
        (Impossible::TimedOut, Until::Attempted | Until::Exited | Until::Settled) => {
            format!("{name} took too long")
        }
    }
}

/// `its exit fails the pod`: whether a rule was written or a phase made it, its exit did it.
fn rule(about: Option<&str>, container: &str, reaction: Reaction) -> String {
    let whose = if about == Some(container) {
        "its".to_owned()
    } else {
        format!("{}'s", tame(container))
    };
    let does = match reaction {
        Reaction::Restart => "asks for a restart",
        Reaction::RestartAllContainers => "restarts all containers",
        Reaction::RestartPod => "restarts the pod",
        Reaction::FailPod => "fails the pod",
        Reaction::CompletePod => "completes the pod",
        Reaction::Ignore => "is ignored",
    };
    format!("{whose} exit {does}")
}

fn stopping(at: Duration, deadline: Option<Duration>) -> &'static str {
    if deadline.is_some_and(|deadline| deadline <= at) {
        " told to stop at once"
    } else {
        " told to stop"
    }
}

fn budget(at: Duration, deadline: Option<Duration>) -> String {
    let left = deadline.map(|deadline| deadline.saturating_sub(at));
    left.map_or_else(String::new, |left| format!(" within {}", length(left)))
}

fn ended(phase: Phase, decider: Option<&str>, code: i32) -> String {
    let mut text = match phase {
        Phase::Succeeded => " succeeded".to_owned(),
        Phase::Failed => " failed".to_owned(),
        Phase::Pending | Phase::Running => " ended".to_owned(),
    };
    if let Some(decider) = decider {
        let _ = write!(text, " ({}, code {code})", tame(decider));
    }
    text
}

/// ` (killed)`: what the code alone does not tell.
fn how(signal: Option<i32>, oom: bool, reason: Option<&str>) -> String {
    match (reason, signal) {
        (Some(reason), _) => in_brackets(reason),
        (None, _) if oom => " (out of memory)".into(),
        (None, Some(9)) => " (killed)".into(),
        (None, Some(signal)) => format!(" ({})", signal_name(signal)),
        (None, None) => String::new(),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.into()
}

/// ` (cannot run it)`; nothing of nothing.
pub fn in_brackets(text: &str) -> String {
    let text = tame(text);
    if text.is_empty() {
        text
    } else {
        format!(" ({text})")
    }
}

fn after(time: Duration) -> String {
    if time.is_zero() {
        "at once".into()
    } else {
        format!("in {}", length(time))
    }
}

const fn done(ok: bool) -> &'static str {
    if ok { "is done" } else { "failed" }
}

const fn hook_name(hook: HookKind) -> &'static str {
    match hook {
        HookKind::PostStart => "postStart",
        HookKind::PreStop => "preStop",
        HookKind::PodStopping => "podStopping",
    }
}

const fn probe_name(probe: ProbeKind) -> &'static str {
    match probe {
        ProbeKind::Startup => "startup",
        ProbeKind::Readiness => "readiness",
        ProbeKind::Liveness => "liveness",
    }
}

const fn reaction_name(reaction: Reaction) -> &'static str {
    match reaction {
        Reaction::Restart => "Restart",
        Reaction::RestartAllContainers => "RestartAllContainers",
        Reaction::RestartPod => "RestartPod",
        Reaction::FailPod => "FailPod",
        Reaction::CompletePod => "CompletePod",
        Reaction::Ignore => "Ignore",
    }
}
