//! Host processes: a container is a process on this machine, and all that it starts.

pub mod expand;
