//! The lives of all containers as bars over one axis.
//!
//! ```text
//!          0s        1s        2s        3s        4s
//! proxy    ▒▒▒██████████████████████████████████████▓
//! migrate  ···█████
//! app      ········▒████████████████████████████▓▓
//! ```
//!
//! A cell shows what took most of its time; what was too short to win a cell gets one all the same
//! if that hides nothing else, so that a stop of 10 ms can be seen in a run of 10 h.

use crate::axis::Scale;
use crate::lanes::{Doing, Lane, Span};
use crate::text::{Line, Style, Tone, columns};
use crate::timeline::Timeline;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a cell shows.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Shade {
    /// Waits for others.
    Waiting,
    /// Waits for its image.
    Pulling,
    /// Begun, not ready.
    Starting,
    /// A oneshot at work.
    Running,
    /// Ready.
    Ready,
    /// Not ready any more.
    Unready,
    /// Told to stop.
    Stopping,
    /// Waits for its next attempt.
    BackingOff,
    /// An attempt failed here.
    Failed,
}

/// The picture: an axis, a row for each container, and what the shades mean.
pub fn gantt(timeline: &Timeline, style: Style) -> Vec<Line> {
    let lanes = timeline.lanes();
    let names = name_width(&lanes, style);
    let cells = style
        .width
        .saturating_sub(names + MARGIN + 1)
        .clamp(MIN_CELLS, MAX_CELLS);
    let scale = Scale {
        length: timeline.end(),
        cells,
    };
    let rows: Vec<_> = lanes.iter().map(|lane| paint(lane, scale)).collect();

    let mut picture = vec![axis_line(scale, names)];
    picture.extend(
        lanes
            .iter()
            .zip(&rows)
            .map(|(lane, row)| row_line(lane, row, names, style)),
    );
    let used: BTreeSet<Shade> = rows.iter().flatten().flatten().copied().collect();
    picture.extend(legend(&used, style));
    picture
}

/// The shade of each cell of a lane; `None` where the container is not there.
pub fn paint(lane: &Lane, scale: Scale) -> Vec<Option<Shade>> {
    let mut owners = by_share(&lane.spans, scale);
    show_short_spans(&lane.spans, scale, &mut owners);
    let shade = |owner: &Option<usize>| owner.and_then(|span| Shade::of(lane.spans[span].doing));
    let mut row: Vec<_> = owners.iter().map(shade).collect();
    for at in &lane.failures {
        row[scale.cell(*at)] = Some(Shade::Failed);
    }
    row
}

/// The span that takes most of each cell, being down left aside.
fn by_share(spans: &[Span], scale: Scale) -> Vec<Option<usize>> {
    let mut cells = vec![(Duration::ZERO, None); scale.cells];
    for (number, span) in spans.iter().enumerate().filter(|(_, span)| is_shown(span)) {
        let first = scale.cell(span.from);
        for (cell, best) in (first..=scale.cell(span.to)).zip(&mut cells[first..]) {
            let (from, to) = (scale.start(cell), scale.start(cell + 1));
            let share = span.to.min(to).saturating_sub(span.from.max(from));
            if share > best.0 {
                *best = (share, Some(number));
            }
        }
    }
    cells.into_iter().map(|(_, owner)| owner).collect()
}

/// Gives a cell to spans that won none, if its owner has another one.
fn show_short_spans(spans: &[Span], scale: Scale, owners: &mut [Option<usize>]) {
    let mut won = vec![0_usize; spans.len()];
    for owner in owners.iter().flatten() {
        won[*owner] += 1;
    }
    let nothing = won.iter().all(|cells| *cells == 0);
    for (number, span) in spans.iter().enumerate() {
        // A stop that took no time is still where one run ends and the next begins.
        let between = span.doing == Doing::Stopping && spans[number..].iter().any(comes_up);
        let instant = span.length().is_zero() && !between;
        // In virtual time a whole life can pass in no time; its last state stands for it.
        if won[number] > 0 || !is_shown(span) || (instant && !nothing) {
            continue;
        }
        let cell = &mut owners[scale.cell(span.from + span.length() / 2)];
        match *cell {
            Some(owner) if won[owner] < 2 && !(nothing && instant) => {}
            Some(_) | None => {
                if let Some(owner) = cell.replace(number) {
                    won[owner] -= 1;
                }
                won[number] += 1;
            }
        }
    }
}

