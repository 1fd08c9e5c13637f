//! Lays two plays of one pod side by side: a kubelet's and ours.
//!
//! Compared is what a rule decides: how often each container was started, in which order things happened that were
//! clearly apart in both plays, exit codes, the end of the pod. What lies closer together than a kubelet can be relied on
//! to notice is no evidence of anything, and the differences on purpose (`docs/differences.md`) are known here.

use super::account::{Account, Lives};
use pillion_engine::Tick;
use pillion_simulator::Record;
use std::cmp::Ordering;
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

/// A pod that was ready for less than this may not have been seen to be.
const GLIMPSE: Duration = Duration::from_secs(4);

/// What differs, in sentences.
pub fn compare(kubelet: &Record, ours: &Record) -> Vec<String> {
    let (kubelet, ours) = (Account::of(kubelet), Account::of(ours));
    let mut found = Vec::new();
    found.extend(ends(&kubelet, &ours));
    for (name, theirs) in &kubelet.containers {
        let Some(own) = ours.containers.get(name) else {
            continue;
        };
        found.extend(runs(name, (&kubelet, theirs), (&ours, own)));
        found.extend(codes(name, theirs, own));
        if kubelet.end.is_some() && ours.end.is_some() {
            found.extend(last(name, theirs, own));
        }
    }
    found.extend(readiness(&kubelet, &ours));
    found.extend(order(&kubelet, &ours));
    found
}

fn ends(kubelet: &Account, ours: &Account) -> Option<String> {
    match (kubelet.end, ours.end) {
        (Some(_), Some(_)) if kubelet.phase != ours.phase => {
            let name = |account: &Account| account.phase.map_or("gone", |phase| phase.as_str());
            Some(format!(
                "the pod is {} on the kubelet and {} here",
                name(kubelet),
                name(ours)
            ))
        }
        (Some(at), None) if at + kubelet.drift(at, 4) < ours.horizon => Some(format!(
            "the pod ends on the kubelet, at {at}, and does not here"
        )),
        (None, Some(at)) if at + kubelet.drift(at, 4) < kubelet.horizon => Some(format!(
            "the pod ends here, at {at}, and does not on the kubelet"
        )),
        (Some(_) | None, Some(_) | None) => None,
    }
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
    if at + kubelet.0.drift(at, number) > other.horizon {
        return None;
    }
    Some(format!(
        "{name} is started {} times on the kubelet and {} times here: run {} begins {place} at {at}",
        counts.0,
        counts.1,
        number + 1
    ))
}

fn codes(name: &str, theirs: &Lives, own: &Lives) -> Vec<String> {
    let both = theirs.codes.iter().filter_map(|(run, code)| {
        let other = own.codes.get(run)?;
        (code != other).then(|| {
            format!("run {run} of {name} ends with {code} on the kubelet and with {other} here")
        })
    });
    both.collect()
}

fn last(name: &str, theirs: &Lives, own: &Lives) -> Option<String> {
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

fn readiness(kubelet: &Account, ours: &Account) -> Option<String> {
    if kubelet.ready > GLIMPSE && ours.ready.is_zero() {
        return Some("the pod is ready on the kubelet and never here".to_owned());
    }
    if ours.ready > GLIMPSE && kubelet.ready.is_zero() {
        return Some("the pod is ready here and never on the kubelet".to_owned());
    }
    None
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
