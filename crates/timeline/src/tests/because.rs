//! Every record names the record that caused it.

use super::life::{Describe, Life, find, orders, pod};
use crate::{Base, Recorder};
use pillion_engine::entry::{Cause, Impossible, What};
use pillion_engine::event::{Exit, StartFailure};
use pillion_engine::pod::{Container, HookKind, Need, ProbeKind, Reaction, RestartPolicy, Until};
use pillion_engine::status::Phase;
use pillion_engine::tick::Tick;
use std::time::Duration;

fn two() -> Life {
    Life::new(
        pod("two")
            .sidecar("proxy")
            .main("app")
            .requires("app", "proxy", Until::Ready),
    )
}

#[test]
fn causes_are_always_earlier_records() {
    let life = orders();
    for record in life.timeline.records() {
        assert!(record.because.is_none_or(|seq| seq < record.seq && seq > 0));
        assert!(record.because.is_some() || record.seq == 1);
    }
}

#[test]
fn a_turn_follows_from_the_record_by_which_the_target_fulfilled_it() {
    let mut life = two();
    life.starts_pod();
    life.starts("proxy", Cause::PodStart);
    life.runs("proxy");
    let ready = life.ready("proxy");
    life.tell("proxy", What::HookBegan(HookKind::PostStart));
    let cause = life.fulfilled("proxy", Until::Ready);
    let turn = life.starts("app", cause);
    assert_eq!(life.because(turn), Some(ready));
}

#[test]
fn each_condition_is_fulfilled_by_its_own_record() {
    let mut life = two();
    life.starts("proxy", Cause::PodStart);
    let running = life.tell("proxy", What::Running);
    let fulfilled = |life: &mut Life, until| {
        let cause = life.fulfilled("proxy", until);
        let seq = life.tell_why("app", What::Turn, cause);
        life.because(seq)
    };
    assert_eq!(fulfilled(&mut life, Until::Attempted), Some(running));
    let started = life.tell("proxy", What::Started);
    let ready = life.ready("proxy");
    life.exits("proxy", 0);
    let ended = life.tell("proxy", What::Ended { ok: true });
    assert_eq!(fulfilled(&mut life, Until::Started), Some(started));
    assert_eq!(fulfilled(&mut life, Until::Ready), Some(ready));
    assert_eq!(fulfilled(&mut life, Until::Succeeded), Some(ended));
    assert_eq!(fulfilled(&mut life, Until::Exited), Some(ended));
}

#[test]
fn a_failed_start_lets_through_who_only_waits_for_the_attempt() {
    let mut life = two();
    life.starts("proxy", Cause::PodStart);
    let reason = StartFailure::CreateContainerError;
    let failed = life.tell(
        "proxy",
        What::StartFailed {
            reason,
            message: "no".into(),
        },
    );
    let cause = life.fulfilled("proxy", Until::Attempted);
    let turn = life.starts("app", cause);
    assert_eq!(life.because(turn), Some(failed));
}

#[test]
fn a_soft_requirement_is_let_through_by_a_failure() {
    let soft = pod("soft").sidecar("cache").main("app");
    let mut life = Life::new(soft.requires_with("app", "cache", Until::Ready, Need::Soft));
    life.starts("cache", Cause::PodStart);
    life.ready("cache");
    let failed = life.exits("cache", 1);
    let cause = life.fulfilled("cache", Until::Ready);
    let turn = life.starts("app", cause);
    assert_eq!(life.because(turn), Some(failed));
}

#[test]
fn a_barrier_is_fulfilled_by_the_last_of_its_members() {
    let phases = pod("phases")
        .main("a")
        .main("b")
        .main("c")
        .barrier("phase 10")
        .barrier("phase 20");
    let phases = phases
        .requires("phase 10", "a", Until::Ready)
        .requires("phase 20", "phase 10", Until::Settled)
        .requires("phase 20", "b", Until::Ready);
    let mut life = Life::new(phases.requires("c", "phase 20", Until::Settled));
    life.ready("b");
    let last = life.ready("a");
    life.tell("b", What::HookBegan(HookKind::PostStart));
    let cause = life.fulfilled("phase 20", Until::Settled);
    let turn = life.starts("c", cause);
    assert_eq!(life.because(turn), Some(last));
}

#[test]
fn what_cannot_come_any_more_follows_from_the_end_of_the_target() {
    let mut life = two();
    life.waits("app", "proxy", Until::Ready);
    let turn = life.starts("proxy", Cause::PodStart);
    life.exits("proxy", 1);
    let ended = life.tell("proxy", What::Ended { ok: false });
    let gave_up = life.tell("proxy", What::GaveUp);
    let (target, until) = (find(&life.pod, "proxy"), Until::Ready);
    for (why, because) in [
        (Impossible::Ended, ended),
        (Impossible::GaveUp, gave_up),
        (Impossible::TimedOut, turn),
    ] {
        let cause = Cause::Impossible { target, until, why };
        let seq = life.tell_why("app", What::GaveUp, cause);
        assert_eq!(life.because(seq), Some(because));
    }
}

