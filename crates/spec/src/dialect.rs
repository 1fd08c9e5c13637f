//! The ways in which people mark what a container is, each translated into the same graph.
//!
//! A dialect does two things, in a file of its own: it reads its markers off a container
//! (`Traits`), and it adds the edges that they mean. Several dialects may be used in one pod and
//! even in one container, as long as they say the same: the first marker decides a trait, and one
//! that says otherwise is reported.

pub(crate) mod graph;
pub(crate) mod kep753;
pub(crate) mod keystone;
pub mod kruise;
pub(crate) mod native;
pub(crate) mod phases;

use crate::word::words;
use pillion_engine::pod::{Keystone, Role};
use std::borrow::Cow;

words! {
    /// A way to mark what a container is and what it waits for.
    pub enum Dialect {
        /// Kubernetes' own: sidecars in the init list, policies and rules of containers.
        Native = "native",
        /// `requires`, `oneshot` and the other fields of Pillion.
        Graph = "graph",
        /// `lifecycle.type`, as KEP-753 last had it, with sidecars before and after the app.
        ContainerType = "container types",
        /// `phase`.
        Phases = "phases",
        /// `lifecycle.type: Keystone` and `lifecycle.onCompletion`.
        KeystoneDraft = "keystone draft",
        /// OpenKruise's launch priority.
        LaunchPriority = "launch priority",
        /// OpenKruise's job sidecars.
        JobSidecar = "job sidecar",
    }
}

/// What the markers of one container say about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traits {
    /// Whether it runs to completion.
    pub(crate) oneshot: Option<Said<bool>>,
    /// Whether it is a main or a sidecar.
    pub(crate) role: Option<Said<Role>>,
    /// Whether and how it ends the pod.
    pub(crate) keystone: Option<Said<Option<Keystone>>>,
    /// It stays up for the phases after its own, so it is a sidecar unless it says otherwise.
    pub(crate) resident: bool,
    /// Markers that contradict an earlier one.
    pub(crate) conflicts: Vec<Conflict>,
    /// Dialects that had a marker here.
    pub(crate) dialects: Vec<Dialect>,
}

/// A trait and the marker that decided it.
#[derive(Clone, Debug)]
pub(crate) struct Said<T> {
    pub(crate) value: T,
    pub(crate) mark: Mark,
}

/// A marker of a container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Mark {
    pub(crate) dialect: Dialect,
    /// The path of the field from the container; empty for the container itself.
    pub(crate) field: Cow<'static, str>,
}

/// Two markers that disagree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Conflict {
    /// What the first marker makes of the container.
    pub(crate) first: &'static str,
    pub(crate) first_mark: Mark,
    /// What the second one makes of it.
    pub(crate) second: &'static str,
    pub(crate) second_mark: Mark,
}

// === impl Traits ===

impl Traits {
    /// A marker says that the container is a oneshot, or that it is none.
    pub(crate) fn say_oneshot(&mut self, oneshot: bool, mark: Mark) {
        let word = |oneshot| if oneshot { "a oneshot" } else { "a service" };
        self.dialects.push(mark.dialect);
        let conflict = say(&mut self.oneshot, oneshot, mark, word);
        self.conflicts.extend(conflict);
    }

    /// A marker says that the container is a main or a sidecar.
    pub(crate) fn say_role(&mut self, role: Role, mark: Mark) {
        self.dialects.push(mark.dialect);
        let conflict = say(&mut self.role, role, mark, role_word);
        self.conflicts.extend(conflict);
    }

    /// A marker says which end of the container, if any, is the end of the pod.
    pub(crate) fn say_keystone(&mut self, keystone: Option<Keystone>, mark: Mark) {
        self.dialects.push(mark.dialect);
        let conflict = say(&mut self.keystone, keystone, mark, keystone_word);
        self.conflicts.extend(conflict);
    }
}

/// Sets a trait unless a marker has set it already; gives the conflict if that one differs.
fn say<T: Copy + PartialEq>(
    said: &mut Option<Said<T>>,
    value: T,
    mark: Mark,
    word: impl Fn(T) -> &'static str,
) -> Option<Conflict> {
    let Some(first) = said else {
        *said = Some(Said { value, mark });
        return None;
    };
    (first.value != value).then(|| Conflict {
        first: word(first.value),
        first_mark: first.mark.clone(),
        second: word(value),
        second_mark: mark,
    })
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Main => "a main container",
        Role::Sidecar => "a sidecar",
        Role::Ephemeral => "an ephemeral container",
    }
}

fn keystone_word(keystone: Option<Keystone>) -> &'static str {
    match keystone {
        None => "no keystone",
        Some(Keystone::Any) => "a keystone by any end",
        Some(Keystone::Success) => "a keystone by success",
        Some(Keystone::Failure) => "a keystone by failure",
    }
}

// === impl Mark ===

impl Mark {
    pub(crate) fn new(dialect: Dialect, field: impl Into<Cow<'static, str>>) -> Self {
        Self {
            dialect,
            field: field.into(),
        }
    }
}
