//! In which order things happened.

use super::super::account::{Account, HOOK_FAILED, Lives, Run};
use super::super::role::{Role, place};
use super::{Both, Plays};
use pillion_engine::Tick;
use std::fmt;

/// Something that happened to a container.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Event<'a> {
    container: &'a str,
    what: What,
    /// From 1.
    run: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum What {
    Starts,
    IsToldToStop,
    Ends,
}

/// How much later one thing was than another, in seconds; less than nothing if it was earlier.
type Gap = f64;

/// Who is told when another has ended is told after it; clocks and pipes take their time.
const AFTER: Gap = -0.5;

/// Who is told so long before the end of another did not wait for it.
const BEFORE: Gap = -1.5;

/// So much longer a kubelet may take from one start to the next, or we.
const NEXT_START: Gap = 4.0;

/// What came in another order.
pub(super) fn all(plays: Plays<'_>) -> Vec<String> {
    let mut found = clearly_apart(plays);
    for one in plays.containers() {
        for other in plays.containers().filter(|other| other.name != one.name) {
            found.extend(stop_after_end(one, other));
            found.extend(first_start(one, other));
        }
    }
    found
}

/// Two things that are clearly apart in both plays come in the same order.
fn clearly_apart(plays: Plays<'_>) -> Vec<String> {
    let Plays { kubelet, ours, .. } = plays;
    let events: Vec<_> = events(kubelet)
        .into_iter()
        .filter_map(|(event, at)| Some((event, at, time(ours, event)?)))
        .collect();
    let mut found = Vec::new();
    for (place, (one, their_one, our_one)) in events.iter().enumerate() {
        for (two, their_two, our_two) in &events[place + 1..] {
            let run = one.run.max(two.run);
            let drift = kubelet.drift(*their_one.max(their_two), run);
            let apart = |a: &Tick, b: &Tick| a.since(*b).max(b.since(*a)) > drift;
            let flipped = (their_one < their_two) != (our_one < our_two);
            let clear = apart(their_one, their_two) && apart(our_one, our_two);
            let is_stop = |event: &Event<'_>| event.what != What::Starts;
            let are_late = *their_one.max(their_two) >= kubelet.horizon;
            let is_known = is_stop(one) && is_stop(two) && are_late;
            let is_known = is_known && is_on_purpose(kubelet, one.container, two.container);
            if flipped && clear && !is_known {
                found.push(format!(
                    "{one} at {their_one} on the kubelet, and {two} at {their_two}; here at {our_one} and {our_two}"
                ));
            }
        }
    }
    found
}

/// In a pod that goes, whoever waits for the end of another in one play does so in the other.
fn stop_after_end(one: Both<'_>, other: Both<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = one.plays;
    // Who is not up just then is not waited for.
    let mut waits = one.plays.containers();
    let is_restless =
        waits.any(|both| is_between(both.name, one.name, other.name) && both.is_restless());
    let is_known = is_restless || one.plays.stop_others();
    if one.is_cut_short() || other.is_cut_short() || is_known || !one.plays.go_alike() {
        return None;
    }
    let gap = |account: &Account, told: Option<&Run>, ended: Option<&Run>| {
        let (told, ended) = (told?, ended?);
        // Whoever is killed has used up the time of all, and those that are left are told with it; who ends during its hook ends
        // when it likes.
        let end = ended
            .exited
            .filter(|_| ended.exiting.is_some() && ended.stopping.is_some())?;
        let with_pod = |run: &Run| account.is_stopped_with_pod(run);
        let both = with_pod(told) && with_pod(ended);
        both.then_some(gap(told.stopping?, end))
    };
    let theirs = gap(kubelet, one.theirs.runs.last(), other.theirs.runs.last())?;
    let own = gap(ours, one.own.runs.last(), other.own.runs.last())?;
    let is_known = is_on_purpose(kubelet, one.name, other.name)
        || are_listed(one.name, other.name) && has_init_up(kubelet);
    (is_turned(theirs, own) && !is_known).then(|| {
        let (one, other) = (one.name, other.name);
        format!("{one} is told to stop {theirs:.1} s after the end of {other} on the kubelet, and {own:.1} s after it here")
    })
}

/// The pod is gone through in order: an init container ends, and any other starts, before the next one starts for the
/// first time, and about as long before it; and again when all were restarted.
fn first_start(one: Both<'_>, before: Both<'_>) -> Option<String> {
    if place(before.name) >= place(one.name) {
        return None;
    }
    let Plays { kubelet, ours, .. } = one.plays;
    let wait = |account: &Account, round, run: &Lives, target: &Lives| {
        let (run, target) = (
            account.in_round(round, run)?,
            account.in_round(round, target)?,
        );
        let from = if before.is(Role::Init) {
            target.exited?
        } else {
            target.starting
        };
        Some(gap(run.starting, from))
    };
    let rounds = ours.restarts_of_all.len();
    let are_the_same = kubelet.restarts_of_all.len() == rounds;
    let is_known = one.is_shifted() || before.is_shifted();
    let rounds = if are_the_same && !is_known { rounds } else { 0 };
    (0..=rounds).find_map(|round| {
        let theirs = wait(kubelet, round, one.theirs, before.theirs)?;
        let own = wait(ours, round, one.own, before.own)?;
        let is_far = round == 0 && is_next(one, before) && (theirs - own).abs() > NEXT_START;
        (is_turned(theirs, own) || is_far).then(|| {
            let what = if before.is(Role::Init) { "end" } else { "start" };
            let (one, before) = (one.name, before.name);
            let again = if round == 0 { "" } else { ", when all were restarted" };
            format!("{one} starts {theirs:.1} s after the {what} of {before} on the kubelet, and {own:.1} s after it here{again}")
        })
    })
}

