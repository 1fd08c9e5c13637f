//! Starts a run of a container.

use super::ask::Door;
use super::definition::Definition;
use super::last_words::LastWords;
use super::ready::line::LineWatch;
use super::ready::notify::NotifySocket;
use super::recipe::Recipe;
use super::run::{Keeping, Pipes, Run};
use super::stdio::Stdio;
use super::volume::place;
use super::{ASK, Processes, Source};
use crate::guard::cgroup::{Cgroup, CgroupLimits};
use crate::guard::{Channel, Launch, Mount, MountKind, Order, Stage};
use crate::runtime::Stream;
use pillion_engine::{Attempt, Command, ContainerId, Event, Exit, StartFailure};
use pillion_spec::pillion::{Listen, ReadyOn};
use regex::bytes::Regex;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Why there is no process.
struct NotStarted {
    reason: StartFailure,
    message: String,
}

/// Where Kubernetes expects a container's last words.
pub(super) const USUAL_LAST_WORDS: &str = "/dev/termination-log";

impl Processes {
    pub(super) fn start(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    ) {
        if let Err(failed) = self.try_start(container, attempt, version, command) {
            self.end_run(container);
            self.files.forget(container, attempt);
            self.tell(Event::StartFailed {
                container,
                attempt,
                reason: failed.reason,
                message: failed.message.into(),
            });
        }
    }

    fn try_start(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    ) -> Result<(), NotStarted> {
        let definition = self.definition(container, version).cloned();
        let definition = definition.ok_or_else(|| config("it is not defined"))?;
        let definition = definition.current().map_err(config)?;
        let recipe = &definition.recipe;
        let file = self.last_words_file(container, recipe).map_err(create)?;
        let notify = match &recipe.ready_on {
            Some(ReadyOn::Notify) => {
                let path = self.room.path_of("notify", container);
                Some(NotifySocket::bind(&path, &recipe.identity).map_err(create)?)
            }
            Some(ReadyOn::File(_) | ReadyOn::LogLine(_)) | None => None,
        };
        let path = self.room.path_of(ASK, container);
        let door = Door::open(&path, &recipe.identity).map_err(create)?;
        let lines = match &recipe.ready_on {
            Some(ReadyOn::LogLine(pattern)) => {
                let watch = LineWatch::new(Regex::new(pattern).map_err(config)?);
                Some([watch.clone(), watch])
            }
            Some(ReadyOn::Notify | ReadyOn::File(_)) | None => None,
        };
        if let Some(ReadyOn::File(path)) = &recipe.ready_on {
            let path = host_path(recipe, Path::new(path));
            self.files.add(container, attempt, path).map_err(create)?;
        }
        let mut launch = launch(recipe, command);
        launch.stage = self.stage(container, &definition, &file)?.map(Box::new);
        launch
            .environment
            .push(("PILLION_TERMINATION_LOG".to_owned(), text(&file)));
        if let Some(notify) = &notify {
            let variable = ("NOTIFY_SOCKET".to_owned(), text(notify.path()));
            launch.environment.push(variable);
        }
        let stdio = Stdio::open(recipe).map_err(create)?;
        let channel = self.launch(container, launch, &recipe.listen, &stdio.theirs)?;
        let run = Run {
            attempt,
            channel,
            pid: None,
            keeper: None,
            keeping: Keeping::Talks,
            pipes: Pipes::default(),
            told_to_stop: false,
            beside: BTreeMap::new(),
            notify,
            door,
            lines,
            last_words: LastWords::new(file, recipe.termination_message_policy),
            tokens: Vec::new(),
            definition,
        };
        self.watch(container, run, stdio).map_err(create)
    }

    /// Gets a keeper and tells it what to start.
    fn launch(
        &mut self,
        container: ContainerId,
        launch: Launch,
        listen: &[Listen],
        stdio: &[OwnedFd; 3],
    ) -> Result<Channel, NotStarted> {
        let channel = self.guard.keeper().or_else(|error| {
            if !is_gone(&error) {
                return Err(error);
            }
            self.replace_guard()?;
            self.guard.keeper()
        });
        let channel = channel.map_err(create)?;
        let (sockets, held): (Vec<_>, Vec<_>) =
            self.listeners.of(container, listen).into_iter().unzip();
        let launch = Launch { sockets, ..launch };
        let mut descriptors: Vec<BorrowedFd<'_>> = stdio.iter().map(OwnedFd::as_fd).collect();
        descriptors.extend(held);
        let order = Order::Launch(launch);
        channel
            .send(&order, &descriptors)
            .map_err(|error| failed(StartFailure::RunContainerError, error))?;
        // It is made while this one works.
        self.guard.prepare();
        self.rested = false;
        Ok(channel)
    }

    /// Puts all that a run can tell into the table.
    fn watch(&mut self, container: ContainerId, mut run: Run, stdio: Stdio) -> io::Result<()> {
        let poller = Rc::clone(&self.poller);
        let keeper = self.token(Source::Keeper(container));
        poller.add(&run.channel, keeper)?;
        let stdout = self.token(Source::Output(container, Stream::Stdout));
        poller.add(&stdio.stdout, stdout)?;
        let stderr = self.token(Source::Output(container, Stream::Stderr));
        if let Some(pipe) = &stdio.stderr {
            poller.add(pipe, stderr)?;
        }
        let door = self.token(Source::Ask(container));
        poller.add(&run.door, door)?;
        run.tokens.extend([keeper, stdout, stderr, door]);
        if let Some(notify) = &run.notify {
            let token = self.token(Source::Notify(container));
            poller.add(notify, token)?;
            run.tokens.push(token);
        }
        run.pipes = Pipes {
            input: stdio.input,
            stdout: Some((stdio.stdout, stdout)),
            stderr: stdio.stderr.map(|pipe| (pipe, stderr)),
            held: stdio.held,
        };
        if self.held {
            run.hold(&self.poller, true);
        }
        self.runs.insert(container, run);
        Ok(())
    }

