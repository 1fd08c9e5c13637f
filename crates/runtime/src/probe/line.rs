//! The line over which an attempt is made. Whoever calls the attempt off hangs up, and it is over at once.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The connection of an attempt, as far as there is one.
#[derive(Debug, Default)]
pub(super) struct Line(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    hung_up: bool,
    stream: Weak<TcpStream>,
}

// === impl Line ===

impl Line {
    /// From now on this is the connection; an error if nobody wants one any more.
    pub(super) fn hold(&self, stream: &Arc<TcpStream>) -> io::Result<()> {
        let mut state = self.state();
        if state.hung_up {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        state.stream = Arc::downgrade(stream);
        Ok(())
    }

    /// Ends the connection, and refuses all others. Whoever reads from it is not kept waiting.
    pub(super) fn hang_up(&self) {
        let mut state = self.state();
        state.hung_up = true;
        if let Some(stream) = state.stream.upgrade() {
            // The other side may have done so already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Nothing is done under the lock that could leave it half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
