//! What a kubelet cannot play, and when enough has been seen of a play.

use super::late::is_late;
use crate::processes::limits::ends;
use crate::processes::network::LISTS;
use pillion_engine::Tick;
use pillion_simulator::act::Deed;
use pillion_simulator::actor::{End, Script};
use pillion_simulator::check::{Check, Claim, Finding, Range, Time};
use pillion_simulator::{Driver, Record, Scenario};
use pillion_spec::PodFile;
use serde_json::Value;

/// Why a kubelet cannot play a scenario, if it cannot. Files that say so themselves come first.
pub(super) fn why_not(scenario: &Scenario, pod: &Value) -> Option<Box<str>> {
    if let Some(reason) = scenario.not_on.get(&Driver::Kubelet) {
        return Some(reason.clone());
    }
    if !is_plain(pod) {
        return Some("only Pillion knows the fields of this pod".into());
    }
    let scripts = scenario.scripts.values().find_map(script);
    let acts = scenario.acts.iter().chain(&scenario.timed_acts);
    let deed = acts.filter_map(|act| act.deed.as_ref()).find_map(deed);
    scripts.or(deed).map(Into::into)
}

/// Whether a kubelet understands all that the pod says.
fn is_plain(pod: &Value) -> bool {
    let outcome = pillion_spec::read("pod", pod.to_string().as_bytes());
    let is_plain = |file: &PodFile| {
        let mut containers = file.pod.spec.all_containers();
        containers.all(|(_, _, container)| container.pillion_fields().is_empty())
    };
    // Other dialects speak by annotations and variables.
    let speaks = |container: &Value| container["env"].is_array();
    let containers = LISTS
        .iter()
        .filter_map(|list| pod["spec"][*list].as_array());
    outcome.pods.first().is_some_and(is_plain)
        && pod["metadata"]["annotations"].is_null()
        && !containers.flatten().any(speaks)
}

fn script(script: &Script) -> Option<&'static str> {
    if !script.pull.takes.is_zero() || (script.pull.fails > 0 && script.pull.fails < u32::MAX) {
        return Some("without a registry an image is there at once, or never");
    }
    if script.create.fails > 0 && !is_late(script) {
        return Some("an actor that is there can always be started");
    }
    if !script.asks.is_empty() {
        return Some("a container cannot ask a kubelet for anything");
    }
    ends(script).find_map(|end| match end {
        End::Exit(_) => None,
        End::Signal(_) => Some("the first process of a container cannot kill itself"),
        End::OutOfMemory => Some("actors need no memory to speak of"),
    })
}

fn deed(deed: &Deed) -> Option<&'static str> {
    match deed {
        Deed::Delete { .. }
        | Deed::SetImage { .. }
        | Deed::Kill { .. }
        | Deed::Exit { .. }
        | Deed::SetProbe { .. }
        | Deed::RestartDriver { .. }
        | Deed::Reboot => None,
        Deed::Replace(_) => Some("a kubelet replaces nothing but images"),
        Deed::Ask { .. } => Some("a kubelet cannot be asked for this"),
        Deed::AddEphemeral { .. } => Some("debugging containers are not played on a kubelet"),
    }
}

/// Whether a play asks for the restart of its node.
pub(super) fn interrupts(deed: &Deed) -> bool {
    matches!(deed, Deed::RestartDriver { .. } | Deed::Reboot)
}

/// Whether a check is about Kubernetes events.
pub(super) fn asks_for_events(scenario: &Scenario) -> bool {
    let mut checks = scenario.cases.iter().flat_map(|case| &case.checks);
    checks.any(|check| matches!(check.claim, Claim::Event { .. }))
}

/// Whether nothing that can still come changes what a check finds.
pub(super) fn is_settled(check: &Check, record: &Record, now: Tick) -> bool {
    let holds = || matches!(check.look(record), Finding::Holds);
    match &check.claim {
        Claim::Starts(_)
        | Claim::Exits(_)
        | Claim::Restarted(_)
        | Claim::StartsBefore(..)
        | Claim::ExitsBefore(..)
        | Claim::AnyStartAfter(..)
        | Claim::AnyExitAfter(..)
        | Claim::RunsTogether(..)
        | Claim::RunsTogetherFirst(..)
        | Claim::Together { .. }
        | Claim::Lasts { .. }
        | Claim::Gap { .. } => holds(),
        Claim::Between { range, .. } | Claim::Count { range, .. } => is_open(range) && holds(),
        Claim::Status { time, since, .. } => match time {
            Time::Within(_) => holds(),
            Time::Throughout(time) | Time::At(time) => {
                let from = since.as_ref().map(|act| record.moments.get(act));
                let from = from.map_or(Some(Tick::ZERO), |moment| moment.map(|moment| moment.at));
                from.is_some_and(|from| from + *time < now)
            }
            Time::AtEnd | Time::Whenever(_) => false,
        },
        Claim::NeverStarts(_)
        | Claim::NotRestarted(_)
        | Claim::RestartsNeverFall(_)
        | Claim::Gone { .. }
        | Claim::Result { .. }
        | Claim::ExitCode(_) => false,
        Claim::Event { told, .. } => *told && holds(),
    }
}

/// Whether more of it does no harm.
fn is_open<T>(range: &Range<T>) -> bool {
    range.at_most.is_none()
}
