//! Real processes on a stage, under a real guard.
//!
//! Where a test asks for every guard, it is done as who we are and, if that is root, as nobody in particular too.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "process_stage/descriptors.rs"]
mod descriptors;
#[path = "process_stage/identity.rs"]
mod identity;
#[path = "process_stage/kept.rs"]
mod kept;
#[path = "process_stage/limits.rs"]
mod limits;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod machine;
#[path = "process_stage/mounts.rs"]
mod mounts;
