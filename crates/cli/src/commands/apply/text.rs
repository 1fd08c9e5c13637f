//! The words for what a file changes, and for what came of it.

use crate::control::apply::{Along, Change, Done, How, Outcome, Plan, Problem, Report};
use pillion_timeline::quantity::length;
use pillion_timeline::text::tame;
use pillion_timeline::{Line, Style, Tone};
use std::fmt::Write as _;
use std::time::Duration;

/// What a file changes, or would.
pub(super) fn plan(pod: &str, plan: &Plan, dry_run: bool, style: Style) -> Vec<Line> {
    let head = format!("  {}", extent(plan, dry_run));
    let head = Line::new(Tone::Strong, pod).and(Tone::Plain, head);
    let mut lines = vec![head];
    lines.extend(changes(plan, style));
    lines
}

/// `1 of 4 containers changes`
pub(crate) fn extent(plan: &Plan, dry_run: bool) -> String {
    let all = plan.changes.len() + plan.unchanged.len();
    match (plan.changes.len(), dry_run) {
        (0, _) => format!("nothing to do: {}", containers_are(all)),
        (1, true) if all == 1 => "its container would change".to_owned(),
        (1, false) if all == 1 => "its container changes".to_owned(),
        (1, true) => format!("1 of {all} containers would change"),
        (1, false) => format!("1 of {all} containers changes"),
        (some, true) => format!("{some} of {all} containers would change"),
        (some, false) => format!("{some} of {all} containers change"),
    }
}

/// A line for each container that changes, and what else is to be known.
pub(crate) fn changes(plan: &Plan, style: Style) -> Vec<Line> {
    let Plan {
        changes,
        unchanged: _,
        notes,
    } = plan;
    let mut lines = Vec::new();
    let names = changes.iter().map(|change| change.container.as_str());
    let width = widest(names);
    lines.extend(
        changes
            .iter()
            .map(|change| change_line(change, width, style)),
    );
    for note in notes {
        lines.push(Line::new(Tone::Waiting, "warning").and(Tone::Plain, format!(": {note}")));
    }
    lines
}

/// What came of it: a line for each container, and one for all.
pub(crate) fn report(pod: &str, report: &Report) -> Vec<Line> {
    let names = report.containers.iter().map(|done| done.container.as_str());
    let width = widest(names);
    let mut lines: Vec<_> = report
        .containers
        .iter()
        .map(|done| done_line(done, width))
        .collect();
    if !report.containers.is_empty() {
        let time = length(Duration::from_millis(report.milliseconds));
        let text = format!("  {} in {time}", counts(report));
        let mut line = Line::new(Tone::Strong, pod).and(Tone::Plain, text);
        if let Some(bad) = (report.containers.iter()).find(|done| has_written(done.outcome)) {
            let name = tame(&bad.container);
            let hint = format!(": `pillion logs {pod} {name}` shows what it wrote");
            line.push(Tone::Dim, hint);
        }
        lines.push(line);
    }
    lines
}

/// The problems below the sentence that there are some.
pub(crate) fn problems(problems: &[Problem]) -> String {
    let names = problems.iter().map(subject);
    let width = widest(names);
    problems.iter().fold(String::new(), |mut text, problem| {
        let fields = problem.fields.join(", ");
        let colon = if fields.is_empty() { "" } else { ": " };
        let name = tame(subject(problem));
        let message = &problem.message;
        // Memory takes every string.
        let _ = write!(text, "\n  {name:<width$}  {fields}{colon}{message}");
        text
    })
}

fn subject(problem: &Problem) -> &str {
    problem.container.as_deref().unwrap_or("the pod")
}

fn containers_are(count: usize) -> String {
    match count {
        1 => "its container is as the file has it".to_owned(),
        more => format!("its {more} containers are as the file has them"),
    }
}

fn change_line(change: &Change, width: usize, style: Style) -> Line {
    let Change {
        container,
        fields,
        how,
        along,
    } = change;
    let name = tame(container);
    let mut parts = vec![fields.join(", ")];
    parts.extend(how_words(*how).map(str::to_owned));
    parts.extend(along.iter().map(along_words));
    let dot = format!(" {} ", style.dot());
    Line::new(
        Tone::Plain,
        format!("  {name:<width$}  {}", parts.join(&dot)),
    )
}

const fn how_words(how: How) -> Option<&'static str> {
    match how {
        How::Replace => None,
        How::Start => Some("starts with it"),
        How::NextStart => Some("has it when it starts again"),
    }
}

fn along_words(along: &Along) -> String {
    let name = tame(&along.container);
    if along.for_good {
        format!("{name} stops for good")
    } else {
        format!("{name} restarts with it")
    }
}