    /// A keeper could not start the process.
    pub(super) fn start_failed(
        &mut self,
        container: ContainerId,
        errno: Option<i32>,
        message: &str,
        hint: Option<&str>,
    ) {
        let Some(run) = self.end_run(container) else {
            return;
        };
        let attempt = run.attempt;
        let program = run.definition.recipe.command.first();
        let program = program.map(String::as_str).unwrap_or_default();
        let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        // As a shell would tell it: the program is not there, or may not be run.
        let code = errno.map(|errno| {
            let missing = errno == rustix::io::Errno::NOENT.raw_os_error();
            if missing { 127 } else { 126 }
        });
        match code {
            Some(code) => {
                let exit = Exit {
                    reason: Some("StartError".into()),
                    message: Some(format!("cannot run `{program}`: {message}{hint}").into()),
                    ..Exit::code(code)
                };
                self.tell(Event::Exited {
                    container,
                    attempt,
                    exit,
                });
            }
            None => self.tell(Event::StartFailed {
                container,
                attempt,
                reason: StartFailure::CreateContainerError,
                message: format!("{message}{hint}").into(),
            }),
        }
    }

    /// What is different around the process than around us.
    fn stage(
        &self,
        container: ContainerId,
        definition: &Definition,
        last_words: &Path,
    ) -> Result<Option<Stage>, NotStarted> {
        let recipe = &definition.recipe;
        let mut mounts = Vec::new();
        for mount in &recipe.mounts {
            mounts.push(place::mount(mount).map_err(create)?);
        }
        let at = &recipe.termination_message_path;
        if !mounts.is_empty() || at != USUAL_LAST_WORDS {
            mounts.push(Mount {
                kind: MountKind::Bind {
                    source: last_words.to_owned(),
                    part: None,
                    takes_mounts: false,
                },
                target: PathBuf::from(at),
                read_only: false,
            });
        }
        let limits = CgroupLimits {
            cpu_milli: recipe.limits.cpu_millis,
            memory: recipe.limits.memory,
            pids: recipe.limits.pids,
        };
        let limits = limits.only(&self.room.limits);
        let name = format!("{}-{}", self.room.group, container.index());
        let cgroup = (limits != CgroupLimits::default()).then_some(Cgroup { name, limits });
        let stage = Stage {
            mounts,
            user: recipe.identity.user,
            group: recipe.identity.group,
            groups: recipe.identity.groups.clone(),
            no_network: recipe.no_network,
            cgroup,
        };
        Ok((stage != Stage::default()).then_some(stage))
    }

    /// Where a container leaves its last words: no file yet, unless it could not make one itself.
    fn last_words_file(&self, container: ContainerId, recipe: &Recipe) -> io::Result<PathBuf> {
        let path = self.room.path_of("last-words", container);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let is_mounted =
            !recipe.mounts.is_empty() || recipe.termination_message_path != USUAL_LAST_WORDS;
        if is_mounted || recipe.identity.user.is_some() {
            File::create_new(&path)?;
            recipe.identity.own(&path)?;
        }
        Ok(path)
    }
}

/// Whether whoever was asked is not there any more. A guard that lives must not be waited for: it waits for containers.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::NotConnected
    )
}

/// What is launched, as the recipe has it.
fn launch(recipe: &Recipe, command: Command) -> Launch {
    let command = match command {
        Command::Run => recipe.command.clone(),
        Command::Undo => recipe.undo.clone().unwrap_or_default(),
    };
    Launch {
        command,
        environment: recipe.environment.clone(),
        directory: recipe.working_dir.clone().map(Into::into),
        terminal: recipe.tty,
        ..Launch::default()
    }
}

/// Where a path of the container is on this machine.
fn host_path(recipe: &Recipe, path: &Path) -> PathBuf {
    let folder = recipe.working_dir.as_deref().unwrap_or(".");
    let path = Path::new(folder).join(path);
    let mounts = recipe.mounts.iter();
    let inner = mounts.filter_map(|mount| {
        let rest = path.strip_prefix(&mount.target).ok()?;
        Some((mount.target.components().count(), mount.source().join(rest)))
    });
    match inner.max_by_key(|(depth, _)| *depth) {
        Some((_, source)) => source,
        None => path,
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn config(error: impl Into<Box<dyn Error>>) -> NotStarted {
    failed(StartFailure::CreateContainerConfigError, error)
}

fn create(error: impl Into<Box<dyn Error>>) -> NotStarted {
    failed(StartFailure::CreateContainerError, error)
}

fn failed(reason: StartFailure, error: impl Into<Box<dyn Error>>) -> NotStarted {
    let error = error.into();
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        message = format!("{message}: {deeper}");
        cause = deeper.source();
    }
    NotStarted { reason, message }
}
