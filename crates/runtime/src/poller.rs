//! Waits for many things at once.
//!
//! Everything that a run waits for is a file descriptor with a token, in one table: the sockets of
//! keepers, the output of containers, signals, the sockets that people ask over. Nothing is polled.

use pillion_engine::Tick;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Whose turn it is when a descriptor has something to read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Token(pub u64);

/// The table.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
}

/// More than this at once come with the next call.
const AT_ONCE: usize = 64;

// === impl Poller ===

impl Poller {
    /// An empty table.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll })
    }

    /// Tells when there is something to read, or will never be again.
    pub fn add(&self, descriptor: impl AsFd, token: Token) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token.0);
        Ok(epoll::add(
            &self.epoll,
            descriptor,
            data,
            epoll::EventFlags::IN,
        )?)
    }

    /// Tells only when something can be written, or will never be read.
    pub fn add_writing(&self, descriptor: impl AsFd, token: Token) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token.0);
        let events = epoll::EventFlags::OUT;
        Ok(epoll::add(&self.epoll, descriptor, data, events)?)
    }

    /// Tells also when something can be written, or not any more.
    pub fn watch_writing(
        &self,
        descriptor: impl AsFd,
        token: Token,
        writing: bool,
    ) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token.0);
        let mut events = epoll::EventFlags::IN;
        events.set(epoll::EventFlags::OUT, writing);
        Ok(epoll::modify(&self.epoll, descriptor, data, events)?)
    }

    /// Forgets a descriptor. One that is closed everywhere is forgotten by itself.
    pub fn remove(&self, descriptor: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, descriptor)?)
    }

    /// Waits until something can be read, or until that time has come.
    pub fn wait(&self, now: Tick, until: Option<Tick>) -> io::Result<Vec<Token>> {
        let timeout = until.map(|until| timespec(until.since(now)));
        let mut ready = Vec::with_capacity(AT_ONCE);
        match epoll::wait(&self.epoll, spare_capacity(&mut ready), timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let tokens = ready.iter().map(|event| Token(event.data.u64()));
        Ok(tokens.collect())
    }
}

fn timespec(time: std::time::Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
