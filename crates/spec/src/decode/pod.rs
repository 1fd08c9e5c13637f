//! Pods.

use super::annotation::Annotation;
use super::metadata::metadata;
use super::{container, flag, items, resources, security, some_text, text, texts, volume, word};
use super::{long_count, number, quantities};
use crate::container::{Container, ContainerList};
use crate::findings::Findings;
use crate::pod::{Pod, PodSpec};
use crate::restart::RestartPolicy;
use crate::security::PodSecurity;
use crate::tree::Node;
use crate::word::Word;

/// How long an ordered stop may take if nothing is said.
const DEFAULT_GRACE: u64 = 30;

/// The pod in a document or in a template of one.
pub(crate) fn pod(
    node: Node<'_>,
    annotation: Option<&Annotation>,
    findings: &mut Findings,
) -> Option<Pod> {
    let spec = node.get("spec").filter(|spec| spec.is_mapping())?;
    Some(Pod {
        metadata: metadata(node),
        spec: pod_spec(spec, annotation, findings),
    })
}

fn pod_spec(node: Node<'_>, annotation: Option<&Annotation>, findings: &mut Findings) -> PodSpec {
    let mut containers = |list: ContainerList| -> Vec<Container> {
        // Entries that are no containers keep their place, so that indices stay those of the file.
        let entries = node.get(list.as_str()).into_iter().flat_map(Node::items);
        let decode = |entry: Node<'_>| {
            let name = some_text(entry, "name").unwrap_or_default();
            let annotated = annotation.and_then(|annotation| annotation.container(&name));
            container::container(entry, annotated, findings)
        };
        entries.map(decode).collect()
    };
    PodSpec {
        init_containers: containers(ContainerList::Init),
        containers: containers(ContainerList::Regular),
        ephemeral_containers: containers(ContainerList::Ephemeral),
        restart_policy: word(node, "restartPolicy").unwrap_or(RestartPolicy::Always),
        termination_grace_period_seconds: long_count(
            node,
            "terminationGracePeriodSeconds",
            0,
            findings,
        )
        .unwrap_or(DEFAULT_GRACE),
        active_deadline_seconds: number(
            node,
            "activeDeadlineSeconds",
            1..=i64::from(i32::MAX),
            findings,
        )
        .and_then(|seconds| u64::try_from(seconds).ok()),
        volumes: items(node, "volumes")
            .filter_map(|node| volume::volume(node, findings))
            .collect(),
        host_network: flag(node, "hostNetwork").unwrap_or(false),
        host_pid: flag(node, "hostPID").unwrap_or(false),
        host_ipc: flag(node, "hostIPC").unwrap_or(false),
        host_users: flag(node, "hostUsers"),
        share_process_namespace: flag(node, "shareProcessNamespace").unwrap_or(false),
        hostname: some_text(node, "hostname"),
        subdomain: some_text(node, "subdomain"),
        host_aliases: items(node, "hostAliases").filter_map(host_alias).collect(),
        dns_policy: some_text(node, "dnsPolicy"),
        node_name: some_text(node, "nodeName"),
        runtime_class_name: some_text(node, "runtimeClassName"),
        service_account_name: some_text(node, "serviceAccountName"),
        automount_service_account_token: flag(node, "automountServiceAccountToken"),
        image_pull_secrets: items(node, "imagePullSecrets")
            .filter_map(|secret| some_text(secret, "name"))
            .collect(),
        security_context: node
            .get("securityContext")
            .map_or_else(PodSecurity::default, |node| {
                security::pod_security(node, findings)
            }),
        os: node.get("os").and_then(|os| some_text(os, "name")),
        resources: node.get("resources").map(resources::resources),
        overhead: quantities(node, "overhead"),
    }
}

fn host_alias(node: Node<'_>) -> Option<(String, Vec<String>)> {
    Some((text(node, "ip")?, texts(node, "hostnames")))
}
