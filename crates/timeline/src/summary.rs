//! The short answers: was it ready, who was restarted and why, how did it end.

use crate::record::{Cause, Name, Record, What};
use crate::timeline::Timeline;
use pillion_engine::status::Phase;
use std::collections::BTreeMap;
use std::time::Duration;

/// A container was restarted: it ran once more after a run had ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Restart<'a> {
    /// Who.
    pub container: &'a str,
    /// When it ran again.
    pub at: Duration,
    /// Why it was to run again, or why it had been stopped.
    pub cause: &'a Cause,
    /// What made it necessary: mostly the record of an exit.
    pub because: Option<&'a Record>,
}

/// What is known of a container while its restarts are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Since<'a> {
    /// The command that reverses it is being run: its exit is none of the container's.
    undoing: bool,
    /// The run that was last has ended.
    exited: bool,
    /// A start was asked for, and nothing shows yet that it came to a run.
    starting: bool,
    /// The newest record that says why it went down or is to come up again.
    why: Option<&'a Record>,
}

/// How a pod ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ending<'a> {
    /// Succeeded or Failed.
    pub phase: Phase,
    /// Whose end decided it.
    pub decider: Option<&'a Name>,
    /// Whether that end was giving up rather than an exit.
    pub gave_up: bool,
    /// Whether it did not even run.
    pub never_ran: bool,
    /// The exit code that stands for the pod.
    pub code: i32,
    /// With what whoever ran the pod ended.
    pub status: i32,
    /// The code with which the one that decided it exited, if it did.
    pub exit: Option<i32>,
    /// When.
    pub at: Duration,
    /// Why it began to stop.
    pub cause: &'a Cause,
}

impl Timeline {
    /// From the start of the pod until it was ready for the first time.
    pub fn time_to_ready(&self) -> Option<Duration> {
        let ready = self
            .records()
            .iter()
            .find(|record| record.what == What::PodReady)?;
        Some(ready.at)
    }

    /// Every restart of a container, in order, as the pod's status counts them. One that was decided
    /// and never came to it, because the pod ended before, is none.
    pub fn restarts(&self) -> Vec<Restart<'_>> {
        let mut containers: BTreeMap<_, Since<'_>> = BTreeMap::new();
        let mut restarts = Vec::new();
        for record in self.records() {
            let Some(container) = record.container.as_deref() else {
                continue;
            };
            let since = containers.entry(container).or_default();
            if since.note(record) {
                let why = since.why.take();
                restarts.push(Restart {
                    container,
                    at: record.at,
                    cause: why.map_or(&record.cause, |why| &why.cause),
                    because: self.because(why.unwrap_or(record)),
                });
            }
        }
        restarts
    }

    /// How the pod ended, if it did.
    pub fn ending(&self) -> Option<Ending<'_>> {
        let backwards = || self.records().iter().rev();
        let record = backwards().find(|record| matches!(record.what, What::PodEnded { .. }))?;
        let What::PodEnded {
            phase,
            decider,
            code,
            status,
        } = &record.what
        else {
            return None;
        };
        let decider = decider.as_ref();
        // The end has no cause of its own: it is reached when all is down.
        let stop = backwards().find(|record| matches!(record.what, What::PodStopping { .. }));
        let cause = match stop {
            Some(stop) if record.cause == Cause::Itself => &stop.cause,
            Some(_) | None => &record.cause,
        };
        // What it did since its newest start, the newest first; stopped after giving up, it exits too.
        let of_decider = || backwards().filter(|record| record.container.as_ref() == decider);
        let newest = || of_decider().take_while(|record| record.what != What::Starting);
        let exit = newest().find_map(|record| {
            let What::Exited { code, .. } = record.what else {
                return None;
            };
            Some(code)
        });
        let exited = exit.is_some();
        let gave_up = newest().any(|record| record.what == What::GaveUp)
            || (!exited && matches!(cause, Cause::GiveUp { .. }));
        Some(Ending {
            phase: *phase,
            decider,
            gave_up,
            never_ran: !of_decider().any(|record| runs(&record.what)),
            code: *code,
            status: status.unwrap_or(*code),
            exit,
            at: record.at,
            cause,
        })
    }
}

// === impl Since ===

impl<'a> Since<'a> {
    /// Takes in a record; says whether it shows that the container ran once more.
    fn note(&mut self, record: &'a Record) -> bool {
        let what = &record.what;
        if *what == What::Undoing {
            self.undoing = true;
        } else if *what == What::Starting {
            self.starting = true;
        } else if matches!(what, What::Stopping { .. } | What::Restarting { .. }) {
            self.why = Some(record);
        } else if matches!(what, What::StartFailed { .. }) {
            self.starting = false;
        }
        let of_undo = matches!(what, What::Exited { .. }) && std::mem::take(&mut self.undoing);
        if of_undo || !runs(what) {
            return false;
        }
        let again = std::mem::take(&mut self.starting) && self.exited;
        self.exited = matches!(what, What::Exited { .. }) || (self.exited && !again);
        again
    }
}

/// Whether it shows that there was a process.
const fn runs(what: &What) -> bool {
    matches!(
        what,
        What::Running | What::Started | What::Ready | What::Exited { .. }
    )
}
