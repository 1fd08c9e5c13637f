//! Sentences are short, say why, and say things once.

use super::life::{Describe, Life, find, orders, pod};
use crate::story::{Detail, Stamps, lines};
use crate::words::sentence;
use crate::{Style, Tone};
use pillion_engine::entry::{Cause, Impossible, What};
use pillion_engine::event::{Exit, StartFailure};
use pillion_engine::pod::{HookKind, ProbeKind, Reaction, Until};
use pillion_engine::status::Phase;
use pillion_engine::tick::Tick;
use std::time::Duration;

fn told(life: &Life, detail: Detail) -> String {
    let lines = lines(
        &life.timeline.story(detail),
        Stamps::Relative,
        Style::unicode(200),
    );
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn three() -> Life {
    Life::new(
        pod("p")
            .sidecar("proxy")
            .oneshot("migrate")
            .keystone("app")
            .barrier("phase 10"),
    )
}

/// The sentence of the last record.
fn last(life: &Life) -> String {
    sentence(life.timeline.records().last().unwrap())
}

#[test]
fn a_life_is_told_in_brief() {
    assert_eq!(
        told(&orders(), Detail::Brief),
        "\
0.000s  pod starts
0.000s  proxy starts: nothing to wait for
0.000s  migrate waits for proxy to be ready
0.000s  cache waits for proxy to be ready
0.000s  app waits for migrate to succeed, for cache to start
0.020s  proxy started
0.310s  proxy ready
0.310s  migrate starts: proxy ready
0.310s  cache starts: proxy ready
0.330s  migrate started
0.330s  cache ready
0.820s  migrate succeeded
0.820s  app starts: migrate succeeded
0.840s  app started
0.900s  app ready
0.900s  pod ready
3.900s  app exited 0
3.900s  pod stops within 30 s: keystone app ended
3.900s  cache told to stop: nothing needs it any more
4.000s  cache exited 0
4.000s  proxy told to stop: nothing needs it any more
4.200s  proxy exited 0
4.200s  pod succeeded (app, code 0)
"
    );
}

#[test]
fn told_in_full_every_record_has_its_line() {
    let life = orders();
    let text = told(&life, Detail::Full);
    assert_eq!(text.lines().count(), life.timeline.records().len());
    assert!(text.contains("app may start: migrate succeeded\n0.820s  app starts\n"));
}

#[test]
fn an_exit_and_what_follows_from_it_are_one_sentence() {
    let mut life = three();
    life.at(2100).tell("proxy", What::Exited(Exit::signal(9)));
    life.tell_why(
        "proxy",
        What::Restarting {
            after: Duration::from_secs(10),
        },
        Cause::Policy,
    );
    life.at(2200).ends("migrate", 3);
    let reason = StartFailure::RunContainerError;
    life.at(2300).tell(
        "app",
        What::StartFailed {
            reason,
            message: "no such file".into(),
        },
    );
    life.tell_why(
        "app",
        What::Restarting {
            after: Duration::ZERO,
        },
        Cause::Policy,
    );
    assert_eq!(
        told(&life, Detail::Brief),
        "\
2.100s  proxy exited 137 (killed), restarts in 10 s: policy
2.200s  migrate exited 3, ended for good
2.300s  app could not be started (RunContainerError: no such file), restarts at once: policy
"
    );
}

#[test]
fn an_instant_start_is_one_sentence_and_ready() {
    let mut life = three();
    life.tell("app", What::Pulling);
    life.tell("app", What::Pulled);
    life.waits("app", "proxy", Until::Ready);
    let cause = life.fulfilled("proxy", Until::Ready);
    life.starts("app", cause);
    life.runs("app");
    life.tell(
        "app",
        What::ProbeVerdict {
            probe: ProbeKind::Readiness,
            ok: true,
        },
    );
    life.ready("app");
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  app starts: proxy ready\n0.000s  app ready\n"
    );
}

#[test]
fn a_failed_probe_says_so_once() {
    let mut life = three();
    life.tell(
        "app",
        What::ProbeVerdict {
            probe: ProbeKind::Readiness,
            ok: false,
        },
    );
    life.tell_why("app", What::Unready, Cause::Probe(ProbeKind::Readiness));
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  app not ready any more: readiness probe failed\n"
    );
}

