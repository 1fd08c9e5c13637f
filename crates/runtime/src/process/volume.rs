//! What the volumes of a pod hold on this machine.
//!
//! Contents are worked out from the file alone. They are plain files: the links through which the kubelet swaps all
//! files of a volume at once are not made, because objects of a file do not change while it runs.

pub mod host_path;
pub mod place;
pub mod read;
#[cfg(test)]
mod tests;

use super::env::downward;
use super::recipe::error::{ObjectKind, Problem, RecipeError, Subject};
use super::recipe::identity;
use super::recipe::kitchen::{Kitchen, MEMORY};
use super::recipe::mount::inside;
use pillion_spec::volume::{
    DownwardFile, DownwardFiles, DownwardValue, HostPathType, KeyFiles, Projection, Volume,
    VolumeSource,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A volume on this machine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VolumePlan {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What is there.
    pub content: VolumeContent,
    /// The group that may use it.
    pub group: Option<u32>,
}

/// What a volume holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum VolumeContent {
    /// A folder that is empty at first.
    Folder {
        /// Whether it should be in memory.
        memory: bool,
        /// The most it should hold, in bytes.
        size_limit: Option<u64>,
    },
    /// Something that the machine has.
    HostPath(HostPathType),
    /// A folder with these files.
    Files(Vec<VolumeFile>),
}

/// A file of a volume.
#[derive(Clone, Eq, PartialEq)]
pub struct VolumeFile {
    /// Relative to the volume, in its simplest form.
    pub path: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// What stands in it.
    pub content: Vec<u8>,
}

/// Whether something is a file or a folder.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// A folder.
    Folder,
    /// A file, a socket or a device.
    File,
    /// What is there; a folder if nothing is.
    AsFound,
}

/// The files of a volume by their paths: what comes later replaces what was there.
type Files = BTreeMap<PathBuf, VolumeFile>;

/// Whether containers can only read it.
pub(in crate::process) fn is_read_only(source: &VolumeSource) -> bool {
    match source {
        VolumeSource::EmptyDir { .. }
        | VolumeSource::HostPath { .. }
        | VolumeSource::Other { .. } => false,
        VolumeSource::ConfigMap(_)
        | VolumeSource::Secret(_)
        | VolumeSource::DownwardApi(_)
        | VolumeSource::Projected { .. } => true,
    }
}

/// What a volume or a part of it is, as far as its file tells.
pub(in crate::process) fn shape(source: &VolumeSource, is_part: bool) -> Shape {
    match source {
        _ if is_part => Shape::AsFound,
        VolumeSource::HostPath { kind, .. } => match kind {
            HostPathType::Unset => Shape::AsFound,
            HostPathType::DirectoryOrCreate | HostPathType::Directory => Shape::Folder,
            HostPathType::FileOrCreate
            | HostPathType::File
            | HostPathType::Socket
            | HostPathType::CharDevice
            | HostPathType::BlockDevice => Shape::File,
        },
        VolumeSource::EmptyDir { .. }
        | VolumeSource::ConfigMap(_)
        | VolumeSource::Secret(_)
        | VolumeSource::DownwardApi(_)
        | VolumeSource::Projected { .. }
        | VolumeSource::Other { .. } => Shape::Folder,
    }
}

// === impl VolumePlan ===

impl VolumePlan {
    /// The volumes of a pod, as far as they can be had.
    pub(in crate::process) fn all(
        kitchen: &Kitchen<'_>,
        errors: &mut Vec<RecipeError>,
    ) -> Vec<Self> {
        let volumes = kitchen.pod.spec.volumes.iter().enumerate();
        let plan = |(index, volume): (usize, &Volume)| {
            let problem = match Self::of(kitchen, volume) {
                Ok(plan) => return Some(plan),
                Err(problem) => problem,
            };
            errors.push(RecipeError {
                subject: Subject::Volume(volume.name.clone()),
                field: format!("spec.volumes[{index}]"),
                problem,
            });
            None
        };
        volumes.filter_map(plan).collect()
    }

    fn of(kitchen: &Kitchen<'_>, volume: &Volume) -> Result<Self, Problem> {
        let group = kitchen.pod.spec.security_context.fs_group;
        Ok(Self {
            name: volume.name.clone(),
            path: kitchen.volume_path(volume),
            content: content(kitchen, &volume.source)?,
            // Whether it is an id is told once for each container.
            group: group.and_then(|id| identity::checked("fsGroup", id).ok()),
        })
    }
}

