//! What is different about one container, and by what names to tell it.

use pillion_engine::pod::Container as Def;
use pillion_runtime::process::Definition;
use pillion_runtime::process::recipe::Recipe;
use pillion_spec::difference::fields;
use std::collections::BTreeSet;

/// One side of a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'s> {
    /// As the engine has it.
    pub(super) def: &'s Def,
    /// How it is run.
    pub(super) definition: &'s Definition,
}

/// What is different, as the file calls it; nothing if it can go on as it is. That a file says the same in other words,
/// or something that means nothing to a process, is no difference.
pub(super) fn difference(old: Side<'_>, new: Side<'_>) -> Option<Vec<String>> {
    let (was, is) = (old.definition.written(), new.definition.written());
    let image = |side: Option<&pillion_spec::container::Container>| side?.image.clone();
    let elsewhere = moved_volumes(old.definition, new.definition);
    let same = is_same_def(old.def, new.def)
        && old.definition.recipe == new.definition.recipe
        && image(was) == image(is)
        && elsewhere.is_empty();
    if same {
        return None;
    }
    let written = was.zip(is).map(|(was, is)| fields(was, is));
    let mut told: Vec<_> = written.unwrap_or_default();
    let (env, mounts) = (
        told.contains(&"env") || told.contains(&"envFrom"),
        told.contains(&"volumeMounts"),
    );
    // What stands elsewhere in the file and does not reach the process need not be told.
    told.retain(|field| !WITHOUT_EFFECT.contains(field));
    let mut told: Vec<_> = told.into_iter().map(str::to_owned).collect();
    if !env {
        let names = variables(&old.definition.recipe, &new.definition.recipe);
        told.extend(names.into_iter().map(|name| format!("variable {name}")));
    }
    if !mounts {
        told.extend(elsewhere.into_iter().map(|name| format!("volume {name}")));
    }
    if told.is_empty() {
        told.push("what it has from the pod".to_owned());
    }
    Some(told)
}

/// Fields that a process never sees.
const WITHOUT_EFFECT: &[&str] = &["imagePullPolicy", "ports"];

/// Where it stands in the graph has been compared before, by name.
fn is_same_def(old: &Def, new: &Def) -> bool {
    let with_edges = |def: &Def| Def {
        requires: Vec::new(),
        ..def.clone()
    };
    with_edges(old) == with_edges(new)
}

/// Variables that have another value, or only one side has. That a volume is elsewhere is told by its own name.
fn variables(old: &Recipe, new: &Recipe) -> Vec<String> {
    let all = |recipe: &Recipe| recipe.environment.iter().cloned().collect::<BTreeSet<_>>();
    let (old, new) = (all(old), all(new));
    let others = old.symmetric_difference(&new);
    let names: BTreeSet<_> = others.map(|(name, _)| name.clone()).collect();
    let theirs = names
        .into_iter()
        .filter(|name| !name.starts_with("PILLION_"));
    theirs.collect()
}

/// Volumes that a container uses on both sides, and that are elsewhere now: what is in them is different.
fn moved_volumes(old: &Definition, new: &Definition) -> BTreeSet<String> {
    let before = old.volume_paths();
    let others = new.volume_paths().into_iter().filter(|(name, path)| {
        let was = before.get(name);
        was.is_some_and(|was| was != path)
    });
    others.map(|(name, _)| name).collect()
}
