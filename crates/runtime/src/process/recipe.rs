//! From a pod file to what is launched on this machine: pure, so that all that is wrong is known before anything runs.
//!
//! ```text
//! pod, ConfigMaps, Secrets ─┐
//! machine, run ─────────────┴─ Kitchen ─▶ Recipes ─▶ a Recipe for each container, a VolumePlan for each volume
//!                                            └─────▶ or all that is wrong, each with its field and what to do
//! ```
//!
//! Under the kubelet a missing object shows when the container that needs it is due. Here the file is at hand, so it
//! is better told at once.

mod action;
pub(in crate::process) mod cook;
pub mod error;
pub mod identity;
pub mod kitchen;
pub(in crate::process) mod mount;
mod signal;
#[cfg(test)]
pub(in crate::process) mod tests;

pub use action::{HookAction, ProbeAction};
pub use error::RecipeError;
pub use identity::Identity;
pub use kitchen::{Capacity, EnvFile, EnvFiles, Host, Kitchen, Run};
pub use mount::MountRecipe;

use super::env::Variables;
use super::last_words;
use super::volume::VolumePlan;
use crate::guard::cgroup::CgroupLimits;
use cook::Cook;
use error::{Problem, Subject};
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_spec::container::{Container, TerminationMessagePolicy};
use pillion_spec::pillion::{Listen, Network, ReadyOn};
use pillion_spec::pod::Pod;
use pillion_spec::quantity::Quantity;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is made of one pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Recipes {
    /// By the container's name, of all three lists.
    pub containers: BTreeMap<String, Recipe>,
    /// In the order of the file.
    pub volumes: Vec<VolumePlan>,
}

/// How one container is run as a host process.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are Kubernetes' own independent switches"
)]
pub struct Recipe {
    /// The program and its arguments; never empty.
    pub command: Vec<String>,
    /// All of its environment, by name.
    pub environment: Vec<(String, String)>,
    /// Where it begins; where Pillion was started if not given.
    pub working_dir: Option<String>,
    /// What tells it to stop.
    pub stop_signal: i32,
    /// Its hooks.
    pub hooks: BTreeMap<HookKind, HookAction>,
    /// Its probes.
    pub probes: BTreeMap<ProbeKind, ProbeAction>,
    /// The command that reverses it.
    pub undo: Option<Vec<String>>,
    /// Where it leaves its last words.
    pub termination_message_path: String,
    /// Whether the file for them is found there. To make it so takes a view of the file system that only this container has.
    pub mounts_last_words: bool,
    /// What else can be its last words.
    pub termination_message_policy: TerminationMessagePolicy,
    /// What it sees of the volumes.
    pub mounts: Vec<MountRecipe>,
    /// Whom it runs as.
    pub identity: Identity,
    /// What it may use; everything there is where nothing is given.
    pub limits: CgroupLimits,
    /// Whether it gets no network.
    pub no_network: bool,
    /// Whether no program gives it more rights than it has.
    pub no_new_privileges: bool,
    /// The sockets that are held for it.
    pub listen: Vec<Listen>,
    /// Whether standard input is kept open.
    pub stdin: bool,
    /// Whether standard input is closed after the first client.
    pub stdin_once: bool,
    /// Whether it gets a terminal.
    pub tty: bool,
    /// The event that makes it ready.
    pub ready_on: Option<ReadyOn>,
    /// Files that hold some of its variables. If there are any, they are to be read before each start and the recipe
    /// is to be made again with them.
    pub env_files: BTreeSet<EnvFile>,
}

/// The annotation that says how many processes and threads each container of a pod may have: Kubernetes leaves that to
/// the settings of a node.
pub const PIDS_LIMIT: &str = "pillion.dev/pids-limit";

// === impl Recipes ===

impl Recipes {
    /// Makes all recipes as far as the file tells, and tells all that is wrong. They are good for more questions, and to be
    /// run by if nothing is.
    pub fn draft(kitchen: &Kitchen<'_>) -> (Self, Vec<RecipeError>) {
        let mut errors = Vec::new();
        let mut containers = BTreeMap::new();
        for (_, _, container) in kitchen.pod.spec.all_containers() {
            let (recipe, wrong) = Recipe::draft(kitchen, container);
            containers.insert(container.name.clone(), recipe);
            errors.extend(wrong);
        }
        if let Err(problem) = pids(kitchen.pod) {
            errors.push(RecipeError {
                subject: Subject::Pod,
                field: "metadata.annotations".to_owned(),
                problem,
            });
        }
        let volumes = VolumePlan::all(kitchen, &mut errors);
        let recipes = Self {
            containers,
            volumes,
        };
        (recipes, errors)
    }
}

