//! The configuration files of a cluster's programs, as text.

use super::place::Places;
use serde_json::{Value, json};
use std::time::Duration;

/// How the kubelet is set up.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Kubelet {
    /// How long a container that crashes must wait.
    pub back_off: BackOff,
}

/// The kubelet's crash back-off.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum BackOff {
    /// 10 s, twice as long each time, at most 300 s.
    #[default]
    Standard,
    /// The same, with another limit. A limit below 10 s is the first delay as well.
    AtMost(Duration),
    /// 1 s, twice as long each time, at most 60 s: Kubernetes' `ReduceDefaultCrashLoopBackOffDecay`.
    Reduced,
}

/// The image that every sandbox and every actor is made of.
pub const IMAGE: &str = "pillion/actor:1";

/// The same under another name, for containers that change their image.
pub const OTHER_IMAGE: &str = "pillion/actor:2";

/// The node's name.
pub const NODE_NAME: &str = "real";

/// What `kubectl`, scheduler, controllers and kubelet need to find the API server.
pub(super) fn kubeconfig(places: &Places, token: &str) -> String {
    let authority = places.text("keys/authority.crt");
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "pillion",
        "clusters": [{"name": "pillion", "cluster": {
            "server": "https://127.0.0.1:443",
            "certificate-authority": authority,
        }}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "pillion", "context": {"cluster": "pillion", "user": "admin"}}],
    })
    .to_string()
}

/// The scheduler takes a file that begins with `{` for something else, so this one is in blocks.
pub(super) fn scheduler(places: &Places) -> String {
    let kubeconfig = places.text("kubeconfig");
    format!(
        "apiVersion: kubescheduler.config.k8s.io/v1\n\
         kind: KubeSchedulerConfiguration\n\
         clientConnection: {{kubeconfig: \"{kubeconfig}\", qps: 1000, burst: 2000}}\n\
         leaderElection: {{leaderElect: false}}\n"
    )
}

/// The kubelet's.
pub(super) fn kubelet(places: &Places, Kubelet { back_off }: Kubelet) -> String {
    let (limit, gates) = back_off.as_settings();
    let mut config = json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": format!("unix://{}", places.text("containerd.sock")),
        "authentication": {"anonymous": {"enabled": true}, "webhook": {"enabled": false}},
        "authorization": {"mode": "AlwaysAllow"},
        "failCgroupV1": false,
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": format!("/{}", places.group()),
        "enforceNodeAllocatable": [],
        "failSwapOn": false,
        "oomScoreAdj": 0,
        "maxPods": 250,
        "podLogsDir": places.text("log/pods"),
        "serializeImagePulls": false,
        "kubeAPIQPS": 200,
        "kubeAPIBurst": 400,
        // Whatever else the machine does, pods are not to be evicted and images not to be removed.
        "evictionHard": {"nodefs.available": "0%", "imagefs.available": "0%", "memory.available": "0%"},
        "imageGCHighThresholdPercent": 100,
        "featureGates": gates,
    });
    if let Some(limit) = limit {
        config["crashLoopBackOff"] = json!({"maxContainerRestartPeriod": limit});
    }
    config.to_string()
}

/// Containerd's. Its root and its state are ours, so that another one on the machine is not disturbed.
pub(super) fn containerd(places: &Places) -> String {
    let file = |name: &str| places.text(name);
    let (root, state) = (file("containerd/root"), file("containerd/state"));
    let (socket, opt, cni) = (file("containerd.sock"), file("containerd/opt"), file("cni"));
    let runc = file("containerd/runc");
    // Without the capability to lower the score of the OOM killer, runc would fail.
    format!(
        "version = 2\n\
         root = \"{root}\"\n\
         state = \"{state}\"\n\
         [grpc]\n  address = \"{socket}\"\n\
         [plugins.\"io.containerd.internal.v1.opt\"]\n  path = \"{opt}\"\n\
         [plugins.\"io.containerd.grpc.v1.cri\"]\n  \
           sandbox_image = \"{IMAGE}\"\n  \
           restrict_oom_score_adj = true\n  \
           netns_mounts_under_state_dir = true\n\
         [plugins.\"io.containerd.grpc.v1.cri\".cni]\n  \
           bin_dir = \"/usr/lib/cni\"\n  \
           conf_dir = \"{cni}\"\n\
         [plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc]\n  \
           runtime_type = \"io.containerd.runc.v2\"\n\
         [plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc.options]\n  \
           Root = \"{runc}\"\n"
    )
}

/// How pods are put into the network: a bridge inside the cluster's namespace.
pub(super) fn network(places: &Places) -> String {
    let name = places.namespace();
    json!({
        "cniVersion": "1.0.0",
        "name": name,
        "plugins": [{
            "type": "bridge",
            "bridge": "cni0",
            "isGateway": true,
            "ipam": {
                "type": "host-local",
                "dataDir": places.text("cni/leases"),
                "ranges": [[{"subnet": "10.244.0.0/16"}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }],
    })
    .to_string()
}

// === impl BackOff ===

impl BackOff {
    /// For people.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Standard => "with the usual back-off".to_owned(),
            Self::AtMost(limit) => format!("with a back-off of at most {} s", limit.as_secs()),
            Self::Reduced => "with the reduced back-off".to_owned(),
        }
    }

    /// The limit and the feature gates that make it so.
    fn as_settings(self) -> (Option<String>, Value) {
        let mut gates = json!({"ContainerStopSignals": true});
        match self {
            Self::Standard => (None, gates),
            Self::AtMost(limit) => (Some(format!("{}s", limit.as_secs())), gates),
            Self::Reduced => {
                gates["ReduceDefaultCrashLoopBackOffDecay"] = true.into();
                (None, gates)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places::of("test").unwrap()
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_kubelet_waits_as_it_is_told() {
        let config = |back_off| read(&kubelet(&places(), Kubelet { back_off }));
        let limit = "/crashLoopBackOff/maxContainerRestartPeriod";
        let reduced = "/featureGates/ReduceDefaultCrashLoopBackOffDecay";

        let standard = config(BackOff::Standard);
        assert_eq!(
            (standard.pointer(limit), standard.pointer(reduced)),
            (None, None)
        );
        let short = config(BackOff::AtMost(Duration::from_secs(1)));
        assert_eq!(short.pointer(limit), Some(&json!("1s")));
        assert_eq!(
            config(BackOff::Reduced).pointer(reduced),
            Some(&json!(true))
        );
    }

    #[test]
    fn everything_of_a_cluster_is_below_its_folder() {
        let places = places();
        let folder = places.folder().to_str().unwrap().to_owned();
        let texts = [
            containerd(&places),
            kubelet(&places, Kubelet::default()),
            network(&places),
            kubeconfig(&places, "secret"),
            scheduler(&places),
        ];
        for text in texts {
            assert!(text.contains(&folder), "{text}");
        }
    }

    #[test]
    fn the_schedulers_file_is_no_json() {
        assert!(scheduler(&places()).starts_with("apiVersion:"));
    }
}
