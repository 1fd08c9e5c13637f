//! The line of the pod: where it is going, how far it has come, who is waited for.

use super::count::Count;
use super::{Head, Row, Standing, few};
use crate::live::moments::Moments;
use pillion_engine::fact::Goal;
use pillion_engine::{Engine, Tick};
use pillion_timeline::Tone;
use pillion_timeline::quantity::length;

/// A line that is being put together.
struct Sentence<'a> {
    engine: &'a Engine,
    rows: &'a [Row],
    moments: &'a Moments,
    count: &'a Count,
    parts: Vec<(Tone, String)>,
}

pub(super) fn of(
    engine: &Engine,
    name: &str,
    rows: &[Row],
    moments: &Moments,
    count: &Count,
) -> Head {
    let mut sentence = Sentence {
        engine,
        rows,
        moments,
        count,
        parts: Vec::new(),
    };
    let hint = sentence.all();
    Head {
        name: name.to_owned(),
        parts: sentence.parts,
        hint,
    }
}

// === impl Sentence ===

impl Sentence<'_> {
    /// Says all there is, and gives the hint that goes with it.
    fn all(&mut self) -> Option<&'static str> {
        if self.engine.result().is_some() {
            self.push(Tone::Plain, "ended");
            return None;
        }
        match *self.engine.goal() {
            Goal::Run => {
                self.run();
                Some("Ctrl-C stops in order")
            }
            Goal::Restart {
                waiting: Some(then),
                ..
            } => {
                let text = format!("restarting in {}", self.count.until(then));
                self.push(Tone::Waiting, text);
                Some("Ctrl-C ends it")
            }
            Goal::Restart { deadline, .. } => {
                self.stop("restarting", deadline);
                Some("Ctrl-C ends it")
            }
            Goal::End { deadline, .. } => {
                self.stop("stopping", deadline);
                Some("Ctrl-C kills at once")
            }
        }
    }

    fn run(&mut self) {
        let pod = self.moments.pod();
        if self.engine.is_pod_ready() {
            // Without a time that runs on: nothing has to be drawn until something happens.
            self.push(Tone::Plain, "running");
            let ready = pod.ready.unwrap_or(pod.began).since(pod.began);
            self.push(Tone::Good, format!("ready after {}", length(ready)));
        } else if let Some(unready) = pod.unready {
            let text = format!("not ready for {}", self.count.since(unready));
            self.push(Tone::Waiting, text);
            self.waiting_for();
        } else {
            let (word, done) = if self.has_services() {
                ("starting", "up")
            } else {
                ("running", "done")
            };
            let text = format!("{word} {}", self.count.since(pod.began));
            self.push(Tone::Waiting, text);
            self.progress(done);
            self.waiting_for();
        }
        if self.engine.run() > 1 {
            self.push(Tone::Plain, format!("run {}", self.engine.run()));
        }
    }

    fn stop(&mut self, word: &str, deadline: Tick) {
        self.push(Tone::Waiting, word);
        if deadline != Tick::NEVER {
            let left = format!("{} left", self.count.until(deadline));
            self.push(Tone::Plain, left);
        }
        self.waiting_for();
        if let Some(why) = &self.moments.pod().stops {
            self.push(Tone::Plain, why.clone());
        }
    }

    /// A pod in which nothing serves is never ready, and need not be.
    fn has_services(&self) -> bool {
        let mut containers = self.engine.pod().containers.iter();
        containers.any(|container| !container.is_oneshot())
    }

    /// `2 of 4 up`
    fn progress(&mut self, done: &str) {
        let counted = || self.rows.iter().filter(|row| row.counts);
        let up = counted().filter(|row| row.standing.is_up()).count();
        let text = format!("{up} of {} {done}", counted().count());
        self.push(Tone::Plain, text);
    }

    /// Those on whom it depends how long it takes, not those who wait for them.
    fn waiting_for(&mut self) {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.counts || is_going(row.standing));
        let (trouble, on_the_way): (Vec<_>, Vec<_>) =
            rows.partition(|row| matches!(row.standing, Standing::GaveUp | Standing::Failed));
        let awaited: Vec<_> = on_the_way
            .into_iter()
            .filter(|row| is_awaited(row.standing))
            .collect();
        if !awaited.is_empty() {
            self.push(Tone::Plain, format!("waiting for {}", names(&awaited)));
        }
        if let (Goal::Run, [first, ..]) = (self.engine.goal(), &trouble[..]) {
            let text = format!("{} {}", names(&trouble), first.standing.word());
            self.push(Tone::Bad, text);
        }
    }

    fn push(&mut self, tone: Tone, text: impl Into<String>) {
        self.parts.push((tone, text.into()));
    }
}

const fn is_going(standing: Standing) -> bool {
    matches!(standing, Standing::Stopping | Standing::Undoing)
}

/// Whether its next step is its own.
const fn is_awaited(standing: Standing) -> bool {
    is_going(standing)
        || matches!(
            standing,
            Standing::BackOff | Standing::Unready | Standing::Starting | Standing::Running
        )
}

fn names(rows: &[&Row]) -> String {
    few(rows.iter().map(|row| row.name.clone()))
}
