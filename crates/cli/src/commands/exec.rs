//! `pillion exec`: a command where a container is.
//!
//! The command gets this process's own standard input, output and error; nothing is copied. It is no child of this
//! terminal, though: signals that come from there are passed on to it. Where there is a terminal on all sides, it gets one
//! of its own instead, see [`mod@terminal`].

mod terminal;

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

/// What changes a terminal.
const OF_TERMINALS: [i32; 2] = [libc::SIGTSTP, libc::SIGWINCH];

/// How it ended.
enum Ended {
    Code(i32),
    NotRun { message: String, missing: bool },
}

/// Run a command in a container.
pub(crate) fn exec(args: ExecArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ExecArgs {
        target,
        command,
        stdin: _,
        tty,
    } = args;
    let in_terminal = tty || crate::terminal::is_on_all_sides();
    let more: &[i32] = if in_terminal { &OF_TERMINALS } else { &[] };
    // Before anything runs, so that nothing is left running.
    let signals = Signals::new(&[&PASSED_ON, more].concat()).context("cannot take signals")?;
    let (client, container) = find::one_with_container(target.as_deref())?;
    let program = command.first().cloned().unwrap_or_default();
    let ended = if in_terminal {
        terminal::run(client, container, command, &signals)?
    } else {
        run(client, container, command, &signals)?
    };
    match ended {
        Ended::Code(code) => Ok(code_status(code)),
        Ended::NotRun { message, missing } => {
            let text = format!("cannot run `{program}`: {message}");
            printer.note(&Line::new(Tone::Bad, "error").and(Tone::Plain, format!(": {text}")))?;
            Ok(ExitStatus::Code(if missing { NOT_FOUND } else { NOT_RUN }))
        }
    }
}

/// Runs a command with our own standard input, output and error.
fn run(
    mut client: Client,
    container: Option<String>,
    command: Vec<String>,
    signals: &Signals,
) -> Result<Ended> {
    let (input, output, error) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let stdio = [input.as_fd(), output.as_fd(), error.as_fd()];
    let request = Request::Exec {
        container,
        command,
        terminal: None,
    };
    client.say_with(&request, &stdio)?;
    loop {
        while let Some(answer) = client.try_hear()? {
            if let Some(ended) = ended(answer) {
                return Ok(ended);
            }
        }
        pass_on(&client, signals)?;
    }
}

/// Whether it is over.
fn ended(answer: Answer) -> Option<Ended> {
    match answer {
        Answer::Exited(code) => Some(Ended::Code(code)),
        Answer::NotRun { message, missing } => Some(Ended::NotRun { message, missing }),
        Answer::Done
        | Answer::Refused { .. }
        | Answer::Look(_)
        | Answer::Object(_)
        | Answer::Attached { .. }
        | Answer::Output { .. }
        | Answer::Missed(_)
        | Answer::Status(_)
        | Answer::Plan(_)
        | Answer::NotApplied(_)
        | Answer::Applied(_) => None,
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

/// The status of a program, as a shell passes it on.
pub(super) fn code_status(code: i32) -> ExitStatus {
    match u8::try_from(code & 0xff) {
        Ok(0) => ExitStatus::Success,
        Ok(code) => ExitStatus::Code(code),
        Err(_) => ExitStatus::Code(u8::MAX),
    }
}
