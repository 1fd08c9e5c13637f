//! Why a container cannot be run on this machine, and what to do about it.

use std::fmt;

/// Something in a pod file that keeps one of its containers or volumes from being made.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{subject} {problem}")]
pub struct RecipeError {
    /// What cannot be made.
    pub subject: Subject,
    /// Where in the pod, as `spec.containers[0].env[2]`.
    pub field: String,
    /// Why.
    pub problem: Problem,
}

/// What cannot be made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subject {
    /// The pod itself.
    Pod,
    /// A container as a whole.
    Container(String),
    /// One of its variables.
    Variable {
        /// The container.
        container: String,
        /// The variable.
        name: String,
    },
    /// Its variables from a whole object.
    EnvFrom {
        /// The container.
        container: String,
    },
    /// One of its mounts.
    Mount {
        /// The container.
        container: String,
        /// Where it is mounted.
        path: String,
    },
    /// A volume of the pod.
    Volume(String),
}

/// Why something cannot be made. Reads on from the subject.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A host process has no image to take its program from.
    #[error("has {}no `command`{}", if *.args { "`args`, but " } else { "" }, unknown(.image.as_deref()))]
    NoCommand {
        /// The image that would know.
        image: Option<String>,
        /// Whether it has arguments.
        args: bool,
    },
    /// An object that should stand in the file.
    #[error("needs the {kind} `{name}`, which is {}", if .elsewhere.is_some() { "in another namespace" } else { "not in the file" })]
    MissingObject {
        /// Its kind.
        kind: ObjectKind,
        /// Its name.
        name: String,
        /// The namespace of an object with this name that the pod cannot see.
        elsewhere: Option<String>,
    },
    /// A key that its object does not have.
    #[error("needs the key `{key}`, which the {kind} `{name}` does not have")]
    MissingKey {
        /// The object's kind.
        kind: ObjectKind,
        /// The object's name.
        name: String,
        /// The key.
        key: String,
        /// The keys that it has.
        keys: Vec<String>,
    },
    /// A value that no variable can hold.
    #[error("cannot hold the value of `{key}` in the {kind} `{name}`, which is not text")]
    NotText {
        /// The object's kind.
        kind: ObjectKind,
        /// The object's name.
        name: String,
        /// The key.
        key: String,
    },
    /// A text that no process can be given.
    #[error("has a NUL character in {place}")]
    Nul {
        /// In which of its texts.
        place: &'static str,
    },
    /// A field that the pod cannot show.
    #[error("asks for `{path}`, which is no field that can be shown")]
    UnknownField {
        /// Its path.
        path: String,
    },
    /// An amount that a container cannot show.
    #[error("asks for `{resource}`, which is no amount that can be shown")]
    UnknownResource {
        /// The amount.
        resource: String,
    },
    /// A container whose amount is asked for.
    #[error("asks for an amount of the container `{name}`, which does not exist")]
    UnknownContainer {
        /// Its name.
        name: String,
    },
    /// A volume that the pod does not have.
    #[error("needs the volume `{name}`, which the pod does not have")]
    UnknownVolume {
        /// Its name.
        name: String,
    },
    /// A volume in a folder that only the user who runs the pod can enter.
    #[error("asks where the volume `{volume}` is, and its user finds it only where it is mounted")]
    NotMounted {
        /// The volume.
        volume: String,
    },
    /// A question over a network that does not reach it.
    #[error("has `network: none`, and its `{field}` asks it over the network")]
    OutOfReach {
        /// The probe or hook.
        field: &'static str,
    },
    /// A variable from a file that is not there.
    #[error("needs the file `{path}` in the volume `{volume}`, which is not there")]
    MissingEnvFile {
        /// The volume.
        volume: String,
        /// The file in it.
        path: String,
    },
    /// A variable that its file does not set.
    #[error("needs the key `{key}`, which the file `{path}` in the volume `{volume}` does not set")]
    MissingEnvFileKey {
        /// The volume.
        volume: String,
        /// The file in it.
        path: String,
        /// The key.
        key: String,
    },
    /// A file of variables that cannot be read.
    #[error("cannot be read from line {line} of `{path}` in the volume `{volume}`: {why}")]
    BadEnvFile {
        /// The volume.
        volume: String,
        /// The file in it.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Variables in a sub-path that have no value.
    #[error("has a `subPathExpr` with variables that have no value: {}", .names.join(", "))]
    NoValue {
        /// The variables.
        names: Vec<String>,
    },
    /// A path that leaves its volume.
    #[error("has a path that leads out of the volume: `{path}`")]
    LeadsOut {
        /// The path.
        path: String,
    },
    /// A file where a folder must be, or the same file twice in different forms.
    #[error("has both the file `{file}` and files below it, such as `{below}`")]
    FileAndFolder {
        /// The file.
        file: String,
        /// The file below it.
        below: String,
    },
    /// Read-only all the way down, but not at the top.
    #[error("is `recursiveReadOnly`, but not `readOnly`")]
    NotReadOnly,
    /// Read-only all the way down, but with mounts that travel.
    #[error("is `recursiveReadOnly`, which goes with no mount propagation but `None`")]
    Propagates,
    /// A device, which a host process sees without us.
    #[error("has `volumeDevices`, which a host process cannot be given")]
    BlockDevice,
    /// A volume that only a cluster has.
    #[error("is of the kind `{kind}`, which needs a cluster")]
    NeedsCluster {
        /// The kind, as its field is named.
        kind: String,
    },
    /// A part of a volume that only a cluster has.
    #[error("has a part of the kind `{kind}`, which needs a cluster")]
    PartNeedsCluster {
        /// The kind, as its field is named.
        kind: String,
    },
    /// A medium that this machine does not have.
    #[error("is an emptyDir on the medium `{medium}`, which is not known here")]
    UnknownMedium {
        /// The medium.
        medium: String,
    },
    /// A path of the host that does not begin at its root.
    #[error("has the host path `{path}`, which is not absolute")]
    RelativeHostPath {
        /// The path.
        path: String,
    },
    /// Root, where root is refused. Kubernetes' own words.
    #[error("breaks non-root policy: its `runAsUser` is 0")]
    RunsAsRoot,
    /// Root by inheritance, where root is refused.
    #[error("has `runAsNonRoot` and will run as root, as Pillion itself does")]
    InheritsRoot,
    /// A number that is no user or group.
    #[error("has a `{field}` that is no id: {id}")]
    BadId {
        /// Which.
        field: &'static str,
        /// The number.
        id: i64,
    },
    /// A number of processes that is none.
    #[error(
        "has the annotation `{}` with `{text}`, which is no number of processes",
        super::PIDS_LIMIT
    )]
    BadPidsLimit {
        /// What stands there.
        text: String,
    },
    /// Somebody else than Pillion, where Pillion is not root.
    #[error(
        "has the `{field}` {wanted}, and only root can become somebody else: Pillion runs as user {own}"
    )]
    NeedsRoot {
        /// Which.
        field: &'static str,
        /// The user or group.
        wanted: u32,
        /// The user that Pillion runs as.
        own: u32,
    },
    /// The machine was asked, and refused.
    #[error("{message}")]
    Refused {
        /// What and why.
        message: String,
        /// What to do about it, if that is known.
        hint: Option<String>,
    },
    /// A signal that the system does not have.
    #[error("has the `stopSignal` `{name}`, which is no signal of this system")]
    UnknownSignal {
        /// Its name.
        name: String,
    },
}

