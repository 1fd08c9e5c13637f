//! A view as the lines that stand below the logs.
//!
//! ```text
//! ──────────────────────────────────────────────────────────────────────
//! orders  starting 0.6 s · 2 of 4 up · waiting for migrate · Ctrl-C stops in order
//!  ● proxy    ready     0.3 s to ready
//!  ◌ app      waiting   for migrate to succeed (0.6 s)
//! ```
//!
//! They never take more than half of the screen: of many containers the interesting ones are shown,
//! and the others are counted.

use super::clip::{clip, width};
use super::view::{Head, Row, Standing, View};
use pillion_timeline::{Line, Style, Tone};
use std::collections::BTreeMap;

/// The lines, each of which fits.
pub(crate) fn frame(view: &View, style: Style, height: usize) -> Vec<Line> {
    let room = (height / 2).max(1);
    let mut lines = vec![rule(style), head(&view.head, style)];
    if room < lines.len() + 1 {
        lines.remove(0);
        lines.truncate(room);
    } else {
        lines.extend(rows(&view.rows, room - lines.len(), style));
    }
    let last = lines.pop();
    let mut lines: Vec<_> = lines.iter().map(|line| clip(line, style)).collect();
    // The terminal writes `^C` behind it, which must not begin a line of its own.
    let narrower = Style {
        width: style.width.saturating_sub(CARET),
        ..style
    };
    lines.extend(last.map(|line| clip(&line, narrower)));
    lines
}

/// The lines that stay when the pod has ended: the containers, and how it ended below them.
pub(crate) fn last_frame(view: &View, result: &Line, style: Style, height: usize) -> Vec<Line> {
    let mut lines = vec![rule(style)];
    lines.extend(rows(&view.rows, (height / 2).max(3) - 2, style));
    let mut lines: Vec<_> = lines.iter().map(|line| clip(line, style)).collect();
    lines.extend(style.wrap(result, 2));
    lines
}

/// What a terminal shows of Ctrl-C.
const CARET: usize = "^C".len();
/// Wider than this it would be broken by every terminal that is made narrower.
const WIDEST_RULE: usize = 70;
/// The room of the longest word for a standing.
const WORD: usize = 8;
/// Longer names lose their middle.
const WIDEST_NAME: usize = 30;

fn rule(style: Style) -> Line {
    let sign = if style.ascii { "-" } else { "─" };
    let width = style.width.saturating_sub(1).min(WIDEST_RULE);
    Line::new(Tone::Dim, sign.repeat(width))
}

/// `orders  stopping · 27 s left · waiting for app · Ctrl-C kills at once`
pub(crate) fn head(head: &Head, style: Style) -> Line {
    let separator = format!(" {} ", style.dot());
    let mut line = Line::new(Tone::Strong, &*head.name).and(Tone::Plain, "  ");
    for (number, (tone, text)) in head.parts.iter().enumerate() {
        if number > 0 {
            line.push(Tone::Dim, &*separator);
        }
        line.push(*tone, &**text);
    }
    let Some(hint) = head.hint else {
        return line;
    };
    let longer = line.clone().and(Tone::Dim, format!("{separator}{hint}"));
    if width(&longer) < style.width {
        longer
    } else {
        line
    }
}

/// As many as there is room for, in the order of the pod.
fn rows(rows: &[Row], room: usize, style: Style) -> Vec<Line> {
    if rows.len() <= room {
        let shown: Vec<_> = rows.iter().collect();
        return columns(&shown, style);
    }
    let mut chosen: Vec<_> = (0..rows.len()).collect();
    chosen.sort_by_key(|number| (rows[*number].standing, *number));
    let hidden = chosen.split_off(room.saturating_sub(1));
    chosen.sort_unstable();
    let shown: Vec<_> = chosen.into_iter().map(|number| &rows[number]).collect();
    let mut lines = columns(&shown, style);
    lines.push(more(hidden.into_iter().map(|number| &rows[number]), style));
    lines
}

fn columns(rows: &[&Row], style: Style) -> Vec<Line> {
    let widest = rows.iter().map(|row| row.name.chars().count()).max();
    let name = widest.unwrap_or_default().min(WIDEST_NAME);
    rows.iter().map(|row| line(row, name, style)).collect()
}

/// ` ◌ app      waiting   for migrate to succeed (0.4 s)`
pub(crate) fn line(row: &Row, name_width: usize, style: Style) -> Line {
    let standing = row.standing;
    let name = style.shorten(&row.name, name_width);
    let detail = row.detail.join(&format!(" {} ", style.dot()));
    let mut line = Line::new(Tone::Plain, " ")
        .and(standing.tone(), standing.mark().sign(style.ascii))
        .and(Tone::Plain, format!(" {name:<name_width$}  "));
    if detail.is_empty() {
        line.push(standing.tone(), standing.word());
    } else {
        line.push(standing.tone(), format!("{:<WORD$}  ", standing.word()));
        line.push(detail_tone(standing), detail);
    }
    line
}

const fn detail_tone(standing: Standing) -> Tone {
    match standing.tone() {
        Tone::Good | Tone::Dim => Tone::Dim,
        Tone::Plain | Tone::Waiting | Tone::Bad | Tone::Strong => Tone::Plain,
    }
}

/// ` … and 31 more: 29 ready, 2 done`
fn more<'r>(rows: impl Iterator<Item = &'r Row>, style: Style) -> Line {
    let mut standings: BTreeMap<Standing, (&str, usize)> = BTreeMap::new();
    let mut total = 0;
    for row in rows {
        total += 1;
        let standing = if row.standing == Standing::ReadyAgain {
            Standing::Ready
        } else {
            row.standing
        };
        standings.entry(standing).or_insert((standing.word(), 0)).1 += 1;
    }
    let counts: Vec<_> = standings.values().collect();
    let what = match &counts[..] {
        [(word, _)] if total > 1 => format!(", all {word}"),
        [(word, _)] => format!(", {word}"),
        counts => {
            let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
            format!(": {}", counts.collect::<Vec<_>>().join(", "))
        }
    };
    Line::new(
        Tone::Dim,
        format!(" {} and {total} more{what}", style.ellipsis()),
    )
}
