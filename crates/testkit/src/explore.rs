//! Tries every order in which things can happen to a pod.
//!
//! Breadth first, from the beginning; a state that has been seen (but for the date) is not gone
//! into again, so that the shortest way to a violation is the one that is reported. A state is
//! the machine, the world around it and the judge's knowledge of what led to it.

use crate::describe::Described;
use crate::environment::{CrashPoint, Environment, Happening, Limits};
use crate::laws::{Judge, Promise, Violation};
use crate::mixer::Mixer;
use crate::subject::Subject;
use pillion_engine::{Pod, Tick};
use pillion_simulator::trace::{Step, Trace};
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::hash::{Hash, Hasher};

/// What was gone through.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Explored {
    /// Pods.
    pub pods: usize,
    /// Different states.
    pub states: usize,
    /// Ways from one state to the next.
    pub transitions: usize,
    /// States in which nothing has to happen any more.
    pub rests: usize,
    /// States in which the pod has ended.
    pub ends: usize,
    /// Some were left out because there were too many.
    pub cut: bool,
}

/// The shortest way to a violation.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The pod.
    pub pod: Pod,
    /// What is wrong.
    pub violation: Violation,
    /// What went in and out until then.
    pub trace: Trace,
    /// What had been gone through by then.
    pub explored: Explored,
}

/// One choice: what happens, and whether the driver dies over it.
pub(crate) type Choice = (Happening, Option<CrashPoint>);

/// A state, and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct State<M> {
    pub(crate) environment: Environment<M>,
    judge: Judge,
}

// === impl Explored ===

impl Explored {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            pods: self.pods + other.pods,
            states: self.states + other.states,
            transitions: self.transitions + other.transitions,
            rests: self.rests + other.rests,
            ends: self.ends + other.ends,
            cut: self.cut || other.cut,
        }
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pods,
            states,
            transitions,
            rests,
            ends,
            cut,
        } = self;
        write!(
            f,
            "{pods} pods, {states} states, {transitions} transitions, "
        )?;
        write!(f, "{ends} ends, {rests} rests")?;
        if *cut {
            write!(f, " (not all)")
        } else {
            Ok(())
        }
    }
}

// === impl Counterexample ===

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.violation)?;
        write!(f, "{}", Described(&self.pod))?;
        for (index, step) in self.trace.steps.iter().enumerate() {
            writeln!(f, "  {index:3} {:9} {:?}", step.at.to_string(), step.item)?;
        }
        Ok(())
    }
}

// === impl State ===

impl<M: Subject> State<M> {
    /// The beginning of a pod's life.
    pub(crate) fn new(pod: &Pod, limits: Limits, trace: &mut Vec<Step>) -> Result<Self, Violation> {
        let environment = Environment::new(pod, limits, trace).map_err(|error| Violation {
            promise: Promise::Refusal,
            step: 0,
            container: None,
            sentence: error.to_string(),
        })?;
        let mut state = Self {
            environment,
            judge: Judge::new(pod, Tick::ZERO),
        };
        state.judge(trace)?;
        Ok(state)
    }

    /// Makes a choice; the steps are what comes of it.
    pub(crate) fn go(&mut self, choice: &Choice, steps: &mut Vec<Step>) -> Result<(), Violation> {
        match choice {
            (happening, None) => self.environment.happen(happening, steps),
            (happening, Some(at)) => self.environment.happen_and_crash(happening, *at, steps),
        }
        self.judge(steps)?;
        if *choice == (Happening::Timeout, None) && self.environment.is_stuck() {
            return Err(self.violation("asks again and again to be called at once"));
        }
        Ok(())
    }

    fn judge(&mut self, steps: &[Step]) -> Result<(), Violation> {
        for step in steps {
            self.judge.step(step)?;
        }
        self.judge.settle()?;
        if self.environment.is_resting() {
            self.judge.rest()?;
        }
        Ok(())
    }

    fn violation(&self, sentence: &str) -> Violation {
        Violation {
            promise: Promise::Waiting,
            step: self.judge.steps(),
            container: None,
            sentence: sentence.into(),
        }
    }

    fn choices(&self) -> Vec<Choice> {
        let possible = self.environment.possible();
        let mut choices = Vec::with_capacity(possible.len());
        for happening in possible {
            if self.environment.may_crash() {
                let points = self.environment.crash_points(&happening);
                choices.extend(points.into_iter().map(|at| (happening.clone(), Some(at))));
            }
            choices.push((happening, None));
        }
        choices
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = Mixer::default();
        // Nothing comes after an end, so one is like another.
        if self.environment.has_ended() {
            self.environment.machine().result().hash(&mut hasher);
            return hasher.finish();
        }
        self.environment.fingerprint(&mut hasher);
        self.judge.fingerprint(&mut hasher);
        hasher.finish()
    }
}

/// Goes through every state that a pod can come into, at most so many.
pub fn explore<M: Subject>(
    pod: &Pod,
    limits: Limits,
    most: usize,
) -> Result<Explored, Box<Counterexample>> {
    let mut explored = Explored {
        pods: 1,
        states: 1,
        ..Explored::default()
    };
    let mut ways: Vec<(usize, Option<Choice>)> = vec![(0, None)];
    let fail = |violation, ways: &[_], at, choice, explored| {
        let trace = retrace::<M>(pod, limits, ways, at, choice);
        let pod = pod.clone();
        Box::new(Counterexample {
            pod,
            violation,
            trace,
            explored,
        })
    };
    let mut steps = Vec::new();
    let first = State::<M>::new(pod, limits, &mut steps);
    let first = first.map_err(|violation| fail(violation, &ways, 0, None, explored))?;
    let mut seen = HashSet::from([first.fingerprint()]);
    let mut frontier = VecDeque::from([(0, first)]);
    while let Some((at, state)) = frontier.pop_front() {
        explored.ends += usize::from(state.environment.has_ended());
        explored.rests += usize::from(state.environment.is_resting());
        for choice in state.choices() {
            explored.transitions += 1;
            let mut next = state.clone();
            steps.clear();
            if let Err(violation) = next.go(&choice, &mut steps) {
                return Err(fail(violation, &ways, at, Some(choice), explored));
            }
            if !seen.insert(next.fingerprint()) {
                continue;
            }
            if ways.len() >= most {
                explored.cut = true;
                continue;
            }
            ways.push((at, Some(choice)));
            frontier.push_back((ways.len() - 1, next));
            explored.states += 1;
        }
    }
    Ok(explored)
}

/// Plays the way to a state, and one more choice, for its trace.
fn retrace<M: Subject>(
    pod: &Pod,
    limits: Limits,
    ways: &[(usize, Option<Choice>)],
    mut at: usize,
    last: Option<Choice>,
) -> Trace {
    let mut choices: Vec<_> = last.into_iter().collect();
    while let Some((parent, Some(choice))) = ways.get(at) {
        choices.push(choice.clone());
        at = *parent;
    }
    let mut steps = Vec::new();
    if let Ok(mut environment) = Environment::<M>::new(pod, limits, &mut steps) {
        for choice in choices.into_iter().rev() {
            match choice {
                (happening, None) => environment.happen(&happening, &mut steps),
                (happening, Some(at)) => environment.happen_and_crash(&happening, at, &mut steps),
            }
        }
    }
    Trace { steps }
}
