//! Starts a run of a container.

use super::ask::Door;
use super::definition::Definition;
use super::last_words::LastWords;
use super::ready::line::LineWatch;
use super::ready::notify::NotifySocket;
use super::recipe::Recipe;
use super::run::{Keeping, Pipes, Run};
use super::stdio::{Ours, Stdio};
use super::volume::place;
use super::{ASK, Processes, Source};
use crate::causes::with_causes;
use crate::guard::cgroup::{Cgroup, CgroupLimits};
use crate::guard::{Channel, Launch, Mount, MountKind, Order, Report, Stage};
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
        let stage = self.stage(container, &definition, &file)?;
        let Stdio { theirs, ours } = Stdio::open(recipe).map_err(create)?;
        let run = Run {
            attempt,
            command,
            channel: self.keeper().map_err(create)?,
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
            definition: Rc::clone(&definition),
        };
        let launch = launch(&run, stage);
        // Who was told to start something may have started it: nothing can fail after that.
        self.watch(container, run, ours).map_err(create)?;
        self.launch(container, launch, &recipe.listen, &theirs)
    }

    fn keeper(&mut self) -> io::Result<Channel> {
        self.guard.keeper().or_else(|error| {
            if !is_gone(&error) {
                return Err(error);
            }
            self.replace_guard()?;
            self.guard.keeper()
        })
    }

    /// Puts all that a run can tell into the table. If that fails, the run is there all the same, for whoever ends it.
    fn watch(&mut self, container: ContainerId, mut run: Run, stdio: Ours) -> io::Result<()> {
        let watched = self.register(container, &mut run, stdio);
        if self.held {
            run.hold(&self.poller, true);
        }
        self.runs.insert(container, run);
        watched
    }

    fn register(&mut self, container: ContainerId, run: &mut Run, stdio: Ours) -> io::Result<()> {
        let poller = Rc::clone(&self.poller);
        let mut token = |source| {
            let token = self.token(source);
            run.tokens.push(token);
            token
        };
        poller.add(&run.channel, token(Source::Keeper(container)))?;
        poller.add(&run.door, token(Source::Ask(container)))?;
        if let Some(notify) = &run.notify {
            poller.add(notify, token(Source::Notify(container)))?;
        }
        let stdout = token(Source::Output(container, Stream::Stdout));
        let stderr = token(Source::Output(container, Stream::Stderr));
        run.pipes = Pipes {
            input: stdio.input,
            stdout: Some((stdio.stdout, stdout)),
            stderr: stdio.stderr.map(|pipe| (pipe, stderr)),
            held: stdio.held,
        };
        let pipes = [&run.pipes.stdout, &run.pipes.stderr];
        for (pipe, token) in pipes.into_iter().flatten() {
            poller.add(pipe, *token)?;
        }
        Ok(())
    }

    /// Tells the keeper what to start.
    fn launch(
        &mut self,
        container: ContainerId,
        launch: Launch,
        listen: &[Listen],
        stdio: &[OwnedFd; 3],
    ) -> Result<(), NotStarted> {
        let run = self.runs.get_mut(&container);
        let run = run.ok_or_else(|| create("it is over already"))?;
        let (sockets, held): (Vec<_>, Vec<_>) =
            self.listeners.of(container, listen).into_iter().unzip();
        let launch = Launch { sockets, ..launch };
        let mut descriptors: Vec<BorrowedFd<'_>> = stdio.iter().map(OwnedFd::as_fd).collect();
        descriptors.extend(held);
        if let Err(error) = run.send(&Order::Launch(launch), &descriptors) {
            return Err(match run.channel.try_receive() {
                // There never was a keeper.
                Ok(Some(Report::StartFailed { message, .. })) => create(message),
                Ok(_) | Err(_) => failed(StartFailure::RunContainerError, error),
            });
        }
        // It is made while this one works.
        self.guard.prepare();
        self.rested = false;
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
        let program = run.words().first();
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
        if recipe.mounts_last_words {
            mounts.push(Mount {
                kind: MountKind::Bind {
                    source: last_words.to_owned(),
                    part: None,
                    takes_mounts: false,
                },
                target: PathBuf::from(&recipe.termination_message_path),
                read_only: false,
            });
        }
        let limits = recipe.limits.only(&self.room.limits);
        let name = format!("{}-{}", self.room.group, container.index());
        let cgroup = (limits != CgroupLimits::default()).then_some(Cgroup { name, limits });
        let stage = Stage {
            mounts,
            user: recipe.identity.user,
            group: recipe.identity.group,
            groups: recipe.identity.groups.clone(),
            no_network: recipe.no_network,
            no_new_privileges: recipe.no_new_privileges,
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
        if recipe.mounts_last_words || recipe.identity.user.is_some() {
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
fn launch(run: &Run, stage: Option<Stage>) -> Launch {
    let recipe = &run.definition.recipe;
    Launch {
        command: run.words().to_vec(),
        environment: run.environment(),
        directory: recipe.working_dir.clone().map(Into::into),
        terminal: recipe.tty,
        stage: stage.map(Box::new),
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

fn config(error: impl Into<Box<dyn Error>>) -> NotStarted {
    failed(StartFailure::CreateContainerConfigError, error)
}

fn create(error: impl Into<Box<dyn Error>>) -> NotStarted {
    failed(StartFailure::CreateContainerError, error)
}

fn failed(reason: StartFailure, error: impl Into<Box<dyn Error>>) -> NotStarted {
    let message = with_causes(&*error.into());
    NotStarted { reason, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Guard;
    use crate::poller::Poller;
    use crate::process::Room;
    use crate::process::recipe::tests::fixture::app;
    use crate::runtime::Happening;
    use std::collections::BTreeSet;

    #[test]
    fn nothing_is_launched_that_could_not_be_listened_to() {
        let folder = tempfile::tempdir().unwrap();
        let room = Room {
            folder: folder.path().to_owned(),
            group: String::new(),
            limits: BTreeSet::new(),
        };
        // Whoever this one is asked for takes no orders.
        let guard = Guard::start("cat", &[]).unwrap();
        let poller = Rc::new(Poller::new().unwrap());
        let definitions = app("").definitions();
        let mut processes = Processes::new(guard, poller, definitions, room).unwrap();
        processes.poller = Rc::new(Poller::refusing());
        let before = processes.sources.len();

        processes.start(ContainerId(0), 1, 0, Command::Run);

        let Some(Happening::Event(Event::StartFailed { reason, .. })) = processes.queue.pop_back()
        else {
            panic!("it was started");
        };
        assert_eq!(reason, StartFailure::CreateContainerError);
        assert_eq!(processes.sources.len(), before);
        assert!(!processes.is_running(ContainerId(0)));
    }
}
