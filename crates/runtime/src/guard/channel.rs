//! Messages over a stream socket, with file descriptors beside them.
//!
//! A message is its length as four bytes, the lowest first, and so many bytes of JSON. Whatever
//! descriptors belong to it travel with its first byte.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One end of a conversation.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
    descriptors: VecDeque<OwnedFd>,
}

/// Why nothing can be said or heard any more.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The other side is gone.
    #[error("the other side has closed the conversation")]
    Closed,
    /// The system refused.
    #[error("the conversation failed")]
    Io(#[from] io::Error),
    /// What came was no message.
    #[error("the other side said something unintelligible")]
    Unintelligible(#[from] serde_json::Error),
    /// A message is too long for its four bytes of length.
    #[error("a message is too long")]
    TooLong,
}

/// More than anybody sends with one message.
const MOST_DESCRIPTORS: usize = 64;

/// Longer than any command line and environment that the system would take.
const LONGEST: usize = 16 << 20;

// === impl Channel ===

impl Channel {
    /// Takes over a stream socket.
    pub fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            received: Vec::new(),
            descriptors: VecDeque::new(),
        }
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
        match send_bytes(self.as_fd(), &bytes, descriptors) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ChannelError::Closed),
            sent => Ok(sent?),
        }
    }

    /// Waits for the next message.
    pub fn receive<M: DeserializeOwned>(&mut self) -> Result<M, ChannelError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(message);
            }
            self.fill(RecvFlags::empty())?;
        }
    }

    /// The next message, if it has come whole. Never waits.
    pub fn try_receive<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(Some(message));
            }
            match self.fill(RecvFlags::DONTWAIT) {
                Err(ChannelError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(None);
                }
                filled => filled?,
            }
        }
    }

    /// The oldest descriptor that came with what was received and nobody has taken.
    pub fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.descriptors.pop_front()
    }

    fn next<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        let Some((length, body)) = self.received.split_first_chunk() else {
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
        self.received.drain(..4 + length);
        Ok(Some(message))
    }

    fn fill(&mut self, flags: RecvFlags) -> Result<(), ChannelError> {
        let mut buffer = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = flags | RecvFlags::CMSG_CLOEXEC;
        let came = loop {
            let parts = &mut [IoSliceMut::new(&mut buffer)];
            match recvmsg(&self.socket, parts, &mut control, flags) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::CONNRESET) => return Err(ChannelError::Closed),
                came => break came.map_err(io::Error::from)?,
            }
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.descriptors.extend(descriptors);
            }
        }
        if came.bytes == 0 {
            return Err(ChannelError::Closed);
        }
        self.received.extend(&buffer[..came.bytes]);
        Ok(())
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Sends all of these bytes, and these descriptors with the first of them.
pub(super) fn send_bytes(
    socket: BorrowedFd<'_>,
    mut bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "too many descriptors for one message",
        ));
    }
    while !bytes.is_empty() {
        match sendmsg(
            socket,
            &[IoSlice::new(bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        ) {
            Err(rustix::io::Errno::INTR) => {}
            sent => {
                bytes = &bytes[sent?..];
                control.clear();
            }
        }
    }
    Ok(())
}
