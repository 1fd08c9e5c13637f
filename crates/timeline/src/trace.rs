//! A whole run on one screen: how it ended, the picture, where the time went, what was notable.

use crate::gantt::gantt;
use crate::path::{Path, Step};
use crate::quantity::{length, lengths, moment};
use crate::record::{Cause, What};
use crate::story::{Detail, Told};
use crate::summary::Ending;
use crate::text::{Line, Style, Tone, tame};
use crate::timeline::{Role, Timeline};
use crate::waits::Wait;
use crate::words::cause_words;
use pillion_engine::status::Phase;

/// The screen.
pub fn trace(timeline: &Timeline, style: Style) -> Vec<Line> {
    let mut lines = vec![title(timeline, style), Line::default()];
    lines.extend(gantt(timeline, style));
    lines.push(Line::default());
    lines.extend(summary(timeline, style));
    lines.extend(notable_lines(timeline, style));
    // A line is empty only between two parts.
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    lines
}

/// Where the time went: the critical path, the longest wait, and who was restarted.
pub fn summary(timeline: &Timeline, style: Style) -> Vec<Line> {
    let mut lines = path_lines(timeline, style);
    lines.extend(wait_lines(timeline, style));
    lines.extend(restart_lines(timeline, style));
    lines
}

/// `orders · exit 0 after 4.2 s · ready after 0.9 s`
pub fn title(timeline: &Timeline, style: Style) -> Line {
    let separator = format!(" {} ", style.dot());
    let mut line = Line::new(Tone::Strong, tame(&timeline.header().pod));
    line.push(Tone::Dim, separator.as_str());
    match timeline.ending() {
        Some(ending) => {
            let text = format!("exit {} after {}", ending.status, length(ending.at));
            line.push(phase_tone(ending.phase), text);
        }
        None if timeline.header().cut_off => {
            let text = format!("killed after {}", length(timeline.end()));
            line.push(Tone::Bad, text);
        }
        None => line.push(
            Tone::Plain,
            format!("not ended after {}", length(timeline.end())),
        ),
    }
    line.push(Tone::Dim, separator);
    match timeline.time_to_ready() {
        Some(time) => line.push(Tone::Plain, format!("ready after {}", length(time))),
        None => line.push(Tone::Plain, "never ready"),
    }
    line
}

/// `orders failed: app exited 3 (keystone) after 4.2 s`; nothing while the pod lives.
pub fn result(timeline: &Timeline) -> Option<Line> {
    let ending = timeline.ending()?;
    let word = match ending.phase {
        Phase::Succeeded => "succeeded",
        Phase::Failed => "failed",
        Phase::Pending | Phase::Running => "ended",
    };
    let line = Line::new(Tone::Strong, tame(&timeline.header().pod))
        .and(Tone::Plain, " ")
        .and(phase_tone(ending.phase), word);
    let time = length(ending.at);
    Some(match (ending.decider, deciding(&ending)) {
        (Some(_), Some(why)) => line.and(Tone::Plain, format!(": {why} after {time}")),
        (None, why) => {
            // Other ends without a decider are failures by themselves.
            let open = matches!(
                ending.cause,
                Cause::Deletion { .. } | Cause::Completion | Cause::Itself
            );
            let failed = ending.phase == Phase::Failed && open;
            let idle = failed.then(|| never_ran(timeline)).flatten();
            let why: Vec<_> = [why, idle].into_iter().flatten().collect();
            let why = match &why[..] {
                [] => String::new(),
                why => format!(" ({})", why.join("; ")),
            };
            line.and(Tone::Plain, format!(" after {time}{why}"))
        }
        (Some(_), None) => line.and(Tone::Plain, format!(" after {time}")),
    })
}

/// `train never ran`: a main that had no turn makes a failure of a pod that nobody failed.
fn never_ran(timeline: &Timeline) -> Option<String> {
    let ran = |name: &str| {
        let mut records = timeline.records().iter();
        records.any(|record| record.is_about(name) && record.what == What::Running)
    };
    let mut mains = timeline.header().containers.iter();
    let idle = mains.find(|head| head.role == Role::Main && !ran(&head.name))?;
    Some(format!("{} never ran", tame(&idle.name)))
}

/// Who or what decided the result.
fn deciding(ending: &Ending<'_>) -> Option<String> {
    let Some(name) = ending.decider else {
        return cause_words(ending.cause, None);
    };
    let did = if ending.gave_up {
        format!("{} gave up", tame(name))
    } else if ending.never_ran {
        format!("{} never ran", tame(name))
    } else {
        // A rule may make another result of it.
        let code = ending.exit.unwrap_or(ending.code);
        // Killed for a failure, or out of memory: the code is not what was wrong.
        let failed = ending.phase == Phase::Failed && code == 0 && is_by_codes(ending.cause);
        let did = if failed { "failed with code" } else { "exited" };
        format!("{} {did} {code}", tame(name))
    };
    let why = if matches!(ending.cause, Cause::Keystone { container } if container == name) {
        Some("keystone".to_owned())
    } else if matches!(ending.cause, Cause::Completion | Cause::GiveUp { .. }) {
        None
    } else {
        cause_words(ending.cause, Some(name))
    };
    Some(why.map_or(did.clone(), |why| format!("{did} ({why})")))
}

/// Whether such an end is judged by how the containers ended, and not by what somebody says.
fn is_by_codes(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::Completion | Cause::Deletion { .. } | Cause::Keystone { .. } | Cause::GiveUp { .. }
    )
}

