//! `pillion logs`: what the containers of a run have written, and go on to write.

mod source;

use crate::args::LogsArgs;
use crate::control::client::{Client, NotAnswered};
use crate::control::find::{self, NotRunning};
use crate::control::message::Request;
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::live::log::{Form, Log, Options};
use crate::printer::Printer;
use crate::state::{NoSuchRun, Run, StateFolder, Wanted};
use anyhow::{Context as _, Result};
use pillion_engine::Tick;
use pillion_runtime::clean::Colours;
use pillion_spec::nearest;
use pillion_timeline::story::Stamps;
use pillion_timeline::{Base, Header, Wall, What, json};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify;
use source::{During, Piece, Source};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, IsTerminal as _};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// A container is meant that the run does not have.
#[derive(Debug, thiserror::Error)]
#[error("{run} has no container `{wanted}`")]
pub(crate) struct NoSuchLog {
    run: String,
    wanted: String,
    names: Vec<String>,
}

/// Nobody who is meant has been started more than once.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPrevious {
    #[error("no container of {run} was started again")]
    Nobody { run: String },
    #[error("`{container}` of {run} was not started again")]
    Container { run: String, container: String },
}

/// The logs of one run.
struct Logs<'p> {
    sources: Vec<Source>,
    log: Log,
    began: Wall,
    printer: &'p mut Printer,
    out: Vec<u8>,
}

/// So many bytes are written without waiting for more.
const FULL: usize = 64 << 10;

/// Show logs.
pub(crate) fn logs(args: LogsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let state = StateFolder::locate()?;
    let run = match &args.run {
        Some(word) => {
            let wanted = Wanted::parse(word);
            state.find(wanted.ok_or_else(|| NoSuchRun::UnknownPod {
                wanted: word.clone(),
                names: Vec::new(),
            })?)?
        }
        None => state.latest()?,
    };
    // Before anything is read, so that nothing is missed.
    let mut following = if args.follow {
        Following::begin(&run)
    } else {
        Ok(None)
    };
    let mut logs = Logs::open(&run, args, printer)?;
    logs.show()?;
    if let Ok(Some(following)) = &mut following {
        while following.wait()? {
            logs.show()?;
        }
        logs.show()?;
    }
    logs.end()?;
    // Whoever cannot be followed has written something all the same.
    following?;
    Ok(ExitStatus::Success)
}

/// What the timeline says about a run: when it began, and which containers it has.
fn header(run: &Run) -> Result<Header> {
    let path = run.timeline();
    let unread = || format!("cannot read {}", path.display());
    let mut line = String::new();
    let mut file = BufReader::new(File::open(&path).with_context(unread)?);
    file.read_line(&mut line).with_context(unread)?;
    Ok(json::read(&line)
        .with_context(unread)?
        .timeline
        .header()
        .clone())
}

/// When each container that was started again had its last run but one.
fn previous(run: &Run) -> Result<BTreeMap<Box<str>, During>> {
    let path = run.timeline();
    let unread = || format!("cannot read {}", path.display());
    let text = fs::read_to_string(&path).with_context(unread)?;
    let timeline = json::read(&text).with_context(unread)?.timeline;
    let mut starts: BTreeMap<Box<str>, [Option<Wall>; 2]> = BTreeMap::new();
    for record in timeline.records() {
        if let (What::Starting, Some(name)) = (&record.what, &record.container) {
            let [_, last] = starts.get(name).copied().unwrap_or_default();
            starts.insert(name.clone(), [last, record.time]);
        }
    }
    let twice = starts.into_iter().filter_map(|(name, [from, until])| {
        from?;
        Some((name, During { from, until }))
    });
    Ok(twice.collect())
}

// === impl Logs ===

