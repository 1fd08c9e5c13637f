//! From a keeper to a process of its container.
//!
//! A keeper has one thread, so that after a fork the child may do what it likes until it becomes the program. What goes
//! wrong there comes back over a pipe that closes by itself when the program is executed. A process that has nothing
//! special around it is started without a fork, which costs half as much.

use super::message::{Launch, NotStarted};
use super::stage::Scene;
use crate::sys::{Forked, Program, end_fork, fork, let_signals_through, place};
use rustix::fs::{Access, access};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, ioctl_tiocsctty, setsid, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

/// The descriptors that a process begins with. What is left out of the first three is empty.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    pub(super) stdio: [Option<OwnedFd>; 3],
    pub(super) sockets: Vec<OwnedFd>,
}

/// Starts a process, and returns when its program runs.
pub(super) fn spawn(
    launch: &Launch,
    descriptors: &Descriptors,
    scene: &Scene,
) -> Result<Pid, NotStarted> {
    // What is wrong with a program that cannot be started so is found out in the other way.
    if scene.is_plain()
        && let Some(Ok(process)) = spawn_plain(launch, descriptors)
    {
        return Ok(process);
    }
    let mut command = command(launch)?;
    // The numbers from 3 on are for the sockets.
    let free = 3 + i32::try_from(launch.sockets.len()).unwrap_or(0);
    let high = |descriptor: &OwnedFd| fcntl_dupfd_cloexec(descriptor, free);
    let (failure, tell) = pipe_with(PipeFlags::CLOEXEC)?;
    let (sockets, tell) = match &descriptors.sockets[..] {
        [] => (Vec::new(), tell),
        sockets => {
            let sockets = sockets.iter().map(high).collect::<Result<_, _>>()?;
            let moved = high(&tell)?;
            // A second end of the pipe would keep us waiting for its close.
            drop(tell);
            (sockets, moved)
        }
    };
    match fork()? {
        Forked::Child => {
            let child = Child {
                launch,
                descriptors,
                sockets,
                scene,
            };
            let not_started = child.become_program(&mut command);
            // If nobody listens, nobody is misled.
            let _ = File::from(tell).write_all(&not_started.encode());
            end_fork()
        }
        Forked::Parent(pid) => {
            drop(tell);
            match read(failure) {
                None => Ok(pid),
                Some(not_started) => {
                    // It is on its way out, and must not be met again as an unknown child.
                    let _ = waitpid(Some(pid), WaitOptions::empty());
                    Err(not_started)
                }
            }
        }
    }
}

/// Starts a process without a fork, if it needs nothing that only a forked process can do.
fn spawn_plain(launch: &Launch, descriptors: &Descriptors) -> Option<io::Result<Pid>> {
    let Launch {
        command,
        environment,
        directory: None,
        terminal: false,
        sockets,
        stage: None,
    } = launch
    else {
        return None;
    };
    if !sockets.is_empty() {
        return None;
    }
    let stdio = [0, 1, 2].map(|number| descriptors.stdio(number));
    let path = find(command.first()?, environment)?;
    let program = Program {
        path: &path,
        words: command,
        environment,
        stdio,
    };
    Some(program.start())
}

/// Where a program is, by the PATH that it will have itself.
fn find<'a>(program: &'a str, environment: &'a [(String, String)]) -> Option<Cow<'a, str>> {
    if program.contains('/') {
        return Some(Cow::Borrowed(program));
    }
    let mut variables = environment.iter().rev();
    let (_, path) = variables.find(|(name, _)| name == "PATH")?;
    let places = path.split(':').map(|folder| format!("{folder}/{program}"));
    let mut places = places.filter(|place| place.starts_with('/'));
    places
        .find(|place| access(place.as_str(), Access::EXEC_OK).is_ok() && Path::new(place).is_file())
        .map(Cow::Owned)
}

/// A forked process that will be the program.
struct Child<'a> {
    launch: &'a Launch,
    descriptors: &'a Descriptors,
    sockets: Vec<OwnedFd>,
    scene: &'a Scene,
}

