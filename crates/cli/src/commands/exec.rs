//! `pillion exec`: a command where a container is.
//!
//! The command gets this process's own standard input, output and error; nothing is copied. It is no child of this
//! terminal, though: signals that come from there are passed on to it.

use crate::args::ExecArgs;
use crate::control::client::{Client, NotAnswered};
use crate::control::find;
use crate::control::message::{Answer, Request};
use crate::exit::{ExitStatus, NOT_FOUND, NOT_RUN};
use crate::printer::Printer;
use anyhow::{Context as _, Result};
use pillion_runtime::signals::Signals;
use pillion_timeline::{Line, Tone};
use rustix::event::{PollFd, PollFlags, poll};
use std::os::fd::AsFd as _;

/// What a terminal, or whoever ends this, may send.
const PASSED_ON: [i32; 6] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// Run a command in a container.
pub(crate) fn exec(args: ExecArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ExecArgs { target, command } = args;
    // Before anything runs, so that nothing is left running.
    let signals = Signals::new(&PASSED_ON).context("cannot take signals")?;
    let (mut client, container) = find::one_with_container(target.as_deref())?;
    let (input, output, error) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let stdio = [input.as_fd(), output.as_fd(), error.as_fd()];
    let program = command.first().cloned().unwrap_or_default();
    client.say_with(&Request::Exec { container, command }, &stdio)?;
    match wait(&mut client, &signals)? {
        Ended::Code(code) => Ok(code_status(code)),
        Ended::NotRun { message, missing } => {
            let text = format!("cannot run `{program}`: {message}");
            printer.note(&Line::new(Tone::Bad, "error").and(Tone::Plain, format!(": {text}")))?;
            Ok(ExitStatus::Code(if missing { NOT_FOUND } else { NOT_RUN }))
        }
    }
}

/// How it ended.
enum Ended {
    Code(i32),
    NotRun { message: String, missing: bool },
}

fn wait(client: &mut Client, signals: &Signals) -> Result<Ended> {
    loop {
        match client.try_hear()? {
            Some(Answer::Exited(code)) => return Ok(Ended::Code(code)),
            Some(Answer::NotRun { message, missing }) => {
                return Ok(Ended::NotRun { message, missing });
            }
            Some(
                Answer::Done
                | Answer::Refused { .. }
                | Answer::Look(_)
                | Answer::Object(_)
                | Answer::Status(_),
            ) => {}
            None => pass_on(client, signals)?,
        }
    }
}

/// Waits until something comes, and passes signals on.
fn pass_on(client: &Client, signals: &Signals) -> Result<(), NotAnswered> {
    let mut events = [
        PollFd::new(client, PollFlags::IN),
        PollFd::new(signals, PollFlags::IN),
    ];
    // Whatever it says, we look at both.
    let _ = poll(&mut events, None);
    for signal in signals.read() {
        client.say(&Request::Signal(signal))?;
    }
    Ok(())
}

fn code_status(code: i32) -> ExitStatus {
    match u8::try_from(code & 0xff) {
        Ok(0) => ExitStatus::Success,
        Ok(code) => ExitStatus::Code(code),
        Err(_) => ExitStatus::Code(u8::MAX),
    }
}
