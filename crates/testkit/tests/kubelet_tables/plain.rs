//! Plain Kubernetes pods: written as a file, read and drawn by the `spec` crate like any other.

use crate::standing::Standing;
use pillion_engine::Pod;
use pillion_engine::pod::{Backoff, List, RestartPolicy};
use pillion_spec::{LowerOptions, lower, read};

/// A container and where it stands.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) name: &'static str,
    pub(crate) list: List,
    pub(crate) standing: Standing,
    /// What the file says of it, member by member.
    fields: Vec<String>,
}

/// A container of the regular list.
pub(crate) fn main(name: &'static str) -> Draft {
    Draft::new(name, List::Regular)
}

/// An init container.
pub(crate) fn init(name: &'static str) -> Draft {
    Draft::new(name, List::Init)
}

/// A native sidecar.
pub(crate) fn sidecar(name: &'static str) -> Draft {
    init(name).policy(RestartPolicy::Always)
}

/// An ephemeral container.
pub(crate) fn ephemeral(name: &'static str) -> Draft {
    Draft::new(name, List::Ephemeral)
}

/// A pod of these containers, which stand in the order of the pod's lists.
pub(crate) fn pod(policy: RestartPolicy, drafts: &[Draft]) -> Pod {
    let text = format!(
        r#"{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "pod"}}, "spec": {{
            "restartPolicy": "{policy:?}", "initContainers": [{}], "containers": [{}], "ephemeralContainers": [{}]
        }}}}"#,
        written(drafts, List::Init),
        written(drafts, List::Regular),
        written(drafts, List::Ephemeral),
    );
    let outcome = read("pod.json", text.as_bytes());
    assert!(!outcome.has_errors(), "{:?}", outcome.diagnostics);
    let file = outcome.pods.first().expect("a pod was written");
    let lowered = lower(file, LowerOptions::default());
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    lowered.pod
}

fn written(drafts: &[Draft], list: List) -> String {
    let of_list = drafts.iter().filter(|draft| draft.list == list);
    let objects = of_list.map(|draft| format!("{{{}}}", draft.fields.join(", ")));
    objects.collect::<Vec<_>>().join(", ")
}

// === impl Draft ===

impl Draft {
    fn new(name: &'static str, list: List) -> Self {
        let standing = Standing::New;
        Self {
            name,
            list,
            standing,
            fields: vec![format!(r#""name": "{name}", "command": ["run"]"#)],
        }
    }

    fn says(mut self, field: &str, value: &str) -> Self {
        self.fields.push(format!(r#""{field}": {value}"#));
        self
    }

    /// Where it stands.
    pub(crate) fn is(mut self, standing: Standing) -> Self {
        self.standing = standing;
        self
    }

    /// Its own policy instead of the pod's.
    pub(crate) fn policy(self, policy: RestartPolicy) -> Self {
        self.says("restartPolicy", &format!(r#""{policy:?}""#))
    }

    /// When it exits with this code, everything is run again.
    pub(crate) fn restarts_all_on(self, code: i32) -> Self {
        let exit = format!(r#"{{"operator": "In", "values": [{code}]}}"#);
        let rule = format!(r#"[{{"action": "RestartAllContainers", "exitCodes": {exit}}}]"#);
        self.says("restartPolicyRules", &rule)
    }

    /// Its back-off; a field of Pillion's.
    pub(crate) fn back_off(self, backoff: Backoff) -> Self {
        let [initial, max, reset] =
            [backoff.initial, backoff.max, backoff.reset].map(|time| time.as_secs());
        let value = format!(
            r#"{{"initialSeconds": {initial}, "maxSeconds": {max}, "resetSeconds": {reset}}}"#
        );
        self.says("backoff", &value)
    }

    /// Its image must be pulled before it can start.
    pub(crate) fn image(self) -> Self {
        self.says("image", r#""image:1""#)
    }

    pub(crate) fn startup_probe(self) -> Self {
        self.says("startupProbe", PROBE)
    }

    pub(crate) fn readiness_probe(self) -> Self {
        self.says("readinessProbe", PROBE)
    }

    pub(crate) fn liveness_probe(self) -> Self {
        self.says("livenessProbe", PROBE)
    }

    /// It has a field of Pillion's (which says what holds anyway), so it is not bound to the kubelet's ways.
    pub(crate) fn not_plain(self) -> Self {
        self.says("onGiveUp", r#""unready""#)
    }
}

/// A probe whose first answer counts.
const PROBE: &str = r#"{"exec": {"command": ["check"]}, "failureThreshold": 1}"#;
