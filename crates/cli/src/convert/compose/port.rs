//! `ports` and `expose`: which ports a container listens on.

use super::reader::Reader;
use crate::convert::draft::PortDraft;
use pillion_spec::tree::Node;

/// A larger range is no list of ports that somebody wants to read.
const LONGEST_RANGE: u16 = 50;

// === impl Reader ===

impl Reader<'_> {
    pub(super) fn ports(&mut self, node: Node<'_>) -> Vec<PortDraft> {
        let mut ports: Vec<PortDraft> = Vec::new();
        for item in node.items() {
            let found = if item.is_mapping() {
                self.long_port(item)
            } else {
                self.text(item).as_deref().and_then(short_port)
            };
            let Some(found) = found else {
                self.refuse(item, "a port such as `8080:80`");
                continue;
            };
            for port in found {
                let same =
                    |one: &PortDraft| one.number == port.number && one.protocol == port.protocol;
                if !ports.iter().any(same) {
                    ports.push(port);
                }
            }
        }
        if !node.is_sequence() {
            self.refuse(node, "a list of ports");
        }
        ports
    }

    fn long_port(&mut self, node: Node<'_>) -> Option<Vec<PortDraft>> {
        let target = self.text(node.get("target")?)?;
        let published = node.get("published").and_then(|node| self.text(node));
        let protocol = node.get("protocol").and_then(|node| self.text(node));
        let protocol = protocol_word(protocol.as_deref())?;
        Some(ports(range(&target)?, published.as_deref(), protocol))
    }
}

/// `[ADDRESS:][PUBLISHED:]PORT[/PROTOCOL]`, each port possibly a range.
fn short_port(text: &str) -> Option<Vec<PortDraft>> {
    let (text, protocol) = match text.split_once('/') {
        Some((text, protocol)) => (text, Some(protocol)),
        None => (text, None),
    };
    let protocol = protocol_word(protocol)?;
    let (published, target) = match text.rsplit_once(':') {
        Some((published, target)) => (Some(published), target),
        None => (None, text),
    };
    Some(ports(range(target)?, published, protocol))
}

fn ports(
    (first, last): (u16, u16),
    published: Option<&str>,
    protocol: &'static str,
) -> Vec<PortDraft> {
    let published = published.filter(|text| !text.is_empty());
    // Which of several ports is published as which is not worth a comment.
    let published = published.filter(|_| first == last);
    let port = |number| PortDraft {
        number,
        protocol,
        published: published.map(str::to_owned),
    };
    (first..=last).map(port).collect()
}

fn range(text: &str) -> Option<(u16, u16)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    let valid = first > 0 && first <= last && last - first < LONGEST_RANGE;
    valid.then_some((first, last))
}

/// The word of Kubernetes.
fn protocol_word(text: Option<&str>) -> Option<&'static str> {
    match text.map(str::to_ascii_lowercase).as_deref() {
        None | Some("tcp") => Some("TCP"),
        Some("udp") => Some("UDP"),
        Some("sctp") => Some("SCTP"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Option<Vec<u16>> {
        short_port(text).map(|ports| ports.iter().map(|port| port.number).collect())
    }

    #[test]
    fn the_last_number_is_the_port_of_the_container() {
        assert_eq!(numbers("80"), Some(vec![80]));
        assert_eq!(numbers("8080:80"), Some(vec![80]));
        assert_eq!(numbers("127.0.0.1:8080:80/udp"), Some(vec![80]));
        assert_eq!(numbers("3000-3002:3000-3002"), Some(vec![3000, 3001, 3002]));
        for text in ["", "0", "x", "90-80", "1-60000", "80/x", "70000"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
