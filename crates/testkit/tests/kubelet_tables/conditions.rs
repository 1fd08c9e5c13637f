//! The conditions that a pod shows in a situation: the kubelet's `status/generate.go`.
//!
//! The driver has come back and told what it found, and has not yet done anything of what it was asked.

pub(crate) mod initialized;
pub(crate) mod ready;
pub(crate) mod restarting;
pub(crate) mod sandbox;

use crate::driver::Manner;
use crate::situation::{Sandbox, Situation};
use pillion_engine::Event;
use pillion_engine::status::ConditionKind;

/// What a condition shows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Shown {
    /// Nothing if the pod does not have the condition.
    status: Option<bool>,
    reason: Option<&'static str>,
    message: Option<String>,
}

fn holds() -> Shown {
    Shown {
        status: Some(true),
        reason: None,
        message: None,
    }
}

fn does_not_hold() -> Shown {
    Shown {
        status: Some(false),
        ..holds()
    }
}

fn is_absent() -> Shown {
    Shown {
        status: None,
        ..holds()
    }
}

// === impl Shown ===

impl Shown {
    fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    fn message(mut self, message: &str) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// What the condition of that kind shows.
pub(crate) fn play(situation: &Situation, kind: ConditionKind) -> Vec<Shown> {
    let driver = match situation.sandbox {
        Sandbox::Ready | Sandbox::Missing => situation.found(Manner::Watches),
        Sandbox::Lost => situation.found_without_sandbox(Manner::Watches),
        Sandbox::Replaced => {
            let mut driver = situation.found_without_sandbox(Manner::Obeys);
            driver.hear(Event::SandboxReady);
            driver
        }
    };
    let status = driver.engine.status();
    let condition = status.condition(kind).map(|condition| Shown {
        status: Some(condition.status),
        reason: condition.reason,
        message: condition.message.as_deref().map(Into::into),
    });
    vec![condition.unwrap_or_else(is_absent)]
}
