//! A draft as the text of a scenario.

use super::{Draft, Edge, End, Kind, Life, Part, Readiness, Startup};
use std::fmt;

/// A hook or probe that the actor plays.
const EXEC: &str = "exec: {command: [actor]}";

// === impl Draft ===

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "backoff: {{initial: 1s, max: 5s}}\npod:\n  spec:")?;
        writeln!(f, "    restartPolicy: {}", self.policy)?;
        writeln!(f, "    terminationGracePeriodSeconds: 20\n    containers:")?;
        for part in &self.parts {
            writeln!(f, "      - {{{}}}", part.fields().join(", "))?;
        }
        writeln!(f, "actors:")?;
        for part in &self.parts {
            let words = part.actor().join(", ");
            writeln!(f, "  c{}: {{{words}}}", part.number)?;
        }
        writeln!(f, "acts:")?;
        if let Some((whom, after)) = self.kill {
            let after = time(after);
            writeln!(
                f,
                "  - {{name: killed, after: {after}, kill: {{container: c{whom}}}}}"
            )?;
        }
        let after = time(self.deletion);
        writeln!(f, "  - {{name: deleted, after: {after}, delete: {{}}}}")?;
        writeln!(f, "runFor: 300s")
    }
}

// === impl Part ===

impl Part {
    /// The container as the pod has it.
    fn fields(&self) -> Vec<String> {
        let mut fields = vec![format!("name: c{}", self.number)];
        match self.kind {
            Kind::Main => {}
            Kind::Sidecar => fields.push("sidecar: true".into()),
            Kind::Oneshot { undo } => {
                fields.push("oneshot: true".into());
                fields.extend(undo.then(|| "undo: [actor]".to_owned()));
            }
        }
        fields.extend(self.keystone.map(|way| format!("keystone: {way}")));
        fields.extend(self.policy.map(|policy| format!("restartPolicy: {policy}")));
        if !self.edges.is_empty() {
            let edges: Vec<_> = self.edges.iter().map(Edge::text).collect();
            fields.push(format!("requires: [{}]", edges.join(", ")));
        }
        fields.extend(self.hooks());
        fields.extend(self.startup.map(|startup| {
            let failures = match startup {
                Startup::OkAfter(_) => 100,
                Startup::Fails => 2,
            };
            format!("startupProbe: {{{EXEC}, periodSeconds: 1, failureThreshold: {failures}}}")
        }));
        if self.readiness.is_some() {
            fields.push(format!(
                "readinessProbe: {{{EXEC}, periodSeconds: 1, failureThreshold: 1}}"
            ));
        }
        fields
    }

    fn hooks(&self) -> Option<String> {
        let hooks = [
            ("postStart", self.is_awaited),
            ("preStop", self.pre_stop.is_some()),
        ];
        let hooks = hooks.iter().filter(|(_, is_there)| *is_there);
        let hooks: Vec<_> = hooks
            .map(|(hook, _)| format!("{hook}: {{{EXEC}}}"))
            .collect();
        (!hooks.is_empty()).then(|| format!("lifecycle: {{{}}}", hooks.join(", ")))
    }

    /// What it does.
    fn actor(&self) -> Vec<String> {
        let Life {
            starts_in,
            runs,
            end,
            stops_in,
        } = &self.life;
        let stops_in = stops_in.map_or("never".to_owned(), time);
        let mut words = vec![
            format!("startsIn: {}", time(*starts_in)),
            format!("stopsIn: {stops_in}"),
        ];
        words.extend(runs.map(|runs| format!("runs: {}", time(runs))));
        words.push(match end {
            End::Exits(first, later) => format!("exits: [{first}, {later}]"),
            End::Dies => "dies: {signal: 9}".into(),
        });
        if self.is_awaited {
            words.push("postStart: {runs: untilStarted}".into());
        }
        let pre_stop = self.pre_stop;
        words.extend(pre_stop.map(|runs| format!("preStop: {{runs: {}}}", time(runs))));
        words.extend(self.startup.map(|startup| match startup {
            Startup::OkAfter(after) => format!("startup: {{okAfter: {}}}", time(after)),
            Startup::Fails => "startup: fail".into(),
        }));
        words.extend(self.readiness.map(|Readiness { after, until }| {
            let until = until.map(|until| format!(", failAfter: {}", time(until)));
            let until = until.unwrap_or_default();
            format!("readiness: {{okAfter: {}{until}}}", time(after))
        }));
        words
    }
}

// === impl Edge ===

impl Edge {
    fn text(&self) -> String {
        let Self {
            target,
            until,
            need,
            on_restart,
        } = self;
        let until = until.map(|until| format!(", until: {until}"));
        let until = until.unwrap_or_default();
        format!("{{container: c{target}{until}, need: {need}, onRestart: {on_restart}}}")
    }
}

fn time(tenths: u64) -> String {
    format!("{}ms", tenths * 100)
}
