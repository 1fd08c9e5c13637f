//! A stream socket over which file descriptors travel beside the bytes.
//!
//! It knows no messages: see [`Channel`](crate::guard::Channel) for those of a guard, [`Lines`](crate::lines::Lines) for
//! those that people's programs and containers send.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// One end of a conversation, and what came over it and nobody has taken.
#[derive(Debug)]
pub(crate) struct Socket {
    descriptor: OwnedFd,
    pub(crate) received: Vec<u8>,
    pub(crate) descriptors: VecDeque<OwnedFd>,
    /// How long the other side may take nothing of what is sent; for ever if left out.
    pub(crate) patience: Option<Duration>,
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
    /// A message is longer than any should be.
    #[error("a message is too long")]
    TooLong,
}

/// More than anybody sends with one message.
const MOST_DESCRIPTORS: usize = 64;

// === impl Socket ===

impl Socket {
    pub(crate) fn new(descriptor: OwnedFd) -> Self {
        Self {
            descriptor,
            received: Vec::new(),
            descriptors: VecDeque::new(),
            patience: None,
        }
    }

    /// Takes in some of what has come.
    pub(crate) fn fill(&mut self, flags: RecvFlags) -> Result<(), ChannelError> {
        let mut buffer = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = flags | RecvFlags::CMSG_CLOEXEC;
        let came = loop {
            let parts = &mut [IoSliceMut::new(&mut buffer)];
            match recvmsg(&self.descriptor, parts, &mut control, flags) {
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

    /// The same without waiting; says whether anything came.
    pub(crate) fn try_fill(&mut self) -> Result<bool, ChannelError> {
        match self.fill(RecvFlags::DONTWAIT) {
            Err(ChannelError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            filled => filled.map(|()| true),
        }
    }

    /// Sends all of these bytes, and these descriptors with the first of them.
    pub(crate) fn send(
        &self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), ChannelError> {
        match send_bytes(self.as_fd(), bytes, descriptors, self.patience) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ChannelError::Closed),
            sent => Ok(sent?),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Sends all of these bytes, and these descriptors with the first of them. If the other side takes nothing for longer than
/// patience lasts, the rest is not sent, so that nothing else can be said either.
pub(crate) fn send_bytes(
    socket: BorrowedFd<'_>,
    mut bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
    patience: Option<Duration>,
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "too many descriptors for one message",
        ));
    }
    let mut flags = SendFlags::NOSIGNAL;
    flags.set(SendFlags::DONTWAIT, patience.is_some());
    while !bytes.is_empty() {
        match sendmsg(socket, &[IoSlice::new(bytes)], &mut control, flags) {
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => wait_for_room(socket, patience)?,
            sent => {
                bytes = &bytes[sent?..];
                control.clear();
            }
        }
    }
    Ok(())
}

/// Waits until something can be sent.
fn wait_for_room(socket: BorrowedFd<'_>, patience: Option<Duration>) -> io::Result<()> {
    let limit = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match poll(&mut [PollFd::new(&socket, PollFlags::OUT)], limit.as_ref()) {
        Ok(0) => Err(io::ErrorKind::TimedOut.into()),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
