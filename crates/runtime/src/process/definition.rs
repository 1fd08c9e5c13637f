//! What a container is run by, and what it was made from.

use super::recipe::{EnvFiles, Host, Kitchen, MountRecipe, Recipe, RecipeError, Recipes, Run};
use super::volume::VolumePlan;
use pillion_spec::container::Container;
use pillion_spec::file::{ConfigMap, Secret};
use pillion_spec::pod::Pod;
use std::fs;
use std::io;
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
    larder: Rc<Larder>,
}

// === impl Larder ===

impl Larder {
    /// The definitions of all containers, in the order of the pod's lists, and what its volumes hold; or all that is
    /// wrong.
    pub fn definitions(
        self: &Rc<Self>,
    ) -> Result<(Vec<Definition>, Vec<VolumePlan>), Vec<RecipeError>> {
        let Recipes {
            mut containers,
            volumes,
        } = Recipes::new(&self.kitchen(None))?;
        let definitions = self.pod.spec.all_containers().filter_map(|(_, _, one)| {
            let recipe = containers.remove(&one.name)?;
            Some(Definition {
                name: one.name.clone(),
                recipe,
                larder: Rc::clone(self),
            })
        });
        Ok((definitions.collect(), volumes))
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

    /// What stands in the files that a recipe takes variables from.
    fn read_env_files(&self, recipe: &Recipe) -> io::Result<EnvFiles> {
        let read = |path| match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        };
        let kitchen = self.kitchen(None);
        let files = recipe.env_files.iter().map(|file| {
            let folder = kitchen
                .volume(&file.volume)
                .map(|volume| kitchen.volume_path(volume));
            let text = folder.map_or(Ok(None), |folder| read(folder.join(&file.path)))?;
            Ok((file.clone(), text))
        });
        files.collect()
    }
}

// === impl Definition ===

impl Definition {
    /// Whether what is mounted belongs to the pod and not to the machine.
    pub(super) fn is_of_pod(&self, mount: &MountRecipe) -> bool {
        let run = &self.larder.run;
        let folders = [Some(&run.volumes), run.memory_volumes.as_ref()];
        let mut folders = folders.into_iter().flatten();
        folders.any(|folder| mount.root.starts_with(folder))
    }

    /// The definition as it is at this start: some variables stand in files that other containers write.
    pub(super) fn current(self: &Rc<Self>) -> Result<Rc<Self>, String> {
        if self.recipe.env_files.is_empty() {
            return Ok(Rc::clone(self));
        }
        let files = self.larder.read_env_files(&self.recipe);
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
            larder: Rc::clone(&self.larder),
        }))
    }
}
