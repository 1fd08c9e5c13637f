//! What recipes are made from: the pod, the objects beside it, and what is known of this machine.

use super::error::{ObjectKind, Problem};
use pillion_spec::file::{ConfigMap, Secret};
use pillion_spec::pod::{Metadata, Pod};
use pillion_spec::volume::{Volume, VolumeSource};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Everything that the recipes of one pod are made from. Nothing else is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Kitchen<'k> {
    /// The pod.
    pub pod: &'k Pod,
    /// The `ConfigMap` objects of its file.
    pub config_maps: &'k [ConfigMap],
    /// The Secrets of its file.
    pub secrets: &'k [Secret],
    /// The machine.
    pub host: &'k Host,
    /// The run.
    pub run: &'k Run,
    /// What was read for variables that stand in files, if that was done. Before it is done such variables have a
    /// made-up value, and the recipe says which files to read.
    pub env_files: Option<&'k EnvFiles>,
}

/// What is known of the machine.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Host {
    /// The variables that Pillion itself was given.
    pub environment: Vec<(String, String)>,
    /// The machine's name.
    pub name: String,
    /// The machine's addresses, the most useful one first.
    pub addresses: Vec<String>,
    /// What the machine has.
    pub capacity: Capacity,
    /// The user that Pillion runs as.
    pub user: u32,
    /// All groups of that user, the first one first.
    pub groups: Vec<u32>,
}

/// What a machine has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Capacity {
    /// Thousandths of a CPU.
    pub cpu_millis: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of disk.
    pub storage: u64,
}

/// What is known of this run of the pod.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Run {
    /// The pod's name.
    pub name: String,
    /// The pod's namespace.
    pub namespace: String,
    /// The pod's identity.
    pub uid: String,
    /// The pod's addresses; `127.0.0.1` for host processes.
    pub addresses: Vec<String>,
    /// The folder in which each volume has a folder of its name.
    pub volumes: PathBuf,
    /// The same for volumes that are to be in memory; with the others if there is no such place.
    pub memory_volumes: Option<PathBuf>,
    /// Where volumes are that are not in the folder of their name.
    pub moved: BTreeMap<String, PathBuf>,
    /// Variables that Pillion gives to a container, by the container's name.
    pub variables: BTreeMap<String, Vec<(String, String)>>,
}

/// Files that hold variables: what stands in each, or nothing if it is not there.
pub type EnvFiles = BTreeMap<EnvFile, Option<String>>;

/// A file that holds variables.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct EnvFile {
    /// The volume.
    pub volume: String,
    /// The file in it.
    pub path: String,
}

/// A `ConfigMap` or a Secret.
#[derive(Clone, Copy)]
pub(in crate::process) struct Object<'k> {
    kind: ObjectKind,
    name: &'k str,
    pub(in crate::process) data: &'k BTreeMap<String, Vec<u8>>,
    binary: Option<&'k BTreeSet<String>>,
}

/// The medium of an emptyDir that is to be in memory.
pub(in crate::process) const MEMORY: &str = "Memory";

// === impl Kitchen ===

