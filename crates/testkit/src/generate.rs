//! Random pods and random lives of them, for properties.
//!
//! A pod is written as a file and read as people's files are, so that everything that goes wrong
//! goes wrong for a pod that somebody could write, with all that its dialects mean. What happens
//! to it is a list of choices among what can happen; both shrink.

mod file;
mod play;

use crate::describe::Described;
use crate::environment::Limits;
use pillion_engine::Pod;
use pillion_spec::{LowerOptions, load};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt;

pub use play::play;

/// A pod and what happens to it.
#[derive(Clone)]
pub struct Case {
    /// The file.
    pub file: String,
    /// The pod in it.
    pub pod: Pod,
    /// How often the unpleasant may happen.
    pub limits: Limits,
    /// What happens, one after the other; then the pod is deleted, if it has not ended.
    pub picks: Vec<Pick>,
}

/// One choice among what can happen.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// Of which kind it should be, if there is one.
    pub kind: PickKind,
    /// Which of them.
    pub which: u16,
    /// The driver dies over it, at which of the points at which it can.
    pub crash: Option<u16>,
}

/// A kind of things that can happen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PickKind {
    /// What must happen sooner or later.
    Owed,
    /// What goes wrong, or comes late.
    Trouble,
    /// What is asked for.
    Request,
    /// The pod is deleted.
    Deletion,
}

// === impl Case ===

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            pod,
            limits,
            picks,
        } = self;
        writeln!(f, "{limits:?}, {} picks", picks.len())?;
        write!(f, "{file}{}", Described(pod))
    }
}

/// Pods of up to twelve containers, and what happens to them.
pub fn cases() -> impl Strategy<Value = Case> {
    let picks = vec(pick(), 0..120);
    (pods(), limits(), picks).prop_map(|((file, pod), limits, picks)| Case {
        file,
        pod,
        limits,
        picks,
    })
}

/// Files of one pod of up to twelve containers that can be run, and the pod.
pub fn pods() -> impl Strategy<Value = (String, Pod)> {
    file::texts().prop_filter_map("a pod that cannot be run", |file| {
        let options = LowerOptions::default();
        let loaded = load("random.yaml", file.as_bytes(), options);
        if loaded.has_errors() {
            return None;
        }
        let read = loaded.pods.into_iter().next()?;
        Some((file, read.lowered.pod))
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (0..8u8, 0..2u8, 0..3u8, 0..3u8, 0..2u8, 0..3u8).prop_map(
        |(faults, deletions, requests, crashes, losses, late)| {
            Limits::CALM
                .faults(faults)
                .deletions(deletions)
                .requests(requests)
                .crashes(crashes)
                .losses(losses)
                .late(late)
        },
    )
}

fn pick() -> impl Strategy<Value = Pick> {
    let kind = prop_oneof![
        20 => Just(PickKind::Owed),
        6 => Just(PickKind::Trouble),
        1 => Just(PickKind::Request),
        1 => Just(PickKind::Deletion),
    ];
    let crash = proptest::option::weighted(0.1, 0..64u16);
    (kind, 0..64u16, crash).prop_map(|(kind, which, crash)| Pick { kind, which, crash })
}
