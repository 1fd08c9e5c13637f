//! When and how long containers are stopped: what a grace period is spent on.
//!
//! Times count from what began the stop, inside each play: when the pod was told to go, when its last main ended, when the
//! container itself was told.

use super::super::account::{Account, NOTICE, Run};
use super::order::keeps_its_turn;
use super::{Both, Plays, WHOLE_SECONDS};
use std::time::Duration;

/// Who is given more or less time than this by one of them is given another time.
const SLACK: Duration = NOTICE.saturating_add(WHOLE_SECONDS);

/// Whether those that are up hear that the pod goes at the same time, and whether the pod has ended when all have.
pub(super) fn of_pod(plays: Plays<'_>) -> Vec<String> {
    hearing(plays).into_iter().chain(end(plays)).collect()
}

/// A pod has ended when there is nothing in it any more.
fn end(plays: Plays<'_>) -> Option<String> {
    let late = plays.ours.ends_after().filter(|late| *late > NOTICE)?;
    let late = seconds(late);
    Some(format!("the pod ends {late} after all that is in it here"))
}

fn hearing(plays: Plays<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = plays;
    let (theirs, own) = kubelet.hears_after().zip(ours.hears_after())?;
    // A kubelet that is in the middle of something finishes that first.
    let is_late = own > theirs + NOTICE;
    let waits = !kubelet.is_deleted && kubelet.waits_to_complete(&plays.terms.slow);
    let is_early = theirs > own + NOTICE && !kubelet.is_busy_at_deletion() && !waits;
    // Where somebody is being stopped already, the first to be told may have to wait for that.
    let is_known = plays.containers().any(Both::is_restless)
        || kubelet.is_stopping_at_deletion()
        || ours.is_stopping_at_deletion()
        || plays.stop_others();
    let differs = (is_late || is_early) && !is_known && plays.go_alike();
    differs.then(|| {
        let (theirs, own) = (seconds(theirs), seconds(own));
        format!(
            "containers hear that the pod goes after {theirs} on the kubelet and after {own} here"
        )
    })
}

/// What differs in the stops of a container.
pub(super) fn of_container(both: Both<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (number, theirs, own) in both.runs() {
        found.extend(told_in_one(both, number, theirs, own));
        found.extend(verdict(both, number, theirs, own));
        let is_starting = both.plays.kubelet.is_starting_at_deletion(theirs);
        let is_cut_short = both.plays.cut_short(theirs, own);
        if !is_cut_short && both.told_alike(number) && !is_starting {
            found.extend(turn(both, number, theirs, own));
            found.extend(length(both, number, theirs, own));
        }
    }
    found
}

/// Whoever is killed by a probe has lived as long: the threshold and the delay of the probe say so.
fn verdict(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let age = |account: &Account, lives, run| {
        let is_its = account.is_killed_by_probe(both.name, lives, run);
        Some(run.told().filter(|_| is_its)?.since(run.starting))
    };
    let their_age = age(kubelet, both.theirs, theirs)?;
    let own_age = age(ours, both.own, own)?;
    if both.plays.restart_all_in_one() {
        return None;
    }
    let is_late = own_age > their_age + NOTICE && !both.is_killed_for_the_run_before(number);
    let is_early = their_age > kubelet.at_the_latest(theirs, own_age);
    (is_late || is_early).then(|| {
        let (name, theirs, own) = (both.name, seconds(their_age), seconds(own_age));
        format!("run {number} of {name} is killed by a probe at an age of {theirs} on the kubelet and of {own} here")
    })
}

/// One that is told to stop in a pod that goes is given its signal as long after that, or after the last thing that it waits
/// for.
fn turn(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let (theirs, own) = kubelet.turn(theirs).zip(ours.turn(own))?;
    let differs = |theirs: Duration, own: Duration| theirs.abs_diff(own) > SLACK;
    let differs = differs(theirs.0, own.0) && differs(theirs.1, own.1);
    let is_known = !keeps_its_turn(kubelet, both.name) || both.plays.stop_others();
    (differs && !is_known && both.plays.go_alike()).then(|| {
        let (name, theirs, own) = (both.name, seconds(theirs.0), seconds(own.0));
        format!("run {number} of {name} is told to stop {theirs} after anybody has heard that the pod goes on the kubelet, and {own} after it here")
    })
}

/// Whoever does not listen is killed at the end of the grace period.
fn length(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let with_pod = kubelet.is_stopped_with_pod(theirs);
    // A kubelet that stops one does not come to restart all until that is over; here that cuts it short.
    let is_cut_short = !with_pod && ours.is_overtaken_by_restart(own);
    // Each probe has a grace period of its own, and a kubelet that was busy may have begun to ask when another answer was due.
    let is_doubly_probed = both.plays.terms.doubly_probed.contains(both.name);
    let may_be_other = !with_pod && is_doubly_probed && kubelet.was_busy_in(theirs);
    let is_known = is_with_last_main(kubelet, theirs)
        || is_cut_short
        || may_be_other
        || with_pod && both.plays.stop_others();
    let are_at_once = kubelet.is_signalled_at_once(theirs) && ours.is_signalled_at_once(own);
    let slack = if are_at_once { WHOLE_SECONDS } else { SLACK };
    let (theirs, own) = kubelet.killed_after(theirs).zip(ours.killed_after(own))?;
    let differs = theirs.abs_diff(own) > slack;
    (differs && !is_known).then(|| {
        let (name, theirs, own) = (both.name, seconds(theirs), seconds(own));
        format!("run {number} of {name} is killed {theirs} after its stop began on the kubelet, and {own} after it here")
    })
}

/// A run that is told to stop in one play long before it ended by itself in the other, or was told when the pod was deleted.
/// What is told to all at a moment finds another age where a start came later.
fn told_in_one(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let kubelet = both.plays.kubelet;
    let before = |account: &Account, run: &Run| account.was_told_in_time(run) == Some(true);
    let told = (before(kubelet, theirs), before(both.plays.ours, own));
    let (told, ended, place) = match (theirs.stopping, own.stopping) {
        (Some(_), None) => (theirs, own, "on the kubelet"),
        (None, Some(_)) => (own, theirs, "here"),
        // Before the deletion in one, and only with it in the other.
        (Some(_), Some(_)) if told == (true, false) => (theirs, own, "on the kubelet"),
        (Some(_), Some(_)) if told == (false, true) => (own, theirs, "here"),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let (signal, end) = told.stopping.zip(ended.stopping.or(ended.exiting))?;
    let lead = end
        .since(ended.starting)
        .checked_sub(signal.since(told.starting))?;
    let drift = kubelet.drift(signal, kubelet.most_runs_until(signal));
    let is_sooner = theirs.stopping.is_some() && both.is_killed_for_the_run_before(number);
    let is_known = both.plays.cut_short(theirs, own)
        || is_sooner
        || both.is_updated_between(number)
        || both.is_held_back(number)
        || is_with_last_main(kubelet, theirs);
    (lead > drift && !is_known).then(|| {
        let (name, lead) = (both.name, seconds(lead));
        format!("run {number} of {name} is told to stop only {place}, {lead} before the other ends")
    })
}

/// Whether a run was there when a probe killed the last main, which a kubelet takes for the end of the pod.
fn is_with_last_main(kubelet: &Account, theirs: &Run) -> bool {
    let killed = kubelet.last_main_killed();
    killed.is_some_and(|killed| theirs.exited.is_none_or(|exited| exited >= killed))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
