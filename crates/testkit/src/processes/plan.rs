//! What an actor has to do in one of its runs, as a line of a file that the actor reads.

use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_simulator::actor::{Answers, Delay, End, HookRuns, HookScript, Script};
use std::time::Duration;

/// One run of a container, with its hooks and probes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Plan {
    pub(super) starts_in: Duration,
    pub(super) runs: Delay,
    pub(super) end: End,
    pub(super) stops_in: Delay,
    pub(super) stop_end: End,
    pub(super) ready_in: Delay,
    /// After the start, before the stop, when the pod stops.
    pub(super) hooks: [HookScript; 3],
    pub(super) undo: HookScript,
    /// Startup, readiness, liveness.
    pub(super) probes: [Answers; 3],
    /// When it asks for what, by the number of the question.
    pub(super) asks: Vec<(Duration, usize)>,
}

/// The hooks in the order of a plan.
pub(super) const HOOKS: [HookKind; 3] = [
    HookKind::PostStart,
    HookKind::PreStop,
    HookKind::PodStopping,
];

// === impl Plan ===

impl Plan {
    /// What a script says of a run.
    pub(super) fn new(script: &Script, run: u32) -> Self {
        let end = *script.ends.in_run(run);
        let stop_end = script.stop_ends.as_ref();
        let asks = script.asks.iter().enumerate();
        let asks = asks.filter(|(_, ask)| ask.in_run.is_none_or(|only| only == run));
        Self {
            starts_in: *script.starts_in.in_run(run),
            runs: *script.runs.in_run(run),
            end,
            stops_in: *script.stops_in.in_run(run),
            stop_end: stop_end.map_or(end, |ends| *ends.in_run(run)),
            ready_in: *script.ready_in.in_run(run),
            hooks: HOOKS.map(|hook| *script.hook(hook).in_run(run)),
            undo: *script.undo.in_run(run),
            probes: ProbeKind::ALL.map(|probe| *script.probe(probe).in_run(run)),
            asks: asks.map(|(number, ask)| (ask.after, number)).collect(),
        }
    }

    /// As a line of a file.
    pub(super) fn to_line(&self) -> String {
        let mut words = vec![
            micros(self.starts_in),
            delay(self.runs),
            end(self.end),
            delay(self.stops_in),
            end(self.stop_end),
            delay(self.ready_in),
        ];
        for hook in self.hooks.iter().chain([&self.undo]) {
            words.push(hook_word(hook));
        }
        words.extend(self.probes.iter().map(|probe| answers(*probe)));
        for (after, number) in &self.asks {
            words.push(format!("{}:{number}", micros(*after)));
        }
        words.join(" ")
    }

    /// Reads such a line back.
    pub(super) fn from_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        Some(Self {
            starts_in: read_micros(next()?)?,
            runs: read_delay(next()?)?,
            end: read_end(next()?)?,
            stops_in: read_delay(next()?)?,
            stop_end: read_end(next()?)?,
            ready_in: read_delay(next()?)?,
            hooks: [
                read_hook(next()?)?,
                read_hook(next()?)?,
                read_hook(next()?)?,
            ],
            undo: read_hook(next()?)?,
            probes: [
                read_answers(next()?)?,
                read_answers(next()?)?,
                read_answers(next()?)?,
            ],
            asks: words.map(read_ask).collect::<Option<_>>()?,
        })
    }
}

fn micros(duration: Duration) -> String {
    duration.as_micros().to_string()
}

fn read_micros(word: &str) -> Option<Duration> {
    word.parse().ok().map(Duration::from_micros)
}

fn delay(delay: Delay) -> String {
    match delay {
        Delay::After(duration) => micros(duration),
        Delay::Never => NEVER.to_owned(),
    }
}

fn read_delay(word: &str) -> Option<Delay> {
    if word == NEVER {
        return Some(Delay::Never);
    }
    read_micros(word).map(Delay::After)
}

fn end(end: End) -> String {
    match end {
        End::Exit(code) => format!("exit:{code}"),
        End::Signal(signal) => format!("signal:{signal}"),
        // Nobody plays this: see what cannot be played.
        End::OutOfMemory => "signal:9".to_owned(),
    }
}

fn read_end(word: &str) -> Option<End> {
    let (kind, number) = word.split_once(':')?;
    let number = number.parse().ok()?;
    match kind {
        "exit" => Some(End::Exit(number)),
        "signal" => Some(End::Signal(number)),
        _ => None,
    }
}

fn hook_word(hook: &HookScript) -> String {
    let runs = match hook.runs {
        HookRuns::For(duration) => micros(duration),
        HookRuns::UntilStarted => "up".to_owned(),
        HookRuns::Forever => NEVER.to_owned(),
    };
    format!("{}:{runs}:{}", micros(hook.starts_in), hook.exits)
}

fn read_hook(word: &str) -> Option<HookScript> {
    let mut parts = word.split(':');
    Some(HookScript {
        starts_in: read_micros(parts.next()?)?,
        runs: match parts.next()? {
            "up" => HookRuns::UntilStarted,
            NEVER => HookRuns::Forever,
            time => HookRuns::For(read_micros(time)?),
        },
        exits: parts.next()?.parse().ok()?,
    })
}

/// As one word of a line.
pub(crate) fn answers(answers: Answers) -> String {
    match answers {
        Answers::Ok => "ok".to_owned(),
        Answers::Fail => "fail".to_owned(),
        Answers::Hang => "hang".to_owned(),
        Answers::Timed {
            ok_after,
            fail_after,
            takes,
        } => {
            let fail_after = fail_after.map_or(Delay::Never, Delay::After);
            let (ok_after, takes) = (micros(ok_after), micros(takes));
            format!("{ok_after}:{}:{takes}", delay(fail_after))
        }
    }
}

/// Reads such a word back.
pub(super) fn read_answers(word: &str) -> Option<Answers> {
    match word {
        "ok" => return Some(Answers::Ok),
        "fail" => return Some(Answers::Fail),
        "hang" => return Some(Answers::Hang),
        _ => {}
    }
    let mut parts = word.split(':');
    Some(Answers::Timed {
        ok_after: read_micros(parts.next()?)?,
        fail_after: match read_delay(parts.next()?)? {
            Delay::After(time) => Some(time),
            Delay::Never => None,
        },
        takes: read_micros(parts.next()?)?,
    })
}

fn read_ask(word: &str) -> Option<(Duration, usize)> {
    let (after, number) = word.split_once(':')?;
    Some((read_micros(after)?, number.parse().ok()?))
}

const NEVER: &str = "never";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_reads_back_from_its_line() {
        let (soon, late) = (Duration::from_millis(5), Duration::from_secs(5));
        let plan = Plan {
            starts_in: soon,
            runs: Delay::Never,
            end: End::Exit(-1),
            stops_in: Delay::After(late),
            stop_end: End::Signal(9),
            ready_in: Delay::ZERO,
            hooks: [
                HookScript::default(),
                HookScript {
                    starts_in: soon,
                    runs: HookRuns::Forever,
                    exits: 3,
                },
                HookScript {
                    runs: HookRuns::UntilStarted,
                    ..HookScript::default()
                },
            ],
            undo: HookScript::default(),
            probes: [
                Answers::Hang,
                Answers::Fail,
                Answers::Timed {
                    ok_after: soon,
                    fail_after: None,
                    takes: late,
                },
            ],
            asks: vec![(soon, 0), (late, 1)],
        };

        assert_eq!(Plan::from_line(&plan.to_line()), Some(plan));
    }
}
