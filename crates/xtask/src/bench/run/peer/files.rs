//! The files that peers read.
//!
//! Readiness is told in the quickest way that each of them has: s6 by a newline on a descriptor, procman and decompose
//! by a line of output.

use super::Kind;
use crate::bench::run::pods::Shape;
use crate::bench::run::yard::{Round, Yard};
use std::fmt::Write as _;
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt as _;

/// One child, as a peer's file has it.
struct Service {
    name: String,
    before: Option<String>,
    /// The child and its words.
    command: String,
    /// The file that says that it is ready, if it says so in that way.
    ready: String,
}

/// Writes what a peer needs, and says with which arguments it finds it; `None` if it has no way to do so.
pub(super) fn write(
    kind: Kind,
    shape: Shape,
    count: u32,
    yard: &Yard,
    round: &Round,
) -> anyhow::Result<Option<Vec<String>>> {
    let services: Vec<_> = (0..count)
        .map(|number| Service::new(kind, shape, number, count, yard, round))
        .collect();
    let path = |name: &str| round.folder.join(name).display().to_string();
    let child = yard.child();
    let (name, text, arguments): (_, _, Vec<String>) = match (kind, shape) {
        (Kind::S6, Shape::Notify | Shape::Idle) | (Kind::Runit, Shape::Idle) => {
            return folders(kind, shape, &services, round).map(Some);
        }
        (Kind::Supervisord, Shape::Idle) => {
            let name = "supervisord.conf";
            let arguments = vec!["--nodaemon".into(), "-c".into(), path(name)];
            (name, supervisord(&services, &path("pid")), arguments)
        }
        (Kind::Circus, Shape::Idle) => {
            let name = "circus.ini";
            (name, circus(&services), vec![path(name)])
        }
        (Kind::Horust, Shape::Idle | Shape::Oneshots | Shape::Probed) => {
            for service in &services {
                let name = format!("services/{}.toml", service.name);
                round.write(name, &service.horust(shape, child))?;
            }
            return Ok(Some(vec!["--services-path".into(), path("services")]));
        }
        (Kind::Procman, Shape::Oneshots | Shape::Notify | Shape::Probed | Shape::Idle) => {
            let name = "bench.pman";
            let text = services.iter().map(|service| service.procman(shape));
            (name, text.collect(), vec![path(name)])
        }
        (Kind::Decompose, Shape::Oneshots | Shape::Notify | Shape::Probed | Shape::Idle) => {
            let name = "decompose.yaml";
            let text = services
                .iter()
                .map(|service| service.decompose(shape, child));
            let text = format!("processes:\n{}", text.collect::<String>());
            (name, text, vec!["up".into()])
        }
        (
            Kind::S6 | Kind::Runit | Kind::Supervisord | Kind::Circus,
            Shape::Oneshots | Shape::Notify | Shape::Probed | Shape::AtOnce,
        )
        | (Kind::Horust, Shape::Notify | Shape::AtOnce)
        | (Kind::Procman | Kind::Decompose, Shape::AtOnce) => return Ok(None),
    };
    round.write(name, &text)?;
    Ok(Some(arguments))
}

/// s6 and runit have a folder for each service, with a script that becomes it.
fn folders(
    kind: Kind,
    shape: Shape,
    services: &[Service],
    round: &Round,
) -> anyhow::Result<Vec<String>> {
    for service in services {
        let Service {
            name,
            before,
            command,
            ..
        } = service;
        let wait = match (before, shape) {
            (Some(before), Shape::Notify) => format!("s6-svwait -U ../{before} || exit 1\n"),
            _ => String::new(),
        };
        let script = format!("#!/bin/sh\n{wait}exec {command}\n");
        let script = round.write(format!("services/{name}/run"), &script)?;
        set_permissions(script, Permissions::from_mode(0o755))?;
        if shape == Shape::Notify {
            round.write(format!("services/{name}/notification-fd"), "3\n")?;
        }
    }
    let folder = round.folder.join("services").display().to_string();
    Ok(match kind {
        Kind::Runit => vec!["-P".to_owned(), folder],
        Kind::S6
        | Kind::Supervisord
        | Kind::Circus
        | Kind::Horust
        | Kind::Procman
        | Kind::Decompose => vec![folder],
    })
}