#[test]
fn a_timeout_on_a_target_without_a_turn_follows_from_the_wait() {
    let mut life = two();
    let wait = life.waits("app", "proxy", Until::Ready);
    let (target, until) = (find(&life.pod, "proxy"), Until::Ready);
    let cause = Cause::Impossible {
        target,
        until,
        why: Impossible::TimedOut,
    };
    let seq = life.tell_why("app", What::GaveUp, cause);
    assert_eq!(life.because(seq), Some(wait));
}

#[test]
fn a_propagated_stop_follows_from_the_exit_of_the_target() {
    let mut life = two();
    life.starts("proxy", Cause::PodStart);
    let exit = life.exits("proxy", 1);
    life.tell_why(
        "proxy",
        What::Restarting {
            after: Duration::ZERO,
        },
        Cause::Policy,
    );
    let target = life.id("proxy");
    let stop = life.stops("app", Cause::TargetDown { target });
    assert_eq!(life.because(stop), Some(exit));
}

#[test]
fn who_goes_down_with_one_that_still_runs_follows_from_what_brings_both_down() {
    let chain = pod("chain").sidecar("proxy").sidecar("cache").main("app");
    let mut life = Life::new(chain);
    life.starts("cache", Cause::PodStart);
    life.exits("cache", 1);
    life.runs("cache");
    life.runs("app");
    let exit = life.exits("proxy", 1);
    let target = life.id("cache");
    let stop = life.stops("app", Cause::TargetDown { target });
    assert_eq!(
        life.because(stop),
        Some(exit),
        "and not from an old exit of the cache"
    );
}

#[test]
fn who_is_not_needed_any_more_follows_from_the_last_exit_above() {
    let chain = pod("chain").sidecar("proxy").sidecar("cache").main("app");
    let chain =
        chain
            .requires("cache", "proxy", Until::Ready)
            .requires("app", "cache", Until::Ready);
    let mut life = Life::new(chain);
    let stopping = life.pod_stops(Cause::Deletion);
    // The cache crashed before; what holds the proxy up is the app, two edges above.
    life.exits("cache", 1);
    let last = life.exits("app", 0);
    let stop = life.stops("proxy", Cause::Unneeded);
    assert_eq!(life.because(stop), Some(last));
    assert!(stopping < last);
}

#[test]
fn stop_order_by_role_goes_through_barriers() {
    let roles = pod("roles")
        .sidecar("log")
        .main("a")
        .main("b")
        .barrier("mains");
    let roles = roles
        .stops_before("a", "mains")
        .stops_before("b", "mains")
        .stops_before("mains", "log");
    let mut life = Life::new(roles);
    life.pod_stops(Cause::Deletion);
    life.exits("b", 0);
    let last = life.exits("a", 0);
    let stop = life.stops("log", Cause::Unneeded);
    assert_eq!(life.because(stop), Some(last));
}

#[test]
fn who_has_nobody_above_stops_because_the_pod_does() {
    let mut life = two();
    life.exits("app", 0);
    let stopping = life.pod_stops(Cause::Deletion);
    let stop = life.stops("proxy", Cause::Unneeded);
    assert_eq!(life.because(stop), Some(stopping));
}

#[test]
fn policy_and_rules_follow_from_the_exit() {
    let mut life = two();
    let exit = life.exits("app", 3);
    let restarting = What::Restarting {
        after: Duration::from_secs(10),
    };
    let restart = life.tell_why("app", restarting, Cause::Policy);
    let turn = life.tell_why("app", What::Turn, Cause::Policy);
    assert_eq!(life.because(restart), Some(exit));
    assert_eq!(life.because(turn), Some(restart));

    let exit = life.exits("app", 3);
    let container = life.id("app");
    let reaction = Reaction::FailPod;
    let cause = Cause::Rule {
        container,
        index: 0,
        reaction,
    };
    let end = life.tell_why("app", What::Ended { ok: false }, cause);
    assert_eq!(life.because(end), Some(exit));
    let gave_up = life.tell_why("app", What::GaveUp, Cause::RestartLimit);
    assert!(life.because(gave_up) >= Some(exit));
}

