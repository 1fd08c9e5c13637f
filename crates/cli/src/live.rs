//! What `pillion run` shows while a pod runs.
//!
//! Everything here is pure: no clock, no process, no terminal of its own. Time comes in as a
//! [`Tick`](pillion_engine::Tick), and bytes go out to whatever can be written to.

pub(crate) mod log;

#[cfg(test)]
mod tests;
