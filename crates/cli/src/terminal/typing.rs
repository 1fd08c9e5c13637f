//! What somebody types, or sends through a pipe, on its way to a program.

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::stdio::stdin;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// From standard input to where a program reads.
#[derive(Debug)]
pub(crate) struct Typing {
    /// Where it goes; nothing any more when the program reads no more, or all was said.
    to: Option<OwnedFd>,
    /// What is still to be written there. No more is read before that.
    pending: Vec<u8>,
    /// What to say when there will be no more.
    farewell: &'static [u8],
    has_ended: bool,
    keys: Option<DetachKeys>,
}

/// Looks for the keys that end a conversation and not the program: Ctrl-P, then Ctrl-Q.
#[derive(Debug, Default)]
struct DetachKeys {
    /// The first of them was pressed, and is held back.
    held: bool,
}

/// The most that is read at once.
const AT_ONCE: usize = 4096;

const CTRL_P: u8 = 0x10;
const CTRL_Q: u8 = 0x11;

/// What a terminal takes for the end of what is typed.
pub(crate) const CTRL_D: &[u8] = &[0x04];

// === impl Typing ===

impl Typing {
    /// To there, where nothing must wait; and this when there will be no more.
    pub(crate) fn new(to: Option<OwnedFd>, farewell: &'static [u8]) -> Self {
        Self {
            to,
            pending: Vec::new(),
            farewell,
            has_ended: false,
            keys: None,
        }
    }

    /// The same, and Ctrl-P Ctrl-Q ends it.
    pub(crate) fn with_detach_keys(mut self) -> Self {
        self.keys = Some(DetachKeys::default());
        self
    }

    /// What to wait for before [`read`](Self::read).
    pub(crate) fn source(&self) -> Option<BorrowedFd<'static>> {
        let reads = self.to.is_some() && self.pending.is_empty() && !self.has_ended;
        reads.then(stdin)
    }

    /// What to wait for before [`write`](Self::write), and how.
    pub(crate) fn target(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        let to = self.to.as_ref().filter(|_| !self.pending.is_empty())?;
        Some((to.as_fd(), PollFlags::OUT))
    }

    /// Takes in what was typed. Says whether the detach keys were among it.
    #[must_use]
    pub(crate) fn read(&mut self) -> bool {
        let mut bytes = [0; AT_ONCE];
        match rustix::io::read(stdin(), &mut bytes) {
            Ok(count @ 1..) => match &mut self.keys {
                Some(keys) => return keys.pass(&bytes[..count], &mut self.pending),
                None => self.pending.extend_from_slice(&bytes[..count]),
            },
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => {
                self.has_ended = true;
                self.pending.extend_from_slice(self.farewell);
                self.write();
            }
        }
        false
    }

    /// Passes on what can be passed on without waiting.
    pub(crate) fn write(&mut self) {
        while let Some(to) = self.to.as_ref().filter(|_| !self.pending.is_empty()) {
            match rustix::io::write(to, &self.pending) {
                Ok(count) => drop(self.pending.drain(..count)),
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                // The program reads no more.
                Err(_) => self.to = None,
            }
        }
        if self.has_ended {
            self.to = None;
        }
    }
}

// === impl DetachKeys ===

impl DetachKeys {
    /// Passes on what is not for us. Says whether that is the end.
    fn pass(&mut self, bytes: &[u8], on: &mut Vec<u8>) -> bool {
        for &byte in bytes {
            if self.held && byte == CTRL_Q {
                return true;
            }
            if self.held {
                on.push(CTRL_P);
            }
            self.held = byte == CTRL_P;
            if !self.held {
                on.push(byte);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on of these pieces, and whether that was the end.
    fn passed(pieces: &[&[u8]]) -> (Vec<u8>, bool) {
        let (mut keys, mut on) = (DetachKeys::default(), Vec::new());
        let ended = pieces.iter().any(|piece| keys.pass(piece, &mut on));
        (on, ended)
    }

    #[test]
    fn two_keys_in_a_row_end_it() {
        assert_eq!(passed(&[b"ls\x10\x11more"]), (b"ls".to_vec(), true));
        assert_eq!(passed(&[b"\x10", b"\x11"]), (Vec::new(), true));
        assert_eq!(passed(&[b"\x10\x10\x11"]), (vec![CTRL_P], true));
    }

    #[test]
    fn one_of_them_alone_is_for_the_program() {
        assert_eq!(passed(&[b"\x10a\x11"]), (b"\x10a\x11".to_vec(), false));
        assert_eq!(passed(&[b"\x10", b"x"]), (b"\x10x".to_vec(), false));
    }
}
