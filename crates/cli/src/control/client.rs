//! The side that asks.

use super::message::{Answer, Hello, PROTOCOL, title};
use crate::hint::Hint;
use pillion_runtime::guard::ChannelError;
use pillion_runtime::lines::Lines;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, geteuid};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// A conversation with a pod that runs.
#[derive(Debug)]
pub(crate) struct Client {
    lines: Lines,
    stream: UnixStream,
    /// The process on the other side.
    process: Pid,
    /// Whom one talks to.
    pub(crate) hello: Hello,
}

/// What a pod says first.
#[derive(Deserialize)]
#[serde(untagged)]
enum Welcome {
    Hello(Hello),
    /// It has no time, in the form of an [`Answer`].
    Refused {
        refused: Refused,
    },
}

#[derive(Deserialize)]
struct Refused {
    message: String,
    hint: Option<String>,
}

/// A pod that was to be talked to.
#[derive(Clone, Debug)]
pub(crate) enum Whom {
    /// By its name.
    Pod(String),
    /// It has not told its name: where its socket is.
    At(PathBuf),
}

/// There is no talking to a pod.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotAnswered {
    #[error("there is no talking to the pod at {}", .path.display())]
    Nobody { path: PathBuf, source: io::Error },
    #[error("`{pod}` is running, but cannot be reached: its sockets in {} are gone", .folder.display())]
    Unreachable {
        pod: String,
        process: i32,
        folder: PathBuf,
    },
    #[error("the pod at {} is run by somebody else, user {user}", .path.display())]
    Foreign { path: PathBuf, user: u32 },
    #[error("{pod} is suspended: it does not answer until it goes on")]
    Suspended { pod: Whom, process: Pid },
    #[error("{pod} does not answer")]
    Silent { pod: Whom, process: Pid },
    #[error("{pod} is run by pillion {version}, which speaks another language")]
    Version { pod: String, version: String },
    #[error("the conversation with {pod} was cut short")]
    Cut { pod: Whom, source: ChannelError },
    #[error("{pod} is gone")]
    Gone { pod: Whom },
    #[error("{message}")]
    Refused {
        message: String,
        hint: Option<String>,
    },
}

/// A pod that does nothing for so long is stuck. What takes longer by its nature is not waited for like this.
const PATIENCE: Duration = Duration::from_secs(10);

/// The status of a large pod is long.
const LONGEST: usize = 64 << 20;

// === impl Client ===

impl Client {
    /// Opens a conversation at this socket.
    pub(crate) fn connect(path: &Path) -> Result<Self, NotAnswered> {
        let nobody = |source| NotAnswered::Nobody {
            path: path.to_owned(),
            source,
        };
        let stream = UnixStream::connect(path).map_err(nobody)?;
        // In a folder that others can write to, anybody could lie in wait for what is handed over.
        let peer = socket_peercred(&stream).map_err(|error| nobody(error.into()))?;
        if !peer.uid.is_root() && peer.uid != geteuid() {
            return Err(NotAnswered::Foreign {
                path: path.to_owned(),
                user: peer.uid.as_raw(),
            });
        }
        let pod = || Whom::At(path.to_owned());
        if is_suspended(peer.pid) {
            return Err(NotAnswered::Suspended {
                pod: pod(),
                process: peer.pid,
            });
        }
        stream.set_read_timeout(Some(PATIENCE)).map_err(nobody)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(nobody)?;
        let lines = stream.try_clone().map_err(nobody)?;
        let mut lines = Lines::new(lines.into(), LONGEST);
        let welcome = lines
            .receive()
            .map_err(|error| not_answered(pod(), peer.pid, error))?;
        let hello = match welcome {
            Welcome::Hello(hello) => hello,
            Welcome::Refused {
                refused: Refused { message, hint },
            } => {
                return Err(NotAnswered::Refused { message, hint });
            }
        };
        if hello.pillion != PROTOCOL {
            return Err(NotAnswered::Version {
                pod: title(&hello.namespace, &hello.name),
                version: hello.version,
            });
        }
        Ok(Self {
            lines,
            stream,
            process: peer.pid,
            hello,
        })
    }

    /// The pod, as people call it.
    pub(crate) fn pod(&self) -> String {
        title(&self.hello.namespace, &self.hello.name)
    }

    /// Says something.
    pub(crate) fn say(&self, request: &impl Serialize) -> Result<(), NotAnswered> {
        self.say_with(request, &[])
    }

    /// Says something, and hands over these descriptors.
    pub(crate) fn say_with(
        &self,
        request: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), NotAnswered> {
        let sent = self.lines.send(request, descriptors);
        sent.map_err(|error| self.trouble(error))
    }

