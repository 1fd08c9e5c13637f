//! Lays two plays of one pod side by side: a kubelet's and ours.
//!
//! Compared is what a rule decides: how often each container was started, in which order things happened that were
//! clearly apart in both plays, exit codes, the end of the pod. What lies closer together than a kubelet can be relied on
//! to notice is no evidence of anything, and the differences on purpose (`docs/differences.md`) are known here.

use super::account::{Account, COMES_BACK, HOOK_FAILED, Lives, PULL_WAITS, Run};
use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, Phase};
use pillion_simulator::Record;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

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

const CRASH_LOOP: &str = "CrashLoopBackOff";

/// What was so for less than this may not have been seen.
const GLIMPSE: Duration = Duration::from_secs(4);

/// What differs, in sentences.
pub fn compare(kubelet: &Record, ours: &Record) -> Vec<String> {
    let (kubelet, ours) = (Account::of(kubelet), Account::of(ours));
    // Where one of them had time for another run, the end is another one.
    let as_often = kubelet.containers.iter().all(|(name, theirs)| {
        let own = ours.containers.get(name);
        own.is_none_or(|own| own.runs.len() == theirs.runs.len())
    });
    let as_often = as_often
        && kubelet.containers.iter().all(|(name, theirs)| {
            let run = u32::try_from(theirs.runs.len()).unwrap_or_default();
            let own = ours.containers.get(name);
            own.is_none_or(|own| {
                let told = told_alike(run, (&kubelet, theirs), (&ours, own));
                told && ended_alike(run, theirs, own)
            })
        });
    let pod_killed = kubelet.last_main_killed();
    let as_often = as_often && pod_killed.is_none();
    let both_ended = as_often && kubelet.end.is_some() && ours.end.is_some();
    let on_the_verge = kubelet.is_on_the_verge() || ours.is_on_the_verge();
    let mut found = Vec::new();
    found.extend(ends(&kubelet, &ours, as_often));
    for (name, theirs) in &kubelet.containers {
        let Some(own) = ours.containers.get(name) else {
            continue;
        };
        found.extend(runs(name, (&kubelet, theirs), (&ours, own)));
        if !(kubelet.is_cut_short(theirs) || ours.is_cut_short(own) || kubelet.is_rebuilt()) {
            let is_comparable = |run: u32| {
                let late =
                    outlives(run, theirs, kubelet.horizon) || outlives(run, own, ours.horizon);
                let is_with_pod = pod_killed.is_some_and(|at| outlives(run, theirs, at));
                let told = told_alike(run, (&kubelet, theirs), (&ours, own));
                let alike = told && ended_alike(run, theirs, own);
                alike && (as_often || !late) && !is_with_pod
            };
            found.extend(codes(name, theirs, own, is_comparable));
            found.extend(messages(name, theirs, own, is_comparable));
        }
        let killed = theirs.was_killed(kubelet.horizon) || own.was_killed(ours.horizon);
        let killed = killed || kubelet.is_busy_at_an_end(theirs);
        let never_ran = theirs.runs.is_empty() && own.runs.is_empty();
        let is_moot = never_ran && on_the_verge;
        if !is_moot {
            found.extend(waits(name, theirs, own, killed));
        }
        if both_ended {
            if !(kubelet.is_cut_short(theirs) || ours.is_cut_short(own) || is_moot) {
                found.extend(last(name, theirs, own));
            }
            found.extend(restarts(name, theirs, own));
        }
    }
    found.extend(phases(&kubelet, &ours));
    let is_settled = |kind: ConditionKind| {
        let moot = matches!(
            kind,
            ConditionKind::Initialized | ConditionKind::AllContainersRestarting
        );
        !(moot && on_the_verge)
    };
    found.extend(conditions(&kubelet, &ours, is_settled));
    if both_ended && !is_cut_short(&kubelet) {
        found.extend(finally(&kubelet, &ours, is_settled));
    }
    found.extend(order(&kubelet, &ours));
    found
}

