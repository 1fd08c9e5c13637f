//! What is built, of which version and how: everything that makes the programs of a cluster what they are.
//!
//! Kubernetes is no Debian package, but a Go module. It names the modules that are developed beside it by folders of its
//! own repository; each of them has a release of the same number, which takes the folder's place here.

use serde_json::Value;
use std::fmt::Write as _;

/// The Kubernetes that is built.
pub(super) const VERSION: &str = "1.36.4";

/// The Go that its modules ask for, or newer.
pub(super) const GO: (u32, u32) = (1, 26);

/// A program of the cluster and the Go package that it is built from.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
}

/// All programs; etcd is a module that Kubernetes needs, so its version comes with Kubernetes.
pub(super) const PROGRAMS: [Program; 6] = [
    Program::new("etcd", "go.etcd.io/etcd/server/v3"),
    Program::new("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Program::new(
        "kube-controller-manager",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
    ),
    Program::new("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
    Program::new("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    Program::new("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
];

/// Packages whose variables tell the version. Clients refuse a server that has none.
const VERSIONED: [&str; 2] = [
    "k8s.io/component-base/version",
    "k8s.io/client-go/pkg/version",
];

// === impl Program ===

impl Program {
    const fn new(name: &'static str, package: &'static str) -> Self {
        Self { name, package }
    }
}

/// The name of the folder for what this recipe makes. Another recipe has another name.
pub(super) fn key() -> String {
    let mut recipe = link_flags();
    for Program { name, package } in PROGRAMS {
        // Writing to a string does not fail.
        let _ = write!(recipe, " {name}={package}");
    }
    format!("{VERSION}-{:016x}", fingerprint(&recipe))
}

/// What the linker is told.
pub(super) fn link_flags() -> String {
    let mut numbers = VERSION.split('.');
    let major = numbers.next().unwrap_or_default();
    let minor = numbers.next().unwrap_or_default();
    let mut flags = "-s -w".to_owned();
    for package in VERSIONED {
        let _ = write!(
            flags,
            " -X {package}.gitVersion=v{VERSION} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
        );
    }
    flags
}

/// The module that needs Kubernetes, as a `go.mod`, made from that of Kubernetes in the form that `go mod edit -json`
/// gives it.
pub(super) fn module(kubernetes: &Value) -> Option<String> {
    let (_, staging) = VERSION.split_once('.')?;
    let go = kubernetes["Go"].as_str()?;
    let mut text =
        format!("module cluster\n\ngo {go}\n\nrequire k8s.io/kubernetes v{VERSION}\n\nreplace (\n");
    for replace in kubernetes["Replace"].as_array()? {
        let old = replace["Old"]["Path"].as_str()?;
        let new = replace["New"]["Path"].as_str()?;
        if new.starts_with("./staging/") {
            let _ = writeln!(text, "\t{old} => {old} v0.{staging}");
        }
    }
    text.push_str(")\n");
    Some(text)
}

/// A number that is the same for the same text, in every version of every compiler (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn modules_beside_kubernetes_are_replaced_by_their_releases() {
        let kubernetes = json!({
            "Go": "1.26.0",
            "Replace": [
                {"Old": {"Path": "k8s.io/api"}, "New": {"Path": "./staging/src/k8s.io/api"}},
                {"Old": {"Path": "example.com/old"}, "New": {"Path": "example.com/new", "Version": "v1.0.0"}},
            ],
        });

        let module = module(&kubernetes).unwrap();

        assert!(module.contains("go 1.26.0\n"), "{module}");
        assert!(module.contains("require k8s.io/kubernetes v1.36.4\n"));
        assert!(module.contains("\tk8s.io/api => k8s.io/api v0.36.4\n"));
        assert!(!module.contains("example.com"));
    }

    #[test]
    fn a_file_that_is_no_module_gives_none() {
        assert_eq!(module(&json!({"Go": "1.26.0"})), None);
    }

    #[test]
    fn the_version_is_told_to_the_linker() {
        let flags = link_flags();
        assert!(flags.contains("component-base/version.gitVersion=v1.36.4"));
        assert!(flags.contains("client-go/pkg/version.gitMinor=36"));
    }

    #[test]
    fn the_folder_of_a_recipe_begins_with_its_version() {
        assert!(key().starts_with("1.36.4-"));
        assert_ne!(fingerprint("a"), fingerprint("b"));
    }
}
