//! Plays scenarios in virtual time.
//!
//! A scenario is a pod, what its containers do, what is done to it, and what must be seen. The
//! simulator couples the engine with a simulated machine, moves the clock from one happening to the
//! next, and judges what was seen. An hour in the life of a pod takes about a millisecond, and every
//! play of the same scenario is the same.
//!
//! ```text
//!   Scenario ─▶ play ─▶ Record (lines, statuses, moments) ─▶ judge ─▶ Verdicts
//!                  └──▶ Trace (what went into the engine and came out), entries
//! ```
//!
//! The crate does no I/O: files come in as bytes.

pub mod act;
pub mod actor;
mod agenda;
pub mod check;
pub mod inline;
pub mod journal;
pub mod judge;
pub mod life;
pub mod line;
pub mod machine;
pub mod player;
pub mod record;
pub mod scenario;
mod stage;
pub mod suite;
pub mod trace;
mod world;

pub use judge::{Outcome, Verdict, judge};
pub use machine::{Machine, Unplayable};
pub use player::{Played, Setup, play, play_on};
pub use record::Record;
pub use scenario::{Case, Driver, Scenario};
pub use stage::{News, Stage};
pub use trace::Trace;
pub use world::{Latency, Violation};
