//! How other terminals, and the containers themselves, talk to a pod that runs.
//!
//! ```text
//! pillion ps, stop, exec … ─▶ Client ── <room>/control ──┐
//!                                                        ├─▶ running::server
//! "$PILLION" ask … ────────▶ Client ── $PILLION_SOCKET ──┘
//! ```
//!
//! Both sides send lines of JSON ([`message`]). Whoever listens says hello first, with the version of what it speaks; then
//! there is one request, and what is answered. People's sockets can be opened by their user only; a container's takes
//! nothing but what a container may ask.

pub(crate) mod apply;
pub(crate) mod bytes;
pub(crate) mod client;
pub(crate) mod find;
pub(crate) mod message;
