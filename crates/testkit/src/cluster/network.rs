//! The network namespace of a cluster: no port of the machine is touched, and none is in the way.
//!
//! Kubelet and API server want an address that is not a loopback's, and a default route. The first address of the
//! services is put on the loopback device and the API server listens there, so that pods find `kubernetes.default`
//! without a proxy.

use super::command::{command, run};
use super::place::Places;
use anyhow::{Context as _, ensure};
use std::ffi::{OsStr, OsString};
use std::process::Command;

/// The node's address.
pub(super) const NODE: &str = "10.99.0.1";

/// The API server's address as pods know it.
pub(super) const SERVICE: &str = "10.96.0.1";

/// The addresses of services, of which it is the first.
pub(super) const SERVICES: &str = "10.96.0.0/16";

/// Whether the namespace can be made. One that is there is somebody else's, and stays.
pub(super) fn check(places: &Places) -> anyhow::Result<()> {
    let name = &places.namespace();
    ensure!(
        !places.namespace_file().exists(),
        "there is a network namespace {name} already, and it is not of a cluster of ours: remove it with \
         `ip netns delete {name}`, or give the cluster another name"
    );
    Ok(())
}

/// Makes the namespace.
pub(super) fn make(places: &Places) -> anyhow::Result<()> {
    let name = &places.namespace();
    run(&mut command("ip", ["netns", "add", name])).context("cannot make a network namespace")?;
    let node = format!("{NODE}/24");
    let service = format!("{SERVICE}/32");
    let steps: [&[&str]; 7] = [
        &["link", "set", "lo", "up"],
        // Both ends are inside: there is no way out, and no need of one.
        &[
            "link",
            "add",
            "uplink",
            "type",
            "veth",
            "peer",
            "name",
            "uplink-end",
        ],
        &["link", "set", "uplink-end", "up"],
        &["link", "set", "uplink", "up"],
        &["address", "add", &node, "dev", "uplink"],
        &["address", "add", &service, "dev", "lo"],
        &["route", "add", "default", "dev", "uplink"],
    ];
    for step in steps {
        run(command("ip", ["-n", name]).args(step))?;
    }
    Ok(())
}

/// Removes it, if it is there.
pub(super) fn remove(places: &Places) -> anyhow::Result<()> {
    if !places.namespace_file().exists() {
        return Ok(());
    }
    run(&mut command("ip", ["netns", "delete", &places.namespace()]))
}

/// A command inside the namespace. `ip netns exec` would hide the control groups.
pub(super) fn inside(places: &Places, program: impl AsRef<OsStr>) -> Command {
    let mut nsenter = Command::new("nsenter");
    nsenter.arg(entrance(places)).arg("--").arg(program);
    nsenter
}

/// What `nsenter` is told to go there.
pub(super) fn entrance(places: &Places) -> OsString {
    let mut net = OsString::from("--net=");
    net.push(places.namespace_file());
    net
}
