//! A pod that runs, as `kubectl get` would show it: what its file says, and its status.

use super::About;
use super::status;
use pillion_engine::Engine;
use pillion_spec::source::Source;
use pillion_spec::tree::{Documents, Node, Value};
use serde_json::{Map, Number, Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The object, or why there is none. Some containers are not as the file has them, but like this.
pub(super) fn of(
    about: &About,
    engine: &Engine,
    otherwise: &BTreeMap<String, Json>,
) -> Result<Json, String> {
    let mut pod = written(&about.file, &about.name)?;
    for container in lists(&mut pod["spec"]) {
        if let Some(other) = name_of(container).and_then(|name| otherwise.get(name)) {
            *container = other.clone();
        }
    }
    pod["apiVersion"] = json!("v1");
    pod["kind"] = json!("Pod");
    pod["metadata"]["name"] = json!(about.name);
    pod["metadata"]["namespace"] = json!(about.namespace);
    pod["metadata"]["uid"] = json!(about.uid);
    pod["metadata"]["creationTimestamp"] = status::time(about.base, about.base.tick);
    pod["status"] = status::of(&engine.status(), about.base);
    Ok(pod)
}

/// The containers that the file of a pod has, by their names.
pub(in crate::running) fn containers(file: &Path, pod: &str) -> BTreeMap<String, Json> {
    let Ok(mut pod) = written(file, pod) else {
        return BTreeMap::new();
    };
    let all = lists(&mut pod["spec"]);
    let named = all.filter_map(|one| Some((name_of(one)?.to_owned(), one.take())));
    named.collect()
}

fn lists(spec: &mut Json) -> impl Iterator<Item = &mut Json> {
    let lists = spec.as_object_mut().into_iter().flatten();
    let lists = lists.filter(|(key, _)| {
        ["initContainers", "containers", "ephemeralContainers"].contains(&key.as_str())
    });
    lists.flat_map(|(_, list)| list.as_array_mut().into_iter().flatten())
}

fn name_of(container: &Json) -> Option<&str> {
    container.get("name").and_then(Json::as_str)
}

/// Metadata and spec of the pod, as they are written.
fn written(file: &Path, pod: &str) -> Result<Json, String> {
    let unreadable = |error: std::io::Error| format!("the file of the pod cannot be read: {error}");
    let bytes = fs::read(file).map_err(unreadable)?;
    let source = Source::new("pod.yaml", &bytes).map_err(|wrong| wrong.message)?;
    let documents = Documents::of_file(&source);
    let roots = documents.roots.iter().map(|id| documents.tree.node(*id));
    let objects = roots.flat_map(|root| match root.get("items") {
        Some(items) => items.items().collect(),
        None => vec![root],
    });
    let mut pods = objects.filter_map(|object| pod_of(object, pod));
    let (metadata, spec) = pods.next().ok_or("the pod is not in its file any more")?;
    let metadata = metadata.map(value).filter(Json::is_object);
    Ok(json!({"metadata": metadata.unwrap_or(json!({})), "spec": value(spec)}))
}

/// The metadata and the spec of the pod in an object, if it is the one that is looked for.
fn pod_of<'t>(object: Node<'t>, name: &str) -> Option<(Option<Node<'t>>, Node<'t>)> {
    let kind = object.get("kind")?.as_str()?;
    let own = object.get("metadata").and_then(|own| own.get("name"));
    if own.and_then(Node::as_str).is_some_and(|own| own != name) {
        return None;
    }
    let pod = match kind {
        "Pod" => object,
        "PodTemplate" => object.get("template")?,
        "CronJob" => {
            let job = object.get("spec")?.get("jobTemplate")?;
            job.get("spec")?.get("template")?
        }
        _ => object.get("spec")?.get("template")?,
    };
    Some((pod.get("metadata"), pod.get("spec")?))
}

fn value(node: Node<'_>) -> Json {
    match node.value() {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Int(number) => {
            let number = Number::from_i128(*number);
            number.map_or(Json::Null, Json::Number)
        }
        Value::Float(number) => json!(number),
        Value::String(text) => Json::String(text.clone()),
        Value::Sequence(_) => node.items().map(value).collect(),
        Value::Mapping(_) => {
            let entries = node.entries();
            let entries = entries.map(|(key, _, entry)| (key.to_owned(), value(entry)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
    }
}
