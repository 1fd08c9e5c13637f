//! A draft as the text of a pod file.

use super::draft::{
    Amounts, ContainerDraft, Kind, MountDraft, PodDraft, Policy, PortDraft, ProbeDraft,
    RequirementDraft, UntilDraft, VolumeDraft, VolumeKind,
};
use super::escape::{escape, escape_all};
use super::yaml::{Map, Yaml, document, harmless};
use crate::wrap::wrap;
use std::collections::BTreeSet;

/// The whole file: a comment that says what was decided, and the pod.
pub(crate) fn text(pod: &PodDraft, origin: &str) -> String {
    let mut text = format!(
        "# Converted from {} by `pillion convert`.\n",
        harmless(origin)
    );
    if !pod.remarks.is_empty() {
        text.push_str("#\n");
    }
    for remark in &pod.remarks {
        for (number, line) in wrap(remark, 94).into_iter().enumerate() {
            text.push_str(if number == 0 { "# - " } else { "#   " });
            text.push_str(&harmless(&line));
            text.push('\n');
        }
    }
    text + &document(&object(pod))
}

fn object(pod: &PodDraft) -> Map {
    Map::default()
        .with("apiVersion", "v1")
        .with("kind", "Pod")
        .with("metadata", Map::default().with("name", pod.name.as_str()))
        .with("spec", spec(pod))
}

fn spec(pod: &PodDraft) -> Map {
    let policy = pod.policy();
    let mut spec = Map::default();
    if pod
        .containers
        .iter()
        .any(|container| container.stop_signal.is_some())
    {
        spec.comment("A cluster wants to know this before it takes a `stopSignal`.");
        spec.push("os", Map::in_braces().with("name", "linux"));
    }
    spec.push("restartPolicy", policy.as_str());
    spec.push_with(
        "terminationGracePeriodSeconds",
        pod.grace(),
        Some("enough for the longest chain of stops".to_owned()),
    );
    let containers = pod
        .containers
        .iter()
        .map(|one| container(one, policy).into());
    spec.push("containers", Yaml::List(containers.collect()));
    if !pod.volumes.is_empty() {
        let volumes = pod.volumes.iter().map(|one| volume(one).into());
        spec.push("volumes", Yaml::List(volumes.collect()));
    }
    spec
}

fn container(draft: &ContainerDraft, policy: Policy) -> Map {
    let mut map = Map::default().with("name", draft.name.as_str());
    for remark in &draft.remarks {
        map.comment(remark);
    }
    map.push_some("image", draft.image.as_deref());
    push_process(&mut map, draft);
    push_life(&mut map, draft, policy);
    push_surroundings(&mut map, draft);
    map
}

/// What is run.
fn push_process(map: &mut Map, draft: &ContainerDraft) {
    let names: BTreeSet<&str> = draft.env.iter().map(|(name, _)| &**name).collect();
    for line in &draft.missing_command {
        map.comment(line);
    }
    if !draft.command.is_empty() {
        map.push("command", Yaml::texts(escape_all(&draft.command, &names)));
    }
    if !draft.args.is_empty() {
        map.push("args", Yaml::texts(escape_all(&draft.args, &names)));
    }
    map.push_some("workingDir", draft.working_dir.as_deref());
    if draft.stdin {
        map.push("stdin", true);
    }
    if draft.tty {
        map.push("tty", true);
    }
    if !draft.env.is_empty() {
        let entry = |(name, value): &(String, String)| {
            let value = escape(value, &names);
            Map::in_braces()
                .with("name", name.as_str())
                .with("value", value)
                .into()
        };
        map.push("env", Yaml::List(draft.env.iter().map(entry).collect()));
    }
}

/// When it starts, is ready, is started again and stops.
fn push_life(map: &mut Map, draft: &ContainerDraft, policy: Policy) {
    match draft.kind {
        Kind::Service => {}
        Kind::Oneshot => map.push("oneshot", true),
        Kind::Keystone => map.push("keystone", true),
    }
    if draft.no_network {
        map.push("network", "none");
    }
    if !draft.requires.is_empty() {
        let requires = draft.requires.iter().map(requirement);
        map.push("requires", Yaml::List(requires.collect()));
    }
    if draft.restart.policy != policy {
        map.push("restartPolicy", draft.restart.policy.as_str());
    }
    if let Some(most) = draft.restart.max_restarts {
        map.push("backoff", Map::in_braces().with("maxRestarts", most));
        // Compose stops everything only if somebody waits for the end of the one that failed.
        if !draft.is_oneshot() {
            map.comment("When it gives up, the others go on.");
            map.push("onGiveUp", "unready");
        }
    }
    if let Some(probe) = &draft.readiness {
        push_probe(map, probe, draft);
    }
    push_hooks(map, draft);
    if !draft.is_oneshot() {
        map.push("stopTimeoutSeconds", draft.stop_seconds);
    }
}

