//! Host processes: a container is a process on this machine, and all that it starts.
//!
//! ```text
//! engine::Action ─▶ Processes ─▶ guard, keepers      launches, signals, hooks, probes by command
//!                       │  └───▶ probers             probes and hooks over the network
//!                       └──────▶ alarms              kills and timeouts that the engine leaves to us
//! keepers, pipes, sockets, files ─▶ Processes ─▶ engine::Event, output
//! ```
//!
//! Everything that is waited for is a descriptor in one table: a pod that does nothing costs nothing.

mod alarm;
mod ask;
mod attach;
mod beside;
mod definition;
pub mod env;
pub mod expand;
mod hear;
mod hold;
mod last_words;
mod listen;
mod mount_point;
mod orphans;
mod ready;
pub mod recipe;
mod rehearsal;
mod run;
mod start;
mod stdio;
pub mod volume;

pub use ask::is_passing;
pub use attach::Attached;
pub use definition::{Definition, Draft, Larder};
pub use listen::{ListenError, taken_addresses};
pub use mount_point::hiding;
pub use rehearsal::rehearse;

use crate::clock;
use crate::guard::{Guard, Order, cgroup::Controller};
use crate::poller::{Poller, Token};
use crate::probe::thread::{Probers, Ticket};
use crate::runtime::{Happening, Runtime, Stream};
use crate::sys::give_back;
use alarm::{Alarm, Alarms, Due};
use beside::Beside;
use listen::Listeners;
use orphans::Orphans;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Action, Attempt, ContainerId, Event, Found, Tick};
use ready::file::FileWatches;
use run::Run;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Runs the containers of one pod as host processes.
#[derive(Debug)]
pub struct Processes {
    /// Dropped before the guard, which waits until no keeper is left.
    runs: BTreeMap<ContainerId, Run>,
    guard: Guard,
    poller: Rc<Poller>,
    /// By the number of the container.
    containers: Vec<Versions>,
    sources: HashMap<Token, Source>,
    next_source: u64,
    alarms: Alarms,
    probers: Probers,
    /// Questions over the network that are under way.
    asked: HashMap<Ticket, Asked>,
    files: FileWatches,
    listeners: Listeners,
    /// What is told before anything new is waited for.
    queue: VecDeque<Happening>,
    next_exec: u64,
    /// Those in containers who want to ask something.
    callers: Vec<(ContainerId, OwnedFd)>,
    /// Nothing is kept any more only because it might be needed at once.
    rested: bool,
    orphans: Orphans,
    /// Nothing is read of what containers write.
    held: bool,
    room: Room,
}

/// What a pod finds on this machine.
#[derive(Clone, Debug)]
pub struct Room {
    /// A folder with a short path, of the user alone: for sockets, and for what containers leave when they end.
    pub folder: PathBuf,
    /// The beginning of the names of its control groups.
    pub group: String,
    /// What can be limited.
    pub limits: BTreeSet<Controller>,
}

/// The definitions of one container, by their numbers.
#[derive(Debug, Default)]
struct Versions {
    by_number: BTreeMap<u32, Rc<Definition>>,
}

/// Who has something to read.
#[derive(Clone, Copy, Debug)]
enum Source {
    Keeper(ContainerId),
    Output(ContainerId, Stream),
    Notify(ContainerId),
    Ask(ContainerId),
    Files,
    Guard,
    Probers,
}

/// A question over the network, and who wants to know.
#[derive(Clone, Copy, Debug)]
struct Asked {
    container: ContainerId,
    attempt: Attempt,
    what: Beside,
}

/// When nothing has happened for so long, nothing will happen for a while.
const QUIET: Duration = Duration::from_secs(1);

/// How the sockets are called at which containers ask, before their numbers.
const ASK: &str = "ask";

// === impl Processes ===

