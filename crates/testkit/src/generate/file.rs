//! The text of a random pod: every kind, role, edge and setting, most of them not too often.
//!
//! Edges lead to earlier containers, so there are no cycles. What the checks refuse all the same
//! (a wait for the end of the pod, say) is left to whoever reads the file.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write as _;

/// The settings of a pod.
#[derive(Clone, Debug)]
struct PodText {
    policy: &'static str,
    grace: u8,
    active: Option<u8>,
    /// So many of the containers stand in the init list.
    init: usize,
    phased: bool,
    network: bool,
    containers: Vec<ContainerText>,
}

/// The settings of a container.
#[derive(Clone, Debug)]
struct ContainerText {
    kind: Kind,
    image: bool,
    phase: u8,
    policy: Option<&'static str>,
    own: Vec<Setting>,
    edges: Vec<EdgeText>,
}

/// What a container is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Plain,
    Service,
    Sidecar,
    Oneshot,
}

/// A setting of its own, as text, and for which kinds it is.
#[derive(Clone, Debug)]
struct Setting {
    text: String,
    serves: bool,
    plain: bool,
}

#[derive(Clone, Debug)]
struct EdgeText {
    target: prop::sample::Index,
    until: u8,
    need: &'static str,
    on_restart: &'static str,
    timeout: Option<u8>,
}

/// Texts of pods.
pub(super) fn texts() -> impl Strategy<Value = String> {
    let containers = prop_oneof![
        3 => vec(container(), 1..=4),
        1 => vec(container(), 5..=12),
    ];
    let policy = select(vec!["OnFailure", "Never", "Always"]);
    let rest = (
        1..30u8,
        weighted(0.1, 5..100u8),
        init(),
        any_of(0.2),
        any_of(0.1),
    );
    (policy, rest, containers).prop_map(
        |(policy, (grace, active, init, phased, network), containers)| {
            let pod = PodText {
                policy,
                grace,
                active,
                init,
                phased,
                network,
                containers,
            };
            pod.text()
        },
    )
}

fn init() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0), 1 => 1..4usize]
}

fn any_of(probability: f64) -> impl Strategy<Value = bool> {
    prop::bool::weighted(probability)
}

fn container() -> impl Strategy<Value = ContainerText> {
    let kind = prop_oneof![
        3 => Just(Kind::Service),
        1 => Just(Kind::Plain),
        2 => Just(Kind::Sidecar),
        2 => Just(Kind::Oneshot),
    ];
    let policy = weighted(0.5, select(vec!["OnFailure", "Never", "Always"]));
    let settings = vec(setting(), 0..4);
    let edges = vec(edge(), 0..3);
    (kind, any_of(0.4), 0..4u8, policy, settings, edges).prop_map(
        |(kind, image, phase, policy, own, edges)| ContainerText {
            kind,
            image,
            phase,
            policy,
            own,
            edges,
        },
    )
}

fn edge() -> impl Strategy<Value = EdgeText> {
    let need = select(vec!["hard", "soft", "order"]);
    let on_restart = select(vec!["keep", "restart", "stop"]);
    let timeout = weighted(0.2, 5..60u8);
    (
        any::<prop::sample::Index>(),
        0..8u8,
        need,
        on_restart,
        timeout,
    )
        .prop_map(|(target, until, need, on_restart, timeout)| EdgeText {
            target,
            until,
            need,
            on_restart,
            timeout,
        })
}

