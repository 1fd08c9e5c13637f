//! What the programs of a cluster are told when they are started.

use super::files::NODE_NAME;
use super::network::{NODE, SERVICES};
use super::place::Places;

/// The store of the API server. What it would lose in a crash is thrown away with the cluster.
pub(super) fn etcd(places: &Places) -> Vec<String> {
    vec![
        format!("--data-dir={}", places.text("etcd")),
        "--log-level=warn".to_owned(),
        "--unsafe-no-fsync".to_owned(),
    ]
}

/// The server that everybody asks.
pub(super) fn api_server(places: &Places) -> Vec<String> {
    let key = |name: &str| places.text(&format!("keys/{name}"));
    vec![
        "--etcd-servers=http://127.0.0.1:2379".to_owned(),
        "--bind-address=0.0.0.0".to_owned(),
        "--secure-port=443".to_owned(),
        format!("--advertise-address={NODE}"),
        format!("--service-cluster-ip-range={SERVICES}"),
        format!("--tls-cert-file={}", key("server.crt")),
        format!("--tls-private-key-file={}", key("server.key")),
        format!("--client-ca-file={}", key("authority.crt")),
        format!("--token-auth-file={}", key("tokens.csv")),
        "--authorization-mode=Node,RBAC".to_owned(),
        "--allow-privileged".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-key-file={}", key("accounts.pub")),
        format!("--service-account-signing-key-file={}", key("accounts.key")),
        "--kubelet-preferred-address-types=InternalIP".to_owned(),
        "--enable-aggregator-routing".to_owned(),
        "--max-requests-inflight=3000".to_owned(),
        "--max-mutating-requests-inflight=1500".to_owned(),
        "--feature-gates=ContainerStopSignals=true".to_owned(),
    ]
}

/// What opens the way to the API server for us.
pub(super) fn proxy(places: &Places) -> Vec<String> {
    vec![
        "proxy".to_owned(),
        format!("--kubeconfig={}", places.text("kubeconfig")),
        format!("--unix-socket={}", places.text("api.sock")),
    ]
}

/// The controllers. There is only one of them, so nobody needs to be elected.
pub(super) fn controllers(places: &Places) -> Vec<String> {
    let key = |name: &str| places.text(&format!("keys/{name}"));
    vec![
        format!("--kubeconfig={}", places.text("kubeconfig")),
        "--leader-elect=false".to_owned(),
        "--use-service-account-credentials".to_owned(),
        format!("--service-account-private-key-file={}", key("accounts.key")),
        format!("--root-ca-file={}", key("authority.crt")),
        format!("--cluster-signing-cert-file={}", key("authority.crt")),
        format!("--cluster-signing-key-file={}", key("authority.key")),
        "--kube-api-qps=1000".to_owned(),
        "--kube-api-burst=2000".to_owned(),
    ]
}

/// The scheduler.
pub(super) fn scheduler(places: &Places) -> Vec<String> {
    vec![format!("--config={}", places.text("scheduler.yaml"))]
}

/// The kubelet.
pub(super) fn kubelet(places: &Places) -> Vec<String> {
    vec![
        format!("--config={}", places.text("kubelet.json")),
        format!("--kubeconfig={}", places.text("kubeconfig")),
        format!("--root-dir={}", places.text("kubelet")),
        format!("--cert-dir={}", places.text("keys")),
        format!("--hostname-override={NODE_NAME}"),
        format!("--node-ip={NODE}"),
    ]
}