#[test]
fn who_goes_down_is_not_said_to_be_unready_as_well() {
    let mut life = three();
    life.exits("proxy", 1);
    life.tell_why(
        "proxy",
        What::Restarting {
            after: Duration::ZERO,
        },
        Cause::Policy,
    );
    life.starts("proxy", Cause::Itself);
    life.tell("proxy", What::Unready);
    life.tell_pod(What::PodUnready, Cause::Itself);
    life.at(1000).pod_stops(Cause::Deletion);
    life.tell_pod(What::PodUnready, Cause::Itself);
    assert_eq!(
        told(&life, Detail::Brief),
        "\
0.000s  proxy exited 1, restarts at once: policy
0.000s  pod not ready any more
1.000s  pod stops within 30 s: the pod is deleted
"
    );
}

#[test]
fn a_pod_that_restarts_says_so_once() {
    let mut life = three();
    life.tell_pod(
        What::PodRestarting {
            after: Duration::ZERO,
        },
        Cause::PodRestart,
    );
    life.tell_pod(What::PodStarted { run: 2 }, Cause::PodRestart);
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  pod starts again (run 2)\n"
    );
}

#[test]
fn every_cause_has_its_words() {
    let mut life = three();
    let (proxy, app) = (life.id("proxy"), life.id("app"));
    let target = |name: &str| find(&life.pod, name);
    let impossible = |until, why| Cause::Impossible {
        target: target("proxy"),
        until,
        why,
    };
    let asked = |by| Cause::Asked {
        by,
        reaction: Reaction::RestartPod,
        reason: "new\nrules".into(),
    };
    let reaction = Reaction::FailPod;
    let rule = |container| Cause::Rule {
        container,
        index: 0,
        reaction,
    };
    let causes = [
        (Cause::PodStart, "nothing to wait for"),
        (
            life.fulfilled("migrate", Until::Succeeded),
            "migrate succeeded",
        ),
        (life.fulfilled("proxy", Until::Started), "proxy started"),
        (life.fulfilled("proxy", Until::Ready), "proxy ready"),
        (life.fulfilled("proxy", Until::Exited), "proxy ended"),
        (life.fulfilled("proxy", Until::Attempted), "proxy was tried"),
        (
            life.fulfilled("phase 10", Until::Settled),
            "phase 10 complete",
        ),
        (
            impossible(Until::Ready, Impossible::GaveUp),
            "proxy gave up",
        ),
        (
            impossible(Until::Ready, Impossible::Ended),
            "proxy ended and will not be ready",
        ),
        (
            impossible(Until::Started, Impossible::TimedOut),
            "proxy did not start in time",
        ),
        (Cause::TargetDown { target: proxy }, "proxy goes down"),
        (Cause::Unneeded, "nothing needs it any more"),
        (Cause::Policy, "policy"),
        (rule(app), "its exit fails the pod"),
        (rule(proxy), "proxy's exit fails the pod"),
        (Cause::Probe(ProbeKind::Liveness), "liveness probe failed"),
        (Cause::PostStart, "postStart hook failed"),
        (Cause::StartTimeout, "not up in time"),
        (Cause::RestartLimit, "too many restarts"),
        (asked(Some(proxy)), "proxy asked for RestartPod (new rules)"),
        (asked(None), "somebody asked for RestartPod (new rules)"),
        (Cause::Deletion, "the pod is deleted"),
        (Cause::Completion, "every main has ended"),
        (Cause::Keystone(app), "keystone app ended"),
        (Cause::GiveUp(proxy), "proxy gave up"),
        (Cause::ActiveDeadline, "the pod was active too long"),
        (Cause::NeverRan(proxy), "proxy never ran"),
        (Cause::Budget, "no time left"),
        (Cause::SandboxLost, "the sandbox was lost"),
        (Cause::Replacement(app), "replacement"),
        (Cause::Replacement(proxy), "proxy is replaced"),
        (Cause::PodRestart, "the pod restarts"),
        (
            Cause::FailedAttempt(proxy),
            "the one attempt of proxy failed",
        ),
    ];
    for (cause, words) in causes {
        life.stops("app", cause);
        assert_eq!(last(&life), format!("app told to stop: {words}"));
    }
    life.stops("app", Cause::Itself);
    assert_eq!(last(&life), "app told to stop");
}

