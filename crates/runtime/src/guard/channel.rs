//! Messages over a stream socket, with file descriptors beside them.
//!
//! A message is its length as four bytes, the lowest first, and so many bytes of JSON. Whatever
//! descriptors belong to it travel with its first byte.

use crate::socket::{ChannelError, Socket};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::RecvFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// One end of a conversation.
#[derive(Debug)]
pub struct Channel {
    socket: Socket,
    /// Which keeper is at the other end, as its guard numbers them.
    pub(crate) number: u64,
}

/// Longer than any command line and environment that the system would take.
const LONGEST: usize = 16 << 20;

// === impl Channel ===

impl Channel {
    /// Takes over a stream socket.
    pub fn new(socket: OwnedFd) -> Self {
        Self {
            socket: Socket::new(socket),
            number: 0,
        }
    }

    /// The keeper of this number is at the other end.
    pub(super) fn numbered(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    /// Ends the conversation for both sides, as if this one were gone.
    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
    }

    /// Waits no longer than this for the other side to take what is said, if it has not taken what was said before. When
    /// that fails, nothing can be said any more.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.socket.patience = Some(patience);
        self
    }

    /// Says something, and hands over copies of these descriptors.
    pub fn send(
        &self,
        message: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), ChannelError> {
        let body = serde_json::to_vec(message)?;
        let length = u32::try_from(body.len()).map_err(|_| ChannelError::TooLong)?;
        let mut bytes = Vec::with_capacity(body.len() + 4);
        bytes.extend(length.to_le_bytes());
        bytes.extend(body);
        self.socket.send(&bytes, descriptors)
    }

    /// Waits for the next message.
    pub fn receive<M: DeserializeOwned>(&mut self) -> Result<M, ChannelError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(message);
            }
            self.socket.fill(RecvFlags::empty())?;
        }
    }

    /// Waits for the next message, but not for ever.
    pub fn receive_within<M: DeserializeOwned>(
        &mut self,
        time: Duration,
    ) -> Result<M, ChannelError> {
        let limit = Timespec::try_from(time).ok();
        loop {
            if let Some(message) = self.try_receive()? {
                return Ok(message);
            }
            let mut events = [PollFd::new(&self.socket, PollFlags::IN)];
            if poll(&mut events, limit.as_ref()).map_err(io::Error::from)? == 0 {
                return Err(io::Error::from(io::ErrorKind::TimedOut).into());
            }
        }
    }

    /// The next message, if it has come whole. Never waits.
    pub fn try_receive<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(Some(message));
            }
            if !self.socket.try_fill()? {
                return Ok(None);
            }
        }
    }

    /// The oldest descriptor that came with what was received and nobody has taken.
    pub fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.socket.descriptors.pop_front()
    }

    fn next<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        let received = &mut self.socket.received;
        let Some((length, body)) = received.split_first_chunk() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(ChannelError::TooLong);
        }
        let Some(message) = body.get(..length) else {
            return Ok(None);
        };
        let message = serde_json::from_slice(message)?;
        received.drain(..4 + length);
        Ok(Some(message))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
