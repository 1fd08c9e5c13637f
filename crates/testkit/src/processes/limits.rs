//! What real processes cannot play, each with its reason.

use pillion_simulator::act::Deed;
use pillion_simulator::actor::{End, PerRun, Script};
use pillion_simulator::{Driver, Scenario};

/// Why processes cannot play a scenario, if they cannot. Files that say so themselves come first.
pub fn why_not(scenario: &Scenario) -> Option<Box<str>> {
    if let Some(reason) = scenario.not_on.get(&Driver::Process) {
        return Some(reason.clone());
    }
    let scripts = scenario.scripts.values().find_map(script);
    let acts = scenario.acts.iter().chain(&scenario.timed_acts);
    let deed = acts.filter_map(|act| act.deed.as_ref()).find_map(deed);
    scripts.or(deed).map(Into::into)
}

fn script(script: &Script) -> Option<&'static str> {
    if script.pull.fails > 0 || !script.pull.takes.is_zero() {
        return Some("host processes have no image to pull");
    }
    if script.create.fails > 0 {
        return Some("an actor that is there can always be started");
    }
    ends(script).find_map(|end| match end {
        End::Exit(_) | End::Signal(9) => None,
        End::Signal(_) => Some("actors take signals and do not die of them"),
        End::OutOfMemory => Some("actors need no memory to speak of"),
    })
}

/// How an actor may end, by itself or when it is stopped.
pub(crate) fn ends(script: &Script) -> impl Iterator<Item = End> {
    let stop = script.stop_ends.iter().flat_map(PerRun::values);
    script.ends.values().chain(stop).copied()
}

fn deed(deed: &Deed) -> Option<&'static str> {
    match deed {
        Deed::Delete { .. }
        | Deed::Kill { .. }
        | Deed::Exit { .. }
        | Deed::Ask { .. }
        | Deed::SetProbe { .. } => None,
        Deed::SetImage { .. } => Some("host processes have no image that could change"),
        Deed::Replace(_) => Some("a replacement is played by those who drive `pillion apply`"),
        Deed::RestartDriver { .. } | Deed::Reboot => {
            Some("host processes end with their driver and are not found again")
        }
        Deed::AddEphemeral { .. } => {
            Some("host processes have no debugging containers beside them")
        }
    }
}
