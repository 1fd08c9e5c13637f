//! Environment variables.

use super::{bad_format, flag, items, needs, only_one, quantity, some_text, text, two_given};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::env::{EnvFrom, EnvSource, EnvValue, EnvVar, KeyRef, ObjectRef, ResourceRef};
use crate::findings::Findings;
use crate::name;
use crate::tree::Node;

pub(super) fn env(container: Node<'_>, findings: &mut Findings) -> Vec<EnvVar> {
    items(container, "env")
        .filter_map(|node| variable(node, findings))
        .collect()
}

pub(super) fn env_from(container: Node<'_>, findings: &mut Findings) -> Vec<EnvFrom> {
    items(container, "envFrom")
        .filter_map(|node| source(node, findings))
        .collect()
}

fn variable(node: Node<'_>, findings: &mut Findings) -> Option<EnvVar> {
    check_name(node, "name", findings);
    let name = some_text(node, "name")?;
    let plain = text(node, "value");
    let Some(from) = node.get("valueFrom").filter(|from| from.is_mapping()) else {
        return Some(EnvVar {
            name,
            value: EnvValue::Text(plain.unwrap_or_default()),
        });
    };
    if plain.is_some_and(|text| !text.is_empty()) {
        findings.push(two_given(node, "a variable", "value", "valueFrom"));
    }
    value_from(from, findings).map(|value| EnvVar { name, value })
}

fn value_from(node: Node<'_>, findings: &mut Findings) -> Option<EnvValue> {
    let ways = [
        "configMapKeyRef",
        "fieldRef",
        "fileKeyRef",
        "resourceFieldRef",
        "secretKeyRef",
    ];
    let (way, node) = only_one(node, &ways, "`valueFrom`", findings)?;
    match way {
        "configMapKeyRef" => {
            key_ref(node, "`configMapKeyRef`", findings).map(EnvValue::ConfigMapKey)
        }
        "secretKeyRef" => key_ref(node, "`secretKeyRef`", findings).map(EnvValue::SecretKey),
        "fieldRef" => field_ref(node, ENV_FIELDS, findings).map(|path| EnvValue::Field { path }),
        "resourceFieldRef" => resource_ref(node, findings).map(EnvValue::Resource),
        _ => Some(EnvValue::FileKey {
            volume: text(node, "volumeName")?,
            path: text(node, "path")?,
            key: text(node, "key")?,
            optional: flag(node, "optional").unwrap_or(false),
        }),
    }
}

fn key_ref(node: Node<'_>, what: &str, findings: &mut Findings) -> Option<KeyRef> {
    needs(node, "name", what, findings);
    Some(KeyRef {
        name: some_text(node, "name")?,
        key: some_text(node, "key")?,
        optional: flag(node, "optional").unwrap_or(false),
    })
}

/// The fields of a pod that an environment variable can show.
const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// A path of a field of the pod; labels and annotations take a key in brackets.
pub(super) fn field_ref(node: Node<'_>, known: &[&str], findings: &mut Findings) -> Option<String> {
    let value = node.get("fieldPath")?;
    let path = value.as_str()?;
    let subscripted = ["metadata.labels['", "metadata.annotations['"]
        .iter()
        .any(|start| {
            path.strip_prefix(start)
                .is_some_and(|key| key.ends_with("']"))
        });
    if !known.contains(&path) && !subscripted {
        let message = format!("`fieldPath` cannot be `{path}`");
        let diagnostic = Diagnostic::new(Code::UnknownValue, message);
        let diagnostic = diagnostic.primary(value.span(), "no field that can be shown");
        findings.push(diagnostic.help(format!(
            "it takes {}, or one label or annotation: `metadata.labels['app']`",
            known.join(", ")
        )));
    }
    Some(path.to_owned())
}

pub(super) fn resource_ref(node: Node<'_>, findings: &mut Findings) -> Option<ResourceRef> {
    let value = node.get("resource")?;
    let resource = value.as_str()?;
    let known = resource.split_once('.').is_some_and(|(list, name)| {
        let name = matches!(name, "cpu" | "memory" | "ephemeral-storage")
            || name.starts_with("hugepages-");
        matches!(list, "limits" | "requests") && name
    });
    if !known {
        let message = format!("`resource` cannot be `{resource}`");
        let diagnostic = Diagnostic::new(Code::UnknownValue, message);
        let diagnostic = diagnostic.primary(value.span(), "no amount that can be shown");
        findings.push(diagnostic.help("for example `limits.cpu` or `requests.memory`"));
    }
    Some(ResourceRef {
        container: some_text(node, "containerName"),
        resource: resource.to_owned(),
        divisor: quantity(node, "divisor"),
    })
}

fn source(node: Node<'_>, findings: &mut Findings) -> Option<EnvFrom> {
    check_name(node, "prefix", findings);
    let ways = ["configMapRef", "secretRef"];
    let (way, object) = only_one(node, &ways, "an entry of `envFrom`", findings)?;
    needs(object, "name", &format!("`{way}`"), findings);
    let object = ObjectRef {
        name: some_text(object, "name")?,
        optional: flag(object, "optional").unwrap_or(false),
    };
    let source = match way {
        "configMapRef" => EnvSource::ConfigMap(object),
        _ => EnvSource::Secret(object),
    };
    Some(EnvFrom {
        prefix: text(node, "prefix").unwrap_or_default(),
        source,
    })
}

fn check_name(node: Node<'_>, key: &str, findings: &mut Findings) {
    let Some(value) = node.get(key) else { return };
    let Some(text) = value.as_str() else { return };
    if key == "name" && text.is_empty() {
        needs(node, "name", "a variable", findings);
    } else if !text.is_empty() && !name::is_env_name(text) {
        let message = "a variable's name is made of printable ASCII without `=`".to_owned();
        findings.push(bad_format(value.span(), message, "not such a name"));
    }
}
