//! All that `pillion run` shows, put together: what is told, and where it goes.
//!
//! | mode | standard output | standard error |
//! | --- | --- | --- |
//! | terminal | logs, trouble, the pod below them, the result | |
//! | pipe | logs | the story, the result |
//! | JSON | a header, then records of the timeline and lines of logs, one a line | |
//!
//! Quiet, there are logs, and the result on the standard error if it is a failure. Whoever shows
//! only the logs of some containers wants nothing told between them either, but the result stays.
//! JSON is always complete.

use super::beside;
use super::log::prefix::stamp;
use super::log::{self, Form, Log, Stream};
use super::moments::Moments;
use super::screen::{Look, Screen};
use super::teller::Teller;
use super::view::View;
use crate::printer::Painted;
use pillion_engine::status::Phase;
use pillion_engine::{ContainerId, Engine, Tick};
use pillion_runtime::clean::Colours;
use pillion_timeline::story::{Stamps, Told};
use pillion_timeline::words::is_asked_restart;
use pillion_timeline::{Base, Header, Line, Record, Style, Timeline, Tone, What, json};
use std::io::{self, Write};

/// What somebody sees of a pod that runs.
pub(crate) struct Show<O: Write, E: Write> {
    name: String,
    settings: Settings,
    base: Base,
    moments: Moments,
    teller: Teller,
    log: Log,
    face: Face<O, E>,
}

/// What somebody wants to see.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Where it goes.
    pub(crate) mode: Mode,
    /// What the terminal can do.
    pub(crate) look: Look,
    /// Nothing but logs, and failure.
    pub(crate) quiet: bool,
    /// Which time to put in front.
    pub(crate) stamps: Stamps,
    /// The containers whose logs to show; all if there are none.
    pub(crate) only: Vec<String>,
}

/// Where it goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    /// To somebody who looks at it.
    Terminal,
    /// To a file, or another program.
    Pipe,
    /// To another program that reads JSON.
    Json,
}

enum Face<O: Write, E: Write> {
    Screen(Box<Screen<O>>),
    Pipes(Pipes<O, E>),
}

/// Two pipes, and what is to be written to them.
struct Pipes<O, E> {
    out: O,
    err: E,
    data: Vec<u8>,
    notes: Vec<u8>,
}

/// So many bytes are written without waiting for more.
const FULL: usize = 64 * 1024;

// === impl Show ===

impl<O: Write, E: Write> Show<O, E> {
    /// For a pod that began then.
    pub(crate) fn new(header: &Header, base: Base, settings: Settings, out: O, err: E) -> Self {
        let names = header.containers.iter().map(|head| &*head.name);
        let mut show = Self {
            name: header.pod.to_string(),
            base,
            moments: Moments::new(base),
            teller: Teller::new(Timeline::new(header.clone())),
            log: Log::new(names, settings.log_options(base)),
            face: Face::new(&settings, out, err),
            settings,
        };
        if show.settings.mode == Mode::Json {
            let line = json::header_line(header);
            show.face.data().extend_from_slice(line.as_bytes());
        }
        show
    }

    /// Something happened in the pod.
    pub(crate) fn told(&mut self, record: Record) {
        if self.settings.mode == Mode::Json {
            let line = json::record_line(&record);
            self.face.data().extend_from_slice(line.as_bytes());
        }
        if let Some(name) = &record.container {
            self.log.meet(name);
        }
        self.face.changed();
        self.moments.note(&record);
        self.teller.note(record);
    }

    /// Something is to be said to people only, where there is no record of it.
    pub(crate) fn note(&mut self, now: Tick, line: &Line) {
        if self.settings.mode != Mode::Json {
            self.say(now, std::slice::from_ref(line));
        }
    }

    /// Something is to be said that is no part of the pod's life. The first line gets the time.
    pub(crate) fn say(&mut self, now: Tick, lines: &[Line]) {
        if self.settings.mode == Mode::Json {
            let at = self.base.elapsed + now.since(self.base.tick);
            let line = beside::line(at, lines);
            self.face.data().extend_from_slice(line.as_bytes());
            return;
        }
        if self.settings.quiet || !self.settings.only.is_empty() {
            return;
        }
        let colour = self.settings.look.colour;
        for (number, line) in lines.iter().enumerate() {
            let line = if number == 0 {
                let stamp = stamp(self.base, self.settings.stamps, now);
                let mut first = Line::new(Tone::Dim, stamp);
                first.append(line);
                first
            } else {
                line.clone()
            };
            match &mut self.face {
                Face::Screen(screen) => paint(&line, colour, screen.logs()),
                Face::Pipes(pipes) => pipes.note(&line, colour),
            }
        }
    }

