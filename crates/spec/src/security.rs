//! Whom containers run as and what they may do. Only what a local runtime can honour is kept.

/// The settings of the whole pod; a container's own come first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PodSecurity {
    /// The user id.
    pub run_as_user: Option<i64>,
    /// The group id.
    pub run_as_group: Option<i64>,
    /// Whether the user must not be root.
    pub run_as_non_root: Option<bool>,
    /// The group that owns the volumes.
    pub fs_group: Option<i64>,
    /// More groups.
    pub supplemental_groups: Vec<i64>,
    /// Kernel parameters of the pod's namespaces, in the order given.
    pub sysctls: Vec<(String, String)>,
    /// The system-call filter.
    pub seccomp_profile: Option<Profile>,
    /// The `AppArmor` profile.
    pub app_armor_profile: Option<Profile>,
}

/// The settings of one container.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Security {
    /// The user id.
    pub run_as_user: Option<i64>,
    /// The group id.
    pub run_as_group: Option<i64>,
    /// Whether the user must not be root.
    pub run_as_non_root: Option<bool>,
    /// Whether everything is allowed.
    pub privileged: Option<bool>,
    /// Whether a process may gain more rights than its parent.
    pub allow_privilege_escalation: Option<bool>,
    /// Whether the container's own files cannot be written to.
    pub read_only_root_filesystem: Option<bool>,
    /// Capabilities added.
    pub capabilities_add: Vec<String>,
    /// Capabilities dropped.
    pub capabilities_drop: Vec<String>,
    /// `Default` or `Unmasked`.
    pub proc_mount: Option<String>,
    /// The system-call filter.
    pub seccomp_profile: Option<Profile>,
    /// The `AppArmor` profile.
    pub app_armor_profile: Option<Profile>,
}

/// A security profile.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Profile {
    /// `RuntimeDefault`, `Unconfined` or `Localhost`.
    pub kind: String,
    /// The profile's name on the host, for `Localhost`.
    pub localhost_profile: Option<String>,
}
