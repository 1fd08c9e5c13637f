//! The kubelet's suites, and how many cases each of them has.

use pillion_simulator::Outcome;
use pillion_simulator::suite::{Count, Ran, Report};
use std::collections::BTreeSet;

/// A suite whose cases are numbered from 1.
pub(super) struct Suite {
    /// What its cases are called, before their numbers.
    pub(super) name: &'static str,
    pub(super) cases: usize,
    /// Where the expectations come from.
    pub(super) source: &'static str,
}

pub(super) const SUITES: [Suite; 11] = [
    Suite::new("lifecycle", 156, "e2e_node/container_lifecycle_test.go"),
    Suite::new("restart", 4, "e2e_node/container_restart_test.go"),
    Suite::new(
        "restart-all",
        7,
        "restart_all_containers_test.go, container_restart_policy.go",
    ),
    Suite::new(
        "restart-policy",
        5,
        "common/node/container_restart_policy.go",
    ),
    Suite::new(
        "termination",
        1,
        "e2e_node/pods_lifecycle_termination_test.go",
    ),
    Suite::new("init", 4, "common/node/init_container.go"),
    Suite::new("hook", 17, "common/node/lifecycle_hook.go"),
    Suite::new("probe", 23, "common/node/container_probe.go, sidecars"),
    Suite::new(
        "probe-main",
        23,
        "common/node/container_probe.go, regular containers",
    ),
    Suite::new(
        "stop-restart",
        3,
        "e2e_node/sidecar_termination_restart_test.go (proposed)",
    ),
    Suite::new(
        "kubelet-code",
        10,
        "pkg/kubelet, where no test of it says so",
    ),
];

/// The suite that a case is of, if it is the kubelet's.
pub(super) fn of(ran: &Ran) -> Option<&'static Suite> {
    let (name, number) = ran.verdict.case.rsplit_once('-')?;
    number.parse::<usize>().ok()?;
    SUITES.iter().find(|suite| suite.name == name)
}

/// What became of the cases that are Pillion's own.
pub(super) fn own(report: &Report) -> Count {
    count(report.cases.iter().filter(|ran| of(ran).is_none()))
}

fn count<'r>(cases: impl Iterator<Item = &'r Ran>) -> Count {
    let mut count = Count::default();
    for ran in cases {
        *match ran.verdict.outcome {
            Outcome::Passed => &mut count.passed,
            Outcome::Failed(_) => &mut count.failed,
            Outcome::NotOn(_) => &mut count.left_out,
        } += 1;
    }
    count
}

/// Cases that stand in more than one place.
pub(super) fn twice(report: &Report) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let again = report
        .cases
        .iter()
        .filter(|ran| !seen.insert(&ran.verdict.case));
    again.map(|ran| ran.verdict.case.to_string()).collect()
}

// === impl Suite ===

impl Suite {
    const fn new(name: &'static str, cases: usize, source: &'static str) -> Self {
        Self {
            name,
            cases,
            source,
        }
    }

    /// What became of its cases.
    pub(super) fn count(&self, report: &Report) -> Count {
        count(self.played(report))
    }

    /// Its cases that no scenario has.
    pub(super) fn missing(&self, report: &Report) -> Vec<String> {
        let there: BTreeSet<_> = self.played(report).map(|ran| &*ran.verdict.case).collect();
        let all = (1..=self.cases).map(|number| format!("{}-{number}", self.name));
        all.filter(|case| !there.contains(case.as_str())).collect()
    }

    fn played<'r>(&self, report: &'r Report) -> impl Iterator<Item = &'r Ran> {
        let name = self.name;
        report
            .cases
            .iter()
            .filter(move |ran| of(ran).is_some_and(|suite| suite.name == name))
    }
}
