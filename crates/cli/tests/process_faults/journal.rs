//! Somebody dies while writing down what it knows: what it has written can be read, and nothing was done that is not in
//! there.
//!
//! A limit on the length of files kills whoever writes on, in the middle of a line or between two of them. The journal is the
//! longest file of a run, so that the limit says at which fact this happens.

use super::cut_short;
use super::pod::{Pod, Running};
use pillion_engine::fact::Change;
use pillion_engine::{ContainerId, Fact};
use pillion_runtime::journal;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each container leaves a file as soon as it runs.
fn pod() -> Pod {
    let ran = ["touch ran-0", "touch ran-1", "touch ran-2"];
    let probe = "readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}";
    Pod::new(&cut_short::spec(ran, probe))
}

const CONTAINERS: u32 = 3;

#[test]
fn one_that_dies_at_any_fact_leaves_all_that_it_knew_and_the_next_run_works() {
    let whole = pod();
    cut_short::assert_whole(&whole, "nothing");
    let text = fs::read(whole.first_run().join("journal")).unwrap();
    let mut limits = BTreeSet::from([0]);
    let mut end = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        limits.extend([end + line.len() / 2, end + line.len()]);
        end += line.len();
    }
    let facts = journal::read(&text).unwrap().facts.len();
    assert!(facts >= 8, "{facts}");

    let limits: Vec<_> = limits.into_iter().collect();
    let torn = AtomicUsize::new(0);
    cut_short::at_each(&limits, |limit| {
        torn.fetch_add(usize::from(dies_at(*limit)), Ordering::Relaxed);
    });
    let torn = torn.into_inner();
    assert!(torn >= facts / 2, "{torn} of {facts}");
}

/// Runs a pod until a file would be longer than this, and then again. Says whether the journal ended in the middle of a line.
fn dies_at(limit: usize) -> bool {
    let pod = pod();
    let mut command = Command::new("prlimit");
    pod.dress(&mut command);
    command.arg(format!("--fsize={limit}")).arg("--core=0");
    command.arg(env!("CARGO_BIN_EXE_pillion"));
    command.arg("run").arg(pod.file());
    // It may have had less to write this time, and end by itself.
    let ended = Running::start(command).end();
    cut_short::assert_over(&pod, &ended, libc::SIGXFSZ, limit);

    let (facts, torn) = known(&pod);
    for number in 0..CONTAINERS {
        let ran = pod.path(&format!("ran-{number}")).exists();
        assert!(!ran || was_started(&facts, number), "{number} at {limit}");
    }

    cut_short::assert_whole(&pod, limit);
    torn
}

/// What the first run had written down, and whether it died in the middle of a fact.
fn known(pod: &Pod) -> (Vec<Fact>, bool) {
    let text = fs::read(pod.first_run().join("journal")).unwrap_or_default();
    if !text.contains(&b'\n') {
        // It did not even come to say what this is.
        return (Vec::new(), false);
    }
    let reading = journal::read(&text).unwrap();
    (reading.facts, reading.torn)
}

fn was_started(facts: &[Fact], number: u32) -> bool {
    let mut changes = facts.iter().flat_map(|fact| &fact.changes);
    changes.any(|change| match change {
        Change::Container(id, record) => *id == ContainerId(number) && record.attempt > 0,
        Change::Pod(_) | Change::Replacing(..) | Change::Defined(..) | Change::Requirement(..) => {
            false
        }
    })
}
