//! A timeline as sentences, one below the other.
//!
//! Told in full, every record has its line. Told in brief, what one moment brings for one container
//! is said once: its turn and its start, its exit and its restart.

use crate::quantity::moment;
use crate::record::{Cause, Record, Seq, Target, What};
use crate::text::{Line, Style, Tone, columns, tame};
use crate::timeline::{Kind, Timeline};
use crate::wall::Wall;
use crate::words::{awaited, event, predicate, reason, strength, tone, with_reason};
use pillion_engine::pod::Until;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How much to tell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Detail {
    /// What a person wants to follow.
    Brief,
    /// Every record.
    Full,
}

/// Which time to put in front.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stamps {
    /// Since the start of the pod.
    Relative,
    /// By the calendar, where known.
    Absolute,
}

/// One sentence of a story.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Told {
    /// The record it tells; of several, the first.
    pub seq: Seq,
    /// When, since the start of the pod.
    pub at: Duration,
    /// When by the calendar.
    pub time: Option<Wall>,
    /// What happened and why.
    pub text: String,
    /// Good or bad news.
    pub tone: Tone,
}

/// The records of one container at one moment, in order, and the place of one of them.
#[derive(Clone, Copy)]
struct Moment<'a> {
    timeline: &'a Timeline,
    records: &'a [&'a Record],
    place: usize,
}

impl Timeline {
    /// The story of the pod.
    pub fn story(&self, detail: Detail) -> Vec<Told> {
        match detail {
            Detail::Full => self.full_story(),
            Detail::Brief => self.brief_story(self.records()),
        }
    }

    /// What a person wants to follow of the records after that one, which come to an end with a
    /// moment: as they are told while the pod lives.
    pub fn news(&self, after: Seq) -> Vec<Told> {
        let start = self.records().partition_point(|record| record.seq <= after);
        self.brief_story(&self.records()[start..])
    }

    fn full_story(&self) -> Vec<Told> {
        let mut undoing = BTreeSet::new();
        let mut told = Vec::new();
        for record in self.records() {
            let mut text = self.sentence(record);
            if record.what == What::Undoing {
                undoing.insert(record.container.as_deref());
            } else if matches!(record.what, What::Exited { .. })
                && undoing.remove(&record.container.as_deref())
            {
                text = of_undo(record);
            }
            told.push(Told::new(record, text));
        }
        told
    }

    fn brief_story(&self, records: &[Record]) -> Vec<Told> {
        let mut moments: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
        let mut places = Vec::new();
        for record in records {
            let moment = moments.entry((record.at, &record.container)).or_default();
            places.push(moment.len());
            moment.push(record);
        }
        let tell = |(record, place): (&Record, usize)| {
            let records = moments.get(&(record.at, &record.container))?;
            let text = Moment {
                timeline: self,
                records,
                place,
            }
            .brief()?;
            Some(Told::new(record, text))
        };
        records.iter().zip(places).filter_map(tell).collect()
    }
}

/// The sentences with their times in front, lined up; what is too wide goes on below.
pub fn lines(story: &[Told], stamps: Stamps, style: Style) -> Vec<Line> {
    let stamps: Vec<_> = story.iter().map(|told| stamp(told, stamps)).collect();
    let width = stamps
        .iter()
        .map(|stamp| columns(stamp))
        .max()
        .unwrap_or_default();
    let line = |(told, stamp): (&Told, &String)| {
        let line = Line::new(Tone::Dim, format!("{stamp:>width$}  ")).and(told.tone, &*told.text);
        style.wrap(&line, width + 2)
    };
    story.iter().zip(&stamps).flat_map(line).collect()
}

fn stamp(told: &Told, stamps: Stamps) -> String {
    match (stamps, told.time) {
        (Stamps::Absolute, Some(time)) => time.to_string(),
        (Stamps::Absolute, None) | (Stamps::Relative, _) => moment(told.at),
    }
}

// === impl Told ===

impl Told {
    fn new(record: &Record, text: String) -> Self {
        let Record { seq, at, time, .. } = *record;
        Self {
            seq,
            at,
            time,
            text,
            tone: tone(record),
        }
    }
}

// === impl Moment ===

