//! Reads what Kubernetes events tell of the containers of a pod.

use crate::cluster::api::Api;
use pillion_simulator::record::Event;
use serde_json::Value;

/// Where events are told of the pods of plays.
const EVENTS: &str = "/api/v1/namespaces/default/events";

/// What has been told of the pod of that name. That outlives the pod.
pub(super) fn of(name: &str, api: &Api) -> anyhow::Result<Vec<Event>> {
    let selector = format!("involvedObject.kind%3DPod%2CinvolvedObject.name%3D{name}");
    let list = api.get(&format!("{EVENTS}?fieldSelector={selector}"))?;
    Ok(read(&list))
}

/// The events of a list that are about containers; others are about the pod.
fn read(list: &Value) -> Vec<Event> {
    let events = list["items"].as_array().into_iter().flatten();
    let read = |event: &Value| {
        let field = event["involvedObject"]["fieldPath"].as_str()?;
        let text = |key: &str| event[key].as_str().unwrap_or_default().into();
        Some(Event {
            of: container(field)?.into(),
            reason: text("reason"),
            message: text("message"),
        })
    };
    events.filter_map(read).collect()
}

/// The name in `spec.containers{NAME}`.
fn container(field: &str) -> Option<&str> {
    let (_, name) = field.split_once('{')?;
    name.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_told_of_containers_is_read() {
        let list = json!({
            "kind": "EventList",
            "items": [
                {
                    "involvedObject": {"kind": "Pod", "name": "p1-1"},
                    "reason": "Scheduled", "message": "Successfully assigned default/p1-1 to node",
                },
                {
                    "involvedObject": {"kind": "Pod", "name": "p1-1", "fieldPath": "spec.initContainers{r1}"},
                    "reason": "Killing", "message": "Stopping container r1", "count": 1,
                },
                {
                    "involvedObject": {"kind": "Pod", "name": "p1-1", "fieldPath": "spec.containers{m1}"},
                    "reason": "ProbeWarning", "type": "Warning", "count": 7,
                    "message": "Liveness probe warning: Probe terminated redirects, Response body: <a>Found</a>.",
                },
            ],
        });

        let told = read(&list);

        let told: Vec<_> = told
            .iter()
            .map(|event| (&*event.of, &*event.reason))
            .collect();
        assert_eq!(told, [("r1", "Killing"), ("m1", "ProbeWarning")]);
    }

    #[test]
    fn of_a_pod_of_which_nothing_is_told_there_are_no_events() {
        assert_eq!(read(&json!({"kind": "EventList", "items": []})), []);
    }
}