fn content(kitchen: &Kitchen<'_>, source: &VolumeSource) -> Result<VolumeContent, Problem> {
    let mut files = Files::new();
    match source {
        VolumeSource::EmptyDir { medium, size_limit } => {
            if !medium.is_empty() && medium != MEMORY {
                let medium = medium.clone();
                return Err(Problem::UnknownMedium { medium });
            }
            return Ok(VolumeContent::Folder {
                memory: medium == MEMORY,
                size_limit: size_limit.and_then(|limit| u64::try_from(limit.units()).ok()),
            });
        }
        VolumeSource::HostPath { path, kind } => {
            if !path.starts_with('/') {
                let path = path.clone();
                return Err(Problem::RelativeHostPath { path });
            }
            return Ok(VolumeContent::HostPath(*kind));
        }
        VolumeSource::ConfigMap(wanted) => {
            let mode = wanted.default_mode;
            add_keys(kitchen, ObjectKind::ConfigMap, wanted, mode, &mut files)?;
        }
        VolumeSource::Secret(wanted) => {
            let mode = wanted.default_mode;
            add_keys(kitchen, ObjectKind::Secret, wanted, mode, &mut files)?;
        }
        VolumeSource::DownwardApi(wanted) => {
            add_fields(kitchen, wanted, wanted.default_mode, &mut files)?;
        }
        VolumeSource::Projected {
            sources,
            default_mode,
        } => {
            for part in sources {
                add_part(kitchen, part, *default_mode, &mut files)?;
            }
        }
        VolumeSource::Other { kind } => {
            let kind = kind.clone();
            return Err(Problem::NeedsCluster { kind });
        }
    }
    no_file_is_a_folder(&files)?;
    Ok(VolumeContent::Files(files.into_values().collect()))
}

fn add_part(
    kitchen: &Kitchen<'_>,
    part: &Projection,
    mode: u32,
    files: &mut Files,
) -> Result<(), Problem> {
    match part {
        Projection::ConfigMap(wanted) => {
            add_keys(kitchen, ObjectKind::ConfigMap, wanted, mode, files)
        }
        Projection::Secret(wanted) => add_keys(kitchen, ObjectKind::Secret, wanted, mode, files),
        Projection::DownwardApi(wanted) => add_fields(kitchen, wanted, mode, files),
        Projection::Other { kind } => Err(Problem::PartNeedsCluster { kind: kind.clone() }),
    }
}

fn add_keys(
    kitchen: &Kitchen<'_>,
    kind: ObjectKind,
    wanted: &KeyFiles,
    default_mode: u32,
    files: &mut Files,
) -> Result<(), Problem> {
    let optional = wanted.optional;
    let Some(object) = kitchen.object(kind, &wanted.name, optional)? else {
        return Ok(());
    };
    if wanted.items.is_empty() {
        for (key, value) in object.data {
            add(files, key, default_mode, value.clone())?;
        }
    }
    for item in &wanted.items {
        match object.data.get(&item.key) {
            Some(value) => {
                let mode = item.mode.unwrap_or(default_mode);
                add(files, &item.path, mode, value.clone())?;
            }
            None if optional => {}
            None => return Err(object.missing(&item.key)),
        }
    }
    Ok(())
}

fn add_fields(
    kitchen: &Kitchen<'_>,
    wanted: &DownwardFiles,
    default_mode: u32,
    files: &mut Files,
) -> Result<(), Problem> {
    for DownwardFile { path, mode, value } in &wanted.items {
        let value = match value {
            DownwardValue::Field { path } => downward::field(kitchen, path)?,
            DownwardValue::Resource(wanted) => downward::resource(kitchen, None, wanted)?,
        };
        add(
            files,
            path,
            mode.unwrap_or(default_mode),
            value.into_bytes(),
        )?;
    }
    Ok(())
}

fn add(files: &mut Files, path: &str, mode: u32, content: Vec<u8>) -> Result<(), Problem> {
    let inside = inside(path)?;
    if inside.as_os_str().is_empty() {
        let path = path.to_owned();
        return Err(Problem::LeadsOut { path });
    }
    let file = VolumeFile {
        path: inside.clone(),
        mode: mode & 0o777,
        content,
    };
    files.insert(inside, file);
    Ok(())
}

/// Two parts can ask for `a` and for `a/b`. Only one of them could be had.
fn no_file_is_a_folder(files: &Files) -> Result<(), Problem> {
    for below in files.keys() {
        let mut above = below.ancestors().skip(1);
        if let Some(file) = above.find(|above| files.contains_key(*above)) {
            let text = |path: &Path| path.to_string_lossy().into_owned();
            let (file, below) = (text(file), text(below));
            return Err(Problem::FileAndFolder { file, below });
        }
    }
    Ok(())
}

// === impl VolumeFile ===

/// What stands in files can be secret, and does not belong in logs.
impl fmt::Debug for VolumeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            mode,
            content,
        } = self;
        let (path, length) = (path.display(), content.len());
        write!(f, "{path} {mode:04o} {length} bytes")
    }
}
