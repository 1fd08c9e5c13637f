//! A pod that has not ended: who waits for whom and since when, and what is running; or who did when its driver was killed.

use crate::lanes::{Doing, Lane};
use crate::quantity::moment;
use crate::text::{Line, Style, Tone, tame};
use crate::timeline::Timeline;
use crate::waits::{Outcome, Wait};
use crate::words::awaited;
use std::collections::BTreeMap;

/// What there is to say; nothing of a pod that has ended.
pub fn unfinished(timeline: &Timeline, style: Style) -> Vec<Line> {
    if timeline.ending().is_some() {
        return Vec::new();
    }
    let mut lines = waiting(timeline, style);
    let all = timeline.lanes();
    let cut_off = timeline.header().cut_off;
    let head = |living, cut| if cut_off { cut } else { living };
    let kinds: [(&str, &[Doing]); 3] = [
        (
            head(" still running  ", " was running    "),
            &[
                Doing::Starting,
                Doing::Running,
                Doing::Ready,
                Doing::Unready,
            ],
        ),
        (
            head(" still stopping ", " was stopping   "),
            &[Doing::Stopping],
        ),
        (" backing off    ", &[Doing::Pulling, Doing::BackingOff]),
    ];
    for (head, doings) in kinds {
        lines.extend(doing(head, doings, &all, style));
    }
    lines
}

/// ` still waiting  app for db to be ready since 0.310s`
fn waiting(timeline: &Timeline, style: Style) -> Vec<Line> {
    let mut waits: BTreeMap<_, Vec<Wait>> = BTreeMap::new();
    for wait in timeline.waits() {
        if wait.outcome == Outcome::Pending {
            waits.entry(wait.container.clone()).or_default().push(wait);
        }
    }
    let names = timeline.containers();
    let waits = names.iter().filter_map(|name| waits.get(*name));
    let parts: Vec<_> = waits
        .map(|waits| Line::new(Tone::Waiting, wait_text(waits)))
        .collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let shown = &parts[..parts.len().min(SHOWN)];
    let head = if timeline.header().cut_off {
        " was waiting    "
    } else {
        " still waiting  "
    };
    let mut lines = style.flow(Line::new(Tone::Dim, head), ", ", shown);
    if parts.len() > SHOWN {
        let rest = format!("                and {} more", parts.len() - SHOWN);
        lines.push(Line::new(Tone::Dim, rest));
    }
    lines
}

fn wait_text(waits: &[Wait]) -> String {
    let targets: Vec<_> = waits
        .iter()
        .map(|wait| awaited(&wait.target, wait.until))
        .collect();
    let since = waits
        .iter()
        .map(|wait| wait.since)
        .min()
        .unwrap_or_default();
    let name = waits
        .first()
        .map(|wait| tame(&wait.container))
        .unwrap_or_default();
    format!("{name} {} since {}", targets.join(" and "), moment(since))
}

/// ` still running  db, cache`
fn doing(head: &str, doings: &[Doing], lanes: &[Lane], style: Style) -> Vec<Line> {
    let last = |lane: &&Lane| {
        lane.spans
            .last()
            .is_some_and(|span| doings.contains(&span.doing))
    };
    let names: Vec<_> = lanes
        .iter()
        .filter(last)
        .map(|lane| tame(&lane.container))
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let names = style.names(&names);
    let parts: Vec<_> = names
        .split(' ')
        .map(|word| Line::new(Tone::Plain, word))
        .collect();
    style.flow(Line::new(Tone::Dim, head), " ", &parts)
}

/// More than this says no more.
const SHOWN: usize = 8;
