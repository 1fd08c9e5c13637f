//! Lines of JSON over a stream socket: how other programs talk to a pod that runs.
//!
//! Nobody is trusted to end a line, to read what is answered, or to keep silent about descriptors: a line has a longest
//! length, descriptors are counted, and what cannot be written at once waits here instead of holding anybody up.

use crate::socket::{ChannelError, Socket};
use rustix::net::{RecvFlags, SendFlags, send};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One end of a conversation.
#[derive(Debug)]
pub struct Lines {
    socket: Socket,
    longest: usize,
    /// So much of what has come holds no end of a line.
    searched: usize,
    /// What is still to be written.
    pending: Vec<u8>,
}

/// Standard input, output and error.
const MOST_DESCRIPTORS: usize = 3;

// === impl Lines ===

impl Lines {
    /// Takes over a stream socket. No line that comes may be longer than this.
    pub fn new(socket: OwnedFd, longest: usize) -> Self {
        Self {
            socket: Socket::new(socket),
            longest,
            searched: 0,
            pending: Vec::new(),
        }
    }

    /// Says something, and hands over copies of these descriptors. Waits until it is said.
    pub fn send(
        &self,
        message: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), ChannelError> {
        self.socket.send(&line(message)?, descriptors)
    }

    /// Says something as soon as the other side listens. See [`flush`](Self::flush).
    pub fn queue(&mut self, message: &impl Serialize) -> Result<(), ChannelError> {
        self.pending.extend(line(message)?);
        Ok(())
    }

    /// Writes what can be written without waiting.
    pub fn flush(&mut self) -> Result<(), ChannelError> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        while self.has_pending() {
            match send(&self.socket, &self.pending, flags) {
                Ok(sent) => drop(self.pending.drain(..sent)),
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET) => {
                    return Err(ChannelError::Closed);
                }
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
        self.pending.shrink_to_fit();
        Ok(())
    }

    /// Whether something is still to be written.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How many bytes are still to be written.
    pub fn pending(&self) -> usize {
        self.pending.len()
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

    /// The next message, if it has come whole. Never waits, and takes in no more than one line's worth.
    pub fn try_receive<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(Some(message));
            }
            if !self.socket.try_fill()? {
                return Ok(None);
            }
            if self.socket.descriptors.len() > MOST_DESCRIPTORS {
                return Err(ChannelError::TooLong);
            }
        }
    }

    /// Standard input, output and error of the other side, if it handed them over.
    pub fn take_stdio(&mut self) -> Option<[OwnedFd; 3]> {
        let descriptors: Vec<_> = self.socket.descriptors.drain(..).collect();
        descriptors.try_into().ok()
    }

    /// The oldest descriptor that the other side handed over and nobody has taken.
    pub fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.socket.descriptors.pop_front()
    }

    fn next<M: DeserializeOwned>(&mut self) -> Result<Option<M>, ChannelError> {
        let received = &mut self.socket.received;
        let new = received.iter().skip(self.searched);
        let Some(end) = new.copied().position(|byte| byte == b'\n') else {
            self.searched = received.len();
            if received.len() > self.longest {
                return Err(ChannelError::TooLong);
            }
            return Ok(None);
        };
        let end = end + std::mem::take(&mut self.searched);
        let message = serde_json::from_slice(&received[..end])?;
        received.drain(..=end);
        Ok(Some(message))
    }
}

impl AsFd for Lines {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn line(message: &impl Serialize) -> Result<Vec<u8>, ChannelError> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    fn pair() -> (UnixStream, Lines) {
        let (theirs, ours) = UnixStream::pair().unwrap();
        (theirs, Lines::new(ours.into(), 64))
    }

    #[test]
    fn a_line_is_taken_when_it_is_whole() {
        let (mut other, mut lines) = pair();
        other.write_all(b"{\"a\":").unwrap();
        assert!(lines.try_receive::<serde_json::Value>().unwrap().is_none());
        other.write_all(b"1}\n2\n").unwrap();
        let first: serde_json::Value = lines.try_receive().unwrap().unwrap();
        assert_eq!(first["a"], 1);
        assert_eq!(lines.try_receive::<u8>().unwrap(), Some(2));
        drop(other);
        assert!(matches!(
            lines.try_receive::<u8>(),
            Err(ChannelError::Closed)
        ));
    }

    #[test]
    fn a_line_without_an_end_is_not_kept() {
        let (mut other, mut lines) = pair();
        other.write_all(&[b' '; 100]).unwrap();
        let heard = lines.try_receive::<u8>();
        assert!(matches!(heard, Err(ChannelError::TooLong)), "{heard:?}");
    }

    #[test]
    fn whoever_hands_over_descriptors_without_end_is_not_heard() {
        let (other, mut lines) = pair();
        let other = Socket::new(other.into());
        for _ in 0..2 {
            let both = [other.as_fd(), other.as_fd()];
            other.send(b" ", &both).unwrap();
        }
        let heard = lines.try_receive::<u8>();
        assert!(matches!(heard, Err(ChannelError::TooLong)), "{heard:?}");
    }

    #[test]
    fn an_answer_waits_until_somebody_reads_it() {
        let (other, mut lines) = pair();
        let long = "x".repeat(4 << 20);
        lines.queue(&long).unwrap();
        lines.flush().unwrap();
        assert!(lines.has_pending());
        let reader = std::thread::spawn(move || {
            Lines::new(other.into(), 8 << 20)
                .receive::<String>()
                .unwrap()
        });
        while lines.has_pending() {
            lines.flush().unwrap();
            std::thread::yield_now();
        }
        assert_eq!(reader.join().unwrap(), long);
    }
}
