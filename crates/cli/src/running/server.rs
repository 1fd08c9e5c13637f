//! Listens to other terminals and to the containers of the pod that is run here.
//!
//! ```text
//! accepted ─▶ Asking ─▶ (answered) ─▶ Leaving ─▶ gone
//!               ├─▶ Watching    told how the pod stands whenever that changes
//!               ├─▶ Applying    the same, until their file was applied
//!               ├─▶ Waiting     told nothing; sees the end of the pod
//!               ├─▶ Attached    told what a container writes
//!               └─▶ Running     a command of theirs runs in a container
//! ```
//!
//! Nobody can hold the pod up: nothing here waits, lines and numbers are limited, and whoever asks nothing, or does not
//! read the answer, is let go after a while.

mod answer;
mod apply;
mod attach;
mod client;
pub(super) mod object;
mod status;

use super::apply::Applier;
use super::room::{self, RoomError};
use crate::control::message::{Answer, Hello, PROTOCOL};
use crate::live::view::View;
use client::{Client, Doing, Who};
use pillion_engine::{ContainerId, Engine, Entry, Tick};
use pillion_runtime::clock;
use pillion_runtime::guard::{ChannelError, NotStarted, Outcome};
use pillion_runtime::lines::Lines;
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::process::{Processes, is_passing};
use pillion_runtime::pump::Driven;
use pillion_timeline::Base;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Everybody who talks to the pod.
#[derive(Debug)]
pub(super) struct Server {
    poller: Rc<Poller>,
    listener: UnixListener,
    /// Nobody can be let in until then.
    closed_until: Option<Tick>,
    clients: BTreeMap<Token, Client>,
    next: u64,
    about: About,
    /// Something has happened since those who watch were last told.
    changed: bool,
    /// When how the pod stands changes by itself.
    next_change: Option<Tick>,
}

/// What is said of the pod, beside how it stands.
#[derive(Debug)]
pub(super) struct About {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) base: Base,
    /// The file that the pod was read from, as it was then.
    pub(super) file: PathBuf,
}

/// A pod, and how to look at it.
pub(super) struct Seen<'a, 'p> {
    pub(super) pod: &'a mut Driven<'p, Processes>,
    pub(super) view: &'a dyn Fn(&Engine, Tick) -> View,
    /// Who takes other files.
    pub(super) applier: &'a mut Applier,
    /// Somebody wanted the pod to stop.
    pub(super) stopped: bool,
}

/// So many people are listened to at once, and so many processes of one container.
const MOST_PEOPLE: usize = 256;
const MOST_OF_CONTAINER: usize = 16;

/// So many are let in before anybody else gets their turn.
const AT_ONCE: usize = 16;

/// Whoever has said nothing for so long, or has not read the answer, is let go.
const PATIENCE: Duration = Duration::from_secs(10);

/// When nobody can be let in, for want of descriptors say, it is tried again after this.
const PAUSE: Duration = Duration::from_secs(1);

/// So long a pod that has ended waits for those who still read.
const LAST_MOMENT: Duration = Duration::from_secs(1);

// === impl Server ===

impl Server {
    /// Listens in the room of the pod.
    pub(super) fn open(room: &Path, poller: Rc<Poller>, about: About) -> Result<Self, RoomError> {
        let path = room::control(room);
        let listener = listen(&path, &poller).map_err(|source| RoomError::Listen {
            socket: path,
            source,
        })?;
        Ok(Self {
            poller,
            listener,
            closed_until: None,
            clients: BTreeMap::new(),
            next: 0,
            about,
            changed: false,
            next_change: None,
        })
    }

    /// Something of ours can be read or written.
    pub(super) fn ready(&mut self, token: Token, seen: &mut Seen<'_, '_>) {
        // It may have been let go just now.
        let Some(mut client) = self.clients.remove(&token) else {
            return;
        };
        match self.serve(&mut client, seen) {
            Ok(()) => self.keep(token, client),
            Err(_) => hang_up(&client, seen.pod),
        }
    }

    /// Lets in those of the pod's own containers who have come.
    pub(super) fn let_callers_in(&mut self, pod: &mut Driven<'_, Processes>) {
        for (container, socket) in pod.runtime.take_callers() {
            self.let_in(socket, Who::Container(container), pod.now);
        }
    }

    /// Something happened in the pod's life.
    pub(super) fn told(&mut self, entry: &Entry) {
        self.changed = true;
        self.tell_attached(entry);
    }

    /// How the pod stands is different, though nothing happened in its life.
    pub(super) const fn stir(&mut self) {
        self.changed = true;
    }

    /// A command of somebody is over.
    pub(super) fn exec_done(&mut self, id: u64, outcome: Result<Outcome, NotStarted>) {
        let answer = answer::exec_done(outcome);
        let until = clock::now() + PATIENCE;
        self.for_those(Doing::Running(id), |client| client.answer(&answer, until));
    }

    /// The pod has ended. Whoever has not read the last of it gets a moment.
    pub(super) fn finish(mut self) {
        let end = clock::now() + LAST_MOMENT;
        loop {
            // Whoever is gone needs nothing any more.
            (self.clients)
                .retain(|_, client| client.lines.has_pending() && client.lines.flush().is_ok());
            let those = self.clients.values();
            let those = those.filter(|client| client.lines.has_pending());
            let mut those: Vec<_> = those
                .map(|client| PollFd::new(&client.lines, PollFlags::OUT))
                .collect();
            let left = Timespec::try_from(end.since(clock::now())).unwrap_or_default();
            if those.is_empty() || !poll(&mut those, Some(&left)).is_ok_and(|ready| ready > 0) {
                return;
            }
        }
    }

