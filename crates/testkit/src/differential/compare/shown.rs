//! What is shown: reasons for waiting, restart counts, last ends, phases and conditions.

use super::super::account::{
    Account, COMES_BACK, GLIMPSE, HOOK_FAILED, Lives, NOTICE, PULL_WAITS, Run, Standing,
};
use super::super::role::Role;
use super::{Both, Plays};
use crate::kubelet::UNPULLABLE;
use pillion_engine::status::{ConditionKind, Phase};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const CRASH_LOOP: &str = "CrashLoopBackOff";

const READY: &str = "ready";

/// Random pods have probes that are made once in so long.
const A_PERIOD: Duration = Duration::from_secs(1);

/// What is shown of a container.
pub(super) fn of_container(both: Both<'_>) -> Vec<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let never_ran = both.theirs.runs.is_empty() && both.own.runs.is_empty();
    let is_moot = both.plays.is_on_the_verge() || both.plays.is_initializing();
    let is_moot = never_ran && is_moot;
    let mut found = Vec::new();
    if !is_moot {
        found.extend(waits(both));
    }
    found.extend(stands(both));
    found.extend(first_stood(both));
    if !both.ran_alike() || kubelet.last_main_killed().is_some() {
        return found;
    }
    // How much time is left for one that stops depends on who else is there.
    let ended = kubelet.end.is_some() && ours.end.is_some() && both.plays.ran_alike();
    let is_moot = is_moot || both.plays.may_restart_all_at_deletion();
    if ended && !both.is_cut_short() && !is_moot {
        found.extend(last(both));
    }
    // A pod may be deleted before it is shown that all were restarted.
    let are_restarted = kubelet.has_restarted_all() || ours.has_restarted_all();
    let is_counted = !(kubelet.is_deleted && are_restarted);
    // They are counted when it is removed, and not when the next run begins.
    let is_counted = is_counted && (!are_restarted || both.plays.have_settled());
    // A kubelet begins the next run in the same breath in which it has killed one.
    let is_moot = kubelet.ends_at_deletion(both.theirs)
        || ours.ends_at_deletion(both.own)
        || kubelet.is_killed_while_it_goes(both.theirs);
    if is_counted && has_been_shown(both) && !is_moot {
        found.extend(restarts(both));
    }
    if both.plays.have_settled() && !both.is_updated_between(usize::MAX) {
        found.extend(image(both));
    }
    found
}

/// What is shown of the pod.
pub(super) fn of_pod(plays: Plays<'_>) -> Vec<String> {
    let mut found = Vec::new();
    // What never ran keeps the pod from being shown as initialized, or as running.
    if !plays.containers().any(Both::ran_in_one) {
        found.extend(phases(plays));
        found.extend(conditions(plays));
    }
    if !plays.ran_alike() {
        return found;
    }
    found.extend(lapses(plays));
    if !plays.is_cut_short() && plays.have_settled() {
        found.extend(finally(plays));
    }
    found
}

// === impl Plays ===

