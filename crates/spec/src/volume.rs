//! Volumes of a pod, and their mounts in containers.

use crate::env::ResourceRef;
use crate::quantity::Quantity;
use crate::word::words;

/// A volume.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Volume {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub source: VolumeSource,
}

/// What a volume holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum VolumeSource {
    /// An empty directory that lives as long as the pod. Also what a volume without a source is.
    EmptyDir {
        /// `Memory`, or empty for the node's disk.
        medium: String,
        /// The most it may hold.
        size_limit: Option<Quantity>,
    },
    /// A file or directory of the host.
    HostPath {
        /// Its path on the host.
        path: String,
        /// What must be there, or is made.
        kind: HostPathType,
    },
    /// The keys of a `ConfigMap` as files.
    ConfigMap(KeyFiles),
    /// The keys of a Secret as files.
    Secret(KeyFiles),
    /// Fields of the pod as files.
    DownwardApi(DownwardFiles),
    /// Several of these in one directory.
    Projected {
        /// The parts, later ones over earlier ones.
        sources: Vec<Projection>,
        /// Permission bits of files that do not say their own.
        default_mode: u32,
    },
    /// A kind that needs a cluster, by its field name, such as `persistentVolumeClaim`.
    Other {
        /// The field's name.
        kind: String,
    },
}

words! {
    /// What must be at a host path.
    pub enum HostPathType {
        /// Nothing is checked.
        Unset = "",
        /// A directory, made if missing.
        DirectoryOrCreate = "DirectoryOrCreate",
        /// A directory.
        Directory = "Directory",
        /// A file, made if missing.
        FileOrCreate = "FileOrCreate",
        /// A file.
        File = "File",
        /// A unix socket.
        Socket = "Socket",
        /// A character device.
        CharDevice = "CharDevice",
        /// A block device.
        BlockDevice = "BlockDevice",
    }
}

/// The keys of an object as files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyFiles {
    /// The object's name.
    pub name: String,
    /// Which keys, and where; all keys under their own names if empty.
    pub items: Vec<KeyFile>,
    /// Permission bits of files that do not say their own; 0644 by default.
    pub default_mode: u32,
    /// Whether the object or keys may be missing.
    pub optional: bool,
}

/// One key as a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyFile {
    /// The key.
    pub key: String,
    /// The file, relative to the volume.
    pub path: String,
    /// Its permission bits.
    pub mode: Option<u32>,
}

/// Fields of the pod as files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DownwardFiles {
    /// The files.
    pub items: Vec<DownwardFile>,
    /// Permission bits of files that do not say their own; 0644 by default.
    pub default_mode: u32,
}

/// One field of the pod as a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DownwardFile {
    /// The file, relative to the volume.
    pub path: String,
    /// Its permission bits.
    pub mode: Option<u32>,
    /// What is written into it.
    pub value: DownwardValue,
}

/// What the downward API can tell.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum DownwardValue {
    /// A field of the pod, such as `metadata.labels`.
    Field {
        /// The field's path.
        path: String,
    },
    /// An amount of a container's resources.
    Resource(ResourceRef),
}

/// One part of a projected volume.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Projection {
    /// Keys of a `ConfigMap`.
    ConfigMap(KeyFiles),
    /// Keys of a Secret.
    Secret(KeyFiles),
    /// Fields of the pod.
    DownwardApi(DownwardFiles),
    /// A kind that needs a cluster, by its field name, such as `serviceAccountToken`.
    Other {
        /// The field's name.
        kind: String,
    },
}

/// Where a container sees a volume.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VolumeMount {
    /// The volume's name.
    pub name: String,
    /// The path in the container.
    pub mount_path: String,
    /// The part of the volume; all of it if neither this nor `sub_path_expr` is given.
    pub sub_path: Option<String>,
    /// As `sub_path`, with `$(NAME)` replaced from the environment.
    pub sub_path_expr: Option<String>,
    /// Whether it cannot be written to.
    pub read_only: bool,
    /// Whether mounts below it are read-only too: `Disabled`, `IfPossible`, `Enabled`.
    pub recursive_read_only: Option<String>,
    /// How mounts made later are seen.
    pub propagation: Propagation,
}

words! {
    /// How mounts made later travel between host and container.
    pub enum Propagation {
        /// Not at all, the default.
        None = "None",
        /// From the host to the container.
        HostToContainer = "HostToContainer",
        /// Both ways.
        Bidirectional = "Bidirectional",
    }
}

/// Where a container sees a block device.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VolumeDevice {
    /// The volume's name.
    pub name: String,
    /// The path in the container.
    pub device_path: String,
}
