//! Environment variables and where their values come from.

use crate::quantity::Quantity;

/// One variable.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EnvVar {
    /// Its name.
    pub name: String,
    /// Its value, or where to look it up.
    pub value: EnvValue,
}

/// A value or where to look it up.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EnvValue {
    /// The text itself, with `$(NAME)` not yet replaced.
    Text(String),
    /// A key of a `ConfigMap`.
    ConfigMapKey(KeyRef),
    /// A key of a Secret.
    SecretKey(KeyRef),
    /// A field of the pod, such as `metadata.name`.
    Field {
        /// The field's path.
        path: String,
    },
    /// An amount of a container's resources, such as `limits.cpu`.
    Resource(ResourceRef),
    /// A key in an environment file of an emptyDir volume.
    FileKey {
        /// The volume.
        volume: String,
        /// The file in the volume.
        path: String,
        /// The variable in the file.
        key: String,
        /// Whether the file or key may be missing.
        optional: bool,
    },
}

/// A key of a `ConfigMap` or a Secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyRef {
    /// The object's name.
    pub name: String,
    /// The key in its data.
    pub key: String,
    /// Whether the object or the key may be missing.
    pub optional: bool,
}

/// An amount of a container's resources.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ResourceRef {
    /// The container; the one that asks, if not given.
    pub container: Option<String>,
    /// Which amount, such as `limits.cpu`.
    pub resource: String,
    /// The unit; 1 if not given.
    pub divisor: Option<Quantity>,
}

/// All keys of an object as variables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EnvFrom {
    /// Put before each name.
    pub prefix: String,
    /// The object.
    pub source: EnvSource,
}

/// An object whose keys become variables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EnvSource {
    /// A `ConfigMap`.
    ConfigMap(ObjectRef),
    /// A Secret.
    Secret(ObjectRef),
}

/// An object by name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectRef {
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    pub optional: bool,
}