impl Plays<'_> {
    /// Whether something happened at about the time at which the pod was told to go. A kubelet goes on asking sidecars whether
    /// they have started, and when one has, the pod is initialized.
    fn is_on_the_verge(self) -> bool {
        let Self { kubelet, ours, .. } = self;
        kubelet.is_on_the_verge() || ours.is_on_the_verge() || kubelet.starts_up_late
    }

    /// Whether all were being restarted when the pod was told to go, or a container that can bring that about ended at about that time.
    fn may_restart_all_at_deletion(self) -> bool {
        let Self {
            terms,
            kubelet,
            ours,
        } = self;
        let mut restarters = self
            .containers()
            .filter(|both| terms.restarters.contains(both.name));
        kubelet.is_restarting_at_deletion()
            || ours.is_restarting_at_deletion()
            || restarters.any(|both| {
                kubelet.ends_at_deletion(both.theirs) || ours.ends_at_deletion(both.own)
            })
    }

    /// Whether nothing more was to come in either play: the pods have ended, or nothing happened for a while.
    fn have_settled(self) -> bool {
        let ended = self.kubelet.end.is_some() && self.ours.end.is_some();
        ended || is_quiet(self.kubelet) && is_quiet(self.ours)
    }

    /// Whether it is no matter of the moment what a condition is.
    fn is_sure_of(self, kind: ConditionKind) -> bool {
        let is_moot = matches!(
            kind,
            ConditionKind::Initialized | ConditionKind::AllContainersRestarting
        );
        let is_initialized = kind == ConditionKind::Initialized;
        !(is_moot && self.is_on_the_verge() || is_initialized && self.is_initializing())
    }

    /// Whether a kubelet waited for the hook of a sidecar when the pod was told to go: then that has started.
    fn is_initializing(self) -> bool {
        let mut containers = self.containers();
        containers.any(|both| {
            let last = both.theirs.runs.last();
            both.is(Role::Sidecar)
                && last.is_some_and(|run| self.kubelet.is_starting_at_deletion(run))
        })
    }
}

fn is_ready(kind: ConditionKind) -> bool {
    matches!(kind, ConditionKind::Ready | ConditionKind::ContainersReady)
}

/// Whether nothing happened for a while before watching ended.
fn is_quiet(account: &Account) -> bool {
    let mut runs = account.containers.values().flat_map(|lives| &lives.runs);
    let until = account.horizon;
    account.end.is_none()
        && !account.is_deleted
        && runs.all(|run| {
            let times = [Some(run.starting), run.pre_stop, run.stopping, run.exited];
            let mut times = times.into_iter().flatten();
            times.all(|at| at + GLIMPSE + NOTICE < until)
        })
}

/// Whether there was time to show that the last run of a container began.
fn has_been_shown(both: Both<'_>) -> bool {
    let Plays { kubelet, ours, .. } = both.plays;
    let shown = |account: &Account, lives: &Lives| {
        let until = account.end.unwrap_or(account.horizon);
        let is_old = |run: &Run| run.up().is_some_and(|up| up + GLIMPSE + NOTICE < until);
        account.end.is_some() || lives.runs.last().is_none_or(is_old)
    };
    shown(kubelet, both.theirs) && shown(ours, both.own)
}

fn waits(both: Both<'_>) -> Vec<String> {
    let Plays { kubelet, ours, .. } = both.plays;
    let what = |reason: &&str| format!("{} waits with `{reason}`", both.name);
    let killed = both.theirs.was_killed(kubelet.horizon) || both.own.was_killed(ours.horizon);
    let killed = killed || kubelet.is_busy_at_an_end(both.theirs);
    // What is shown before a node has told anything is no reason, and after a failed hook a kubelet takes its time. What is
    // owed after a kill counts from the end before, and is a matter of the moment.
    let told = |(reason, _): &(&&str, &Duration)| {
        !(matches!(**reason, "" | HOOK_FAILED) || killed && **reason == CRASH_LOOP)
    };
    let theirs: BTreeMap<_, _> = both.theirs.waits.longest().iter().filter(told).collect();
    let own = both.own.waits.longest().iter().filter(told);
    // A pull that fails in the middle of a start, and a back-off, are shown when a kubelet comes back to the pod: it looks again by
    // itself, or because something else happens in it.
    let looked = kubelet.looks_in_a_wait(both.name, both.theirs);
    let own = own.filter(|(reason, time)| {
        let is_late = **reason == PULL_WAITS || **reason == CRASH_LOOP && !looked;
        !is_late || **time > COMES_BACK || theirs.contains_key(reason)
    });
    only_in_one(kubelet, &theirs, &own.collect(), what)
}

