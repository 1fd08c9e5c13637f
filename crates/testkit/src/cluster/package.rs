//! What a cluster needs of the distribution, by the names of Debian's packages.
//!
//! One of them brings a service, which the machine's own service manager would start now and with every boot. A cluster
//! needs only its program, so the service is neither started nor enabled.

use super::command::{command, is_there, run};
use anyhow::{Context as _, ensure};
use std::path::Path;
use std::process::Command;

/// A package, and a file by which one sees that it is there.
struct Package {
    name: &'static str,
    shown_by: Sign,
}

enum Sign {
    /// A program on the path.
    Program(&'static str),
    /// A file at its place.
    File(&'static str),
}

const PACKAGES: [Package; 7] = [
    Package::new("busybox-static", Sign::Program("busybox")),
    Package::new("containerd", Sign::Program("containerd")),
    Package::new(
        "containernetworking-plugins",
        Sign::File("/usr/lib/cni/bridge"),
    ),
    Package::new("iproute2", Sign::Program("ip")),
    Package::new("openssl", Sign::Program("openssl")),
    Package::new("runc", Sign::Program("runc")),
    Package::new("util-linux", Sign::Program("nsenter")),
];

/// The one with a service, which has its name.
const WITH_SERVICE: &str = "containerd";

/// It is there where systemd runs.
const SERVICE_MANAGER: &str = "/run/systemd/system";

const WITHOUT_STARTING: &str = r#"
    if start=$(command -v deb-systemd-invoke); then mount --bind /bin/true "$start"; fi
    exec "$@"
"#;

/// Whether what is missing can be installed.
pub(super) fn check() -> anyhow::Result<()> {
    let missing: Vec<_> = missing().collect();
    ensure!(
        missing.is_empty() || is_there("apt-get"),
        "there is no apt-get to install {} with: install them by other means",
        missing.join(", ")
    );
    Ok(())
}

/// Installs what is missing.
pub(super) fn install(tell: &dyn Fn(&str)) -> anyhow::Result<()> {
    let missing: Vec<_> = missing().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    tell(&format!("installing {names}"));
    let help = || {
        format!("cannot install {names}; on a machine without apt-get, install them by other means")
    };
    let manages = Path::new(SERVICE_MANAGER).exists();
    let install = || run(&mut install_command(&missing, manages));
    // The lists may be missing, or be so old that what they name is gone.
    if install().is_err() {
        run(&mut command("apt-get", ["update"])).with_context(help)?;
        install().with_context(help)?;
    }
    if manages && missing.contains(&WITH_SERVICE) {
        let disabled = run(&mut command("systemctl", ["disable", WITH_SERVICE]));
        tell(&match disabled {
            Ok(()) => format!("the service of {WITH_SERVICE} is neither started nor enabled"),
            Err(error) => {
                format!("the service of {WITH_SERVICE} starts with the next boot: {error:#}")
            }
        });
    }
    Ok(())
}

fn missing() -> impl Iterator<Item = &'static str> {
    let missing = PACKAGES
        .iter()
        .filter(|package| !package.shown_by.is_seen());
    missing.map(|package| package.name)
}

/// Where a service manager runs, packages start their services by one program. It does nothing here, and nowhere else: the
/// file lies over it in a mount namespace that ends with the command.
fn install_command(packages: &[&str], manages: bool) -> Command {
    let mut apt = if manages {
        let quietly = ["--mount", "sh", "-ec", WITHOUT_STARTING, "sh", "apt-get"];
        command("unshare", quietly)
    } else {
        Command::new("apt-get")
    };
    apt.args(["install", "--yes", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    apt
}

// === impl Package ===

impl Package {
    const fn new(name: &'static str, shown_by: Sign) -> Self {
        Self { name, shown_by }
    }
}

// === impl Sign ===

impl Sign {
    fn is_seen(&self) -> bool {
        match self {
            Self::Program(name) => is_there(name),
            Self::File(path) => Path::new(path).exists(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<&str> {
        let arguments = command.get_args().map(|word| word.to_str().unwrap());
        let program = command.get_program().to_str();
        program.into_iter().chain(arguments).collect()
    }

    #[test]
    fn no_service_is_started_where_there_is_a_manager() {
        let managed = install_command(&["containerd"], true);
        assert_eq!(words(&managed)[..2], ["unshare", "--mount"]);
        assert!(words(&managed).contains(&WITHOUT_STARTING));
        let plain = install_command(&["containerd"], false);
        assert_eq!(words(&plain)[..2], ["apt-get", "install"]);
        for command in [managed, plain] {
            assert_eq!(words(&command).last(), Some(&"containerd"));
        }
    }

    #[test]
    fn the_package_with_a_service_is_among_those_that_are_needed() {
        assert!(PACKAGES.iter().any(|package| package.name == WITH_SERVICE));
    }
}
