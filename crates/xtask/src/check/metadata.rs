//! What `cargo metadata` says, as far as the rules need it.

use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Packages by their id.
pub(super) struct Metadata {
    pub(super) packages: BTreeMap<String, Package>,
}

/// A package and what it is built from.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// As its manifest says it.
    pub(super) license: Option<String>,
    /// One of ours.
    pub(super) is_member: bool,
    /// Ids of what its code, not its tests, depends on.
    dependencies: Vec<String>,
}

// === impl Metadata ===

impl Metadata {
    pub(super) fn new(metadata: &Value) -> anyhow::Result<Self> {
        let strings = |value: &Value| -> BTreeSet<String> {
            let list = value.as_array().into_iter().flatten();
            list.filter_map(|value| Some(value.as_str()?.to_owned()))
                .collect()
        };
        let members = strings(&metadata["workspace_members"]);
        let nodes = metadata["resolve"]["nodes"]
            .as_array()
            .context("cargo resolved nothing")?;
        let edges: BTreeMap<_, _> = nodes
            .iter()
            .filter_map(|node| Some((node["id"].as_str()?, shipped(node))))
            .collect();
        let packages = metadata["packages"]
            .as_array()
            .context("cargo knows no packages")?;
        let package = |package: &Value| {
            let id = package["id"].as_str()?;
            let dependencies = edges.get(id)?.clone();
            let text = |key: &str| Some(package[key].as_str()?.to_owned());
            let read = Package {
                name: text("name")?,
                version: text("version")?,
                license: text("license"),
                is_member: members.contains(id),
                dependencies,
            };
            Some((id.to_owned(), read))
        };
        Ok(Self {
            packages: packages.iter().filter_map(package).collect(),
        })
    }

    /// Our own crates.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &Package)> {
        let members = self
            .packages
            .iter()
            .filter(|(_, package)| package.is_member);
        members.map(|(id, package)| (id.as_str(), package))
    }

    /// Everything that a package needs, with the way from the package to it.
    pub(super) fn needs(&self, id: &str) -> Vec<Vec<&str>> {
        let mut seen = BTreeSet::from([id]);
        let mut ways = Vec::new();
        let mut open = vec![(id, Vec::new())];
        while let Some((id, way)) = open.pop() {
            for next in self
                .packages
                .get(id)
                .into_iter()
                .flat_map(|p| &p.dependencies)
            {
                let Some(package) = self.packages.get(next).filter(|_| seen.insert(next)) else {
                    continue;
                };
                let way: Vec<_> = way.iter().copied().chain([package.name.as_str()]).collect();
                ways.push(way.clone());
                open.push((next, way));
            }
        }
        ways
    }
}

/// The ids of what a package's code and build script depend on.
fn shipped(node: &Value) -> Vec<String> {
    let is_shipped = |dependency: &&Value| {
        let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
        kinds.any(|kind| kind["kind"].as_str() != Some("dev"))
    };
    let dependencies = node["deps"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(is_shipped);
    dependencies
        .filter_map(|dependency| Some(dependency["pkg"].as_str()?.to_owned()))
        .collect()
}