fn last(both: Both<'_>) -> Option<String> {
    let word = |lives: &Lives| {
        let last = lives.last.as_ref();
        last.map_or("none", |(_, reason)| reason).to_owned()
    };
    let (theirs, own) = (word(both.theirs), word(both.own));
    (theirs != own).then(|| {
        let name = both.name;
        format!("the reason of {name}'s last end is {theirs} on the kubelet and {own} here")
    })
}

fn restarts(both: Both<'_>) -> Option<String> {
    let (theirs, own) = (both.theirs.restarts, both.own.restarts);
    (theirs != own).then(|| {
        let name = both.name;
        format!("{name} has {theirs} restarts on the kubelet and {own} here, with as many runs")
    })
}

/// Whether it was shown as ready, and as started.
fn stands(both: Both<'_>) -> Vec<String> {
    let what = |word: &&str| format!("{} is shown as {word}", both.name);
    let kubelet = both.plays.kubelet;
    // How far everybody had come when all were restarted is a matter of the moment.
    if kubelet.has_restarted_all() && !both.plays.ran_alike() {
        return Vec::new();
    }
    let theirs = both.theirs.stands.longest().iter();
    let shown_here = both.own.stands.longest();
    let counts_on = |word: &str| word == READY && both.counts_on();
    let theirs = theirs.filter(|(word, _)| !counts_on(word) || shown_here.contains_key(*word));
    let theirs: BTreeMap<_, _> = theirs.collect();
    let could_show = kubelet.could_show(both.theirs, GLIMPSE);
    let own = shown_here.iter();
    let own = own.filter(|(word, _)| could_show || theirs.contains_key(word));
    only_in_one(kubelet, &theirs, &own.collect(), what)
}

/// Its first run is shown as ready, and as started, at about the same age in both.
fn first_stood(both: Both<'_>) -> Vec<String> {
    let kubelet = both.plays.kubelet;
    let age = |lives: &Lives, word: &str| {
        let (restarts, at) = lives.first_stood.get(word)?;
        let first = lives.runs.first().filter(|_| *restarts == 0)?;
        Some(at.since(first.starting))
    };
    // Whoever asks several times does so at shorter intervals here, and a kubelet asks once more whenever it comes to the pod.
    let is_patient = both.plays.terms.patient.contains(both.name);
    let differs = |word: &&str| {
        if *word == READY && is_patient {
            return None;
        }
        let (theirs, own) = (age(both.theirs, word)?, age(both.own, word)?);
        let first = both.theirs.runs.first()?;
        let is_early = theirs > kubelet.at_the_latest(first, own + A_PERIOD);
        let is_late = own > theirs + NOTICE;
        let (theirs, own) = (theirs.as_secs_f64(), own.as_secs_f64());
        (is_early || is_late).then(|| {
            let name = both.name;
            format!("{name} is first shown as {word} {theirs:.1} s after its start on the kubelet, and {own:.1} s after it here")
        })
    };
    both.own.first_stood.keys().filter_map(differs).collect()
}

fn image(both: Both<'_>) -> Option<String> {
    let images = both.theirs.image.as_deref().zip(both.own.image.as_deref());
    // In virtual time an image is missing whatever it is called.
    let images = images.filter(|(theirs, own)| *theirs != UNPULLABLE && theirs != own);
    images.map(|(theirs, own)| {
        let name = both.name;
        format!("{name} has the image {theirs} at the end on the kubelet, and {own} here")
    })
}

fn phases(plays: Plays<'_>) -> Vec<String> {
    let Plays { kubelet, ours, .. } = plays;
    let what = |phase: &Phase| format!("the pod is {}", phase.as_str());
    let theirs = kubelet.phases.longest().iter().collect();
    let own = ours.phases.longest().iter().collect();
    only_in_one(kubelet, &theirs, &own, what)
}

