//! A pod that is being run by this process.
//!
//! ```text
//! file ─▶ larder ─▶ Processes ─┐
//!                   Engine ────┼─▶ Pump ─▶ exit status
//! state folder ─▶ Keeping ─┐   │
//! terminal ─▶ Show ────────┼─▶ Face
//! other terminals ─▶ Server┤
//! other files ─▶ Applier ──┤
//! --watch ─▶ Watching ─────┤
//! signals, faults ─────────┘
//! ```

mod apply;
mod face;
mod fault;
mod host;
mod keeping;
mod leavings;
mod limits;
mod logs;
mod memory;
mod not_run;
mod outlets;
mod result;
pub(crate) mod room;
mod server;
mod start;
mod survivors;
mod unkept;
mod watch;

pub(crate) use leavings::NotPlaced;
pub(crate) use memory::MemoryError;
pub(crate) use not_run::NotRun;
pub(crate) use room::RoomError;
pub(crate) use start::{Options, Ready, run};
pub(crate) use watch::{Followed, NotFollowed};
