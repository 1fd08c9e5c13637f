//! Decides what should happen to the containers of one pod, and when.
//!
//! The engine is a pure state machine: it opens no file, asks no clock and starts no task. A driver
//! tells it what happened ([`Event`]) or what is wanted ([`Request`]) and carries out what it asks
//! for ([`Action`]). The same inputs in the same order always give the same outputs.
//!
//! ```text
//!             handle_event, handle_request, handle_timeout
//!   driver ───────────────────────────────────────────────▶ Engine
//!          ◀───────────────────────────────────────────────
//!             poll_fact (keep it), poll_action (do it),
//!             poll_entry (tell it), poll_deadline (wake me)
//! ```
//!
//! Start reading at [`pod`], which says what the engine knows of a pod, then [`engine`].

pub mod action;
pub mod engine;
pub mod entry;
pub mod event;
pub mod fact;
pub mod graph;
pub mod life;
pub mod pod;
mod probe;
mod restart;
pub mod result;
pub mod status;
pub mod tick;
mod timer;

pub use action::{Action, Command};
pub use engine::Engine;
pub use entry::{Cause, Entry, Impossible, What};
pub use event::{Attempt, Event, Exit, Found, Request, StartFailure};
pub use fact::{Change, Fact};
pub use pod::{BarrierId, ContainerId, Pod};
pub use result::{PodReason, PodResult, Refused, Wait, WaitState};
pub use status::PodStatus;
pub use tick::Tick;

#[cfg(test)]
mod tests;
