//! What is done to a pod in a play, and when.

use crate::actor::{Answers, Script};
use crate::check::status::StatusPart;
use crate::line::{LineName, Log, Who, Word};
use pillion_engine::pod::{Container, ProbeKind, Reaction};
use pillion_engine::{PodStatus, Tick};
use std::time::Duration;

/// Something that is done. Acts are done in order; each waits for the one before it, then for its
/// own condition, then for its time.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Act {
    /// A label that checks can refer to.
    pub name: Option<Box<str>>,
    /// What must be so.
    pub when: When,
    /// For how long without a break.
    pub holds_for: Duration,
    /// How long to wait from then on.
    pub after: Duration,
    /// Not earlier than this.
    pub not_before: Tick,
    /// What is done; `None` only marks the moment.
    pub deed: Option<Deed>,
}

/// An act that is put in for its time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ticket {
    /// The next of those that are done in order, under this number. An older one was overtaken.
    InOrder(usize),
    /// The one at this place among those that have a time of their own.
    Timed(usize),
}

/// What must be so before an act is done. Everything that is given must hold.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct When {
    /// The pod's status is like this.
    pub status: StatusPart,
    /// The container has ended this often.
    pub exits: Option<(Box<str>, u32)>,
    /// There is such a line.
    pub line: Option<LineName>,
}

/// What can be done.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Deed {
    /// The pod is deleted.
    Delete {
        /// `None`: with the pod's own grace period.
        grace: Option<Duration>,
    },
    /// A container gets another image.
    SetImage {
        /// Which container.
        container: Box<str>,
        /// Which image.
        image: Box<str>,
    },
    /// A container is exchanged in place.
    Replace(Box<Replacement>),
    /// A container gets a signal from outside.
    Kill {
        /// Which container.
        container: Box<str>,
        /// Which signal.
        signal: i32,
    },
    /// A container exits by itself.
    Exit {
        /// Which container.
        container: Box<str>,
        /// With which code.
        code: i32,
    },
    /// The driver is stopped and started.
    RestartDriver {
        /// The records of these ended containers are gone.
        forget: Vec<Box<str>>,
    },
    /// The machine is restarted: the driver stops, the sandbox goes, the driver starts.
    Reboot,
    /// Something is asked for.
    Ask {
        /// What.
        reaction: Reaction,
        /// The container in whose name; `None`: from outside the containers.
        by: Option<Box<str>>,
        /// Why, for people.
        reason: Box<str>,
    },
    /// A probe finds something else from now on.
    SetProbe {
        /// Whose.
        container: Box<str>,
        /// Which probe.
        probe: ProbeKind,
        /// What it finds.
        answers: Answers,
    },
    /// A debugging container is started beside the others.
    AddEphemeral {
        /// Its name.
        name: Box<str>,
        /// What it does.
        script: Box<Script>,
    },
}

/// What takes the place of a container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Replacement {
    /// Which container.
    pub container: Box<str>,
    /// Its new definition; `None` keeps the old one.
    pub with: Option<Container>,
    /// What the new one does; `None` goes on as before.
    pub script: Option<Script>,
    /// How long it may take to become ready.
    pub timeout: Option<Duration>,
    /// Even if a dependant would be stopped for good.
    pub force: bool,
}

// === impl Act ===

impl Act {
    /// Does this, at once.
    pub fn new(deed: Deed) -> Self {
        Self {
            deed: Some(deed),
            ..Self::default()
        }
    }

    /// Does this at that time.
    pub fn at(time: Duration, deed: Deed) -> Self {
        Self {
            not_before: Tick::ZERO + time,
            ..Self::new(deed)
        }
    }

    /// Gives it a name that checks can refer to.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Waits for this first.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// Lets this time pass first.
    #[must_use]
    pub fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    /// When it is due if its condition has held since that moment.
    pub fn due(&self, since: Tick) -> Tick {
        (since + self.holds_for).max(self.not_before) + self.after
    }

    /// In a few words, for people.
    pub fn title(&self) -> String {
        match (&self.name, &self.deed) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some(deed)) => deed.title(),
            (None, None) => "an act without a name".into(),
        }
    }
}

// === impl When ===

impl When {
    /// Waits for a line.
    pub fn line(line: LineName) -> Self {
        Self {
            line: Some(line),
            ..Self::default()
        }
    }

    /// Waits for a status.
    pub fn status(status: StatusPart) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// Whether it is so now.
    pub fn holds(&self, log: &Log, status: &PodStatus) -> bool {
        let exited = |(name, times): &(Box<str>, u32)| {
            log.count(&Who::container(name).says(Word::Exited)) >= *times as usize
        };
        self.line.as_ref().is_none_or(|line| log.has(line))
            && self.exits.as_ref().is_none_or(exited)
            && self.status.holds(status)
    }
}

// === impl Deed ===

impl Deed {
    /// In a few words, for people.
    pub fn title(&self) -> String {
        match self {
            Self::Delete { .. } => "the deletion".into(),
            Self::SetImage { container, .. } => format!("the new image of {container}"),
            Self::Replace(replacement) => format!("the replacement of {}", replacement.container),
            Self::Kill { container, signal } => format!("signal {signal} to {container}"),
            Self::Exit { container, code } => format!("the exit of {container} with {code}"),
            Self::RestartDriver { .. } => "the restart of the driver".into(),
            Self::Reboot => "the reboot".into(),
            Self::Ask { reaction, by, .. } => {
                let by = by.as_ref().map(|by| format!(" by {by}"));
                format!("the request for {reaction:?}{}", by.unwrap_or_default())
            }
            Self::SetProbe { container, .. } => format!("the new answer of {container}'s probe"),
            Self::AddEphemeral { name, .. } => format!("the debugging container {name}"),
        }
    }
}
