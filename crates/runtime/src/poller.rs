//! Waits for many things at once.
//!
//! Everything that a run waits for is a file descriptor with a token, in one table: the sockets of
//! keepers, the output of containers, signals, the sockets that people ask over. Nothing is polled.

mod token;

pub use token::Token;

use pillion_engine::Tick;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
use token::TIMER;

/// The table.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    /// Wakes at the end of a wait. The table's own timeout stands still while the machine sleeps, as ticks do not, and
    /// what became due meanwhile would come that much too late.
    timer: OwnedFd,
    /// What the timer is set to.
    set_to: Cell<Option<Tick>>,
}

/// More than this at once come with the next call.
const AT_ONCE: usize = 64;

// === impl Poller ===

impl Poller {
    /// An empty table.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let poller = Self {
            epoll,
            timer: timerfd_create(TimerfdClockId::Boottime, flags)?,
            set_to: Cell::new(None),
        };
        poller.register(&poller.timer, TIMER, epoll::EventFlags::IN)?;
        Ok(poller)
    }

    /// One that takes nothing, as if the system had no room for more.
    #[cfg(test)]
    pub(crate) fn refusing() -> Self {
        let null = || std::fs::File::open("/dev/null").map(OwnedFd::from);
        Self {
            epoll: null().expect("it is on every machine"),
            timer: null().expect("it is on every machine"),
            set_to: Cell::new(None),
        }
    }

    /// Tells when there is something to read, or will never be again.
    pub fn add(&self, descriptor: impl AsFd, token: Token) -> io::Result<()> {
        self.register(descriptor, token.encode(), epoll::EventFlags::IN)
    }

    /// Tells only when something can be written, or will never be read.
    pub fn add_writing(&self, descriptor: impl AsFd, token: Token) -> io::Result<()> {
        self.register(descriptor, token.encode(), epoll::EventFlags::OUT)
    }

    /// Tells also when something can be written, or not any more.
    pub fn watch_writing(
        &self,
        descriptor: impl AsFd,
        token: Token,
        writing: bool,
    ) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token.encode());
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
        // What is due has no time to wait; else the timer wakes.
        let timeout = until.filter(|until| *until <= now).map(|_| ZERO);
        if timeout.is_none() {
            self.set_timer(now, until)?;
        }
        let mut ready = Vec::with_capacity(AT_ONCE);
        match epoll::wait(&self.epoll, spare_capacity(&mut ready), timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let tokens = ready.iter().map(|event| Token::decode(event.data.u64()));
        Ok(tokens.flatten().collect())
    }

    fn register(
        &self,
        descriptor: impl AsFd,
        number: u64,
        events: epoll::EventFlags,
    ) -> io::Result<()> {
        let data = epoll::EventData::new_u64(number);
        Ok(epoll::add(&self.epoll, descriptor, data, events)?)
    }

    /// Sets the timer, which has rung at most once since, or stops it.
    fn set_timer(&self, now: Tick, until: Option<Tick>) -> io::Result<()> {
        if self.set_to.replace(until) == until {
            return Ok(());
        }
        let time = Itimerspec {
            it_interval: ZERO,
            it_value: until.map_or(ZERO, |until| timespec(until.since(now))),
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &time)?;
        Ok(())
    }
}

const ZERO: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    fn waits(poller: &Poller, time: Duration) -> Duration {
        let began = clock::now();
        assert_eq!(poller.wait(began, Some(began + time)).unwrap(), []);
        clock::now().since(began)
    }

    #[test]
    fn a_wait_is_as_long_as_it_says_whatever_came_before() {
        let poller = Poller::new().unwrap();
        let (short, long) = (Duration::from_millis(5), Duration::from_millis(30));
        assert!(waits(&poller, long) >= long);
        assert!(waits(&poller, short) >= short);
        assert!(waits(&poller, long) >= long);
    }

    #[test]
    fn whoever_waits_for_something_is_told() {
        let poller = Poller::new().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        poller.add(&reader, Token::Signals).unwrap();
        drop(writer);

        let told = poller.wait(clock::now(), None).unwrap();
        assert_eq!(told, [Token::Signals]);
    }

    #[test]
    fn what_is_due_is_not_waited_for() {
        let poller = Poller::new().unwrap();
        let now = clock::now();
        assert_eq!(poller.wait(now, Some(now)).unwrap(), []);
    }

    #[test]
    fn a_timer_that_has_rung_does_not_end_a_wait_without_end() {
        let poller = Poller::new().unwrap();
        waits(&poller, Duration::from_millis(1));
        let (reader, writer) = io::pipe().unwrap();
        poller.add(&reader, Token::Source(7)).unwrap();
        let (told, heard) = channel();
        std::thread::spawn(move || told.send(poller.wait(clock::now(), None).unwrap()));

        let early = heard.recv_timeout(Duration::from_millis(30));
        assert_eq!(early, Err(RecvTimeoutError::Timeout));
        drop(writer);
        assert_eq!(heard.recv().unwrap(), [Token::Source(7)]);
    }
}
