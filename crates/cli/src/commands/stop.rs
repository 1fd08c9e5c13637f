//! `pillion stop`: ends a pod in order, and shows who is awaited.

use crate::args::StopArgs;
use crate::control::client::NotAnswered;
use crate::control::find;
use crate::control::message::{Answer, Look, Request};
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::Result;
use pillion_timeline::{Line, Tone};
use std::io::{self, IsTerminal as _};
use std::time::Duration;

/// What was shown last.
struct Progress<'p> {
    printer: &'p mut Printer,
    /// Somebody looks at it: one line is enough, and its times may run on.
    terminal: bool,
    shown: Option<String>,
}

/// Stop a pod.
pub(crate) fn stop(args: &StopArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let StopArgs { pod, grace, now } = args;
    let mut client = find::one(pod.as_deref())?;
    let grace = if *now { Some(Duration::ZERO) } else { *grace };
    let grace = grace.map(|grace| u64::try_from(grace.as_millis()).unwrap_or(u64::MAX));
    client.say(&Request::Stop { grace })?;
    client.be_patient()?;
    let mut progress = Progress {
        printer,
        terminal: io::stderr().is_terminal(),
        shown: None,
    };
    loop {
        match client.hear() {
            Ok(Answer::Look(look)) => progress.show(&look)?,
            // Nothing else is told to those who wait.
            Ok(_) => {}
            Err(NotAnswered::Gone { .. }) => break,
            Err(error) => return Err(error.into()),
        }
    }
    progress.end(&client.pod())?;
    Ok(ExitStatus::Success)
}

// === impl Progress ===

impl Progress<'_> {
    fn show(&mut self, look: &Look) -> io::Result<()> {
        // Where lines stay, one that differs only in its times is not worth another.
        let told = look.told.iter().map(String::as_str);
        let told = told.filter(|part| self.terminal || !is_time(part));
        let told: Vec<_> = told.collect();
        let dot = format!(" {} ", self.printer.style().dot());
        let text = format!("{}  {}", look.title(), told.join(&dot));
        if self.shown.as_ref() == Some(&text) {
            return Ok(());
        }
        self.back()?;
        self.shown = Some(text.clone());
        self.printer.note(&Line::new(Tone::Waiting, text))
    }

    /// Back to the line that was shown, if it is to be overwritten.
    fn back(&mut self) -> io::Result<()> {
        if self.terminal && self.shown.is_some() {
            self.printer.note_raw("\x1b[A\x1b[2K")?;
        }
        Ok(())
    }

    fn end(&mut self, pod: &str) -> io::Result<()> {
        self.back()?;
        self.printer
            .note(&Line::new(Tone::Plain, format!("{pod} has stopped")))
    }
}

fn is_time(part: &str) -> bool {
    part.ends_with(" left")
}
