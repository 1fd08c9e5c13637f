//! When a play is over, and what becomes of those of its pod who go on.

use super::{Director, LOOK};
use crate::kubelet::eyes::Glimpse;
use crate::kubelet::limits::is_settled;
use crate::kubelet::status;
use anyhow::ensure;
use pillion_engine::Tick;
use pillion_runtime::clock;
use std::time::Duration;

/// How often is looked whether enough has been seen.
const REVIEW: Duration = Duration::from_secs(1);

/// Whoever has stopped a pod needs a while until it is through with it.
const LAST_WORD: Duration = Duration::from_secs(10);

impl Director<'_> {
    pub(super) fn is_over(&mut self) -> anyhow::Result<bool> {
        let now = clock::now();
        if now.since(self.began) > self.scenario.run_for || self.has_ended() {
            return Ok(true);
        }
        if now.since(self.looked) < REVIEW || self.next < self.scenario.acts.len() {
            return Ok(false);
        }
        self.looked = now;
        self.listen()?;
        let record = self.footage().record();
        let now = Tick::ZERO + now.since(self.began);
        let checks = self.scenario.cases.iter().flat_map(|case| &case.checks);
        let mut checks = checks.peekable();
        // A play that is only to be compared with another one is watched to its end.
        Ok(checks.peek().is_some() && checks.all(|check| is_settled(check, &record, now)))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.glimpses.last().is_some_and(has_ended)
    }

    fn is_gone(&self) -> bool {
        self.glimpses
            .last()
            .is_some_and(|glimpse| glimpse.pod.is_none())
    }

    /// The last ends may still be on their way, and so may what is told of them.
    pub(super) fn come_to_an_end(&mut self) -> anyhow::Result<()> {
        let limit = self.scenario.pod.grace + LAST_WORD;
        self.look_while(limit, Self::is_about_to_go)?;
        ensure!(
            !self.is_about_to_go(),
            "the pod has ended, and what runs it goes on after {} s",
            limit.as_secs()
        );
        self.look_while(limit, Self::goes_on_without_pod)?;
        self.look_while(LAST_WORD, Self::has_more_to_tell)
    }

    fn look_while(&mut self, limit: Duration, goes_on: fn(&Self) -> bool) -> anyhow::Result<()> {
        let began = clock::now();
        while goes_on(self) && clock::now().since(began) < limit {
            self.look(LOOK)?;
        }
        Ok(())
    }

    /// What runs a pod and ends with it has yet to do so.
    fn is_about_to_go(&self) -> bool {
        self.place.ends_with_pod() && self.has_ended() && !self.is_gone()
    }

    /// The pod is gone, and those of it that are there may be.
    fn goes_on_without_pod(&self) -> bool {
        !self.place.ends_with_pod() && self.is_gone() && self.witness.is_anybody_there()
    }

    /// Ends those who outlive the pod, as nobody else would, and names them.
    pub(super) fn end_survivors(&mut self) -> anyhow::Result<()> {
        if !self.place.ends_with_pod() && !self.is_gone() {
            return Ok(());
        }
        // Who has just gone is none of them.
        self.witness.wait(Duration::ZERO)?;
        let survivors = self.witness.kill_all();
        ensure!(
            survivors.is_empty(),
            "the pod is gone, and what runs in it is not: {}",
            survivors.join(", ")
        );
        Ok(())
    }

    /// A kubelet that is through with a pod says of what still waits, and has run before, how it ended.
    fn has_more_to_tell(&self) -> bool {
        let pod = self.pod().filter(|_| self.has_ended() && !self.is_gone());
        let mut containers = pod.into_iter().flat_map(status::all_statuses);
        containers.any(|one| {
            one["state"]["waiting"].is_object() && one["lastState"]["terminated"].is_object()
        })
    }
}

/// Whether the pod is gone, or has its result and is not being deleted.
pub(crate) fn has_ended(glimpse: &Glimpse) -> bool {
    glimpse.pod.as_ref().is_none_or(|pod| {
        let phase = pod["status"]["phase"].as_str();
        let ended = matches!(phase, Some("Succeeded" | "Failed"));
        ended && pod["metadata"]["deletionTimestamp"].is_null()
    })
}
