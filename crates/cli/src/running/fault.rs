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

/// Something to do, and how people call it.
#[derive(Debug)]
struct Fault {
    title: String,
    what: What,
}

#[derive(Debug)]
enum What {
    Ask(Request),
    Signal(ContainerId, i32),
}

/// What came of those that were due.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// The pod is to stop for one of them.
    pub(super) stops: bool,
    /// Those that changed nothing, and why.
    pub(super) in_vain: Vec<String>,
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

    /// Does what is due.
    pub(super) fn wake(&mut self, pod: &mut Driven<'_, Processes>) -> Done {
        let mut done = Done::default();
        let now = pod.now;
        let due = |(at, _): &mut (Tick, Fault)| *at <= now;
        while let Some((_, Fault { title, what })) = self.pending.pop_front_if(due) {
            let why_not = match what {
                What::Signal(container, signal) if pod.runtime.signal(container, signal) => None,
                What::Signal(..) => Some("its container is not up"),
                What::Ask(request) => {
                    done.stops |= matches!(request, Request::Delete { .. });
                    let refused = pod.request(request).is_err();
                    refused.then_some("the pod takes no such request now")
                }
            };
            let in_vain = why_not.map(|why| format!("{title} changes nothing: {why}"));
            done.in_vain.extend(in_vain);
        }
        done
    }
}

fn fault(deed: Deed, names: &[&str]) -> Result<Option<Fault>, UnknownContainer> {
    let title = deed.title();
    Ok(what(deed, names)?.map(|what| Fault { title, what }))
}

fn what(deed: Deed, names: &[&str]) -> Result<Option<What>, UnknownContainer> {
    let find = |wanted: &str| {
        let index = names.iter().position(|name| *name == wanted);
        let index = index.and_then(|index| u32::try_from(index).ok());
        index
            .map(ContainerId)
            .ok_or_else(|| UnknownContainer::new(wanted, names.iter().copied()))
    };
    Ok(match deed {
        Deed::Delete { grace } => Some(What::Ask(Request::Delete { grace })),
        Deed::Kill { container, signal } => Some(What::Signal(find(&container)?, signal)),
        Deed::Ask {
            reaction,
            by,
            reason,
        } => {
            let by = by.map(|by| find(&by)).transpose()?;
            Some(What::Ask(Request::Ask {
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
