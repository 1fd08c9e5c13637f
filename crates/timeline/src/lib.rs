//! The record of what happened in a pod's life, and why.
//!
//! The engine tells entries; a [`Recorder`] turns each into a [`Record`]: numbered, with names
//! instead of ids, and with the number of the record that caused it. Records written one a line
//! after a [`Header`] are a timeline file; read back, they are a [`Timeline`] that answers
//! questions: what each container did when ([`Timeline::lanes`]), who waited for whom
//! ([`Timeline::waits`]), what the time to ready was spent on ([`Timeline::critical_path`]).
//!
//! ```text
//!   engine::Entry ──▶ Recorder ──▶ Record ──▶ one JSON line
//!                                    │ ▲
//!                                    ▼ │
//!                                 Timeline ──▶ lanes, waits, critical path, sentences, pictures
//! ```
//!
//! Everything here is pure: no file, no clock, no colour codes. The same entries give the same
//! text, and no input makes it panic: a timeline with gaps gives poorer answers, not none.

pub mod axis;
mod because;
pub mod edge;
mod facts;
mod form;
pub mod gantt;
pub mod html;
pub mod json;
pub mod lanes;
pub mod path;
pub mod quantity;
mod reason;
pub mod record;
pub mod recorder;
pub mod story;
pub mod summary;
pub mod svg;
pub mod text;
pub mod timeline;
pub mod trace;
mod translate;
pub mod unfinished;
pub mod waits;
pub mod wall;
pub mod words;

#[cfg(test)]
mod tests;

pub use edge::{BarrierHead, Edge};
pub use json::{ReadError, Reading};
pub use record::{Cause, Record, Target, What};
pub use recorder::{Base, Recorder};
pub use text::{Line, Style, Tone};
pub use timeline::{ContainerHead, Header, Timeline};
pub use wall::Wall;
