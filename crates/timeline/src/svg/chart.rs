//! The chart: an axis, the rows with their bars and marks, who let whom through, the critical path.
//!
//! Every element that stands for a time carries it (`data-a`, `data-b`, in microseconds), and every
//! one that stands for something that happened carries the record's number, so that a page can lay
//! the same picture out anew for another width or another stretch of time.

mod links;

use super::escape::escape;
use super::row::{Bar, Mark, Row, rows};
use crate::axis::Scale;
use crate::gantt::Shade;
use crate::path::Step;
use crate::quantity::length;
use crate::text::{Style, columns, tame};
use crate::timeline::Timeline;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

/// A chart that is ready to be drawn.
pub(crate) struct Chart<'a> {
    timeline: &'a Timeline,
    rows: Vec<Row>,
    /// The row of each container.
    places: BTreeMap<Box<str>, usize>,
    path: Vec<Step>,
    /// The room for names.
    left: u32,
    /// The room for time.
    width: u32,
    lane: u32,
    /// The whole time; never zero.
    length: Duration,
}

// === impl Chart ===

impl<'a> Chart<'a> {
    /// Laid out over so many pixels.
    pub(crate) fn new(timeline: &'a Timeline, width: u32) -> Self {
        let rows = rows(timeline);
        let name = |row: &Row| {
            row.container
                .as_deref()
                .map_or(3, columns)
                .min(LONGEST_NAME)
        };
        let longest = rows.iter().map(name).max().unwrap_or_default();
        let left = NAME_X + CHARACTER * u32::try_from(longest).unwrap_or_default() + 14;
        let places = rows.iter().enumerate();
        let places =
            places.filter_map(|(place, row)| row.container.clone().map(|name| (name, place)));
        let path = timeline.path_to_ready().unwrap_or_default();
        Self {
            places: places.collect(),
            path: path.steps,
            left,
            width: width.saturating_sub(left + RIGHT).max(100),
            lane: if rows.len() > MANY { 22 } else { 30 },
            length: timeline.end().max(Duration::from_micros(1)),
            timeline,
            rows,
        }
    }

    pub(crate) const fn width(&self) -> u32 {
        self.left + self.width + RIGHT
    }

    pub(crate) fn height(&self) -> u32 {
        self.top(self.rows.len()) + BOTTOM
    }

    /// What is in it, in the order of the legend.
    pub(crate) fn shades(&self) -> BTreeSet<Shade> {
        let bars = self.rows.iter().flat_map(|row| &row.bars);
        let mut shades: BTreeSet<_> = bars.map(|bar| bar.shade).collect();
        let mut marks = self.rows.iter().flat_map(|row| &row.marks);
        if marks.any(|mark| mark.failed) {
            shades.insert(Shade::Failed);
        }
        shades
    }

