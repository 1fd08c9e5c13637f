//! What is done to a pod while it runs, because somebody wants to see what happens then.

use crate::commands::simulate::UnknownContainer;
use pillion_engine::{ContainerId, Request, Tick};
use pillion_runtime::process::Processes;
use pillion_runtime::pump::Driven;
use pillion_simulator::act::{Act, Deed};
use std::collections::VecDeque;

/// Faults in the order of their times.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pending: VecDeque<(Tick, Fault)>,
}

/// Something to do.
#[derive(Debug)]
enum Fault {
    Ask(Request),
    Signal(ContainerId, i32),
}

// === impl Faults ===

impl Faults {
    /// Those that were asked for, in a pod with these containers that began then.
    pub(super) fn new(
        acts: Vec<Act>,
        names: &[&str],
        began: Tick,
    ) -> Result<Self, UnknownContainer> {
        let mut pending = Vec::new();
        for act in acts {
            let at = began + act.not_before.elapsed();
            if let Some(fault) = act
                .deed
                .map(|deed| fault(deed, names))
                .transpose()?
                .flatten()
            {
                pending.push((at, fault));
            }
        }
        pending.sort_by_key(|(at, _)| *at);
        let pending = pending.into();
        Ok(Self { pending })
    }

    pub(super) fn next(&self) -> Option<Tick> {
        self.pending.front().map(|(at, _)| *at)
    }

    /// Does what is due. Says whether the pod is to stop for it.
    pub(super) fn wake(&mut self, pod: &mut Driven<'_, Processes>) -> bool {
        let mut stops = false;
        while self.next().is_some_and(|at| at <= pod.now) {
            match self.pending.pop_front() {
                Some((_, Fault::Signal(container, signal))) => {
                    pod.runtime.signal(container, signal);
                }
                // A pod that is ending takes no more requests, and shows it.
                Some((_, Fault::Ask(request))) => {
                    stops |= matches!(request, Request::Delete { .. });
                    let _ = pod.request(request);
                }
                None => break,
            }
        }
        stops
    }
}

fn fault(deed: Deed, names: &[&str]) -> Result<Option<Fault>, UnknownContainer> {
    let find = |wanted: &str| {
        let index = names.iter().position(|name| *name == wanted);
        let index = index.and_then(|index| u32::try_from(index).ok());
        index
            .map(ContainerId)
            .ok_or_else(|| UnknownContainer::new(wanted, names.iter().copied()))
    };
    Ok(match deed {
        Deed::Delete { grace } => Some(Fault::Ask(Request::Delete { grace })),
        Deed::Kill { container, signal } => Some(Fault::Signal(find(&container)?, signal)),
        Deed::Ask {
            reaction,
            by,
            reason,
        } => {
            let by = by.map(|by| find(&by)).transpose()?;
            Some(Fault::Ask(Request::Ask {
                reaction,
                by,
                reason,
            }))
        }
        // The command line has no words for these.
        Deed::SetImage { .. }
        | Deed::Replace(_)
        | Deed::Exit { .. }
        | Deed::RestartDriver { .. }
        | Deed::Reboot
        | Deed::SetProbe { .. }
        | Deed::AddEphemeral { .. } => None,
    })
}
