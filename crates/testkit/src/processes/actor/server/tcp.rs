//! A port that is open as long as a probe is to pass: all that a connection can say is that there is somebody.

use crate::processes::actor::Actor;
use crate::processes::actor::attempt::{Caller, outlook};
use crate::processes::stage::Stage;
use pillion_engine::pod::ProbeKind;
use pillion_simulator::line::{Part, Who};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

/// How often is looked whether the port is to be open.
const LOOK: Duration = Duration::from_millis(10);

/// Opens and closes the port, and plays the part for everybody who comes in.
pub(super) fn serve(stage: &Stage, address: SocketAddr, who: &Who) -> io::Result<()> {
    let mut door: Option<TcpListener> = None;
    loop {
        door = match (is_open(stage, who)?, door.take()) {
            (true, None) => Some(TcpListener::bind(address)?),
            (true, open) => open,
            (false, _) => None,
        };
        match &door {
            Some(door) if has_visitor(door)? => {
                door.accept()?;
                Actor::new(stage.clone(), who)?.attempt(&Caller::Patient)?;
            }
            Some(_) => {}
            None => thread::sleep(LOOK),
        }
    }
}

fn is_open(stage: &Stage, who: &Who) -> io::Result<bool> {
    let is_of = |probe: &ProbeKind| Part::from(*probe) == who.part;
    let probe = ProbeKind::ALL.into_iter().find(is_of);
    let probe = probe.ok_or(io::ErrorKind::InvalidInput)?;
    Ok(outlook(stage, &who.container, probe)?.0)
}

/// Waits for somebody, but not long.
fn has_visitor(door: &TcpListener) -> io::Result<bool> {
    let time = Timespec::try_from(LOOK).ok();
    let mut events = [PollFd::new(door, PollFlags::IN)];
    match poll(&mut events, time.as_ref()) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
