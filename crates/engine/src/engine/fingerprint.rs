//! The state of an engine as a number, for those who explore all its states.
//!
//! Times count relative to now, so that the same situation later is the same state; numbers that
//! only grow and decide nothing (attempts, restart counts, past times) are left out or saturated.

use super::Engine;
use crate::fact::Goal;
use crate::life::{Record, State};
use crate::tick::Tick;
use std::hash::{Hash, Hasher};
use std::time::Duration;

impl Engine {
    /// Feeds everything that can influence a later decision to `hasher`.
    ///
    /// Only for judging the engine: what it contains may change at any time.
    #[doc(hidden)]
    pub fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher) {
        self.hash_pod(now, hasher);
        for (life, def) in self.lives.iter().zip(&self.pod.containers) {
            hash_record(&life.record, def.restart.backoff.reset, now, hasher);
            let limit = self.pod.restart_limit;
            limit
                .map(|limit| life.record.restarts.min(limit))
                .hash(hasher);
            life.image.hash(hasher);
            life.stop.hash(hasher);
            life.doomed.hash(hasher);
            for probing in life.probing.iter() {
                probing.hash_relative(now, hasher);
            }
        }
        for edge in self.graph.edges() {
            let past = self.gate(edge);
            (past.held, past.anew, past.timed_out).hash(hasher);
            past.deadline.map(|at| at.since(now)).hash(hasher);
        }
        for (timer, at) in self.timers.iter() {
            timer.hash(hasher);
            at.since(now).hash(hasher);
        }
        for (container, replacing) in &self.replacing {
            (
                container,
                replacing.step,
                replacing.new_version,
                replacing.timeout,
            )
                .hash(hasher);
        }
    }

    fn hash_pod(&self, now: Tick, hasher: &mut impl Hasher) {
        let record = &self.record;
        (
            record.sandbox,
            record.backoff_level.min(8),
            &record.result,
            self.budget_spent,
        )
            .hash(hasher);
        match &record.goal {
            Goal::Run => 0u8.hash(hasher),
            Goal::Restart {
                at_once,
                deadline,
                waiting,
            } => {
                (
                    1u8,
                    at_once,
                    deadline.since(now),
                    waiting.map(|at| at.since(now)),
                )
                    .hash(hasher);
            }
            Goal::End { cause, deadline } => (2u8, cause, deadline.since(now)).hash(hasher),
        }
    }
}

fn hash_record(record: &Record, reset: Duration, now: Tick, hasher: &mut impl Hasher) {
    match &record.state {
        State::Running { .. } => 0u8.hash(hasher),
        State::BackOff { until, unstarted } => {
            (1u8, until.since(now), unstarted.is_some()).hash(hasher);
        }
        State::Stopping {
            since,
            why,
            step,
            deadline,
        } => {
            (2u8, since.is_some(), why, step, deadline.since(now)).hash(hasher);
        }
        State::Waiting | State::Starting | State::Ended { .. } | State::GaveUp { .. } => {
            (3u8, &record.state).hash(hasher);
        }
    }
    let end = record.exit.as_ref();
    end.map(|end| (&end.exit, end.killed, end.restarting_all))
        .hash(hasher);
    let before = record.last.as_ref();
    before.map(|end| end.restarting_all).hash(hasher);
    record.turn.is_some().hash(hasher);
    record.start_by.map(|at| at.since(now)).hash(hasher);
    (
        record.launched,
        record.attempted,
        record.ran,
        record.started_once,
        record.failed,
        record.started,
    )
        .hash(hasher);
    (
        record.probed_ready,
        record.notified_ready,
        record.hooks,
        record.backoff_level.min(8),
    )
        .hash(hasher);
    record.leave_by.map(|at| at.since(now)).hash(hasher);
    (
        record.after,
        record.undo,
        record.interrupted,
        record.ignored,
        record.version,
    )
        .hash(hasher);
    // How long it has run matters only for the reset of its back-off.
    (now.since(record.last_start) > reset).hash(hasher);
    for at in &record.recent_restarts {
        now.since(*at).hash(hasher);
    }
}
