//! Reads a pod's status as the API server shows it into the form in which every driver's is judged.

use super::manifest::scenario_image;
use pillion_engine::status::{
    Condition, ConditionKind, ContainerState, ContainerStatus, Phase, PodStatus, Terminated,
};
use pillion_engine::{Tick, pod::List};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The lists of containers, and where their statuses are.
const LISTS: [(&str, &str, List); 3] = [
    ("initContainers", "initContainerStatuses", List::Init),
    ("containers", "containerStatuses", List::Regular),
    (
        "ephemeralContainers",
        "ephemeralContainerStatuses",
        List::Ephemeral,
    ),
];

const CONDITIONS: [ConditionKind; 6] = [
    ConditionKind::PodReadyToStartContainers,
    ConditionKind::Initialized,
    ConditionKind::ContainersReady,
    ConditionKind::Ready,
    ConditionKind::PodScheduled,
    ConditionKind::AllContainersRestarting,
];

/// What is shown. Images that change are called as the scenario calls them.
pub(super) fn read(pod: &Value, new_image: &str) -> PodStatus {
    let status = &pod["status"];
    let conditions = status["conditions"].as_array().into_iter().flatten();
    PodStatus {
        phase: phase(status["phase"].as_str()),
        reason: text(&status["reason"]),
        message: text(&status["message"]),
        conditions: conditions.filter_map(condition).collect(),
        containers: containers(pod, new_image).collect(),
    }
}

/// Whether the node has told anything of the pod: before that, what is shown is nobody's word.
pub(super) fn is_told(pod: &Value) -> bool {
    let told = |(_, status, _): &(&str, &str, List)| pod["status"][*status].is_array();
    LISTS.iter().any(told)
}

/// What the node has told of each container, as it is.
pub(super) fn all_statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    let lists = LISTS.iter();
    let lists = lists.filter_map(|(_, status, _)| pod["status"][*status].as_array());
    lists.flatten()
}

/// A container of which the node has not told anything is waiting.
fn containers<'p>(
    pod: &'p Value,
    new_image: &'p str,
) -> impl Iterator<Item = ContainerStatus> + 'p {
    LISTS.into_iter().flat_map(move |(spec, status, list)| {
        let statuses = pod["status"][status].as_array();
        let containers = pod["spec"][spec].as_array().into_iter().flatten();
        containers.map(move |container| {
            let name = container["name"].as_str().unwrap_or_default();
            let mut statuses = statuses.into_iter().flatten();
            let told = statuses.find(|status| status["name"] == name);
            match told {
                Some(told) => self::container(told, list, new_image),
                None => unknown(name, list),
            }
        })
    })
}

fn container(told: &Value, list: List, new_image: &str) -> ContainerStatus {
    let image = told["image"].as_str().filter(|image| !image.is_empty());
    ContainerStatus {
        name: text(&told["name"]).unwrap_or_default(),
        list,
        image: image.map(|image| scenario_image(image, new_image).into()),
        state: state(&told["state"]),
        last: terminated(&told["lastState"]["terminated"]),
        ready: told["ready"].as_bool().unwrap_or_default(),
        started: told["started"].as_bool().unwrap_or_default(),
        restarts: number(&told["restartCount"]).unwrap_or_default(),
    }
}

fn unknown(name: &str, list: List) -> ContainerStatus {
    ContainerStatus {
        name: name.into(),
        list,
        image: None,
        state: ContainerState::Waiting {
            reason: "",
            message: None,
        },
        last: None,
        ready: false,
        started: false,
        restarts: 0,
    }
}

fn state(told: &Value) -> ContainerState {
    if told["running"].is_object() {
        return ContainerState::Running { since: Tick::ZERO };
    }
    match terminated(&told["terminated"]) {
        Some(terminated) => ContainerState::Terminated(terminated),
        None => ContainerState::Waiting {
            reason: intern(told["waiting"]["reason"].as_str().unwrap_or_default()),
            message: text(&told["waiting"]["message"]),
        },
    }
}

fn terminated(told: &Value) -> Option<Terminated> {
    told.as_object()?;
    Some(Terminated {
        code: number(&told["exitCode"]).unwrap_or_default(),
        signal: number(&told["signal"]),
        reason: text(&told["reason"]).unwrap_or_default(),
        message: text(&told["message"]),
        started: None,
        finished: Tick::ZERO,
    })
}

fn condition(told: &Value) -> Option<Condition> {
    let name = told["type"].as_str()?;
    let kind = CONDITIONS.into_iter().find(|kind| kind.as_str() == name)?;
    let reason = told["reason"].as_str().filter(|reason| !reason.is_empty());
    Some(Condition {
        kind,
        status: told["status"] == "True",
        reason: reason.map(intern),
        message: text(&told["message"]),
    })
}

fn phase(told: Option<&str>) -> Phase {
    let all = [Phase::Running, Phase::Succeeded, Phase::Failed];
    let found = all.into_iter().find(|phase| told == Some(phase.as_str()));
    found.unwrap_or(Phase::Pending)
}

fn text(told: &Value) -> Option<Box<str>> {
    let text = told.as_str().filter(|text| !text.is_empty());
    text.map(Into::into)
}

fn number<N: TryFrom<i64>>(told: &Value) -> Option<N> {
    told.as_i64().and_then(|number| N::try_from(number).ok())
}

/// The same text for ever. There are only as many reasons as Kubernetes has words for them.
fn intern(text: &str) -> &'static str {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(word) = words.get(text) {
        return word;
    }
    let word = Box::leak(text.to_owned().into_boxed_str());
    words.insert(word);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pod_of_which_nothing_is_told_waits() {
        let pod = json!({"spec": {"containers": [{"name": "m1"}]}, "status": {"phase": "Pending"}});

        let status = read(&pod, "new");

        assert!(!is_told(&pod));
        assert_eq!(status.phase, Phase::Pending);
        let main = status.container("m1").unwrap();
        assert!(matches!(main.state, ContainerState::Waiting { .. }));
    }

    #[test]
    fn what_is_told_of_a_container_is_read() {
        let pod = json!({
            "spec": {"initContainers": [{"name": "i1"}], "containers": [{"name": "m1"}]},
            "status": {
                "phase": "Running",
                "conditions": [
                    {"type": "Ready", "status": "False", "reason": "ContainersNotReady"},
                    {"type": "Other", "status": "True"},
                ],
                "initContainerStatuses": [{
                    "name": "i1", "ready": true, "restartCount": 0, "image": "docker.io/pillion/actor:1",
                    "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
                }],
                "containerStatuses": [{
                    "name": "m1", "ready": false, "started": false, "restartCount": 2,
                    "image": "docker.io/pillion/actor:2",
                    "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 20s"}},
                    "lastState": {"terminated": {"exitCode": 137, "signal": 9, "reason": "Error"}},
                }],
            },
        });

        let status = read(&pod, "new");

        let ready = status.condition(ConditionKind::Ready).unwrap();
        assert_eq!(
            (ready.status, ready.reason),
            (false, Some("ContainersNotReady"))
        );
        assert_eq!(status.conditions.len(), 1);
        let init = status.container("i1").unwrap();
        assert_eq!(init.image.as_deref(), Some("actor"));
        assert!(matches!(&init.state, ContainerState::Terminated(end) if end.code == 0));
        let main = status.container("m1").unwrap();
        assert_eq!((main.restarts, main.image.as_deref()), (2, Some("new")));
        assert!(matches!(
            main.state,
            ContainerState::Waiting {
                reason: "CrashLoopBackOff",
                ..
            }
        ));
        assert_eq!(main.last.as_ref().map(|last| last.code), Some(137));
    }
}
