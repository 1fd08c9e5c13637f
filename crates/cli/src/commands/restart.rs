//! `pillion restart`: a pod in order, or one container of it.

use crate::args::RestartArgs;
use crate::control::find;
use crate::control::message::Request;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::Result;
use pillion_timeline::{Line, Tone};

/// Ask for a restart.
pub(crate) fn restart(args: &RestartArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let (mut client, container) = find::one_with_container(args.target.as_deref())?;
    let pod = client.pod();
    let text = match &container {
        Some(container) => format!("{container} of {pod} is being restarted"),
        None => format!("{pod} is being restarted"),
    };
    client.ask(&Request::Restart { container })?;
    let hint = format!(": `pillion ps {pod} -w` shows how it goes");
    printer.note(&Line::new(Tone::Plain, text).and(Tone::Dim, hint))?;
    Ok(ExitStatus::Success)
}