fn conditions(plays: Plays<'_>) -> Vec<String> {
    let what = |(kind, holds, reason): &Standing| {
        let verb = if *holds { "holds" } else { "does not hold" };
        let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        format!("{} {verb}{reason}", kind.as_str())
    };
    let sure = |account: &'_ Account| {
        let all = account.conditions.longest().clone().into_iter();
        let sure = all.filter(|((kind, ..), _)| plays.is_sure_of(*kind));
        sure.collect::<BTreeMap<_, _>>()
    };
    let (mut theirs, own) = (sure(plays.kubelet), sure(plays.ours));
    if plays.containers().any(Both::counts_on) {
        theirs.retain(|standing, _| {
            let (kind, holds, _) = standing;
            !(*holds && is_ready(*kind)) || own.contains_key(standing)
        });
    }
    let (theirs, own) = (theirs.iter().collect(), own.iter().collect());
    only_in_one(plays.kubelet, &theirs, &own, what)
}

/// What held for a while in both, and then did not any more.
fn lapses(plays: Plays<'_>) -> Vec<String> {
    let what = |kind: &ConditionKind| format!("{} is lost", kind.as_str());
    let held = |account: &Account, kind: ConditionKind| {
        let held = account.conditions.longest().iter();
        let held = held.filter(|((other, holds, _), _)| *holds && *other == kind);
        held.map(|(_, time)| *time).sum::<Duration>() > GLIMPSE
    };
    // That all are restarted passes by itself.
    let in_both = |(kind, _): &(&ConditionKind, &Duration)| {
        let passes = **kind == ConditionKind::AllContainersRestarting;
        !passes && held(plays.kubelet, **kind) && held(plays.ours, **kind)
    };
    let (theirs, own) = (plays.kubelet.lapses.iter(), plays.ours.lapses.iter());
    let (theirs, own) = (theirs.filter(in_both), own.filter(in_both));
    only_in_one(plays.kubelet, &theirs.collect(), &own.collect(), what)
}

/// What one of them showed for a while, and the other never. A kubelet that is busy with one container shows nothing new of the
/// pod until it is through.
fn only_in_one<K: Copy + Ord>(
    kubelet: &Account,
    theirs: &BTreeMap<K, &Duration>,
    own: &BTreeMap<K, &Duration>,
    what: impl Fn(K) -> String,
) -> Vec<String> {
    let missing = |from: &BTreeMap<K, &Duration>,
                   other: &BTreeMap<K, &Duration>,
                   glimpse: Duration,
                   words: &str| {
        let long = from.iter().filter(|(_, time)| ***time > glimpse);
        let missing = long.filter(|(key, _)| !other.contains_key(key));
        let sentences = missing.map(|(key, _)| format!("{} {words}", what(*key)));
        sentences.collect::<Vec<_>>()
    };
    let mut found = missing(theirs, own, GLIMPSE, "on the kubelet and never here");
    let busy = GLIMPSE + kubelet.busy_time();
    found.extend(missing(own, theirs, busy, "here and never on the kubelet"));
    found
}

/// What is left to be seen in the end.
fn finally(plays: Plays<'_>) -> Vec<String> {
    let Plays { kubelet, ours, .. } = plays;
    // Probes of containers that run on come and go.
    let goes_on = kubelet.end.is_none();
    let is_sure = |kind: &ConditionKind| plays.is_sure_of(*kind) && !(goes_on && is_ready(*kind));
    let kinds: BTreeSet<_> = kubelet.finally.keys().chain(ours.finally.keys()).collect();
    let word = |account: &Account, kind: &ConditionKind| match account.finally.get(kind) {
        Some((status, reason)) => format!("{status} ({})", reason.unwrap_or("no reason")),
        None => "not there".to_owned(),
    };
    let sure = kinds.into_iter().filter(|kind| is_sure(kind));
    let both = sure.filter_map(|kind| {
        let (theirs, own) = (word(kubelet, kind), word(ours, kind));
        let what = kind.as_str();
        (theirs != own)
            .then(|| format!("{what} is {theirs} at the end on the kubelet and {own} here"))
    });
    both.collect()
}
