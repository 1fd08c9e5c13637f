//! What a cluster needs of the distribution, by the names of Debian's packages.

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
    // The lists may be missing, or be so old that what they name is gone.
    if run(&mut install_command(&missing)).is_err() {
        run(&mut apt(&["update"])).with_context(help)?;
        run(&mut install_command(&missing)).with_context(help)?;
    }
    Ok(())
}

fn missing() -> impl Iterator<Item = &'static str> {
    let missing = PACKAGES
        .iter()
        .filter(|package| !package.shown_by.is_seen());
    missing.map(|package| package.name)
}

fn install_command(packages: &[&str]) -> Command {
    let mut apt = apt(&["install", "--yes", "--no-install-recommends"]);
    apt.args(packages);
    apt
}

fn apt(arguments: &[&str]) -> Command {
    let mut apt = command("apt-get", arguments);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
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
