//! The promises of the engine as laws over traces, and the drivers that produce the traces.
//!
//! ```text
//!   a pod ─▶ environment ⇄ a machine (the engine, or a mutant of it)
//!                 │ a trace
//!                 ▼
//!               laws ─▶ nothing, or the first violation
//! ```
//!
//! Start reading at [`laws`], which lists the promises; [`environment`] is everything that can
//! happen to a pod; [`explore`] tries every order in which it can.
//!
//! Outside virtual time, [`processes`] plays scenarios as host processes, [`program`] under `pillion run`, and [`kubelet`] on a real
//! one, in a [`cluster`]; [`differential`] plays random pods on both and says what differs.

#![expect(
    clippy::match_same_arms,
    clippy::struct_excessive_bools,
    reason = "a judge spells out each case and each fact by itself"
)]

pub mod cluster;
pub mod describe;
pub mod differential;
pub mod draft;
pub mod environment;
pub mod explore;
pub mod fake;
pub mod families;
pub mod fuzz;
pub mod generate;
pub mod kubelet;
pub mod laws;
mod mixer;
pub mod mutants;
pub mod pairwise;
pub mod processes;
pub mod program;
pub mod subject;
pub mod sweep;
mod tri;
mod world;
