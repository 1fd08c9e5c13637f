//! Lays two plays of one pod side by side: a kubelet's and ours.
//!
//! Compared is what a rule decides: how often each container was started, hooks, signals, exit codes and last words, in
//! which order things happened, what was shown of them, the end of the pod. Where both plays have something of their own time,
//! it is compared inside each play (who was told while who was still up); what lies closer together than a kubelet can be
//! relied on to notice is no evidence of anything. The differences on purpose are known here, and what is passed over for
//! other reasons stands in `docs/differences.md`, too.

mod order;
mod runs;
mod shown;
mod stops;

use super::account::{Account, Lives, NOTICE, PULL_WAITS, Run, Whose};
use super::role::Role;
use super::terms::Terms;
use pillion_engine::Tick;
use pillion_simulator::Record;
use std::fmt;
use std::iter::successors;
use std::time::Duration;

/// Two plays of one pod.
#[derive(Clone, Copy)]
struct Plays<'a> {
    terms: &'a Terms,
    kubelet: &'a Account,
    ours: &'a Account,
}

/// One container in both.
#[derive(Clone, Copy)]
struct Both<'a> {
    name: &'a str,
    plays: Plays<'a>,
    theirs: &'a Lives,
    own: &'a Lives,
}

/// What came of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Compared {
    /// What differs, in sentences.
    pub found: Vec<String>,
    /// Where the plays went different ways, so that what came after that was passed over; nothing if they went the same way to
    /// their ends.
    pub parting: Option<Parting>,
}

/// Where two plays go different ways for a reason that is known.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Parting {
    /// A probe has killed the last main: a kubelet takes that for the end of the pod.
    LastMainKilled,
    /// The moment of an exchange, or of a restart of all, has found a container in another run.
    BetweenRuns,
    /// A container ran more often in one of them.
    MoreRuns,
    /// The last run of a container was told to stop in one of them, and ended by itself in the other, or at another time.
    OtherEnd,
    /// A deletion has left less time for a stop that was under way.
    CutShort,
    /// What runs the containers of a kubelet did not answer when the pod was deleted.
    StoodStill,
    /// Others were up when the pod began to go.
    OthersUp,
}

/// Compares two plays of one pod.
pub fn compare(terms: &Terms, kubelet: &Record, ours: &Record) -> Compared {
    let plays = Plays {
        terms,
        kubelet: &Account::of(Whose::Kubelets, terms, kubelet),
        ours: &Account::of(Whose::Ours, terms, ours),
    };
    Compared {
        found: differences(plays),
        parting: plays.parting(),
    }
}

fn differences(plays: Plays<'_>) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(strangers(plays));
    found.extend(ends(plays));
    for both in plays.containers() {
        if !both.is_shifted() {
            found.extend(runs::all(both));
            found.extend(stops::of_container(both));
        }
        found.extend(shown::of_container(both));
    }
    found.extend(stops::of_pod(plays));
    found.extend(shown::of_pod(plays));
    found.extend(order::all(plays));
    found
}

/// Both have the same containers, and are told of all of them.
fn strangers(plays: Plays<'_>) -> Option<String> {
    let names = |account: &Account| account.containers.keys().cloned().collect::<Vec<_>>();
    let (theirs, own) = (names(plays.kubelet), names(plays.ours));
    (theirs != own).then(|| {
        let (theirs, own) = (theirs.join(" "), own.join(" "));
        format!("the containers of the pod are {theirs} on the kubelet and {own} here")
    })
}

fn ends(plays: Plays<'_>) -> Option<String> {
    let Plays { kubelet, ours, .. } = plays;
    if let (Some(_), Some(_)) = (kubelet.end, ours.end)
        && kubelet.phase != ours.phase
        && plays.have_same_result()
    {
        let name = |account: &Account| account.phase.map_or("gone", |phase| phase.as_str());
        return Some(format!(
            "the pod is {} on the kubelet and {} here",
            name(kubelet),
            name(ours)
        ));
    }
    let goes_on = kubelet.end.is_some() && ours.end.is_none();
    if goes_on && ours.is_deleted && ours.horizon + LONGEST_STOP < ours.until {
        return Some(format!(
            "the pod is deleted here, at {}, and does not end",
            ours.horizon
        ));
    }
    let pairs = [
        (kubelet, ours, "on the kubelet", "here"),
        (ours, kubelet, "here", "on the kubelet"),
    ];
    pairs
        .into_iter()
        .find_map(|(one, other, place, elsewhere)| {
            // That is so long after the first start.
            if one.is_deleted && !other.is_deleted && other.end.is_none() {
                return Some(format!("nothing is started {elsewhere}"));
            }
            let at = one.end_by_itself()?;
            let waits = elsewhere != "here" && kubelet.waits_to_complete(&plays.terms.slow);
            let counts = !plays.go_on_for_a_reason()
                && !waits
                && had_time(
                    plays,
                    (one, other),
                    at,
                    Duration::ZERO,
                    one.most_runs_until(at),
                );
            counts.then(|| format!("the pod ends {place}, at {at}, and does not {elsewhere}"))
        })
}

