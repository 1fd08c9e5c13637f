//! One network for all: services that are spoken to by their name, and ports that two would have.

use super::Service;
use super::reader::Reader;
use crate::convert::draft::ContainerDraft;
use pillion_spec::tree::Node;
use pillion_spec::{Code, Diagnostic, Span};
use std::collections::BTreeMap;

/// With more services than these nobody wants to read who names whom, and looking takes long.
const MOST_SERVICES: usize = 200;

// === impl Reader ===

impl Reader<'_> {
    /// Tells where a variable or a command names another service as a host.
    pub(super) fn look_for_hosts(&mut self, services: &[Service<'_>], made: &[ContainerDraft]) {
        if services.len() > MOST_SERVICES {
            return;
        }
        for (service, container) in services.iter().zip(made) {
            for (name, value) in &container.env {
                if let Some(host) = services
                    .iter()
                    .find(|other| is_meant(name, value, other.name))
                {
                    let place = place_of_variable(service, name);
                    self.tell_host((service, place), host, &format!("the variable `{name}`"));
                }
            }
            let words = || container.command.iter().chain(&container.args);
            let named = |other: &&Service<'_>| words().any(|word| names_host(word, other.name));
            if let Some(host) = services.iter().find(named) {
                let place = service.node.entry("command").map(|(span, _)| span);
                self.tell_host((service, place), host, "the command");
            }
        }
    }

    fn tell_host(
        &mut self,
        (service, place): (&Service<'_>, Option<Span>),
        host: &Service<'_>,
        what: &str,
    ) {
        let (from, to) = (service.name, host.name);
        let message = format!("{what} of service `{from}` names the host `{to}`");
        let finding = Diagnostic::new(Code::NotConverted, message).primary(
            place.unwrap_or(service.span),
            "a name that only compose knows",
        );
        self.notes.push(finding.help(format!(
            "in a pod all containers share one network: write `localhost` instead of `{to}`"
        )));
    }

    /// Tells where two containers would listen on one port.
    pub(super) fn look_for_ports(&mut self, services: &[Service<'_>], made: &[ContainerDraft]) {
        let mut taken = BTreeMap::new();
        for (service, container) in services.iter().zip(made) {
            for port in &container.ports {
                let other = taken.insert((port.number, port.protocol), service);
                if let Some(other) = other.filter(|other| other.name != service.name) {
                    self.tell_port(port.number, service, other);
                }
            }
        }
    }

    fn tell_port(&mut self, port: u16, service: &Service<'_>, other: &Service<'_>) {
        let message = format!(
            "`{}` and `{}` have the same port {port}",
            other.name, service.name
        );
        let finding = Diagnostic::new(Code::NotConverted, message)
            .primary(service.span, "in a pod only one can listen on it")
            .secondary(other.span, "the other");
        self.notes
            .push(finding.help("give one of them another port"));
    }
}

/// Where a variable stands, in a map or in a list.
fn place_of_variable(service: &Service<'_>, name: &str) -> Option<Span> {
    let node = service.node.get("environment")?;
    let is_meant = |item: &Node<'_>| {
        let variable = item.as_str().and_then(|text| text.split_once('='));
        variable.is_some_and(|(found, _)| found == name)
    };
    let in_list = || node.items().find(is_meant).map(Node::span);
    node.entry(name).map(|(span, _)| span).or_else(in_list)
}

/// Whether a variable speaks of a host: in an address, or because that is what it is for.
fn is_meant(variable: &str, value: &str, host: &str) -> bool {
    names_host(value, host) || value == host && is_host_variable(variable)
}

/// `DB_HOST`, `REDIS_HOSTNAME`, `SERVER`
fn is_host_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = ["HOST", "HOSTNAME", "SERVER", "ADDR", "ADDRESS"];
    ends.iter().any(|end| name.ends_with(end))
}

/// Whether a text speaks to a host: `//db`, `@db`, or `db:5432`.
fn names_host(text: &str, host: &str) -> bool {
    let mut found = text.match_indices(host);
    !host.is_empty()
        && found.any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + host.len()..]);
            let address = before.ends_with("//") || before.ends_with('@');
            let begins = before.is_empty() || before.ends_with(['=', ',', ' ', '(', '"', '\'']);
            let ends = after.is_empty() || after.starts_with(['/', ':', '?', ',', ' ', '"', '\'']);
            let mut port = after.chars().skip_while(|c| *c == ':');
            let port = after.starts_with(':') && port.next().is_some_and(|c| c.is_ascii_digit());
            address && ends || begins && port
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_addresses() {
        let urls = [
            "postgres://me:pw@db:5432/x",
            "http://db",
            "db:5432",
            "a:1,db:2",
            "--host=db:1",
        ];
        for text in urls {
            assert!(names_host(text, "db"), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_hosts() {
        for text in [
            "db",
            "mydb:5432",
            "/db/x",
            "db:latest",
            "http://dbs",
            "@dbx",
        ] {
            assert!(!names_host(text, "db"), "{text}");
        }
    }
}