impl Processes {
    /// Takes over a pod's containers, in the order of their numbers. They can be started when this is told.
    pub fn new(
        guard: Guard,
        poller: Rc<Poller>,
        definitions: Vec<Definition>,
        room: Room,
    ) -> io::Result<Self> {
        fs::create_dir_all(&room.folder)?;
        let probers = Probers::new()?;
        let files = FileWatches::new()?;
        let mut processes = Self {
            guard,
            poller,
            containers: Vec::new(),
            runs: BTreeMap::new(),
            sources: HashMap::new(),
            next_source: 0,
            alarms: Alarms::default(),
            probers,
            asked: HashMap::new(),
            files,
            listeners: Listeners::default(),
            queue: VecDeque::from([Happening::Event(Event::SandboxReady)]),
            next_exec: 0,
            callers: Vec::new(),
            rested: false,
            orphans: Orphans::default(),
            held: false,
            room,
        };
        processes.watch_guard()?;
        processes.guard.prepare();
        let token = processes.token(Source::Probers);
        processes.poller.add(&processes.probers, token)?;
        let token = processes.token(Source::Files);
        processes.poller.add(&processes.files, token)?;
        for definition in definitions {
            processes.add(definition);
        }
        Ok(processes)
    }

    /// One more container, after all others.
    pub fn add(&mut self, definition: Definition) {
        let by_number = BTreeMap::from([(0, Rc::new(definition))]);
        self.containers.push(Versions { by_number });
    }

    /// Whether a container has a process, or is about to.
    pub fn is_running(&self, container: ContainerId) -> bool {
        self.runs.contains_key(&container)
    }

    /// The number of a container's process, while it runs.
    pub fn pid(&self, container: ContainerId) -> Option<i32> {
        self.runs.get(&container)?.pid
    }

    /// Sends a container's process a signal, as somebody else on this machine could.
    pub fn signal(&mut self, container: ContainerId, signal: i32) -> bool {
        let run = self.runs.get(&container);
        run.is_some_and(|run| run.send(&Order::Signal(signal), &[]).is_ok())
    }

    /// Kills all that runs.
    pub fn kill_all(&mut self) {
        self.guard.wake();
        for run in self.runs.values() {
            run.kill();
        }
    }

    /// Lets everything go, and waits until nothing is left.
    pub fn finish(self) -> io::Result<()> {
        let keepers = self.keepers();
        for run in self.runs.values() {
            run.wake();
        }
        drop(self.runs);
        let finished = self.guard.finish();
        Self::wait_for_keepers(self.orphans, &keepers);
        finished
    }

    /// Nothing has happened for a while: what was kept to be quick is given back.
    fn rest(&mut self) {
        self.rested = true;
        self.guard.rest();
        give_back();
    }

    fn token(&mut self, source: Source) -> Token {
        let token = Token::Source(self.next_source);
        self.next_source += 1;
        self.sources.insert(token, source);
        token
    }

    fn tell(&mut self, event: Event) {
        self.queue.push_back(Happening::Event(event));
    }

    fn stop(&mut self, container: ContainerId, attempt: Attempt, deadline: Tick) {
        let Some(run) = self.run_of(container, attempt) else {
            return;
        };
        let signal = (!std::mem::replace(&mut run.told_to_stop, true))
            .then_some(Order::Signal(run.definition.recipe.stop_signal));
        if deadline <= clock::now() {
            run.kill();
            self.guard.wake();
            return;
        }
        if let Some(signal) = signal {
            run.order(&signal);
        }
        let what = Due::Kill;
        self.set_alarm(deadline, container, attempt, what);
    }

    fn set_alarm(&mut self, at: Tick, container: ContainerId, attempt: Attempt, what: Due) {
        self.alarms.set(Alarm {
            at,
            container,
            attempt,
            what,
        });
    }

    fn run_of(&mut self, container: ContainerId, attempt: Attempt) -> Option<&mut Run> {
        let run = self.runs.get_mut(&container)?;
        (run.attempt == attempt).then_some(run)
    }

