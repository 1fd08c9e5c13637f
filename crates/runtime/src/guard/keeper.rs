//! A keeper: starts one process, and stays until nothing is left of it.

use super::QUIET;
use super::channel::Channel;
use super::doomed::Doomed;
use super::message::{Launch, NotStarted, Order, Outcome, Report};
use super::spawn::{Descriptors, spawn};
use super::stage::{Scene, StageError};
use super::tree::{self, Reaped};
use crate::causes::with_causes;
use crate::socket::ChannelError;
use crate::sys::{SignalFd, give_back, signal, signal_group};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, WaitStatus, set_child_subreaper};
use std::collections::HashMap;
use std::io;

/// One process, all that it starts, and whoever wants to know of it.
struct Keeper {
    channel: Channel,
    children: SignalFd,
    process: Pid,
    scene: Scene,
    /// How the process ended, while the rest is brought down.
    ended: Option<Outcome>,
    /// Nobody listens any more: everything is brought down.
    alone: bool,
    /// The commands that run beside the process.
    execs: HashMap<Pid, u64>,
    /// What is left of commands that were killed.
    doomed: Doomed,
    /// What it needed to begin was given back.
    rested: bool,
}

/// Why there is nothing to keep.
enum Nothing {
    /// There was no order to start anything.
    Order,
    /// It was only a rehearsal, and went well.
    Rehearsed,
    /// The stage could not be set.
    Stage(StageError),
    /// The process could not be started.
    Start(NotStarted),
}

/// Does as the other side says, and returns when there is nothing left to keep.
pub(super) fn keep(mut channel: Channel) {
    match begin(&mut channel) {
        Ok(begun) => Keeper::new(channel, begun).run(),
        Err(nothing) => {
            if let Some(report) = nothing.report() {
                // If nobody listens, nobody is misled.
                let _ = channel.send(&report, &[]);
            }
        }
    }
}

/// A process that was started.
struct Begun {
    process: Pid,
    children: SignalFd,
    scene: Scene,
}

fn begin(channel: &mut Channel) -> Result<Begun, Nothing> {
    let launch = match channel.receive() {
        Ok(Order::Launch(launch)) => launch,
        Ok(Order::Rehearse(stage)) => {
            return Err(match stage.set() {
                Ok(_) => Nothing::Rehearsed,
                Err(error) => Nothing::Stage(error),
            });
        }
        Ok(
            Order::Exec { .. }
            | Order::EndExec { .. }
            | Order::SignalExec { .. }
            | Order::Signal(_)
            | Order::Kill,
        )
        | Err(_) => return Err(Nothing::Order),
    };
    let children = prepare().map_err(|error| Nothing::Start(error.into()))?;
    let scene = match &launch.stage {
        Some(stage) => stage.set().map_err(Nothing::Stage)?,
        None => Scene::default(),
    };
    let descriptors = Descriptors {
        stdio: [(); 3].map(|()| channel.take_descriptor()),
        sockets: (launch.sockets.iter())
            .map_while(|_| channel.take_descriptor())
            .collect(),
    };
    let process = spawn(&launch, &descriptors, &scene).map_err(Nothing::Start)?;
    let (pid, keeper) = (process.as_raw_pid(), rustix::process::getpid().as_raw_pid());
    // If nobody listens, the loop finds out.
    let _ = channel.send(&Report::Started { pid, keeper }, &[]);
    Ok(Begun {
        process,
        children,
        scene,
    })
}

/// Adopts whatever will be left behind, and listens for ends.
fn prepare() -> io::Result<SignalFd> {
    set_child_subreaper(Some(rustix::process::getpid()))?;
    SignalFd::new(libc::SIGCHLD)
}

// === impl Nothing ===

impl Nothing {
    /// What to tell of it, if there is anything to tell.
    fn report(self) -> Option<Report> {
        match self {
            Self::Order => None,
            Self::Rehearsed => Some(Report::Rehearsed),
            Self::Stage(error) => Some(Report::StartFailed {
                errno: None,
                message: with_causes(&error),
                hint: error.hint().map(str::to_owned),
            }),
            Self::Start(NotStarted { errno, message }) => Some(Report::StartFailed {
                errno,
                message,
                hint: None,
            }),
        }
    }
}

// === impl Keeper ===

impl Keeper {
    fn new(channel: Channel, begun: Begun) -> Self {
        let Begun {
            process,
            children,
            scene,
        } = begun;
        Self {
            channel,
            children,
            process,
            scene,
            ended: None,
            alone: false,
            execs: HashMap::new(),
            doomed: Doomed::default(),
            rested: false,
        }
    }

