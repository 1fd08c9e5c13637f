//! A random plain pod and what its containers do, as the text of a scenario.
//!
//! Times lie on a grid that is coarse beside what a kubelet needs to notice an end (a second) or to start a container,
//! and every container has an offset of its own in it: what happens at different times here happens at different times
//! wherever the pod runs, so a difference is a rule and not a race.

use super::dice::Dice;
use std::fmt::{self, Write as _};

/// A pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Draft {
    policy: Policy,
    /// In seconds.
    grace: u32,
    containers: Vec<Part>,
    deletion: Option<Deletion>,
}

/// One container.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Part {
    name: String,
    role: Role,
    policy: Option<Policy>,
    /// The exit code for which a rule restarts something, and what.
    rule: Option<(i32, Rule)>,
    life: Life,
    /// How long its hooks take, in tenths of a second, and how they end.
    post_start: Option<(u32, i32)>,
    pre_stop: Option<(u32, i32)>,
    /// The startup probe passes after so many tenths.
    startup: Option<u32>,
    readiness: Option<u32>,
    /// The liveness probe fails from so many tenths on.
    liveness: Option<u32>,
}

/// What the process of a container does.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Life {
    /// In tenths of a second; `None` runs until it is stopped.
    runs: Option<u32>,
    /// Its exit code, in its first run and in later ones.
    exits: (i32, i32),
    /// In tenths of a second; `None` ignores the signal.
    stops_in: Option<u32>,
}

/// When the pod is deleted, in tenths after its first container is up, and with which grace periods.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Deletion {
    after: u32,
    grace: Option<u32>,
    /// A second one so many tenths later, with another grace period.
    again: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Init,
    Sidecar,
    Main,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Policy {
    Always,
    OnFailure,
    Never,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rule {
    Restart,
    RestartAllContainers,
}

/// A pod is watched for so many seconds.
const WATCHED: u32 = 60;

// === impl Draft ===

impl Draft {
    /// A random pod.
    pub fn random(dice: &mut Dice) -> Self {
        let policy = dice.pick(&[Policy::Always, Policy::OnFailure, Policy::Never]);
        let mut roles = Vec::new();
        for _ in 0..dice.roll(4) {
            roles.push(dice.pick(&[Role::Init, Role::Sidecar]));
        }
        roles.extend((0..=dice.roll(3)).map(|_| Role::Main));
        let mut draft = Self {
            policy,
            grace: dice.pick(&[4, 8, 12]),
            containers: Vec::new(),
            deletion: None,
        };
        for (place, role) in roles.into_iter().enumerate() {
            let part = Part::random(dice, role, place, policy);
            draft.containers.push(part);
        }
        if dice.one_in(2) {
            draft.deletion = Some(Deletion::random(dice));
        }
        draft
    }

    /// Pods that are a little simpler.
    pub fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        let mains = self
            .containers
            .iter()
            .filter(|part| part.role == Role::Main);
        let mains = mains.count();
        for place in 0..self.containers.len() {
            if self.containers[place].role != Role::Main || mains > 1 {
                let mut draft = self.clone();
                draft.containers.remove(place);
                simpler.push(draft);
            }
        }
        for place in 0..self.containers.len() {
            for part in self.containers[place].simpler() {
                let mut draft = self.clone();
                draft.containers[place] = part;
                simpler.push(draft);
            }
        }
        if let Some(deletion) = &self.deletion {
            let without = Self {
                deletion: None,
                ..self.clone()
            };
            let once = Self {
                deletion: Some(Deletion {
                    again: None,
                    ..deletion.clone()
                }),
                ..self.clone()
            };
            simpler.extend([without, once]);
        }
        simpler.retain(|draft| draft != self);
        simpler
    }

    /// Whether sidecars are beside init containers.
    pub fn has_init(&self) -> bool {
        self.containers.iter().any(|part| part.role == Role::Init)
    }
}