    pub(crate) fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// The elements, with the upper left corner at the origin.
    pub(crate) fn draw(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<g class=\"chart\" data-left=\"{}\" data-length=\"{}\" data-lane=\"{}\">",
            self.left,
            self.length.as_micros(),
            self.lane
        );
        for (place, row) in self.rows.iter().enumerate() {
            self.draw_band(&mut out, place, row);
        }
        self.draw_axis(&mut out);
        self.draw_waits(&mut out);
        self.draw_handovers(&mut out);
        for (place, row) in self.rows.iter().enumerate() {
            self.draw_row(&mut out, place, row);
        }
        self.draw_steps(&mut out);
        out.push_str("</g>\n");
        out
    }

    fn draw_axis(&self, out: &mut String) {
        let cells = usize::try_from(self.width / CHARACTER).unwrap_or(1);
        let scale = Scale {
            length: self.length,
            cells,
        };
        let bottom = self.top(self.rows.len());
        out.push_str("<g class=\"axis\">\n");
        for mark in scale.marks() {
            let x = self.x(mark.at);
            let _ = writeln!(
                out,
                "<path d=\"M{x} {AXIS}V{bottom}\"/><text x=\"{x}\" y=\"{}\">{}</text>",
                AXIS - 7,
                escape(&mark.label)
            );
        }
        out.push_str("</g>\n");
    }

    fn draw_band(&self, out: &mut String, place: usize, row: &Row) {
        let name = row.container.as_deref().unwrap_or("pod");
        let short = Style::unicode(0).shorten(&tame(name), LONGEST_NAME);
        let class = if row.container.is_none() { " pod" } else { "" };
        let _ = writeln!(
            out,
            "<g class=\"band{class}\" data-lane=\"{place}\"><rect x=\"0\" y=\"{}\" width=\"{}\" \
             height=\"{}\"/><text x=\"{NAME_X}\" y=\"{}\"><title>{}</title>{}</text></g>",
            self.top(place),
            self.width(),
            self.lane,
            self.middle(place) + 4,
            escape(&format!("{} {}", tame(name), row.about)),
            escape(&short),
        );
    }

    fn draw_row(&self, out: &mut String, place: usize, row: &Row) {
        let name = row.container.as_deref().unwrap_or_default();
        let _ = writeln!(
            out,
            "<g class=\"lane\" data-lane=\"{place}\" data-name=\"{}\">",
            escape(name)
        );
        for bar in &row.bars {
            self.draw_bar(out, place, bar);
        }
        for mark in &row.marks {
            self.draw_mark(out, place, mark);
        }
        out.push_str("</g>\n");
    }

    fn draw_bar(&self, out: &mut String, place: usize, bar: &Bar) {
        let Bar {
            shade,
            from,
            to,
            seq,
            tip,
        } = bar;
        let (x, end) = (self.along(*from), self.along(*to));
        let width = (end - x).max(THINNEST);
        let height = if is_thin(*shade) {
            4
        } else {
            self.bar_height()
        };
        let (top, middle) = (self.top(place), self.middle(place));
        let _ = write!(
            out,
            "<g class=\"bar {}\" data-a=\"{}\" data-b=\"{}\" data-seq=\"{seq}\"><title>{}</title>\
             <rect class=\"hit\" x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{}\"/>\
             <rect class=\"fill\" x=\"{x:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{height}\" \
             rx=\"2\"/>",
            class(*shade),
            from.as_micros(),
            to.as_micros(),
            escape(tip),
            self.lane,
            middle - height / 2,
        );
        if !is_thin(*shade) {
            let hidden = if width < ROOM { " hidden" } else { "" };
            let _ = write!(
                out,
                "<text class=\"length{hidden}\" x=\"{:.1}\" y=\"{}\">{}</text>",
                x + 10.0,
                middle + 4,
                escape(&length(to.saturating_sub(*from)))
            );
        }
        out.push_str("</g>\n");
    }

    fn draw_mark(&self, out: &mut String, place: usize, mark: &Mark) {
        let (class, shape) = if mark.failed {
            ("failed", "M-4 -4L4 4M4 -4L-4 4")
        } else {
            ("done", "M5 0L8 3L14 -4")
        };
        let _ = writeln!(
            out,
            "<g class=\"mark {class}\" data-a=\"{}\" data-seq=\"{}\" \
             transform=\"translate({} {})\"><title>{}</title><path class=\"halo\" d=\"{shape}\"/>\
             <path d=\"{shape}\"/></g>",
            mark.at.as_micros(),
            mark.seq,
            self.x(mark.at),
            self.middle(place),
            escape(&mark.tip)
        );
    }

    fn along(&self, at: Duration) -> f64 {
        let share = at.as_secs_f64() / self.length.as_secs_f64();
        f64::from(self.left) + share.min(1.0) * f64::from(self.width)
    }

    fn x(&self, at: Duration) -> String {
        format!("{:.1}", self.along(at))
    }

    fn top(&self, place: usize) -> u32 {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        AXIS + 4 + self.lane.saturating_mul(place)
    }

    fn middle(&self, place: usize) -> u32 {
        self.top(place) + self.lane / 2
    }

    /// Just below the bar.
    fn low(&self, place: usize) -> u32 {
        self.middle(place) + self.bar_height() / 2 + 3
    }

    const fn bar_height(&self) -> u32 {
        self.lane / 2 + 1
    }
}

/// Whether it is drawn as a line: nothing of the container itself is there.
const fn is_thin(shade: Shade) -> bool {
    matches!(
        shade,
        Shade::Waiting | Shade::Pulling | Shade::BackingOff | Shade::Failed
    )
}

/// The name of a shade in style sheets.
pub(crate) const fn class(shade: Shade) -> &'static str {
    match shade {
        Shade::Waiting => "waiting",
        Shade::Pulling => "pulling",
        Shade::Starting => "starting",
        Shade::Running => "running",
        Shade::Ready => "ready",
        Shade::Unready => "unready",
        Shade::Stopping => "stopping",
        Shade::BackingOff => "backoff",
        Shade::Failed => "failed",
    }
}

/// From the left edge to a name.
const NAME_X: u32 = 12;
/// About as wide as a character of a name or a label.
const CHARACTER: u32 = 7;
/// Longer names are shortened in the middle.
const LONGEST_NAME: usize = 28;
/// After the end of time, for what is marked there.
const RIGHT: u32 = 24;
/// Above the rows, for the labels of the axis.
const AXIS: u32 = 24;
/// Below the rows.
const BOTTOM: u32 = 6;
/// With more rows than this they get closer.
const MANY: usize = 18;
/// What lasted no time at all can still be seen.
const THINNEST: f64 = 2.0;
/// A bar that is narrower has no room for its length.
const ROOM: f64 = 52.0;
