//! The graph as a list, for when a picture would not fit: who comes after whom.

use super::Graph;
use super::drawing::label;
use pillion_timeline::text::columns;
use pillion_timeline::{Line, Style, Tone};

/// One entry for each node that waits for something.
pub(super) fn draw(graph: &Graph, style: Style) -> Vec<Line> {
    let waiting = || (0..graph.nodes.len()).filter(|node| graph.before(*node).next().is_some());
    let widths = waiting().map(|node| columns(&label(graph, node)));
    let width = widths.max().unwrap_or_default().min(style.width / 3);
    waiting()
        .flat_map(|node| entry(graph, node, width, style))
        .collect()
}

/// `  app  after migrate, cache (soft)`
fn entry(graph: &Graph, node: usize, width: usize, style: Style) -> Vec<Line> {
    let name = style.shorten(&label(graph, node), width);
    let head = Line::new(Tone::Plain, format!("  {name:width$}"));
    let before: Vec<_> = graph.before(node).collect();
    let part = |(number, edge): (usize, &&super::Edge)| {
        let comma = if number + 1 == before.len() { "" } else { "," };
        let weak = if edge.bond.is_weak() { " (soft)" } else { "" };
        Line::new(
            Tone::Plain,
            format!("{}{weak}{comma}", label(graph, edge.from)),
        )
    };
    let parts: Vec<_> = before.iter().enumerate().map(part).collect();
    style.flow(head.and(Tone::Dim, "  after "), " ", &parts)
}