#[test]
fn every_event_has_its_words() {
    let mut life = three();
    let hook = HookKind::PreStop;
    let whats = [
        (What::Turn, "app may start"),
        (What::Pulling, "app pulls its image"),
        (What::Pulled, "app has its image"),
        (
            What::PullFailed {
                message: "gone".into(),
                retry_in: Duration::from_secs(20),
            },
            "app cannot get its image (gone), tries again in 20 s",
        ),
        (What::Running, "app runs"),
        (What::HookBegan(hook), "app runs its preStop hook"),
        (
            What::HookEnded { hook, ok: true },
            "app's preStop hook is done",
        ),
        (
            What::HookEnded { hook, ok: false },
            "app's preStop hook failed",
        ),
        (What::HookCut(hook), "app's preStop hook was not waited for"),
        (
            What::ProbeVerdict {
                probe: ProbeKind::Startup,
                ok: true,
            },
            "app passed its startup probe",
        ),
        (What::Unready, "app not ready any more"),
        (
            What::Stopping {
                deadline: Tick::ZERO,
            },
            "app told to stop at once",
        ),
        (
            What::Exited(Exit::out_of_memory()),
            "app exited 137 (out of memory)",
        ),
        (What::Exited(Exit::signal(11)), "app exited 139 (SIGSEGV)"),
        (What::Exited(Exit::signal(40)), "app exited 168 (signal 40)"),
        (
            What::Exited(Exit::unknown()),
            "app exited 137 (ContainerStatusUnknown)",
        ),
        (What::Ended { ok: true }, "app succeeded"),
        (What::Ended { ok: false }, "app ended for good"),
        (What::GaveUp, "app gave up"),
        (What::Undoing, "app runs its undo"),
        (What::Undone { ok: false }, "app's undo failed"),
        (What::UndoSkipped, "app's undo is skipped"),
        (What::ReplaceBegan, "app will be replaced"),
        (What::Replaced, "app was replaced"),
        (What::RolledBack, "app is put back"),
        (What::ReplaceAbandoned, "app's replacement is given up"),
    ];
    for (what, words) in whats {
        life.tell("app", what);
        assert_eq!(last(&life), words);
    }
}

#[test]
fn every_event_of_the_pod_has_its_words() {
    let mut life = three();
    let deadline = Tick::from_secs(5);
    let whats = [
        (What::PodStarted { run: 2 }, "pod starts again (run 2)"),
        (What::PodUnready, "pod not ready any more"),
        (What::PodKilled, "pod is killed, to run again"),
        (
            What::PodHurried { deadline },
            "pod gets less time, and stops within 5 s",
        ),
        (
            What::PodStopping {
                deadline: Tick::NEVER,
            },
            "pod stops",
        ),
        (
            What::PodNotDelayed { deadline },
            "pod gets no more time, and stops within 5 s",
        ),
        (What::BudgetSpent, "pod's time to stop is used up"),
        (
            What::PodRestarting {
                after: Duration::ZERO,
            },
            "pod restarts at once",
        ),
        (
            What::PodEnded {
                phase: Phase::Failed,
                decider: None,
                code: 1,
            },
            "pod failed",
        ),
        (What::Recovered, "pod is looked after again"),
    ];
    for (what, words) in whats {
        life.tell_pod(what, Cause::Itself);
        assert_eq!(last(&life), words);
    }
}

#[test]
fn words_from_outside_cannot_break_the_line_nor_the_terminal() {
    let mut life = three();
    let message = "\u{1b}[31mred\r\nalert\u{7}".to_owned() + &"x".repeat(1000);
    let retry_in = Duration::ZERO;
    life.tell(
        "app",
        What::PullFailed {
            message: message.into(),
            retry_in,
        },
    );
    let sentence = last(&life);
    assert!(sentence.starts_with("app cannot get its image ([31mred alert xxx"));
    assert!(sentence.len() < 300 && !sentence.contains(char::is_control));
}

#[test]
fn absolute_times_are_shown_where_they_are_known() {
    let life = three();
    let wall = "2026-11-15T08:30:00Z".parse().unwrap();
    let base = crate::Base {
        wall: Some(wall),
        ..crate::Base::default()
    };
    let mut life = Life::with_base(life.pod, base);
    life.at(1500).ready("app");
    let story = life.timeline.story(Detail::Brief);
    let told = &lines(&story, Stamps::Absolute, Style::unicode(200))[0];
    assert_eq!(told.to_string(), "2026-11-15T08:30:01.500000Z  app ready");
    assert_eq!(told.pieces().last(), Some((Tone::Good, "app ready")));
}

