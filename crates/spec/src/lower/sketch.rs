//! A pod's graph while it is being drawn: the engine's pod, and where each edge comes from.
//!
//! Dialects and rules add edges through [`Sketch::require`]. Some of them may add an edge only if
//! it closes no cycle, so reachability is answered here too, over containers and barriers alike.

use crate::pod::PodSpec;
use pillion_engine::pod::{self as engine, BarrierId, ContainerId, Requirement, Target};

/// A graph to which edges are added.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) pod: engine::Pod,
    pub(crate) sources: Sources,
}

/// Where the edges of a pod come from: for each edge of the pod, in the same order, its source.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Sources {
    pub(crate) paths: ContainerPaths,
    containers: Vec<Vec<EdgeSource>>,
    barriers: Vec<Vec<EdgeSource>>,
}

/// The text in the file that an edge comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct EdgeSource {
    /// The container that says it.
    pub(crate) container: ContainerId,
    /// The field in which it says so.
    pub(crate) field: SourceField,
}

/// The field of a container that an edge comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SourceField {
    /// None: it is the container's place in its list.
    Position,
    /// An entry of `requires`.
    Requires(usize),
    /// An entry of `uses`.
    Uses(usize),
    /// `phase`
    Phase,
    /// `lifecycle.type`
    LifecycleType,
    /// An environment variable.
    Env(usize),
    /// Its role, however it got it.
    Role,
}

/// Turns ids of containers into paths in the file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct ContainerPaths {
    init: usize,
    regular: usize,
}

/// Nodes that were visited.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    containers: Vec<bool>,
    barriers: Vec<bool>,
}

/// Edges by the node they lead to.
pub(crate) struct Incoming {
    containers: Vec<Vec<Target>>,
    barriers: Vec<Vec<Target>>,
}

// === impl Sketch ===

impl Sketch {
    pub(crate) fn new(pod: engine::Pod, paths: ContainerPaths) -> Self {
        let containers = vec![Vec::new(); pod.containers.len()];
        let sources = Sources {
            paths,
            containers,
            barriers: Vec::new(),
        };
        Self { pod, sources }
    }

    pub(crate) fn barrier(&mut self, name: impl Into<Box<str>>) -> Target {
        let id = BarrierId(narrow(self.pod.barriers.len()));
        self.pod.barriers.push(engine::Barrier {
            name: name.into(),
            requires: Vec::new(),
        });
        self.sources.barriers.push(Vec::new());
        Target::Barrier(id)
    }

    pub(crate) fn require(&mut self, from: Target, edge: Requirement, source: EdgeSource) {
        match from {
            Target::Container(id) => {
                self.pod.containers[id.index()].requires.push(edge);
                self.sources.containers[id.index()].push(source);
            }
            Target::Barrier(id) => {
                self.pod.barriers[id.index()].requires.push(edge);
                self.sources.barriers[id.index()].push(source);
            }
        }
    }

    pub(crate) fn container(&self, id: ContainerId) -> &engine::Container {
        &self.pod.containers[id.index()]
    }

    /// All containers with their ids.
    pub(crate) fn containers(&self) -> impl Iterator<Item = (ContainerId, &engine::Container)> {
        (0..).map(ContainerId).zip(&self.pod.containers)
    }

    /// Visits a node and all that it requires, directly or through others.
    pub(crate) fn reach(
        &self,
        from: Target,
        counts: impl Fn(&Requirement) -> bool,
        reached: &mut Reached,
    ) {
        reach(&self.pod, from, counts, reached);
    }
}

/// Visits a node and all that it requires, directly or through others.
pub(crate) fn reach(
    pod: &engine::Pod,
    from: Target,
    counts: impl Fn(&Requirement) -> bool,
    reached: &mut Reached,
) {
    let mut pending = vec![from];
    while let Some(node) = pending.pop() {
        if reached.insert(node) {
            let counted = edges(pod, node).iter().filter(|edge| counts(edge));
            pending.extend(counted.map(|edge| edge.target));
        }
    }
}

/// The number of a node when containers and barriers are counted through.
pub(crate) fn position(pod: &engine::Pod, node: Target) -> usize {
    match node {
        Target::Container(id) => id.index(),
        Target::Barrier(id) => pod.containers.len() + id.index(),
    }
}

/// Every node of a pod, containers first.
pub(crate) fn nodes(pod: &engine::Pod) -> impl Iterator<Item = Target> + use<> {
    let containers = (0..narrow(pod.containers.len())).map(|i| Target::Container(ContainerId(i)));
    let barriers = (0..narrow(pod.barriers.len())).map(|i| Target::Barrier(BarrierId(i)));
    containers.chain(barriers)
}

