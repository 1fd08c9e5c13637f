//! What is judged: an engine, or something that has an engine's methods and a flaw.

use pillion_engine::status::ConditionKind;
use pillion_engine::{Engine, Pod, Tick};
use pillion_simulator::{Machine, Unplayable};
use std::fmt;
use std::hash::Hasher;

/// A machine that can be copied in the middle of its work and told apart from another.
pub trait Subject: Machine + Clone + fmt::Debug {
    /// Feeds everything that can influence a later decision to `hasher`, with times relative to `now`.
    fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher);

    /// Whether the pod's `Ready` condition holds.
    fn is_ready(&self) -> bool {
        let status = self.status();
        let ready = status.condition(ConditionKind::Ready);
        ready.is_some_and(|condition| condition.status)
    }
}

/// The engine itself, which tells no entries.
pub fn engine(pod: Pod, now: Tick) -> Result<Engine, Unplayable> {
    <Engine as Machine>::create(pod, now).map(Engine::silent)
}

// === impl Engine ===

impl Subject for Engine {
    fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher) {
        Engine::fingerprint(self, now, hasher);
    }
}
