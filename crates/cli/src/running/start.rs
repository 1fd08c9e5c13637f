//! Prepares a run, runs it, and cleans up.

use super::apply::Applier;
use super::face::{Face, TAKEN};
use super::fault::Faults;
use super::keeping::{Keeping, Kept};
use super::leavings::Leavings;
use super::limits::limits;
use super::not_run::define;
use super::outlets::Outlets;
use super::room::Taken;
use super::server::{About, Server};
use super::unkept::unkept;
use super::watch::{Followed, Watching};
use super::{host, memory, result, room, survivors};
use crate::control::message::title;
use crate::exit::ExitStatus;
use crate::live::screen::Look;
use crate::live::show::{Mode, Settings, Show};
use crate::printer::Printer;
use crate::state::{Begun, NotBegun, StateFolder};
use anyhow::{Context as _, Result};
use pillion_engine::{Engine, Tick};
use pillion_runtime::clock;
use pillion_runtime::descriptors;
use pillion_runtime::guard::Guard;
use pillion_runtime::guard::cgroup;
use pillion_runtime::journal::{Durable, Journal};
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::process::recipe;
use pillion_runtime::process::volume::VolumePlan;
use pillion_runtime::process::{Larder, Processes, Room, ask_path};
use pillion_runtime::pump::Pump;
use pillion_runtime::signals::Signals;
use pillion_simulator::act::Act;
use pillion_spec::{Loaded, LoadedPod, LowerOptions};
use pillion_timeline::story::Stamps;
use pillion_timeline::{Base, Line, Recorder, Tone, Wall};
use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a run needs whatever its file says. The guard takes about as long to come up as the file does to be read, so it is
/// started first. Dropped, it ends.
#[derive(Debug)]
pub(crate) struct Ready {
    signals: Signals,
    program: PathBuf,
    guard: Guard,
}

/// How to run a pod.
#[derive(Debug)]
pub(crate) struct Options {
    /// How the file was read, and how others are.
    pub(crate) lowering: LowerOptions,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) only_logs: Vec<String>,
    pub(crate) timestamps: bool,
    pub(crate) faults: Vec<Act>,
    pub(crate) watch: Option<Followed>,
}

// === impl Ready ===

impl Ready {
    pub(crate) fn new() -> Result<Self> {
        // Before anything is started, so that nobody is interrupted.
        let signals = Signals::new(&TAKEN).context("cannot take signals")?;
        let program = env::current_exe().context("cannot tell where pillion is")?;
        let guard = Guard::start(&program, &["guard"]).context("cannot start the guard")?;
        Ok(Self {
            signals,
            program,
            guard,
        })
    }
}

