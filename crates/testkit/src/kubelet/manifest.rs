//! Makes of a scenario's pod what the API server is given: every container is an actor, every hook and probe asks the
//! actor, by a command or over the network as the pod says, and all of them find the stage in a folder of the node.

use super::late;
use crate::cluster::files::{IMAGE, OTHER_IMAGE};
use crate::processes::network::{LISTS, Network};
use pillion_engine::pod::ProbeKind;
use pillion_simulator::actor::{Answers, Script};
use pillion_simulator::line::{Part, Who};
use pillion_simulator::{Scenario, actor::PerRun};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The image of a container that a scenario gives none.
const OWN: &str = "actor";

/// The name by which a scenario calls an image that cannot be pulled.
pub(crate) const UNPULLABLE: &str = "unpullable";

/// The label of every pod that is played.
pub const LABEL: (&str, &str) = ("pillion", "play");

/// Nobody listens there, so a pull fails at once.
const NOWHERE: &str = "127.0.0.1:1/unpullable:1";

/// A probe that answers at once gets so many seconds, whatever the pod says: the node may have much to do.
const PATIENCE: u64 = 10;

/// The pod as it is created, under that name, with the stage in that folder, and the actor where it is.
pub(super) fn manifest(
    pod: &Value,
    name: &str,
    (stage, actor): (&Path, &str),
    scenario: &Scenario,
    network: &Network,
) -> Value {
    let mut pod = pod.clone();
    pod["metadata"]["name"] = name.into();
    pod["metadata"]["labels"] = json!({LABEL.0: LABEL.1});
    let folder = stage.to_string_lossy();
    if let Some(spec) = pod["spec"].as_object_mut() {
        spec.insert("automountServiceAccountToken".into(), false.into());
        spec.insert("enableServiceLinks".into(), false.into());
        spec.insert("dnsPolicy".into(), "Default".into());
        let volume = json!({"name": "stage", "hostPath": {"path": folder, "type": "Directory"}});
        spec.insert("volumes".into(), json!([volume]));
        for list in LISTS {
            let containers = spec.get_mut(list).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                cast(container, name, (&folder, actor), scenario, network);
            }
        }
    }
    pod
}

/// The image as the node knows it.
pub(super) fn image(name: &str) -> &str {
    match name {
        OWN => IMAGE,
        UNPULLABLE => NOWHERE,
        _ => OTHER_IMAGE,
    }
}

/// The image as a scenario calls it that changes images to this one.
pub(super) fn scenario_image<'n>(image: &'n str, other: &'n str) -> &'n str {
    let short = image.strip_prefix("docker.io/").unwrap_or(image);
    match short {
        IMAGE => OWN,
        NOWHERE => UNPULLABLE,
        OTHER_IMAGE => other,
        _ => image,
    }
}

fn cast(
    container: &mut Value,
    pod: &str,
    (folder, actor): (&str, &str),
    scenario: &Scenario,
    network: &Network,
) {
    let name = container["name"].as_str().unwrap_or_default().to_owned();
    let script = scenario
        .scripts
        .get(name.as_str())
        .cloned()
        .unwrap_or_default();
    let Some(fields) = container.as_object_mut() else {
        return;
    };
    let named = fields.get("image").and_then(Value::as_str).unwrap_or(OWN);
    let found = if script.pull.fails > 0 {
        NOWHERE
    } else {
        image(named)
    };
    fields.insert("image".into(), found.into());
    fields.insert("imagePullPolicy".into(), "IfNotPresent".into());
    fields.insert("command".into(), json!([actor, "run", folder, name]));
    if late::is_late(&script) {
        fields.insert("env".into(), late::variable(pod));
    }
    let mount = json!({"name": "stage", "mountPath": folder});
    fields.insert("volumeMounts".into(), json!([mount]));
    let ask = |verb: &str, part: Part| {
        let request = network.request(&Who::part(&name, part)).cloned();
        let command = json!([actor, verb, folder, name, part.as_str()]);
        request.unwrap_or_else(|| json!({"exec": {"command": command}}))
    };
    if let Some(hooks) = fields.get_mut("lifecycle").and_then(Value::as_object_mut) {
        for part in [Part::PostStart, Part::PreStop] {
            hook(hooks, part, ask("hook", part));
        }
    }
    for kind in ProbeKind::ALL {
        let part = Part::from(kind);
        let probe = fields.get_mut(&format!("{}Probe", part.as_str()));
        if let Some(fields) = probe.and_then(Value::as_object_mut) {
            probe_with(fields, ask("probe", part), &script, kind);
        }
    }
}

/// A sleep is the kubelet's own; everything else is for the actor.
fn hook(hooks: &mut Map<String, Value>, part: Part, ask: Value) {
    if let Some(hook) = hooks.get_mut(part.as_str())
        && hook.get("sleep").is_none()
    {
        *hook = ask;
    }
}