    /// An attempt of a probe failed, and why. Says whether that is news.
    pub(crate) fn probe_failed(&mut self, name: &str, words: String) -> bool {
        let news = self.moments.probe_failed(name, words);
        if news {
            self.face.changed();
        }
        news
    }

    /// What the terminal can show.
    pub(crate) const fn style(&self) -> Style {
        self.settings.look.style
    }

    /// The pod as it is now.
    pub(crate) fn view(&self, engine: &Engine, now: Tick) -> View {
        View::of(engine, &self.name, &self.moments, now)
    }

    /// A container wrote something.
    pub(crate) fn wrote(
        &mut self,
        now: Tick,
        container: ContainerId,
        stream: Stream,
        bytes: &[u8],
    ) -> io::Result<()> {
        let data = self.face.data();
        self.log.take(now, container.index(), stream, bytes, data);
        self.face.relieve()
    }

    /// A container will write nothing more in this run of it.
    pub(crate) fn hung_up(&mut self, now: Tick, container: ContainerId) {
        self.log.end(now, container.index(), self.face.data());
    }

    /// The terminal has another size.
    pub(crate) fn resize(&mut self, width: usize, height: usize) {
        if let Face::Screen(screen) = &mut self.face {
            screen.resize(width, height);
        }
        self.settings.look.style.width = width;
    }

    /// Somebody else uses the terminal for a while.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        match &mut self.face {
            Face::Screen(screen) => screen.leave(),
            Face::Pipes(pipes) => pipes.pour(),
        }
    }

    /// When to call [`settle`](Self::settle) though nothing happens.
    #[must_use]
    pub(crate) fn next(&self, now: Tick) -> Option<Tick> {
        let redraw = match &self.face {
            Face::Screen(screen) => screen.next_redraw(now),
            Face::Pipes(_) => None,
        };
        [redraw, self.log.next_flush()].into_iter().flatten().min()
    }

    /// Shows what is due. To be called after everything that happens, when the engine has told all.
    pub(crate) fn settle(&mut self, now: Tick, engine: &Engine) -> io::Result<()> {
        self.tell();
        self.log.flush_due(now, self.face.data());
        match &mut self.face {
            Face::Screen(screen) => {
                if screen.next_redraw(now).is_some_and(|at| at <= now) {
                    let view = View::of(engine, &self.name, &self.moments, now);
                    screen.draw(now, &view)?;
                }
                Ok(())
            }
            Face::Pipes(pipes) => pipes.pour(),
        }
    }

    /// Shows the rest, and how the pod ended.
    pub(crate) fn finish(&mut self, now: Tick, engine: &Engine) -> io::Result<()> {
        for container in 0..engine.pod().containers.len() {
            self.log.end(now, container, self.face.data());
        }
        self.tell();
        let result = self.teller.result(self.settings.look.style);
        let result = result.filter(|_| !self.settings.quiet || has_failed(engine));
        match &mut self.face {
            Face::Screen(screen) => {
                let view = View::of(engine, &self.name, &self.moments, now);
                screen.finish(&view, &result.unwrap_or_default())
            }
            Face::Pipes(pipes) => {
                if let (Some(line), Mode::Terminal | Mode::Pipe) = (result, self.settings.mode) {
                    pipes.note(&line, self.settings.look.colour);
                }
                pipes.pour()
            }
        }
    }

    fn tell(&mut self) {
        for told in self.teller.tell() {
            if self.is_wanted(&told) {
                let line = self.line_of(&told);
                let colour = self.settings.look.colour;
                match &mut self.face {
                    Face::Screen(screen) => paint(&line, colour, screen.logs()),
                    Face::Pipes(pipes) => pipes.note(&line, colour),
                }
            }
        }
    }

    /// In a terminal the area below tells the story, and only trouble is worth a line that stays, and what somebody
    /// asked for.
    fn is_wanted(&self, told: &Told) -> bool {
        if self.settings.quiet || !self.settings.only.is_empty() {
            return false;
        }
        match self.settings.mode {
            Mode::Terminal => {
                let record = self.teller.record(told);
                let asked = record.is_some_and(is_asked_restart);
                asked || told.tone == Tone::Bad && !self.was_asked_for(told)
            }
            Mode::Pipe => !self.is_minor(told),
            Mode::Json => false,
        }
    }

    /// Whether it is the exit of a container that was told to stop, or the end of the pod.
    fn was_asked_for(&self, told: &Told) -> bool {
        let Some(record) = self.teller.record(told) else {
            return false;
        };
        let in_order = |name: &str| {
            let moment = self.moments.container(name);
            // It may have been started again in the same moment.
            let left = matches!(record.what, What::Exited { .. }) && moment.left_in_order;
            left || moment.stopping.is_some() && moment.in_order
        };
        record.container.as_deref().is_some_and(in_order) || is_the_end(&record.what)
    }

    /// Small steps take no time, mostly, and the last line tells the end better.
    fn is_minor(&self, told: &Told) -> bool {
        let what = self.teller.record(told).map(|record| &record.what);
        what.is_some_and(|what| is_small_step(what) || is_the_end(what))
    }

    fn line_of(&self, told: &Told) -> Line {
        let at = self.base.tick + told.at.saturating_sub(self.base.elapsed);
        let stamp = stamp(self.base, self.settings.stamps, at);
        Line::new(Tone::Dim, stamp).and(told.tone, &*told.text)
    }
}

