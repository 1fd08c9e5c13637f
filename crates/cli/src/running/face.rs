//! Everybody outside the pod: who looks at it, who writes down what happens, and who wants it to end.

use super::apply::Applier;
use super::fault::{Done, Faults};
use super::keeping::Keeping;
use super::outlets::Outlets;
use super::result;
use super::server::{Seen, Server};
use super::watch::Watching;
use crate::control::apply::Report;
use crate::live::log::Stream as LogStream;
use crate::live::show::Show;
use crate::live::sink::Sink;
use crate::state::Run;
use pillion_engine::fact::Goal;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{ContainerId, Engine, Entry, Request, Tick};
use pillion_runtime::guard::{NotStarted, Outcome};
use pillion_runtime::poller::Token;
use pillion_runtime::process::Processes;
use pillion_runtime::pump::{Driven, Front};
use pillion_runtime::runtime::{Output, Stream};
use pillion_runtime::signals::Signals;
use pillion_timeline::words::probe_failed;
use pillion_timeline::{Base, Line, Recorder, Tone, Wall};
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::time::Duration;

/// The front of a pod that is run by `pillion run`.
pub(super) struct Face {
    pub(super) show: Show<Sink, Sink>,
    pub(super) outlets: Outlets,
    pub(super) recorder: Recorder,
    pub(super) keeping: Keeping,
    pub(super) signals: Signals,
    pub(super) faults: Faults,
    pub(super) server: Server,
    pub(super) applier: Applier,
    pub(super) watching: Option<Watching>,
    pub(super) base: Base,
    /// The signal that ended the pod.
    pub(super) ended_by: Option<i32>,
    /// How often it was asked to end.
    pub(super) asked: u32,
    /// Nobody looks any more.
    pub(super) alone: bool,
    /// Why something was not shown, the first time.
    pub(super) unshown: Option<String>,
    pub(super) now: Tick,
}

/// Those that are taken.
pub(super) const TAKEN: [i32; 6] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTSTP,
    libc::SIGWINCH,
];

/// What is written goes to a disk, and there is no room on it.
const NO_ROOM: [io::ErrorKind; 3] = [
    io::ErrorKind::StorageFull,
    io::ErrorKind::QuotaExceeded,
    io::ErrorKind::FileTooLarge,
];

// === impl Face ===

impl Face {
    fn wall(&self, now: Tick) -> Wall {
        let since = now.since(self.base.tick);
        let begin = self.base.wall.unwrap_or(Wall::from_unix(Duration::ZERO));
        begin.after(since)
    }

    /// Keeps what the pod has come to. After that nobody can ask it any more, and whoever wants to know looks there.
    pub(super) fn keep_end(&mut self, run: &Run, engine: &Engine) {
        let object = self.server.object(engine, &self.applier);
        self.keeping.ended(&run.end(), object);
    }

    /// Shows things, as long as somebody is there to see them. A disk that is full is nobody who has gone away.
    fn shown(&mut self, shown: &io::Result<()>) {
        match shown {
            Ok(()) => {}
            Err(error) if NO_ROOM.contains(&error.kind()) => {
                self.unshown.get_or_insert_with(|| error.to_string());
            }
            Err(_) => self.alone = true,
        }
    }

    /// Watches what the containers of the newest file are restarted for.
    pub(super) fn follow(&mut self, now: Tick) {
        if let Some(watching) = &mut self.watching {
            let (pod, paths) = self.applier.watched();
            for said in watching.follow(pod, paths) {
                self.show.say(now, &said);
            }
        }
    }

    /// Does what is due because of files that have changed.
    fn wake_watching(&mut self, pod: &mut Driven<'_, Processes>) {
        let Some(watching) = &mut self.watching else {
            return;
        };
        let style = self.show.style();
        for said in watching.wake(pod, &mut self.applier, style) {
            self.show.say(pod.now, &said);
        }
        if let Some(file) = self.applier.take_begun() {
            self.recorder.replaced_by(&format!("{file} changed"));
        }
    }

    /// A file was applied, as far as it could be.
    fn applied(&mut self, report: &Report, now: Tick) {
        self.server.applied(report);
        if let Some(watching) = &mut self.watching {
            for said in watching.applied(report) {
                self.show.say(now, &said);
            }
        }
        self.follow(now);
    }

    /// Somebody says something, or reads again.
    fn serve(&mut self, token: Token, pod: &mut Driven<'_, Processes>) {
        let show = &self.show;
        let view = |engine: &Engine, now| show.view(engine, now);
        let mut seen = Seen {
            pod,
            view: &view,
            applier: &mut self.applier,
            stopped: false,
        };
        self.server.ready(token, &mut seen);
        if seen.stopped {
            self.recorder.deleted_by("`pillion stop`");
        }
        if let Some(file) = self.applier.take_begun() {
            self.recorder
                .replaced_by(&format!("`pillion apply {file}`"));
        }
    }

    fn take_signal(&mut self, signal: i32, pod: &mut Driven<'_, Processes>) {
        if signal == libc::SIGTSTP {
            return self.pause();
        }
        if signal == libc::SIGWINCH {
            if let Some((width, height)) = terminal_size::terminal_size() {
                self.show
                    .resize(usize::from(width.0), usize::from(height.0));
            }
            return;
        }
        self.recorder.deleted_by(signal_words(signal));
        let first = self.asked == 0;
        self.asked += 1;
        if first && matches!(pod.engine().goal(), Goal::Run | Goal::Restart { .. }) {
            self.ended_by = Some(signal);
            self.recorder.ends_with(result::of_signal(signal));
        }
        // Who types Ctrl-\ does not want to wait.
        if first && signal != libc::SIGQUIT {
            stop(None, pod);
        } else {
            stop(Some(Duration::ZERO), pod);
            pod.runtime.kill_all();
        }
    }

