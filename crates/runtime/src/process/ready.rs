//! `readyOn`: how a container tells by an event that it is ready.
//!
//! Everything counts for one run only: the files and lines of an earlier one say nothing about this one.

pub(super) mod file;
pub(super) mod line;
pub(super) mod notify;
