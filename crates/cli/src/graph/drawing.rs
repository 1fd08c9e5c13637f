//! The graph on a terminal, from left to right.
//!
//! ```text
//! proxy ─┬─▶ migrate ───▶ app
//!        └─▶ cache ·····▶ app
//! ```
//!
//! Each container stands once with all that follows it, at the end of its longest chain; where it
//! follows something else too, its name is repeated. So every arrow can be read by itself and none
//! crosses another. Layers are lined up where the width allows it.

use super::{Edge, Graph, NodeKind};
use pillion_engine::pod::Pod;
use pillion_timeline::text::columns;
use pillion_timeline::{Line, Style, Tone};

/// Draws the start graph of a pod; nothing if nobody waits for anybody. `None` if it does not fit,
/// not even with shorter names.
pub(crate) fn draw(pod: &Pod, style: Style) -> Option<Vec<Line>> {
    let graph = Graph::new(pod);
    if graph.edges.is_empty() {
        return Some(Vec::new());
    }
    let layers = graph.layers().filter(|layers| layers.len() <= MAX_NODES)?;
    let tree = Tree::new(&graph, layers);
    let lines = NAME_WIDTHS.iter().find_map(|width| {
        let graph = graph.with_names_of(*width, style)?;
        let lined_up = columns_of(&graph, &tree);
        let drawing = Drawing::new(&graph, &tree, Some(lined_up), style)
            .or_else(|| Drawing::new(&graph, &tree, None, style))?;
        Some(drawing.canvas.lines())
    });
    Some(with_legend(lines?, &graph, style))
}

/// As long as they are, then shorter and shorter; below that names say nothing.
const NAME_WIDTHS: &[usize] = &[usize::MAX, 32, 24, 16, 11];

/// Where each node is drawn with all that follows it.
struct Tree {
    /// One more than the layer of the latest that comes before it.
    layers: Vec<usize>,
    /// The node after which it is drawn: the latest before it.
    homes: Vec<Option<usize>>,
    /// How long the chain below it is.
    heights: Vec<usize>,
    /// Whether it waits for another, or another for it.
    connected: Vec<bool>,
}

struct Drawing<'a> {
    graph: &'a Graph,
    tree: &'a Tree,
    /// Where each layer begins, if they are lined up.
    columns: Option<Vec<usize>>,
    style: Style,
    canvas: Canvas,
}

/// Characters by row and column.
#[derive(Default)]
struct Canvas {
    rows: Vec<Vec<(char, Tone)>>,
}

/// How an arrow begins.
#[derive(Clone, Copy)]
enum Stem {
    /// Right after the name.
    Straight,
    /// Right after the name, and others branch off below.
    Fork,
    /// Below, and others follow.
    Branch,
    /// Below, the last one.
    Last,
}

// === impl Tree ===

impl Tree {
    fn new(graph: &Graph, layers: Vec<usize>) -> Self {
        let latest = |edge: &&&Edge| (layers[edge.from], usize::MAX - edge.from);
        let before = graph.all_before();
        let home = |before: &Vec<&Edge>| before.iter().max_by_key(latest).map(|edge| edge.from);
        let homes: Vec<_> = before.iter().map(home).collect();
        let mut last_first: Vec<_> = (0..layers.len()).collect();
        last_first.sort_by_key(|node| usize::MAX - layers[*node]);
        let mut heights = vec![0; layers.len()];
        for node in last_first {
            if let Some(home) = homes[node] {
                heights[home] = heights[home].max(heights[node] + 1);
            }
        }
        let connected = |node: usize| homes[node].is_some() || graph.after(node).next().is_some();
        Self {
            connected: (0..layers.len()).map(connected).collect(),
            layers,
            homes,
            heights,
        }
    }
}

// === impl Drawing ===

