//! The graph as a Mermaid flowchart, which many pages and repositories show as a picture.

use super::{Bond, Graph, NodeKind};
use pillion_engine::pod::Pod;
use pillion_spec::plan::until_word;
use std::fmt::Write as _;

/// The chart, ending in a line feed. Several pods stand in it side by side, each in a frame with its
/// name: two charts in one file are none.
pub(crate) fn mermaid(pods: &[&Pod]) -> String {
    let mut text = String::from("flowchart LR\n");
    match pods {
        [pod] => draw(pod, "n", "  ", &mut text),
        pods => {
            for (number, pod) in pods.iter().enumerate() {
                let name = escaped(&pod.name);
                let _ = writeln!(text, "  subgraph p{number}[\"{name}\"]");
                draw(pod, &format!("p{number}n"), "    ", &mut text);
                text.push_str("  end\n");
            }
        }
    }
    text
}

/// One pod, with names of nodes that begin so.
fn draw(pod: &Pod, prefix: &str, indent: &str, text: &mut String) {
    let graph = Graph::new(pod);
    for (place, node) in graph.nodes.iter().enumerate() {
        let (open, close) = shape(node.kind);
        let name = escaped(&node.name);
        let _ = writeln!(text, "{indent}{prefix}{place}{open}\"{name}\"{close}");
    }
    for edge in &graph.edges {
        let arrow = arrow(edge.bond);
        let (from, to) = (edge.from, edge.to);
        let _ = writeln!(text, "{indent}{prefix}{from} {arrow} {prefix}{to}");
    }
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