fn command(launch: &Launch) -> Result<Command, NotStarted> {
    let [program, arguments @ ..] = &launch.command[..] else {
        return Err(NotStarted {
            errno: None,
            message: "no command".to_owned(),
        });
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// What a child that failed has said; nothing if it is the program now.
fn read(failure: OwnedFd) -> Option<NotStarted> {
    let mut said = Vec::new();
    // A pipe that cannot be read tells of no failure.
    let _ = File::from(failure).read_to_end(&mut said);
    NotStarted::decode(&said)
}

// === impl Descriptors ===

impl Descriptors {
    /// What a process gets under one of the first three numbers: the keeper's own input, which is empty, if it was left
    /// out.
    fn stdio(&self, number: usize) -> BorrowedFd<'_> {
        match &self.stdio[number] {
            Some(descriptor) => descriptor.as_fd(),
            None => rustix::stdio::stdin(),
        }
    }
}

// === impl Child ===

impl Child<'_> {
    /// Returns only if that failed.
    fn become_program(&self, command: &mut Command) -> NotStarted {
        if let Err(not_started) = self.prepare(command) {
            return not_started;
        }
        // The search for the program uses the PATH of the command's own environment.
        let error = command.exec();
        NotStarted {
            errno: error.raw_os_error(),
            message: error.to_string(),
        }
    }

    fn prepare(&self, command: &mut Command) -> Result<(), NotStarted> {
        let failed = |what| move |error| NotStarted::before_execution(what, &error);
        let_signals_through();
        self.begin_session()
            .map_err(failed("cannot take the terminal over"))?;
        self.place_stdio()
            .map_err(failed("cannot set standard input and output"))?;
        self.place_sockets(command)
            .map_err(failed("cannot hand the sockets over"))?;
        self.scene
            .join_group()
            .map_err(failed("cannot enter the group that limits it"))?;
        self.enter()
    }

    fn begin_session(&self) -> io::Result<()> {
        // A forked process leads no group, so that this cannot fail.
        let _ = setsid();
        if self.launch.terminal {
            ioctl_tiocsctty(self.descriptors.stdio(2))?;
        }
        Ok(())
    }

    fn place_stdio(&self) -> io::Result<()> {
        // The keeper's own input stands in for what is left out, so it goes last.
        dup2_stderr(self.descriptors.stdio(2))?;
        dup2_stdout(self.descriptors.stdio(1))?;
        if self.descriptors.stdio[0].is_some() {
            dup2_stdin(self.descriptors.stdio(0))?;
        }
        Ok(())
    }

    fn place_sockets(&self, command: &mut Command) -> io::Result<()> {
        if self.sockets.is_empty() {
            return Ok(());
        }
        for (socket, number) in self.sockets.iter().zip(3..) {
            place(socket.as_fd(), number)?;
        }
        command
            .env("LISTEN_FDS", self.sockets.len().to_string())
            .env("LISTEN_FDNAMES", self.launch.sockets.join(":"))
            .env("LISTEN_PID", std::process::id().to_string());
        Ok(())
    }

    /// Becomes its user, and goes where it begins.
    fn enter(&self) -> Result<(), NotStarted> {
        // A directory that is closed to its user is still where it begins, as in a container.
        let entered = self.change_directory();
        self.scene
            .change_identity()
            .map_err(|error| NotStarted::before_execution("cannot become its user", &error))?;
        match entered {
            Err(_) => self.change_directory(),
            Ok(()) => Ok(()),
        }
    }

    fn change_directory(&self) -> Result<(), NotStarted> {
        let Some(directory) = &self.launch.directory else {
            return Ok(());
        };
        std::env::set_current_dir(directory).map_err(|error| {
            let what = format!("cannot begin in {}", directory.display());
            NotStarted::before_execution(&what, &error)
        })
    }
}

// === impl NotStarted ===

impl<E: Into<io::Error>> From<E> for NotStarted {
    fn from(error: E) -> Self {
        Self::before_execution("cannot make a process", &error.into())
    }
}

impl NotStarted {
    fn before_execution(what: &str, error: &io::Error) -> Self {
        Self {
            errno: None,
            message: format!("{what}: {error}"),
        }
    }

    /// Four bytes of number, and words.
    fn encode(&self) -> Vec<u8> {
        let number = self.errno.unwrap_or(0).to_le_bytes();
        [&number, self.message.as_bytes()].concat()
    }

    fn decode(said: &[u8]) -> Option<Self> {
        let (number, message) = said.split_first_chunk()?;
        let number = i32::from_le_bytes(*number);
        Some(Self {
            errno: Some(number).filter(|number| *number != 0),
            message: String::from_utf8_lossy(message).into_owned(),
        })
    }
}