/// Runs a pod to its end.
pub(crate) fn run(
    ready: Ready,
    loaded: &Loaded,
    pod: &LoadedPod,
    options: Options,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let (namespace, name) = (pod.file.namespace(), pod.file.name());
    let folder = room::folder(namespace, name)?;
    let mut begun = StateFolder::locate()?.begin(namespace, name)?;
    let mut taken = room::take(&folder)?;
    let mut leavings = Leavings::new(folder.clone(), begun.run.volumes());
    let group = format!("{}_", room::mark(&begun.run));
    clean_up(&taken, &begun, &group, printer)?;
    let memory = memory::folder(&begun.run);
    if let Some(folder) = &memory {
        memory::clean(folder)?;
    }
    let mut larder = larder(loaded, pod, &begun, &folder, &ready.program);
    larder.run.memory_volumes.clone_from(&memory);
    let larder = Rc::new(larder);
    descriptors::raise_limit();
    let (definitions, volumes) = define(&larder, &ready.guard, loaded, pod)?;
    keep_file(&begun, loaded)?;
    let (limits, unlimited) = limits(&definitions);
    let unkept = [unlimited, unkept(&pod.file.pod.spec)];
    warn_before(unkept, &volumes, memory.as_deref(), printer)?;
    if !limits.is_empty() {
        // What an earlier run could not clean up.
        cgroup::clean(&group)?;
        leavings.group(&group);
    }
    for volume in &volumes {
        let placed = leavings.place(volume, memory.as_deref());
        placed.with_context(|| format!("cannot make the volume `{}`", volume.name))?;
    }
    let poller = Rc::new(Poller::new().context("cannot wait for anything")?);
    poller.add(&ready.signals, Token::Signals)?;
    let room = Room {
        folder: folder.clone(),
        group: group.clone(),
        limits,
    };
    let mut processes = Processes::new(ready.guard, Rc::clone(&poller), definitions, room)
        .context("cannot get ready to run containers")?;
    processes
        .adopt()
        .context("cannot take care of containers")?;
    processes.listen()?;
    let engine = Engine::new(pod.lowered.pod.clone(), clock::now());
    let engine = engine.map_err(|wrong| anyhow::anyhow!("the graph cannot be run: {wrong:?}"))?;
    let base = now();
    let about = About {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: larder.run.uid.clone(),
        base,
        file: begun.run.pod_file(),
    };
    let server = Server::open(&folder, Rc::clone(&poller), about)?;
    begun.announce(&folder);
    let watch = pod.file.watch.clone();
    let applier = Applier::new(
        begun.run.pod_file(),
        options.lowering,
        larder,
        volumes,
        leavings,
        group,
        watch,
    );
    let followed = options.watch.as_ref();
    let watching = followed.map(|followed| {
        let name = title(&begun.run.namespace, &begun.run.name);
        Watching::new(followed, name, loaded.source.text(), &poller)
    });
    let outside = Outside {
        outlets: Outlets::new(Rc::clone(&poller)).context("cannot get ready to show anything")?,
        signals: ready.signals,
        server,
        applier,
        watching: watching.transpose()?,
    };
    let face = face(&engine, &begun, options, outside, base, printer)?;
    let journal = Journal::create(&begun.run.folder.join("journal"), Durable::Process);
    let journal = journal.map_err(|source| begun.unwritable(source))?;
    let mut pump = Pump::new(engine, processes, Kept::new(journal), face);
    begun.start();
    taken.start();
    let ended = pump.run();
    let (engine, processes, journal, mut face) = pump.into_parts();
    if ended.is_ok() {
        face.keep_end(&begun.run, &engine);
    }
    begun.withdraw();
    processes.finish()?;
    let removed = face.applier.leavings.remove();
    let result = ended?;
    // If nobody can see it any more, the exit status still tells.
    let _ = face.show.finish(clock::now(), &engine);
    face.server.finish();
    let trouble = face.keeping.finish().or(journal.trouble());
    if face.outlets.finish(&face.signals, face.asked > 0) {
        // The disk that is full may be the one that this goes to.
        let _ = warn_of(trouble, face.unshown, removed, printer);
    }
    Ok(result::status(&result, face.ended_by))
}

/// What somebody should know whose oneshots have set something up.
const KILLED: &str = "pillion was killed in an earlier run of this pod: everything begins anew, and nothing was undone";

/// Removes what earlier runs have left, after whoever could still write there.
fn clean_up(taken: &Taken, begun: &Begun, group: &str, printer: &mut Printer) -> Result<()> {
    if taken.was_left()? {
        warn(printer, KILLED)?;
        for text in survivors::bring_down(taken, group) {
            warn(printer, &text)?;
        }
        taken.empty()?;
    }
    begun.clean_up()?;
    Ok(())
}

/// The pod begins now.
fn now() -> Base {
    Base {
        tick: clock::now(),
        wall: Some(Wall::from_unix(clock::since_1970())),
        ..Base::default()
    }
}

/// Keeps the file as it is now.
fn keep_file(begun: &Begun, loaded: &Loaded) -> Result<(), NotBegun> {
    let written = fs::write(begun.run.pod_file(), loaded.source.text());
    written.map_err(|source| begun.unwritable(source))
}

/// Tells what will not be as the file has it.
fn warn_before(
    unkept: [Option<String>; 2],
    volumes: &[VolumePlan],
    memory: Option<&Path>,
    printer: &mut Printer,
) -> io::Result<()> {
    let on_disk = memory::missing(volumes, memory);
    let too_large = memory::unlimited(volumes);
    let all = unkept.into_iter().chain([on_disk, too_large]);
    for text in all.flatten() {
        warn(printer, &text)?;
    }
    Ok(())
}

