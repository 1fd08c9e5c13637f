//! The line of a container: where it stands, and what there is to know about that.

use super::count::Count;
use super::{Row, Standing, few};
use crate::live::moments::{Moment, Moments};
use pillion_engine::fact::{Goal, ReplaceStep};
use pillion_engine::life::{GiveUp, HookStep, Record, State, StopStep, StopWhy, Undo};
use pillion_engine::pod::{Container, HookKind, Role, Target};
use pillion_engine::{ContainerId, Engine, Tick, WaitState};
use pillion_timeline::quantity::length;
use pillion_timeline::text::tame;
use pillion_timeline::words::{awaited, cause_words, exited};
use pillion_timeline::{Cause, record};

/// What is known of a container.
struct Seen<'a> {
    engine: &'a Engine,
    id: ContainerId,
    def: &'a Container,
    record: &'a Record,
    moment: Moment,
    start: Tick,
    count: &'a Count,
}

type Told = (Standing, Vec<String>);

/// Nothing if there is no such container.
pub(super) fn of(
    engine: &Engine,
    id: ContainerId,
    moments: &Moments,
    count: &Count,
) -> Option<Row> {
    let def = engine.pod().containers.get(id.index())?;
    let seen = Seen {
        engine,
        id,
        def,
        record: engine.record(id)?,
        moment: moments.container(&def.name),
        start: moments.base().tick,
        count,
    };
    let (standing, detail) = seen.told();
    Some(Row {
        name: tame(&def.name),
        standing,
        detail,
        counts: def.role != Role::Ephemeral && standing != Standing::Ignored,
    })
}

// === impl Seen ===

