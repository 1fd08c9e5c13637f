//! A life that was played, on one screen or two: its story, its picture, where the time went.

use pillion_simulator::Played;
use pillion_timeline::gantt::gantt;
use pillion_timeline::story::{Detail, Stamps, lines};
use pillion_timeline::trace::{result, summary, title};
use pillion_timeline::{Line, Style};

/// The whole text.
pub(super) fn tell(played: &Played, detail: Detail, style: Style) -> Vec<Line> {
    let timeline = played.timeline();
    let story = lines(&timeline.story(detail), Stamps::Relative);
    let mut parts = vec![
        story,
        vec![title(&timeline, style)],
        gantt(&timeline, style),
    ];
    parts.push(summary(&timeline, style));
    parts.push(result(&timeline).into_iter().collect());
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}