/// What a node requires.
pub(crate) fn edges(pod: &engine::Pod, from: Target) -> &[Requirement] {
    match from {
        Target::Container(id) => &pod.containers[id.index()].requires,
        Target::Barrier(id) => &pod.barriers[id.index()].requires,
    }
}

/// The largest file that is read has 3 MB, so ids fit.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("a pod has fewer than 2^32 containers")
}

// === impl Sources ===

impl Sources {
    /// The source of one edge by its place among the edges of a node.
    pub(crate) fn of(&self, from: Target, index: usize) -> EdgeSource {
        match from {
            Target::Container(id) => self.containers[id.index()][index],
            Target::Barrier(id) => self.barriers[id.index()][index],
        }
    }

    /// The path of the text that a source means.
    pub(crate) fn path(&self, source: EdgeSource) -> String {
        let container = self.paths.path(source.container);
        match source.field {
            SourceField::Position => format!("{container}.name"),
            SourceField::Requires(index) => format!("{container}.requires[{index}]"),
            SourceField::Uses(index) => format!("{container}.uses[{index}]"),
            SourceField::Phase => format!("{container}.phase"),
            SourceField::LifecycleType => format!("{container}.lifecycle.type"),
            SourceField::Env(index) => format!("{container}.env[{index}]"),
            SourceField::Role => format!("{container}.sidecar"),
        }
    }
}

// === impl EdgeSource ===

impl EdgeSource {
    pub(crate) fn new(container: ContainerId, field: SourceField) -> Self {
        Self { container, field }
    }
}

// === impl ContainerPaths ===

impl ContainerPaths {
    pub(crate) fn new(spec: &PodSpec) -> Self {
        Self {
            init: spec.init_containers.len(),
            regular: spec.containers.len(),
        }
    }

    /// The path of a container in the file.
    pub(crate) fn path(self, id: ContainerId) -> String {
        let index = id.index();
        if index < self.init {
            format!("spec.initContainers[{index}]")
        } else if index < self.init + self.regular {
            format!("spec.containers[{}]", index - self.init)
        } else {
            let index = index - self.init - self.regular;
            format!("spec.ephemeralContainers[{index}]")
        }
    }
}

// === impl Reached ===

impl Reached {
    /// Nothing visited yet.
    pub(crate) fn none(pod: &engine::Pod) -> Self {
        Self {
            containers: vec![false; pod.containers.len()],
            barriers: vec![false; pod.barriers.len()],
        }
    }

    /// Whether a node was visited.
    pub(crate) fn contains(&self, node: Target) -> bool {
        match node {
            Target::Container(id) => self.containers[id.index()],
            Target::Barrier(id) => self.barriers[id.index()],
        }
    }

    /// Marks a node; whether it is new.
    fn insert(&mut self, node: Target) -> bool {
        let mark = match node {
            Target::Container(id) => &mut self.containers[id.index()],
            Target::Barrier(id) => &mut self.barriers[id.index()],
        };
        !std::mem::replace(mark, true)
    }
}

// === impl Incoming ===

impl Incoming {
    /// The edges that count, by the node they lead to.
    pub(crate) fn of(pod: &engine::Pod, counts: impl Fn(&Requirement) -> bool) -> Self {
        let mut incoming = Self {
            containers: vec![Vec::new(); pod.containers.len()],
            barriers: vec![Vec::new(); pod.barriers.len()],
        };
        for node in nodes(pod) {
            for edge in edges(pod, node).iter().filter(|edge| counts(edge)) {
                incoming.at(edge.target).push(node);
            }
        }
        incoming
    }

    /// Visits a node and all that require it, directly or through others.
    pub(crate) fn reach(&self, to: Target, reached: &mut Reached) {
        let mut pending = vec![to];
        while let Some(node) = pending.pop() {
            if reached.insert(node) {
                pending.extend(self.from(node));
            }
        }
    }

    fn from(&self, node: Target) -> &[Target] {
        match node {
            Target::Container(id) => &self.containers[id.index()],
            Target::Barrier(id) => &self.barriers[id.index()],
        }
    }

    fn at(&mut self, node: Target) -> &mut Vec<Target> {
        match node {
            Target::Container(id) => &mut self.containers[id.index()],
            Target::Barrier(id) => &mut self.barriers[id.index()],
        }
    }
}
