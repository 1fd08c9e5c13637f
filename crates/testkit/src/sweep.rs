//! Whole families of pods under every kind of trouble, on all processors.
//!
//! What a pod may take is bounded by a number of states. Breadth first, a bound leaves out only what
//! lies further from the beginning than all that was looked at.

use crate::environment::Limits;
use crate::explore::{Counterexample, Explored, explore};
use crate::families::{SINGLES, Specimen, TROUBLES, Trouble, four, three, two};
use pillion_engine::Engine;
use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Pods that belong together.
#[derive(Clone, Debug)]
pub struct Family {
    /// In a few words.
    pub name: &'static str,
    /// All of them.
    pub pods: Vec<Specimen>,
    /// What they are put through.
    pub troubles: Vec<Trouble>,
    /// How many states of one pod under one kind of trouble are looked at.
    pub most: usize,
}

/// How far families are gone into.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Depth {
    /// In minutes: what tests do.
    Tests,
    /// As far as a long evening allows.
    Deep,
}

/// A family under one kind of trouble.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The family's name.
    pub family: &'static str,
    /// The trouble's name.
    pub trouble: &'static str,
    /// What was gone through.
    pub explored: Explored,
}

/// What is told on the way.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// So many pods of a family are through.
    Pods {
        /// The family's name.
        family: &'static str,
        /// The trouble's name.
        trouble: &'static str,
        /// So many.
        done: usize,
        /// Of so many.
        of: usize,
    },
    /// All of them are.
    Line(&'p Line),
}

/// A pod that broke a promise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What is special about the pod.
    pub pod: String,
    /// The trouble's name.
    pub trouble: &'static str,
    /// The shortest way to it.
    pub found: Box<Counterexample>,
}

/// Goes through every family under every kind of trouble.
pub fn sweep(depth: Depth, tell: impl Fn(Progress<'_>) + Sync) -> Result<Explored, Broken> {
    let mut total = Explored::default();
    for family in families(depth) {
        for trouble in family.troubles.iter().copied() {
            let explored = family.go_through(trouble, &tell)?;
            total = total.and(explored);
            tell(Progress::Line(&Line {
                family: family.name,
                trouble: trouble.name,
                explored,
            }));
        }
    }
    Ok(total)
}

/// Every family, with its bound. Two and four containers are gone through to the last state, four of them with one
/// trouble in a life; what is bounded says so.
pub fn families(depth: Depth) -> [Family; 5] {
    let (one_of_three, of_three, of_four) = match depth {
        Depth::Tests => (3_000, 1_500, 5_000),
        Depth::Deep => (2_000_000, 200_000, 2_000_000),
    };
    let family = |name, pods, troubles, most| Family {
        name,
        pods,
        troubles,
        most,
    };
    let singles = || SINGLES.to_vec();
    let several = || TROUBLES.map(|trouble| depth.trouble(trouble)).to_vec();
    [
        family("two containers", two::pods(), TROUBLES.to_vec(), ALL),
        family("four containers, one trouble", four::pods(), singles(), ALL),
        family(
            "three containers, one trouble",
            three::pods(),
            singles(),
            one_of_three,
        ),
        family("three containers", three::pods(), several(), of_three),
        family("four containers", four::pods(), several(), of_four),
    ]
}

/// More states than those pods have that are gone through to the last.
const ALL: usize = 10_000_000;

// === impl Family ===

impl Family {
    /// Goes through all its pods, on all processors.
    pub fn go_through(
        &self,
        trouble: Trouble,
        tell: &(impl Fn(Progress<'_>) + Sync),
    ) -> Result<Explored, Broken> {
        let next = AtomicUsize::new(0);
        let outcome = Mutex::new(Ok(Explored::default()));
        let work = || {
            while let Some(pod) = self.pods.get(next.fetch_add(1, Ordering::Relaxed)) {
                let one = self.try_one(pod, trouble);
                let mut all = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                let sum = match (&*all, one) {
                    // One is enough to read.
                    (Err(_), _) => return,
                    (Ok(sum), Ok(explored)) => sum.and(explored),
                    (Ok(_), Err(broken)) => {
                        *all = Err(broken);
                        return;
                    }
                };
                tell(Progress::Pods {
                    family: self.name,
                    trouble: trouble.name,
                    done: sum.pods,
                    of: self.pods.len(),
                });
                *all = Ok(sum);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
                scope.spawn(work);
            }
        });
        outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_one(&self, pod: &Specimen, trouble: Trouble) -> Result<Explored, Broken> {
        explore::<Engine>(&pod.pod, trouble.limits, self.most).map_err(|found| Broken {
            pod: pod.name.clone(),
            trouble: trouble.name,
            found,
        })
    }
}

// === impl Depth ===

impl Depth {
    /// Deeper down, more of the same may happen in one life.
    fn trouble(self, trouble: Trouble) -> Trouble {
        let Limits { faults, late, .. } = trouble.limits;
        match self {
            Self::Tests => trouble,
            Self::Deep => Trouble {
                limits: trouble.limits.faults(faults + 1).late(late + 1),
                ..trouble
            },
        }
    }
}

// === impl Line ===

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            family,
            trouble,
            explored,
        } = self;
        write!(f, "{family}, {trouble}: {explored}")
    }
}

// === impl Broken ===

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pod,
            trouble,
            found,
        } = self;
        write!(f, "{pod}, {trouble}: {found}")
    }
}

impl std::error::Error for Broken {}
