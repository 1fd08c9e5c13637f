//! What stands before a line: the time, and whose it is.

use super::{Form, Options};
use pillion_engine::Tick;
use pillion_runtime::clean::Colours;
use pillion_timeline::Base;
use pillion_timeline::quantity::moment;
use pillion_timeline::story::Stamps;
use std::fmt::Write as _;
use std::time::Duration;

/// Longer names lose their middle in a terminal: the line is worth more.
pub(super) const WIDEST_NAME: usize = 20;

/// The time of a line, written once for all lines that come at the same moment.
#[derive(Clone, Debug)]
pub(super) struct Stamp {
    base: Base,
    stamps: Stamps,
    of: Option<Tick>,
    text: String,
}

/// Names are told apart by colours that can be read on a light and on a dark ground, and that are
/// not those of states. Numbers of the usual palette of 256; neighbours differ most.
pub(super) const COLOURS: [u8; 10] = [31, 133, 64, 130, 97, 30, 132, 67, 94, 61];

/// What stands between the time and the lines of a container.
pub(super) fn of(name: &str, number: usize, width: usize, options: &Options) -> Vec<u8> {
    let text = match options.form {
        Form::Terminal => {
            let short = options.style.shorten(name, width);
            let colour = COLOURS[number % COLOURS.len()];
            match options.colours {
                Colours::Keep => format!("\x1b[38;5;{colour}m{short:<width$}\x1b[0m  "),
                Colours::Drop => format!("{short:<width$}  "),
            }
        }
        Form::Prefixed => format!("{name} | "),
        Form::Bare | Form::Json => String::new(),
    };
    text.into_bytes()
}

// === impl Stamp ===

impl Stamp {
    pub(super) const fn new(base: Base, stamps: Stamps) -> Self {
        Self {
            base,
            stamps,
            of: None,
            text: String::new(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// For people: ` 0.310s `, or the calendar's time.
    pub(super) fn set(&mut self, now: Tick) {
        if self.of != Some(now) {
            self.of = Some(now);
            self.text = stamp(self.base, self.stamps, now);
        }
    }

    /// For programs: `"at":0.31`, and `"time":"…"` where it is asked for.
    pub(super) fn set_json(&mut self, now: Tick) {
        if self.of != Some(now) {
            self.of = Some(now);
            self.text = format!("\"at\":{}", seconds(since_start(self.base, now)));
            if let (Stamps::Absolute, Some(wall)) = (self.stamps, self.base.wall) {
                let time = wall.after(now.since(self.base.tick));
                let _ = write!(self.text, ",\"time\":\"{time}\"");
            }
        }
    }
}

/// The time of something, with the space that follows it. Times of one kind line up.
pub(in crate::live) fn stamp(base: Base, stamps: Stamps, at: Tick) -> String {
    match (stamps, base.wall) {
        (Stamps::Absolute, Some(wall)) => format!("{} ", wall.after(at.since(base.tick))),
        (Stamps::Absolute, None) | (Stamps::Relative, _) => {
            format!("{:>7} ", moment(since_start(base, at)))
        }
    }
}

fn since_start(base: Base, at: Tick) -> Duration {
    base.elapsed.saturating_add(at.since(base.tick))
}

/// Up to six decimals, as in the records of a timeline.
fn seconds(time: Duration) -> String {
    let text = format!("{}.{:06}", time.as_secs(), time.subsec_micros());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