    /// What is answered next. A refusal is an error.
    pub(crate) fn hear(&mut self) -> Result<Answer, NotAnswered> {
        match self.lines.receive() {
            Ok(Answer::Refused { message, hint }) => Err(NotAnswered::Refused { message, hint }),
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.trouble(error)),
        }
    }

    /// Asks, and hears the answer.
    pub(crate) fn ask(&mut self, request: &impl Serialize) -> Result<Answer, NotAnswered> {
        self.say(request)?;
        self.hear()
    }

    /// From now on an answer may take any time.
    pub(crate) fn be_patient(&self) -> io::Result<()> {
        self.stream.set_read_timeout(None)
    }

    /// What has come, without waiting for more.
    pub(crate) fn try_hear(&mut self) -> Result<Option<Answer>, NotAnswered> {
        match self.lines.try_receive() {
            Ok(Some(Answer::Refused { message, hint })) => {
                Err(NotAnswered::Refused { message, hint })
            }
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.trouble(error)),
        }
    }

    /// What was handed over with an answer, and nobody has taken.
    pub(crate) fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.lines.take_descriptor()
    }

    fn trouble(&self, error: ChannelError) -> NotAnswered {
        not_answered(Whom::Pod(self.pod()), self.process, error)
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.lines.as_fd()
    }
}

/// Whether a process was stopped by a signal, as by Ctrl-Z. Of one that cannot be seen nobody knows.
fn is_suspended(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name in front may have anything in it, brackets too.
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with('T'))
}

fn not_answered(pod: Whom, process: Pid, error: ChannelError) -> NotAnswered {
    match error {
        ChannelError::Closed => NotAnswered::Gone { pod },
        ChannelError::Io(error) if error.kind() == io::ErrorKind::WouldBlock => {
            // It may have been suspended since it was looked at.
            if is_suspended(process) {
                NotAnswered::Suspended { pod, process }
            } else {
                NotAnswered::Silent { pod, process }
            }
        }
        source
        @ (ChannelError::Io(_) | ChannelError::Unintelligible(_) | ChannelError::TooLong) => {
            NotAnswered::Cut { pod, source }
        }
    }
}

// === impl Whom ===

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pod(name) => f.write_str(name),
            Self::At(path) => write!(f, "the pod at {}", path.display()),
        }
    }
}

// === impl NotAnswered ===

impl NotAnswered {
    /// The same of a pod whose name is known.
    pub(super) fn of(mut self, name: String) -> Self {
        match &mut self {
            Self::Suspended { pod, .. } | Self::Silent { pod, .. } | Self::Cut { pod, .. } => {
                *pod = Whom::Pod(name);
            }
            Self::Nobody { .. }
            | Self::Unreachable { .. }
            | Self::Foreign { .. }
            | Self::Version { .. }
            | Self::Gone { .. }
            | Self::Refused { .. } => {}
        }
        self
    }

    /// The name of the pod, if it is known.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Unreachable { pod, .. }
            | Self::Version { pod, .. }
            | Self::Suspended {
                pod: Whom::Pod(pod),
                ..
            }
            | Self::Silent {
                pod: Whom::Pod(pod),
                ..
            }
            | Self::Cut {
                pod: Whom::Pod(pod),
                ..
            }
            | Self::Gone {
                pod: Whom::Pod(pod),
            } => Some(pod),
            Self::Suspended { .. }
            | Self::Silent { .. }
            | Self::Cut { .. }
            | Self::Gone { .. }
            | Self::Nobody { .. }
            | Self::Foreign { .. }
            | Self::Refused { .. } => None,
        }
    }
}

impl Hint for NotAnswered {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { hint, .. } => hint.clone(),
            Self::Suspended { process, .. } => Some(format!(
                "`kill -CONT {process}` lets it go on, as `fg` does in its terminal; its containers run meanwhile"
            )),
            Self::Silent { process, .. } => Some(format!(
                "process {process}, the `pillion run` behind it, may be stopped or stuck; killing it ends its containers too"
            )),
            Self::Unreachable { process, .. } => Some(format!(
                "`kill {process}` stops it in order, as Ctrl-C would where it was started; `pillion logs` and `pillion trace` show what it does"
            )),
            Self::Foreign { .. } => Some("ask as that user".to_owned()),
            Self::Version { .. } => Some("use that version, or stop the pod by Ctrl-C".to_owned()),
            Self::Nobody { .. } | Self::Cut { .. } | Self::Gone { .. } => None,
        }
    }
}
