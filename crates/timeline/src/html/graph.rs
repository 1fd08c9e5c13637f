//! The graph of a pod, drawn from top to bottom: what starts first, and what waits for it.

use crate::record::Target;
use crate::svg::escape::escape;
use crate::text::{Style, columns, tame};
use crate::timeline::Timeline;
use pillion_engine::pod::Need;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A container or a meeting point.
struct Node {
    target: Target,
    /// Over how many others its longest way from the top goes.
    rank: usize,
    /// Its middle.
    x: u32,
    /// Its upper edge.
    y: u32,
    width: u32,
}

/// A line, by the positions of its ends.
#[derive(Clone, Copy)]
struct Line {
    /// What is waited for.
    above: usize,
    /// Who waits.
    below: usize,
    weak: bool,
}

/// What is drawn.
struct Graph {
    nodes: Vec<Node>,
    lines: Vec<Line>,
    width: u32,
    height: u32,
}

/// The drawing; nothing if nobody requires anybody.
pub(super) fn graph(timeline: &Timeline) -> String {
    let mut graph = Graph::new(timeline);
    if graph.lines.is_empty() {
        return String::new();
    }
    graph.rank();
    graph.leave_out_what_follows();
    graph.place();
    graph.draw(timeline)
}

// === impl Graph ===

impl Graph {
    fn new(timeline: &Timeline) -> Self {
        let edges = timeline.edges();
        let containers = timeline.containers();
        let containers = containers
            .iter()
            .map(|name| Target::Container((*name).into()));
        let ends = edges.iter();
        let ends = ends.flat_map(|edge| [edge.from.clone(), edge.edge.target.clone()]);
        let mut places: BTreeMap<Target, usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for target in containers.chain(ends) {
            if !places.contains_key(&target) {
                places.insert(target.clone(), nodes.len());
                nodes.push(Node::new(target));
            }
        }
        let line = |edge: &crate::edge::Required| Line {
            above: places[&edge.edge.target],
            below: places[&edge.from],
            weak: edge.edge.need != Need::Hard,
        };
        Self {
            nodes,
            lines: edges.iter().map(line).collect(),
            width: 0,
            height: 0,
        }
    }

    /// Everything stands below all that it waits for. In a circle, which no pod has that was checked,
    /// those that close it stay where they are.
    fn rank(&mut self) {
        let mut waits = vec![0_usize; self.nodes.len()];
        let mut below = vec![Vec::new(); self.nodes.len()];
        for line in &self.lines {
            waits[line.below] += 1;
            below[line.above].push(line.below);
        }
        let free = |place: &usize| waits[*place] == 0;
        let mut open: Vec<_> = (0..self.nodes.len()).filter(free).collect();
        while let Some(place) = open.pop() {
            for next in &below[place] {
                self.nodes[*next].rank = self.nodes[*next].rank.max(self.nodes[place].rank + 1);
                waits[*next] -= 1;
                if waits[*next] == 0 {
                    open.push(*next);
                }
            }
        }
    }

    /// A line is left out if one can go along others from its upper end to its lower.
    fn leave_out_what_follows(&mut self) {
        if self.lines.len() > MOST_LINES {
            return;
        }
        let mut below = vec![Vec::new(); self.nodes.len()];
        for line in &self.lines {
            below[line.above].push(line.below);
        }
        let nodes = &self.nodes;
        let follows = |line: &Line| {
            let last = nodes[line.below].rank;
            let mut seen = BTreeSet::new();
            let mut open: Vec<usize> = below[line.above].clone();
            open.retain(|next| *next != line.below);
            while let Some(place) = open.pop() {
                if place == line.below {
                    return true;
                }
                if nodes[place].rank < last && seen.insert(place) {
                    open.extend(&below[place]);
                }
            }
            false
        };
        let kept: Vec<_> = self
            .lines
            .iter()
            .filter(|line| !follows(line))
            .copied()
            .collect();
        self.lines = kept;
    }

    /// Rank below rank, in as many rows as it takes.
    fn place(&mut self) {
        let last = self
            .nodes
            .iter()
            .map(|node| node.rank)
            .max()
            .unwrap_or_default();
        let mut y = MARGIN;
        for rank in 0..=last {
            for row in self.rows(rank) {
                self.place_row(&row, y);
                y += HEIGHT + GAP;
            }
            y += STEP;
        }
        self.width = WIDTH;
        self.height = y - STEP - GAP + MARGIN;
    }

    /// The nodes of a rank, near what they wait for, as many in a row as have room.
    fn rows(&self, rank: usize) -> Vec<Vec<usize>> {
        let all = 0..self.nodes.len();
        let mut places: Vec<_> = all
            .filter(|place| self.nodes[*place].rank == rank)
            .collect();
        places.sort_by_cached_key(|place| self.pull(*place));
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut used = WIDTH;
        for place in places {
            let width = self.nodes[place].width;
            match rows.last_mut() {
                Some(row) if used + GAP + width <= WIDTH => {
                    used += GAP + width;
                    row.push(place);
                }
                Some(_) | None => {
                    used = width;
                    rows.push(vec![place]);
                }
            }
        }
        rows
    }

