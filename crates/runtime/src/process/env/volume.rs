//! The variables that tell where volumes are.
//!
//! A container is told of all volumes that it can reach. Those that its file shows it to use are a part of its recipe;
//! the others are not, so that a volume that a container does not use never changes it.

use super::UNREAD;
use crate::process::recipe::cook::Cook;
use crate::process::recipe::error::Problem;
use crate::process::recipe::mount::absolute;
use crate::process::recipe::{Kitchen, Recipe};
use pillion_spec::container::Container;
use pillion_spec::env::EnvValue;
use pillion_spec::hook::Hook;
use pillion_spec::probe::Check;
use pillion_spec::volume::{Volume, VolumeSource};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The variable that tells where a volume is: `PILLION_VOLUME_MY_DATA` for `my-data`.
pub fn volume_variable(volume: &str) -> String {
    let name = volume.to_ascii_uppercase().replace(['-', '.'], "_");
    format!("PILLION_VOLUME_{name}")
}

/// Adds where the volumes are that the container mounts or asks for.
pub(super) fn tell_used(cook: &mut Cook<'_>, given: &mut BTreeMap<String, String>) {
    for mount in &cook.container.volume_mounts {
        if let Some(volume) = cook.kitchen.volume(&mount.name) {
            let path = if runs_as_another(&cook.kitchen, cook.container) {
                absolute(&mount.mount_path)
            } else {
                cook.kitchen.volume_path(volume)
            };
            let path = path.to_string_lossy().into_owned();
            given.entry(volume_variable(&mount.name)).or_insert(path);
        }
    }
    for volume in &cook.kitchen.pod.spec.volumes {
        let variable = volume_variable(&volume.name);
        if given.contains_key(&variable) || !mentions(cook.container, &variable) {
            continue;
        }
        let value = if is_in_reach(&cook.kitchen, cook.container, volume) {
            let path = cook.kitchen.volume_path(volume);
            path.to_string_lossy().into_owned()
        } else {
            let volume = volume.name.clone();
            cook.note_own::<()>("volumeMounts", Err(Problem::NotMounted { volume }));
            // What is wrong is told once, and not again by whoever refers to it.
            UNREAD.to_owned()
        };
        given.insert(variable, value);
    }
}

/// Where the volumes are that a container can reach, and that its recipe does not tell it of: what it runs may ask for
/// them all the same.
pub(in crate::process) fn others(
    kitchen: &Kitchen<'_>,
    container: &Container,
    recipe: &Recipe,
) -> BTreeMap<String, PathBuf> {
    let told = |variable: &str| {
        let by_name = |(name, _): &(String, _)| name.as_str().cmp(variable);
        recipe.environment.binary_search_by(by_name).is_ok()
    };
    let mut others = BTreeMap::new();
    for volume in &kitchen.pod.spec.volumes {
        let variable = volume_variable(&volume.name);
        if !told(&variable) && is_in_reach(kitchen, container, volume) {
            let path = || kitchen.volume_path(volume);
            others.entry(variable).or_insert_with(path);
        }
    }
    others
}

/// Whether a container finds a volume where it is on the machine.
fn is_in_reach(kitchen: &Kitchen<'_>, container: &Container, volume: &Volume) -> bool {
    let is_ours = match volume.source {
        VolumeSource::HostPath { .. } => false,
        VolumeSource::EmptyDir { .. }
        | VolumeSource::ConfigMap(_)
        | VolumeSource::Secret(_)
        | VolumeSource::DownwardApi(_)
        | VolumeSource::Projected { .. }
        | VolumeSource::Other { .. } => true,
    };
    !is_ours || !runs_as_another(kitchen, container)
}

/// Another user cannot enter the folder of the volumes, and finds them where they are mounted.
fn runs_as_another(kitchen: &Kitchen<'_>, container: &Container) -> bool {
    let own = container.security_context.run_as_user;
    let user = own.or(kitchen.pod.spec.security_context.run_as_user);
    user.is_some_and(|user| user != i64::from(kitchen.host.user))
}

/// Whether a container asks for a variable where its file says what it runs: the way to a volume where nothing can be
/// mounted.
fn mentions(container: &Container, variable: &str) -> bool {
    let values = container.env.iter().filter_map(|one| match &one.value {
        EnvValue::Text(text) => Some(text),
        EnvValue::ConfigMapKey(_)
        | EnvValue::SecretKey(_)
        | EnvValue::Field { .. }
        | EnvValue::Resource(_)
        | EnvValue::FileKey { .. } => None,
    });
    let own = container.env.iter().any(|one| one.name == variable);
    !own && (words(container).chain(values)).any(|text| names(text, variable))
}

/// All words that the file has a container run.
pub(in crate::process) fn words(container: &Container) -> impl Iterator<Item = &String> {
    let lifecycle = &container.lifecycle;
    let hooks = [
        &lifecycle.post_start,
        &lifecycle.pre_stop,
        &lifecycle.pod_stopping,
    ];
    let hooks = hooks.into_iter().flatten().filter_map(|hook| match hook {
        Hook::Exec(exec) => Some(&exec.command),
        Hook::HttpGet(_) | Hook::TcpSocket(_) | Hook::Sleep { .. } => None,
    });
    let probes = [
        &container.startup_probe,
        &container.readiness_probe,
        &container.liveness_probe,
    ];
    let probes = probes.into_iter().flatten();
    let probes = probes.filter_map(|probe| match &probe.check {
        Check::Exec(exec) => Some(&exec.command),
        Check::HttpGet(_) | Check::TcpSocket(_) | Check::Grpc(_) => None,
    });
    let own = [&container.command, &container.args];
    let own = own.into_iter().chain(&container.pillion.undo);
    own.chain(hooks).chain(probes).flatten()
}

/// Whether a text has this name in it, and not only as the beginning of a longer one.
fn names(text: &str, variable: &str) -> bool {
    let goes_on = |next: char| next.is_ascii_alphanumeric() || next == '_';
    let mut found = text.match_indices(variable);
    found.any(|(at, _)| !text[at + variable.len()..].starts_with(goes_on))
}
