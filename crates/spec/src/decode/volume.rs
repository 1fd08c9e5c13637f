//! Volumes and their mounts.

use super::env::{field_ref, resource_ref};
use super::{
    bad_format, flag, items, mode, needs, only_one, quantity, some_text, text, two_given, word,
};
use crate::findings::Findings;
use crate::tree::Node;
use crate::volume::{
    DownwardFile, DownwardFiles, DownwardValue, HostPathType, KeyFile, KeyFiles, Projection,
    Propagation, Volume, VolumeDevice, VolumeMount, VolumeSource,
};

/// What files of a `ConfigMap` or a Secret have if nothing is said.
const DEFAULT_MODE: u32 = 0o644;

pub(super) fn volume(node: Node<'_>, findings: &mut Findings) -> Option<Volume> {
    needs(node, "name", "a volume", findings);
    let name = some_text(node, "name")?;
    Some(Volume {
        name,
        source: source(node, findings),
    })
}

pub(super) fn mount(node: Node<'_>, findings: &mut Findings) -> Option<VolumeMount> {
    for key in ["subPath", "subPathExpr"] {
        check_inside(node, key, findings);
    }
    let sub_path = some_text(node, "subPath");
    let sub_path_expr = some_text(node, "subPathExpr");
    if sub_path.is_some() && sub_path_expr.is_some() {
        findings.push(two_given(node, "a mount", "subPath", "subPathExpr"));
    }
    needs(node, "mountPath", "a mount", findings);
    Some(VolumeMount {
        name: some_text(node, "name")?,
        mount_path: some_text(node, "mountPath")?,
        sub_path,
        sub_path_expr,
        read_only: flag(node, "readOnly").unwrap_or(false),
        recursive_read_only: some_text(node, "recursiveReadOnly"),
        propagation: word(node, "mountPropagation").unwrap_or(Propagation::None),
    })
}

pub(super) fn device(node: Node<'_>) -> Option<VolumeDevice> {
    Some(VolumeDevice {
        name: some_text(node, "name")?,
        device_path: some_text(node, "devicePath")?,
    })
}

fn source(volume: Node<'_>, findings: &mut Findings) -> VolumeSource {
    let sources = volume
        .entries()
        .filter(|(key, _, value)| *key != "name" && value.is_mapping());
    let mut sources = sources.map(|(key, _, value)| (key, value));
    let Some((kind, node)) = sources.next() else {
        return VolumeSource::EmptyDir {
            medium: String::new(),
            size_limit: None,
        };
    };
    if let Some((second, _)) = sources.next() {
        findings.push(two_given(volume, "a volume", kind, second));
    }
    match kind {
        "emptyDir" => VolumeSource::EmptyDir {
            medium: text(node, "medium").unwrap_or_default(),
            size_limit: quantity(node, "sizeLimit"),
        },
        "hostPath" => host_path(node, findings),
        "configMap" => VolumeSource::ConfigMap(key_files(node, "name", "`configMap`", findings)),
        "secret" => VolumeSource::Secret(key_files(node, "secretName", "`secret`", findings)),
        "downwardAPI" => VolumeSource::DownwardApi(downward(node, findings)),
        "projected" => VolumeSource::Projected {
            default_mode: mode(node, "defaultMode", findings).unwrap_or(DEFAULT_MODE),
            sources: items(node, "sources")
                .filter_map(|node| projection(node, findings))
                .collect(),
        },
        other => VolumeSource::Other {
            kind: other.to_owned(),
        },
    }
}

fn host_path(node: Node<'_>, findings: &mut Findings) -> VolumeSource {
    let path = text(node, "path").unwrap_or_default();
    if let Some(value) = node.get("path").filter(|_| has_backsteps(&path)) {
        let message = "a host path must not contain `..`".to_owned();
        findings.push(bad_format(value.span(), message, "leads out of itself"));
    }
    VolumeSource::HostPath {
        path,
        kind: word(node, "type").unwrap_or(HostPathType::Unset),
    }
}

fn key_files(node: Node<'_>, name: &str, what: &str, findings: &mut Findings) -> KeyFiles {
    needs(node, name, what, findings);
    KeyFiles {
        name: text(node, name).unwrap_or_default(),
        items: items(node, "items")
            .filter_map(|node| key_file(node, findings))
            .collect(),
        default_mode: mode(node, "defaultMode", findings).unwrap_or(DEFAULT_MODE),
        optional: flag(node, "optional").unwrap_or(false),
    }
}

fn key_file(node: Node<'_>, findings: &mut Findings) -> Option<KeyFile> {
    check_inside(node, "path", findings);
    Some(KeyFile {
        key: some_text(node, "key")?,
        path: some_text(node, "path")?,
        mode: mode(node, "mode", findings),
    })
}

fn downward(node: Node<'_>, findings: &mut Findings) -> DownwardFiles {
    DownwardFiles {
        items: items(node, "items")
            .filter_map(|node| downward_file(node, findings))
            .collect(),
        default_mode: mode(node, "defaultMode", findings).unwrap_or(DEFAULT_MODE),
    }
}

/// The fields of a pod that a file can show.
const FILE_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.labels",
    "metadata.annotations",
    "metadata.uid",
];

fn downward_file(node: Node<'_>, findings: &mut Findings) -> Option<DownwardFile> {
    check_inside(node, "path", findings);
    let ways = ["fieldRef", "resourceFieldRef"];
    let (way, value) = only_one(node, &ways, "a file of the downward API", findings)?;
    let value = if way == "fieldRef" {
        let path = field_ref(value, FILE_FIELDS, findings)?;
        DownwardValue::Field { path }
    } else {
        needs(
            value,
            "containerName",
            "`resourceFieldRef` in a volume",
            findings,
        );
        DownwardValue::Resource(resource_ref(value, findings)?)
    };
    Some(DownwardFile {
        path: some_text(node, "path")?,
        mode: mode(node, "mode", findings),
        value,
    })
}

fn projection(node: Node<'_>, findings: &mut Findings) -> Option<Projection> {
    let mut sources = node.entries().filter(|(_, _, value)| value.is_mapping());
    let (kind, _, source) = sources.next()?;
    if let Some((second, _, _)) = sources.next() {
        findings.push(two_given(
            node,
            "a part of a projected volume",
            kind,
            second,
        ));
    }
    Some(match kind {
        "configMap" => Projection::ConfigMap(key_files(source, "name", "`configMap`", findings)),
        "secret" => Projection::Secret(key_files(source, "name", "`secret`", findings)),
        "downwardAPI" => Projection::DownwardApi(downward(source, findings)),
        other => Projection::Other {
            kind: other.to_owned(),
        },
    })
}

/// A path that stays inside its volume.
fn check_inside(node: Node<'_>, key: &str, findings: &mut Findings) {
    let Some(value) = node.get(key) else { return };
    let Some(path) = value.as_str() else { return };
    if path.starts_with('/') || has_backsteps(path) {
        let message = format!("`{key}` must be a relative path without `..`");
        findings.push(bad_format(value.span(), message, "leads out of the volume"));
    }
}

fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}
