//! What the containers write, line by line, each with the name of its container.
//!
//! | form | where | a line of `app` |
//! | --- | --- | --- |
//! | [`Form::Terminal`] | a terminal | ` 0.310s app      serving on :8080`, the name in its own colour |
//! | [`Form::Prefixed`] | a pipe | `app \| serving on :8080` |
//! | [`Form::Bare`] | a pipe, where one container is asked for | `serving on :8080` |
//! | [`Form::Json`] | `--json` | `{"log":{"container":"app","stream":"stdout","at":0.31,"line":"serving on :8080"}}` |
//!
//! The forms for pipes do not change with the pod: names are not padded, so that `grep '^app | '`
//! finds the same in every run. With `--timestamps` the calendar's time comes first, and in JSON
//! as `time`. In JSON a piece of a line that was too long, or had no end, says `"partial":true`.
//!
//! Bytes that a terminal would obey are taken out everywhere, see [`mod@pillion_runtime::clean`].

pub(crate) mod json;
pub(crate) mod prefix;
pub(crate) mod tail;

use pillion_engine::Tick;
use pillion_runtime::clean::{Colours, clean};
use pillion_timeline::story::Stamps;
use pillion_timeline::{Base, Style};
use prefix::Stamp;
use std::time::Duration;
use tail::{Piece, Tail};

/// The lines of all containers.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    sources: Vec<Source>,
    options: Options,
    /// The names in a terminal are padded to this.
    name_width: usize,
    stamp: Stamp,
}

/// How to show lines.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// In which form.
    pub(crate) form: Form,
    /// The characters that can be used.
    pub(crate) style: Style,
    /// Whether colours can be used, those of the containers too.
    pub(crate) colours: Colours,
    /// Which time to put in front.
    pub(crate) stamps: Stamps,
    /// When the pod began.
    pub(crate) base: Base,
    /// The containers to show; all if there are none.
    pub(crate) only: Vec<String>,
}

/// What a line looks like.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// For people: time, name, line, lined up.
    Terminal,
    /// Name and line.
    Prefixed,
    /// The line alone.
    Bare,
    /// One JSON object a line.
    Json,
}

/// Where a line was written to.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Stream {
    /// The standard output.
    Stdout,
    /// The standard error.
    Stderr,
}

/// One container.
#[derive(Clone, Debug)]
struct Source {
    name: Box<str>,
    shown: bool,
    /// What stands between the time and the line.
    prefix: Vec<u8>,
    tails: [Tail; 2],
}

/// How long a text without an end is held back before it is shown in a terminal. A program that
/// writes a line in several steps is done by then, and somebody who is asked a question still sees
/// it at once.
const PATIENCE: Duration = Duration::from_millis(200);

// === impl Log ===

impl Log {
    /// For the containers of those names, in the order of the pod.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>, options: Options) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let widest = names.iter().map(|name| name.chars().count()).max();
        let mut log = Self {
            sources: Vec::new(),
            name_width: widest.unwrap_or_default().min(prefix::WIDEST_NAME),
            stamp: Stamp::new(options.base, options.stamps),
            options,
        };
        for name in names {
            log.add(name);
        }
        log
    }

    /// Takes in a container that joined the pod, after all others; one that is known stays.
    pub(crate) fn meet(&mut self, name: &str) {
        if !self.sources.iter().any(|source| &*source.name == name) {
            self.add(name);
        }
    }

    fn add(&mut self, name: &str) {
        let only = &self.options.only;
        self.sources.push(Source {
            name: name.into(),
            shown: only.is_empty() || only.iter().any(|wanted| wanted == name),
            prefix: prefix::of(name, self.sources.len(), self.name_width, &self.options),
            tails: [Tail::default(), Tail::default()],
        });
    }

    /// Takes in what a container wrote; appends the lines that are whole.
    pub(crate) fn take(
        &mut self,
        now: Tick,
        container: usize,
        stream: Stream,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) {
        let Some((source, writer)) = self.parts(now, container) else {
            return;
        };
        let Source {
            name,
            prefix,
            tails,
            ..
        } = source;
        let tail = &mut tails[stream as usize];
        tail.take(now, bytes, |piece| {
            writer.write(name, prefix, stream, piece, out);
        });
    }

    /// Appends what a container left without an end: its process is gone.
    pub(crate) fn end(&mut self, now: Tick, container: usize, out: &mut Vec<u8>) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.flush(now, container, stream, out);
        }
    }

    /// When [`flush_due`](Self::flush_due) has something to do, if nothing more comes.
    #[must_use]
    pub(crate) fn next_flush(&self) -> Option<Tick> {
        if self.options.form != Form::Terminal {
            return None;
        }
        let tails = self.sources.iter().flat_map(|source| &source.tails);
        let oldest = tails.filter_map(Tail::waiting_since).min()?;
        Some(oldest + PATIENCE)
    }

    /// Appends what has waited long enough for its end. Only people are impatient: in a pipe a line
    /// is a line.
    pub(crate) fn flush_due(&mut self, now: Tick, out: &mut Vec<u8>) {
        if self.next_flush().is_none_or(|at| at > now) {
            return;
        }
        for container in 0..self.sources.len() {
            for stream in [Stream::Stdout, Stream::Stderr] {
                let tail = &self.sources[container].tails[stream as usize];
                if tail
                    .waiting_since()
                    .is_some_and(|since| since + PATIENCE <= now)
                {
                    self.flush(now, container, stream, out);
                }
            }
        }
    }

    fn flush(&mut self, now: Tick, container: usize, stream: Stream, out: &mut Vec<u8>) {
        if let Some((source, writer)) = self.parts(now, container) {
            let Source {
                name,
                prefix,
                tails,
                ..
            } = source;
            tails[stream as usize].flush(|piece| writer.write(name, prefix, stream, piece, out));
        }
    }

    /// A container that is shown, and how to write its lines.
    fn parts(&mut self, now: Tick, container: usize) -> Option<(&mut Source, Writer<'_>)> {
        let source = self.sources.get_mut(container)?;
        if !source.shown {
            return None;
        }
        let stamp = match self.options.form {
            Form::Json => {
                self.stamp.set_json(now);
                self.stamp.text()
            }
            Form::Terminal => {
                self.stamp.set(now);
                self.stamp.text()
            }
            Form::Prefixed | Form::Bare if self.options.stamps == Stamps::Absolute => {
                self.stamp.set(now);
                self.stamp.text()
            }
            Form::Prefixed | Form::Bare => "",
        };
        let writer = Writer {
            form: self.options.form,
            colours: self.options.colours,
            stamp,
        };
        Some((source, writer))
    }
}

/// Writes lines of one moment.
#[derive(Clone, Copy)]
struct Writer<'a> {
    form: Form,
    colours: Colours,
    stamp: &'a str,
}

// === impl Writer ===

impl Writer<'_> {
    fn write(self, name: &str, prefix: &[u8], stream: Stream, piece: Piece<'_>, out: &mut Vec<u8>) {
        match self.form {
            Form::Terminal | Form::Prefixed | Form::Bare => {
                out.extend_from_slice(self.stamp.as_bytes());
                out.extend_from_slice(prefix);
                clean(piece.bytes, self.colours, out);
            }
            Form::Json => json::write(name, stream, self.stamp, piece, out),
        }
        out.push(b'\n');
    }
}