fn supervisord(services: &[Service], pid: &str) -> String {
    let mut text = format!("[supervisord]\nnodaemon=true\npidfile={pid}\nlogfile=/dev/null\n");
    // Its children's logs stay with this file, and go with it.
    text.push_str("logfile_maxbytes=0\nchildlogdir=%(here)s\n");
    for Service { name, command, .. } in services {
        let _ = write!(text, "[program:{name}]\ncommand={command}\n");
    }
    text
}

fn circus(services: &[Service]) -> String {
    let mut text =
        "[circus]\nendpoint = ipc://endpoint\npubsub_endpoint = ipc://pubsub\n".to_owned();
    for Service { name, command, .. } in services {
        let _ = write!(text, "[watcher:{name}]\ncmd = {command}\n");
    }
    text
}

// === impl Service ===

impl Service {
    fn new(kind: Kind, shape: Shape, number: u32, count: u32, yard: &Yard, round: &Round) -> Self {
        let mut words = shape.words(number, count, round);
        if shape == Shape::Notify {
            words.pop();
            let way = if kind == Kind::S6 { "newline" } else { "line" };
            words.push(way.to_owned());
        }
        let ready = words.last().cloned().unwrap_or_default();
        Self {
            name: shape.name(number, count),
            before: number
                .checked_sub(1)
                .map(|before| shape.name(before, count)),
            command: format!("{} {}", yard.child(), words.join(" ")),
            ready,
        }
    }

    fn horust(&self, shape: Shape, child: &str) -> String {
        let mut text = format!("command = \"{}\"\n", self.command);
        if let (Some(before), true) = (&self.before, shape != Shape::Idle) {
            let _ = writeln!(text, "start-after = [\"{before}.toml\"]");
        }
        if shape == Shape::Probed {
            let check = format!("{child} exists {}", self.ready);
            let _ = write!(text, "[healthiness]\ncommand = \"{check}\"\n");
        }
        text
    }

    fn procman(&self, shape: Shape) -> String {
        let Self { name, command, .. } = self;
        let kind = if shape == Shape::Oneshots {
            "job"
        } else {
            "service"
        };
        let number = self.ready.rsplit_once('-').map(|(base, number)| {
            let number: u32 = number.parse().unwrap_or(0);
            format!("{base}-{}", number.saturating_sub(1))
        });
        let wait = match (&self.before, shape) {
            (Some(before), Shape::Oneshots) => format!("after @{before}"),
            (Some(before), Shape::Notify) => format!("output_matches @{before} \"ready\""),
            (Some(_), Shape::Probed) => {
                format!("exists \"{}\"", number.unwrap_or_default())
            }
            (Some(_) | None, _) => String::new(),
        };
        let wait = if wait.is_empty() {
            wait
        } else {
            format!("  wait {{\n    {wait}\n  }}\n")
        };
        format!("{kind} {name} {{\n{wait}  run \"exec {command}\"\n}}\n")
    }

    fn decompose(&self, shape: Shape, child: &str) -> String {
        let Self { name, command, .. } = self;
        let mut text = format!("  {name}:\n    command: \"exec {command}\"\n");
        let condition = match shape {
            Shape::Oneshots => "process_completed_successfully",
            Shape::Notify => {
                text.push_str("    ready_log_line: ready\n");
                "process_log_ready"
            }
            Shape::Probed => {
                let check = format!("exec {child} exists {}", self.ready);
                let _ = writeln!(text, "    readiness_probe:\n      period_seconds: 1");
                let _ = writeln!(text, "      exec: {{command: \"{check}\"}}");
                "process_healthy"
            }
            Shape::AtOnce | Shape::Idle => return text,
        };
        if let Some(before) = &self.before {
            let _ = writeln!(text, "    depends_on:\n      {before}:");
            let _ = writeln!(text, "        condition: {condition}");
        }
        text
    }
}
