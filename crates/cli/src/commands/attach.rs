//! `pillion attach`: what a container writes from now on, and the way to what it reads.
//!
//! ```text
//! keys, pipe ─▶ Typing ─▶ the container's standard input, or its terminal
//! the pod ─▶ Client ─▶ standard output and error
//! ```

use crate::args::AttachArgs;
use crate::commands::exec::code_status;
use crate::control::client::Client;
use crate::control::find;
use crate::control::message::{Answer, Request};
use crate::exit::ExitStatus;
use crate::printer::Printer;
use crate::terminal;
use crate::terminal::raw::Raw;
use crate::terminal::typing::Typing;
use anyhow::{Context as _, Result, bail};
use pillion_runtime::signals::Signals;
use pillion_timeline::{Line, Tone};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::stdio::stdin;
use rustix::termios::isatty;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

/// Somebody in front of a container.
struct Attached {
    client: Client,
    typing: Typing,
    /// Where keys are passed on to another terminal; elsewhere signals do what they do anywhere.
    keys: Option<Keys>,
}

/// A terminal whose keys are passed on to that of a container.
struct Keys {
    raw: Raw,
    signals: Signals,
    outer: OwnedFd,
}

/// Why it is over.
enum Over {
    Exited(i32),
    Detached,
    Signal(i32),
}

/// What ends this, or changes the terminal.
const TAKEN: [i32; 6] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTSTP,
    libc::SIGWINCH,
];

/// Join a container.
pub(crate) fn attach(args: &AttachArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let (mut client, container) = find::one_with_container(args.target.as_deref())?;
    let answer = client.ask(&Request::Attach { container })?;
    let Answer::Attached {
        container,
        terminal: has_terminal,
        input: _,
    } = answer
    else {
        bail!("{} answered {answer:?}", client.pod());
    };
    let name = format!("{}/{container}", client.pod());
    let input = client.take_descriptor();
    let passes_keys = has_terminal && input.is_some() && isatty(stdin());
    if isatty(stdin()) {
        greet(&name, input.is_some(), passes_keys, printer)?;
    }
    let over = Attached::new(client, input, passes_keys)?.run(printer)?;
    match over {
        Over::Exited(code) => Ok(code_status(code)),
        Over::Signal(signal) => Ok(code_status(128 + signal)),
        Over::Detached => {
            let text = format!("detached from {name}, which goes on");
            printer.note(&Line::new(Tone::Dim, text))?;
            Ok(ExitStatus::Success)
        }
    }
}

fn greet(name: &str, reads: bool, passes_keys: bool, printer: &mut Printer) -> io::Result<()> {
    let reads = if reads { "" } else { ", which reads nothing" };
    let keys = if passes_keys {
        "Ctrl-P Ctrl-Q detaches"
    } else {
        "Ctrl-C detaches"
    };
    let text = format!("attached to {name}{reads} · {keys}");
    printer.note(&Line::new(Tone::Dim, text))
}

// === impl Attached ===

impl Attached {
    fn new(client: Client, input: Option<OwnedFd>, passes_keys: bool) -> Result<Self> {
        client.be_patient()?;
        let outer = input.as_ref().map(OwnedFd::try_clone).transpose()?;
        let typing = Typing::new(input, &[]);
        let (typing, keys) = match outer.filter(|_| passes_keys) {
            Some(outer) => (typing.with_detach_keys(), Some(Keys::new(outer)?)),
            None => (typing, None),
        };
        Ok(Self {
            client,
            typing,
            keys,
        })
    }

    fn run(mut self, printer: &mut Printer) -> Result<Over> {
        loop {
            while let Some(answer) = self.client.try_hear()? {
                if let Some(over) = self.take(answer, printer)? {
                    return Ok(over);
                }
            }
            if let Some(over) = self.wait()? {
                return Ok(over);
            }
        }
    }

    fn take(&self, answer: Answer, printer: &mut Printer) -> io::Result<Option<Over>> {
        match answer {
            Answer::Output { stderr, bytes } => match show(stderr, &bytes.0) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    return Ok(Some(Over::Detached));
                }
                shown => shown?,
            },
            Answer::Missed(count) => {
                let end = if self.keys.is_some() { "\r" } else { "" };
                let text = format!("{count} bytes were not read in time, and are left out{end}");
                printer.note(&Line::new(Tone::Waiting, text))?;
            }
            Answer::Exited(code) => return Ok(Some(Over::Exited(code))),
            Answer::Done
            | Answer::Refused { .. }
            | Answer::Look(_)
            | Answer::Object(_)
            | Answer::Attached { .. }
            | Answer::NotRun { .. }
            | Answer::Status(_)
            | Answer::Plan(_)
            | Answer::NotApplied(_)
            | Answer::Applied(_) => {}
        }
        Ok(None)
    }

    /// Waits until something comes, and passes on what is typed.
    fn wait(&mut self) -> io::Result<Option<Over>> {
        let mut events = vec![PollFd::new(&self.client, PollFlags::IN)];
        let source = self.typing.source();
        events
            .extend((source.iter()).map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)));
        let target = self.typing.target();
        events.extend(target.map(|(to, flags)| PollFd::from_borrowed_fd(to, flags)));
        let signals = self.keys.as_ref().map(|keys| &keys.signals);
        events.extend(signals.map(|signals| PollFd::new(signals, PollFlags::IN)));
        // Whatever else it says, we look at all of them.
        let _ = poll(&mut events, None);
        let typed = source.is_some() && !events[1].revents().is_empty();
        // Before what was typed: a window that was resized is that large for what comes after.
        let signal = self.keys.as_ref().map(Keys::obey).transpose()?.flatten();
        if signal.is_some() {
            return Ok(signal.map(Over::Signal));
        }
        let detached = typed && self.typing.read();
        self.typing.write();
        Ok(detached.then_some(Over::Detached))
    }
}

fn show(stderr: bool, bytes: &[u8]) -> io::Result<()> {
    if stderr {
        return io::stderr().write_all(bytes);
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

// === impl Keys ===

impl Keys {
    fn new(outer: OwnedFd) -> Result<Self> {
        let signals = Signals::new(&TAKEN).context("cannot take signals")?;
        terminal::size().apply_to(&outer)?;
        let raw = Raw::enter().context("cannot take the terminal over")?;
        Ok(Self {
            raw,
            signals,
            outer,
        })
    }

    /// Obeys the signals that have come; tells the one that ends this.
    fn obey(&self) -> io::Result<Option<i32>> {
        for signal in self.signals.read() {
            match signal {
                libc::SIGWINCH => terminal::size().apply_to(&self.outer)?,
                libc::SIGTSTP => self.raw.pause()?,
                signal => return Ok(Some(signal)),
            }
        }
        Ok(None)
    }
}
