//! Plays the life of a random pod, and has it judged.

use super::{Case, Pick, PickKind};
use crate::environment::{Happening, Limits};
use crate::explore::{Choice, Counterexample, Explored, State};
use crate::laws::{Promise, Violation, deterministic};
use crate::subject::Subject;
use pillion_engine::{Pod, Tick};
use pillion_simulator::trace::{Step, Trace};

/// One life.
struct Life<M> {
    state: State<M>,
    steps: Vec<Step>,
    deletions: u8,
}

/// Plays a case to its end, and says which promise was broken first, if one was.
pub fn play<M: Subject>(case: &Case) -> Result<Trace, Box<Counterexample>> {
    let mut steps = Vec::new();
    let limits = Limits {
        deletions: case.limits.deletions.saturating_add(1),
        ..case.limits
    };
    let fail = |violation, steps| {
        Box::new(Counterexample {
            pod: case.pod.clone(),
            violation,
            trace: Trace { steps },
            explored: Explored::default(),
        })
    };
    let state = match State::<M>::new(&case.pod, limits, &mut steps) {
        Ok(state) => state,
        Err(violation) => return Err(fail(violation, steps)),
    };
    let mut life = Life {
        state,
        steps,
        deletions: case.limits.deletions,
    };
    let lived = life.live(&case.picks).and_then(|()| life.end(&case.pod));
    let trace = Trace { steps: life.steps };
    let judged = lived.and_then(|()| deterministic::check::<M>(&case.pod, &trace));
    match judged {
        Ok(()) => Ok(trace),
        Err(violation) => Err(fail(violation, trace.steps)),
    }
}

// === impl Life ===

impl<M: Subject> Life<M> {
    fn live(&mut self, picks: &[Pick]) -> Result<(), Violation> {
        for pick in picks {
            let Some(choice) = self.choose(*pick) else {
                return Ok(());
            };
            self.go(&choice)?;
        }
        Ok(())
    }

    /// Deletes the pod, and lets happen what must until it has ended.
    fn end(&mut self, pod: &Pod) -> Result<(), Violation> {
        if self.state.environment.has_ended() {
            return Ok(());
        }
        self.go(&(Happening::Deleted(None), None))?;
        let by = self.state.environment.now() + pod.grace + LAST_WORDS;
        for _ in 0..STEPS_TO_END {
            if self.state.environment.has_ended() {
                return Ok(());
            }
            let Some(next) = self.next_owed() else {
                return Err(self.endless("nothing happens any more"));
            };
            self.go(&(next, None))?;
            if self.state.environment.now() > by {
                return Err(self.endless("its time is over"));
            }
        }
        Err(self.endless("there is always something"))
    }

    /// What must happen next, if it is not that somebody whose time is over is killed.
    fn next_owed(&self) -> Option<Happening> {
        let possible = self.state.environment.possible();
        let killed = |it: &&Happening| matches!(it, Happening::Ends(..));
        let owed = possible.iter().find(|it| it.is_owed());
        owed.or_else(|| possible.iter().find(killed)).cloned()
    }

    fn go(&mut self, choice: &Choice) -> Result<(), Violation> {
        let mut steps = Vec::new();
        let judged = self.state.go(choice, &mut steps);
        self.steps.append(&mut steps);
        judged
    }

    fn choose(&mut self, pick: Pick) -> Option<Choice> {
        let mut possible = self.state.environment.possible();
        let deletes = |it: &Happening| matches!(it, Happening::Deleted(_));
        if self.deletions == 0 {
            possible.retain(|it| !deletes(it));
        }
        let of_kind: Vec<_> = possible.iter().filter(|it| kind(it) == pick.kind).collect();
        let happening = match of_kind.len() {
            0 => possible.get(usize::from(pick.which) % possible.len().max(1))?,
            count => of_kind[usize::from(pick.which) % count],
        };
        self.deletions -= u8::from(deletes(happening));
        let crash = pick.crash.filter(|_| self.state.environment.may_crash());
        let point = crash.and_then(|crash| {
            let points = self.state.environment.crash_points(happening);
            let at = usize::from(crash) % points.len().max(1);
            points.get(at).copied()
        });
        Some((happening.clone(), point))
    }

    fn endless(&self, why: &str) -> Violation {
        let now: Tick = self.state.environment.now();
        Violation {
            promise: Promise::Budget,
            step: self.steps.len(),
            container: None,
            sentence: format!("the pod was deleted and has not ended at {now}: {why}"),
        }
    }
}

fn kind(happening: &Happening) -> PickKind {
    match happening {
        Happening::Deleted(_) => PickKind::Deletion,
        Happening::Asked(..) | Happening::Replaced(_) | Happening::Debugged => PickKind::Request,
        owed if owed.is_owed() => PickKind::Owed,
        Happening::Sandbox(_)
        | Happening::Pulled(..)
        | Happening::Runs(_)
        | Happening::StartFails(_)
        | Happening::Ends(..)
        | Happening::Hooked(..)
        | Happening::Probed(..)
        | Happening::Notifies(..)
        | Happening::Late(_)
        | Happening::Timeout
        | Happening::Clock => PickKind::Trouble,
    }
}

/// What everybody gets when the budget is used up.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(2);

/// More than this and a pod that was deleted will never end.
const STEPS_TO_END: usize = 5_000;