fn ends(kubelet: &Account, ours: &Account, as_often: bool) -> Option<String> {
    // Here a rule may start the last main again, and a probe's kill is never forgotten.
    let mut lives = kubelet.containers.values();
    let forgets = lives.any(|lives| is_forgotten((kubelet, lives)));
    let is_killed = kubelet.last_main_killed().is_some() || forgets;
    match (kubelet.end, ours.end) {
        (Some(_), Some(_)) if as_often && kubelet.phase != ours.phase && !is_cut_short(kubelet) => {
            let name = |account: &Account| account.phase.map_or("gone", |phase| phase.as_str());
            Some(format!(
                "the pod is {} on the kubelet and {} here",
                name(kubelet),
                name(ours)
            ))
        }
        (Some(at), None) if at + kubelet.drift(at, 4) < ours.horizon && !is_killed => Some(
            format!("the pod ends on the kubelet, at {at}, and does not here"),
        ),
        (None, Some(at)) if at + kubelet.drift(at, 4) < kubelet.horizon && !is_killed => Some(
            format!("the pod ends here, at {at}, and does not on the kubelet"),
        ),
        (Some(_) | None, Some(_) | None) => None,
    }
}

/// A kubelet that is told a shorter grace period does not shorten a stop that is under way; we do.
fn is_cut_short(account: &Account) -> bool {
    let mut lives = account.containers.values();
    lives.any(|lives| account.is_cut_short(lives))
}

/// A run that only one of them had counts if the other had the time for it.
fn runs(name: &str, kubelet: (&Account, &Lives), ours: (&Account, &Lives)) -> Option<String> {
    let counts = (kubelet.1.runs.len(), ours.1.runs.len());
    let (more, (other, fewer), place) = match counts.0.cmp(&counts.1) {
        Ordering::Equal => return None,
        Ordering::Greater => (kubelet.1, ours, "on the kubelet"),
        Ordering::Less => (ours.1, kubelet, "here"),
    };
    let number = fewer.runs.len();
    let at = more.runs.get(number)?.starting;
    let is_over = kubelet.0.last_main_killed().is_some() || is_forgotten(kubelet);
    let is_over = is_over
        || fewer
            .runs
            .iter()
            .any(|run| kubelet.0.is_busy_until_end(run));
    let is_passed_over = counts.0 < counts.1 && is_over || is_updated_between(kubelet, ours);
    if is_passed_over || at + kubelet.0.drift(at, number) > other.horizon {
        return None;
    }
    Some(format!(
        "{name} is started {} times on the kubelet and {} times here: run {} begins {place} at {at}",
        counts.0,
        counts.1,
        number + 1
    ))
}

/// Whether an image was exchanged after the end of a run in one play, and before it in the other: what has ended for good is
/// not started for it.
fn is_updated_between(kubelet: (&Account, &Lives), ours: (&Account, &Lives)) -> bool {
    let over = |(account, lives): (&Account, &Lives)| {
        let runs = lives.runs.iter();
        let over = runs.map(|run| account.was_over_at_update(run));
        over.collect::<Vec<_>>()
    };
    let (theirs, own) = (over(kubelet), over(ours));
    let mut both = theirs.iter().zip(&own);
    both.any(|(theirs, own)| theirs.is_some() && own.is_some() && theirs != own)
}

/// A kubelet that finds the container that a probe has killed in a back-off forgets why it ended, and takes a 0 for an end
/// as wanted. There is no back-off before the third run.
fn is_forgotten((kubelet, lives): (&Account, &Lives)) -> bool {
    let run = u32::try_from(lives.runs.len()).unwrap_or_default();
    let last = lives.runs.last();
    let killed = last.is_some_and(|run| run.is_killed(kubelet.horizon));
    run >= 3 && killed && lives.codes.get(&run) == Some(&0)
}

/// Whether a run ended when the pod had been told to go, or goes on: how much time it had depends on who else was there.
fn outlives(run: u32, lives: &Lives, told: Tick) -> bool {
    let place = usize::try_from(run).unwrap_or_default().checked_sub(1);
    let run = place.and_then(|place| lives.runs.get(place));
    run.is_some_and(|run| run.exited.is_none_or(|exited| exited >= told))
}

