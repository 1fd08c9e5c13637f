//! What a container is run by, and what it was made from.

use super::recipe::{EnvFiles, Host, Kitchen, Recipe, RecipeError, Recipes, Run};
use super::volume::{VolumePlan, read};
use pillion_spec::container::Container;
use pillion_spec::file::{ConfigMap, Secret};
use pillion_spec::pod::Pod;
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
    /// Those that hold files with some of its variables.
    env_volumes: Vec<VolumePlan>,
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
                env_volumes: env_volumes(&recipe, &volumes),
                recipe,
                larder: Rc::clone(self),
            })
        });
        let definitions = definitions.collect();
        Ok((definitions, volumes))
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
            larder: Rc::clone(&self.larder),
        }))
    }
}

/// The volumes that a recipe takes variables from.
fn env_volumes(recipe: &Recipe, volumes: &[VolumePlan]) -> Vec<VolumePlan> {
    let asked = |plan: &&VolumePlan| recipe.env_files.iter().any(|file| file.volume == plan.name);
    volumes.iter().filter(asked).cloned().collect()
}
