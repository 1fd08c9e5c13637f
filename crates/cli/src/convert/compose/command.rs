//! What a service runs: `command`, `entrypoint`, and hooks.
//!
//! On a machine without images a container needs a whole command. `entrypoint` and `command` are
//! that together; `command` alone is it too, unless it is only options for the program of the image.

use super::Service;
use super::reader::Reader;
use super::words::{join, split};
use crate::convert::draft::ContainerDraft;
use crate::convert::yaml::Yaml;
use pillion_spec::tree::Node;
use pillion_spec::{Code, Diagnostic};

/// What well-known images run. Nobody is made to use it: it is offered in a comment.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "caddy",
        &["caddy", "run", "--config", "/etc/caddy/Caddyfile"],
    ),
    ("grafana", &["grafana", "server"]),
    ("mariadb", &["mariadbd"]),
    ("memcached", &["memcached"]),
    ("mongo", &["mongod"]),
    ("mysql", &["mysqld"]),
    ("nats", &["nats-server"]),
    ("nginx", &["nginx", "-g", "daemon off;"]),
    ("node", &["node"]),
    ("postgres", &["postgres", "-D", "/var/lib/postgresql/data"]),
    ("prometheus", &["prometheus"]),
    ("python", &["python3"]),
    ("rabbitmq", &["rabbitmq-server"]),
    ("redis", &["redis-server"]),
    ("traefik", &["traefik"]),
    ("valkey", &["valkey-server"]),
];

// === impl Reader ===

impl Reader<'_> {
    /// Fills in the command of a container.
    pub(super) fn process(&mut self, service: &Service<'_>, container: &mut ContainerDraft) {
        let entrypoint = self.words(service.node.get("entrypoint"));
        let command = self.words(service.node.get("command"));
        if !entrypoint.is_empty() {
            container.command = entrypoint;
            container.args = command;
        } else if command.first().is_some_and(|first| !first.starts_with('-')) {
            container.command = command;
        } else {
            container.args = command;
            container.missing_command = suggestion(container);
            self.missing(service, container);
        }
    }

    fn missing(&mut self, service: &Service<'_>, container: &ContainerDraft) {
        let name = service.name;
        let message = if container.args.is_empty() {
            format!("service `{name}` has no command")
        } else {
            format!("service `{name}` has only options for a command that its image has")
        };
        let finding = Diagnostic::new(Code::NotConverted, message)
            .primary(service.span, "runs what its image says");
        self.notes.push(finding.help(
            "in a cluster that is enough; to run it on this machine, give the container a `command`",
        ));
    }

    /// A command in words: a list as it is, a line split as compose does it.
    pub(super) fn words(&mut self, node: Option<Node<'_>>) -> Vec<String> {
        let Some(node) = node else {
            return Vec::new();
        };
        if node.is_sequence() {
            return self.texts(node);
        }
        let Some(line) = self.text(node) else {
            return Vec::new();
        };
        let Some(split) = split(&line) else {
            self.refuse(node, "a command whose quotes are closed");
            return Vec::new();
        };
        if let Some(sign) = split.cut_at {
            let message = format!("compose reads a command only up to `{sign}`: there is no shell");
            let finding = Diagnostic::new(Code::NotConverted, message).primary(node.span(), "");
            self.notes
                .push(finding.help("write it as `sh -c '…'`, in both files"));
        }
        split.words
    }

    /// The commands of `post_start` or `pre_stop` as one.
    pub(super) fn hooks(&mut self, node: Node<'_>) -> Vec<String> {
        let mut commands = Vec::new();
        for hook in node.items() {
            for (key, span, value) in self.entries(hook) {
                if key == "command" {
                    commands.push(self.words(Some(value)));
                } else {
                    let message = format!("`{key}` of a hook is not converted");
                    self.notes
                        .left_out(span, message, "a hook runs as its container does");
                }
            }
        }
        if commands.len() > 1 {
            let lines: Vec<_> = commands.iter().map(|words| join(words)).collect();
            return ["sh", "-c", &lines.join(" && ")].map(str::to_owned).into();
        }
        commands.pop().unwrap_or_default()
    }
}

/// What could stand where the command is missing.
fn suggestion(container: &ContainerDraft) -> Vec<String> {
    let image = container.image.as_deref().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let name = name.split([':', '@']).next().unwrap_or_default();
    match KNOWN.iter().find(|(known, _)| *known == name) {
        Some((_, words)) => vec![
            "What the image would run, if it is installed here:".to_owned(),
            format!("command: {}", Yaml::texts(words.iter().copied()).shown()),
        ],
        None => vec!["command: what the image would run".to_owned()],
    }
}
