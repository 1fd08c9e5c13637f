//! How a hook or probe is made: mostly by a command, sometimes over the network.

use super::{Dice, Draft, Part};
use std::fmt;

/// By a command, or at a port that no other hook or probe of the pod has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Way {
    Exec,
    Grpc(u16),
    Http(u16),
    Https(u16),
    Tcp(u16),
}

/// What a way can be other than a command.
type Others = &'static [fn(u16) -> Way];

/// The first port.
const FIRST: u16 = 8_000;

/// Once in so many times it is not a command.
const SELDOM: u64 = 4;

const HOOKS: Others = &[Way::Http, Way::Https];
const PROBES: Others = &[Way::Grpc, Way::Http, Way::Https, Way::Tcp];

// === impl Way ===

impl fmt::Display for Way {
    /// As a pod writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exec => write!(f, "exec: {{command: [actor]}}"),
            Self::Grpc(port) => write!(f, "grpc: {{port: {port}}}"),
            Self::Http(port) => write!(f, "httpGet: {{path: /, port: {port}}}"),
            Self::Https(port) => write!(f, "httpGet: {{path: /, port: {port}, scheme: HTTPS}}"),
            Self::Tcp(port) => write!(f, "tcpSocket: {{port: {port}}}"),
        }
    }
}

// === impl Draft ===

impl Draft {
    /// Draws how hooks and probes are made.
    pub(super) fn draw_ways(&mut self, dice: &mut Dice) {
        let ways = self.containers.iter_mut().flat_map(Part::ways);
        for ((way, others), port) in ways.zip(FIRST..) {
            if dice.one_in(SELDOM) {
                *way = dice.pick(others)(port);
            }
        }
    }
}

// === impl Part ===

impl Part {
    /// How each hook and probe is made, and how else it could be. Not the hook after the start: whether its container
    /// listens by then is a race. Nor the liveness probe of one that ends by itself: whether a kubelet asks it once more before it
    /// sees the end, and takes the silence for a failure, is another.
    pub(super) fn ways(&mut self) -> impl Iterator<Item = (&mut Way, Others)> {
        let hook = self.pre_stop.iter_mut();
        let startup = self.startup.iter_mut().map(|probe| &mut probe.way);
        let readiness = self.readiness.iter_mut().map(|probe| &mut probe.way);
        let stays = self.life.runs.is_none();
        let liveness = self.liveness.iter_mut().filter(move |_| stays);
        let liveness = liveness.map(|probe| &mut probe.way);
        let probes = startup.chain(readiness).chain(liveness);
        let hooks = hook.map(|hook| (&mut hook.way, HOOKS));
        hooks.chain(probes.map(|way| (way, PROBES)))
    }

    /// Makes all of them by commands.
    pub(super) fn take_commands(&mut self) {
        for (way, _) in self.ways() {
            *way = Way::Exec;
        }
    }
}
