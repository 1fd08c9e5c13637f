//! A life that was played, on one screen or two: its story, its picture, where the time went.

use pillion_simulator::Played;
use pillion_timeline::gantt::gantt;
use pillion_timeline::quantity::length;
use pillion_timeline::story::{Detail, Stamps, lines};
use pillion_timeline::trace::{result, summary, title};
use pillion_timeline::unfinished::unfinished;
use pillion_timeline::{Line, Style, Timeline, Tone};

/// The whole text.
pub(super) fn tell(played: &Played, detail: Detail, style: Style) -> Vec<Line> {
    let timeline = played.timeline();
    let timeline = match &played.record.end {
        Some(_) => timeline,
        None => timeline.watched_until(played.record.until.elapsed()),
    };
    let mut parts = vec![
        lines(&timeline.story(detail), Stamps::Relative, style),
        style.wrap(&title(&timeline, style), 2),
        gantt(&timeline, style),
        summary(&timeline, style),
    ];
    let result = result(&timeline).map(|line| style.wrap(&line, 2));
    parts.push(result.unwrap_or_else(|| still(&timeline, style)));
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}

/// What goes on when watching ends, and how to see more.
fn still(timeline: &Timeline, style: Style) -> Vec<Line> {
    let watched = format!("watched for {}, and not ended:", length(timeline.end()));
    let mut lines = style.wrap(&Line::new(Tone::Plain, watched), 2);
    lines.extend(unfinished(timeline, style));
    let how = "`--delete 10s` would delete the pod then and go on to its end";
    lines.extend(style.wrap(&Line::new(Tone::Dim, how), 2));
    lines
}
