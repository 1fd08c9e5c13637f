//! Checks on the pod's status: a part of it, and when it must hold.

use super::{Evidence, Time, since};
use crate::record::{Record, Sample};
use pillion_engine::PodStatus;
use pillion_engine::status::{ContainerState, ContainerStatus, Terminated};
use std::collections::BTreeMap;
use std::fmt;

/// A part of a pod's status. What is not given may be anything.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct StatusPart {
    /// The pod's phase.
    pub phase: Option<Text>,
    /// The pod's reason; empty is none.
    pub reason: Option<Text>,
    /// By the names of conditions; one that the pod does not have counts as false.
    pub conditions: BTreeMap<Box<str>, ConditionPart>,
    /// By the names of containers.
    pub containers: BTreeMap<Box<str>, ContainerPart>,
}

/// A part of a condition.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ConditionPart {
    /// Whether it holds.
    pub status: Option<bool>,
    /// Why not, in one word.
    pub reason: Option<Text>,
    /// The same for people.
    pub message: Option<Text>,
}

/// A part of a container's status.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ContainerPart {
    /// Its state.
    pub state: Option<Text>,
    /// The state's reason.
    pub reason: Option<Text>,
    /// The state's message.
    pub message: Option<Text>,
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// How often it was restarted.
    pub restarts: Option<Number>,
    /// Whether it is ready.
    pub ready: Option<bool>,
    /// Whether its startup is over.
    pub started: Option<bool>,
    /// Its image.
    pub image: Option<Text>,
    /// The end of the run before, which there must be.
    pub last: Option<LastPart>,
}

/// A part of the end of the run before.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LastPart {
    /// Its reason.
    pub reason: Option<Text>,
    /// Its exit code.
    pub code: Option<i32>,
}

/// A text, or anything but a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Text {
    /// Exactly this.
    Is(Box<str>),
    /// Anything but this.
    Not(Box<str>),
}

/// A number, or a limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Number {
    /// Exactly this.
    Is(u32),
    /// Not less.
    AtLeast(u32),
    /// Not more.
    AtMost(u32),
}

type Result = std::result::Result<(), Evidence>;

pub(super) fn look(record: &Record, want: &StatusPart, time: &Time, act: Option<&str>) -> Result {
    let from = since(record, act)?;
    match time {
        Time::Within(time) => {
            // The last instant counts.
            let to = from.at + *time + std::time::Duration::from_nanos(1);
            some(record.statuses_between(from, to), want)
        }
        Time::Throughout(time) => all(record.statuses_between(from, from.at + *time), want),
        Time::At(time) => some(record.status_at(from.at + *time), want),
        Time::AtEnd if record.end.is_none() => Err(super::still_there(record)),
        Time::AtEnd => some(record.statuses.last(), want),
        Time::Whenever(part) => {
            let held = record
                .statuses
                .iter()
                .filter(|sample| part.holds(&sample.status));
            all(held, want)
        }
    }
}

/// The status holds in one of the samples; if not, the one that came nearest is shown.
fn some<'r>(samples: impl IntoIterator<Item = &'r Sample>, want: &StatusPart) -> Result {
    let misses = samples
        .into_iter()
        .map(|sample| (sample, want.misses(&sample.status)));
    match misses.min_by_key(|(_, misses)| misses.len()) {
        None => Err(Evidence::new("no status was seen then")),
        Some((_, misses)) if misses.is_empty() => Ok(()),
        Some((sample, misses)) => Err(missed(sample, &misses, want)),
    }
}

/// The status holds in all samples; if not, the first in which it does not is shown.
fn all<'r>(samples: impl IntoIterator<Item = &'r Sample>, want: &StatusPart) -> Result {
    for sample in samples {
        let misses = want.misses(&sample.status);
        if !misses.is_empty() {
            return Err(missed(sample, &misses, want));
        }
    }
    Ok(())
}

fn missed(sample: &Sample, misses: &[String], want: &StatusPart) -> Evidence {
    let mut evidence = Evidence::new(format!("at {}: {}", sample.at, misses.join("; ")));
    evidence.about = want.containers.keys().cloned().collect();
    evidence
}

pub(super) fn restarts_never_fall(record: &Record, name: &str) -> Result {
    let mut highest = 0;
    for sample in &record.statuses {
        let restarts = sample
            .status
            .container(name)
            .map_or(0, |status| status.restarts);
        if restarts < highest {
            let seen = format!(
                "at {}: {name} had {restarts} restarts after {highest}",
                sample.at
            );
            return Err(Evidence::new(seen));
        }
        highest = restarts;
    }
    Ok(())
}

// === impl StatusPart ===

impl StatusPart {
    /// The pod is in that phase.
    pub fn phase(phase: &str) -> Self {
        Self {
            phase: Some(Text::Is(phase.into())),
            ..Self::default()
        }
    }

    /// The pod has that condition.
    pub fn condition(name: &str, status: bool) -> Self {
        let part = ConditionPart {
            status: Some(status),
            ..ConditionPart::default()
        };
        Self {
            conditions: BTreeMap::from([(name.into(), part)]),
            ..Self::default()
        }
    }

    /// A container is like that.
    pub fn container(name: &str, part: ContainerPart) -> Self {
        Self {
            containers: BTreeMap::from([(name.into(), part)]),
            ..Self::default()
        }
    }

    /// Whether a status is so.
    pub fn holds(&self, status: &PodStatus) -> bool {
        self.misses(status).is_empty()
    }

