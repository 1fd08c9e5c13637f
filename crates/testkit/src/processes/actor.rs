//! The actor: a real process that does what the script of a container says, and writes lines about it.
//!
//! ```text
//! actor guard                    starts the others, as `pillion guard` does
//! actor pause                    does nothing until it is told to stop: the sandbox of a pod
//! actor run FOLDER NAME          a container, and what it serves
//! actor undo FOLDER NAME         its undo
//! actor hook FOLDER NAME PART    one of its hooks
//! actor probe FOLDER NAME PART   one attempt of one of its probes
//! ```
//!
//! Hooks and probes that go over the network are requests to a container, which does what the last two do.
//!
//! All of a pod append to one file, a line at a time: the time in nanoseconds since the machine was started, who, what.
//! That file is all that is judged.

#![expect(
    clippy::disallowed_methods,
    reason = "hooks and probes let time pass: that is their part"
)]

mod attempt;
mod server;

use super::plan::Plan;
use super::stage::Stage;
use super::witness::Said;
use attempt::Caller;
use pillion_engine::Tick;
use pillion_runtime::clock;
use pillion_runtime::signals::Signals;
use pillion_simulator::actor::{Delay, End, HookRuns, HookScript};
use pillion_simulator::line::{Part, Who, Word};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// One who acts.
struct Actor {
    stage: Stage,
    name: String,
    part: Part,
    plan: Plan,
    run: u32,
    /// Closed by the kernel when this process is gone.
    alive: Option<UnixStream>,
}

/// What an actor has in mind, and when.
struct Agenda {
    up_at: Option<Tick>,
    end: Option<(Tick, End)>,
    ready_at: Option<Tick>,
    asks: Vec<(Tick, usize)>,
    told_to_stop: bool,
}

/// What goes wrong here is a mistake of the stage.
const LOST: u8 = 99;

/// Where a container of a kubelet leaves its last words.
const TERMINATION_LOG: &str = "/dev/termination-log";

