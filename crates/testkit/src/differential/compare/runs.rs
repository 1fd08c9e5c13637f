//! The runs of one container: how many, with which hooks, how each was stopped and how it ended.

use super::super::account::{Account, COMES_BACK, Lives, NOTICE, Run};
use super::super::role::Role;
use super::{Both, Plays, WHOLE_SECONDS, had_time};
use pillion_engine::Tick;
use std::cmp::Ordering;
use std::time::Duration;

/// A run that was shorter may have been over before its hook began.
const SHORT: Duration = Duration::from_secs(2);

/// A start that was under way when the pod was told to go is over by then.
const UNDER_WAY: Duration = Duration::from_secs(4);

/// Here nothing is under way then: what has been started says so within this.
const AT_ONCE: Duration = Duration::from_secs(1);

/// What differs in the runs of a container.
pub(super) fn all(both: Both<'_>) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(count(both));
    found.extend(late_start(both));
    found.extend(back_off(both));
    for (number, theirs, own) in both.runs() {
        found.extend(end(both, number, theirs, own));
        found.extend(kill(both, number, theirs, own));
        found.extend(hooks(both, number, theirs, own));
        found.extend(hooked_again(both, number, theirs, own));
        if is_comparable(both, number) && !both.plays.cut_short(theirs, own) {
            found.extend(code(both, number, own));
            found.extend(message(both, number));
        }
    }
    found
}

/// A run that only one of them had counts if the other had the time for it.
fn count(both: Both<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let counts = (both.theirs.runs.len(), both.own.runs.len());
    let (theirs, own) = ((kubelet, both.theirs), (ours, both.own));
    let (more, fewer, place) = match counts.0.cmp(&counts.1) {
        Ordering::Equal => return None,
        Ordering::Greater => (theirs, own, "on the kubelet"),
        Ordering::Less => (own, theirs, "here"),
    };
    let number = counts.0.min(counts.1);
    let at = more.1.runs.get(number)?.starting;
    // `late_start` judges that.
    if more.0.is_deleted && at >= more.0.horizon {
        return None;
    }
    let is_passed_over = both.plays.restart_all_in_one()
        || counts.0 < counts.1 && is_over(both, at, number)
        || counts.0 > counts.1 && both.is_held_back(number + 1)
        || both.is_updated_between(number)
        || both.is_close_call(number)
        || both.is_at_edge_of_back_off(number);
    let late = more.1.waited(number + 1) / 2;
    let has_time = had_time(both.plays, (more.0, fewer.0), at, late, number);
    let has_time = has_time || owes(both, more, fewer, number);
    (has_time && !is_passed_over).then(|| {
        let (name, next) = (both.name, number + 1);
        format!(
            "{name} is started {} times on the kubelet and {} times here: run {next} begins {place} at {at}",
            counts.0, counts.1
        )
    })
}

/// Whether nothing but the policy made a run begin in one play: then the other owes it as long after the end of the run
/// before it, however far apart the two have drifted.
fn owes(
    both: Both<'_>,
    more: (&Account, &Lives),
    fewer: (&Account, &Lives),
    number: usize,
) -> bool {
    let last = |lives: &Lives| lives.runs.get(number.checked_sub(1)?)?.exited;
    let (Some(from), Some(due_from)) = (last(more.1), last(fewer.1)) else {
        return false;
    };
    let wait = more.1.runs[number].starting.since(from);
    // A kubelet looks again after up to one and a half times as long.
    let longest = if both.theirs.runs.len() < both.own.runs.len() {
        wait + wait / 2
    } else {
        wait
    };
    let to = more.1.runs[number].starting;
    let due = both.plays.kubelet.delayed(due_from, longest);
    // A start of somebody else may be what was waited for, and so may one that did not come.
    let are_alone =
        is_alone(more.0, both.name, from, to) && is_alone(fewer.0, both.name, due_from, due);
    let is_told = [more, fewer].map(|(account, lives)| account.has_history(lives, number));
    are_alone && is_told == [false; 2] && due <= fewer.0.horizon
}

