//! `pillion ask`, `notify` and `status`: what a container has to say to its pod, and hears of it.

use crate::args::{AskArgs, Notice, NotifyArgs, StatusArgs};
use crate::control::client::Client;
use crate::control::message::{Answer, ContainerRequest};
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::printer::Printer;
use anyhow::{Result, bail};
use pillion_timeline::quantity::length;
use std::env;
use std::path::Path;

/// This is no container of a pod that Pillion runs.
#[derive(Debug, thiserror::Error)]
#[error("this is not inside a container of a pod that Pillion runs: `PILLION_SOCKET` is not set")]
pub(crate) struct NotInside;

/// Ask for something.
pub(crate) fn ask(args: AskArgs) -> Result<ExitStatus> {
    let AskArgs { what, reason } = args;
    connect()?.ask(&ContainerRequest::Ask { what, reason })?;
    Ok(ExitStatus::Success)
}

/// Tell that it is ready, or is not.
pub(crate) fn notify(args: &NotifyArgs) -> Result<ExitStatus> {
    let ready = match args.what {
        Notice::Ready => true,
        Notice::NotReady => false,
    };
    connect()?.ask(&ContainerRequest::Notify { ready })?;
    Ok(ExitStatus::Success)
}

/// Tell how the pod stands.
pub(crate) fn status(args: &StatusArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let mut client = connect()?;
    let Answer::Status(status) = client.ask(&ContainerRequest::Status)? else {
        bail!("{} answered something else", client.pod());
    };
    if args.json {
        printer.json(&status)?;
    } else {
        let word = status.state.word();
        let text = match status.left() {
            Some(left) => format!("{word}, {} left", length(left)),
            None => word.to_owned(),
        };
        printer.text(&text)?;
    }
    Ok(ExitStatus::Success)
}

fn connect() -> Result<Client> {
    let socket = env::var_os("PILLION_SOCKET").ok_or(NotInside)?;
    Ok(Client::connect(Path::new(&socket))?)
}

// === impl NotInside ===

impl Hint for NotInside {
    fn hint(&self) -> Option<String> {
        Some("a container runs it as `\"$PILLION\" ask restart-pod`; from another terminal it is `pillion restart`".to_owned())
    }
}
