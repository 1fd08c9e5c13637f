//! Two drafts for a container whose end is the end of the pod: `lifecycle.type: Keystone`
//! (KEP-2872) and `lifecycle.onCompletion: TerminatePod` (KEP-3582).
//!
//! Both take effect when the container has ended for good, whatever the code; so a container that
//! its policy always restarts never takes the pod with it. The drafts allow that, and it is
//! reported as a warning; with `keystone` it is an error. The first is a type, so it cannot be
//! given to a sidecar; the second can, and to several containers.

use super::{Dialect, Mark, Traits};
use crate::container::Container;
use crate::hook::{LifecycleType, OnCompletion};
use pillion_engine::pod::{Keystone, Role};

/// Reads the markers of one container.
pub(crate) fn read(container: &Container, traits: &mut Traits) {
    if container.lifecycle.kind == Some(LifecycleType::Keystone) {
        let mark = || mark("lifecycle.type");
        traits.say_keystone(Some(Keystone::Any), mark());
        traits.say_role(Role::Main, mark());
    }
    match container.lifecycle.on_completion {
        Some(OnCompletion::TerminatePod) => {
            traits.say_keystone(Some(Keystone::Any), mark("lifecycle.onCompletion"));
        }
        None => {}
    }
}

fn mark(field: &'static str) -> Mark {
    Mark::new(Dialect::KeystoneDraft, field)
}