impl<'a> Drawing<'a> {
    /// Draws it, unless it does not fit.
    fn new(
        graph: &'a Graph,
        tree: &'a Tree,
        columns: Option<Vec<usize>>,
        style: Style,
    ) -> Option<Self> {
        let canvas = Canvas::default();
        let mut drawing = Self {
            graph,
            tree,
            columns,
            style,
            canvas,
        };
        for node in 0..graph.nodes.len() {
            if tree.connected[node] && tree.homes[node].is_none() {
                let row = drawing.canvas.rows.len();
                drawing.node(node, row, INDENT);
            }
        }
        drawing.lonely();
        let canvas = &drawing.canvas;
        let fits = canvas.width() <= style.width && canvas.rows.len() <= MAX_ROWS;
        fits.then_some(drawing)
    }

    /// Those who wait for nobody and for whom nobody waits share a row, or several.
    fn lonely(&mut self) {
        let mut column = INDENT;
        let mut row = self.canvas.rows.len();
        for (place, node) in self.graph.nodes.iter().enumerate() {
            if self.tree.connected[place] {
                continue;
            }
            if column > INDENT && column + columns(&node.name) > self.style.width {
                (column, row) = (INDENT, row + 1);
            }
            self.canvas.put(row, column, &node.name, Tone::Plain);
            column += columns(&node.name) + LONELY_GAP;
        }
    }

    /// Draws a node and all that follows it; the next free row.
    fn node(&mut self, node: usize, row: usize, column: usize) -> usize {
        self.name(node, row, column, Tone::Plain);
        let end = column + columns(&label(self.graph, node));
        let edges = self.branches(node);
        let mut free = row + 1;
        let mut last = row;
        for (number, edge) in edges.iter().enumerate() {
            let at = if number == 0 { row } else { free };
            if at > MAX_ROWS {
                // It will not be shown.
                return at;
            }
            let stem = match (number == 0, number + 1 == edges.len()) {
                (true, true) => Stem::Straight,
                (true, false) => Stem::Fork,
                (false, true) => Stem::Last,
                (false, false) => Stem::Branch,
            };
            let start = self.start(edge.to, end);
            self.canvas
                .fill(last + 1..at, end + 2, self.glyph("│", "|"));
            self.arrow(at, end, start, edge.bond.is_weak(), stem);
            last = at;
            free = if self.tree.homes[edge.to] == Some(node) {
                self.node(edge.to, at, start)
            } else {
                self.name(edge.to, at, start, Tone::Dim);
                at + 1
            };
        }
        free
    }

    /// What follows a node: the longest chain first, mere mentions last.
    fn branches(&self, node: usize) -> Vec<&'a Edge> {
        let (graph, tree) = (self.graph, self.tree);
        let mut edges: Vec<_> = graph.after(node).collect();
        let rank = |edge: &&Edge| match tree.homes[edge.to] {
            Some(home) if home == node => (false, usize::MAX - tree.heights[edge.to]),
            Some(_) | None => (true, 0),
        };
        edges.sort_by_key(rank);
        edges
    }

    fn start(&self, node: usize, end: usize) -> usize {
        let nearest = end + ARROW + 2;
        let lined_up = self
            .columns
            .as_ref()
            .map(|columns| columns[self.tree.layers[node]]);
        lined_up.unwrap_or(nearest).max(nearest)
    }

    fn name(&mut self, node: usize, row: usize, column: usize, tone: Tone) {
        let text = label(self.graph, node);
        self.canvas.put(row, column, &text, tone);
        // A mention of something that more follows after should not look like an end.
        if tone == Tone::Dim && self.graph.after(node).next().is_some() {
            let more = format!(" {}", if self.style.ascii { "..." } else { "…" });
            self.canvas
                .put(row, column + columns(&text), &more, Tone::Dim);
        }
    }

    /// ` ───▶ ` from the end of one name to the start of the next.
    fn arrow(&mut self, row: usize, end: usize, start: usize, weak: bool, stem: Stem) {
        let line = if weak {
            self.glyph("·", ".")
        } else {
            self.glyph("─", "-")
        };
        let firm = self.glyph("─", "-");
        let tip = start - 2;
        self.canvas.fill_row(row, end + 3..tip, line);
        match stem {
            Stem::Straight => self.canvas.fill_row(row, end + 1..end + 3, line),
            Stem::Fork => {
                self.canvas.fill_row(row, end + 1..end + 2, firm);
                self.canvas
                    .fill(row..row + 1, end + 2, self.glyph("┬", "+"));
            }
            Stem::Branch => self
                .canvas
                .fill(row..row + 1, end + 2, self.glyph("├", "+")),
            Stem::Last => self
                .canvas
                .fill(row..row + 1, end + 2, self.glyph("└", "`")),
        }
        self.canvas
            .fill_row(row, tip..tip + 1, self.glyph("▶", ">"));
    }

    fn glyph(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.style.ascii { ascii } else { unicode }
    }
}

