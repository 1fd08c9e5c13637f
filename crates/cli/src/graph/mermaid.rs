//! The graph as a Mermaid flowchart, which many pages and repositories show as a picture.

use super::{Bond, Graph, NodeKind};
use pillion_engine::pod::Pod;
use pillion_spec::plan::until_word;
use std::fmt::Write as _;

/// The chart, ending in a line feed.
pub(crate) fn mermaid(pod: &Pod) -> String {
    let graph = Graph::new(pod);
    let mut text = String::from("flowchart LR\n");
    for (place, node) in graph.nodes.iter().enumerate() {
        let (open, close) = shape(node.kind);
        let _ = writeln!(text, "  n{place}{open}\"{}\"{close}", escaped(&node.name));
    }
    for edge in &graph.edges {
        let arrow = arrow(edge.bond);
        let _ = writeln!(text, "  n{} {arrow} n{}", edge.from, edge.to);
    }
    text
}

const fn shape(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Main => ("[", "]"),
        NodeKind::Sidecar => ("(", ")"),
        NodeKind::Oneshot => ("[/", "/]"),
        NodeKind::Keystone => ("[[", "]]"),
        NodeKind::Barrier => ("{{", "}}"),
    }
}

fn arrow(bond: Bond) -> String {
    match (bond.is_weak(), bond.plain) {
        (false, true) => "-->".to_owned(),
        (true, true) => "-.->".to_owned(),
        (false, false) => format!("-- {} -->", until_word(bond.until)),
        (true, false) => format!("-. {} .->", until_word(bond.until)),
    }
}

fn escaped(name: &str) -> String {
    name.replace('#', "#35;")
        .replace('"', "#quot;")
        .replace(char::is_control, " ")
}
