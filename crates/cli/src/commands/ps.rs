//! `pillion ps`: the pods that run, or the containers of one.

use crate::args::PsArgs;
use crate::control::client::{Client, NotAnswered};
use crate::control::find;
use crate::control::message::{Answer, Look, Request, State};
use crate::exit::ExitStatus;
use crate::hint;
use crate::live::frame;
use crate::live::view::{Head, Row};
use crate::printer::Printer;
use anyhow::Result;
use pillion_runtime::clock;
use pillion_timeline::quantity::length;
use pillion_timeline::{Line, Style, Tone};
use std::io::{self, IsTerminal as _};

/// Show pods that run.
pub(crate) fn ps(args: &PsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let PsArgs { pod, watch, json } = args;
    if *watch {
        let client = find::one(pod.as_deref())?;
        return watch_one(client, *json, printer);
    }
    match pod {
        Some(pod) => {
            let look = look(&mut find::one(Some(pod))?)?;
            show_one(&look, *json, printer)?;
            Ok(ExitStatus::Success)
        }
        None => show_all(*json, printer),
    }
}

fn show_all(json: bool, printer: &mut Printer) -> Result<ExitStatus> {
    let (looks, silent) = find::each(look)?;
    if json {
        for look in &looks {
            printer.json(look)?;
        }
    } else if looks.is_empty() && silent.is_empty() {
        printer.note(&Line::new(Tone::Plain, "no pod is running"))?;
    } else if !looks.is_empty() {
        printer.lines(&table(&looks))?;
    }
    let worst = if silent.is_empty() {
        ExitStatus::Success
    } else {
        ExitStatus::Findings
    };
    for error in silent {
        hint::report(&error.into());
    }
    Ok(worst)
}

/// Shows one pod until it is gone.
fn watch_one(mut client: Client, json: bool, printer: &mut Printer) -> Result<ExitStatus> {
    let terminal = io::stdout().is_terminal() && printer.has_colours() && !json;
    let mut shown = 0;
    client.say(&Request::Watch)?;
    client.be_patient()?;
    while let Some(answer) = unless_gone(client.hear())? {
        let Answer::Look(look) = answer else {
            continue;
        };
        if terminal && shown > 0 {
            printer.bytes(format!("\x1b[{shown}A\x1b[J").as_bytes())?;
        }
        shown = show_one(&look, json, printer)?;
    }
    Ok(ExitStatus::Success)
}

fn look(client: &mut Client) -> Result<Look, NotAnswered> {
    loop {
        if let Answer::Look(look) = client.ask(&Request::Look)? {
            return Ok(*look);
        }
    }
}

fn unless_gone<T>(heard: Result<T, NotAnswered>) -> Result<Option<T>, NotAnswered> {
    match heard {
        Err(NotAnswered::Gone { .. }) => Ok(None),
        heard => heard.map(Some),
    }
}

/// Says how many lines it took.
fn show_one(look: &Look, json: bool, printer: &mut Printer) -> Result<usize> {
    if json {
        printer.json(look)?;
        return Ok(1);
    }
    let lines = containers(look, printer.style());
    printer.lines(&lines)?;
    Ok(lines.len())
}

/// The pod, and below it its containers.
fn containers(look: &Look, style: Style) -> Vec<Line> {
    let tone = tone(look);
    let mut parts: Vec<_> = look.told.iter().map(|part| (tone, part.clone())).collect();
    parts.push((Tone::Dim, format!("pid {}", look.pid)));
    let head = Head {
        name: look.title(),
        parts,
        hint: None,
    };
    let widest = look.containers.iter().map(|one| one.name.chars().count());
    let widest = widest.max().unwrap_or_default();
    let mut lines = vec![frame::head(&head, style)];
    for container in &look.containers {
        let mut detail = container.told.clone();
        detail.extend(container.pid.map(|pid| format!("pid {pid}")));
        let row = Row {
            name: container.name.clone(),
            standing: container.state,
            detail,
            counts: container.counts,
        };
        lines.push(frame::line(&row, widest, style));
    }
    lines
}

/// A line for each pod.
fn table(looks: &[Look]) -> Vec<Line> {
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default();
    let name = width(&mut looks.iter().map(|look| look.title().chars().count()));
    let name = name.max("pod".len());
    let widest = width(&mut looks.iter().map(|look| state(look).len()));
    let width = widest.max("state".len());
    let head = format!(
        "{:<name$}  {:<width$}  up     restarts  age",
        "pod", "state"
    );
    let mut lines = vec![Line::new(Tone::Dim, head)];
    lines.extend(looks.iter().map(|look| {
        let (up, all) = look.up();
        let age = clock::since_1970().saturating_sub(look.began.as_unix());
        let rest = format!(
            "  {:<5}  {:<8}  {}",
            format!("{up}/{all}"),
            look.restarts(),
            length(age)
        );
        Line::new(Tone::Strong, format!("{:<name$}", look.title()))
            .and(tone(look), format!("  {:<width$}", state(look)))
            .and(Tone::Plain, rest)
    }));
    lines
}

/// Where it is going, and whether it is there.
fn state(look: &Look) -> &'static str {
    match look.state {
        State::Running if look.ready => "ready",
        State::Running if look.phase == "Pending" => "starting",
        State::Running | State::Restarting | State::Stopping | State::Ended => look.state.word(),
    }
}

fn tone(look: &Look) -> Tone {
    match look.state {
        State::Running if look.ready => Tone::Good,
        State::Running | State::Restarting | State::Stopping => Tone::Waiting,
        State::Ended => Tone::Dim,
    }
}