    /// What is not so, in words.
    pub fn misses(&self, status: &PodStatus) -> Vec<String> {
        let Self {
            phase,
            reason,
            conditions,
            containers,
        } = self;
        let mut misses = Vec::new();
        misses.extend(miss(phase.as_ref(), "phase", Some(status.phase.as_str())));
        misses.extend(miss(reason.as_ref(), "reason", status.reason.as_deref()));
        for (name, part) in conditions {
            misses.extend(part.misses(name, status));
        }
        for (name, part) in containers {
            match status.container(name) {
                Some(container) => misses.extend(part.misses(container)),
                None => misses.push(format!("the status has no container {name}")),
            }
        }
        misses
    }
}

// === impl ConditionPart ===

impl ConditionPart {
    fn misses(&self, name: &str, status: &PodStatus) -> Vec<String> {
        let mut conditions = status.conditions.iter();
        let condition = conditions.find(|condition| condition.kind.as_str() == name);
        let holds = condition.is_some_and(|condition| condition.status);
        let reason = condition.and_then(|condition| condition.reason);
        let message = condition.and_then(|condition| condition.message.as_deref());
        let what = |field: &str| format!("condition {name}{field}");
        let mut misses = Vec::new();
        misses.extend(differs(self.status, &what(""), holds));
        misses.extend(miss(self.reason.as_ref(), &what(" reason"), reason));
        misses.extend(miss(self.message.as_ref(), &what(" message"), message));
        misses
    }
}

// === impl ContainerPart ===

impl ContainerPart {
    fn misses(&self, status: &ContainerStatus) -> Vec<String> {
        let Self {
            state,
            reason,
            message,
            code,
            signal,
            restarts,
            ready,
            started,
            image,
            last,
        } = self;
        let name = &status.name;
        let what = |field: &str| format!("{name} {field}");
        let seen = Details::of(&status.state);
        let mut misses = Vec::new();
        misses.extend(miss(state.as_ref(), &what("state"), Some(seen.state)));
        misses.extend(miss(reason.as_ref(), &what("reason"), seen.reason));
        misses.extend(miss(message.as_ref(), &what("message"), seen.message));
        misses.extend(code.and_then(|code| absent_or_other(code, &what("code"), seen.code)));
        misses.extend(signal.and_then(|sig| absent_or_other(sig, &what("signal"), seen.signal)));
        misses.extend(restarts.and_then(|number| number.miss(&what("restarts"), status.restarts)));
        misses.extend(differs(*ready, &what("ready"), status.ready));
        misses.extend(differs(*started, &what("started"), status.started));
        misses.extend(miss(
            image.as_ref(),
            &what("image"),
            status.image.as_deref(),
        ));
        if let Some(last) = last {
            misses.extend(last.misses(&what("last"), status.last.as_ref()));
        }
        misses
    }
}

// === impl LastPart ===

impl LastPart {
    fn misses(&self, what: &str, last: Option<&Terminated>) -> Vec<String> {
        let Some(last) = last else {
            return vec![format!("{what} is none")];
        };
        let mut misses = Vec::new();
        let reason = miss(
            self.reason.as_ref(),
            &format!("{what} reason"),
            Some(&last.reason),
        );
        misses.extend(reason);
        misses.extend(differs(self.code, &format!("{what} code"), last.code));
        misses
    }
}

/// What the states of a container have in common.
struct Details<'s> {
    state: &'static str,
    reason: Option<&'s str>,
    message: Option<&'s str>,
    code: Option<i32>,
    signal: Option<i32>,
}

// === impl Details ===

impl<'s> Details<'s> {
    fn of(state: &'s ContainerState) -> Self {
        match state {
            ContainerState::Waiting { reason, message } => Self {
                state: "waiting",
                reason: Some(reason),
                message: message.as_deref(),
                code: None,
                signal: None,
            },
            ContainerState::Running { .. } => Self {
                state: "running",
                reason: None,
                message: None,
                code: None,
                signal: None,
            },
            ContainerState::Terminated(terminated) => Self {
                state: "terminated",
                reason: Some(&terminated.reason),
                message: terminated.message.as_deref(),
                code: Some(terminated.code),
                signal: terminated.signal,
            },
        }
    }
}

// === impl Text ===

impl Text {
    /// What a file says: `X`, or `!X` for anything but X.
    pub fn written(text: &str) -> Self {
        match text.strip_prefix('!') {
            Some(not) => Self::Not(not.into()),
            None => Self::Is(text.into()),
        }
    }

    /// What is wrong with what was seen, in words; nothing at all counts as empty.
    pub(super) fn miss(&self, what: &str, seen: Option<&str>) -> Option<String> {
        let seen = seen.unwrap_or_default();
        match self {
            Self::Is(text) if **text != *seen => Some(format!("{what} is {}", shown(seen))),
            Self::Not(text) if **text == *seen => Some(format!("{what} is {}", shown(seen))),
            Self::Is(_) | Self::Not(_) => None,
        }
    }
}

// === impl Number ===

impl Number {
    fn miss(self, what: &str, seen: u32) -> Option<String> {
        let holds = match self {
            Self::Is(number) => seen == number,
            Self::AtLeast(number) => seen >= number,
            Self::AtMost(number) => seen <= number,
        };
        (!holds).then(|| format!("{what} is {seen}"))
    }
}

fn miss(want: Option<&Text>, what: &str, seen: Option<&str>) -> Option<String> {
    want.and_then(|text| text.miss(what, seen))
}

fn differs<T: Copy + fmt::Display + PartialEq>(
    want: Option<T>,
    what: &str,
    seen: T,
) -> Option<String> {
    let want = want?;
    (want != seen).then(|| format!("{what} is {seen}"))
}

fn absent_or_other(want: i32, what: &str, seen: Option<i32>) -> Option<String> {
    match seen {
        Some(seen) if seen == want => None,
        Some(seen) => Some(format!("{what} is {seen}")),
        None => Some(format!("{what} is none")),
    }
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}
