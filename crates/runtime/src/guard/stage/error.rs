//! Why a stage cannot be set, and what to do then.

use crate::guard::cgroup::CgroupError;
use std::io;
use std::path::PathBuf;

/// Why a stage cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// Somebody who is not root asked to be somebody else.
    #[error(
        "cannot run as {wanted}: pillion runs as user {own}, and only root can become somebody else"
    )]
    Identity {
        /// Who.
        wanted: String,
        /// Who pillion is.
        own: u32,
    },
    /// A number that stands for nobody.
    #[error("cannot run as user or group {number}: the system uses that number for nobody")]
    Nobody {
        /// The number.
        number: u32,
    },
    /// The kernel gives us no namespaces.
    #[error("cannot get {} of its own: {cause}", if *.for_mounts { "a view of the file system" } else { "a network" })]
    Namespace {
        /// The setting that forbids it, as far as one can tell.
        cause: &'static str,
        /// It was for mounts.
        for_mounts: bool,
        /// What the kernel said.
        source: io::Error,
    },
    /// The loopback of a private network does not come up.
    #[error("cannot bring up the loopback of its own network")]
    Loopback {
        /// What the kernel said.
        source: io::Error,
    },
    /// New rights cannot be refused.
    #[error("cannot keep it from getting more rights than it has")]
    Privileges {
        /// What the kernel said.
        source: io::Error,
    },
    /// The private root could not be built.
    #[error("cannot build a private view of the file system: {what} {}", .path.display())]
    Root {
        /// What was being done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// What should be mounted is not there.
    #[error("cannot mount {} at {}", .source_path.display(), .target.display())]
    Source {
        /// What.
        source_path: PathBuf,
        /// Where.
        target: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A part of a volume is somewhere else.
    #[error("cannot mount {}: a link leads out of the volume", .path.display())]
    LeadsOut {
        /// The part.
        path: PathBuf,
    },
    /// Nothing can be mounted there.
    #[error("cannot mount anything at {}: {why}", .target.display())]
    Target {
        /// Where.
        target: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// The limits cannot be set.
    #[error(transparent)]
    Cgroup(#[from] CgroupError),
}

// === impl StageError ===

impl StageError {
    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Identity { .. } => Some(
                "run pillion as root, or leave runAsUser, runAsGroup and supplementalGroups out",
            ),
            Self::Namespace {
                for_mounts: true, ..
            } => Some(
                "run pillion as root, or leave volumeMounts out and use PILLION_VOLUME_<NAME>, which tells where a \
                 volume is without mounts",
            ),
            Self::Namespace {
                for_mounts: false, ..
            } => Some("run pillion as root, or leave `network: none` out"),
            Self::Root { .. } => Some(
                "leave volumeMounts out and use PILLION_VOLUME_<NAME>, which tells where a volume is without mounts",
            ),
            Self::Cgroup(_) => Some("leave the limits out"),
            Self::Nobody { .. }
            | Self::Loopback { .. }
            | Self::Privileges { .. }
            | Self::Source { .. }
            | Self::LeadsOut { .. }
            | Self::Target { .. } => None,
        }
    }
}
