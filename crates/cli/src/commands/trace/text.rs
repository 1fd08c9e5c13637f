//! A run on one screen, and its story below if somebody wants to hear it.

use pillion_timeline::quantity::length;
use pillion_timeline::story::{Detail, Stamps, lines};
use pillion_timeline::trace::{result, trace};
use pillion_timeline::unfinished::unfinished;
use pillion_timeline::{Line, Style, Timeline, Tone};

/// What of the story to tell.
#[derive(Clone, Copy)]
pub(super) struct Telling {
    story: Option<Detail>,
    stamps: Stamps,
}

/// The whole text.
pub(super) fn screen(timeline: &Timeline, telling: Telling, style: Style) -> Vec<Line> {
    let Telling { story, stamps } = telling;
    let result = result(timeline).map(|line| style.wrap(&line, 2));
    let mut parts = vec![
        trace(timeline, style),
        result.unwrap_or_else(|| still(timeline, style)),
    ];
    parts.extend(story.map(|detail| lines(&timeline.story(detail), stamps, style)));
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}

/// What went on when the last record was written.
fn still(timeline: &Timeline, style: Style) -> Vec<Line> {
    let unfinished = unfinished(timeline, style);
    let end = match (timeline.header().cut_off, unfinished.is_empty()) {
        (true, false) => "then pillion was killed; at that time:",
        (true, true) => "then pillion was killed while nothing was running",
        (false, false) => "and not ended:",
        (false, true) => "and not ended",
    };
    let told = format!("told for {}, {end}", length(timeline.end()));
    let mut lines = style.wrap(&Line::new(Tone::Plain, told), 2);
    lines.extend(unfinished);
    lines
}

// === impl Telling ===

impl Telling {
    pub(super) fn new(story: bool, all: bool, timestamps: bool) -> Self {
        let story = match (story, all, timestamps) {
            (_, true, _) => Some(Detail::Full),
            // Times are asked for where there is something to put them before.
            (true, false, _) | (false, false, true) => Some(Detail::Brief),
            (false, false, false) => None,
        };
        Self {
            story,
            stamps: if timestamps {
                Stamps::Absolute
            } else {
                Stamps::Relative
            },
        }
    }
}