/// Does what the arguments say.
pub fn main(arguments: &[String]) -> ExitCode {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let code = match arguments.as_slice() {
        ["guard"] => pillion_runtime::guard::serve().map(|()| 0),
        ["pause"] => pause().map(|()| 0),
        ["run", folder, name] => on(folder, &Who::container(name)).and_then(Actor::run),
        ["undo", folder, name] => on(folder, &Who::part(name, Part::Undo)).and_then(Actor::undo),
        ["hook" | "probe", folder, name, part] => beside(folder, name, part),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    code.map_or(ExitCode::from(LOST), ExitCode::from)
}

fn pause() -> io::Result<()> {
    let signals = Signals::new(&[TERM, INTERRUPT])?;
    while wait(&signals, None)?.is_empty() {}
    Ok(())
}

fn on(folder: &str, who: &Who) -> io::Result<Actor> {
    Actor::new(Stage::at(folder), who)
}

fn beside(folder: &str, name: &str, part: &str) -> io::Result<u8> {
    let who = format!("{name}/{part}").parse();
    let who = who.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let code = on(folder, &who)?.attempt(&Caller::Patient)?;
    Ok(code.unwrap_or(LOST))
}

// === impl Actor ===

impl Actor {
    /// Who is to do what; a container that starts begins another run.
    fn new(stage: Stage, who: &Who) -> io::Result<Self> {
        let name = &who.container;
        let run = match who.part {
            Part::Itself => stage.next_run(name)?,
            Part::PostStart
            | Part::PreStop
            | Part::PodStopping
            | Part::Undo
            | Part::Startup
            | Part::Readiness
            | Part::Liveness => stage.run_of(name),
        };
        let alive = stage.announce(who)?;
        Ok(Self {
            alive,
            plan: stage.plan(name, run)?,
            stage,
            name: name.to_string(),
            part: who.part,
            run,
        })
    }

    fn write(&self, word: Word) -> io::Result<()> {
        self.say(word, None)
    }

    /// Just before the end.
    fn take_leave(&self, code: u8) -> io::Result<()> {
        self.say(Word::Exiting, Some(code.into()))
    }

    fn say(&self, word: Word, code: Option<i32>) -> io::Result<()> {
        let at = self.stage.write(&Who::part(&self.name, self.part), word)?;
        if let Some(mut alive) = self.alive.as_ref() {
            let line = format!("{}\n", Said { at, word, code });
            // Whoever watched may have left.
            let _ = alive.write_all(line.as_bytes());
        }
        Ok(())
    }

    fn run(self) -> io::Result<u8> {
        let plan = self.plan.clone();
        self.live(plan.starts_in, plan.runs, plan.end, plan.stop_end)
    }

    /// An undo hears the signal as its container does, and does not end well by it.
    fn undo(self) -> io::Result<u8> {
        let HookScript {
            starts_in,
            runs,
            exits,
        } = self.plan.undo;
        let runs = match runs {
            HookRuns::For(duration) => Delay::After(duration),
            HookRuns::UntilStarted => Delay::ZERO,
            HookRuns::Forever => Delay::Never,
        };
        self.live(starts_in, runs, End::Exit(exits), End::Signal(9))
    }

    fn live(self, starts_in: Duration, runs: Delay, end: End, stop_end: End) -> io::Result<u8> {
        // Before the first line: whoever reads it may send a signal, or a request, at once.
        let signals = Signals::new(&[TERM, INTERRUPT, TAKE_LEAVE])?;
        if self.part == Part::Itself {
            server::open(&self.stage, &self.name)?;
        }
        self.write(Word::Starting)?;
        let mut agenda = Agenda {
            up_at: Some(clock::now() + starts_in),
            end: None,
            ready_at: None,
            asks: Vec::new(),
            told_to_stop: false,
        };
        let stops_in = self.plan.stops_in;
        loop {
            let now = clock::now();
            if agenda.up_at.is_some_and(|at| at <= now) {
                agenda.up_at = None;
                self.come_up(now, &mut agenda)?;
                if !(agenda.told_to_stop && stops_in != Delay::Never) {
                    agenda.end = at(runs, now).map(|at| (at, end));
                }
            }
            agenda.do_what_is_due(now)?;
            if let Some((at, end)) = agenda.end
                && at <= now
            {
                return self.end(end);
            }
            for signal in wait(&signals, agenda.next())? {
                let now = clock::now();
                if signal == TAKE_LEAVE {
                    agenda.end = Some((now, End::Exit(self.stage.last_code(&self.name)?)));
                } else if !std::mem::replace(&mut agenda.told_to_stop, true) {
                    self.write(Word::Stopping)?;
                    if let Some(at) = at(stops_in, now) {
                        agenda.end = Some((at, stop_end));
                    }
                }
            }
        }
    }

    fn come_up(&self, now: Tick, agenda: &mut Agenda) -> io::Result<()> {
        self.write(Word::Started)?;
        if self.part == Part::Itself {
            // After the line: a hook that waits for it may return now.
            self.stage.is_up(&self.name, self.run, now)?;
            agenda.ready_at = at(self.plan.ready_in, now);
            let asks = self.plan.asks.iter();
            agenda.asks = asks
                .map(|(after, number)| (now + *after, *number))
                .collect();
        }
        Ok(())
    }

    fn end(&self, end: End) -> io::Result<u8> {
        match end {
            End::Exit(code) => {
                self.say_last_words(code);
                let code = u8::try_from(code & 0xff).unwrap_or(LOST);
                self.take_leave(code)?;
                Ok(code)
            }
            End::Signal(number) => {
                let signal = Signal::from_named_raw(number).unwrap_or(Signal::KILL);
                kill_process(getpid(), signal)?;
                Ok(LOST)
            }
            End::OutOfMemory => Ok(LOST),
        }
    }

    /// Where a termination message is looked for. Whoever has no such file says nothing.
    fn say_last_words(&self, code: i32) {
        if self.part != Part::Itself {
            return;
        }
        let file = std::env::var_os("PILLION_TERMINATION_LOG");
        let file = file.map_or_else(|| PathBuf::from(TERMINATION_LOG), PathBuf::from);
        let is_ours = !file.starts_with("/dev") || file.exists();
        if is_ours {
            // Only a comparison with others would miss it.
            let _ = fs::write(
                file,
                format!("{} ends run {} with {code}", self.name, self.run),
            );
        }
    }
}

// === impl Agenda ===

impl Agenda {
    /// Tells that it is ready, and asks for what it wants.
    fn do_what_is_due(&mut self, now: Tick) -> io::Result<()> {
        if self.ready_at.is_some_and(|at| at <= now) {
            self.ready_at = None;
            if let Some(socket) = std::env::var_os("NOTIFY_SOCKET") {
                UnixDatagram::unbound()?.send_to(b"READY=1", socket)?;
            }
        }
        for (_, number) in self.asks.extract_if(.., |(at, _)| *at <= now) {
            // Whoever drives the pod takes it from here.
            writeln!(io::stdout(), "ask {number}")?;
        }
        Ok(())
    }

    fn next(&self) -> Option<Tick> {
        let end = self.end.map(|(at, _)| at);
        let asks = self.asks.iter().map(|(at, _)| Some(*at));
        let all = [self.up_at, end, self.ready_at].into_iter().chain(asks);
        all.flatten().min()
    }
}

fn at(delay: Delay, from: Tick) -> Option<Tick> {
    match delay {
        Delay::After(duration) => Some(from + duration),
        Delay::Never => None,
    }
}

/// Waits for signals, at most until that time.
fn wait(signals: &Signals, until: Option<Tick>) -> io::Result<Vec<i32>> {
    let timeout = until.map(|until| until.since(clock::now()));
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let mut events = [PollFd::new(signals, PollFlags::IN)];
    match poll(&mut events, timeout.as_ref()) {
        Ok(0) => Ok(Vec::new()),
        Ok(_) => Ok(signals.read()),
        Err(rustix::io::Errno::INTR) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

const TERM: i32 = 15;
const INTERRUPT: i32 = 2;

/// The signal by which an actor is asked to end by itself.
pub(crate) const TAKE_LEAVE: i32 = 10;
