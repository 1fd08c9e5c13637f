//! A pod as the text of a scenario.

use super::{
    Delay, Deletion, Draft, Hook, Image, Life, Liveness, Part, Policy, Readiness, Role, Rule,
    Startup, Update,
};
use std::fmt::{self, Write as _};

/// A pod is watched for so many seconds at least, and for so many after it was deleted: more than any stop takes.
const WATCHED: u32 = 60;
const AFTER_DELETION: u32 = 35;

// === impl Draft ===

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.delay {
            Delay::Short => writeln!(f, "backoff: {{initial: 1s, max: 1s}}")?,
            Delay::Usual => {}
        }
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
        self.write_acts(f)?;
        writeln!(f, "runFor: {}s", self.watched())
    }
}

impl Draft {
    /// For how many seconds it is watched.
    pub(super) fn watched(&self) -> u32 {
        let gone = self.deletion.as_ref().map(|deletion| {
            let update = self.update.as_ref().map_or(0, |update| update.after);
            let again = deletion.again.map_or(0, |(after, _)| after);
            (update + deletion.after + again).div_ceil(10) + AFTER_DELETION
        });
        gone.unwrap_or_default().max(WATCHED)
    }

    /// The first of them counts from the start of the first container.
    fn write_acts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.containers.first();
        let when = first.map(|part| match part.image {
            Image::There => format!("when: {{line: {} Started}}, ", part.name),
            Image::Missing => format!("when: {{container: {}, state: waiting}}, ", part.name),
        });
        let mut when = when.unwrap_or_default();
        if self.update.is_some() || self.deletion.is_some() {
            writeln!(f, "acts:")?;
        }
        if let Some(Update { container, after }) = &self.update {
            let (when, after) = (std::mem::take(&mut when), tenths(*after));
            writeln!(
                f,
                "  - {{name: updated, {when}after: {after}, setImage: {{container: {container}, image: new}}}}"
            )?;
        }
        if let Some(deletion) = &self.deletion {
            let Deletion {
                after,
                grace,
                again,
            } = deletion;
            let grace = grace.map(|grace| format!("grace: {grace}s"));
            let (grace, after) = (grace.unwrap_or_default(), tenths(*after));
            writeln!(
                f,
                "  - {{name: deleted, {when}after: {after}, delete: {{{grace}}}}}"
            )?;
            if let Some((after, grace)) = *again {
                let name = if self.is_shortened_by(grace) {
                    "shortened"
                } else {
                    "again"
                };
                let after = tenths(after);
                writeln!(
                    f,
                    "  - {{name: {name}, after: {after}, delete: {{grace: {grace}s}}}}"
                )?;
            }
        }
        Ok(())
    }
}

// === impl Part ===

impl Part {
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
        if !self.rules.is_empty() {
            let rules: Vec<_> = self.rules.iter().map(Rule::to_string).collect();
            let _ = write!(text, ", restartPolicyRules: [{}]", rules.join(", "));
        }
        let hooks = [("postStart", self.post_start), ("preStop", self.pre_stop)];
        let hooks = hooks
            .iter()
            .filter_map(|(name, hook)| Some(format!("{name}: {{{}}}", hook.as_ref()?.way)));
        let hooks: Vec<_> = hooks.collect();
        if !hooks.is_empty() {
            let _ = write!(text, ", lifecycle: {{{}}}", hooks.join(", "));
        }
        if let Some(startup) = self.startup {
            let Startup {
                way,
                threshold,
                grace,
                ..
            } = startup;
            let grace = own_grace(grace);
            let _ = write!(text, ", startupProbe: {{{way}, {PROBE}{threshold}{grace}}}");
        }
        if let Some(readiness) = self.readiness {
            let Readiness {
                way,
                successes,
                failures,
                ..
            } = readiness;
            let _ = write!(
                text,
                ", readinessProbe: {{{way}, {PROBE}{failures}, successThreshold: {successes}}}"
            );
        }
        if let Some(liveness) = self.liveness {
            let Liveness {
                way,
                delay,
                failures,
                grace,
                ..
            } = liveness;
            let grace = own_grace(grace);
            let _ = write!(
                text,
                ", livenessProbe: {{initialDelaySeconds: {delay}, {way}, {PROBE}{failures}{grace}}}"
            );
        }
        text
    }

    /// What it does.
    fn actor(&self) -> String {
        let Life {
            runs,
            exits: (first, later),
            stops_in,
            stop_exits,
        } = &self.life;
        let mut text = format!("exits: [{first}, {later}]");
        if let Some(runs) = runs {
            let _ = write!(text, ", runs: {}", tenths(*runs));
        }
        if self.image == Image::Missing {
            text.push_str(", pull: fail");
        }
        let stops_in = stops_in.map_or("never".to_owned(), tenths);
        let _ = write!(text, ", stopsIn: {stops_in}");
        if let Some(code) = stop_exits {
            let _ = write!(text, ", stopExits: {code}");
        }
        for (name, hook) in [("postStart", self.post_start), ("preStop", self.pre_stop)] {
            if let Some(Hook { runs, exits, .. }) = hook {
                let _ = write!(text, ", {name}: {{runs: {}, exits: {exits}}}", tenths(runs));
            }
        }
        if let Some(startup) = self.startup {
            let _ = write!(text, ", startup: {{okAfter: {}}}", tenths(startup.after));
        }
        if let Some(readiness) = self.readiness {
            let until = readiness.until.map(tenths);
            let until = until.map(|until| format!(", failAfter: {until}"));
            let _ = write!(
                text,
                ", readiness: {{okAfter: {}{}}}",
                tenths(readiness.after),
                until.unwrap_or_default()
            );
        }
        if let Some(liveness) = self.liveness {
            let _ = write!(
                text,
                ", liveness: {{failAfter: {}}}",
                tenths(liveness.after)
            );
        }
        text
    }
}

// === impl Rule ===

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            action,
            operator,
            code,
        } = self;
        let codes = format!("exitCodes: {{operator: {operator:?}, values: [{code}]}}");
        write!(f, "{{action: {action:?}, {codes}}}")
    }
}

/// What all probes have in common, up to the number of failures.
const PROBE: &str = "periodSeconds: 1, failureThreshold: ";

/// The grace period that a probe has for itself.
fn own_grace(grace: Option<u32>) -> String {
    let grace = grace.map(|grace| format!(", terminationGracePeriodSeconds: {grace}"));
    grace.unwrap_or_default()
}

fn tenths(tenths: u32) -> String {
    format!("{}ms", tenths * 100)
}
