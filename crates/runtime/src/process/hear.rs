//! Takes in what keepers tell, what containers write and what else can be read, and makes events of it.

use super::beside::Beside;
use super::ready::notify::NotifySocket;
use super::run::{self, Run};
use super::{Processes, Source};
use crate::guard::{ChannelError, Outcome, Report};
use crate::poller::Token;
use crate::runtime::{Happening, Output, Stream};
use pillion_engine::{Attempt, ContainerId, Event, Exit};

/// The most that is read of one container before the others get their turn.
const MOST_OUTPUT: usize = 64 << 10;

impl Processes {
    /// Takes in what there is to read.
    pub(super) fn read(&mut self, token: Token) {
        match self.sources.get(&token).copied() {
            None => self.queue.push_back(Happening::Ready(token)),
            Some(Source::Keeper(container)) => self.hear(container),
            Some(Source::Output(container, stream)) => self.take_output(container, stream),
            Some(Source::Notify(container)) => self.take_notices(container),
            Some(Source::Ask(container)) => self.answer_door(container),
            Some(Source::Files) => {
                for (container, attempt) in self.files.appeared() {
                    self.notified(container, attempt, true);
                }
            }
            Some(Source::Guard) => self.see_to_guard(),
            Some(Source::Probers) => self.take_answers(),
        }
    }

    /// Takes in what a keeper tells.
    pub(super) fn hear(&mut self, container: ContainerId) {
        while let Some(run) = self.runs.get_mut(&container) {
            let attempt = run.attempt;
            match run.channel.try_receive() {
                Ok(None) => return,
                Ok(Some(Report::Started { pid, keeper })) => {
                    run.pid = Some(pid);
                    run.keeper = Some(keeper);
                    self.tell(Event::Started { container, attempt });
                    self.bring_down_orphans();
                }
                Ok(Some(Report::StartFailed {
                    errno,
                    message,
                    hint,
                })) => {
                    self.start_failed(container, errno, &message, hint.as_deref());
                }
                Ok(Some(Report::Exited { outcome, oom })) => {
                    let exit = run::exit(outcome, oom);
                    self.exited(container, exit);
                }
                // Nobody asked for one.
                Ok(Some(Report::Rehearsed)) => {}
                Ok(Some(Report::ExecDone { id, outcome, late })) => {
                    if late {
                        run.end_beside(id);
                    }
                    self.exec_done(container, id, outcome);
                }
                // It was killed, or it is no keeper.
                Err(
                    ChannelError::Closed
                    | ChannelError::Io(_)
                    | ChannelError::Unintelligible(_)
                    | ChannelError::TooLong,
                ) => return self.lost(container),
            }
        }
    }

    fn take_output(&mut self, container: ContainerId, stream: Stream) {
        let Some(run) = self.runs.get_mut(&container) else {
            return;
        };
        match run.read(stream, MOST_OUTPUT) {
            Ok(Some(bytes)) => self.output(container, stream, bytes),
            Ok(None) => {}
            // Nobody writes there any more.
            Err(()) => {
                let closed = run.close(stream, &self.poller);
                self.drop_source(closed);
            }
        }
    }

    fn output(&mut self, container: ContainerId, stream: Stream, bytes: Vec<u8>) {
        let Some(run) = self.runs.get_mut(&container) else {
            return;
        };
        let attempt = run.attempt;
        run.last_words.hear(&bytes);
        let ready = run.finds_line(stream, &bytes);
        self.queue.push_back(Happening::Output(Output {
            container,
            attempt,
            stream,
            bytes,
        }));
        // Whoever hears that it is ready finds the line that says so.
        if ready {
            self.notified(container, attempt, true);
        }
    }

    fn take_notices(&mut self, container: ContainerId) {
        let Some(run) = self.runs.get(&container) else {
            return;
        };
        let attempt = run.attempt;
        let said = run.notify.as_ref().map(NotifySocket::receive);
        for ready in said.unwrap_or_default() {
            self.notified(container, attempt, ready);
        }
    }

    pub(super) fn notified(&mut self, container: ContainerId, attempt: Attempt, ready: bool) {
        self.tell(Event::Notified {
            container,
            attempt,
            ready,
        });
    }

    /// A run is over, and all that it had started with it.
    pub(super) fn exited(&mut self, container: ContainerId, mut exit: Exit) {
        self.drain(container);
        let Some(mut run) = self.end_run(container) else {
            return;
        };
        let attempt = run.attempt;
        exit.message = run.last_words.take(&exit).map(Into::into);
        self.tell(Event::Exited {
            container,
            attempt,
            exit,
        });
    }

    /// Takes in what a container that has ended still had to say.
    fn drain(&mut self, container: ContainerId) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            while let Some(run) = self.runs.get_mut(&container) {
                match run.read(stream, MOST_OUTPUT) {
                    Ok(Some(bytes)) => self.output(container, stream, bytes),
                    Ok(None) | Err(()) => break,
                }
            }
            self.output(container, stream, Vec::new());
        }
    }

    /// Forgets a run.
    pub(super) fn end_run(&mut self, container: ContainerId) -> Option<Run> {
        let run = self.runs.remove(&container)?;
        run.leave(&self.poller);
        for token in &run.tokens {
            self.sources.remove(token);
        }
        self.keeper_has_gone();
        self.alarms.forget(container, run.attempt);
        self.files.forget(container, run.attempt);
        for (ticket, _) in self
            .asked
            .extract_if(|_, asked| (asked.container, asked.attempt) == (container, run.attempt))
        {
            self.probers.cancel(ticket);
        }
        for (&id, what) in &run.beside {
            if *what == Beside::Person {
                // With all else that was left of the run.
                let outcome = Ok(Outcome::Signal(libc::SIGKILL));
                self.queue.push_back(Happening::ExecDone { id, outcome });
            }
        }
        Some(run)
    }

    fn drop_source(&mut self, closed: Option<Token>) {
        if let Some(token) = closed {
            self.sources.remove(&token);
        }
    }
}
