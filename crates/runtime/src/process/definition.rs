//! What a container is run by, and what it was made from.
//!
//! A container that is exchanged has several definitions, by the numbers that the engine gives them. Each start says
//! which one it goes by; those that no start can name any more are let go.

use super::Processes;
use super::env::volume::{others, volume_variable};
use super::listen::ListenError;
use super::recipe::{EnvFiles, Host, Kitchen, Recipe, RecipeError, Recipes, Run};
use super::volume::{VolumePlan, read};
use crate::guard::cgroup::Controller;
use pillion_engine::ContainerId;
use pillion_spec::container::Container;
use pillion_spec::file::{ConfigMap, Secret};
use pillion_spec::pod::Pod;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

/// Everything that the recipes of one pod were made from, kept for those that are made again at each start.
#[derive(Debug)]
pub struct Larder {
    /// The pod.
    pub pod: Pod,
    /// The `ConfigMap` objects of its file.
    pub config_maps: Vec<ConfigMap>,
    /// The Secrets of its file.
    pub secrets: Vec<Secret>,
    /// The machine.
    pub host: Host,
    /// The run.
    pub run: Run,
}

/// One definition of a container.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// How it is run.
    pub recipe: Recipe,
    /// Those that it is told of by a variable, or that hold files with some of its variables.
    env_volumes: Vec<VolumePlan>,
    /// Where the other volumes are that it can reach, by the variables that tell it.
    pub(super) other_volumes: BTreeMap<String, PathBuf>,
    larder: Rc<Larder>,
}

/// What is made of a pod, as far as its file tells, and all that is wrong with it.
#[derive(Debug)]
pub struct Draft {
    /// Of all containers, in the order of the pod's lists. None is to be run if something is wrong.
    pub definitions: Vec<Definition>,
    /// What its volumes hold; without those that something is wrong with.
    pub volumes: Vec<VolumePlan>,
    /// What is wrong.
    pub errors: Vec<RecipeError>,
}

impl Processes {
    /// Makes the sockets that are held for containers.
    pub fn listen(&mut self) -> Result<(), ListenError> {
        for (number, versions) in (0..).zip(&self.containers) {
            if let Some(definition) = versions.by_number.get(&0) {
                self.listeners
                    .hold(ContainerId(number), &definition.recipe.listen)?;
            }
        }
        Ok(())
    }

    /// Makes the sockets for a definition that is to come, beside those that the container has.
    pub fn listen_for(
        &mut self,
        container: ContainerId,
        definition: &Definition,
    ) -> Result<(), ListenError> {
        self.listeners.hold(container, &definition.recipe.listen)
    }

    /// What a container is from this version on.
    pub fn define(&mut self, container: ContainerId, version: u32, definition: Definition) {
        if let Some(versions) = self.containers.get_mut(container.index()) {
            versions.by_number.insert(version, Rc::new(definition));
        }
    }

    /// How a container is run.
    pub fn definition(&self, container: ContainerId, version: u32) -> Option<&Rc<Definition>> {
        let versions = self.containers.get(container.index())?;
        versions.by_number.get(&version)
    }

    /// No other versions of a container will be started any more: they go, with the sockets that were held for them.
    pub fn keep_versions(&mut self, container: ContainerId, kept: &[u32]) {
        let Some(versions) = self.containers.get_mut(container.index()) else {
            return;
        };
        versions.by_number.retain(|number, _| kept.contains(number));
        let kept = versions.by_number.values();
        let listen: Vec<_> = kept.flat_map(|kept| &kept.recipe.listen).collect();
        self.listeners.keep(container, |address| {
            listen.iter().any(|listen| listen.address == *address)
        });
    }

    /// All definitions that can be started.
    pub fn definitions(&self) -> impl Iterator<Item = &Rc<Definition>> {
        let containers = self.containers.iter();
        containers.flat_map(|versions| versions.by_number.values())
    }

    /// What can be limited from now on.
    pub fn limit(&mut self, limits: BTreeSet<Controller>) {
        self.room.limits = limits;
    }
}

// === impl Larder ===