    /// When something is to be done here, if nothing happens.
    pub(super) fn next_wake(&self) -> Option<Tick> {
        let watched = self.is_watched();
        let now = (watched && self.changed).then_some(Tick::ZERO);
        let change = self.next_change.filter(|_| watched);
        let patience = self.clients.values().filter_map(|client| client.until);
        let all = [now, change, self.closed_until].into_iter().flatten();
        all.chain(patience).min()
    }

    /// Does what is due.
    pub(super) fn wake(&mut self, seen: &mut Seen<'_, '_>) {
        let now = seen.pod.now;
        if self.closed_until.is_some_and(|until| until <= now) {
            self.closed_until = self
                .poller
                .add(&self.listener, Token::Door)
                .is_err()
                .then(|| now + PAUSE);
        }
        self.clients
            .retain(|_, client| client.until.is_none_or(|until| until > now));
        let due = self.changed || self.next_change.is_some_and(|at| at <= now);
        if due && self.is_watched() {
            self.tell_watchers(seen);
        }
    }

    fn is_watched(&self) -> bool {
        let mut clients = self.clients.values();
        clients.any(|client| client.doing.watches())
    }

    /// Those who have not read what they were told before are told later.
    fn tell_watchers(&mut self, seen: &Seen<'_, '_>) {
        self.changed = false;
        let (look, next) = self.look(seen);
        let look = Answer::Look(Box::new(look));
        self.next_change = next;
        for doing in [Doing::Watching, Doing::Applying] {
            self.for_those(doing, |client| client.tell(&look));
        }
    }

    /// Says something to all who are doing this.
    fn for_those(&mut self, doing: Doing, say: impl Fn(&mut Client) -> Result<(), ChannelError>) {
        let those = self.clients.iter();
        let those = those.filter(|(_, client)| client.doing == doing);
        let those: Vec<_> = those.map(|(token, _)| *token).collect();
        for token in those {
            if let Some(mut client) = self.clients.remove(&token)
                && say(&mut client).is_ok()
            {
                self.keep(token, client);
            }
        }
    }

    /// Lets in those who have come to talk to the pod.
    pub(super) fn let_people_in(&mut self, now: Tick) {
        for _ in 0..AT_ONCE {
            match self.listener.accept() {
                Ok((socket, _)) => self.let_in(socket.into(), Who::Person, now),
                Err(error) if is_passing(&error) => return,
                Err(_) => {
                    // Or it would be told again at once, for ever.
                    if self.poller.remove(&self.listener).is_ok() {
                        self.closed_until = Some(now + PAUSE);
                    }
                    return;
                }
            }
        }
    }

    fn let_in(&mut self, socket: OwnedFd, who: Who, now: Tick) {
        let most = match who {
            Who::Person if !is_one_of_us(&socket) => return,
            Who::Person => MOST_PEOPLE,
            Who::Container(_) => MOST_OF_CONTAINER,
        };
        let those = self.clients.values().filter(|client| client.who == who);
        let full = those.count() >= most;
        let mut client = Client::new(Lines::new(socket, who.longest_line()), who, now + PATIENCE);
        let welcome = if full {
            let busy = "too many others talk to this pod";
            client.tell(&answer::refused(busy, None))
        } else {
            client.tell(&self.hello())
        };
        if full || welcome.is_err() {
            return;
        }
        let token = Token::Client(self.next);
        self.next += 1;
        if self.poller.add(&client.lines, token).is_ok() {
            self.keep(token, client);
        }
    }

    fn hello(&self) -> Hello {
        Hello {
            pillion: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            namespace: self.about.namespace.clone(),
            name: self.about.name.clone(),
        }
    }

    /// Goes on with somebody, unless there is nothing more to say.
    fn keep(&mut self, token: Token, mut client: Client) {
        let pending = client.lines.has_pending();
        if client.doing == Doing::Leaving && !pending {
            return;
        }
        let watched = client.watch_writing(&self.poller, token, pending);
        if watched.is_ok() {
            self.clients.insert(token, client);
        }
    }
}

/// Only their user can come in.
fn listen(path: &Path, poller: &Poller) -> io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    listener.set_nonblocking(true)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    poller.add(&listener, Token::Door)?;
    Ok(listener)
}

/// The user who runs the pod, or root.
fn is_one_of_us(socket: &OwnedFd) -> bool {
    socket_peercred(socket)
        .is_ok_and(|peer| peer.uid.is_root() || peer.uid == rustix::process::geteuid())
}

/// Somebody is gone, and what they had running goes too.
fn hang_up(client: &Client, pod: &mut Driven<'_, Processes>) {
    if let Doing::Running(id) = client.doing {
        pod.runtime.end_exec_of_person(id);
    }
}

/// A container by its name.
fn container_named(engine: &Engine, name: &str) -> Option<ContainerId> {
    let mut containers = (0..).zip(&engine.pod().containers);
    containers
        .find_map(|(number, container)| (&*container.name == name).then_some(ContainerId(number)))
}
