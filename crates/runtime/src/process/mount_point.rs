//! Finds mounts that cannot be where they should be, or would hide a folder of the machine from those who write into it.
//!
//! No mount point is made on the machine. Where one is missing, the folder that it would be in is rebuilt for the container,
//! and what the container writes there goes with it. That is nothing new where it could not write, and a loss where it
//! could: in the folder it works in, in `/tmp`, on a host path. So this is told before anything starts; as is a place that
//! nothing can be mounted at, which nothing but another file would change.

use super::definition::Definition;
use super::last_words::USUAL;
use super::recipe::error::{Problem, Subject};
use super::recipe::{MountRecipe, Recipe, RecipeError, mount::absolute};
use super::volume::Shape;
use pillion_spec::container::Container;
use pillion_spec::pillion::ReadyOn;
use rustix::fs::{Access, access};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Tells which mounts of containers cannot be, or would keep what they write from the machine.
pub fn hiding<'d>(definitions: impl IntoIterator<Item = &'d Definition>) -> Vec<RecipeError> {
    definitions.into_iter().flat_map(of_one).collect()
}

fn of_one(definition: &Definition) -> Vec<RecipeError> {
    let recipe = &definition.recipe;
    let Some(written) = definition.written() else {
        return Vec::new();
    };
    let place = definition.field();
    let unknown = unknown(recipe, written);
    let is_known = |path: &str| {
        let path = absolute(path);
        let above = path.ancestors().skip(1);
        !above.into_iter().any(|above| unknown.contains(above))
    };
    let mounts = written.volume_mounts.iter().enumerate();
    let mounts = mounts.map(|(index, mount)| (format!("volumeMounts[{index}]"), &mount.mount_path));
    let last_words = &recipe.termination_message_path;
    let last_words =
        (last_words != USUAL).then(|| ("terminationMessagePath".to_owned(), last_words));
    mounts
        .chain(last_words)
        .filter(|(_, path)| is_known(path))
        .filter_map(|(field, path)| {
            let problem = problem(recipe, &absolute(path))?;
            Some(RecipeError {
                subject: Subject::Mount {
                    container: definition.name.clone(),
                    path: path.clone(),
                },
                field: format!("{}.{field}", place.as_deref()?),
                problem,
            })
        })
        .collect()
}

/// Where volumes should be mounted that cannot be had: what will be there is not known either.
fn unknown(recipe: &Recipe, written: &Container) -> BTreeSet<PathBuf> {
    let mounts = written.volume_mounts.iter();
    let wanted = mounts.map(|mount| absolute(&mount.mount_path));
    let known = |path: &PathBuf| recipe.mounts.iter().any(|mount| mount.target == *path);
    wanted.filter(|path| !known(path)).collect()
}

fn problem(recipe: &Recipe, target: &Path) -> Option<Problem> {
    let (folder, rest) = resolved(target)?;
    let target = folder.join(&rest);
    let above = recipe.mounts.iter().filter(|mount| {
        let inner = target.strip_prefix(&mount.target);
        inner.is_ok_and(|inner| inner != Path::new(""))
    });
    match above.max_by_key(|mount| mount.target.components().count()) {
        Some(above) if above.own => None,
        Some(above) => below_host_path(above, &target),
        None if let Some(why) = impossible(recipe, &folder, &rest) => Some(Problem::Refused {
            message: format!("cannot be: {why}"),
            hint: Some("choose another place".to_owned()),
        }),
        None if rest == Path::new("") || folder == Path::new("/") => None,
        None if !is_used(recipe, &folder) => None,
        None => Some(Problem::Refused {
            message: format!(
                "is not on this machine, and so what the container writes beside it in `{}` would be lost",
                folder.display()
            ),
            hint: Some(format!(
                "make `{}` first, or choose another `mountPath`, such as one right below `/`",
                target.display()
            )),
        }),
    }
}

/// Why nothing, or not this, can be mounted at a path of the machine that is there so far.
fn impossible(recipe: &Recipe, folder: &Path, rest: &Path) -> Option<String> {
    let is_whole = rest == Path::new("");
    if is_whole && folder == Path::new("/") {
        return Some("it would hide everything else".to_owned());
    }
    if folder.starts_with("/proc") {
        return Some("the system itself is in `/proc`".to_owned());
    }
    if !is_whole && !folder.is_dir() {
        return Some(format!("`{}` is a file", folder.display()));
    }
    let target = folder.join(rest);
    let mut mounts = recipe.mounts.iter();
    let shape = mounts.find_map(|mount| (mount.target == target).then_some(mount.shape));
    match (shape.filter(|_| is_whole)?, folder.is_dir()) {
        (Shape::Folder, false) => Some(format!(
            "`{}` is a file, and the volume is a folder",
            folder.display()
        )),
        (Shape::File, true) => Some(format!(
            "`{}` is a folder, and the volume is a file",
            folder.display()
        )),
        (Shape::Folder, true) | (Shape::File, false) | (Shape::AsFound, _) => None,
    }
}

/// What is there of a path, with links followed, and what is not.
fn resolved(target: &Path) -> Option<(PathBuf, PathBuf)> {
    target.ancestors().find_map(|path| {
        let found = path.canonicalize().ok()?;
        let rest = target.strip_prefix(path).ok()?;
        Some((found, rest.to_owned()))
    })
}

fn below_host_path(above: &MountRecipe, target: &Path) -> Option<Problem> {
    let inner = target.strip_prefix(&above.target).ok()?;
    let needed = above.source().join(inner);
    (!needed.exists()).then(|| Problem::Refused {
        message: format!(
            "is on the host path of volume `{}`, and `{}` is not there: what the container writes beside it would be lost",
            above.volume,
            needed.display()
        ),
        hint: Some(format!("make `{}` first", needed.display())),
    })
}

/// Whether a container may want to have written into a folder of the machine.
fn is_used(recipe: &Recipe, folder: &Path) -> bool {
    let works_in = match &recipe.working_dir {
        Some(path) => Path::new(path).canonicalize(),
        None => std::env::current_dir(),
    };
    let works_in = works_in.unwrap_or_else(|_| PathBuf::from("/"));
    if works_in != Path::new("/") && folder.starts_with(&works_in) {
        return true;
    }
    if let Some(ReadyOn::File(file)) = &recipe.ready_on
        && let Some(awaited) = works_in.join(file).parent()
        && awaited
            .canonicalize()
            .is_ok_and(|awaited| awaited == folder)
    {
        return true;
    }
    can_write(recipe, folder)
}

fn can_write(recipe: &Recipe, folder: &Path) -> bool {
    let Ok(about) = fs::metadata(folder) else {
        return false;
    };
    let may = |bits| about.mode() & bits != 0;
    let identity = &recipe.identity;
    let own = rustix::process::geteuid().as_raw();
    let user = identity.user.unwrap_or(own);
    if user == 0 {
        // Root could write everywhere. The folders of the system are not meant for that.
        return about.uid() != 0 || may(0o002);
    }
    if user == own {
        return access(folder, Access::WRITE_OK).is_ok();
    }
    let groups = identity.group.iter().chain(&identity.groups);
    let in_group = groups.into_iter().any(|group| *group == about.gid());
    about.uid() == user && may(0o200) || in_group && may(0o020) || may(0o002)
}
