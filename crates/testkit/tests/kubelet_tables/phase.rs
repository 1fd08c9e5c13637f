//! The phase that a pod has in a situation: the kubelet's `getPhase`.
//!
//! The driver has come back and told what it found, and has not yet done anything of what it was
//! asked. A container without a status is one that was never started. Exits that end the pod are
//! dealt with at once, so a pod that is over has its result.

pub(crate) mod container_policy;
pub(crate) mod has_run;
pub(crate) mod init;
pub(crate) mod regular;
pub(crate) mod restart_all;
pub(crate) mod sidecar;

use crate::driver::Manner;
use crate::situation::Situation;
use pillion_engine::status::Phase;

/// The pod's phase.
pub(crate) fn play(situation: &Situation) -> Vec<Phase> {
    let driver = situation.found(Manner::Watches);
    vec![driver.engine.status().phase]
}
