//! What a pod tells of itself: its fields, and the amounts of its containers.

use crate::process::recipe::error::Problem;
use crate::process::recipe::kitchen::Kitchen;
use pillion_spec::container::Container;
use pillion_spec::env::ResourceRef;
use pillion_spec::quantity::Quantity;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The value of a field of the pod.
pub(in crate::process) fn field(kitchen: &Kitchen<'_>, path: &str) -> Result<String, Problem> {
    let metadata = &kitchen.pod.metadata;
    let run = kitchen.run;
    let host = kitchen.host;
    Ok(match path {
        "metadata.name" => run.name.clone(),
        "metadata.namespace" => run.namespace.clone(),
        "metadata.uid" => run.uid.clone(),
        "metadata.labels" => lines(&metadata.labels),
        "metadata.annotations" => lines(&metadata.annotations),
        "spec.nodeName" => {
            let meant = kitchen.pod.spec.node_name.as_ref();
            meant.unwrap_or(&host.name).clone()
        }
        "spec.serviceAccountName" => {
            let account = kitchen.pod.spec.service_account_name.as_deref();
            account.unwrap_or("default").to_owned()
        }
        "status.hostIP" => host.address().to_owned(),
        "status.hostIPs" => host.addresses.join(","),
        "status.podIP" => run.address().to_owned(),
        "status.podIPs" => run.addresses.join(","),
        path => subscripted(kitchen, path).ok_or_else(|| Problem::UnknownField {
            path: path.to_owned(),
        })?,
    })
}

/// One label or annotation; nothing if the pod does not have it, as in Kubernetes.
fn subscripted(kitchen: &Kitchen<'_>, path: &str) -> Option<String> {
    let (map, key) = path.strip_suffix("']")?.split_once("['")?;
    let metadata = &kitchen.pod.metadata;
    let map = match map {
        "metadata.labels" => &metadata.labels,
        "metadata.annotations" => &metadata.annotations,
        _ => return None,
    };
    Some(map.get(key).cloned().unwrap_or_default())
}

/// A line for each entry, with the value in quotes, by key.
fn lines(map: &BTreeMap<String, String>) -> String {
    let mut lines = Vec::new();
    for (key, value) in map {
        lines.push(format!("{key}={}", quoted(value)));
    }
    lines.join("\n")
}

/// A value in quotes, escaped as Go does it.
fn quoted(value: &str) -> String {
    let mut quoted = String::from("\"");
    for character in value.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            c if c.is_ascii_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// An amount of a container's resources, in the unit that is asked for and rounded up.
pub(in crate::process) fn resource(
    kitchen: &Kitchen<'_>,
    asking: Option<&Container>,
    wanted: &ResourceRef,
) -> Result<String, Problem> {
    let container = match &wanted.container {
        Some(name) => find(kitchen, name)?,
        None => asking.ok_or_else(|| Problem::UnknownContainer {
            name: String::new(),
        })?,
    };
    let unknown = || Problem::UnknownResource {
        resource: wanted.resource.clone(),
    };
    let (list, name) = wanted.resource.split_once('.').ok_or_else(unknown)?;
    let known = matches!(name, "cpu" | "memory" | "ephemeral-storage");
    if !known && !name.starts_with("hugepages-") {
        return Err(unknown());
    }
    let amount = match list {
        "limits" => limit(kitchen, container, name),
        "requests" => Some(request(container, name)),
        _ => return Err(unknown()),
    };
    let count = |amount: Quantity| match name {
        "cpu" => amount.millis(),
        _ => amount.units(),
    };
    let unit = wanted.divisor.filter(|unit| *unit != Quantity::ZERO);
    let unit = unit.map_or_else(|| if name == "cpu" { 1000 } else { 1 }, count);
    Ok(amount_in(
        unit.max(1),
        amount.map_or_else(|| machine(kitchen, name), count),
    ))
}

fn amount_in(unit: i128, amount: i128) -> String {
    let whole = amount / unit;
    (whole + i128::from(amount % unit != 0)).to_string()
}

fn find<'k>(kitchen: &Kitchen<'k>, name: &str) -> Result<&'k Container, Problem> {
    let mut containers = kitchen.pod.spec.all_containers();
    let found = containers.find(|(_, _, container)| container.name == name);
    let found = found.map(|(_, _, container)| container);
    found.ok_or_else(|| Problem::UnknownContainer {
        name: name.to_owned(),
    })
}

/// The container's limit, else the pod's; where neither has one, nothing: the machine is the limit.
fn limit(kitchen: &Kitchen<'_>, container: &Container, name: &str) -> Option<Quantity> {
    let own = container.resources.limits.get(name);
    let pod = kitchen.pod.spec.resources.as_ref();
    let pod = pod.and_then(|resources| resources.limits.get(name));
    let given = own.filter(|limit| **limit != Quantity::ZERO).or(pod);
    given.copied().filter(|limit| *limit != Quantity::ZERO)
}

/// The container's request; a limit is a request as well, and neither is none.
fn request(container: &Container, name: &str) -> Quantity {
    let resources = &container.resources;
    let given = resources.requests.get(name);
    let given = given.or_else(|| resources.limits.get(name));
    given.copied().unwrap_or(Quantity::ZERO)
}

fn machine(kitchen: &Kitchen<'_>, name: &str) -> i128 {
    let capacity = kitchen.host.capacity;
    i128::from(match name {
        "cpu" => capacity.cpu_millis,
        "memory" => capacity.memory,
        "ephemeral-storage" => capacity.storage,
        // Huge pages are never shared out beyond what was asked for.
        _ => 0,
    })
}