/// Whoever is run again because of its policy alone waits as long for it. A kubelet may come to it later.
fn back_off(both: Both<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let wait = |account: &Account, lives: &Lives, number: usize| {
        let (last, next) = (lives.runs.get(number - 1)?, lives.runs.get(number)?);
        let from = last.exited.filter(|_| last.told().is_none())?;
        let is_alone = is_alone(account, both.name, from, next.starting);
        let counts = is_alone && !account.has_history(lives, number);
        counts.then(|| (from, next.starting.since(from)))
    };
    // Nothing reminds a kubelet of the end of an init container, or of anybody's while a pull has failed.
    let comes_back = if both.is(Role::Init) || both.plays.lacks_an_image() {
        COMES_BACK
    } else {
        Duration::ZERO
    };
    let runs = 1..both.theirs.runs.len().min(both.own.runs.len());
    let mut waits = runs.filter_map(|number| {
        let (from, theirs) = wait(kubelet, both.theirs, number)?;
        let (_, own) = wait(ours, both.own, number)?;
        // A kubelet looks again after up to one and a half times as long.
        let due = kubelet.delayed(from, own + own / 2 + comes_back);
        let differs = own > theirs + NOTICE || theirs > due.since(from);
        differs.then_some((number + 1, theirs, own))
    });
    let (number, theirs, own) = waits.next()?;
    let (name, theirs, own) = (both.name, theirs.as_secs_f64(), own.as_secs_f64());
    Some(format!(
        "run {number} of {name} begins {theirs:.1} s after the end of the one before on the kubelet, and {own:.1} s after it here"
    ))
}

/// Whether no sidecar came or went meanwhile: nobody else is ever waited for by one that is run again.
fn is_alone(account: &Account, name: &str, from: Tick, to: Tick) -> bool {
    let within = |at: Tick| from <= at && at <= to;
    let others = account.containers.iter();
    let others = others.filter(|(other, _)| ***other != *name && Role::Sidecar.is_of(other));
    let mut runs = others.flat_map(|(_, lives)| &lives.runs);
    !runs.any(|run| within(run.starting) || run.exited.is_some_and(within))
}

/// Whether a kubelet has ended more by then than we would have, or had no time to.
fn is_over(both: Both<'_>, at: Tick, number: usize) -> bool {
    let kubelet = both.plays.kubelet;
    let mut runs = both.theirs.runs.iter();
    let killed = kubelet.last_main_killed();
    killed.is_some_and(|killed| at + kubelet.drift(at, number) >= killed)
        || both.is_forgotten()
        || runs.any(|run| kubelet.is_busy_until_end(both.name, run))
}

/// Nothing is started in a pod that goes; here there is no excuse for it.
fn late_start(both: Both<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let late = |account: &Account, lives: &Lives, by: Duration| {
        let mut runs = lives.runs.iter();
        let goes = account.begins_to_go();
        goes.is_some_and(|goes| runs.any(|run| run.starting > goes + by))
    };
    let theirs = late(kubelet, both.theirs, UNDER_WAY);
    let own = late(ours, both.own, AT_ONCE);
    // It starts all that it has begun to start, in a busy moment.
    let is_excused = theirs && kubelet.is_busy_at_deletion();
    let differs = own || theirs && !is_excused;
    differs.then(|| {
        let place = if own { "here" } else { "on the kubelet" };
        format!("{} is started in a pod that goes {place}", both.name)
    })
}