fn requirement(draft: &RequirementDraft) -> Yaml {
    let RequirementDraft {
        container,
        until,
        soft,
        restarts,
    } = draft;
    let mut map = Map::in_braces().with("container", container.as_str());
    if *until == UntilDraft::Started {
        map.push("until", "started");
    }
    if *soft {
        map.push("need", "soft");
    }
    if *restarts {
        map.push("onRestart", "restart");
    }
    let short = *until == UntilDraft::Default && !soft && !restarts;
    if short {
        container.as_str().into()
    } else {
        map.into()
    }
}

fn push_probe(map: &mut Map, probe: &ProbeDraft, draft: &ContainerDraft) {
    let ProbeDraft {
        command,
        period,
        timeout,
        failures,
        remarks,
    } = probe;
    for remark in remarks {
        map.comment(remark);
    }
    let names: BTreeSet<&str> = draft.env.iter().map(|(name, _)| &**name).collect();
    let command = Yaml::texts(escape_all(command, &names));
    map.push(
        "readinessProbe",
        Map::default()
            .with("exec", Map::in_braces().with("command", command))
            .with("periodSeconds", *period)
            .with("timeoutSeconds", *timeout)
            .with("failureThreshold", *failures),
    );
}

fn push_hooks(map: &mut Map, draft: &ContainerDraft) {
    let mut lifecycle = Map::default();
    for (key, command) in [
        ("postStart", &draft.post_start),
        ("preStop", &draft.pre_stop),
    ] {
        if !command.is_empty() {
            let exec = Map::in_braces().with("command", Yaml::texts(command));
            lifecycle.push(key, Map::in_braces().with("exec", exec));
        }
    }
    lifecycle.push_some("stopSignal", draft.stop_signal.as_deref());
    if !lifecycle.is_empty() {
        map.push("lifecycle", lifecycle);
    }
}

/// What it may use.
fn push_surroundings(map: &mut Map, draft: &ContainerDraft) {
    if !draft.ports.is_empty() {
        map.push("ports", Yaml::List(draft.ports.iter().map(port).collect()));
    }
    let mut security = Map::in_braces();
    security.push_some("runAsUser", draft.user);
    security.push_some("runAsGroup", draft.group);
    if !security.is_empty() {
        map.push("securityContext", security);
    }
    let mut resources = Map::in_braces();
    resources.push_some("requests", amounts(&draft.requests));
    resources.push_some("limits", amounts(&draft.limits));
    if !resources.is_empty() {
        map.push("resources", resources);
    }
    if !draft.mounts.is_empty() {
        map.push(
            "volumeMounts",
            Yaml::List(draft.mounts.iter().map(mount).collect()),
        );
    }
}

fn port(draft: &PortDraft) -> Yaml {
    let PortDraft {
        number,
        protocol,
        published,
    } = draft;
    let elsewhere = published
        .as_ref()
        .filter(|host| **host != number.to_string());
    let mut map = if elsewhere.is_some() {
        Map::default()
    } else {
        Map::in_braces()
    };
    let aside = elsewhere.map(|host| format!("published as {host}"));
    map.push_with("containerPort", u64::from(*number), aside);
    if *protocol != "TCP" {
        map.push("protocol", *protocol);
    }
    map.into()
}

fn amounts(amounts: &Amounts) -> Option<Map> {
    let Amounts { cpu, memory } = amounts;
    let mut map = Map::in_braces();
    map.push_some("cpu", cpu.clone().map(Yaml::Bare));
    map.push_some("memory", memory.clone().map(Yaml::Bare));
    (!map.is_empty()).then_some(map)
}

fn mount(draft: &MountDraft) -> Yaml {
    let MountDraft {
        volume,
        path,
        read_only,
        sub_path,
    } = draft;
    let mut map = Map::in_braces()
        .with("name", volume.as_str())
        .with("mountPath", path.as_str());
    map.push_some("subPath", sub_path.as_deref());
    if *read_only {
        map.push("readOnly", true);
    }
    map.into()
}

fn volume(draft: &VolumeDraft) -> Map {
    let VolumeDraft { name, kind, remark } = draft;
    let mut map = match (remark, kind) {
        // A path of the machine is long, or not, by where the project lies: that should not change the form.
        (Some(_), _) | (None, VolumeKind::Host(_)) => Map::default(),
        (None, VolumeKind::Empty | VolumeKind::Memory(_)) => Map::in_braces(),
    };
    map.push_with("name", name.as_str(), remark.clone());
    match kind {
        VolumeKind::Empty => map.push("emptyDir", Map::in_braces()),
        VolumeKind::Memory(limit) => {
            let mut memory = Map::in_braces().with("medium", "Memory");
            memory.push_some("sizeLimit", limit.clone().map(Yaml::Bare));
            map.push("emptyDir", memory);
        }
        VolumeKind::Host(path) => {
            map.push("hostPath", Map::in_braces().with("path", path.as_str()));
        }
    }
    map
}
