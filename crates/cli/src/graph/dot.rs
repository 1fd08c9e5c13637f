//! The graph in the language of Graphviz.

use super::{Bond, Graph, NodeKind};
use pillion_engine::pod::Pod;
use pillion_spec::plan::until_word;
use std::fmt::Write as _;

/// The graph, ending in a line feed.
pub(crate) fn dot(pod: &Pod) -> String {
    let graph = Graph::new(pod);
    let mut text = format!("digraph {} {{\n  rankdir=LR;\n", quoted(&pod.name));
    for (place, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(
            text,
            "  n{place} [label={}, {}];",
            quoted(&node.name),
            shape(node.kind)
        );
    }
    for edge in &graph.edges {
        let _ = writeln!(
            text,
            "  n{} -> n{}{};",
            edge.from,
            edge.to,
            attributes(edge.bond)
        );
    }
    text.push_str("}\n");
    text
}

const fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Main => "shape=box",
        NodeKind::Sidecar => "shape=box, style=rounded",
        NodeKind::Oneshot => "shape=parallelogram",
        NodeKind::Keystone => "shape=box, peripheries=2",
        NodeKind::Barrier => "shape=hexagon",
    }
}

fn attributes(bond: Bond) -> String {
    let style = bond.is_weak().then(|| "style=dashed".to_owned());
    let label = (!bond.plain).then(|| format!("label={}", quoted(until_word(bond.until))));
    let attributes: Vec<_> = style.into_iter().chain(label).collect();
    if attributes.is_empty() {
        return String::new();
    }
    format!(" [{}]", attributes.join(", "))
}

fn quoted(text: &str) -> String {
    let text = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(char::is_control, " ");
    format!("\"{text}\"")
}