// === impl Parting ===

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LastMainKilled => "a probe had killed the last main",
            Self::BetweenRuns => {
                "an exchange, or a restart of all, had found a container in another run"
            }
            Self::MoreRuns => "a container had run more often in one of the two",
            Self::OtherEnd => {
                "a container had ended by itself in one, and was stopped in the other"
            }
            Self::CutShort => "a deletion had left less time",
            Self::StoodStill => "what runs a kubelet's containers had stood still",
            Self::OthersUp => "others were up when the pod began to go",
        })
    }
}

// === impl Plays ===

impl<'a> Plays<'a> {
    /// Those that are in both.
    fn containers(self) -> impl Iterator<Item = Both<'a>> {
        let theirs = self.kubelet.containers.iter();
        theirs.filter_map(move |(name, theirs)| {
            Some(Both {
                name,
                plays: self,
                theirs,
                own: self.ours.containers.get(name)?,
            })
        })
    }

    /// Where they part, if they do.
    fn parting(self) -> Option<Parting> {
        let any = |is_so: fn(Both<'_>) -> bool| self.containers().any(is_so);
        if self.kubelet.last_main_killed().is_some() {
            Some(Parting::LastMainKilled)
        } else if any(|both| both.is_shifted() || both.is_updated_between(usize::MAX)) {
            Some(Parting::BetweenRuns)
        } else if any(|both| !both.ran_as_often()) {
            Some(Parting::MoreRuns)
        } else if !self.ran_alike() {
            Some(Parting::OtherEnd)
        } else if self.is_cut_short() {
            Some(Parting::CutShort)
        } else if self.kubelet.stood_still() {
            Some(Parting::StoodStill)
        } else {
            self.stop_others().then_some(Parting::OthersUp)
        }
    }

    /// Whether the same was run, and ended in the same way. Where one of them had time for another run, the end is another.
    fn ran_alike(self) -> bool {
        self.kubelet.last_main_killed().is_none() && self.containers().all(Both::ran_alike)
    }

    /// Whether a pod may have ended by itself in one of them, and not in the other.
    fn go_on_for_a_reason(self) -> bool {
        let goes_on = |both: Both<'_>| {
            let last = both.theirs.runs.len().min(both.own.runs.len());
            // Here a probe's kill is never forgotten.
            both.is_forgotten()
                || both.is_updated_between(last)
                || both.is_shifted()
                || both.is_held_back(last + 1)
                || both.is_close_call(last)
                || !both.ended_alike(last)
        };
        // Sidecars do not decide that. Here a rule may start the last main again.
        let mut deciding = self.containers().filter(|both| !both.is(Role::Sidecar));
        self.kubelet.last_main_killed().is_some()
            || self.restart_all_in_one()
            || deciding.any(goes_on)
    }

    /// Whether all were restarted in one of them only, because a container had ended there in another way: the rule counts for one
    /// that ended by itself, and not for one that was stopped.
    fn restart_all_in_one(self) -> bool {
        let is_in_one = self.kubelet.has_restarted_all() != self.ours.has_restarted_all();
        let by_itself = |run: &Run| run.exited.is_some() && run.told().is_none();
        let is_cut_off = |run: &Run| run.exited.is_some() && run.exiting.is_none();
        let parts = |both: Both<'_>| {
            let mut runs = both.runs();
            let can_restart = self.terms.restarters.contains(both.name);
            can_restart
                && runs.any(|(_, theirs, own)| {
                    let (one, other) = if self.kubelet.has_restarted_all() {
                        (theirs, own)
                    } else {
                        (own, theirs)
                    };
                    by_itself(one) && (other.told().is_some() || is_cut_off(other))
                        || one.exiting.is_some() && is_cut_off(other)
                })
        };
        is_in_one && self.containers().any(parts)
    }

    /// Whether what counts for the pod's result was the same in both.
    fn have_same_result(self) -> bool {
        // Sidecars do not decide it.
        let mut deciding = self.containers().filter(|both| !both.is(Role::Sidecar));
        let is_alike = |both: Both<'_>| both.ran_alike() && !both.is_cut_short();
        self.kubelet.last_main_killed().is_none() && deciding.all(is_alike)
    }

    fn is_cut_short(self) -> bool {
        self.containers().any(Both::is_cut_short)
    }

    /// Whether an image cannot be pulled, as both may have seen.
    fn lacks_an_image(self) -> bool {
        let has_failed = |lives: &Lives| lives.waits.longest().contains_key(PULL_WAITS);
        let mut containers = self.containers();
        containers.any(|both| has_failed(both.theirs) || has_failed(both.own))
    }

    /// Whether a run lived to see the grace period made shorter, in one of them.
    fn cut_short(self, theirs: &Run, own: &Run) -> bool {
        self.kubelet.is_cut_short(theirs) || self.ours.is_cut_short(own)
    }

    /// Whether others were there when the pod was stopped, had been told before, or were still to be started: who waits for
    /// whom, and how much is left for them, is another matter then.
    fn stop_others(self) -> bool {
        let differs = |both: Both<'_>| {
            let runs = both.theirs.runs.len().min(both.own.runs.len());
            let last = both.theirs.runs.last();
            let is_starting = last.is_some_and(|run| self.kubelet.is_starting_at_deletion(run));
            is_starting
                || self.kubelet.is_killed_while_it_goes(both.theirs)
                || both.is_there_in_one()
                || !both.told_alike(runs)
        };
        let are_stopped = self.kubelet.is_deleted || self.have_completed();
        are_stopped && (self.kubelet.stood_still() || self.containers().any(differs))
    }

    /// Whether the last main ended, and nobody told the pod to go.
    fn have_completed(self) -> bool {
        let has = |account: &Account| account.completed().is_some() && !account.is_deleted;
        has(self.kubelet) && has(self.ours)
    }

    /// Whether the pod was told to go in both, or ended by itself in both: then it is stopped in the same order.
    fn go_alike(self) -> bool {
        let is_deleted = self.kubelet.is_deleted && self.ours.is_deleted;
        // A kubelet takes a probe's kill of the last main for the end of the pod.
        is_deleted || self.have_completed() && self.kubelet.last_main_killed().is_none()
    }
}