    fn ring(&mut self, alarm: Alarm) {
        let Alarm {
            container,
            attempt,
            what,
            ..
        } = alarm;
        match what {
            Due::Kill => {
                if let Some(run) = self.run_of(container, attempt) {
                    run.kill();
                    self.guard.wake();
                }
            }
            Due::Slept(hook) => self.hook_done(container, attempt, hook, Ok(())),
            Due::EndExec(id) => self.end_exec(container, attempt, id),
            Due::OpenDoor => self.open_door(container, attempt),
            Due::ProbeTimeout(probe, id) => {
                self.end_exec(container, attempt, id);
                let late = Err("it took too long".to_owned());
                self.probed(container, attempt, probe, late);
            }
        }
    }

    /// A hook has returned; if it failed, why.
    fn hook_done(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        hook: HookKind,
        answer: Result<(), String>,
    ) {
        let ok = answer.is_ok();
        if let Err(why) = answer {
            self.queue.push_back(Happening::HookFailed {
                container,
                hook,
                why,
            });
        }
        self.tell(Event::HookDone {
            container,
            attempt,
            hook,
            ok,
        });
    }

    /// A probe has answered; if it failed, why.
    fn probed(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        probe: ProbeKind,
        answer: Result<(), String>,
    ) {
        let ok = answer.is_ok();
        if let Err(why) = answer {
            self.queue.push_back(Happening::ProbeFailed {
                container,
                probe,
                why,
            });
        }
        self.tell(Event::Probed {
            container,
            attempt,
            probe,
            ok,
        });
    }
}

// === impl Room ===

impl Room {
    /// A file for one container. There is no folder for each: that would take longer than all else that is made.
    fn path_of(&self, what: &str, container: ContainerId) -> PathBuf {
        path_of(&self.folder, what, container.index())
    }
}

/// Where the container of this number asks, in the folder of its pod.
pub fn ask_path(folder: &Path, container: usize) -> PathBuf {
    path_of(folder, ASK, container)
}

fn path_of(folder: &Path, what: &str, container: usize) -> PathBuf {
    folder.join(format!("{what}-{container}"))
}

impl Runtime for Processes {
    fn now(&self) -> Tick {
        clock::now()
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            // Host processes have no images.
            Action::Pull {
                container, attempt, ..
            } => self.tell(Event::Pulled { container, attempt }),
            Action::CancelPull { .. } => {}
            Action::Start {
                container,
                attempt,
                version,
                command,
            } => self.start(container, attempt, version, command),
            Action::RunHook {
                container,
                attempt,
                hook,
                deadline,
            } => self.run_hook(container, attempt, hook, deadline),
            Action::Probe {
                container,
                attempt,
                probe,
                timeout,
            } => self.probe(container, attempt, probe, timeout),
            Action::Stop {
                container,
                attempt,
                deadline,
            } => self.stop(container, attempt, deadline),
        }
    }

    fn wait(&mut self, until: Option<Tick>) -> io::Result<Happening> {
        loop {
            if let Some(happening) = self.queue.pop_front() {
                return Ok(happening);
            }
            let now = clock::now();
            while let Some(alarm) = self.alarms.expire(now) {
                self.ring(alarm);
            }
            if !self.queue.is_empty() {
                continue;
            }
            if until.is_some_and(|until| until <= now) {
                return Ok(Happening::Due);
            }
            let quiet = (!self.rested).then(|| now + QUIET);
            let first = [until, self.alarms.next(), quiet].into_iter().flatten();
            let poller = Rc::clone(&self.poller);
            let ready = poller.wait(now, first.min())?;
            if ready.is_empty() && quiet.is_some_and(|quiet| quiet <= clock::now()) {
                self.rest();
            }
            for token in ready {
                self.read(token);
            }
        }
    }

    fn find(&mut self, container: ContainerId, attempt: Attempt) -> Found {
        // Containers end with the driver, so after it was away there are none.
        match self.run_of(container, attempt) {
            Some(_) => Found::Running { attempt },
            None => Found::Ended {
                attempt,
                exit: None,
            },
        }
    }
}
