//! `--watch`: the pod file is applied again when it changes, and containers are restarted for their paths.
//!
//! ```text
//! something changes ─▶ Burst ─▶ (quiet for a moment) ─▶ apply, or restart ─▶ said
//! ```
//!
//! Editors write a file in several steps, and a checkout writes many: what comes in one burst is looked at once. A file
//! that changes while one is being applied has its turn after that.

mod burst;
mod followed;
mod paths;

use super::apply::{Applier, Rejected};
use crate::commands::apply::{NotApplied, text};
use crate::control::apply::{Apply, Report};
use crate::hint::Hint as _;
use crate::input;
use burst::Burst;
pub(crate) use followed::{Followed, NotFollowed};
use paths::Watched;
use pillion_engine::pod::Reaction;
use pillion_engine::{ContainerId, Engine, Entry, Request, Tick, What};
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::process::Processes;
use pillion_runtime::pump::Driven;
use pillion_runtime::watch::{WatchError, Watcher};
use pillion_spec::pod::Pod;
use pillion_spec::render::Renderer;
use pillion_spec::{Loaded, LowerOptions, load};
use pillion_timeline::text::tame;
use pillion_timeline::{Line, Style, Tone};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is watched, and what has changed.
#[derive(Debug)]
pub(super) struct Watching {
    watcher: Watcher,
    followed: Followed,
    /// The file as it was looked at last.
    seen: Vec<u8>,
    /// What the file is due for.
    file: Option<Burst>,
    watched: Watched,
    /// What containers are due for.
    containers: BTreeMap<String, Burst>,
    /// Whether the pod takes anything now: it does not while it restarts, or ends.
    takes: bool,
    /// A file that this one has begun is being applied.
    applying: bool,
    /// What people call the pod.
    pod: String,
}

/// Some lines that belong together.
pub(super) type Said = Vec<Line>;

// === impl Watching ===

impl Watching {
    /// For a pod that was made of this text.
    pub(super) fn new(
        followed: &Followed,
        pod: String,
        text: &str,
        poller: &Poller,
    ) -> Result<Self, anyhow::Error> {
        let mut watcher = Watcher::new().map_err(with_help)?;
        poller.add(&watcher, Token::Watched)?;
        watcher.add(&followed.path);
        Ok(Self {
            watcher,
            followed: followed.clone(),
            seen: text.as_bytes().to_vec(),
            // It may have changed since it was read.
            file: Some(Burst::new(Tick::ZERO)),
            watched: Watched::default(),
            containers: BTreeMap::new(),
            takes: true,
            applying: false,
            pod,
        })
    }

    /// Watches these paths for the containers of a pod, and no others any more. Says what is missing.
    pub(super) fn follow(&mut self, pod: &Pod, paths: &BTreeMap<String, Vec<String>>) -> Vec<Said> {
        let before = std::mem::replace(&mut self.watched, Watched::new(pod, paths, &self.followed));
        let (file, watched) = (&self.followed.path, &self.watched);
        self.watcher
            .retain(|path| path == file || watched.contains(path));
        let mut said = Vec::new();
        for (path, name) in self.watched.all() {
            if !before.contains(path) && !self.watcher.add(path) {
                let text = format!(": {name} does not exist; it is waited for");
                said.push(warning(text));
            }
        }
        said.extend(self.trouble());
        said
    }

    /// Something has happened to what is watched.
    pub(super) fn ready(&mut self, now: Tick) {
        for change in self.watcher.read() {
            if change.root == self.followed.path {
                Burst::add(&mut self.file, now).note(&change, String::new());
            }
            let name = self.watched.name_of(&change);
            for container in self.watched.containers_of(&change.root) {
                let burst = self.containers.entry(container.to_owned());
                let burst = burst.or_insert_with(|| Burst::new(now));
                burst.last = now;
                burst.note(&change, name.clone());
            }
        }
    }

