//! A command in a terminal of its own, shown in that of whoever runs it.
//!
//! ```text
//! keys ─▶ Typing ─▶ outer ══ terminal ══ inner ─▶ the command, which leads a session there
//!          screen ◀─ outer
//! ```
//!
//! The terminal is made here, and its inner end handed over: what is typed and shown does not go through the pod.

use super::{Ended, ended};
use crate::control::client::Client;
use crate::control::message::Request;
use crate::terminal;
use crate::terminal::raw::Raw;
use crate::terminal::typing::{CTRL_D, Typing};
use anyhow::{Context as _, Result};
use pillion_runtime::signals::Signals;
use pillion_runtime::terminal::Terminal;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::env;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

/// A command in its terminal.
struct Shown<'a> {
    client: Client,
    signals: &'a Signals,
    outer: OwnedFd,
    /// Somebody has the inner end open.
    is_open: bool,
    typing: Typing,
    raw: Raw,
}

/// Runs a command in a terminal.
pub(super) fn run(
    client: Client,
    container: Option<String>,
    command: Vec<String>,
    signals: &Signals,
) -> Result<Ended> {
    let Terminal { outer, inner } =
        Terminal::open(terminal::size()).context("cannot make a terminal")?;
    let kind = env::var("TERM").ok().filter(|kind| !kind.is_empty());
    let request = Request::Exec {
        container,
        command,
        terminal: Some(kind.unwrap_or_else(|| "xterm".to_owned())),
    };
    client.say_with(&request, &[inner.as_fd(); 3])?;
    // It hangs up when the command and all that it has started have let go of it.
    drop(inner);
    let typing = Typing::new(Some(outer.try_clone()?), CTRL_D);
    let shown = Shown {
        client,
        signals,
        outer,
        is_open: true,
        typing,
        raw: Raw::enter().context("cannot take the terminal over")?,
    };
    shown.run()
}

// === impl Shown ===

impl Shown<'_> {
    fn run(mut self) -> Result<Ended> {
        loop {
            while let Some(answer) = self.client.try_hear()? {
                if let Some(ended) = ended(answer) {
                    self.show()?;
                    return Ok(ended);
                }
            }
            self.wait()?;
        }
    }

    /// Waits until something comes, and passes it on.
    fn wait(&mut self) -> Result<()> {
        let mut events = vec![
            PollFd::new(&self.client, PollFlags::IN),
            PollFd::new(self.signals, PollFlags::IN),
        ];
        let source = self.typing.source();
        let typed = source.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN));
        let has_source = typed.is_some();
        events.extend(typed);
        if self.is_open {
            events.push(PollFd::new(&self.outer, PollFlags::IN));
        }
        let target = self.typing.target();
        events.extend(target.map(|(to, flags)| PollFd::from_borrowed_fd(to, flags)));
        // Whatever else it says, we look at all of them.
        let _ = poll(&mut events, None);
        let typed = has_source && !events[2].revents().is_empty();
        // Before what was typed: a window that was resized is that large for what comes after.
        self.obey()?;
        if typed {
            // There is nothing to detach from.
            let _ = self.typing.read();
        }
        self.typing.write();
        Ok(self.show()?)
    }

    /// Shows what the command has written.
    fn show(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16 << 10];
        let mut out = io::stdout().lock();
        while self.is_open {
            match rustix::io::read(&self.outer, &mut bytes) {
                Ok(count @ 1..) => out.write_all(&bytes[..count])?,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Ok(0) | Err(_) => self.is_open = false,
            }
        }
        out.flush()
    }

    fn obey(&self) -> Result<()> {
        for signal in self.signals.read() {
            match signal {
                libc::SIGWINCH => terminal::size().apply_to(&self.outer)?,
                libc::SIGTSTP => self.raw.pause()?,
                signal => self.client.say(&Request::Signal(signal))?,
            }
        }
        Ok(())
    }
}