const fn is_the_end(what: &What) -> bool {
    matches!(what, What::PodEnded { .. })
}

/// Whether it lies between a container's turn and its being of use: that it starts, and that it is
/// ready, is told.
const fn is_small_step(what: &What) -> bool {
    matches!(
        what,
        What::Turn | What::Pulling | What::Pulled | What::Running | What::Started
    )
}

fn has_failed(engine: &Engine) -> bool {
    let result = engine.result();
    result.is_some_and(|result| result.phase != Phase::Succeeded)
}

// === impl Settings ===

impl Settings {
    fn log_options(&self, base: Base) -> log::Options {
        log::Options {
            form: self.form(),
            style: self.look.style,
            colours: if self.look.colour {
                Colours::Keep
            } else {
                Colours::Drop
            },
            stamps: self.stamps,
            base,
            only: self.only.clone(),
        }
    }

    /// The logs of one container in a pipe need no names.
    fn form(&self) -> Form {
        match self.mode {
            Mode::Terminal => Form::Terminal,
            Mode::Pipe if self.only.len() == 1 => Form::Bare,
            Mode::Pipe => Form::Prefixed,
            Mode::Json => Form::Json,
        }
    }
}

// === impl Face ===

impl<O: Write, E: Write> Face<O, E> {
    fn new(settings: &Settings, out: O, err: E) -> Self {
        if settings.mode == Mode::Terminal && !settings.quiet {
            return Self::Screen(Box::new(Screen::new(out, settings.look)));
        }
        Self::Pipes(Pipes {
            out,
            err,
            data: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Where logs and records are put.
    fn data(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Screen(screen) => screen.logs(),
            Self::Pipes(pipes) => &mut pipes.data,
        }
    }

    fn changed(&mut self) {
        if let Self::Screen(screen) = self {
            screen.changed();
        }
    }

    /// A flood is not kept in memory.
    fn relieve(&mut self) -> io::Result<()> {
        match self {
            Self::Pipes(pipes) if pipes.data.len() >= FULL => pipes.pour(),
            Self::Screen(_) | Self::Pipes(_) => Ok(()),
        }
    }
}

// === impl Pipes ===

impl<O: Write, E: Write> Pipes<O, E> {
    fn note(&mut self, line: &Line, colour: bool) {
        paint(line, colour, &mut self.notes);
    }

    fn pour(&mut self) -> io::Result<()> {
        pour(&mut self.data, &mut self.out)?;
        pour(&mut self.notes, &mut self.err)
    }
}

/// Writes everything, or forgets it: what nobody takes is not kept.
fn pour(bytes: &mut Vec<u8>, to: &mut impl Write) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let written = to.write_all(bytes).and_then(|()| to.flush());
    bytes.clear();
    written
}

fn paint(line: &Line, colour: bool, out: &mut Vec<u8>) {
    let text = if colour {
        Painted(line).to_string()
    } else {
        line.to_string()
    };
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}
