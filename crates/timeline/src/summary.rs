//! The short answers: was it ready, who was restarted and why, how did it end.

use crate::record::{Cause, Name, Record, What};
use crate::timeline::Timeline;
use pillion_engine::status::Phase;
use std::collections::BTreeSet;
use std::time::Duration;

/// A container was restarted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Restart<'a> {
    /// Who.
    pub container: &'a str,
    /// When that was decided.
    pub at: Duration,
    /// After which time it was to start.
    pub after: Duration,
    /// Why.
    pub cause: &'a Cause,
    /// What made it necessary: mostly the record of an exit.
    pub because: Option<&'a Record>,
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

    /// Every restart of a container, in order. One that was decided and never came to it, because
    /// the pod ended before, is none.
    pub fn restarts(&self) -> Vec<Restart<'_>> {
        let mut started = BTreeSet::new();
        let mut restarts = Vec::new();
        for record in self.records().iter().rev() {
            if record.what == What::Starting {
                started.insert(record.container.as_deref());
            } else if let Some(restart) = self.restart(record)
                && started.remove(&Some(restart.container))
            {
                restarts.push(restart);
            }
        }
        restarts.reverse();
        restarts
    }

    fn restart<'a>(&'a self, record: &'a Record) -> Option<Restart<'a>> {
        let What::Restarting { after } = record.what else {
            return None;
        };
        Some(Restart {
            container: record.container.as_deref()?,
            at: record.at,
            after,
            cause: &record.cause,
            because: self.because(record),
        })
    }

    /// How the pod ended, if it did.
    pub fn ending(&self) -> Option<Ending<'_>> {
        let backwards = || self.records().iter().rev();
        let (record, phase, decider, code) = backwards().find_map(end)?;
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
            phase,
            decider,
            gave_up,
            never_ran: !of_decider().any(|record| runs(&record.what)),
            code,
            exit,
            at: record.at,
            cause,
        })
    }
}

fn end(record: &Record) -> Option<(&Record, Phase, Option<&Name>, i32)> {
    let What::PodEnded {
        phase,
        decider,
        code,
    } = &record.what
    else {
        return None;
    };
    Some((record, *phase, decider.as_ref(), *code))
}

/// Whether it shows that there was a process.
const fn runs(what: &What) -> bool {
    matches!(what, What::Running | What::Started | What::Exited { .. })
}
