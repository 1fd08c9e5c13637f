//! Reasons are true at the moment at which they are told.

use super::life::{Describe, Life, pod};
use crate::story::Detail;
use pillion_engine::entry::{Cause, What};
use pillion_engine::pod::{HookKind, ProbeKind, Reaction, Until};
use pillion_engine::tick::Tick;
use std::time::Duration;

/// The last sentence of a life.
fn last(life: &Life) -> String {
    let story = life.timeline.story(Detail::Full);
    story
        .last()
        .map(|told| told.text.clone())
        .unwrap_or_default()
}

#[test]
fn nobody_is_said_to_be_down_who_still_runs() {
    let mut life = Life::new(pod("p").sidecar("proxy").sidecar("cache").main("app"));
    for name in ["proxy", "cache", "app"] {
        life.runs(name);
    }
    let [proxy, cache] = ["proxy", "cache"].map(|name| life.id(name));

    life.tell("cache", What::ReplaceBegan);
    life.stops("app", Cause::TargetDown { target: cache });
    assert_eq!(last(&life), "app told to stop: cache is replaced");

    life.runs("cache");
    life.runs("app");
    life.exits("proxy", 1);
    life.stops("app", Cause::TargetDown { target: cache });
    assert_eq!(last(&life), "app told to stop: cache goes down");

    // By now the proxy is back, and yet it was down.
    life.runs("proxy");
    life.stops("cache", Cause::TargetDown { target: proxy });
    assert_eq!(last(&life), "cache told to stop: proxy went down");
}

#[test]
fn nothing_is_said_to_need_somebody_no_more_that_never_did() {
    let chain = || {
        let pod = pod("chain").sidecar("proxy").main("app");
        let mut life = Life::new(pod.requires("app", "proxy", Until::Ready));
        life.starts("proxy", Cause::PodStart);
        life
    };
    let mut early = chain();
    early.pod_stops(Cause::Deletion);
    early.stops("proxy", Cause::Unneeded);
    assert_eq!(last(&early), "proxy told to stop: the pod is deleted");

    let mut usual = chain();
    usual.starts("app", Cause::PodStart);
    usual.pod_stops(Cause::Deletion);
    usual.exits("app", 0);
    usual.stops("proxy", Cause::Unneeded);
    assert_eq!(
        last(&usual),
        "proxy told to stop: nothing needs it any more"
    );
}

#[test]
fn a_restart_that_was_asked_for_says_so_and_why() {
    let mut life = Life::new(pod("orders").main("app").oneshot("build"));
    let asked = |by, reason: &str| Cause::Asked {
        by: Some(by),
        reaction: Reaction::Restart,
        reason: reason.into(),
    };
    let (app, build) = (life.id("app"), life.id("build"));
    life.stops("app", asked(app, "src/main.py changed"));
    life.at(10).stops("app", asked(app, ""));
    let at_once = What::Restarting {
        after: Duration::ZERO,
    };
    life.at(20)
        .tell_why("build", at_once, asked(build, "src changed"));
    let told: Vec<_> = (life.timeline.story(Detail::Brief).iter())
        .map(|told| told.text.clone())
        .collect();
    assert_eq!(
        told,
        [
            "app restarts: src/main.py changed",
            "app restarts: it asked for it",
            "build restarts: src changed",
        ]
    );
}

#[test]
fn what_ended_the_pod_and_why_something_is_replaced_is_told_as_it_was() {
    let mut life = Life::new(pod("orders").main("app"));
    life.recorder.replaced_by("orders.yaml changed");
    life.tell("app", What::ReplaceBegan);
    life.recorder.deleted_by("Ctrl-C");
    life.at(10).pod_stops(Cause::Deletion);
    life.recorder.deleted_by("`pillion stop`");
    let deadline = Tick::ZERO + Duration::from_secs(1);
    life.tell_pod(What::PodHurried { deadline }, Cause::Deletion);
    life.stops("app", Cause::Deletion);
    let told: Vec<_> = (life.timeline.story(Detail::Full).iter())
        .map(|told| told.text.clone())
        .collect();
    assert_eq!(
        told,
        [
            "app will be replaced: orders.yaml changed",
            "pod stops within 30 s: Ctrl-C",
            "pod gets less time, and stops within 0.99 s: `pillion stop`",
            "app told to stop: Ctrl-C",
        ]
    );
}

#[test]
fn why_a_probe_failed_is_told_with_what_came_of_it() {
    let mut life = Life::new(pod("orders").main("app").main("other"));
    let (app, readiness) = (life.id("app"), ProbeKind::Readiness);
    life.recorder.probe_failed(app, readiness, "timed out");
    life.recorder
        .probe_failed(app, readiness, "connection refused");
    let failed = What::ProbeVerdict {
        probe: readiness,
        ok: false,
    };
    life.tell("app", failed.clone());
    life.tell_why("app", What::Unready, Cause::Probe(readiness));
    life.tell("other", failed);
    let told: Vec<_> = (life.timeline.story(Detail::Full).iter())
        .map(|told| told.text.clone())
        .collect();
    assert_eq!(
        told,
        [
            "app failed its readiness probe (connection refused)",
            "app not ready any more: readiness probe failed: connection refused",
            "other failed its readiness probe",
        ]
    );
}

#[test]
fn why_a_hook_failed_is_told_with_it() {
    let mut life = Life::new(pod("orders").main("app").main("other"));
    let (app, hook) = (life.id("app"), HookKind::PostStart);
    life.recorder.hook_failed(app, hook, "it exited 4");
    life.recorder.hook_failed(app, hook, "it exited 3");
    let ended = |ok| What::HookEnded { hook, ok };
    life.tell("app", ended(false));
    life.tell("other", ended(false));
    life.tell("app", ended(true));
    let told: Vec<_> = (life.timeline.story(Detail::Full).iter())
        .map(|told| told.text.clone())
        .collect();
    assert_eq!(
        told,
        [
            "app's postStart hook failed (it exited 3)",
            "other's postStart hook failed",
            "app's postStart hook is done",
        ]
    );
}

#[test]
fn a_replacement_of_one_that_has_ended_is_given_up_for_that() {
    let mut life = Life::new(pod("p").main("job").main("app"));
    life.runs("job");
    life.tell("job", What::ReplaceAbandoned);
    assert_eq!(last(&life), "job's replacement is given up");
    life.exits("job", 0);
    life.tell("job", What::Ended { ok: true });
    life.tell("job", What::ReplaceAbandoned);
    assert_eq!(
        last(&life),
        "job's replacement is given up: it has ended for good"
    );
}
