//! Why limits cannot be set.

use std::io;
use std::path::PathBuf;

/// Why limits cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// The kernel offers nothing, or nobody has mounted it.
    #[error("this machine has no control groups for cpu, memory or pids")]
    None,
    /// They are there, and not for us.
    #[error("the control groups of this machine cannot be changed by this user: {} is closed", .path.display())]
    Closed {
        /// The group that we would have to change.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The kernel's list of mounts or groups cannot be read.
    #[error("cannot read {}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// No group can be called so.
    #[error("cannot call a control group `{name}`")]
    Name {
        /// What it should be called.
        name: String,
    },
    /// Something that has to be limited cannot be.
    #[error(
        "cannot limit {controller}: this machine has no control group for it that this user can change"
    )]
    Missing {
        /// What the kernel calls it.
        controller: &'static str,
    },
    /// A group could not be made.
    #[error("cannot make the control group {}", .path.display())]
    Make {
        /// Which.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A limit was refused.
    #[error("cannot write `{value}` to {}", .path.display())]
    Limit {
        /// The file that holds the limit.
        path: PathBuf,
        /// The limit.
        value: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// A group could not be removed.
    #[error("cannot remove the control group {}", .path.display())]
    Remove {
        /// Which.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}