    /// Something happened in the pod's life.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most of what happens in a pod is no news here"
    )]
    pub(super) fn told(&mut self, entry: &Entry, engine: &Engine) {
        match entry.what {
            What::Starting => {
                let containers = &engine.pod().containers;
                let container = entry.container.and_then(|id| containers.get(id.index()));
                if let Some(container) = container.filter(|one| self.watched.has(&one.name)) {
                    // Whatever changed before it started it sees by itself: what a build has just made, say.
                    self.ready(entry.at);
                    self.containers.remove(&*container.name);
                }
            }
            What::PodStarted { .. } => self.takes = true,
            What::PodStopping { .. } | What::PodKilled => {
                self.takes = false;
                // All of them start again, or never.
                self.containers.clear();
            }
            _ => {}
        }
    }

    /// When something is to be done here, if nothing happens; `busy` while a file is being applied.
    pub(super) fn next_wake(&self, busy: bool) -> Option<Tick> {
        let file = self.file.as_ref().filter(|_| self.takes && !busy);
        let containers = self.containers.values().filter(|_| self.takes);
        containers.chain(file).map(Burst::due).min()
    }

    /// Does what is due.
    pub(super) fn wake(
        &mut self,
        pod: &mut Driven<'_, Processes>,
        applier: &mut Applier,
        style: Style,
    ) -> Vec<Said> {
        let mut said: Vec<_> = self.trouble().into_iter().collect();
        if !self.takes {
            return said;
        }
        if !applier.is_busy()
            && let Some(burst) = self.file.take_if(|burst| burst.due() <= pod.now)
        {
            said.extend(self.look_at_file(&burst, pod, applier, style));
        }
        let due = self
            .containers
            .extract_if(.., |_, burst| burst.due() <= pod.now);
        let due: Vec<_> = due.collect();
        for (container, burst) in due {
            said.extend(restart(&container, &burst, pod));
        }
        said
    }

    /// What came of a file, if it was this one that brought it.
    pub(super) fn applied(&mut self, report: &Report) -> Vec<Said> {
        if !std::mem::take(&mut self.applying) || report.containers.is_empty() {
            return Vec::new();
        }
        let mut lines = text::report(&self.pod, report);
        // The last line says it all, and gets the time.
        let last = lines.pop();
        let mut said = Said::from_iter(last);
        said.append(&mut lines);
        vec![said]
    }

    fn look_at_file(
        &mut self,
        burst: &Burst,
        pod: &mut Driven<'_, Processes>,
        applier: &mut Applier,
        style: Style,
    ) -> Option<Said> {
        let name = tame(&self.followed.name);
        if !self.followed.path.exists() {
            let gone = burst.has_gone();
            let text = format!("{name} is gone: the pod runs on, and the file is waited for");
            return gone.then(|| vec![Line::new(Tone::Waiting, text)]);
        }
        let bytes = match input::read(&self.followed.path) {
            Ok(input) => input.bytes,
            Err(error) => {
                let source = std::error::Error::source(&error);
                let why = source.map(|why| format!(": {why}")).unwrap_or_default();
                let text = format!("{name} changed, and cannot be read{why}");
                return Some(vec![Line::new(Tone::Bad, text)]);
            }
        };
        if bytes == self.seen {
            return None;
        }
        self.seen.clone_from(&bytes);
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let options = LowerOptions::WITHOUT_IMAGES;
                let loaded = load(&self.followed.name, error.as_bytes(), options);
                return Some(findings(&name, &loaded, style));
            }
        };
        let apply = Apply {
            file: self.followed.name.clone(),
            text,
            force: false,
            dry_run: false,
            timeout: None,
        };
        Some(match applier.begin(&apply, pod) {
            Ok(plan) => {
                self.applying = true;
                let head = format!(" changed: {}", text::extent(&plan, false));
                let mut said = vec![Line::new(Tone::Strong, name).and(Tone::Plain, head)];
                said.extend(text::changes(&plan, style));
                said
            }
            Err(Rejected::Findings(loaded)) => findings(&name, &loaded, style),
            Err(Rejected::Problems(problems)) => {
                let refused = NotApplied::new(self.pod.clone(), problems);
                let help = refused.hint().map(|help| format!("help: {help}"));
                let mut said = lines_of(&format!("{name} changed: {refused}"), Tone::Bad);
                said.extend(help.iter().flat_map(|help| lines_of(help, Tone::Plain)));
                said
            }
            // Not before this one is over; see above.
            Err(Rejected::Busy) => return None,
        })
    }

    fn trouble(&mut self) -> Option<Said> {
        let trouble = self.watcher.take_trouble()?;
        let why = std::error::Error::source(&trouble);
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let mut said = warning(format!(": {trouble}{why}"));
        said.extend(
            trouble
                .help()
                .map(|help| Line::new(Tone::Plain, format!("help: {help}"))),
        );
        Some(said)
    }
}

/// Restarts a container for what has changed. What has gone is only told.
fn restart(container: &str, burst: &Burst, pod: &mut Driven<'_, Processes>) -> Vec<Said> {
    let gone = burst.gone().map(|name| {
        let text = format!("{name} is gone: {container} runs on, and it is waited for");
        vec![Line::new(Tone::Waiting, text)]
    });
    let said = gone.collect();
    let (Some(reason), Some(id)) = (burst.reason(), id_of(container, pod)) else {
        return said;
    };
    // The engine tells of it, and why. A pod that is ending takes no more requests.
    let _ = pod.request(Request::Ask {
        reaction: Reaction::Restart,
        by: Some(id),
        reason: reason.into(),
    });
    said
}

fn id_of(name: &str, pod: &Driven<'_, Processes>) -> Option<ContainerId> {
    let mut containers = (0..).zip(&pod.engine().pod().containers);
    containers.find_map(|(number, one)| (*one.name == *name).then_some(ContainerId(number)))
}

fn findings(name: &str, loaded: &Loaded, style: Style) -> Said {
    let renderer = Renderer::plain().width(style.width);
    let text = renderer.render_all(&loaded.source, &loaded.diagnostics);
    let head = format!("{name} changed, and has errors: the pod runs on as it is");
    let mut said = vec![Line::new(Tone::Bad, head)];
    said.extend(lines_of(&text, Tone::Plain));
    said
}

fn lines_of(text: &str, first: Tone) -> Said {
    let lines = text.lines().enumerate();
    let tone = |number| if number == 0 { first } else { Tone::Plain };
    lines
        .map(|(number, line)| Line::new(tone(number), line))
        .collect()
}

fn warning(text: String) -> Said {
    vec![Line::new(Tone::Waiting, "warning").and(Tone::Plain, text)]
}

fn with_help(error: WatchError) -> anyhow::Error {
    let help = error.help();
    let error = anyhow::Error::new(error);
    match help {
        Some(help) => error.context(help),
        None => error,
    }
}

/// A path seen from a folder. What is above a link depends on where it leads, so `..` stays.
fn absolute(path: &Path, from: &Path) -> PathBuf {
    from.join(path).components().collect()
}
