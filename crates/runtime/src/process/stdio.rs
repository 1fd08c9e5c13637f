//! What a container's process reads and writes: pipes, or a terminal.

use super::recipe::Recipe;
use crate::terminal::{Size, Terminal};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

/// Both ends of what a process reads and writes.
pub(super) struct Stdio {
    pub(super) theirs: [OwnedFd; 3],
    pub(super) ours: Ours,
}

/// Our ends.
pub(super) struct Ours {
    /// Where one writes what the process reads, if it reads anything.
    pub(super) input: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    /// In a terminal there is no other stream than the standard output.
    pub(super) stderr: Option<OwnedFd>,
    /// The inner end of a terminal, which would hang up if nobody had it open for a moment.
    pub(super) held: Option<OwnedFd>,
}

// === impl Stdio ===

impl Stdio {
    pub(super) fn open(recipe: &Recipe) -> io::Result<Self> {
        if recipe.tty {
            Self::terminal(recipe)
        } else {
            Self::pipes(recipe)
        }
    }

    fn pipes(recipe: &Recipe) -> io::Result<Self> {
        let (input, stdin) = if recipe.stdin {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
            rustix::io::ioctl_fionbio(&writer, true)?;
            (Some(writer), reader)
        } else {
            (None, OwnedFd::from(File::open("/dev/null")?))
        };
        let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        for ours in [&stdout, &stderr] {
            rustix::io::ioctl_fionbio(ours, true)?;
        }
        Ok(Self {
            theirs: [stdin, their_stdout, their_stderr],
            ours: Ours {
                input,
                stdout,
                stderr: Some(stderr),
                held: None,
            },
        })
    }

    /// One terminal for all three, also where nobody may type: then what is read there never comes.
    fn terminal(recipe: &Recipe) -> io::Result<Self> {
        let terminal = Terminal::open(Size::USUAL)?;
        if let Some(user) = recipe.identity.user {
            // Only root can, and nobody else is somebody else.
            let _ = terminal.give_to(user);
        }
        let Terminal { outer, inner } = terminal;
        let input = recipe.stdin.then(|| outer.try_clone()).transpose()?;
        Ok(Self {
            theirs: [inner.try_clone()?, inner.try_clone()?, inner.try_clone()?],
            ours: Ours {
                input,
                stdout: outer,
                stderr: None,
                held: Some(inner),
            },
        })
    }
}