fn done_line(done: &Done, width: usize) -> Line {
    let Done {
        container,
        outcome,
        reason,
        milliseconds,
    } = done;
    let name = tame(container);
    let time = length(Duration::from_millis(*milliseconds));
    let (tone, words) = match outcome {
        Outcome::Replaced => (Tone::Good, format!("replaced in {time}")),
        Outcome::Taken => (Tone::Good, "taken, for its next start".to_owned()),
        Outcome::PutBack => (Tone::Bad, "put back".to_owned()),
        Outcome::GivenUp => (Tone::Bad, "not replaced".to_owned()),
        Outcome::NotBegun => (Tone::Waiting, "not begun".to_owned()),
    };
    let line = Line::new(Tone::Plain, format!("  {name:<width$}  ")).and(tone, words);
    match reason {
        Some(reason) => line.and(Tone::Plain, format!(": {}", tame(reason))),
        None => line,
    }
}

/// `2 replaced, 1 put back`
fn counts(report: &Report) -> String {
    let kinds = [
        (Outcome::Replaced, "replaced"),
        (Outcome::Taken, "taken"),
        (Outcome::PutBack, "put back"),
        (Outcome::GivenUp, "not replaced"),
        (Outcome::NotBegun, "not begun"),
    ];
    let counted = kinds.into_iter().filter_map(|(outcome, words)| {
        let those = report
            .containers
            .iter()
            .filter(|done| done.outcome == outcome);
        let count = those.count();
        (count > 0).then(|| format!("{count} {words}"))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// Whether there is something of the new one to read.
const fn has_written(outcome: Outcome) -> bool {
    match outcome {
        Outcome::PutBack => true,
        Outcome::Replaced | Outcome::Taken | Outcome::GivenUp | Outcome::NotBegun => false,
    }
}

fn widest<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let widths = names.map(|name| tame(name).chars().count());
    widths.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style {
        width: 80,
        ascii: false,
    };

    fn shown(lines: &[Line]) -> String {
        let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    fn change(container: &str, fields: &[&str], how: How, along: &[(&str, bool)]) -> Change {
        let along = along.iter().map(|&(container, for_good)| Along {
            container: container.to_owned(),
            for_good,
        });
        Change {
            container: container.to_owned(),
            fields: fields.iter().map(|&field| field.to_owned()).collect(),
            how,
            along: along.collect(),
        }
    }

    #[test]
    fn a_plan_says_what_is_different_and_who_goes_along() {
        let some = Plan {
            changes: vec![
                change(
                    "proxy",
                    &["command", "env"],
                    How::Replace,
                    &[("app", false)],
                ),
                change("db", &["image"], How::Replace, &[("cache", true)]),
                change("migrate", &["command"], How::NextStart, &[]),
                change("worker", &["volume config"], How::Start, &[]),
            ],
            unchanged: vec!["app".to_owned(), "cache".to_owned()],
            notes: vec!["the limits of `db` and others are not kept".to_owned()],
        };
        insta::assert_snapshot!(shown(&plan("orders", &some, true, STYLE)), @r"
        orders  4 of 6 containers would change
          proxy    command, env · app restarts with it
          db       image · cache stops for good
          migrate  command · has it when it starts again
          worker   volume config · starts with it
        warning: the limits of `db` and others are not kept
        ");
        let none = Plan {
            unchanged: vec!["app".to_owned()],
            ..Plan::default()
        };
        insta::assert_snapshot!(
            shown(&plan("orders", &none, false, STYLE)),
            @"orders  nothing to do: its container is as the file has it"
        );
    }

    #[test]
    fn a_report_says_what_came_of_each() {
        let done = |container: &str, outcome, reason: Option<&str>| Done {
            container: container.to_owned(),
            outcome,
            reason: reason.map(str::to_owned),
            milliseconds: 1200,
        };
        let mixed = Report {
            containers: vec![
                done("proxy", Outcome::Replaced, None),
                done("migrate", Outcome::Taken, None),
                done("db", Outcome::PutBack, Some("the new one exited 3")),
                done("cache", Outcome::GivenUp, Some("the old one stays")),
                done("app", Outcome::NotBegun, Some("`db` was not replaced")),
            ],
            milliseconds: 3400,
        };
        insta::assert_snapshot!(shown(&report("orders", &mixed)), @r"
          proxy    replaced in 1.2 s
          migrate  taken, for its next start
          db       put back: the new one exited 3
          cache    not replaced: the old one stays
          app      not begun: `db` was not replaced
        orders  1 replaced, 1 taken, 1 put back, 1 not replaced, 1 not begun in 3.4 s: `pillion logs orders db` shows what it wrote
        ");
        assert_eq!(report("orders", &Report::default()), []);
    }
}
