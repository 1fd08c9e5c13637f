//! One run of a hook, or one attempt of a probe: a process of its own, or a request to a container.

use super::{Actor, LOST};
use crate::processes::plan::{HOOKS, read_answers};
use crate::processes::stage::Stage;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_runtime::clock;
use pillion_simulator::actor::{HookRuns, HookScript};
use pillion_simulator::line::{Part, Word};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// Who wants to know what comes of it.
pub(super) enum Caller<'c> {
    /// Waits, or kills the process that answers.
    Patient,
    /// Waits at the other end of a connection, or hangs up.
    Peer(&'c TcpStream),
}

/// Nobody waits any longer.
struct GivenUp;

/// How often a hook looks whether its container is up.
const LOOK: Duration = Duration::from_millis(2);

// === impl Actor ===

impl Actor {
    /// Does what the script says of this part: the exit code, unless the caller has given it up.
    pub(super) fn attempt(&self, caller: &Caller<'_>) -> io::Result<Option<u8>> {
        let done = match self.part {
            Part::PostStart => self.hook(HookKind::PostStart, caller),
            Part::PreStop => self.hook(HookKind::PreStop, caller),
            Part::PodStopping => self.hook(HookKind::PodStopping, caller),
            Part::Startup => self.probe(ProbeKind::Startup, caller),
            Part::Readiness => self.probe(ProbeKind::Readiness, caller),
            Part::Liveness => self.probe(ProbeKind::Liveness, caller),
            Part::Itself | Part::Undo => Err(io::ErrorKind::InvalidInput.into()),
        };
        let code = done?.ok();
        // As of one that was killed, only its end is told of one that was given up.
        if let Some(code) = code {
            self.take_leave(code)?;
        }
        self.write(Word::Exited)?;
        self.stage.note_process(&self.name, self.part, false)?;
        Ok(code)
    }

    fn hook(&self, hook: HookKind, caller: &Caller<'_>) -> io::Result<Result<u8, GivenUp>> {
        let place = HOOKS
            .iter()
            .position(|one| *one == hook)
            .unwrap_or_default();
        let HookScript {
            starts_in,
            runs,
            exits,
        } = self.plan.hooks[place];
        self.stage.note_process(&self.name, self.part, true)?;
        self.write(Word::Starting)?;
        if caller.wait(Some(starts_in))?.is_err() {
            return Ok(Err(GivenUp));
        }
        self.write(Word::Started)?;
        let waited = match runs {
            HookRuns::For(duration) => caller.wait(Some(duration))?,
            HookRuns::UntilStarted => self.wait_until_started(caller)?,
            HookRuns::Forever => caller.wait(None)?,
        };
        let code = u8::try_from(exits & 0xff).unwrap_or(LOST);
        Ok(waited.map(|()| code))
    }

    fn wait_until_started(&self, caller: &Caller<'_>) -> io::Result<Result<(), GivenUp>> {
        let is_up = || {
            // Its container may have been slower to begin its run than this hook was to ask.
            let run = self.stage.run_of(&self.name);
            self.stage.up_since(&self.name, run).is_some()
        };
        while !is_up() {
            if caller.wait(Some(LOOK))?.is_err() {
                return Ok(Err(GivenUp));
            }
        }
        Ok(Ok(()))
    }

    fn probe(&self, probe: ProbeKind, caller: &Caller<'_>) -> io::Result<Result<u8, GivenUp>> {
        let (ok, takes) = outlook(&self.stage, &self.name, probe)?;
        self.stage.note_process(&self.name, self.part, true)?;
        self.write(Word::Starting)?;
        self.write(Word::Started)?;
        let waited = caller.wait(takes)?;
        Ok(waited.map(|()| u8::from(!ok)))
    }
}

/// What a probe finds that begins now, and after what time; no time means that it does not answer.
pub(super) fn outlook(
    stage: &Stage,
    name: &str,
    probe: ProbeKind,
) -> io::Result<(bool, Option<Duration>)> {
    let now = clock::now();
    let run = stage.run_of(name);
    let place = ProbeKind::ALL.iter().position(|one| *one == probe);
    let planned = stage.plan(name, run)?.probes[place.unwrap_or_default()];
    let changed = stage.answers(name, Part::from(probe));
    let answers = changed
        .and_then(|word| read_answers(&word))
        .unwrap_or(planned);
    let up = stage.up_since(name, run);
    Ok(answers.attempt(up.map(|up| now.since(up))))
}

// === impl Caller ===

impl Caller<'_> {
    /// Lets time pass, for ever if none is given.
    fn wait(&self, time: Option<Duration>) -> io::Result<Result<(), GivenUp>> {
        match self {
            Self::Patient => {
                thread::sleep(time.unwrap_or(Duration::MAX));
                Ok(Ok(()))
            }
            Self::Peer(stream) => wait_for(stream, time),
        }
    }
}

fn wait_for(peer: &TcpStream, time: Option<Duration>) -> io::Result<Result<(), GivenUp>> {
    let until = time.map(|time| clock::now() + time);
    loop {
        let left = until.map(|until| until.since(clock::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        // What it says meanwhile does not matter.
        let mut events = [PollFd::new(peer, PollFlags::RDHUP)];
        match poll(&mut events, left.as_ref()) {
            Ok(0) => return Ok(Ok(())),
            Ok(_) => return Ok(Err(GivenUp)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