#[test]
fn a_target_is_named_once_however_much_is_waited_for() {
    let mut life = three();
    let (proxy, app) = (life.id("proxy"), life.id("app"));
    for (target, until) in [
        (proxy, Until::Started),
        (app, Until::Started),
        (proxy, Until::Ready),
    ] {
        let target = pillion_engine::pod::Target::Container(target);
        life.tell("migrate", What::Waiting { target, until });
    }
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  migrate waits for proxy to be ready, for app to start\n"
    );
}

#[test]
fn the_end_of_an_undo_is_not_told_as_an_exit() {
    let mut life = three();
    life.tell("migrate", What::Undoing);
    life.at(1000).exits("migrate", 0);
    life.tell("migrate", What::Undone { ok: true });
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  migrate runs its undo\n1.000s  migrate's undo is done\n"
    );
    assert!(told(&life, Detail::Full).contains("1.000s  migrate's undo exited 0\n"));
}

#[test]
fn an_undo_that_failed_is_told_with_how_it_ended() {
    let mut life = three();
    life.tell("migrate", What::Undoing);
    life.at(1000).exits("migrate", 3);
    life.tell("migrate", What::Undone { ok: false });
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  migrate runs its undo\n1.000s  migrate's undo failed: exited 3\n"
    );
}

#[test]
fn an_undo_that_could_not_be_begun_is_told_with_why() {
    let mut life = three();
    let failed = What::StartFailed {
        reason: StartFailure::CreateContainerError,
        message: "no room".into(),
    };
    life.tell("migrate", failed);
    life.tell("migrate", What::Undone { ok: false });
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  migrate's undo failed: could not be started (CreateContainerError: no room)\n"
    );
}

#[test]
fn an_undo_that_was_cut_short_has_not_failed_by_itself() {
    let mut life = three();
    life.tell_why("migrate", What::Undone { ok: false }, Cause::Budget);
    assert_eq!(last(&life), "migrate's undo was cut short: no time left");
}

#[test]
fn the_failure_of_a_pod_that_nobody_decided_has_its_reason() {
    let mut life = three();
    for (decider, words) in [
        (None, "pod failed: the pod was active too long"),
        (Some(life.id("app")), "pod failed (app, code 1)"),
    ] {
        let what = What::PodEnded {
            phase: Phase::Failed,
            decider,
            code: 1,
        };
        life.tell_pod(what, Cause::ActiveDeadline);
        assert_eq!(last(&life), words);
    }
}

#[test]
fn hooks_are_told_when_they_take_time_or_fail() {
    let hook = HookKind::PostStart;
    let story = |millis, ok| {
        let mut life = three();
        life.tell("app", What::HookBegan(hook));
        life.tell("app", What::Started);
        life.at(millis).tell("app", What::HookEnded { hook, ok });
        let told = told(&life, Detail::Brief);
        told.lines().filter(|line| line.contains("hook")).count()
    };
    assert_eq!([story(0, true), story(5000, true)], [0, 1]);
    assert_eq!([story(0, false), story(5000, false)], [2, 2]);
}

#[test]
fn an_exit_and_its_restart_are_one_sentence_whatever_is_told_in_between() {
    let mut life = Life::new(pod("p").main("app"));
    life.exits("app", 1);
    life.tell("app", What::Unready);
    let after = Duration::from_secs(10);
    life.tell_why("app", What::Restarting { after }, Cause::Policy);
    assert_eq!(
        told(&life, Detail::Brief),
        "0.000s  app exited 1, restarts in 10 s: policy\n"
    );
}

#[test]
fn what_is_waited_for_is_one_sentence_though_an_image_came_in_between() {
    let mut life = Life::new(pod("p").oneshot("ini").sidecar("proxy").main("app"));
    life.waits("app", "ini", Until::Succeeded);
    life.tell("app", What::Pulling);
    life.tell("app", What::Pulled);
    life.waits("app", "proxy", Until::Ready);
    let story = life.timeline.story(Detail::Brief);
    let texts: Vec<_> = story.iter().map(|told| told.text.as_str()).collect();
    assert_eq!(
        texts,
        ["app waits for ini to succeed, for proxy to be ready"]
    );
}