/// Where each layer begins when all are lined up.
fn columns_of(graph: &Graph, tree: &Tree) -> Vec<usize> {
    let layers = tree.layers.iter();
    let count = layers.clone().max().map_or(0, |last| last + 1);
    let mut widths = vec![0; count];
    for (node, layer) in layers.enumerate().filter(|(node, _)| tree.connected[*node]) {
        widths[*layer] = widths[*layer].max(columns(&label(graph, node)));
    }
    let mut starts = vec![INDENT; count];
    for layer in 1..count {
        starts[layer] = starts[layer - 1] + widths[layer - 1] + ARROW + 2;
    }
    starts
}

fn label(graph: &Graph, node: usize) -> String {
    let node = &graph.nodes[node];
    match node.kind {
        NodeKind::Barrier => format!("({})", node.name),
        NodeKind::Main | NodeKind::Sidecar | NodeKind::Oneshot | NodeKind::Keystone => {
            node.name.clone()
        }
    }
}

/// Explains the arrows, unless there is only the one that needs no explanation: beside the last row
/// if there is room, else below.
fn with_legend(mut lines: Vec<Line>, graph: &Graph, style: Style) -> Vec<Line> {
    if !graph.edges.iter().any(|edge| edge.bond.is_weak()) {
        return lines;
    }
    let (firm, weak) = if style.ascii {
        ("--->", "...>")
    } else {
        ("───▶", "···▶")
    };
    let legend = format!("{firm} then   {weak} then, if it comes up");
    match lines.last_mut() {
        Some(last) if last.width() + LEGEND_GAP + columns(&legend) <= style.width => {
            last.push(Tone::Dim, " ".repeat(LEGEND_GAP) + &legend);
        }
        Some(_) | None => {
            let legend = Line::new(Tone::Dim, " ".repeat(INDENT) + &legend);
            lines.extend(style.wrap(&legend, INDENT));
        }
    }
    lines
}

// === impl Canvas ===

impl Canvas {
    fn put(&mut self, row: usize, column: usize, text: &str, tone: Tone) {
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let cells = &mut self.rows[row];
        let end = column + columns(text);
        if cells.len() < end {
            cells.resize(end, (' ', Tone::Plain));
        }
        for (cell, character) in cells[column..].iter_mut().zip(text.chars()) {
            *cell = (character, tone);
        }
    }

    fn fill(&mut self, rows: std::ops::Range<usize>, column: usize, text: &str) {
        for row in rows {
            self.put(row, column, text, Tone::Dim);
        }
    }

    fn fill_row(&mut self, row: usize, columns: std::ops::Range<usize>, text: &str) {
        for column in columns {
            self.put(row, column, text, Tone::Dim);
        }
    }

    fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or_default()
    }

    fn lines(&self) -> Vec<Line> {
        let line = |row: &Vec<(char, Tone)>| {
            row.iter().fold(Line::default(), |line, (character, tone)| {
                line.and(*tone, *character)
            })
        };
        self.rows.iter().map(line).collect()
    }
}

/// Before the first name.
const INDENT: usize = 2;
/// The shortest arrow.
const ARROW: usize = 4;
/// Between names that have nothing to do with each other.
const LONELY_GAP: usize = 3;
/// Between the picture and its legend.
const LEGEND_GAP: usize = 8;
/// More would not fit anyway, and need not be tried.
const MAX_NODES: usize = 200;
/// A picture that does not fit a screen is no picture.
const MAX_ROWS: usize = 40;