// === impl Recipe ===

impl Recipe {
    /// Makes the recipe of one container of the pod, or tells all that is wrong with it.
    pub fn new(kitchen: &Kitchen<'_>, container: &Container) -> Result<Self, Vec<RecipeError>> {
        let (recipe, errors) = Self::draft(kitchen, container);
        if errors.is_empty() {
            Ok(recipe)
        } else {
            Err(errors)
        }
    }

    fn draft(kitchen: &Kitchen<'_>, container: &Container) -> (Self, Vec<RecipeError>) {
        let mut cook = Cook::new(*kitchen, container);
        let recipe = Self::cook(&mut cook);
        (recipe, cook.errors)
    }

    fn cook(cook: &mut Cook<'_>) -> Self {
        let container = cook.container;
        let pillion = &container.pillion;
        let variables = Variables::of(cook);
        action::check_reach(cook);
        let stop_signal = container.lifecycle.stop_signal.as_deref();
        let stop_signal = stop_signal.map_or(Ok(signal::DEFAULT), signal::number);
        Self {
            command: command(cook, &variables),
            working_dir: container.working_dir.clone(),
            stop_signal: cook
                .note_own("lifecycle.stopSignal", stop_signal)
                .unwrap_or(signal::DEFAULT),
            hooks: action::hooks(cook),
            probes: action::probes(cook),
            undo: pillion.undo.as_ref().map(|undo| expanded(undo, &variables)),
            termination_message_path: container.termination_message_path.clone(),
            mounts_last_words: last_words::is_mounted(container),
            termination_message_policy: container.termination_message_policy,
            mounts: MountRecipe::all(cook, &variables),
            identity: Identity::of(cook),
            limits: limits(cook.kitchen.pod, container),
            no_network: pillion.network == Some(Network::None),
            no_new_privileges: container.security_context.allow_privilege_escalation == Some(false),
            listen: pillion.listen.clone().unwrap_or_default(),
            stdin: container.stdin,
            stdin_once: container.stdin_once,
            tty: container.tty,
            ready_on: pillion.ready_on.clone(),
            env_files: variables.files.clone(),
            environment: variables.into_environment(),
        }
    }
}

fn command(cook: &mut Cook<'_>, variables: &Variables) -> Vec<String> {
    let container = cook.container;
    let mut command = expanded(&container.command, variables);
    command.extend(expanded(&container.args, variables));
    let checked = if container.command.is_empty() {
        Err(Problem::NoCommand {
            image: container.image.clone(),
            args: !container.args.is_empty(),
        })
    } else if command.iter().any(|word| word.contains('\0')) {
        Err(Problem::Nul {
            place: "its command",
        })
    } else {
        Ok(())
    };
    cook.note_own("command", checked);
    command
}

fn expanded(words: &[String], variables: &Variables) -> Vec<String> {
    words.iter().map(|word| variables.expand(word)).collect()
}

/// As in Kubernetes, a limit of nothing is no limit.
fn limits(pod: &Pod, container: &Container) -> CgroupLimits {
    let limits = &container.resources.limits;
    let given = |name: &str, count: fn(Quantity) -> i128| {
        let amount = count(*limits.get(name)?);
        u64::try_from(amount).ok().filter(|amount| *amount > 0)
    };
    CgroupLimits {
        cpu_milli: given("cpu", Quantity::millis),
        memory: given("memory", Quantity::units),
        // What is wrong with it is told once for the pod.
        pids: pids(pod).unwrap_or_default(),
    }
}

/// How many processes and threads each container of a pod may have.
fn pids(pod: &Pod) -> Result<Option<u64>, Problem> {
    let Some(text) = pod.metadata.annotations.get(PIDS_LIMIT) else {
        return Ok(None);
    };
    let number = text.parse().ok().filter(|number| *number > 0);
    let bad = || Problem::BadPidsLimit { text: text.clone() };
    number.map(Some).ok_or_else(bad)
}