impl<'k> Kitchen<'k> {
    /// A volume of the pod.
    pub(in crate::process) fn volume(&self, name: &str) -> Option<&'k Volume> {
        let mut volumes = self.pod.spec.volumes.iter();
        volumes.find(|volume| volume.name == name)
    }

    /// Where a volume is on this machine.
    pub(in crate::process) fn volume_path(&self, volume: &Volume) -> PathBuf {
        let (run, name) = (self.run, &volume.name);
        if let Some(path) = run.moved.get(name) {
            return path.clone();
        }
        match &volume.source {
            VolumeSource::HostPath { path, .. } => PathBuf::from(path),
            VolumeSource::EmptyDir { medium, .. } if medium == MEMORY => {
                let folder = run.memory_volumes.as_ref().unwrap_or(&run.volumes);
                folder.join(name)
            }
            VolumeSource::EmptyDir { .. }
            | VolumeSource::ConfigMap(_)
            | VolumeSource::Secret(_)
            | VolumeSource::DownwardApi(_)
            | VolumeSource::Projected { .. }
            | VolumeSource::Other { .. } => run.volumes.join(name),
        }
    }

    /// The object, nothing if it may be missing and is, or what is wrong.
    pub(in crate::process) fn object(
        &self,
        kind: ObjectKind,
        name: &str,
        optional: bool,
    ) -> Result<Option<Object<'k>>, Problem> {
        let mut elsewhere = None;
        // Of two with one name the later one is what a cluster would end up with.
        for (metadata, object) in self.objects(kind).into_iter().rev() {
            if metadata.name.as_deref() != Some(name) {
                continue;
            }
            match &metadata.namespace {
                Some(namespace) if *namespace != self.run.namespace => {
                    elsewhere = Some(namespace.clone());
                }
                Some(_) | None => return Ok(Some(object)),
            }
        }
        if optional {
            return Ok(None);
        }
        Err(Problem::MissingObject {
            kind,
            name: name.to_owned(),
            elsewhere,
        })
    }

    fn objects(&self, kind: ObjectKind) -> Vec<(&'k Metadata, Object<'k>)> {
        let name = |metadata: &'k Metadata| metadata.name.as_deref().unwrap_or_default();
        match kind {
            ObjectKind::ConfigMap => {
                let object = |map: &'k ConfigMap| Object {
                    kind,
                    name: name(&map.metadata),
                    data: &map.data,
                    binary: Some(&map.binary),
                };
                let maps = self.config_maps.iter();
                maps.map(|map| (&map.metadata, object(map))).collect()
            }
            ObjectKind::Secret => {
                let object = |secret: &'k Secret| Object {
                    kind,
                    name: name(&secret.metadata),
                    data: &secret.data,
                    binary: None,
                };
                let secrets = self.secrets.iter();
                let with_metadata = secrets.map(|secret| (&secret.metadata, object(secret)));
                with_metadata.collect()
            }
        }
    }
}

// === impl Host ===

impl Host {
    /// The machine's first address.
    pub(in crate::process) fn address(&self) -> &str {
        self.addresses.first().map_or("127.0.0.1", String::as_str)
    }
}

// === impl Run ===

impl Run {
    /// The pod's first address, where its probes go.
    pub(in crate::process) fn address(&self) -> &str {
        self.addresses.first().map_or("127.0.0.1", String::as_str)
    }
}

// === impl Object ===

impl<'k> Object<'k> {
    /// The keys that can be variables, with their values.
    pub(in crate::process) fn texts(
        self,
    ) -> impl Iterator<Item = (&'k str, Result<&'k str, Problem>)> {
        let keys = self
            .data
            .iter()
            .filter(move |(key, _)| !self.is_binary(key));
        keys.map(move |(key, value)| (key.as_str(), self.as_text(key, value)))
    }

    /// The value of a key that can be a variable.
    pub(in crate::process) fn text(self, key: &str) -> Option<Result<&'k str, Problem>> {
        let value = self.data.get(key).filter(|_| !self.is_binary(key))?;
        Some(self.as_text(key, value))
    }

    /// What is wrong if a key is not there.
    pub(in crate::process) fn missing(self, key: &str) -> Problem {
        if self.is_binary(key) {
            return self.not_text(key);
        }
        Problem::MissingKey {
            kind: self.kind,
            name: self.name.to_owned(),
            key: key.to_owned(),
            keys: self.data.keys().cloned().collect(),
        }
    }

    fn is_binary(self, key: &str) -> bool {
        self.binary.is_some_and(|binary| binary.contains(key))
    }

    fn as_text(self, key: &str, value: &'k [u8]) -> Result<&'k str, Problem> {
        let text = str::from_utf8(value)
            .ok()
            .filter(|text| !text.contains('\0'));
        text.ok_or_else(|| self.not_text(key))
    }

    fn not_text(self, key: &str) -> Problem {
        Problem::NotText {
            kind: self.kind,
            name: self.name.to_owned(),
            key: key.to_owned(),
        }
    }
}
