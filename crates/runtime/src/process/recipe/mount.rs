//! Where a container sees its volumes.

use super::cook::Cook;
use super::error::{Problem, Subject};
use crate::process::env::Variables;
use crate::process::volume::{self, Shape};
use pillion_spec::volume::{Propagation, Volume, VolumeMount, VolumeSource};
use std::path::{Component, Path, PathBuf};

/// One mount of a volume, or of a part of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MountRecipe {
    /// The volume's name.
    pub volume: String,
    /// The volume on this machine.
    pub root: PathBuf,
    /// The part of it; made as a folder if it is not there.
    pub sub_path: Option<PathBuf>,
    /// Where the container sees it; absolute and without `..`.
    pub target: PathBuf,
    /// Whether neither it nor what is mounted below it can be written to.
    pub read_only: bool,
    /// Whether it is a file or a folder.
    pub shape: Shape,
    /// Whether the volume is the pod's own, and not a part of the machine.
    pub own: bool,
}

// === impl MountRecipe ===

impl MountRecipe {
    /// What is mounted, on this machine.
    pub fn source(&self) -> PathBuf {
        match &self.sub_path {
            Some(part) => self.root.join(part),
            None => self.root.clone(),
        }
    }

    /// The mounts of a container: what lies below another comes after it, else as in the file.
    pub(super) fn all(cook: &mut Cook<'_>, variables: &Variables) -> Vec<Self> {
        let container = cook.container;
        if !container.volume_devices.is_empty() {
            cook.note_own("volumeDevices", Err::<(), _>(Problem::BlockDevice));
        }
        let mounts = container.volume_mounts.iter().enumerate();
        let made = mounts.filter_map(|(index, mount)| {
            let made = Self::of(cook, variables, mount);
            let subject = Subject::Mount {
                container: container.name.clone(),
                path: mount.mount_path.clone(),
            };
            cook.note(subject, &format!("volumeMounts[{index}]"), made)
        });
        let mut made: Vec<_> = made.collect();
        made.sort_by_key(|mount: &Self| mount.target.components().count());
        made
    }

    fn of(cook: &Cook<'_>, variables: &Variables, mount: &VolumeMount) -> Result<Self, Problem> {
        let volume = volume(cook, &mount.name)?;
        let sub_path = sub_path(variables, mount)?;
        check_recursive(mount)?;
        Ok(Self {
            volume: mount.name.clone(),
            root: cook.kitchen.volume_path(volume),
            target: absolute(&mount.mount_path),
            read_only: mount.read_only || volume::is_read_only(&volume.source),
            shape: volume::shape(&volume.source, sub_path.is_some()),
            sub_path,
            own: !matches!(volume.source, VolumeSource::HostPath { .. }),
        })
    }
}

fn volume<'k>(cook: &Cook<'k>, name: &str) -> Result<&'k Volume, Problem> {
    let found = cook.kitchen.volume(name);
    found.ok_or_else(|| Problem::UnknownVolume {
        name: name.to_owned(),
    })
}

fn sub_path(variables: &Variables, mount: &VolumeMount) -> Result<Option<PathBuf>, Problem> {
    let text = match (&mount.sub_path, &mount.sub_path_expr) {
        (_, Some(expression)) => variables
            .expand_all(expression)
            .map_err(|names| Problem::NoValue { names })?,
        (Some(text), None) => text.clone(),
        (None, None) => return Ok(None),
    };
    Ok(inside(&text)?.into())
}

/// A path that stays in its volume, in its simplest form.
pub(in crate::process) fn inside(text: &str) -> Result<PathBuf, Problem> {
    let leads_out = || Problem::LeadsOut {
        path: text.to_owned(),
    };
    let mut path = PathBuf::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(leads_out());
            }
        }
    }
    if text.contains('\0') {
        Err(leads_out())
    } else {
        Ok(path)
    }
}

/// From the root, and without steps back.
pub(in crate::process) fn absolute(text: &str) -> PathBuf {
    let mut path = PathBuf::from("/");
    for component in Path::new(text).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path
}

/// Refuses what Kubernetes would. Nothing else comes of it: what is read-only here is so all the way down.
fn check_recursive(mount: &VolumeMount) -> Result<(), Problem> {
    let asked = mount.recursive_read_only.as_deref();
    if asked.is_none_or(|mode| mode == "Disabled") {
        return Ok(());
    }
    if !mount.read_only {
        return Err(Problem::NotReadOnly);
    }
    match mount.propagation {
        Propagation::None => Ok(()),
        Propagation::HostToContainer | Propagation::Bidirectional => Err(Problem::Propagates),
    }
}