fn codes(
    name: &str,
    theirs: &Lives,
    own: &Lives,
    is_comparable: impl Fn(u32) -> bool,
) -> Vec<String> {
    let codes = theirs.codes.iter().filter(|(run, _)| is_comparable(**run));
    let both = codes.filter_map(|(run, code)| {
        let other = own.codes.get(run)?;
        (code != other).then(|| {
            format!("run {run} of {name} ends with {code} on the kubelet and with {other} here")
        })
    });
    both.collect()
}

/// Whether a run was told to stop before the pod was told to go in both plays, or after it: that gives it another time.
fn told_alike(run: u32, kubelet: (&Account, &Lives), ours: (&Account, &Lives)) -> bool {
    let place = usize::try_from(run).unwrap_or_default().checked_sub(1);
    let told = |(account, lives): (&Account, &Lives)| {
        let run = place.and_then(|place| lives.runs.get(place));
        run.and_then(|run| account.was_told_in_time(run))
    };
    told(kubelet) == told(ours)
}

/// Whether a run ended by itself in both plays, or was told to in both. What was told just before it would have ended by
/// itself ends in another way; so does what does not listen and would have ended by itself before it is killed.
fn ended_alike(run: u32, theirs: &Lives, own: &Lives) -> bool {
    let place = usize::try_from(run).unwrap_or_default().checked_sub(1);
    let run = |lives: &Lives| place.and_then(|place| lives.runs.get(place).copied());
    let told = |run: &Run| run.stopping.is_some();
    let (theirs, own) = (run(theirs), run(own));
    let stops = theirs.zip(own);
    let stops = stops.and_then(|(theirs, own)| theirs.stop().zip(own.stop()));
    let is_sooner = stops.is_some_and(|(theirs, own)| {
        let (killed, ended) = if theirs.1 {
            (theirs, own)
        } else {
            (own, theirs)
        };
        killed.1 && !ended.1 && ended.0 < killed.0
    });
    theirs.as_ref().map(told) == own.as_ref().map(told) && !is_sooner
}

fn last(name: &str, theirs: &Lives, own: &Lives) -> Option<String> {
    let run = u32::try_from(theirs.runs.len()).unwrap_or_default();
    if !ended_alike(run, theirs, own) {
        return None;
    }
    let (Some((_, their)), Some((_, our))) = (&theirs.last, &own.last) else {
        let word = |lives: &Lives| {
            lives
                .last
                .as_ref()
                .map_or("none", |(_, reason)| reason)
                .to_owned()
        };
        return (theirs.last.is_some() != own.last.is_some()).then(|| {
            format!(
                "the last end of {name} is {} on the kubelet and {} here",
                word(theirs),
                word(own)
            )
        });
    };
    (their != our).then(|| format!("the reason of {name} is {their} on the kubelet and {our} here"))
}

fn messages(
    name: &str,
    theirs: &Lives,
    own: &Lives,
    is_comparable: impl Fn(u32) -> bool,
) -> Vec<String> {
    let messages = theirs.messages.iter();
    let messages = messages.filter(|(run, _)| is_comparable(**run));
    let both = messages.filter_map(|(run, message)| {
        let other = own.messages.get(run)?;
        (message != other).then(|| {
            format!("run {run} of {name} says `{message}` on the kubelet and `{other}` here")
        })
    });
    both.collect()
}

fn restarts(name: &str, theirs: &Lives, own: &Lives) -> Option<String> {
    let differ = theirs.runs.len() == own.runs.len() && theirs.restarts != own.restarts;
    differ.then(|| {
        format!(
            "{name} has {} restarts on the kubelet and {} here, with as many runs",
            theirs.restarts, own.restarts
        )
    })
}

