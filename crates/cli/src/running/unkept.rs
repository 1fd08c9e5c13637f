//! What a pod file forbids its containers and host processes may do all the same, in one sentence.

use pillion_spec::pod::PodSpec;
use pillion_spec::security::{PodSecurity, Profile, Security};

/// A sentence about fields that protect the machine and are not kept by host processes.
pub(super) fn unkept(spec: &PodSpec) -> Option<String> {
    let of_pod = fields_of_pod(spec);
    let pod = (!of_pod.is_empty()).then(|| format!("the pod ({})", of_pod.join(", ")));
    let containers = spec.all_containers().filter_map(|(_, _, container)| {
        let fields = fields(&container.security_context);
        (!fields.is_empty()).then(|| format!("`{}` ({})", container.name, fields.join(", ")))
    });
    let all: Vec<_> = pod.into_iter().chain(containers).collect();
    (!all.is_empty()).then(|| {
        format!(
            "not kept by host processes, which may do whatever this user may: {}",
            all.join(", ")
        )
    })
}

fn fields_of_pod(spec: &PodSpec) -> Vec<&'static str> {
    let PodSecurity {
        sysctls,
        seccomp_profile,
        app_armor_profile,
        ..
    } = &spec.security_context;
    let limits = spec.resources.as_ref().map(|all| &all.limits);
    named([
        ("resources", limits.is_some_and(|limits| !limits.is_empty())),
        ("sysctls", !sysctls.is_empty()),
        ("seccompProfile", confines(seccomp_profile.as_ref())),
        ("appArmorProfile", confines(app_armor_profile.as_ref())),
    ])
}

fn fields(security: &Security) -> Vec<&'static str> {
    let Security {
        read_only_root_filesystem,
        capabilities_drop,
        seccomp_profile,
        app_armor_profile,
        ..
    } = security;
    named([
        (
            "readOnlyRootFilesystem",
            *read_only_root_filesystem == Some(true),
        ),
        ("capabilities", !capabilities_drop.is_empty()),
        ("seccompProfile", confines(seccomp_profile.as_ref())),
        ("appArmorProfile", confines(app_armor_profile.as_ref())),
    ])
}

fn confines(profile: Option<&Profile>) -> bool {
    profile.is_some_and(|profile| profile.kind != "Unconfined")
}

fn named<const N: usize>(fields: [(&'static str, bool); N]) -> Vec<&'static str> {
    let set = fields.into_iter().filter(|(_, is_set)| *is_set);
    set.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_spec::{LowerOptions, load};

    fn told(pod: &str, app: &str) -> Option<String> {
        let file = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  {pod}\n  containers:\n  - {{name: app, command: [app]{app}}}\n"
        );
        let loaded = load("a.yaml", file.as_bytes(), LowerOptions::default());
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        unkept(&loaded.pods[0].file.pod.spec)
    }

    #[test]
    fn what_is_not_kept_is_named_with_its_container() {
        let context = ", securityContext: {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}";
        assert_eq!(
            told("securityContext: {sysctls: [{name: a, value: b}]}", context).as_deref(),
            Some(
                "not kept by host processes, which may do whatever this user may: the pod (sysctls), `app` \
                 (readOnlyRootFilesystem, capabilities, seccompProfile)"
            )
        );
    }

    #[test]
    fn nothing_is_said_of_what_forbids_nothing() {
        let context = ", securityContext: {readOnlyRootFilesystem: false, runAsNonRoot: false, seccompProfile: {type: Unconfined}}";
        assert_eq!(told("restartPolicy: Always", context), None);
    }
}