/// An end that only one of them saw counts if the other had the time for it.
fn end(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let (theirs, own) = ((kubelet, theirs), (ours, own));
    let (one, other, place) = match (theirs.1.exited, own.1.exited) {
        (Some(_), None) => (theirs, own, "on the kubelet"),
        (None, Some(_)) => (own, theirs, "here"),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let at = one.1.exited?;
    // Whether the pod ended is another question.
    let is_with_pod = one.0.is_stopped_with_pod(one.1) && !both.plays.go_alike();
    let is_excused = is_over(both, at, number)
        || is_with_pod
        || both.plays.restart_all_in_one()
        || both.is_updated_between(number)
        || theirs.1.exited.is_some() && both.is_held_back(number);
    let lives = if theirs.1.exited.is_some() {
        both.theirs
    } else {
        both.own
    };
    let late = lives.waited(number) / 2;
    let has_time = had_time(both.plays, (one.0, other.0), at, late, number);
    let counts = has_time && !is_excused || goes_on(one.1, other);
    counts.then(|| {
        let name = both.name;
        format!("run {number} of {name} ends only {place}, at {at}")
    })
}

/// Whether a run goes on though one that ended by itself took less time: that is no matter of who has noticed what.
fn goes_on(ended: &Run, (account, run): (&Account, &Run)) -> bool {
    let by_itself = ended.exiting.filter(|_| ended.told().is_none());
    by_itself.is_some_and(|at| {
        let due = run.starting + at.since(ended.starting) + NOTICE;
        due <= account.horizon && run.told().is_none()
    })
}

/// Whoever is killed has been told before. Somebody who was told before it could hear anything has not heard it, such as one that a
/// kubelet begins in a pod that goes, without having heard of that.
fn kill(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let ended = theirs.exited.is_some() && own.exited.is_some();
    let untold = (theirs.is_killed_untold(), own.is_killed_untold());
    let killed = if untold.1 { own } else { theirs };
    let kubelet = both.plays.kubelet;
    let is_unaware = killed.starting >= kubelet.goes() && !untold.1;
    let lived = killed.exited?.since(killed.starting);
    // It was told as soon as it had begun, and has had its time.
    let grace = both.plays.terms.grace;
    let is_deaf = !untold.1 && grace <= lived && lived <= grace + WHOLE_SECONDS;
    let could_hear = lived > NOTICE && !is_unaware && !is_deaf;
    (ended && untold.0 != untold.1 && could_hear).then(|| {
        let place = if untold.1 { "here" } else { "on the kubelet" };
        let name = both.name;
        format!("run {number} of {name} is killed without a signal {place}")
    })
}

fn hooks(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Vec<String> {
    let name = both.name;
    // Whoever is stopped so that all are run again has no hook.
    let Plays { kubelet, ours, .. } = both.plays;
    let with_all = kubelet.is_stopped_with_all(theirs) || ours.is_stopped_with_all(own);
    let told = theirs.stopping.is_some() && own.stopping.is_some() && both.told_alike(number);
    let told = told && !with_all;
    let long = |account: &Account, run: &Run| {
        run.exited.unwrap_or(account.until).since(run.starting) >= SHORT
    };
    let hooks = [
        ("preStop", theirs.pre_stop, own.pre_stop, told),
        (
            "postStart",
            theirs.post_start,
            own.post_start,
            long(kubelet, theirs) && long(ours, own),
        ),
    ];
    let differ = hooks
        .into_iter()
        .filter(|(_, theirs, own, counts)| *counts && theirs.is_some() != own.is_some());
    let sentences = differ.map(|(hook, _, own, _)| {
        let place = if own.is_some() {
            "here"
        } else {
            "on the kubelet"
        };
        format!("run {number} of {name} has its {hook} hook only {place}")
    });
    sentences.collect()
}

/// Each hook is run once. A kubelet that forgets that it is stopping a container begins anew; nobody else does.
fn hooked_again(both: Both<'_>, number: usize, theirs: &Run, own: &Run) -> Option<String> {
    let differs = own.hooked_again.is_some() && theirs.hooked_again.is_none();
    differs.then(|| {
        let name = both.name;
        format!("a hook of run {number} of {name} is run twice here")
    })
}

/// Whether a run had the same chances in both plays.
fn is_comparable(both: Both<'_>, number: usize) -> bool {
    let Plays { kubelet, ours, .. } = both.plays;
    let late =
        outlives(number, both.theirs, kubelet.horizon) || outlives(number, both.own, ours.horizon);
    let killed = kubelet.last_main_killed();
    let is_with_pod = killed.is_some_and(|at| outlives(number, both.theirs, at));
    let alike = both.told_alike(number) && both.ended_alike(number);
    let run = both.theirs.runs.get(number - 1);
    let is_starting = run.is_some_and(|run| kubelet.is_starting_at_deletion(run));
    !kubelet.is_rebuilt()
        && !both.is_updated_between(number)
        && alike
        && !is_with_pod
        && !is_starting
        && (!late || both.plays.ran_alike())
}

/// Whether a run ended when the pod had been told to go, or goes on: how much time it had depends on who else was there.
fn outlives(number: usize, lives: &Lives, told: Tick) -> bool {
    let run = lives.runs.get(number - 1);
    run.is_some_and(|run| run.exited.is_none_or(|exited| exited >= told))
}

fn code(both: Both<'_>, number: usize, own: &Run) -> Option<String> {
    let key = u32::try_from(number).unwrap_or_default();
    let code = both.theirs.codes.get(&key)?;
    let name = both.name;
    let end = both.plays.ours.horizon;
    match both.own.codes.get(&key) {
        Some(other) if code == other => None,
        Some(other) => Some(format!(
            "run {number} of {name} ends with {code} on the kubelet and with {other} here"
        )),
        None if both.own.removed.contains(&key) => None,
        None => own
            .exited
            .is_some_and(|exited| exited + NOTICE < end)
            .then(|| {
                format!(
                    "run {number} of {name} ends with {code} on the kubelet and without a code here"
                )
            }),
    }
}

fn message(both: Both<'_>, number: usize) -> Option<String> {
    let key = u32::try_from(number).unwrap_or_default();
    let is_known = both.theirs.codes.contains_key(&key) && both.own.codes.contains_key(&key);
    let of = |lives: &Lives| lives.messages.get(&key).cloned().unwrap_or_default();
    let (theirs, own) = (of(both.theirs), of(both.own));
    (is_known && theirs != own).then(|| {
        let name = both.name;
        format!("run {number} of {name} says `{theirs}` on the kubelet and `{own}` here")
    })
}
