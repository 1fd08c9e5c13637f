//! Runs a pod: a runtime carries out what the engine asks for and tells what happens.
//!
//! ```text
//!  pillion ──────────────┐ one stream socket for each run of a container
//!     │ fork, please     │
//!   guard ─── fork ─▶ keeper ─── exec ─▶ the container's process, and all it starts
//! ```
//!
//! Containers are never children of `pillion` itself. See [`guard`].

#[cfg(not(target_os = "linux"))]
compile_error!("Pillion runs pods with namespaces, control groups and epoll, which only Linux has");

mod beneath;
pub mod causes;
pub mod clean;
pub mod clock;
pub mod descriptors;
pub mod guard;
pub mod journal;
pub mod lines;
pub mod poller;
pub mod probe;
pub mod process;
pub mod pump;
pub mod removal;
pub mod runtime;
pub mod signals;
mod socket;
mod sys;
pub mod terminal;
pub mod watch;