    fn run(mut self) {
        while !self.reap() {
            self.wait();
            if !self.alone {
                self.listen();
            }
        }
        // Nothing is left when the end is told.
        let ran_out = self.scene.strike();
        if let Some(outcome) = self.ended {
            let oom = ran_out && outcome != Outcome::Code(0);
            // If nobody listens, nobody waits for it.
            let _ = self.channel.send(&Report::Exited { outcome, oom }, &[]);
        }
    }

    /// Waits until something happens.
    fn wait(&mut self) {
        let mut events = [
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.channel, PollFlags::IN),
        ];
        // A socket that nobody will ever write to again would wake us for ever.
        let watched = if self.alone { 1 } else { 2 };
        let mut patience = (!self.rested).then_some(&QUIET);
        // Whatever else it says, we look at both.
        while poll(&mut events[..watched], patience) == Ok(0) {
            patience = None;
            self.rested = true;
            give_back();
        }
        self.children.drain();
    }

    /// Does what was ordered meanwhile.
    fn listen(&mut self) {
        loop {
            match self.channel.try_receive() {
                Ok(Some(order)) => self.obey(order),
                Ok(None) => return,
                Err(
                    ChannelError::Closed
                    | ChannelError::Io(_)
                    | ChannelError::Unintelligible(_)
                    | ChannelError::TooLong,
                ) => {
                    self.alone = true;
                    return tree::kill_children(|_| false);
                }
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            // There is one already.
            Order::Launch(_) | Order::Rehearse(_) => {}
            Order::Exec { id, input, launch } => self.exec(id, input, &launch),
            Order::EndExec { id } => self.end_exec(id),
            Order::SignalExec { id, signal } => self.signal_exec(id, signal),
            Order::Signal(number) => {
                if self.ended.is_none() {
                    // It may have ended by itself just now.
                    let _ = signal(self.process, number);
                }
            }
            Order::Kill => tree::kill_children(|_| false),
        }
    }

    /// Kills a command, and all that it has started.
    fn end_exec(&mut self, id: u64) {
        for (pid, of) in &self.execs {
            if *of == id {
                self.doomed.note(*pid);
            }
        }
        self.signal_exec(id, libc::SIGKILL);
    }

    /// A command leads a session of its own: whatever it has started without leaving it gets the signal too, as from a
    /// terminal.
    fn signal_exec(&self, id: u64, number: i32) {
        for (pid, of) in &self.execs {
            if *of == id {
                // It may have ended by itself just now.
                let _ = signal_group(*pid, number);
            }
        }
    }

    fn exec(&mut self, id: u64, input: bool, launch: &Launch) {
        let input = input.then(|| self.channel.take_descriptor()).flatten();
        let [output, error] = [(); 2].map(|()| self.channel.take_descriptor());
        let descriptors = Descriptors {
            stdio: [input, output, error],
            sockets: Vec::new(),
        };
        let refused = match self.ended {
            Some(_) => Err(NotStarted {
                errno: None,
                message: "the container has ended".to_owned(),
            }),
            None => spawn(launch, &descriptors, &self.scene),
        };
        match refused {
            Ok(pid) => {
                self.execs.insert(pid, id);
            }
            Err(not_started) => self.tell_exec(id, Err(not_started)),
        }
    }

    /// Waits for those that have ended. Says whether nothing is left.
    fn reap(&mut self) -> bool {
        loop {
            match tree::reap() {
                Reaped::Child(pid, status) => self.ended(pid, outcome(status)),
                Reaped::NoChildren => return true,
                Reaped::NoneYet => break,
            }
        }
        if self.ended.is_some() || self.alone {
            tree::kill_children(|_| false);
        } else {
            self.doomed.kill();
        }
        false
    }

    fn ended(&mut self, pid: Pid, outcome: Outcome) {
        if pid == self.process {
            self.ended = Some(outcome);
        } else if let Some(id) = self.execs.remove(&pid) {
            self.tell_exec(id, Ok(outcome));
        }
    }

    fn tell_exec(&self, id: u64, outcome: Result<Outcome, NotStarted>) {
        let late = self.ended.is_some();
        let report = Report::ExecDone { id, outcome, late };
        // If nobody listens, the loop finds out.
        let _ = self.channel.send(&report, &[]);
    }
}

fn outcome(status: WaitStatus) -> Outcome {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Outcome::Code(code),
        (None, Some(signal)) => Outcome::Signal(signal),
        // Only ends are waited for.
        (None, None) => Outcome::Signal(libc::SIGKILL),
    }
}
