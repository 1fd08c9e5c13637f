//! A pod's status with the names that Kubernetes has for it.

use pillion_engine::Tick;
use pillion_engine::pod::List;
use pillion_engine::status::{Condition, ContainerState, ContainerStatus, PodStatus, Terminated};
use pillion_timeline::{Base, Wall};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The value of `status`.
pub(super) fn of(status: &PodStatus, base: Base) -> Value {
    let mut object = Map::new();
    object.insert("phase".to_owned(), json!(status.phase.as_str()));
    put(&mut object, "reason", status.reason.as_deref());
    put(&mut object, "message", status.message.as_deref());
    object.insert("startTime".to_owned(), time(base, base.tick));
    let conditions: Vec<_> = status.conditions.iter().map(condition).collect();
    object.insert("conditions".to_owned(), json!(conditions));
    let lists = [
        (List::Init, "initContainerStatuses"),
        (List::Regular, "containerStatuses"),
        (List::Ephemeral, "ephemeralContainerStatuses"),
    ];
    for (list, name) in lists {
        let containers = status.containers.iter().filter(|one| one.list == list);
        let containers: Vec<_> = containers.map(|one| container(one, base)).collect();
        if !containers.is_empty() {
            object.insert(name.to_owned(), json!(containers));
        }
    }
    Value::Object(object)
}

/// A moment as Kubernetes writes it: to the second.
pub(super) fn time(base: Base, tick: Tick) -> Value {
    let began = base.wall.unwrap_or(Wall::from_unix(Duration::ZERO));
    let at = began.after(tick.since(base.tick)).to_string();
    let seconds = at
        .split_once('.')
        .map_or(at.as_str(), |(seconds, _)| seconds);
    json!(format!("{seconds}Z"))
}

fn condition(condition: &Condition) -> Value {
    let mut object = Map::new();
    object.insert("type".to_owned(), json!(condition.kind.as_str()));
    let status = if condition.status { "True" } else { "False" };
    object.insert("status".to_owned(), json!(status));
    put(&mut object, "reason", condition.reason);
    put(&mut object, "message", condition.message.as_deref());
    Value::Object(object)
}

fn container(status: &ContainerStatus, base: Base) -> Value {
    let last = status.last.as_ref();
    json!({
        "name": &*status.name,
        "image": status.image.as_deref().unwrap_or_default(),
        "imageID": "",
        "ready": status.ready,
        "started": status.started,
        "restartCount": status.restarts,
        "state": state(&status.state, base),
        "lastState": last.map_or(json!({}), |end| json!({"terminated": terminated(end, base)})),
    })
}

fn state(state: &ContainerState, base: Base) -> Value {
    match state {
        ContainerState::Waiting { reason, message } => {
            let mut waiting = Map::new();
            put(&mut waiting, "reason", Some(reason));
            put(&mut waiting, "message", message.as_deref());
            json!({ "waiting": waiting })
        }
        ContainerState::Running { since } => json!({"running": {"startedAt": time(base, *since)}}),
        ContainerState::Terminated(end) => json!({"terminated": terminated(end, base)}),
    }
}

fn terminated(end: &Terminated, base: Base) -> Value {
    let mut object = Map::new();
    object.insert("exitCode".to_owned(), json!(end.code));
    if let Some(signal) = end.signal {
        object.insert("signal".to_owned(), json!(signal));
    }
    put(&mut object, "reason", Some(&end.reason));
    put(&mut object, "message", end.message.as_deref());
    let started = end.started.map_or(Value::Null, |at| time(base, at));
    object.insert("startedAt".to_owned(), started);
    object.insert("finishedAt".to_owned(), time(base, end.finished));
    Value::Object(object)
}

fn put(object: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.insert(key.to_owned(), json!(text));
    }
}
