//! Restart policies, restart rules, and the waiting between restarts.

use crate::word::words;

words! {
    /// When a container that ended is started again.
    pub enum RestartPolicy {
        /// Whatever its exit code.
        Always = "Always",
        /// Unless it exited with 0.
        OnFailure = "OnFailure",
        /// Never.
        Never = "Never",
    }
}

/// One rule; the first that matches an exit decides.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RestartRule {
    /// Which entry of the list it is. Those that cannot be read are left out.
    pub entry: usize,
    /// Which exits it matches.
    pub when: Trigger,
    /// What happens then.
    pub action: Reaction,
}

/// Which exits a rule matches.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Trigger {
    /// Exits with, or not with, one of these codes.
    ExitCodes {
        /// With or not with.
        operator: Operator,
        /// The codes, 0 to 255 in practice.
        values: Vec<i32>,
    },
    /// Death by one of these signals.
    Signals(Vec<Signal>),
    /// Killed for want of memory.
    OomKilled,
}

words! {
    /// How exit codes are compared.
    pub enum Operator {
        /// The code is in the list.
        In = "In",
        /// The code is not in the list.
        NotIn = "NotIn",
    }
}

words! {
    /// What a rule does.
    pub enum Reaction {
        /// Start this container again, after back-off, whatever the policy.
        Restart = "Restart",
        /// Kill all containers at once and run everything again, as Kubernetes does it.
        RestartAllContainers = "RestartAllContainers",
        /// Stop in order and start in order.
        RestartPod = "RestartPod",
        /// Stop in order; the pod has failed.
        FailPod = "FailPod",
        /// Stop in order; the pod has succeeded.
        CompletePod = "CompletePod",
        /// The container stays down and counts nowhere.
        Ignore = "Ignore",
    }
}

/// A Linux signal by its number.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Signal(u8);

/// The waiting between restarts, and when to give up. What is not given keeps its default:
/// at once, then 10 s, twice as long each time up to 300 s, from the start again after 10 minutes
/// without a restart, and never give up.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Backoff {
    /// `initialSeconds`: the wait before the second restart.
    pub initial_seconds: Option<u32>,
    /// `factor`: by how much each wait is longer than the one before.
    pub factor: Option<Factor>,
    /// `maxSeconds`: the longest wait.
    pub max_seconds: Option<u32>,
    /// `resetSeconds`: after running this long, waits begin anew.
    pub reset_seconds: Option<u32>,
    /// `maxRestarts`: the container gives up instead of the next restart.
    pub max_restarts: Option<u32>,
    /// `windowSeconds`: only restarts within this time count for `maxRestarts`.
    pub window_seconds: Option<u32>,
}

/// A factor of at least 1, kept exactly in thousandths.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Factor(u32);

words! {
    /// What the pod does about a container that gave up.
    pub enum OnGiveUp {
        /// The pod fails.
        FailPod = "failPod",
        /// The pod is not ready.
        Unready = "unready",
        /// Nothing.
        Ignore = "ignore",
    }
}

// === impl RestartRule ===

impl RestartRule {
    /// Whether an API server would take the rule as it is.
    pub fn is_plain_kubernetes(&self) -> bool {
        let trigger = match self.when {
            Trigger::ExitCodes { .. } => true,
            Trigger::Signals(_) | Trigger::OomKilled => false,
        };
        trigger
            && matches!(
                self.action,
                Reaction::Restart | Reaction::RestartAllContainers
            )
    }
}

// === impl Signal ===

impl Signal {
    /// The signal with this number, if it is one of Linux's.
    pub fn from_number(number: i128) -> Option<Self> {
        u8::try_from(number)
            .ok()
            .filter(|n| (1..=64).contains(n))
            .map(Self)
    }

    /// The signal called `SIGTERM`, `TERM`, `SIGRTMIN+3` …; upper case only, as in Kubernetes.
    pub fn from_name(name: &str) -> Option<Self> {
        let short = name.strip_prefix("SIG").unwrap_or(name);
        if let Some(offset) = short.strip_prefix("RTMIN") {
            return real_time(RTMIN, offset);
        }
        if let Some(offset) = short.strip_prefix("RTMAX") {
            return real_time(RTMAX, offset);
        }
        NAMES
            .iter()
            .find(|(_, known)| *known == short)
            .map(|(number, _)| Self(*number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }
}

/// The signals as glibc and Kubernetes count them: 32 and 33 belong to the C library.
const RTMIN: i16 = 34;
const RTMAX: i16 = 64;

/// `+n` after `RTMIN`, `-n` after `RTMAX`, or nothing.
fn real_time(base: i16, offset: &str) -> Option<Signal> {
    let sign = if base == RTMIN { '+' } else { '-' };
    let distance = match offset.strip_prefix(sign) {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
        None if offset.is_empty() => 0,
        Some(_) | None => return None,
    };
    let number = if base == RTMIN {
        base.checked_add(distance)?
    } else {
        base.checked_sub(distance)?
    };
    (RTMIN..=RTMAX)
        .contains(&number)
        .then(|| u8::try_from(number).ok().map(Signal))?
}

const NAMES: &[(u8, &str)] = &[
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (4, "ILL"),
    (5, "TRAP"),
    (6, "ABRT"),
    (6, "IOT"),
    (7, "BUS"),
    (8, "FPE"),
    (9, "KILL"),
    (10, "USR1"),
    (11, "SEGV"),
    (12, "USR2"),
    (13, "PIPE"),
    (14, "ALRM"),
    (15, "TERM"),
    (16, "STKFLT"),
    (17, "CHLD"),
    (17, "CLD"),
    (18, "CONT"),
    (19, "STOP"),
    (20, "TSTP"),
    (21, "TTIN"),
    (22, "TTOU"),
    (23, "URG"),
    (24, "XCPU"),
    (25, "XFSZ"),
    (26, "VTALRM"),
    (27, "PROF"),
    (28, "WINCH"),
    (29, "IO"),
    (29, "POLL"),
    (30, "PWR"),
    (31, "SYS"),
];

// === impl Factor ===

impl Factor {
    /// A factor from thousandths; below 1000 it would shrink the waits.
    pub fn from_thousandths(thousandths: u32) -> Option<Self> {
        (thousandths >= 1000).then_some(Self(thousandths))
    }

    /// The factor in thousandths: 2000 for 2.
    pub fn thousandths(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_the_numbers_of_linux() {
        for (name, number) in [
            ("SIGTERM", 15),
            ("KILL", 9),
            ("SIGRTMIN", 34),
            ("SIGRTMIN+3", 37),
            ("SIGRTMAX-1", 63),
        ] {
            assert_eq!(
                Signal::from_name(name).map(Signal::number),
                Some(number),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_no_signal_is_refused() {
        for name in [
            "", "SIG", "sigterm", "SIGFOO", "RTMIN+31", "RTMAX-40", "RTMIN++1", "RTMIN-1",
        ] {
            assert_eq!(Signal::from_name(name), None, "{name}");
        }
        assert_eq!(Signal::from_number(0), None);
        assert_eq!(Signal::from_number(65), None);
    }
}
