//! What goes wrong while a pod runs, with the real program and real processes: the run ends as it should, and nothing of
//! it is left on the machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/user.rs"]
mod again;
#[path = "process_faults/containers.rs"]
mod containers;
#[path = "process_faults/crowded.rs"]
mod crowded;
#[path = "process_faults/cut_short.rs"]
mod cut_short;
#[path = "process_faults/heedless.rs"]
mod heedless;
#[path = "process_faults/jobs.rs"]
mod jobs;
#[path = "process_faults/journal.rs"]
mod journal;
#[path = "process_faults/kills.rs"]
mod kills;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../../runtime/tests/support/machine.rs"]
mod machine;
#[path = "support/pod.rs"]
mod pod;
#[path = "process_faults/probes.rs"]
mod probes;
#[path = "process_faults/refusals.rs"]
mod refusals;
#[path = "process_faults/shortage.rs"]
mod shortage;
#[path = "process_faults/stalls.rs"]
mod stalls;
#[path = "process_faults/survivors.rs"]
mod survivors;
#[path = "process_faults/twins.rs"]
mod twins;
#[path = "process_faults/user.rs"]
mod user;
#[path = "process_faults/what_if.rs"]
mod what_if;
