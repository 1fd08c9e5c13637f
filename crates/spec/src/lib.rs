//! Reads pod files: what they say, where they say it, and what is wrong with it.
//!
//! ```text
//! bytes ─▶ Source ─▶ Tree ─▶ Pod + Places ─▶ graph
//!             └────────┴─────────┴──────────────┴──▶ Diagnostics
//! ```
//!
//! [`file::read`] takes the bytes of a file and gives its pods, with everything wrong that it
//! could find in one pass. Values mean what they mean to `kubectl`. The crate opens no file, asks
//! no clock and reads no environment.

mod admission;
mod base64;
mod decode;
mod findings;
mod name;
mod shape;

pub mod check;
pub mod code;
pub mod container;
pub mod diagnostic;
pub mod dialect;
pub mod difference;
pub mod effective;
pub mod env;
pub mod fields;
pub mod file;
pub mod hook;
pub mod load;
pub mod lower;
pub mod nearest;
pub mod pillion;
pub mod place;
pub mod plan;
pub mod pod;
pub mod probe;
pub mod quantity;
pub mod render;
pub mod report;
pub mod resources;
pub mod restart;
pub mod security;
pub mod source;
pub mod tree;
pub mod volume;
pub mod word;

pub use check::check;
pub use code::Code;
pub use diagnostic::{Diagnostic, Severity};
pub use dialect::Dialect;
pub use file::{Outcome, PodFile, read};
pub use load::{Loaded, LoadedPod, load, lower_and_check};
pub use lower::{LowerOptions, Lowered, lower};
pub use nearest::nearest;
pub use place::Places;
pub use source::{Source, Span};
