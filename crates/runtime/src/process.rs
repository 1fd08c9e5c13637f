//! Host processes: a container is a process on this machine, and all that it starts.

pub mod env;
pub mod expand;
pub mod recipe;
pub mod volume;
