//! Attempts beside the driver: each on a thread that lives no longer than it has work.
//!
//! ```text
//! driver ── start ─▶ thread ── answer ─▶ channel ── bell ─▶ driver's poller
//! ```
//!
//! The driver watches [`Probers`] in its poller, and takes the answers when there is something to read. Answers to what
//! was called off never come. A pod whose probes rest has no threads.
//!
//! There is a limit to the threads of each purpose. It is beyond what pods have, so that nobody who is asked waits for
//! others who do not answer; and a hook, which may take an hour, never takes the turn of a probe.

use super::line::Line;
use super::{Answer, Purpose, Target, ask_over};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// All attempts of a driver.
#[derive(Debug)]
pub struct Probers {
    shared: Arc<Shared>,
    answers: Receiver<(Ticket, Answer)>,
    /// What is still to be answered, and over which line.
    wanted: BTreeMap<Ticket, Arc<Line>>,
    last: Ticket,
}

/// Which attempt an answer belongs to. No two are the same.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Ticket(pub u64);

/// What the threads and the driver have in common.
#[derive(Debug)]
struct Shared {
    queues: Mutex<Queues>,
    answers: Sender<(Ticket, Answer)>,
    bell: OwnedFd,
}

/// Each purpose has its own.
#[derive(Debug, Default)]
struct Queues {
    probes: Queue,
    hooks: Queue,
}

#[derive(Debug, Default)]
struct Queue {
    threads: usize,
    waiting: VecDeque<Arc<Job>>,
}

#[derive(Debug)]
struct Job {
    ticket: Ticket,
    target: Target,
    purpose: Purpose,
    timeout: Duration,
    line: Arc<Line>,
}

/// How many attempts of this purpose are made at once. The others wait for a turn, and their time begins with it.
pub const fn at_once(purpose: Purpose) -> usize {
    match purpose {
        Purpose::Probe => 512,
        // A container has several probes, and one hook at a time.
        Purpose::Hook => 256,
    }
}

/// A TLS handshake gets by with a quarter of it, also in a build without optimisation. What is not used costs nothing,
/// and what would not fit would take the driver down.
const STACK: usize = 256 << 10;

// === impl Probers ===

impl Probers {
    /// None so far.
    pub fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (sender, answers) = mpsc::channel();
        let shared = Shared {
            queues: Mutex::default(),
            answers: sender,
            bell,
        };
        Ok(Self {
            shared: Arc::new(shared),
            answers,
            wanted: BTreeMap::new(),
            last: Ticket(0),
        })
    }

    /// Begins an attempt. Its answer comes in any case, unless it is called off.
    pub fn start(&mut self, target: Target, purpose: Purpose, timeout: Duration) -> Ticket {
        self.last = Ticket(self.last.0 + 1);
        let line = Arc::<Line>::default();
        self.wanted.insert(self.last, Arc::clone(&line));
        self.shared.take_on(Job {
            ticket: self.last,
            target,
            purpose,
            timeout,
            line,
        });
        self.last
    }

    /// Calls an attempt off: its answer, if there is one, is not told any more, and its thread does not wait for one.
    pub fn cancel(&mut self, ticket: Ticket) {
        if let Some(line) = self.wanted.remove(&ticket) {
            line.hang_up();
        }
        let mut queues = self.shared.queues();
        for purpose in [Purpose::Probe, Purpose::Hook] {
            let waiting = &mut queues.of(purpose).waiting;
            waiting.retain(|job| job.ticket != ticket);
        }
    }

    /// The answers that have come.
    #[must_use]
    pub fn answers(&mut self) -> Vec<(Ticket, Answer)> {
        self.shared.silence();
        let wanted = &mut self.wanted;
        let answers = self.answers.try_iter();
        answers
            .filter(|(ticket, _)| wanted.remove(ticket).is_some())
            .collect()
    }

    /// How many threads there are at the moment.
    pub fn threads(&self) -> usize {
        let Queues { probes, hooks } = &*self.shared.queues();
        probes.threads + hooks.threads
    }
}

/// Can be read when an answer has come.
impl AsFd for Probers {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.bell.as_fd()
    }
}

// === impl Shared ===

impl Shared {
    /// Makes an attempt on a new thread, or later on one of those there are.
    fn take_on(self: &Arc<Self>, job: Job) {
        let job = Arc::new(job);
        let mut queues = self.queues();
        let queue = queues.of(job.purpose);
        if queue.threads >= at_once(job.purpose) {
            queue.waiting.push_back(job);
            return;
        }
        queue.threads += 1;
        drop(queues);
        let thread = thread::Builder::new()
            .name("probe".into())
            .stack_size(STACK);
        let (shared, theirs) = (Arc::clone(self), Arc::clone(&job));
        if let Err(error) = thread.spawn(move || shared.work(theirs)) {
            self.refuse(job, &error);
        }
    }

    /// The system has no thread for it. It waits for one of those there are, if there are any.
    fn refuse(&self, job: Arc<Job>, error: &io::Error) {
        let mut queues = self.queues();
        let queue = queues.of(job.purpose);
        queue.threads -= 1;
        if queue.threads > 0 {
            queue.waiting.push_back(job);
            return;
        }
        drop(queues);
        let why = format!("no thread for it: {error}");
        self.tell(job.ticket, Answer::failure(why));
    }

    /// What a thread does.
    fn work(&self, job: Arc<Job>) {
        let purpose = job.purpose;
        let mut next = Some(job);
        while let Some(job) = next {
            let answer = ask_over(&job.line, &job.target, purpose, job.timeout);
            // The thread is off the books before anybody hears of its last answer.
            next = self.next(purpose);
            self.tell(job.ticket, answer);
        }
    }

    /// What to do next; a thread without work is not counted any more.
    fn next(&self, purpose: Purpose) -> Option<Arc<Job>> {
        let mut queues = self.queues();
        let queue = queues.of(purpose);
        let next = queue.waiting.pop_front();
        if next.is_none() {
            queue.threads -= 1;
        }
        next
    }

    fn tell(&self, ticket: Ticket, answer: Answer) {
        // It fails when the driver is gone, and then nobody wants to know.
        let _ = self.answers.send((ticket, answer));
        // It fails when the bell has been rung four thousand million times, and then it still rings.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn silence(&self) {
        // It fails when nobody has rung.
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
    }

    /// Nothing is done under the lock that could leave it half done.
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Queues ===

impl Queues {
    const fn of(&mut self, purpose: Purpose) -> &mut Queue {
        match purpose {
            Purpose::Probe => &mut self.probes,
            Purpose::Hook => &mut self.hooks,
        }
    }
}