/// As the text of a scenario.
impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pod:\n  spec:")?;
        writeln!(f, "    restartPolicy: {:?}", self.policy)?;
        writeln!(f, "    terminationGracePeriodSeconds: {}", self.grace)?;
        for (list, wanted) in [("initContainers", false), ("containers", true)] {
            let parts = self.containers.iter();
            let parts: Vec<_> = parts
                .filter(|part| (part.role == Role::Main) == wanted)
                .collect();
            if !parts.is_empty() {
                writeln!(f, "    {list}:")?;
            }
            for part in parts {
                writeln!(f, "      - {{{}}}", part.fields())?;
            }
        }
        writeln!(f, "actors:")?;
        for part in &self.containers {
            writeln!(f, "  {}: {{{}}}", part.name, part.actor())?;
        }
        if let (Some(deletion), Some(first)) = (&self.deletion, self.containers.first()) {
            let Deletion {
                after,
                grace,
                again,
            } = deletion;
            let grace = grace.map(|grace| format!("grace: {grace}s"));
            let grace = grace.unwrap_or_default();
            let (when, after) = (&first.name, tenths(*after));
            writeln!(f, "acts:")?;
            writeln!(
                f,
                "  - {{name: deleted, when: {{line: {when} Started}}, after: {after}, delete: {{{grace}}}}}"
            )?;
            if let Some((after, grace)) = again {
                let after = tenths(*after);
                writeln!(
                    f,
                    "  - {{name: again, after: {after}, delete: {{grace: {grace}s}}}}"
                )?;
            }
        }
        writeln!(f, "runFor: {WATCHED}s")
    }
}

// === impl Part ===

impl Part {
    fn random(dice: &mut Dice, role: Role, place: usize, pod: Policy) -> Self {
        let letter = match role {
            Role::Init => 'i',
            Role::Sidecar => 'r',
            Role::Main => 'm',
        };
        // Containers differ by three tenths each, whatever they do.
        let offset = u32::try_from(place).unwrap_or_default() * 3;
        let time = |dice: &mut Dice, from: u64, to: u64| {
            let steps = from + dice.roll(to - from + 1);
            u32::try_from(steps).unwrap_or_default() * 40 + offset
        };
        let has_probes = role != Role::Init;
        let policy = (role != Role::Sidecar && dice.one_in(4))
            .then(|| dice.pick(&[Policy::Always, Policy::OnFailure, Policy::Never]));
        // An init container that must be run for ever keeps everything else from happening.
        let policy = policy.filter(|policy| role == Role::Main || *policy != Policy::Always);
        let reaction = (policy.is_some() && dice.one_in(2)).then(|| {
            let code = dice.pick(&[3, 42]);
            let all = [Rule::Restart, Rule::Restart, Rule::RestartAllContainers];
            (code, dice.pick(&all))
        });
        let code = dice.pick(&[0, 0, 1, 3, 42]);
        let later = if reaction.is_some() || pod == Policy::Always || dice.one_in(2) {
            0
        } else {
            code
        };
        let life = Life {
            runs: match role {
                Role::Init => Some(20 + offset),
                Role::Sidecar => dice.one_in(4).then(|| time(dice, 1, 3)),
                Role::Main => (!dice.one_in(3)).then(|| time(dice, 1, 4)),
            },
            exits: (
                if role == Role::Init && !dice.one_in(4) {
                    0
                } else {
                    code
                },
                later,
            ),
            stops_in: (!dice.one_in(6)).then(|| dice.pick(&[0, 0, 20 + offset, 60 + offset])),
        };
        let hook = |dice: &mut Dice| has_probes && dice.one_in(4);
        Self {
            name: format!("{letter}{}", place + 1),
            role,
            policy,
            rule: reaction,
            post_start: hook(dice)
                .then(|| (dice.pick(&[0, 20 + offset]), i32::from(dice.one_in(5)))),
            pre_stop: hook(dice).then(|| {
                (
                    dice.pick(&[0, 20 + offset, 150 + offset]),
                    i32::from(dice.one_in(5)),
                )
            }),
            startup: hook(dice).then(|| 20 + offset),
            readiness: hook(dice).then(|| dice.pick(&[0, 30 + offset])),
            liveness: hook(dice).then(|| time(dice, 2, 3)),
            life,
        }
    }

    fn simpler(&self) -> Vec<Self> {
        let plain = |change: &dyn Fn(&mut Self)| {
            let mut part = self.clone();
            change(&mut part);
            part
        };
        vec![
            plain(&|part| part.rule = None),
            plain(&|part| (part.policy, part.rule) = (None, None)),
            plain(&|part| part.post_start = None),
            plain(&|part| part.pre_stop = None),
            plain(&|part| part.startup = None),
            plain(&|part| part.readiness = None),
            plain(&|part| part.liveness = None),
            plain(&|part| part.life.stops_in = Some(0)),
            plain(&|part| part.life.exits = (0, 0)),
        ]
    }

