//! `pillion init`: a pod file to begin with.

mod example;

use crate::args::InitArgs;
use crate::exit::ExitStatus;
use crate::new_file;
use crate::printer::Printer;
use anyhow::Result;
use example::Example;
pub(crate) use example::UnknownExample;
use pillion_timeline::{Line, Tone};
use std::path::Path;

/// What the starter file calls itself in its comments.
const STARTER_NAME: &str = "pod.yaml";
const STARTER: &str = include_str!("init/starter.yaml");

/// Write a file, or list what could be written.
pub(crate) fn init(args: &InitArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let InitArgs {
        file,
        example,
        list,
        force,
    } = args;
    if *list {
        printer.text(&example::listed())?;
        return Ok(ExitStatus::Success);
    }
    let example = example.as_deref().map(Example::named).transpose()?;
    if file == Path::new("-") {
        printer.bytes(text(example, STARTER_NAME).as_bytes())?;
        return Ok(ExitStatus::Success);
    }
    let name = file.display().to_string();
    new_file::write(file, &text(example, &name), *force)?;
    tell(&name, printer)?;
    Ok(ExitStatus::Success)
}

/// The file, which speaks of itself by its own name.
fn text(example: Option<&Example>, name: &str) -> String {
    match example {
        Some(example) => example.text_as(name),
        None => STARTER.replace(STARTER_NAME, name),
    }
}

fn tell(name: &str, printer: &mut Printer) -> Result<()> {
    printer.note(&Line::new(Tone::Good, format!("wrote {name}")))?;
    let next = [
        ("plan", "who starts and stops when"),
        ("run", "run it here"),
    ];
    for (verb, what) in next {
        printer.note(
            &Line::new(Tone::Plain, format!("  pillion {verb:<4} {name}   ")).and(Tone::Dim, what),
        )?;
    }
    Ok(())
}