impl Larder {
    /// The definitions of all containers, in the order of the pod's lists, and what its volumes hold; or all that is
    /// wrong.
    pub fn definitions(
        self: &Rc<Self>,
    ) -> Result<(Vec<Definition>, Vec<VolumePlan>), Vec<RecipeError>> {
        let Draft {
            definitions,
            volumes,
            errors,
        } = self.draft();
        if errors.is_empty() {
            Ok((definitions, volumes))
        } else {
            Err(errors)
        }
    }

    /// The same as far as the file tells, with all that is wrong.
    pub fn draft(self: &Rc<Self>) -> Draft {
        let kitchen = self.kitchen(None);
        let (recipes, errors) = Recipes::draft(&kitchen);
        let Recipes {
            mut containers,
            volumes,
        } = recipes;
        let definitions = self.pod.spec.all_containers().filter_map(|(_, _, one)| {
            let recipe = containers.remove(&one.name)?;
            Some(Definition {
                name: one.name.clone(),
                env_volumes: env_volumes(&recipe, &volumes),
                other_volumes: others(&kitchen, one, &recipe),
                recipe,
                larder: Rc::clone(self),
            })
        });
        let definitions = definitions.collect();
        Draft {
            definitions,
            volumes,
            errors,
        }
    }

    fn kitchen<'k>(&'k self, env_files: Option<&'k EnvFiles>) -> Kitchen<'k> {
        Kitchen {
            pod: &self.pod,
            config_maps: &self.config_maps,
            secrets: &self.secrets,
            host: &self.host,
            run: &self.run,
            env_files,
        }
    }

    fn container(&self, name: &str) -> Option<&Container> {
        let mut all = self.pod.spec.all_containers();
        all.find_map(|(_, _, one)| (one.name == name).then_some(one))
    }
}

// === impl Definition ===

impl Definition {
    /// What the file says of it.
    pub fn written(&self) -> Option<&Container> {
        self.larder.container(&self.name)
    }

    /// Where it stands in the pod, as `spec.containers[0]`.
    pub(super) fn field(&self) -> Option<String> {
        let mut all = self.larder.pod.spec.all_containers();
        all.find_map(|(list, index, one)| {
            (one.name == self.name).then(|| format!("spec.{list}[{index}]"))
        })
    }

    /// Where the volumes are that it uses, by their names.
    pub fn volume_paths(&self) -> BTreeMap<String, PathBuf> {
        let mounts = self.recipe.mounts.iter();
        let mounts = mounts.map(|mount| (mount.volume.clone(), mount.root.clone()));
        let read = self.env_volumes.iter();
        let read = read.map(|plan| (plan.name.clone(), plan.path.clone()));
        mounts.chain(read).collect()
    }

    /// Where the volumes are that it can reach: what it runs may use any of them.
    pub fn reachable_paths(&self) -> impl Iterator<Item = PathBuf> {
        let others = self.other_volumes.values().cloned();
        self.volume_paths().into_values().chain(others)
    }

    /// Everything that it was made from.
    pub fn larder(&self) -> &Rc<Larder> {
        &self.larder
    }

    /// The definition as it is at this start: some variables stand in files that other containers write.
    pub(super) fn current(self: &Rc<Self>) -> Result<Rc<Self>, String> {
        if self.recipe.env_files.is_empty() {
            return Ok(Rc::clone(self));
        }
        let files = read::read(&self.recipe.env_files, &self.env_volumes);
        let files = files.map_err(|error| error.to_string())?;
        let container = self.larder.container(&self.name);
        let container = container.ok_or("it is not in the pod any more")?;
        let recipe = Recipe::new(&self.larder.kitchen(Some(&files)), container);
        let recipe = recipe.map_err(|errors| {
            let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
            errors.join("; ")
        })?;
        Ok(Rc::new(Self {
            name: self.name.clone(),
            recipe,
            env_volumes: self.env_volumes.clone(),
            other_volumes: self.other_volumes.clone(),
            larder: Rc::clone(&self.larder),
        }))
    }
}

/// The volumes that the variables of a recipe have to do with.
fn env_volumes(recipe: &Recipe, volumes: &[VolumePlan]) -> Vec<VolumePlan> {
    let asked = |plan: &&VolumePlan| {
        let variable = volume_variable(&plan.name);
        let mut environment = recipe.environment.iter();
        let is_told = environment.any(|(name, _)| *name == variable);
        is_told || recipe.env_files.iter().any(|file| file.volume == plan.name)
    };
    volumes.iter().filter(asked).cloned().collect()
}