#[test]
fn a_kill_follows_from_the_probe_hook_or_turn_that_asked_for_it() {
    let mut life = two();
    let turn = life.starts("app", Cause::PodStart);
    let hook = life.tell(
        "app",
        What::HookEnded {
            hook: HookKind::PostStart,
            ok: false,
        },
    );
    let probe = life.tell(
        "app",
        What::ProbeVerdict {
            probe: ProbeKind::Liveness,
            ok: false,
        },
    );
    life.tell("app", What::Unready);
    for (cause, because) in [
        (Cause::StartTimeout, turn),
        (Cause::PostStart, hook),
        (Cause::Probe(ProbeKind::Liveness), probe),
    ] {
        let stop = life.stops("app", cause);
        assert_eq!(life.because(stop), Some(because));
    }
}

#[test]
fn what_ends_follows_from_what_began() {
    let mut life = two();
    let pulling = life.tell_why("app", What::Pulling, Cause::PodStart);
    life.waits("app", "proxy", Until::Ready);
    let pulled = life.tell("app", What::Pulled);
    assert_eq!(life.because(pulled), Some(pulling));

    let began = life.tell("app", What::HookBegan(HookKind::PreStop));
    life.tell("app", What::Unready);
    let ended = life.tell(
        "app",
        What::HookEnded {
            hook: HookKind::PreStop,
            ok: true,
        },
    );
    assert_eq!(life.because(ended), Some(began));

    let undoing = life.tell_why("app", What::Undoing, Cause::Unneeded);
    life.tell("app", What::ReplaceAbandoned);
    let undone = life.tell("app", What::Undone { ok: true });
    assert_eq!(life.because(undone), Some(undoing));
}

#[test]
fn the_end_of_a_pod_follows_from_who_decided_it() {
    let mut life = two();
    life.exits("app", 0);
    let ended = life.tell_why("app", What::Ended { ok: true }, Cause::Policy);
    let app = life.id("app");
    let stopping = life.pod_stops(Cause::Keystone(app));
    assert_eq!(life.because(stopping), Some(ended));
    let stopping = life.pod_stops(Cause::Completion);
    assert_eq!(life.because(stopping), Some(ended));
    let gave_up = life.tell("app", What::GaveUp);
    let stopping = life.pod_stops(Cause::GiveUp(app));
    assert_eq!(life.because(stopping), Some(gave_up));
    let stopping = life.pod_stops(Cause::Deletion);
    assert_eq!(
        life.because(stopping),
        None,
        "a deletion comes from outside"
    );
}

#[test]
fn the_end_of_a_sidecar_completes_nothing() {
    let mut life = two();
    let main = life.ends("app", 0);
    life.ends("proxy", 0);
    let stopping = life.pod_stops(Cause::Completion);
    assert_eq!(life.because(stopping), Some(main));
}

#[test]
fn a_pod_is_ready_because_of_the_last_to_become_so() {
    let mut life = two();
    life.starts_pod();
    life.ready("proxy");
    let last = life.ready("app");
    life.tell("proxy", What::HookBegan(HookKind::PostStart));
    let ready = life.tell_pod(What::PodReady, Cause::Itself);
    assert_eq!(life.because(ready), Some(last));
    let unready = life.tell("proxy", What::Unready);
    life.tell("proxy", What::HookBegan(HookKind::PostStart));
    let pod = life.tell_pod(What::PodUnready, Cause::Itself);
    assert_eq!(life.because(pod), Some(unready));
}

#[test]
fn a_pod_has_ended_because_of_the_last_to_go_down() {
    let mut life = two();
    life.ends("app", 0);
    let app = life.id("app");
    life.pod_stops(Cause::Keystone(app));
    let last = life.exits("proxy", 0);
    let end = life.pod_ends(Phase::Succeeded, "app", 0, Cause::Keystone(app));
    assert_eq!(life.because(end), Some(last));
}

#[test]
fn who_is_killed_for_want_of_time_follows_from_the_end_of_the_budget() {
    let mut life = two();
    let stopping = life.pod_stops(Cause::Deletion);
    let spent = life.tell_pod(What::BudgetSpent, Cause::Budget);
    assert_eq!(life.because(spent), Some(stopping));
    let cut = life.tell_why("app", What::HookCut(HookKind::PreStop), Cause::Budget);
    assert_eq!(life.because(cut), Some(spent));
}

#[test]
fn a_request_follows_from_the_run_of_who_asked() {
    let mut life = two();
    let runs = life.tell("proxy", What::Running);
    let by = Some(life.id("proxy"));
    let cause = Cause::Asked {
        by,
        reaction: Reaction::RestartPod,
        reason: "config".into(),
    };
    let stopping = life.pod_stops(cause.clone());
    assert_eq!(life.because(stopping), Some(runs));
    let stop = life.stops("app", cause);
    assert_eq!(life.because(stop), Some(stopping));
}

