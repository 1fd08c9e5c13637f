//! A witness with a thread of its own, so that nobody has to let it look.

use super::{Life, Witness};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Somebody watches.
pub(in crate::processes) struct Watch {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Vec<Life>>>,
}

/// So often is looked who is there, though nobody says or does anything.
const LOOK: Duration = Duration::from_millis(10);

// === impl Watch ===

impl Watch {
    /// Watches from now on, at that place.
    pub(in crate::processes) fn begin(socket: &Path) -> io::Result<Self> {
        let witness = Witness::at(socket)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let told = is_over.clone();
        let thread = thread::spawn(move || watch(witness, &told));
        Ok(Self { is_over, thread })
    }

    /// Everybody who was seen, those first who went first.
    pub(in crate::processes) fn end(self) -> io::Result<Vec<Life>> {
        self.is_over.store(true, Ordering::Release);
        let watched = self.thread.join();
        watched.unwrap_or_else(|_| Err(io::Error::other("the witness has panicked")))
    }
}

fn watch(mut witness: Witness, is_over: &AtomicBool) -> io::Result<Vec<Life>> {
    let mut lives = Vec::new();
    // One more look when it is over: what was there then is seen.
    let mut goes_on = true;
    while goes_on {
        goes_on = !is_over.load(Ordering::Acquire);
        lives.extend(witness.wait(LOOK)?);
    }
    lives.extend(witness.into_present());
    Ok(lives)
}