/// The kinds of objects that hold values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ObjectKind {
    /// A `ConfigMap`.
    ConfigMap,
    /// A Secret.
    Secret,
}

// === impl RecipeError ===

impl RecipeError {
    /// What the user can do about it.
    pub fn help(&self) -> Option<String> {
        self.problem.help()
    }
}

// === impl Subject ===

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pod => f.write_str("the pod"),
            Self::Container(name) => write!(f, "container `{name}`"),
            Self::Variable { container, name } => {
                write!(f, "variable `{name}` of container `{container}`")
            }
            Self::EnvFrom { container } => write!(f, "`envFrom` of container `{container}`"),
            Self::Mount { container, path } => {
                write!(f, "the mount at `{path}` of container `{container}`")
            }
            Self::Volume(name) => write!(f, "volume `{name}`"),
        }
    }
}

// === impl Problem ===

impl Problem {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoCommand { image, .. } => no_command(image.as_deref()),
            Self::MissingObject {
                kind,
                name,
                elsewhere,
            } => missing_object(*kind, name, elsewhere.as_deref()),
            Self::MissingKey {
                kind, name, keys, ..
            } => missing_key(*kind, name, keys),
            Self::NotText { .. } => {
                "mount it as a file of a volume: files can hold any bytes".into()
            }
            Self::UnknownField { .. } => {
                "for example `metadata.name`, `metadata.labels['app']` or `status.podIP`".into()
            }
            Self::UnknownResource { .. } => "for example `limits.cpu` or `requests.memory`".into(),
            Self::UnknownVolume { name } => {
                format!("add it under `spec.volumes`: `- {{name: {name}, emptyDir: {{}}}}`")
            }
            Self::NotMounted { volume } => {
                format!("mount it: `volumeMounts: [{{name: {volume}, mountPath: /{volume}}}]`")
            }
            Self::OutOfReach { .. } => {
                "use `exec`, which runs where the container is, or leave `network: none` out".into()
            }
            Self::MissingEnvFile { .. } | Self::MissingEnvFileKey { .. } => {
                "let a container that runs before this one write it, or add `optional: true`".into()
            }
            Self::BadEnvFile { .. } => "write each line as `NAME='value'`".into(),
            Self::NoValue { names } => {
                let name = names.first().map_or("NAME", String::as_str);
                format!("give it a value under `env`: `- {{name: {name}, value: …}}`")
            }
            Self::LeadsOut { .. } => "write a relative path without `..`".into(),
            Self::NotReadOnly => "add `readOnly: true`".into(),
            Self::Propagates => "remove `mountPropagation` or `recursiveReadOnly`".into(),
            Self::BlockDevice => {
                "mount the device with a `hostPath` volume of the type `BlockDevice`".into()
            }
            Self::NeedsCluster { .. } => {
                "on this machine use `emptyDir: {}`, or `hostPath: {path: …}` for files that stay"
                    .into()
            }
            Self::PartNeedsCluster { .. } => {
                "on this machine leave it out, or put its files into a Secret".into()
            }
            Self::UnknownMedium { .. } => "leave it out, or write `medium: Memory`".into(),
            Self::RelativeHostPath { .. } => "write the whole path, from `/`".into(),
            Self::RunsAsRoot => "give another `runAsUser`, or remove `runAsNonRoot`".into(),
            Self::InheritsRoot => {
                "add `runAsUser`, for example `runAsUser: 65534`, or start Pillion as another user"
                    .into()
            }
            Self::BadId { .. } => format!("it takes a number from 0 to {}", i32::MAX),
            Self::BadPidsLimit { .. } => "write a number in quotes, for example `\"100\"`".into(),
            Self::NeedsRoot { .. } => {
                "run Pillion as root, or leave `runAsUser`, `runAsGroup`, `supplementalGroups` and \
                 `fsGroup` out"
                    .into()
            }
            Self::Refused { hint, .. } => return hint.clone(),
            Self::UnknownSignal { .. } => "for example `SIGTERM`, `SIGINT` or `SIGRTMIN+3`".into(),
            Self::Nul { .. } | Self::UnknownContainer { .. } | Self::FileAndFolder { .. } => {
                return None;
            }
        })
    }
}

fn unknown(image: Option<&str>) -> String {
    match image {
        Some(image) => format!(", and what its image `{image}` runs is not known here"),
        None => ", so there is nothing to run".into(),
    }
}

fn no_command(image: Option<&str>) -> String {
    let add = "add what it runs to the container: `command: [\"/path/to/program\"]`";
    match image {
        Some(image) => format!(
            "containers run as host processes, without their images; {add}\n\
             `docker image inspect {image}` shows it as Entrypoint and Cmd"
        ),
        None => add.into(),
    }
}

fn missing_object(kind: ObjectKind, name: &str, elsewhere: Option<&str>) -> String {
    match elsewhere {
        Some(namespace) => format!(
            "it is in `{namespace}`, and a pod sees only its own namespace; give both the same, or none"
        ),
        None => {
            format!("add a {kind} named `{name}` to the file, or `optional: true` where it is used")
        }
    }
}

fn missing_key(kind: ObjectKind, name: &str, keys: &[String]) -> String {
    let add = format!("add the key to the {kind} `{name}`, or `optional: true` where it is used");
    if keys.is_empty() {
        return add;
    }
    let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    format!("it has {}; {add}", keys.join(", "))
}

// === impl ObjectKind ===

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
        })
    }
}