    /// The middle of all that it waits for.
    fn pull(&self, place: usize) -> u32 {
        let above = self.lines.iter().filter(|line| line.below == place);
        let xs: Vec<_> = above.map(|line| self.nodes[line.above].x).collect();
        let count = u32::try_from(xs.len()).unwrap_or(u32::MAX);
        xs.iter()
            .sum::<u32>()
            .checked_div(count)
            .unwrap_or_default()
    }

    fn place_row(&mut self, row: &[usize], y: u32) {
        let widths: u32 = row.iter().map(|place| self.nodes[*place].width + GAP).sum();
        let mut x = (WIDTH + GAP).saturating_sub(widths) / 2;
        for place in row {
            let node = &mut self.nodes[*place];
            (node.x, node.y) = (x + node.width / 2, y);
            x += node.width + GAP;
        }
    }

    fn draw(&self, timeline: &Timeline) -> String {
        let mut out = format!(
            "<svg id=\"graph\" role=\"group\" aria-label=\"Who waits for whom\" \
             viewBox=\"0 0 {} {}\" width=\"{0}\" height=\"{1}\">\n",
            self.width, self.height
        );
        for line in &self.lines {
            self.draw_line(&mut out, *line);
        }
        let failed = failed(timeline);
        let path = timeline.path_to_ready().unwrap_or_default();
        let path: BTreeSet<_> = path
            .steps
            .iter()
            .filter_map(|s| s.container.as_deref())
            .collect();
        for node in &self.nodes {
            let name = node.target.name();
            let on_path = if path.contains(name) { " on-path" } else { "" };
            let bad = if failed.contains(name) {
                " has-failed"
            } else {
                ""
            };
            node.draw(&mut out, &format!("{on_path}{bad}"));
        }
        out.push_str("</svg>");
        out
    }

    fn draw_line(&self, out: &mut String, line: Line) {
        let (above, below) = (&self.nodes[line.above], &self.nodes[line.below]);
        let (start, end) = (above.y + HEIGHT, below.y.saturating_sub(1));
        let bend = u32::midpoint(start, end);
        let (from, to) = (above.x, below.x);
        let weak = if line.weak { " weak" } else { "" };
        let (tip, wing) = (end.saturating_sub(2), end.saturating_sub(7));
        let (left, right) = (to.saturating_sub(4), to + 4);
        let _ = writeln!(
            out,
            "<g class=\"edge{weak}\"><path d=\"M{from} {start}C{from} {bend} {to} {bend} {to} {tip}\"/>\
             <path class=\"head\" d=\"M{left} {wing}L{to} {end}L{right} {wing}\"/></g>"
        );
    }
}

/// Who failed at least once.
fn failed(timeline: &Timeline) -> BTreeSet<&str> {
    let records = timeline.records().iter();
    let failed = records.filter(|record| record.what.is_failure());
    failed
        .filter_map(|record| record.container.as_deref())
        .collect()
}

// === impl Node ===

impl Node {
    fn new(target: Target) -> Self {
        let characters = columns(&tame(target.name())).min(LONGEST);
        let width = 22
            + 7 * u32::try_from(characters)
                .unwrap_or_default()
                .next_multiple_of(2);
        Self {
            target,
            rank: 0,
            x: 0,
            y: 0,
            width,
        }
    }

    fn draw(&self, out: &mut String, state: &str) {
        let (class, press) = match self.target {
            Target::Container(_) => ("node", " role=\"button\" tabindex=\"0\""),
            Target::Barrier(_) => ("node meeting", ""),
        };
        let name = tame(self.target.name());
        let _ = writeln!(
            out,
            "<g class=\"{class}{state}\" data-name=\"{}\"{press}><title>{}</title><rect x=\"{}\" \
             y=\"{}\" width=\"{}\" height=\"{HEIGHT}\" rx=\"6\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            escape(self.target.name()),
            escape(&name),
            self.x.saturating_sub(self.width / 2),
            self.y,
            self.width,
            self.x,
            self.y + HEIGHT / 2 + 4,
            escape(&Style::unicode(0).shorten(&name, LONGEST)),
        );
    }
}

const WIDTH: u32 = 320;
const MARGIN: u32 = 6;
const HEIGHT: u32 = 26;
/// Between two in a row, and between two rows of one rank.
const GAP: u32 = 10;
/// Between two ranks, besides.
const STEP: u32 = 24;
/// Longer names are shortened in the middle.
const LONGEST: usize = 24;
/// Among more lines nobody follows one, and looking for those that follow takes too long.
const MOST_LINES: usize = 1500;
