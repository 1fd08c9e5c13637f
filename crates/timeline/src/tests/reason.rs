//! Reasons are true at the moment at which they are told.

use super::life::{Describe, Life, pod};
use crate::story::Detail;
use pillion_engine::entry::{Cause, What};
use pillion_engine::pod::Until;

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
