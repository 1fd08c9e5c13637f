//! What `pillion run` shows while a pod runs.
//!
//! ```text
//!                ┌─▶ Log ──────────────────────────┐
//!  bytes ─▶ Show ┤                                  ├─▶ Screen, or pipes ─▶ bytes
//!  records ─▶    ├─▶ Teller ─▶ sentences ───────────┤
//!                └─▶ Moments ─▶ View ─▶ frame ──────┘
//! ```
//!
//! [`show`] puts the parts together and is all that a driver has to know: it takes in what the
//! engine tells and what the containers write, and says when it wants to be called again.
//!
//! Everything here is pure: no clock, no process, no terminal of its own. Time comes in as a
//! [`Tick`](pillion_engine::Tick), and bytes go out to whatever can be written to.

mod beside;
pub(crate) mod clip;
pub(crate) mod frame;
pub(crate) mod log;
pub(crate) mod moments;
pub(crate) mod screen;
pub(crate) mod show;
pub(crate) mod sink;
pub(crate) mod teller;
pub(crate) mod view;

#[cfg(test)]
mod tests;
