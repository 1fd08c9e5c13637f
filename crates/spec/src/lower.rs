//! From a pod file to the graph that the engine runs.
//!
//! ```text
//! markers of all dialects ─▶ kind, role, keystone, policy of each container
//! edges that are written, then those of dialects, then those that follow from them:
//!   requires, uses ─▶ init list ─▶ phases, types, priorities ─▶ network ─▶ list order ─▶ roles
//! ```
//!
//! Later steps look at what earlier ones added: the network is not waited for by what its provider
//! requires, the order of a plain list yields to everything, and roles order only stops. What is
//! wrong is reported and left out, so that the rest can still be checked; a pod with errors must
//! not be run.

pub(crate) mod capability;
pub(crate) mod container;
pub(crate) mod drawing;
mod marker;
mod role;
pub(crate) mod sketch;

use crate::container::{Container, ContainerList};
use crate::diagnostic::Diagnostic;
use crate::dialect::phases::Phases;
use crate::dialect::{Dialect, Traits, graph, kep753, keystone, kruise, native};
use crate::file::PodFile;
use crate::pod::PodSpec;
use crate::restart::RestartPolicy;
use capability::Providers;
pub(crate) use container::seconds;
use drawing::Drawing;
use pillion_engine::pod as engine;
use sketch::{ContainerPaths, Sketch, Sources};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a driver can do and how it was set up, as far as the graph depends on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LowerOptions {
    /// Images are pulled. Without, containers have none, whatever the file says.
    pub images: bool,
    /// No restart waits longer than this, unless its container says something else. As with a kubelet, that is the wait of
    /// the node for all of its pods.
    pub max_backoff: Option<Duration>,
}

/// A pod as the engine takes it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The pod. If there are errors it must not be run.
    pub pod: engine::Pod,
    /// The dialects in which it was written; none if it is nothing but a list of plain containers.
    pub dialects: BTreeSet<Dialect>,
    /// What is wrong with its names, markers and references.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) sources: Sources,
    pub(crate) traits: Vec<Traits>,
}

/// Draws the graph of a pod.
pub fn lower(file: &PodFile, options: LowerOptions) -> Lowered {
    let spec = &file.pod.spec;
    let phases = Phases::read(spec);
    let read = |(list, _, container)| traits(list, container, spec.restart_policy, &phases);
    let traits: Vec<_> = spec.all_containers().map(read).collect();
    let listed = spec.all_containers().zip(&traits);
    let containers = listed.map(|((list, index, container), traits)| {
        let backoff = options.backoff();
        let mut lowered = container::lower(list, container, traits, spec.restart_policy, backoff);
        lowered.restart.failure_restarts_pod =
            phases.has_outer_loop(list, container, spec.restart_policy);
        lowered.image = lowered.image.filter(|_| options.images);
        if lowered.name.is_empty() {
            // That is wrong, and reported; what else is wrong with it needs a name.
            lowered.name = format!("{list}[{index}]").into();
        }
        lowered
    });
    let sketch = Sketch::new(
        pod(file, options, containers.collect()),
        ContainerPaths::new(spec),
    );
    let mut drawing = Drawing::new(file, sketch);
    marker::check(&mut drawing, &traits);
    draw(&mut drawing, &phases);
    let mut dialects: BTreeSet<_> = traits.iter().flat_map(|t| t.dialects.clone()).collect();
    dialects.extend(kruise::is_ordered(file).then_some(Dialect::LaunchPriority));
    let Sketch { pod, sources } = drawing.sketch;
    Lowered {
        pod,
        dialects,
        diagnostics: drawing.findings,
        sources,
        traits,
    }
}

fn draw(drawing: &mut Drawing<'_>, phases: &Phases) {
    let providers = Providers::read(drawing);
    graph::add(drawing, &providers);
    native::add_init_list(&mut drawing.sketch, |id| phases.get(id));
    phases.add(&mut drawing.sketch);
    kep753::add(drawing);
    kruise::add(drawing);
    capability::add_network(drawing, &providers, phases);
    native::add_list_order(&mut drawing.sketch);
    role::add(&mut drawing.sketch);
}

fn traits(
    list: ContainerList,
    container: &Container,
    pod_policy: RestartPolicy,
    phases: &Phases,
) -> Traits {
    let mut traits = Traits::default();
    native::read(list, container, &mut traits);
    graph::read(container, &mut traits);
    kep753::read(container, &mut traits);
    keystone::read(container, &mut traits);
    kruise::read(list, container, pod_policy, &mut traits);
    phases.mark(list, container, &mut traits);
    traits
}

fn pod(file: &PodFile, options: LowerOptions, containers: Vec<engine::Container>) -> engine::Pod {
    let PodSpec {
        restart_policy,
        termination_grace_period_seconds,
        active_deadline_seconds,
        ..
    } = &file.pod.spec;
    engine::Pod {
        name: file.name().into(),
        containers,
        barriers: Vec::new(),
        restart_policy: container::policy_of(*restart_policy),
        grace: Duration::from_secs(*termination_grace_period_seconds),
        active_deadline: active_deadline_seconds.map(Duration::from_secs),
        restart_limit: job_limit(file),
        backoff: options.backoff(),
    }
}

/// Where the containers of a Job are restarted, that is how it tries again. Under another policy it makes new pods for that,
/// which do not count here.
fn job_limit(file: &PodFile) -> Option<u32> {
    let in_place = file.pod.spec.restart_policy == RestartPolicy::OnFailure;
    file.retries.filter(|_| in_place)
}

// === impl LowerOptions ===

impl LowerOptions {
    /// Of a driver that runs programs which are there.
    pub const WITHOUT_IMAGES: Self = Self {
        images: false,
        max_backoff: None,
    };

    fn backoff(self) -> engine::Backoff {
        let usual = engine::Backoff::default();
        engine::Backoff {
            max: self.max_backoff.unwrap_or(usual.max),
            ..usual
        }
    }
}

impl Default for LowerOptions {
    fn default() -> Self {
        Self {
            images: true,
            max_backoff: None,
        }
    }
}

#[cfg(test)]
mod tests;
