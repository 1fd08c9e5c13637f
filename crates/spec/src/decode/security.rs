//! Whom containers run as.

use super::{flag, items, number, some_text, text, texts};
use crate::findings::Findings;
use crate::security::{PodSecurity, Profile, Security};
use crate::tree::Node;

pub(super) fn pod_security(node: Node<'_>, findings: &mut Findings) -> PodSecurity {
    PodSecurity {
        run_as_user: id(node, "runAsUser", findings),
        run_as_group: id(node, "runAsGroup", findings),
        run_as_non_root: flag(node, "runAsNonRoot"),
        fs_group: id(node, "fsGroup", findings),
        supplemental_groups: groups(node),
        sysctls: items(node, "sysctls").filter_map(sysctl).collect(),
        seccomp_profile: profile(node, "seccompProfile"),
        app_armor_profile: profile(node, "appArmorProfile"),
    }
}

pub(super) fn security(node: Node<'_>, findings: &mut Findings) -> Security {
    let capabilities = |list| node.get("capabilities").map(|node| texts(node, list));
    Security {
        run_as_user: id(node, "runAsUser", findings),
        run_as_group: id(node, "runAsGroup", findings),
        run_as_non_root: flag(node, "runAsNonRoot"),
        privileged: flag(node, "privileged"),
        allow_privilege_escalation: flag(node, "allowPrivilegeEscalation"),
        read_only_root_filesystem: flag(node, "readOnlyRootFilesystem"),
        capabilities_add: capabilities("add").unwrap_or_default(),
        capabilities_drop: capabilities("drop").unwrap_or_default(),
        proc_mount: some_text(node, "procMount"),
        seccomp_profile: profile(node, "seccompProfile"),
        app_armor_profile: profile(node, "appArmorProfile"),
    }
}

/// A user or group id as Kubernetes takes it.
fn id(node: Node<'_>, key: &str, findings: &mut Findings) -> Option<i64> {
    number(node, key, 0..=i64::from(i32::MAX), findings)
}

fn groups(node: Node<'_>) -> Vec<i64> {
    let ids = items(node, "supplementalGroups").filter_map(Node::as_int);
    ids.filter_map(|id| i64::try_from(id).ok()).collect()
}

fn sysctl(node: Node<'_>) -> Option<(String, String)> {
    Some((text(node, "name")?, text(node, "value")?))
}

fn profile(node: Node<'_>, key: &str) -> Option<Profile> {
    let node = node.get(key)?;
    let kind = text(node, "type")?;
    Some(Profile {
        kind,
        localhost_profile: some_text(node, "localhostProfile"),
    })
}