/// Whether it follows the other in the list, and nothing else holds it up.
fn is_next(one: Both<'_>, before: Both<'_>) -> bool {
    let mut all = one.plays.containers();
    let has_failed = all.any(|both| {
        let waits = [&both.theirs.waits, &both.own.waits];
        let mut waits = waits.iter();
        waits.any(|waits| waits.longest().contains_key(HOOK_FAILED))
    });
    let is_steady = before.theirs.runs.len() == 1 && before.own.runs.len() == 1;
    let is_held_up = one.plays.kubelet.is_busy_before(one.theirs);
    place(before.name) + 1 == place(one.name) && is_steady && !has_failed && !is_held_up
}

/// Whether one of them waited, and the other did not.
fn is_turned(theirs: Gap, own: Gap) -> bool {
    (theirs > AFTER && own < BEFORE) || (own > AFTER && theirs < BEFORE)
}

fn gap(at: Tick, from: Tick) -> Gap {
    at.elapsed().as_secs_f64() - from.elapsed().as_secs_f64()
}

/// The order of stops in a pod that goes is ours where a kubelet has none: an init container goes before the sidecars
/// that it may use, and a sidecar that is down does not confuse those beside it.
fn is_on_purpose(kubelet: &Account, one: &str, two: &str) -> bool {
    let is_init = Role::Init.is_of(one) || Role::Init.is_of(two);
    are_listed(one, two) && (is_init || has_one_down(kubelet, one, two))
}

/// Whether both are in the list that comes first.
fn are_listed(one: &str, two: &str) -> bool {
    !Role::Main.is_of(one) && !Role::Main.is_of(two)
}

/// Whether an init container was up when the pod began to go. It goes before the sidecars here, and may leave them no time.
fn has_init_up(kubelet: &Account) -> bool {
    let mut all = kubelet.containers.iter();
    all.any(|(name, lives)| Role::Init.is_of(name) && !kubelet.is_down_then(lives))
}

/// Whether a container of a pod that goes has the place in the order of stops that a kubelet would give it, too: see
/// above.
pub(super) fn keeps_its_turn(kubelet: &Account, name: &str) -> bool {
    let mut others = kubelet.containers.iter();
    Role::Main.is_of(name)
        || !others.any(|(other, lives)| {
            let is_down = kubelet.is_down_then(lives);
            let is_init_up = Role::Init.is_of(other) && !is_down;
            is_init_up || Role::Sidecar.is_of(other) && is_down
        })
}

/// Whether a sidecar of those in the list from one to the other was down when the pod began to go.
fn has_one_down(kubelet: &Account, one: &str, two: &str) -> bool {
    let mut all = kubelet.containers.iter();
    all.any(|(name, lives)| {
        let is_between = Role::Sidecar.is_of(name) && is_between(name, one, two);
        is_between && kubelet.is_down_then(lives)
    })
}

/// Whether it is one of two, or stands between them in the pod.
fn is_between(name: &str, one: &str, two: &str) -> bool {
    let (one, two) = (place(one), place(two));
    (one.min(two)..=one.max(two)).contains(&place(name))
}

fn events(account: &Account) -> Vec<(Event<'_>, Tick)> {
    let mut events = Vec::new();
    for (container, lives) in &account.containers {
        for (place, run) in lives.runs.iter().enumerate() {
            let event = |what| Event {
                container,
                what,
                run: place + 1,
            };
            events.push((event(What::Starts), run.starting));
            events.extend(run.stopping.map(|at| (event(What::IsToldToStop), at)));
            events.extend(run.exited.map(|at| (event(What::Ends), at)));
        }
    }
    events
}

fn time(account: &Account, event: Event<'_>) -> Option<Tick> {
    let run = account
        .containers
        .get(event.container)?
        .runs
        .get(event.run - 1)?;
    match event.what {
        What::Starts => Some(run.starting),
        What::IsToldToStop => run.stopping,
        What::Ends => run.exited,
    }
}

// === impl Event ===

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            container,
            what,
            run,
        } = self;
        let what = match what {
            What::Starts => "starts",
            What::IsToldToStop => "is told to stop",
            What::Ends => "ends",
        };
        write!(f, "{container} {what} (run {run})")
    }
}