fn waits(name: &str, theirs: &Lives, own: &Lives, killed: bool) -> Vec<String> {
    let what = |reason: &&str| format!("{name} waits with `{reason}`");
    // What is shown before a node has told anything is no reason, and after a failed hook a kubelet takes its time. What is
    // owed after a kill counts from the end before, and is a matter of the moment.
    let told = |(reason, _): &(&&str, &Duration)| {
        !(matches!(**reason, "" | HOOK_FAILED) || killed && **reason == CRASH_LOOP)
    };
    let theirs: BTreeMap<_, _> = theirs.waits.iter().filter(told).collect();
    let own = own.waits.iter().filter(told);
    // A pull that fails in the middle of a start is shown when a kubelet comes back to the pod.
    let own = own.filter(|(reason, time)| {
        **reason != PULL_WAITS || **time > COMES_BACK || theirs.contains_key(reason)
    });
    only_in_one(&theirs, &own.collect(), what)
}

fn phases(kubelet: &Account, ours: &Account) -> Vec<String> {
    let what = |phase: &Phase| format!("the pod is {}", phase.as_str());
    only_in_one(
        &kubelet.phases.iter().collect(),
        &ours.phases.iter().collect(),
        what,
    )
}

fn conditions(
    kubelet: &Account,
    ours: &Account,
    is_settled: impl Fn(ConditionKind) -> bool,
) -> Vec<String> {
    let what = |kind: &ConditionKind| format!("{} holds", kind.as_str());
    let settled = |account: &'_ Account| {
        let all = account.conditions.clone().into_iter();
        all.filter(|(kind, _)| is_settled(*kind))
            .collect::<BTreeMap<_, _>>()
    };
    let (theirs, own) = (settled(kubelet), settled(ours));
    only_in_one(&theirs.iter().collect(), &own.iter().collect(), what)
}

/// What one of them showed for a while, and the other never.
fn only_in_one<K: Copy + Ord>(
    theirs: &BTreeMap<K, &Duration>,
    own: &BTreeMap<K, &Duration>,
    what: impl Fn(K) -> String,
) -> Vec<String> {
    let missing = |from: &BTreeMap<K, &Duration>, other: &BTreeMap<K, &Duration>, words: &str| {
        let long = from.iter().filter(|(_, time)| ***time > GLIMPSE);
        let missing = long.filter(|(key, _)| !other.contains_key(key));
        let sentences = missing.map(|(key, _)| format!("{} {words}", what(*key)));
        sentences.collect::<Vec<_>>()
    };
    let mut found = missing(theirs, own, "on the kubelet and never here");
    found.extend(missing(own, theirs, "here and never on the kubelet"));
    found
}

/// What is left to be seen of a pod that has ended.
fn finally(
    kubelet: &Account,
    ours: &Account,
    is_settled: impl Fn(ConditionKind) -> bool,
) -> Vec<String> {
    let settled = kubelet
        .finally
        .iter()
        .filter(|(kind, _)| is_settled(**kind));
    let both = settled.filter_map(|(kind, theirs)| {
        let own = ours.finally.get(kind)?;
        let word = |(status, reason): &(bool, Option<&str>)| {
            format!("{status} ({})", reason.unwrap_or("no reason"))
        };
        (theirs != own).then(|| {
            format!(
                "{} is {} at the end on the kubelet and {} here",
                kind.as_str(),
                word(theirs),
                word(own)
            )
        })
    });
    both.collect()
}

/// Two things that are clearly apart in both plays come in the same order.
fn order(kubelet: &Account, ours: &Account) -> Vec<String> {
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
            if flipped && clear && !is_on_purpose(kubelet, *one, *two) {
                found.push(format!(
                    "{one} at {their_one} on the kubelet, and {two} at {their_two}; here at {our_one} and {our_two}"
                ));
            }
        }
    }
    found
}

/// The order of stops in a pod that is deleted is ours where a kubelet has none: an init container goes before the sidecars
/// that it may use, and a sidecar that is down does not confuse those beside it.
fn is_on_purpose(kubelet: &Account, one: Event<'_>, two: Event<'_>) -> bool {
    let is_stop = |event: Event<'_>| event.what != What::Starts;
    let is_main = |event: Event<'_>| event.container.starts_with('m');
    let stops = is_stop(one) && is_stop(two) && !is_main(one) && !is_main(two);
    let late = |event: Event<'_>| time(kubelet, event).is_some_and(|at| at >= kubelet.horizon);
    stops && (late(one) || late(two))
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

#[cfg(test)]
mod tests;
