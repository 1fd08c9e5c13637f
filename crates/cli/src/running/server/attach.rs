//! Somebody who has joined a container: they see what it writes as it writes it, and write what it reads themselves.
//!
//! What is typed does not go through here. Whoever joins gets the other end of the container's standard input, or of its
//! terminal, so that nobody is held up by a container that does not read.

use super::answer::{container_name, meant, not_running, refused};
use super::client::{Client, Doing};
use super::{PATIENCE, Seen, Server};
use crate::control::message::Answer;
use pillion_engine::{Entry, What};
use pillion_runtime::clock;
use pillion_runtime::process::Attached;
use pillion_runtime::runtime::{Output, Stream};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// Lets somebody join a container.
pub(super) fn attach(
    client: &mut Client,
    container: Option<&str>,
    seen: &mut Seen<'_, '_>,
) -> Result<(), Answer> {
    let id = meant(container, seen)?;
    let attached = seen.pod.runtime.attach(id);
    let attached = attached.map_err(|error| refused(&error.to_string(), None))?;
    let attached = attached.ok_or_else(|| not_running(seen.pod.engine(), id))?;
    let Attached {
        attempt,
        terminal,
        input,
    } = attached;
    let answer = Answer::Attached {
        container: container_name(seen.pod.engine(), id),
        terminal,
        input: input.is_some(),
    };
    let input: Vec<BorrowedFd<'_>> = input.iter().map(OwnedFd::as_fd).collect();
    // Nothing but a hello was said before, so that there is room for it.
    let said = client.lines.send(&answer, &input);
    said.map_err(|error| refused(&error.to_string(), None))?;
    client.stay(Doing::Attached(id, attempt));
    Ok(())
}

impl Server {
    /// Shows what a container wrote to those who have joined it.
    pub(in crate::running) fn output(&mut self, output: &Output) {
        let stderr = output.stream == Stream::Stderr;
        self.for_those(
            Doing::Attached(output.container, output.attempt),
            |client| client.show(stderr, &output.bytes),
        );
    }

    /// The run that somebody has joined may be over.
    pub(super) fn tell_attached(&mut self, entry: &Entry) {
        let code = if let What::Exited(exit) = &entry.what {
            Some(exit.code)
        } else if let What::Undone { ok } = entry.what {
            Some(i32::from(!ok))
        } else {
            None
        };
        if let (Some(container), Some(code)) = (entry.container, code) {
            let answer = Answer::Exited(code);
            let until = clock::now() + PATIENCE;
            self.for_those(Doing::Attached(container, entry.attempt), |client| {
                client.answer(&answer, until)
            });
        }
    }
}