#[test]
fn a_second_run_follows_from_the_restart() {
    let mut life = two();
    life.starts_pod();
    let restarting = life.tell_pod(
        What::PodRestarting {
            after: Duration::ZERO,
        },
        Cause::Itself,
    );
    let again = life.tell_pod(What::PodStarted { run: 2 }, Cause::PodRestart);
    assert_eq!(life.because(again), Some(restarting));
    let turn = life.starts("proxy", Cause::PodRestart);
    assert_eq!(life.because(turn), Some(again));
}

#[test]
fn who_begins_again_follows_from_the_new_run_of_the_pod() {
    let mut life = two();
    life.starts_pod();
    life.starts("proxy", Cause::PodStart);
    life.exits("proxy", 0);
    let again = life.tell_pod(What::PodStarted { run: 2 }, Cause::PodRestart);
    let turn = life.starts("proxy", Cause::Itself);
    assert_eq!(life.because(turn), Some(again));
    let starting = life.timeline.record(turn + 1).unwrap();
    assert_eq!(starting.because, Some(turn));
}

#[test]
fn the_first_to_stop_follows_from_the_stop_of_the_pod() {
    let mut life = two();
    life.ready("app");
    let stopping = life.pod_stops(Cause::Deletion);
    let stop = life.stops("app", Cause::Itself);
    assert_eq!(life.because(stop), Some(stopping));
    let exit = life.exits("app", 0);
    assert_eq!(life.because(exit), Some(stop));
}

#[test]
fn the_stop_of_an_earlier_run_causes_nothing_in_a_later_one() {
    let mut life = two();
    life.starts_pod();
    life.exits("app", 0);
    life.pod_stops(Cause::Deletion);
    life.tell_pod(What::PodStarted { run: 2 }, Cause::PodRestart);
    let ready = life.ready("proxy");
    let exit = life.exits("app", 0);
    let stop = life.stops("proxy", Cause::Unneeded);
    assert_eq!(life.because(stop), Some(exit));
    let unready = life.tell("proxy", What::Unready);
    assert_eq!(life.because(unready), Some(stop));
    assert!(ready < exit);
}

#[test]
fn a_restart_of_the_pod_follows_from_the_last_to_go_down() {
    let mut life = two();
    let container = life.id("app");
    let exit = life.exits("app", 3);
    let reaction = Reaction::RestartPod;
    let stopping = life.pod_stops(Cause::Rule {
        container,
        index: 0,
        reaction,
    });
    assert_eq!(life.because(stopping), Some(exit));
    let last = life.exits("proxy", 0);
    let after = Duration::ZERO;
    let restarting = life.tell_pod(What::PodRestarting { after }, Cause::PodRestart);
    assert_eq!(life.because(restarting), Some(last));
}

#[test]
fn a_swap_follows_from_its_beginning() {
    let mut life = two();
    let began = life.tell("proxy", What::ReplaceBegan);
    life.tell("proxy", What::Pulling);
    let proxy = life.id("proxy");
    let stop = life.stops("app", Cause::Replacement(proxy));
    assert_eq!(life.because(stop), Some(began));
}

#[test]
fn a_debugging_container_can_join_later() {
    let mut life = two();
    life.starts_pod();
    life.pod
        .containers
        .push(Container::new("debug", RestartPolicy::Never));
    let id = life.id("debug");
    let starting = life.entry(Some(id), 1, What::Starting, Cause::Itself);
    let running = life.entry(Some(id), 1, What::Running, Cause::Itself);
    assert_eq!(life.because(running), Some(starting));
    assert_eq!(
        life.timeline.records()[1].container.as_deref(),
        Some("debug")
    );
    assert_eq!(life.timeline.containers(), ["proxy", "app", "debug"]);
}

#[test]
fn a_recorder_goes_on_where_another_left_off() {
    let whole = orders();
    let mut resumed = orders();
    let base = Base {
        tick: Tick::from_secs(7),
        elapsed: Duration::from_secs(5),
        wall: None,
    };
    resumed.recorder = Recorder::resume(&whole.pod, base, &whole.timeline);
    resumed.at(9000);
    let seq = resumed.tell_pod(What::Recovered, Cause::Itself);
    assert_eq!(seq, whole.timeline.records().last().unwrap().seq + 1);
    assert_eq!(
        resumed.timeline.record(seq).unwrap().at,
        Duration::from_secs(7)
    );
    let app = resumed.id("app");
    let stop = resumed.stops("proxy", Cause::Keystone(app));
    let because = resumed.because(stop).unwrap();
    assert!(whole.timeline.record(because).unwrap().is_about("app"));
}

#[test]
fn exits_of_all_kinds_are_taken_over() {
    let mut life = two();
    life.tell("app", What::Exited(Exit::out_of_memory()));
    let record = life.timeline.records().last().unwrap();
    let crate::What::Exited {
        code, signal, oom, ..
    } = record.what
    else {
        panic!()
    };
    assert_eq!((code, signal, oom), (137, Some(9), true));
}