/// Tells what went wrong beside the pod, which has ended as it has.
fn warn_of(
    trouble: Option<impl Display>,
    unshown: Option<String>,
    removed: Result<()>,
    printer: &mut Printer,
) -> io::Result<()> {
    if let Some(trouble) = trouble {
        let text = format!("the timeline and the logs are not complete: {trouble}");
        warn(printer, &text)?;
    }
    if let Some(why) = unshown {
        warn(printer, &format!("not all of this run was shown: {why}"))?;
    }
    if let Err(error) = removed {
        warn(
            printer,
            &format!("cannot clean up after the run: {error:#}"),
        )?;
    }
    Ok(())
}

fn warn(printer: &mut Printer, text: &str) -> io::Result<()> {
    let text = format!(": {text}");
    printer.note(&Line::new(Tone::Waiting, "warning").and(Tone::Plain, text))
}

fn larder(loaded: &Loaded, pod: &LoadedPod, begun: &Begun, room: &Path, program: &Path) -> Larder {
    let (namespace, name) = (&begun.run.namespace, &begun.run.name);
    let uid = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
    let containers = pod.file.pod.spec.all_containers().enumerate();
    let variables: BTreeMap<_, _> = containers
        .map(|(index, (_, _, container))| {
            let socket = ask_path(room, index);
            let variables = [
                ("PILLION", program.display().to_string()),
                ("PILLION_POD", name.clone()),
                ("PILLION_NAMESPACE", namespace.clone()),
                ("PILLION_CONTAINER", container.name.clone()),
                ("PILLION_SOCKET", socket.display().to_string()),
            ];
            let variables = variables.map(|(name, value)| (name.to_owned(), value));
            (container.name.clone(), variables.into())
        })
        .collect();
    Larder {
        pod: pod.file.pod.clone(),
        config_maps: loaded.config_maps.clone(),
        secrets: loaded.secrets.clone(),
        host: host::look(),
        run: recipe::Run {
            name: name.clone(),
            namespace: namespace.clone(),
            uid: uid.trim().to_owned(),
            addresses: vec!["127.0.0.1".to_owned()],
            volumes: begun.run.volumes(),
            memory_volumes: None,
            moved: BTreeMap::new(),
            variables,
        },
    }
}

/// Those who want something of the pod.
struct Outside {
    outlets: Outlets,
    signals: Signals,
    server: Server,
    applier: Applier,
    watching: Option<Watching>,
}

fn face(
    engine: &Engine,
    begun: &Begun,
    options: Options,
    outside: Outside,
    base: Base,
    printer: &Printer,
) -> Result<Face> {
    let recorder = Recorder::new(engine.pod(), base);
    let header = recorder.header(engine.pod());
    let keeping = Keeping::begin(&begun.run.folder, &header);
    let keeping = keeping.map_err(|source| begun.unwritable(source))?;
    let containers = engine.pod().containers.iter();
    let names: Vec<_> = containers.map(|container| &*container.name).collect();
    let faults = Faults::new(options.faults, &names, base.tick)?;
    let settings = Settings {
        mode: match options.json {
            true => Mode::Json,
            false if io::stdout().is_terminal() => Mode::Terminal,
            false => Mode::Pipe,
        },
        look: Look {
            style: printer.style(),
            height: terminal_size::terminal_size().map_or(24, |(_, height)| height.0.into()),
            colour: printer.has_colours(),
        },
        quiet: options.quiet,
        stamps: if options.timestamps {
            Stamps::Absolute
        } else {
            Stamps::Relative
        },
        only: options.only_logs,
    };
    let Outside {
        outlets,
        signals,
        server,
        applier,
        watching,
    } = outside;
    let (out, err) = (outlets.out.clone(), outlets.err.clone());
    let mut face = Face {
        show: Show::new(&header, base, settings, out, err),
        outlets,
        recorder,
        keeping,
        signals,
        faults,
        server,
        applier,
        watching,
        base,
        ended_by: None,
        asked: 0,
        alone: false,
        unshown: None,
        now: Tick::ZERO,
    };
    face.follow(base.tick);
    Ok(face)
}