    /// The container as the pod has it.
    fn fields(&self) -> String {
        let mut text = format!("name: {}", self.name);
        let policy = match self.role {
            Role::Sidecar => Some(Policy::Always),
            Role::Init | Role::Main => self.policy,
        };
        // Writing to a string does not fail.
        if let Some(policy) = policy {
            let _ = write!(text, ", restartPolicy: {policy:?}");
        }
        if let Some((code, rule)) = self.rule {
            let codes = format!("exitCodes: {{operator: In, values: [{code}]}}");
            let _ = write!(
                text,
                ", restartPolicyRules: [{{action: {rule:?}, {codes}}}]"
            );
        }
        let hooks = [("postStart", self.post_start), ("preStop", self.pre_stop)];
        let hooks = hooks.iter().filter(|(_, hook)| hook.is_some());
        let hooks = hooks.map(|(name, _)| format!("{name}: {{exec: {{command: [actor]}}}}"));
        let hooks: Vec<_> = hooks.collect();
        if !hooks.is_empty() {
            let _ = write!(text, ", lifecycle: {{{}}}", hooks.join(", "));
        }
        let probes = [
            ("startup", self.startup, 30),
            ("readiness", self.readiness, 1),
            ("liveness", self.liveness, 1),
        ];
        for (name, probe, threshold) in probes {
            if probe.is_some() {
                let _ = write!(
                    text,
                    ", {name}Probe: {{exec: {{command: [actor]}}, periodSeconds: 1, failureThreshold: {threshold}}}"
                );
            }
        }
        text
    }

    /// What it does.
    fn actor(&self) -> String {
        let Life {
            runs,
            exits: (first, later),
            stops_in,
        } = &self.life;
        let mut text = format!("exits: [{first}, {later}]");
        if let Some(runs) = runs {
            let _ = write!(text, ", runs: {}", tenths(*runs));
        }
        let stops_in = stops_in.map_or("never".to_owned(), tenths);
        let _ = write!(text, ", stopsIn: {stops_in}");
        for (name, hook) in [("postStart", self.post_start), ("preStop", self.pre_stop)] {
            if let Some((runs, exits)) = hook {
                let _ = write!(text, ", {name}: {{runs: {}, exits: {exits}}}", tenths(runs));
            }
        }
        for (name, probe) in [("startup", self.startup), ("readiness", self.readiness)] {
            if let Some(after) = probe {
                let _ = write!(text, ", {name}: {{okAfter: {}}}", tenths(after));
            }
        }
        if let Some(after) = self.liveness {
            let _ = write!(text, ", liveness: {{failAfter: {}}}", tenths(after));
        }
        text
    }
}

// === impl Deletion ===

impl Deletion {
    fn random(dice: &mut Dice) -> Self {
        // Half a step beside everything that containers do by themselves.
        let after = u32::try_from(dice.roll(5)).unwrap_or_default() * 40 + 22;
        Self {
            after,
            grace: dice.one_in(2).then(|| dice.pick(&[3, 7, 15])),
            again: dice.one_in(4).then_some((22, 2)),
        }
    }
}

fn tenths(tenths: u32) -> String {
    format!("{}ms", tenths * 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_simulator::scenario::read;

    #[test]
    fn every_random_pod_can_be_read_and_played() {
        for seed in 0..500 {
            let draft = Draft::random(&mut Dice::new(seed));
            let text = draft.to_string();
            let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
            assert!(reading.scenario.is_some(), "{text}\n{}", reading.describe());
        }
    }

    #[test]
    fn simpler_pods_are_other_pods_and_come_to_an_end() {
        let mut draft = Draft::random(&mut Dice::new(7));
        let mut steps = 0;
        while let Some(simpler) = draft.simpler().into_iter().next() {
            assert_ne!(simpler, draft);
            draft = simpler;
            steps += 1;
            assert!(steps < 100, "{draft}");
        }
        assert_eq!(draft.containers.len(), 1);
    }
}