impl<'p> Logs<'p> {
    fn open(run: &Run, args: LogsArgs, printer: &'p mut Printer) -> Result<Self> {
        let header = header(run)?;
        let names: Vec<_> = header
            .containers
            .iter()
            .map(|head| head.name.to_string())
            .collect();
        for wanted in &args.containers {
            if !names.contains(wanted) {
                let run = run.title();
                let wanted = wanted.clone();
                return Err(NoSuchLog { run, wanted, names }.into());
            }
        }
        let is_wanted = |name: &str| {
            args.containers.is_empty() || args.containers.iter().any(|wanted| wanted == name)
        };
        let previous = args.previous.then(|| previous(run)).transpose()?;
        let mut sources = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let during = match &previous {
                None => Some(During::default()),
                Some(previous) => previous.get(name.as_str()).copied(),
            };
            match during {
                _ if !is_wanted(name) => {}
                Some(during) => {
                    let source = Source::open(&run.logs(), name, number, args.tail, during);
                    sources
                        .push(source.with_context(|| format!("cannot read the log of `{name}`"))?);
                }
                None if args.containers.is_empty() => {}
                None => return Err(NoPrevious::new(run, Some(name)).into()),
            }
        }
        if sources.is_empty() && args.previous {
            return Err(NoPrevious::new(run, None).into());
        }
        let began = header.started.unwrap_or(Wall::from_unix(Duration::ZERO));
        let options = options(args, began, printer);
        Ok(Self {
            sources,
            log: Log::new(names.iter().map(String::as_str), options),
            began,
            printer,
            out: Vec::new(),
        })
    }

    /// Shows all there is, the oldest first.
    fn show(&mut self) -> Result<()> {
        loop {
            let mut oldest: Option<(Wall, usize)> = None;
            for (number, source) in self.sources.iter_mut().enumerate() {
                if let Some(at) = source.peek()?
                    && oldest.is_none_or(|(other, _)| at < other)
                {
                    oldest = Some((at, number));
                }
            }
            let Some((_, number)) = oldest else {
                return self.pour();
            };
            let (container, piece) = self.sources[number].take();
            if let Some(piece) = piece {
                self.write(container, &piece);
            }
            if self.out.len() >= FULL {
                self.pour()?;
            }
        }
    }

    fn write(&mut self, container: usize, piece: &Piece) {
        let Piece { at, stream, bytes } = piece;
        let since = at.as_unix().saturating_sub(self.began.as_unix());
        let now = Tick::ZERO + since;
        self.log.take(now, container, *stream, bytes, &mut self.out);
    }

    fn pour(&mut self) -> Result<()> {
        self.printer.bytes(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// Shows what was left without an end.
    fn end(&mut self) -> Result<()> {
        for source in &self.sources {
            self.log
                .end(source.last(self.began), source.container, &mut self.out);
        }
        self.pour()
    }
}

fn options(args: LogsArgs, began: Wall, printer: &Printer) -> Options {
    let form = match (args.json, io::stdout().is_terminal(), args.containers.len()) {
        (true, _, _) => Form::Json,
        (false, true, _) => Form::Terminal,
        (false, false, 1) => Form::Bare,
        (false, false, _) => Form::Prefixed,
    };
    Options {
        form,
        style: printer.style(),
        colours: if printer.has_colours() {
            Colours::Keep
        } else {
            Colours::Drop
        },
        stamps: if args.timestamps {
            Stamps::Absolute
        } else {
            Stamps::Relative
        },
        base: Base {
            tick: Tick::ZERO,
            elapsed: Duration::ZERO,
            wall: Some(began),
        },
        only: args.containers,
    }
}

/// Waits for more to be written.
struct Following {
    client: Client,
    files: OwnedFd,
}

// === impl Following ===

impl Following {
    /// Nothing if the pod does not run any more: nobody will write.
    fn begin(run: &Run) -> Result<Option<Self>> {
        let files = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)?;
        let what = inotify::WatchFlags::MODIFY
            | inotify::WatchFlags::CREATE
            | inotify::WatchFlags::MOVED_TO;
        inotify::add_watch(&files, run.logs(), what)?;
        let mut client = match find::one(Some(&run.pod())) {
            Ok(client) => client,
            // It runs, and nobody says when it writes.
            Err(
                error @ NotRunning::NotAnswered(
                    NotAnswered::Unreachable { .. }
                    | NotAnswered::Suspended { .. }
                    | NotAnswered::Silent { .. },
                ),
            ) => return Err(error.into()),
            Err(_) => return Ok(None),
        };
        client.ask(&Request::Wait)?;
        Ok(Some(Self { client, files }))
    }

    /// Says whether the pod is still there.
    fn wait(&mut self) -> Result<bool> {
        let mut events = [
            PollFd::new(&self.client, PollFlags::IN),
            PollFd::new(&self.files, PollFlags::IN),
        ];
        // Whatever it says, we look at both.
        let _ = poll(&mut events, None);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.files, &mut buffer);
        while reader.next().is_ok() {}
        match self.client.try_hear() {
            Ok(_) => Ok(true),
            Err(NotAnswered::Gone { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

// === impl NoPrevious ===

impl NoPrevious {
    fn new(run: &Run, container: Option<&str>) -> Self {
        let run = run.title();
        match container.map(str::to_owned) {
            Some(container) => Self::Container { run, container },
            None => Self::Nobody { run },
        }
    }
}

impl Hint for NoPrevious {
    fn hint(&self) -> Option<String> {
        Some("without `--previous` all that was written is shown".to_owned())
    }
}

// === impl NoSuchLog ===

impl Hint for NoSuchLog {
    fn hint(&self) -> Option<String> {
        let near = nearest(&self.wanted, self.names.iter().map(String::as_str));
        Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", self.names.join(", ")),
        })
    }
}