    /// Another program gets the terminal until somebody brings this one back. Containers run on; whatever is due meanwhile is
    /// done then.
    fn pause(&mut self) {
        let shown = self.show.leave();
        self.shown(&shown);
        // That somebody wanted it does not fail.
        let _ = kill_process(getpid(), Signal::STOP);
    }
}

/// What people did, in their words.
const fn signal_words(signal: i32) -> &'static str {
    match signal {
        libc::SIGINT => "Ctrl-C",
        libc::SIGHUP => "SIGHUP",
        libc::SIGQUIT => "Ctrl-\\",
        _ => "SIGTERM",
    }
}

fn stop(grace: Option<Duration>, pod: &mut Driven<'_, Processes>) {
    // A pod that has ended cannot be asked any more, and need not be.
    let _ = pod.request(Request::Delete { grace });
}

impl Front<Processes> for Face {
    fn told(&mut self, entry: &Entry, engine: &Engine) {
        let record = self.recorder.record(engine.pod(), entry);
        self.keeping.told(&record);
        self.show.told(record);
        self.server.told(entry);
        self.applier.told(entry);
        if let Some(watching) = &mut self.watching {
            watching.told(entry, engine);
        }
    }

    fn output(&mut self, output: &Output, engine: &Engine) {
        let now = pillion_runtime::clock::now();
        let at = self.wall(now);
        let name = (engine.pod().containers.get(output.container.index())).map(|one| &*one.name);
        if output.bytes.is_empty() {
            if let Some(name) = name {
                self.keeping.hung_up(name, at);
            }
            return self.show.hung_up(now, output.container);
        }
        self.server.output(output);
        let stream = match output.stream {
            Stream::Stdout => LogStream::Stdout,
            Stream::Stderr => LogStream::Stderr,
        };
        let (container, bytes) = (output.container, &output.bytes);
        if !self.outlets.is_full() {
            let shown = self.show.wrote(now, container, stream, bytes);
            self.shown(&shown);
        }
        if let Some(name) = name {
            self.keeping.wrote(name, output, at);
        }
    }

    fn ready(&mut self, token: Token, mut pod: Driven<'_, Processes>) {
        match token {
            Token::Callers => self.server.let_callers_in(&mut pod),
            Token::Client(_) => self.serve(token, &mut pod),
            Token::Door => self.server.let_people_in(pod.now),
            Token::Signals => {
                for signal in self.signals.read() {
                    self.take_signal(signal, &mut pod);
                }
            }
            // What it does not know any more is closed.
            Token::Source(_) => {}
            Token::Watched => {
                if let Some(watching) = &mut self.watching {
                    watching.ready(pod.now);
                }
            }
            Token::Writable => {
                let shown = self.outlets.pour();
                self.shown(&shown);
            }
        }
    }

    fn exec_done(&mut self, id: u64, outcome: Result<Outcome, NotStarted>) {
        self.server.exec_done(id, outcome);
    }

    fn hook_failed(&mut self, container: ContainerId, hook: HookKind, why: &str) {
        self.recorder.hook_failed(container, hook, why);
    }

    fn probe_failed(
        &mut self,
        container: ContainerId,
        probe: ProbeKind,
        why: &str,
        engine: &Engine,
    ) {
        self.recorder.probe_failed(container, probe, why);
        let containers = &engine.pod().containers;
        // A liveness probe has nothing to do with being ready.
        if let (Some(one), true) = (
            containers.get(container.index()),
            probe != ProbeKind::Liveness,
        ) && self
            .show
            .probe_failed(&one.name, probe_failed(probe, Some(why)))
        {
            self.server.stir();
        }
    }

    fn next_wake(&self) -> Option<Tick> {
        if self.alone && self.asked == 0 || self.outlets.is_due() {
            return Some(Tick::ZERO);
        }
        let seen = !self.alone && !self.outlets.is_stalled();
        let show = self.show.next(self.now).filter(|_| seen);
        let watching = self.watching.as_ref();
        let watching = watching.and_then(|watching| watching.next_wake(self.applier.is_busy()));
        let all = [
            show,
            self.faults.next(),
            self.server.next_wake(),
            self.applier.next_wake(),
            watching,
        ];
        all.into_iter().flatten().min()
    }

    fn wake(&mut self, mut pod: Driven<'_, Processes>) {
        self.now = pod.now;
        self.outlets.hold(pod.runtime);
        if self.alone && self.asked == 0 {
            self.asked = 1;
            self.recorder.deleted_by("nobody reads the output");
            stop(None, &mut pod);
        }
        let Done { stops, in_vain } = self.faults.wake(&mut pod);
        if stops {
            self.recorder.deleted_by("`--delete`");
        }
        for said in in_vain {
            self.show.note(pod.now, &Line::new(Tone::Waiting, said));
        }
        self.wake_watching(&mut pod);
        if let Some(report) = self.applier.wake(&mut pod) {
            self.applied(&report, pod.now);
        }
        let show = &self.show;
        let view = |engine: &Engine, now| show.view(engine, now);
        let mut seen = Seen {
            pod: &mut pod,
            view: &view,
            applier: &mut self.applier,
            stopped: false,
        };
        self.server.wake(&mut seen);
    }

    fn settle(&mut self, now: Tick, engine: &Engine) {
        self.now = now;
        self.keeping.settle();
        // What is shown later is shown as it is then.
        if !self.alone && !self.outlets.is_stalled() {
            let shown = self.show.settle(now, engine);
            self.shown(&shown);
        }
    }
}