fn path_lines(timeline: &Timeline, style: Style) -> Vec<Line> {
    let path = timeline.path_to_ready().unwrap_or_default();
    if path.steps.is_empty() {
        return Vec::new();
    }
    style.flow(
        Line::new(Tone::Dim, " critical path  "),
        " ",
        &path_parts(&path, style),
    )
}

/// `proxy 0.31 →`, `migrate 0.51 →`, `app 0.08 s`
pub(crate) fn path_parts(path: &Path, style: Style) -> Vec<Line> {
    let times: Vec<_> = path.steps.iter().map(Step::length).collect();
    let (times, unit) = lengths(&times);
    let last = path.steps.len().saturating_sub(1);
    let part = |(number, (step, time)): (usize, (&Step, String))| {
        let name = step
            .container
            .as_deref()
            .map_or_else(|| "pod".to_owned(), tame);
        let line = Line::new(Tone::Plain, format!("{name} {time}"));
        if number == last {
            line.and(Tone::Plain, unit)
        } else {
            line.and(Tone::Dim, format!(" {}", style.arrow()))
        }
    };
    path.steps.iter().zip(times).enumerate().map(part).collect()
}

fn wait_lines(timeline: &Timeline, style: Style) -> Vec<Line> {
    let wait = timeline.longest_wait();
    let line = wait
        .map(|wait| Line::new(Tone::Dim, " longest wait   ").and(Tone::Plain, wait_text(&wait)));
    line.map_or_else(Vec::new, |line| style.wrap(&line, LABEL))
}

/// The room of the words before each finding.
const LABEL: usize = 16;

/// `app, 0.82 s for migrate`
pub(crate) fn wait_text(wait: &Wait) -> String {
    let (container, target) = (tame(&wait.container), tame(wait.target.name()));
    format!("{container}, {} for {target}", length(wait.length()))
}

fn restart_lines(timeline: &Timeline, style: Style) -> Vec<Line> {
    let parts = restart_parts(timeline);
    if parts.is_empty() {
        return Vec::new();
    }
    style.flow(Line::new(Tone::Dim, " restarts       "), ", ", &parts)
}

/// `proxy 2x`, for each that was restarted.
pub(crate) fn restart_parts(timeline: &Timeline) -> Vec<Line> {
    let restarts = timeline.restarts();
    let names = timeline.containers();
    let count = |name: &&str| {
        restarts
            .iter()
            .filter(|restart| restart.container == *name)
            .count()
    };
    let restarted = names
        .iter()
        .map(|name| (name, count(name)))
        .filter(|(_, count)| *count > 0);
    restarted
        .map(|(name, count)| Line::new(Tone::Plain, format!("{} {count}x", tame(name))))
        .collect()
}

fn notable_lines(timeline: &Timeline, style: Style) -> Vec<Line> {
    let story = timeline.story(Detail::Brief);
    let notable: Vec<_> = story
        .iter()
        .filter(|told| is_notable(timeline, told))
        .collect();
    let separator = format!(" {} ", style.dot());
    let mut lines = Vec::new();
    let shown = &notable[..notable.len().min(NOTABLE)];
    let width = shown
        .iter()
        .map(|told| moment(told.at).len())
        .max()
        .unwrap_or_default();
    for group in shown.chunk_by(|a, b| a.at == b.at) {
        let head = Line::new(Tone::Dim, format!(" {:>width$}  ", moment(group[0].at)));
        let parts: Vec<_> = group
            .iter()
            .map(|told| Line::new(told.tone, &*told.text))
            .collect();
        lines.extend(style.flow(head, &separator, &parts));
    }
    if notable.len() > NOTABLE {
        let rest = format!(" and {} more", notable.len() - NOTABLE);
        lines.push(Line::new(Tone::Dim, rest));
    }
    lines
}

/// Whether it is more than the ordinary way up.
fn is_notable(timeline: &Timeline, told: &Told) -> bool {
    timeline
        .record(told.seq)
        .is_some_and(|record| match &record.what {
            What::PullFailed { .. }
            | What::StartFailed { .. }
            | What::HookEnded { .. }
            | What::HookCut { .. }
            | What::HookSkipped { .. }
            | What::Unready
            | What::Stopping { .. }
            | What::GaveUp
            | What::Ignored
            | What::Undoing
            | What::Undone { .. }
            | What::UndoSkipped
            | What::ReplaceBegan
            | What::Replaced
            | What::RolledBack
            | What::ReplaceAbandoned
            | What::PodStopping { .. }
            | What::PodKilled
            | What::PodHurried { .. }
            | What::PodNotDelayed { .. }
            | What::BudgetSpent
            | What::PodRestarting { .. }
            | What::Recovered
            | What::Unknown => true,
            What::Exited { code, .. } => *code != 0,
            What::PodStarted { run } => *run > 1,
            What::Waiting { .. }
            | What::Turn
            | What::Pulling
            | What::Pulled
            | What::Starting
            | What::Running
            | What::HookBegan { .. }
            | What::ProbeVerdict { .. }
            | What::Started
            | What::Ready
            | What::Restarting { .. }
            | What::Ended { .. }
            | What::PodReady
            | What::PodUnready
            | What::PodEnded { .. } => false,
        })
}

pub(crate) const fn phase_tone(phase: Phase) -> Tone {
    match phase {
        Phase::Succeeded => Tone::Good,
        Phase::Failed => Tone::Bad,
        Phase::Pending | Phase::Running => Tone::Plain,
    }
}

/// More than this is a story, and not a summary.
const NOTABLE: usize = 12;