impl<'a> Moment<'a> {
    fn record(&self) -> &'a Record {
        self.records[self.place]
    }

    fn before(&self) -> impl Iterator<Item = &'a Record> {
        self.records[..self.place].iter().rev().copied()
    }

    fn after(&self) -> impl Iterator<Item = &'a Record> {
        self.records[self.place + 1..].iter().copied()
    }

    fn next_is(&self, test: impl Fn(&What) -> bool) -> bool {
        self.after().next().is_some_and(|record| test(&record.what))
    }

    fn previous_is(&self, test: impl Fn(&What) -> bool) -> bool {
        self.before()
            .next()
            .is_some_and(|record| test(&record.what))
    }

    fn follows_failed_attempt(&self) -> bool {
        let before = self.before().find(|before| before.what != What::Unready);
        before.is_some_and(|before| is_failed_attempt(&before.what))
    }

    /// The sentence of the record, or nothing if another one of the same moment says it.
    fn brief(self) -> Option<String> {
        let what = &self.record().what;
        if matches!(what, What::Waiting { .. }) {
            self.waiting()
        } else if *what == What::Starting {
            self.starting()
        } else if is_failed_attempt(what) {
            self.exit()
        } else if *what == (What::Undone { ok: false }) {
            Some(self.failed_undo())
        } else {
            (!self.is_said()).then(|| self.timeline.sentence(self.record()))
        }
    }

    /// Whether the other records of the moment leave nothing to say.
    fn is_said(self) -> bool {
        match &self.record().what {
            What::Turn => self.after().any(|next| matches!(next.what, What::Starting)),
            What::Pulling => self.after().any(|next| next.what == What::Pulled),
            What::Pulled => self.before().any(|before| before.what == What::Pulling),
            What::Running => {
                self.previous_is(|before| *before == What::Starting)
                    || self.next_is(|next| matches!(next, What::Started | What::Exited { .. }))
            }
            What::Started => {
                self.before().any(|before| before.what == What::Starting)
                    || self.after().any(|next| next.what == What::Ready)
            }
            What::ProbeVerdict { ok, .. } => *ok || self.next_is(|next| *next == What::Unready),
            // Who goes down is not ready: that needs no sentence.
            What::Unready | What::PodUnready => self.before().any(|before| goes_down(&before.what)),
            What::PodRestarting { .. } => {
                self.next_is(|next| matches!(next, What::PodStarted { .. }))
            }
            What::HookEnded { ok, .. } => *ok,
            // A hook that took no time and went well is not worth a line.
            What::HookBegan { hook } => self.after().any(|next| {
                matches!(next.what, What::HookEnded { hook: ended, ok: true, .. } if ended == *hook)
            }),
            What::Restarting { .. } => self.follows_failed_attempt(),
            What::Ended { ok } => self.follows_failed_attempt() && !(*ok && self.is_of_oneshot()),
            What::Waiting { .. }
            | What::PullFailed { .. }
            | What::Starting
            | What::StartFailed { .. }
            | What::HookCut { .. }
            | What::HookSkipped { .. }
            | What::Ready
            | What::Stopping { .. }
            | What::Exited { .. }
            | What::GaveUp
            | What::Ignored
            | What::Undoing
            | What::Undone { .. }
            | What::UndoSkipped
            | What::ReplaceBegan
            | What::Replaced
            | What::RolledBack
            | What::ReplaceAbandoned
            | What::PodStarted { .. }
            | What::PodReady
            | What::PodStopping { .. }
            | What::PodKilled
            | What::PodHurried { .. }
            | What::PodNotDelayed { .. }
            | What::BudgetSpent
            | What::PodEnded { .. }
            | What::Recovered
            | What::Unknown => false,
        }
    }

    /// All that is waited for from one moment on, in one sentence; nothing if that did not last.
    fn waiting(self) -> Option<String> {
        let over = self
            .after()
            .any(|next| matches!(next.what, What::Turn | What::Starting));
        let mut before = self.before().take_while(|record| is_prelude(&record.what));
        if over || before.any(|before| matches!(before.what, What::Waiting { .. })) {
            return None;
        }
        let mut waits: Vec<(&Target, Until)> = Vec::new();
        let records = self.records[self.place..].iter();
        for record in records.take_while(|record| is_prelude(&record.what)) {
            let What::Waiting { target, until } = &record.what else {
                continue;
            };
            match waits.iter_mut().find(|(known, _)| *known == target) {
                Some((_, known)) if strength(*known) >= strength(*until) => {}
                Some((_, known)) => *known = *until,
                None => waits.push((target, *until)),
            }
        }
        let name = tame(self.record().container.as_deref().unwrap_or("pod"));
        let waits: Vec<_> = waits
            .into_iter()
            .map(|(target, until)| awaited(target, until))
            .collect();
        Some(format!("{name} waits {}", waits.join(", ")))
    }

    /// A start, with the reason why its turn came; nothing if it is a restart at once.
    fn starting(self) -> Option<String> {
        if self
            .before()
            .any(|before| matches!(before.what, What::Restarting { .. }))
        {
            return None;
        }
        let turn = self.before().find(|before| before.what == What::Turn);
        let own = self.timeline.reason(self.record());
        let reason = own.or_else(|| turn.and_then(|turn| self.timeline.reason(turn)));
        Some(with_reason(event(self.record()), reason))
    }

    /// A reversal that failed, with how its command ended; unless whoever cut it short brought that about.
    fn failed_undo(self) -> String {
        let text = self.timeline.sentence(self.record());
        let attempt = self.before().next().filter(|before| {
            self.record().cause == Cause::Itself && is_failed_attempt(&before.what)
        });
        let how = attempt.map(|attempt| predicate(attempt).trim_start().to_owned());
        with_reason(text, how)
    }

    /// An exit, with what follows from it.
    fn exit(self) -> Option<String> {
        let exit = self.record();
        if self.next_is(|next| matches!(next, What::Undone { .. })) {
            return None;
        }
        // That it is not ready any more may be told in between.
        let next = self.after().find(|next| next.what != What::Unready);
        let next = next.filter(|next| follows_exit(&next.what));
        match next {
            None => Some(self.timeline.sentence(exit)),
            Some(Record {
                what: What::Ended { ok: true },
                ..
            }) => (!self.is_of_oneshot()).then(|| event(exit)),
            // That a failure ends it is what the policy says unless something else is told.
            Some(next)
                if matches!(next.what, What::Ended { .. }) && next.cause == Cause::Policy =>
            {
                Some(joined(exit, next))
            }
            Some(next) => {
                let text = if self.is_held_back() {
                    format!("{}, restarts when it may", event(exit))
                } else {
                    joined(exit, next)
                };
                Some(with_reason(text, self.timeline.reason(next)))
            }
        }
    }

    /// Whether it is to restart at once and then has to wait for somebody.
    fn is_held_back(self) -> bool {
        let at_once = |what: &What| matches!(what, What::Restarting { after } if after.is_zero());
        let mut after = self.after().skip_while(|next| !at_once(&next.what));
        after.any(|next| matches!(next.what, What::Waiting { .. }))
            && !self.after().any(|next| next.what == What::Starting)
    }

    fn is_of_oneshot(self) -> bool {
        let name = self.record().container.as_deref();
        let head = name.and_then(|name| self.timeline.header().container(name));
        head.is_some_and(|head| head.kind == Kind::Oneshot)
    }
}

/// `gpu's undo exited 0`
fn of_undo(exit: &Record) -> String {
    let name = tame(exit.container.as_deref().unwrap_or("pod"));
    with_reason(format!("{name}'s undo{}", predicate(exit)), reason(exit))
}

/// Whether it comes before a turn: an image can come while others are waited for.
const fn is_prelude(what: &What) -> bool {
    matches!(
        what,
        What::Waiting { .. } | What::Pulling | What::Pulled | What::PullFailed { .. }
    )
}

const fn is_failed_attempt(what: &What) -> bool {
    matches!(what, What::Exited { .. } | What::StartFailed { .. })
}

const fn goes_down(what: &What) -> bool {
    is_failed_attempt(what)
        || matches!(
            what,
            What::Stopping { .. } | What::GaveUp | What::PodStopping { .. } | What::PodKilled
        )
}

const fn follows_exit(what: &What) -> bool {
    matches!(what, What::Restarting { .. } | What::Ended { .. })
}

/// `proxy exited 137 (killed), restarts in 10 s`
fn joined(exit: &Record, next: &Record) -> String {
    format!("{},{}", event(exit), predicate(next))
}