impl Seen<'_> {
    fn told(&self) -> Told {
        let (standing, mut detail) = self.standing();
        if let Some(exchange) = self.exchange() {
            detail.insert(0, exchange);
        }
        (standing, detail)
    }

    fn standing(&self) -> Told {
        if let Some(told) = self.undo() {
            return told;
        }
        if self.record.ignored && !self.record.is_up() {
            return (Standing::Ignored, self.end_parts());
        }
        match &self.record.state {
            State::Waiting => self.waiting(),
            State::BackOff { until, unstarted } => {
                let why = unstarted.as_ref().map(|(reason, message)| {
                    let text = format!("{}: {message}", reason.as_str());
                    tame(text.trim_end_matches(": "))
                });
                self.back_off(*until, why)
            }
            State::Starting => (Standing::Starting, vec![self.since(self.record.last_start)]),
            State::Running { since } => self.running(*since),
            State::Stopping {
                why,
                step,
                deadline,
                ..
            } => self.stopping(*why, *step, *deadline),
            State::Ended { ok } => self.ended(*ok),
            State::GaveUp { why } => self.gave_up(why),
        }
    }

    /// What there is to say about an exchange that is under way.
    fn exchange(&self) -> Option<String> {
        let replacing = self.engine.replacing(self.id)?;
        Some(match (replacing.step, replacing.deadline) {
            (ReplaceStep::NextStart, _) => "new version at its next start".to_owned(),
            (ReplaceStep::Pulling, _) => "gets the image of a new version".to_owned(),
            (ReplaceStep::Stopping, _) => "to be replaced".to_owned(),
            (ReplaceStep::Watching, None) => "new version".to_owned(),
            (ReplaceStep::Watching, Some(by)) => {
                format!("new version, put back in {}", self.count.until(by))
            }
            (ReplaceStep::RollingBack, _) => "the old version is put back".to_owned(),
        })
    }

    fn undo(&self) -> Option<Told> {
        match self.record.undo {
            Undo::None | Undo::Owed => None,
            Undo::Starting | Undo::Running | Undo::Stopping => {
                let begun = self.moment.undoing.map(|begun| self.since(begun));
                Some((Standing::Undoing, begun.into_iter().collect()))
            }
        }
    }

    fn waiting(&self) -> Told {
        if *self.engine.goal() != Goal::Run {
            return self.down();
        }
        if let Some(turn) = self.record.turn {
            return self.waiting_for_image(turn);
        }
        let since = self.since(self.record.waiting_since);
        let mut detail = match self.awaited() {
            Some(targets) => vec![format!("{targets} ({since})")],
            None => vec![since],
        };
        detail.extend(self.last_end());
        (Standing::Waiting, detail)
    }

    /// `for migrate to succeed`, `for migrate, cache and 2 more`
    fn awaited(&self) -> Option<String> {
        let pending = self.engine.waits(self.id).into_iter();
        let pending: Vec<_> = pending
            .filter(|wait| wait.state == WaitState::Pending)
            .map(|wait| (self.named(wait.target), wait.until))
            .collect();
        match &pending[..] {
            [] => None,
            [(target, until)] => Some(awaited(target, *until)),
            several => {
                let names = several.iter().map(|(target, _)| tame(target.name()));
                Some(format!("for {}", few(names)))
            }
        }
    }

    fn waiting_for_image(&self, turn: Tick) -> Told {
        if let Some((message, then)) = &self.moment.no_image {
            let why = format!("no image: {}", tame(message));
            return (Standing::BackOff, vec![self.again(*then), why]);
        }
        let text = format!("gets its image ({})", self.since(turn));
        (Standing::Starting, vec![text])
    }

    fn back_off(&self, until: Tick, unstarted: Option<String>) -> Told {
        if *self.engine.goal() != Goal::Run {
            return self.down();
        }
        let mut detail = vec![self.again(until)];
        match unstarted {
            Some(why) => detail.push(format!("could not be started ({why})")),
            None => detail.extend(self.record.exit.as_ref().map(|end| exited(&end.exit))),
        }
        if self.record.restarts > 0 {
            detail.push(format!("restarted {}x", self.record.restarts));
        }
        (Standing::BackOff, detail)
    }

    fn running(&self, since: Tick) -> Told {
        if self.def.is_oneshot() {
            let mut detail = vec![self.since(since)];
            detail.extend(self.time_left());
            detail.extend(self.last_end());
            return (Standing::Running, detail);
        }
        if self.engine.is_container_ready(self.id) {
            return self.ready();
        }
        if let Some(unready) = self.moment.unready {
            let mut detail = vec![format!("for {}", self.since(unready))];
            detail.extend(self.moment.probe.clone());
            return (Standing::Unready, detail);
        }
        let hook = self
            .moment
            .hook
            .filter(|_| self.record.hooks.get(HookKind::PostStart) == HookStep::Begun);
        let text = match hook {
            Some(begun) => format!("runs its postStart hook ({})", self.since(begun)),
            None if !self.record.started => format!("not started yet ({})", self.since(since)),
            None => format!("not ready yet ({})", self.since(since)),
        };
        let mut detail = vec![text];
        detail.extend(self.moment.probe.clone());
        detail.extend(self.time_left());
        detail.extend(self.last_end());
        (Standing::Starting, detail)
    }

    fn ready(&self) -> Told {
        let at = |then: Tick| length(then.since(self.start));
        if let Some(put_back) = self.moment.put_back {
            let text = format!("put back at {}: the new version was bad", at(put_back));
            return (Standing::ReadyAgain, vec![text]);
        }
        if let Some(replaced) = self.moment.replaced {
            return (
                Standing::Ready,
                vec![format!("replaced at {}", at(replaced))],
            );
        }
        if let Some(end) = self.last_end() {
            return (Standing::ReadyAgain, vec![end]);
        }
        let took = self.moment.ready;
        let took = took.map(|ready| ready.since(self.record.last_start));
        let took = took
            .filter(|took| !took.is_zero())
            .map(|took| format!("{} to ready", length(took)));
        (Standing::Ready, took.into_iter().collect())
    }

    fn stopping(&self, why: StopWhy, step: StopStep, deadline: Tick) -> Told {
        let told = self.moment.stopping.map(|told| self.since(told));
        let told = told.unwrap_or_else(|| "0.0 s".to_owned());
        let mut detail = vec![match step {
            StopStep::Hook(hook) => format!("runs its {} hook ({told})", hook_name(hook)),
            StopStep::Signalled => format!("told to stop {told} ago"),
        }];
        if deadline != Tick::NEVER {
            detail.push(format!("{} left", self.count.until(deadline)));
        }
        detail.extend(stop_reason(why));
        (Standing::Stopping, detail)
    }

    fn ended(&self, ok: bool) -> Told {
        if ok && self.def.is_oneshot() {
            return (Standing::Done, self.took().into_iter().collect());
        }
        if self.moment.stopping.is_some() && self.moment.in_order {
            return (Standing::Stopped, self.end_parts());
        }
        match (ok, &self.record.exit) {
            (true, _) => (Standing::Done, self.end_parts()),
            (false, None) => (Standing::Idle, vec!["never started".to_owned()]),
            (false, Some(_)) => (Standing::Failed, self.end_parts()),
        }
    }

    /// It was to be started again, or for the first time, and the pod goes down.
    fn down(&self) -> Told {
        match self.record.exit {
            Some(_) => (Standing::Stopped, self.end_parts()),
            None => (Standing::Idle, vec!["never started".to_owned()]),
        }
    }

    fn gave_up(&self, why: &GiveUp) -> Told {
        let words = match why {
            GiveUp::RestartLimit => cause_words(&Cause::RestartLimit, None),
            GiveUp::Requirement { target, until, why } => {
                let cause = Cause::Impossible {
                    target: self.named(*target),
                    until: *until,
                    why: *why,
                };
                cause_words(&cause, None)
            }
            GiveUp::Stopped => self.moment.gave_up.clone(),
        };
        let mut detail: Vec<_> = words.into_iter().collect();
        detail.extend(self.end_parts());
        (Standing::GaveUp, detail)
    }

    /// `exited 3 at 4.2 s`
    fn end_parts(&self) -> Vec<String> {
        let end = self.record.exit.as_ref();
        let part = end.map(|end| {
            let at = length(end.finished.since(self.start));
            format!("{} at {at}", exited(&end.exit))
        });
        part.into_iter().collect()
    }

    /// How long its work took.
    fn took(&self) -> Option<String> {
        let end = self.record.exit.as_ref()?;
        let started = end.started.unwrap_or(end.finished);
        Some(length(end.finished.since(started)))
    }

    /// `restarted 1x, last exit 137 at 2.1 s`
    fn last_end(&self) -> Option<String> {
        let (record, restarts) = (self.record, self.record.restarts);
        if restarts == 0 {
            return None;
        }
        let last = if record.is_running() {
            record.last.as_ref()
        } else {
            record.exit.as_ref()
        };
        let last = last.map(|end| {
            let at = length(end.finished.since(self.start));
            format!(", last exit {} at {at}", end.exit.code)
        });
        Some(format!("restarted {restarts}x{}", last.unwrap_or_default()))
    }

    fn time_left(&self) -> Option<String> {
        let by = self.record.start_by?;
        let replacing = self.engine.replacing(self.id);
        if replacing.is_some_and(|replacing| replacing.deadline.is_some()) {
            // The time of the exchange is told.
            return None;
        }
        Some(format!("{} left", self.count.until(by)))
    }

    fn again(&self, then: Tick) -> String {
        format!("again in {}", self.count.until(then))
    }

    fn since(&self, then: Tick) -> String {
        self.count.since(then)
    }

    fn named(&self, target: Target) -> record::Target {
        let pod = self.engine.pod();
        match target {
            Target::Container(id) => {
                let name = pod.containers.get(id.index()).map(|def| def.name.clone());
                record::Target::Container(name.unwrap_or_default())
            }
            Target::Barrier(id) => {
                let name = pod
                    .barriers
                    .get(id.index())
                    .map(|barrier| barrier.name.clone());
                record::Target::Barrier(name.unwrap_or_default())
            }
        }
    }
}

fn stop_reason(why: StopWhy) -> Option<String> {
    let cause = match why {
        StopWhy::Order | StopWhy::Asked => return None,
        StopWhy::Probe(probe) => Cause::Probe {
            probe,
            message: None,
        },
        StopWhy::StartTimeout => Cause::StartTimeout,
        StopWhy::PostStart => Cause::PostStart,
    };
    cause_words(&cause, None)
}

const fn hook_name(hook: HookKind) -> &'static str {
    match hook {
        HookKind::PostStart => "postStart",
        HookKind::PreStop => "preStop",
        HookKind::PodStopping => "podStopping",
    }
}