// === impl Both ===

impl Both<'_> {
    fn is(self, role: Role) -> bool {
        role.is_of(self.name)
    }

    fn runs(&self) -> impl Iterator<Item = (usize, &Run, &Run)> {
        let runs = self.theirs.runs.iter().zip(&self.own.runs);
        (1..)
            .zip(runs)
            .map(|(number, (theirs, own))| (number, theirs, own))
    }

    /// Whether it was ever started in one of them only.
    fn ran_in_one(self) -> bool {
        self.theirs.runs.is_empty() != self.own.runs.is_empty()
    }

    fn ran_as_often(self) -> bool {
        self.theirs.runs.len() == self.own.runs.len()
    }

    /// Whether it ran as often, and the last run ended in the same way.
    fn ran_alike(self) -> bool {
        let last = self.theirs.runs.len();
        self.ran_as_often() && self.told_alike(last) && self.ended_alike(last)
    }

    /// A kubelet that is told a shorter grace period does not shorten a stop that is under way; we do.
    fn is_cut_short(self) -> bool {
        self.runs()
            .any(|(_, theirs, own)| self.plays.cut_short(theirs, own))
    }

    /// A kubelet that finds the container that a probe has killed in a back-off forgets why it ended, and takes a 0 for an
    /// end as wanted, if it runs the container again on failure only. There is no back-off before the third run.
    fn is_forgotten(self) -> bool {
        let Self { name, theirs, .. } = self;
        let Plays { terms, kubelet, .. } = self.plays;
        let run = u32::try_from(theirs.runs.len()).unwrap_or_default();
        let last = theirs.runs.last();
        let killed = last.is_some_and(|run| kubelet.is_killed_by_probe(name, theirs, run));
        let is_well = theirs.codes.get(&run) == Some(&0);
        run >= 3 && killed && is_well && terms.on_failure.contains(name)
    }

    /// A kubelet counts what a readiness probe has said in a row over the ends of runs.
    fn counts_on(self) -> bool {
        self.theirs.runs.len() > 1 && self.plays.terms.patient.contains(self.name)
    }

    /// So it does with what the probes that can kill have said, if they have not killed the run before: they kill the next one sooner.
    fn is_killed_for_the_run_before(self, number: usize) -> bool {
        let Self { name, theirs, .. } = self;
        let Plays { terms, kubelet, .. } = self.plays;
        let before = number
            .checked_sub(2)
            .and_then(|place| theirs.runs.get(place));
        let goes_on = before.is_some_and(|run| !kubelet.is_killed_by_probe(name, theirs, run));
        goes_on && terms.tolerated.contains(name)
    }

    /// Whether it is a matter of the moment if the back-off of a container that a probe has killed is over at once, because the
    /// container has lived about as long: it counts from the end of the run before.
    fn is_at_edge_of_back_off(self, run: usize) -> bool {
        let since = |account: &Account, lives: &Lives| {
            let (before, killed) = (
                lives.runs.get(run.checked_sub(2)?)?,
                lives.runs.get(run - 1)?,
            );
            let is_its = account.is_killed_by_probe(self.name, lives, killed);
            Some(killed.exited.filter(|_| is_its)?.since(before.exited?))
        };
        let Plays {
            terms,
            kubelet,
            ours,
        } = self.plays;
        let times = since(kubelet, self.theirs).zip(since(ours, self.own));
        times.is_some_and(|(theirs, own)| {
            let (sooner, later) = (theirs.min(own), theirs.max(own) + NOTICE);
            let waits = successors(Some(FIRST_BACK_OFF), |wait| Some(*wait * 2));
            let longest = later.min(terms.longest_wait);
            let mut waits = waits.take_while(|wait| *wait <= longest);
            waits.any(|wait| wait + NOTICE >= sooner)
        })
    }

    /// A kubelet that restarts all containers again and again never waits; we do from the second time on, so the third run is
    /// the first that may be missing, if the wait is worth mentioning.
    fn is_held_back(self, run: usize) -> bool {
        let Plays {
            terms,
            kubelet,
            ours,
        } = self.plays;
        let waits = terms.longest_wait > NOTICE;
        waits && run >= 3 && kubelet.restarts_of_all.len() >= 2 && ours.has_restarted_all()
    }

    /// Whether it was there in one play when the pod began to go, and not in the other.
    fn is_there_in_one(self) -> bool {
        let Plays { kubelet, ours, .. } = self.plays;
        kubelet.is_there_to_stop(self.theirs) != ours.is_there_to_stop(self.own)
    }

    /// Whether it came or went by itself at about the time at which the pod began to go.
    fn is_restless(self) -> bool {
        let Plays { kubelet, ours, .. } = self.plays;
        kubelet.is_restless(self.theirs) || ours.is_restless(self.own)
    }

    /// Whether one of them began a run in the same breath in which all were restarted, so that its runs have other numbers: a
    /// kubelet that starts the containers of a pod sees an end when it is through.
    fn is_shifted(self) -> bool {
        let Plays { kubelet, ours, .. } = self.plays;
        let are_restarted = kubelet.has_restarted_all() && ours.has_restarted_all();
        let told = |account: &Account, lives: &Lives| {
            let runs = lives.runs.iter();
            let told = runs.filter(|run| run.is_killed(account.horizon));
            let young = told.clone().filter(|run| account.is_told_at_once(run));
            (told.count(), young.count())
        };
        let (theirs, own) = (told(kubelet, self.theirs), told(ours, self.own));
        // Each that was told in one play only must have been begun in that breath.
        let young = if theirs.0 > own.0 { theirs.1 } else { own.1 };
        are_restarted && theirs.0 != own.0 && theirs.0.abs_diff(own.0) <= young
    }

    /// Whether an image was exchanged after the end of one of so many runs in one play, and before it in the other: what has ended for
    /// good is not started for it. Or before its beginning: then it is simply the image that the run has.
    fn is_updated_between(self, last: usize) -> bool {
        let Plays { kubelet, ours, .. } = self.plays;
        let mut runs = self.runs().take(last);
        runs.any(|(_, theirs, own)| {
            let is_unaware = kubelet.starts_unaware(self.name, theirs);
            let theirs = kubelet.found_by_update(self.name, theirs);
            let own = ours.found_by_update(self.name, own);
            theirs != own || is_unaware
        })
    }

    /// Whether a run was told to stop before the pod was told to go in both plays, or after it: that gives it another time.
    fn told_alike(self, run: usize) -> bool {
        let told =
            |account: &Account, lives: &Lives| account.was_told_in_time(lives.runs.get(run - 1)?);
        let Plays { kubelet, ours, .. } = self.plays;
        run == 0 || told(kubelet, self.theirs) == told(ours, self.own)
    }

    /// Whether a run ended by itself in one play at about the time at which it was told to stop in the other: what becomes of it
    /// after that is a matter of the moment.
    fn is_close_call(self, run: usize) -> bool {
        let of = |lives: &Lives| lives.runs.get(run.checked_sub(1)?).copied();
        let Some((theirs, own)) = of(self.theirs).zip(of(self.own)) else {
            return false;
        };
        let length = |run: Run| Some(run.stopping.or(run.exited)?.since(run.starting));
        let lengths = length(theirs).zip(length(own));
        let is_close = lengths.is_some_and(|(theirs, own)| theirs.abs_diff(own) < NOTICE);
        let in_one = theirs.stopping.is_some() != own.stopping.is_some();
        // A kubelet that is busy comes to a probe's kill when the container has ended by itself.
        let kubelet = self.plays.kubelet;
        let is_missed = theirs.stopping.is_none()
            && lengths.is_some_and(|(end, due)| end <= kubelet.at_the_latest(&theirs, due));
        in_one && (is_close || is_missed)
    }

    /// Whether a run ended by itself in both plays, or was told to in both. What was told just before it would have ended by
    /// itself ends in another way; so does what does not listen and would have ended by itself before it is killed.
    fn ended_alike(self, run: usize) -> bool {
        let of = |lives: &Lives| lives.runs.get(run.checked_sub(1)?).copied();
        let told = |run: &Run| run.told().is_some();
        let (theirs, own) = (of(self.theirs), of(self.own));
        let stops = theirs.zip(own);
        let stops = stops.and_then(|(theirs, own)| theirs.stop().zip(own.stop()));
        let is_sooner = stops.is_some_and(|(theirs, own)| {
            let (killed, ended) = if theirs.1 {
                (theirs, own)
            } else {
                (own, theirs)
            };
            // It may have been told so much later in its life.
            let age = |run: Option<Run>| Some(run?.stopping?.since(run?.starting));
            let (their_age, own_age) = (age(of(self.theirs)), age(of(self.own)));
            let later = their_age.zip(own_age);
            let later = later.map_or(Duration::ZERO, |(theirs, own)| theirs.abs_diff(own));
            let is_cut_off = ended.0 + later + WHOLE_SECONDS > killed.0;
            killed.1 && !ended.1 && is_cut_off && ended.0 < killed.0 + WHOLE_SECONDS
        });
        theirs.as_ref().map(told) == own.as_ref().map(told) && !is_sooner
    }
}

/// Whether something that happened at a time in one play had the time to happen in the other before that was told to go, so much later; or
/// after that, if it happened then.
fn had_time(
    plays: Plays<'_>,
    (one, other): (&Account, &Account),
    at: Tick,
    late: Duration,
    run: usize,
) -> bool {
    let are_deleted = one.is_deleted && other.is_deleted;
    if are_deleted && at >= one.horizon {
        let late = NOTICE + NOTICE + plays.kubelet.busy_after_deletion();
        other.horizon + at.since(one.horizon) + late <= other.until
    } else {
        at + late + plays.kubelet.drift(at + late, run) <= other.horizon
    }
}

/// More than the longest grace period of a random pod, and two seconds.
const LONGEST_STOP: Duration = Duration::from_secs(30);

/// The second restart waits so long, the next ones twice as long each, where a crash loop waits as usual.
const FIRST_BACK_OFF: Duration = Duration::from_secs(10);

/// A kubelet subtracts the time of a hook from a grace period in whole seconds.
const WHOLE_SECONDS: Duration = Duration::from_millis(1_200);

#[cfg(test)]
mod tests;