fn setting() -> impl Strategy<Value = Setting> {
    prop_oneof![
        2 => rules().prop_map(|text| Setting { text, serves: false, plain: true }),
        2 => probes().prop_map(|text| Setting { text, serves: true, plain: true }),
        2 => hooks().prop_map(|text| Setting { text, serves: true, plain: false }),
        1 => select(vec![
            "onGiveUp: ignore",
            "onGiveUp: unready",
            "onGiveUp: failPod",
            "keystone: any",
            "keystone: success",
            "keystone: failure",
            "undo: [reverse]",
            "rerun: never",
            "network: none",
        ])
        .prop_map(|text| Setting { text: text.into(), serves: false, plain: false }),
        1 => Just(Setting { text: "readyOn: notify".into(), serves: true, plain: false }),
        1 => (10..60u8).prop_map(|seconds| Setting {
            text: format!("startTimeoutSeconds: {seconds}"),
            serves: false,
            plain: false,
        }),
        1 => (1..20u8).prop_map(|seconds| Setting {
            text: format!("stopTimeoutSeconds: {seconds}"),
            serves: false,
            plain: false,
        }),
        1 => (0..3u8, weighted(0.5, 10..100u8)).prop_map(|(max, window)| {
            let window = window.map(|it| format!(", windowSeconds: {it}")).unwrap_or_default();
            let text = format!("backoff: {{maxRestarts: {max}{window}}}");
            Setting { text, serves: false, plain: false }
        }),
    ]
}

fn rules() -> impl Strategy<Value = String> {
    let when = select(vec![
        "exitCodes: {operator: In, values: [1, 42]}",
        "exitCodes: {operator: In, values: [3]}",
        "exitCodes: {operator: NotIn, values: [0, 3]}",
        "signals: [SIGSEGV]",
        "oomKilled: true",
    ]);
    let action = select(vec![
        "Restart",
        "RestartAllContainers",
        "RestartPod",
        "FailPod",
        "CompletePod",
        "Ignore",
    ]);
    vec((when, action), 1..3).prop_map(|rules| {
        let rules: Vec<_> = rules
            .iter()
            .map(|(when, action)| format!("{{action: {action}, {when}}}"))
            .collect();
        format!("restartPolicyRules: [{}]", rules.join(", "))
    })
}

fn probes() -> impl Strategy<Value = String> {
    let name = select(vec!["startupProbe", "readinessProbe", "livenessProbe"]);
    (name, 1..15u8, 1..4u8, 0..8u8, weighted(0.2, 1..20u8)).prop_map(
        |(name, period, failures, delay, grace)| {
            let grace = grace
                .filter(|_| name != "readinessProbe")
                .map(|it| format!(", terminationGracePeriodSeconds: {it}"))
                .unwrap_or_default();
            format!(
                "{name}: {{exec: {{command: [probe]}}, periodSeconds: {period}, \
                 failureThreshold: {failures}, initialDelaySeconds: {delay}{grace}}}"
            )
        },
    )
}

fn hooks() -> impl Strategy<Value = String> {
    let names = prop::sample::subsequence(vec!["postStart", "preStop", "podStopping"], 1..=2);
    names.prop_map(|names| {
        let hooks: Vec<_> = names
            .iter()
            .map(|name| format!("{name}: {{exec: {{command: [hook]}}}}"))
            .collect();
        format!("lifecycle: {{{}}}", hooks.join(", "))
    })
}

// === impl PodText ===

impl PodText {
    fn text(mut self) -> String {
        self.make_whole();
        let mut text = String::from("apiVersion: v1\nkind: Pod\nmetadata: {name: random}\nspec:\n");
        let (policy, grace) = (self.policy, self.grace);
        let _ = writeln!(text, "  restartPolicy: {policy}");
        let _ = writeln!(text, "  terminationGracePeriodSeconds: {grace}");
        if let Some(active) = self.active {
            let _ = writeln!(text, "  activeDeadlineSeconds: {active}");
        }
        if self.init > 0 {
            text += "  initContainers:\n";
        }
        for id in 0..self.containers.len() {
            if id == self.init {
                text += "  containers:\n";
            }
            let _ = writeln!(text, "    - {{{}}}", self.container(id).join(", "));
        }
        text
    }

    /// Somebody has to keep the pod alive, and phases come one after the other.
    fn make_whole(&mut self) {
        self.init = self.init.min(self.containers.len() - 1);
        let last = self.containers.len() - 1;
        if self.containers[last].kind == Kind::Sidecar {
            self.containers[last].kind = Kind::Service;
        }
        let mut phases: Vec<_> = self.containers.iter().map(|it| it.phase).collect();
        phases.sort_unstable();
        for (container, phase) in self.containers.iter_mut().zip(phases) {
            container.phase = phase;
        }
    }

