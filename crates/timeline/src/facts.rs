//! What to know of a run first: a word or two, and a few values.

use crate::quantity::length;
use crate::text::{Line, Style, Tone, tame};
use crate::timeline::Timeline;
use crate::trace::{path_parts, phase_tone, restart_parts, result, wait_text};
use pillion_engine::status::Phase;

/// One thing to know.
pub(crate) struct Fact {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// How it stands, in one word, and whether that is good.
pub(crate) fn verdict(timeline: &Timeline) -> (&'static str, Tone) {
    match timeline.ending() {
        Some(ending) => {
            let word = match ending.phase {
                Phase::Succeeded => "succeeded",
                Phase::Failed => "failed",
                Phase::Pending | Phase::Running => "ended",
            };
            (word, phase_tone(ending.phase))
        }
        None if timeline.header().cut_off => ("killed", Tone::Bad),
        None => ("not ended", Tone::Waiting),
    }
}

/// How it came to that, in one sentence.
pub(crate) fn sentence(timeline: &Timeline) -> String {
    let pod = tame(&timeline.header().pod);
    let time = length(timeline.end());
    match result(timeline) {
        Some(line) => line.to_string(),
        None if timeline.header().cut_off => {
            format!("{pod} had not ended after {time}: then pillion was killed")
        }
        None => format!("{pod} had not ended after {time}"),
    }
}

/// Where the time went.
pub(crate) fn facts(timeline: &Timeline) -> Vec<Fact> {
    let ready = timeline.time_to_ready().map(length);
    let ready = ready.unwrap_or_else(|| "never".to_owned());
    let path = timeline.path_to_ready().unwrap_or_default();
    let path = joined(&path_parts(&path, Style::unicode(usize::MAX)), " ");
    let wait = timeline.longest_wait().map(|wait| wait_text(&wait));
    let restarts = joined(&restart_parts(timeline), ", ");
    let ending = timeline.ending();
    let status = ending.map(|ending| ending.status.to_string());
    let facts = [
        ("exit status", status),
        ("ready after", Some(ready)),
        ("longest wait", wait),
        ("restarts", restarts),
        ("critical path", path),
    ];
    let known = facts.into_iter();
    known
        .filter_map(|(label, value)| value.map(|value| Fact { label, value }))
        .collect()
}

fn joined(parts: &[Line], separator: &str) -> Option<String> {
    let parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}
