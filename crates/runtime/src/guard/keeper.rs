//! A keeper: starts one process, and stays until nothing is left of it.

use super::channel::{Channel, ChannelError};
use super::message::{Launch, Order, Outcome, Report};
use super::tree::{self, Reaped};
use crate::sys::{SignalFd, begin_afresh};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitStatus, kill_process, set_child_subreaper};
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// One process, all that it starts, and whoever wants to know of it.
struct Keeper {
    channel: Channel,
    children: SignalFd,
    process: Pid,
    /// How the process ended, while the rest is brought down.
    ended: Option<Outcome>,
    /// Nobody listens any more: everything is brought down.
    alone: bool,
    /// The commands that run beside the process.
    execs: HashMap<Pid, u64>,
}

/// Does as the other side says, and returns when there is nothing left to keep.
pub(super) fn keep(mut channel: Channel) {
    match begin(&mut channel) {
        Ok((process, children)) => Keeper {
            channel,
            children,
            process,
            ended: None,
            alone: false,
            execs: HashMap::new(),
        }
        .run(),
        Err(Failed::Start(error)) => {
            let report = Report::StartFailed {
                errno: error.raw_os_error(),
                message: error.to_string(),
            };
            // If nobody listens, nobody is misled.
            let _ = channel.send(&report, &[]);
        }
        Err(Failed::Order) => {}
    }
}

/// Why there is nothing to keep.
enum Failed {
    /// There was no order to start anything.
    Order,
    /// The process could not be started.
    Start(io::Error),
}

fn begin(channel: &mut Channel) -> Result<(Pid, SignalFd), Failed> {
    let launch = match channel.receive() {
        Ok(Order::Launch(launch)) => launch,
        Ok(Order::Exec { .. } | Order::EndExec { .. } | Order::Signal(_) | Order::Kill)
        | Err(_) => return Err(Failed::Order),
    };
    start(channel, &launch).map_err(Failed::Start)
}

fn start(channel: &mut Channel, launch: &Launch) -> io::Result<(Pid, SignalFd)> {
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let children = SignalFd::new(libc::SIGCHLD)?;
    let stdio = [(); 3].map(|()| channel.take_descriptor());
    let process = spawn(launch, stdio)?;
    let pid = process.as_raw_pid();
    // If nobody listens, the loop finds out.
    let _ = channel.send(&Report::Started { pid }, &[]);
    Ok((process, children))
}

fn spawn(launch: &Launch, [input, output, error]: [Option<OwnedFd>; 3]) -> io::Result<Pid> {
    let stdio = |descriptor: Option<OwnedFd>| descriptor.map_or_else(Stdio::null, Stdio::from);
    let [program, arguments @ ..] = &launch.command[..] else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(stdio(input))
        .stdout(stdio(output))
        .stderr(stdio(error));
    if let Some(directory) = &launch.directory {
        command.current_dir(directory);
    }
    begin_afresh(&mut command);
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::Error::other("a process without a number"))
}

// === impl Keeper ===

impl Keeper {
    fn run(mut self) {
        while !self.reap() {
            self.wait();
            if !self.alone {
                self.listen();
            }
        }
        if let Some(outcome) = self.ended {
            // If nobody listens, nobody waits for it.
            let _ = self.channel.send(&Report::Exited(outcome), &[]);
        }
    }

    /// Waits until something happens.
    fn wait(&self) {
        let mut events = [
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.channel, PollFlags::IN),
        ];
        // A socket that nobody will ever write to again would wake us for ever.
        let watched = if self.alone { 1 } else { 2 };
        // Whatever it says, we look at both.
        let _ = poll(&mut events[..watched], None);
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
            Order::Launch(_) => {}
            Order::Exec { id, launch } => self.exec(id, &launch),
            Order::EndExec { id } => {
                for (pid, of) in &self.execs {
                    if *of == id {
                        // It may have ended by itself just now.
                        let _ = kill_process(*pid, Signal::KILL);
                    }
                }
            }
            Order::Signal(number) => {
                if let (Some(signal), None) = (Signal::from_named_raw(number), self.ended) {
                    // It may have ended by itself just now.
                    let _ = kill_process(self.process, signal);
                }
            }
            Order::Kill => tree::kill_children(|_| false),
        }
    }

    fn exec(&mut self, id: u64, launch: &Launch) {
        let [output, error] = [(); 2].map(|()| self.channel.take_descriptor());
        let refused = match self.ended {
            Some(_) => Err("the container has ended".to_owned()),
            None => spawn(launch, [None, output, error]).map_err(|error| error.to_string()),
        };
        match refused {
            Ok(pid) => {
                self.execs.insert(pid, id);
            }
            Err(message) => self.tell(&Report::ExecDone {
                id,
                outcome: Err(message),
            }),
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
        }
        false
    }

    fn ended(&mut self, pid: Pid, outcome: Outcome) {
        if pid == self.process {
            self.ended = Some(outcome);
        } else if let Some(id) = self.execs.remove(&pid) {
            self.tell(&Report::ExecDone {
                id,
                outcome: Ok(outcome),
            });
        }
    }

    fn tell(&self, report: &Report) {
        // If nobody listens, the loop finds out.
        let _ = self.channel.send(report, &[]);
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