fn comes_up(span: &Span) -> bool {
    matches!(span.doing, Doing::Starting | Doing::Running | Doing::Ready)
}

fn is_shown(span: &Span) -> bool {
    span.doing != Doing::Down
}

/// As wide as the longest name, but never more than a third of the picture; half of it where names
/// would look the same otherwise.
fn name_width(lanes: &[Lane], style: Style) -> usize {
    let names: Vec<_> = lanes
        .iter()
        .map(|lane| lane.container.to_string())
        .collect();
    let longest = names.iter().map(|name| columns(name)).max();
    let limits = [style.width / 3, style.width / 2].map(|limit| limit.max(MIN_NAME));
    let told_apart = |limit: &usize| style.shorten_all(&names, *limit).is_some();
    let limit = limits.into_iter().find(told_apart).unwrap_or(limits[0]);
    longest.unwrap_or_default().min(limit)
}

fn axis_line(scale: Scale, names: usize) -> Line {
    let mut text = String::new();
    for mark in scale.marks() {
        text.push_str(&" ".repeat((MARGIN + names + mark.cell).saturating_sub(columns(&text))));
        text.push_str(&mark.label);
    }
    Line::new(Tone::Dim, text)
}

fn row_line(lane: &Lane, row: &[Option<Shade>], names: usize, style: Style) -> Line {
    let name = style.shorten(&lane.container, names);
    let mut text = Line::new(Tone::Plain, format!(" {name:names$}"));
    let end = row
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    text.push(Tone::Plain, if end == 0 { "" } else { "  " });
    for cell in &row[..end] {
        match cell {
            Some(shade) => text.push(shade.tone(), shade.glyph(style)),
            None => text.push(Tone::Plain, " "),
        }
    }
    text
}

fn legend(used: &BTreeSet<Shade>, style: Style) -> Vec<Line> {
    let part = |shade: &Shade| {
        Line::new(shade.tone(), shade.glyph(style)).and(Tone::Dim, format!(" {}", shade.word()))
    };
    let parts: Vec<_> = used.iter().map(part).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    style.flow(Line::new(Tone::Plain, " "), "   ", &parts)
}

// === impl Shade ===

impl Shade {
    pub(crate) const fn of(doing: Doing) -> Option<Self> {
        match doing {
            Doing::Waiting => Some(Self::Waiting),
            Doing::Pulling => Some(Self::Pulling),
            Doing::Starting => Some(Self::Starting),
            Doing::Running => Some(Self::Running),
            Doing::Ready => Some(Self::Ready),
            Doing::Unready => Some(Self::Unready),
            Doing::Stopping => Some(Self::Stopping),
            Doing::BackingOff => Some(Self::BackingOff),
            Doing::Down => None,
        }
    }

    /// How it is drawn.
    pub const fn glyph(self, style: Style) -> &'static str {
        let (unicode, ascii) = match self {
            Self::Waiting => ("·", "."),
            Self::Pulling => ("↓", "v"),
            Self::Starting => ("▒", "-"),
            Self::Running => ("▆", "="),
            Self::Ready => ("█", "#"),
            Self::Unready => ("░", "o"),
            Self::Stopping => ("▓", "+"),
            Self::BackingOff => ("~", "~"),
            Self::Failed => ("×", "x"),
        };
        if style.ascii { ascii } else { unicode }
    }

    /// What the legend says.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Pulling => "pulling",
            Self::Starting => "starting",
            Self::Running => "at work",
            Self::Ready => "ready",
            Self::Unready => "not ready",
            Self::Stopping => "stopping",
            Self::BackingOff => "backing off",
            Self::Failed => "failed",
        }
    }

    /// What colour class it belongs to.
    pub const fn tone(self) -> Tone {
        match self {
            Self::Waiting | Self::Pulling | Self::Starting | Self::Unready => Tone::Waiting,
            Self::Running | Self::Ready => Tone::Good,
            Self::Stopping | Self::BackingOff => Tone::Dim,
            Self::Failed => Tone::Bad,
        }
    }
}

/// A space before the name and two after it.
const MARGIN: usize = 3;
/// Even in a narrow window something of a name is seen.
const MIN_NAME: usize = 6;
/// Even in a narrow window something of a bar is seen.
const MIN_CELLS: usize = 10;
/// Beyond this a picture gets no clearer.
const MAX_CELLS: usize = 400;