fn probe_with(fields: &mut Map<String, Value>, ask: Value, script: &Script, kind: ProbeKind) {
    if let Value::Object(ask) = ask {
        fields.extend(ask);
    }
    let timeout = fields.get("timeoutSeconds").and_then(Value::as_u64);
    if is_quick(script.probe(kind)) {
        let timeout = timeout.unwrap_or(1).max(PATIENCE);
        fields.insert("timeoutSeconds".into(), timeout.into());
    }
}

/// Whether an attempt takes no time but that of starting it.
fn is_quick(answers: &PerRun<Answers>) -> bool {
    answers.values().all(|answers| match answers {
        Answers::Ok | Answers::Fail => true,
        Answers::Hang => false,
        Answers::Timed { takes, .. } => takes.is_zero(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_simulator::scenario::read;
    use std::net::Ipv4Addr;

    fn made(text: &str) -> Value {
        let reading = read::read("test", text.as_bytes(), &mut |_| Err(String::new()));
        let scenario = reading.scenario.unwrap();
        let pod = serde_json::from_str(&reading.pod.unwrap()).unwrap();
        let place = |port: u16| Ok((Ipv4Addr::UNSPECIFIED, port).into());
        let network = Network::of(&pod, &scenario, place).unwrap();
        manifest(
            &pod,
            "p1",
            (Path::new("/stage"), "/actor"),
            &scenario,
            &network,
        )
    }

    #[test]
    fn every_container_is_an_actor_on_the_stage() {
        let pod = made(
            "pod: {spec: {initContainers: [{name: i1}], containers: [{name: m1, image: new}]}}",
        );

        assert_eq!(pod["metadata"]["name"], "p1");
        let init = &pod["spec"]["initContainers"][0];
        assert_eq!(init["command"], json!(["/actor", "run", "/stage", "i1"]));
        assert_eq!(init["image"], IMAGE);
        assert_eq!(pod["spec"]["containers"][0]["image"], OTHER_IMAGE);
        let volume = &pod["spec"]["volumes"][0];
        assert_eq!(volume["hostPath"]["path"], "/stage");
    }

    #[test]
    fn a_container_that_cannot_be_created_at_first_misses_something() {
        let pod = made(
            "pod: {spec: {containers: [{name: m1}, {name: m2}]}}\n\
             actors: {m1: {create: {fails: 1, reason: CreateContainerConfigError}}}",
        );

        let from = &pod["spec"]["containers"][0]["env"][0]["valueFrom"];
        assert_eq!(from["configMapKeyRef"]["name"], "p1");
        assert_eq!(pod["spec"]["containers"][1].get("env"), None);
    }

    #[test]
    fn probes_and_hooks_ask_the_actor_and_sleeps_are_left() {
        let pod = made(
            "pod:\n  spec:\n    containers:\n      - name: m1\n        \
             livenessProbe: {httpGet: {port: 80}, periodSeconds: 3}\n        \
             readinessProbe: {exec: {command: [actor]}, timeoutSeconds: 2}\n        \
             lifecycle: {postStart: {exec: {command: [actor]}}, preStop: {sleep: {seconds: 5}}}\n\
             actors: {m1: {readiness: hang}}",
        );

        let main = &pod["spec"]["containers"][0];
        let header = json!({"name": "Pillion-Part", "value": "m1/liveness"});
        let liveness = json!({"port": 80, "httpHeaders": [header]});
        assert_eq!(main["livenessProbe"]["httpGet"], liveness);
        assert_eq!(main["livenessProbe"]["periodSeconds"], 3);
        assert_eq!(main["livenessProbe"]["timeoutSeconds"], PATIENCE);
        assert_eq!(main["livenessProbe"].get("exec"), None);
        let readiness = json!(["/actor", "probe", "/stage", "m1", "readiness"]);
        assert_eq!(main["readinessProbe"]["exec"]["command"], readiness);
        assert_eq!(main["readinessProbe"]["timeoutSeconds"], 2);
        let hook = json!(["/actor", "hook", "/stage", "m1", "postStart"]);
        assert_eq!(main["lifecycle"]["postStart"]["exec"]["command"], hook);
        assert_eq!(
            main["lifecycle"]["preStop"],
            json!({"sleep": {"seconds": 5}})
        );
    }

    #[test]
    fn images_have_a_name_on_the_node_and_one_in_the_scenario() {
        for name in ["actor", "unpullable", "new"] {
            assert_eq!(scenario_image(image(name), "new"), name);
        }
        assert_eq!(scenario_image("docker.io/pillion/actor:2", "new"), "new");
    }
}