    fn container(&self, id: usize) -> Vec<String> {
        let container = &self.containers[id];
        let init = id < self.init;
        let mut fields = vec![format!("name: c{id}")];
        if container.image {
            fields.push("image: image:1".into());
        }
        fields.extend(container.role(init).map(str::to_owned));
        fields.extend(container.policy(init));
        let plain = container.kind == Kind::Plain;
        let mut names = Vec::new();
        for setting in &container.own {
            let name = setting.text.split(':').next();
            let fits = (!setting.serves || container.serves(init)) && (setting.plain || !plain);
            if fits && !names.contains(&name) && container.takes(&setting.text, init) {
                fields.push(setting.text.clone());
                names.push(name);
            }
        }
        if !plain && !init && self.phased {
            fields.push(format!("phase: {}", 10 + 10 * container.phase));
        }
        if !plain && id == 0 && self.network {
            fields.push("provides: [network]".into());
        }
        let edges: Vec<_> = container
            .edges
            .iter()
            .filter(|_| !plain && id > 0)
            .collect();
        if !edges.is_empty() {
            let edges: Vec<_> = edges.into_iter().map(|it| self.edge(id, it)).collect();
            fields.push(format!("requires: [{}]", edges.join(", ")));
        }
        fields
    }

    fn edge(&self, id: usize, edge: &EdgeText) -> String {
        let target = edge.target.index(id);
        let other = &self.containers[target];
        let until = match (edge.until, other.serves(target < self.init)) {
            (0, _) => "started",
            (1, _) => "exited",
            (2, _) => "succeeded",
            (_, true) => "ready",
            (_, false) => "succeeded",
        };
        let EdgeText {
            need, on_restart, ..
        } = edge;
        let mut text = format!("{{container: c{target}, until: {until}, need: {need}");
        let _ = write!(text, ", onRestart: {on_restart}");
        if let Some(timeout) = edge.timeout {
            let _ = write!(text, ", timeoutSeconds: {timeout}");
        }
        text + "}"
    }
}

// === impl ContainerText ===

impl ContainerText {
    /// Whether it runs until it is stopped.
    fn serves(&self, init: bool) -> bool {
        match self.kind {
            Kind::Plain | Kind::Service => !init,
            Kind::Sidecar => true,
            Kind::Oneshot => false,
        }
    }

    fn role(&self, init: bool) -> Option<&'static str> {
        match self.kind {
            Kind::Sidecar if !init => Some("sidecar: true"),
            Kind::Oneshot if !init => Some("oneshot: true"),
            Kind::Sidecar | Kind::Oneshot | Kind::Plain | Kind::Service => None,
        }
    }

    fn policy(&self, init: bool) -> Option<String> {
        let rules = self.own.iter().any(|it| it.text.starts_with("restart"));
        let policy = match self.kind {
            Kind::Sidecar if init => Some("Always"),
            // In the init list this would make it a sidecar.
            Kind::Plain | Kind::Service | Kind::Oneshot if init => self
                .policy
                .filter(|it| *it != "Always")
                .or(rules.then_some("Never")),
            Kind::Plain | Kind::Service | Kind::Sidecar | Kind::Oneshot => {
                self.policy.or(rules.then_some("OnFailure"))
            }
        };
        policy.map(|it| format!("restartPolicy: {it}"))
    }

    /// Whether a setting means something to it.
    fn takes(&self, text: &str, init: bool) -> bool {
        let oneshot = !self.serves(init);
        let kubernetes = text.contains("action: Restart,") || text.contains("RestartAll");
        match self.kind {
            Kind::Plain if text.starts_with("restart") => kubernetes,
            Kind::Plain | Kind::Service | Kind::Sidecar | Kind::Oneshot => {
                let reverses = text.starts_with("undo") || text.starts_with("rerun");
                oneshot || !reverses
            }
        }
    }
}
