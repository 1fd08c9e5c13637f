//! What is done about a request, and what is answered.

use super::client::{Client, Doing, Who};
use super::{Applier, PATIENCE, Seen, Server, attach, container_named, object};
use crate::control::message::{
    Answer, Asked, ContainerLook, ContainerRequest, Look, Request, State, Status,
};
use crate::live::view::{Row, View};
use pillion_engine::fact::Goal;
use pillion_engine::pod::{Reaction, Role};
use pillion_engine::{ContainerId, Engine, Refused, Request as Wish, Tick};
use pillion_runtime::guard::{ChannelError, NotStarted, Outcome};
use pillion_runtime::process::Processes;
use pillion_timeline::Wall;
use pillion_timeline::text::tame;
use serde_json::Value;
use std::os::fd::AsFd as _;
use std::time::Duration;

/// Why somebody asks, as far as it is kept.
const LONGEST_REASON: usize = 200;

/// More signals than this at once are not meant for a command.
const MOST_SIGNALS: usize = 32;

impl Server {
    /// Does what somebody wants. An error means that there is nothing more to say to them.
    pub(super) fn serve(
        &mut self,
        client: &mut Client,
        seen: &mut Seen<'_, '_>,
    ) -> Result<(), ChannelError> {
        client.lines.flush()?;
        match (client.who, client.doing) {
            (Who::Person, Doing::Asking) => {
                let Some(request) = client.lines.try_receive()? else {
                    return Ok(());
                };
                self.serve_person(client, request, seen)?;
                // What was said in the same breath has come already, and nobody will be woken for it.
                self.serve(client, seen)
            }
            (Who::Container(container), Doing::Asking) => {
                if let Some(request) = client.lines.try_receive()? {
                    let answer = serve_container(container, request, seen);
                    client.answer(&answer, seen.pod.now + PATIENCE)?;
                }
                Ok(())
            }
            (_, Doing::Running(id)) => pass_signals_on(client, id, seen),
            (_, doing @ (Doing::Watching | Doing::Applying))
                if client.behind && !client.lines.has_pending() =>
            {
                self.watch(client, doing, seen)
            }
            (
                _,
                Doing::Watching
                | Doing::Applying
                | Doing::Attached(..)
                | Doing::Waiting
                | Doing::Leaving,
            ) => stay_silent(client),
        }
    }

    fn serve_person(
        &mut self,
        client: &mut Client,
        request: Request,
        seen: &mut Seen<'_, '_>,
    ) -> Result<(), ChannelError> {
        let until = seen.pod.now + PATIENCE;
        let answer = match request {
            Request::Look => Answer::Look(Box::new(self.look(seen).0)),
            Request::Get => self.get(seen),
            Request::Watch => return self.watch(client, Doing::Watching, seen),
            Request::Wait => {
                client.stay(Doing::Waiting);
                return client.tell(&Answer::Done);
            }
            Request::Stop { grace } => {
                let grace = grace.map(Duration::from_millis);
                match stop(grace, seen) {
                    Ok(()) => return self.watch(client, Doing::Watching, seen),
                    Err(refused) => refuse(refused, seen.pod.engine()),
                }
            }
            Request::Restart { container } => restart(container.as_deref(), seen),
            Request::Exec {
                container,
                command,
                terminal,
            } => {
                let container = container.as_deref();
                match exec(client, container, command, terminal.as_deref(), seen) {
                    Ok(id) => {
                        client.stay(Doing::Running(id));
                        return Ok(());
                    }
                    Err(answer) => answer,
                }
            }
            Request::Attach { container } => {
                match attach::attach(client, container.as_deref(), seen) {
                    Ok(()) => return Ok(()),
                    Err(answer) => answer,
                }
            }
            Request::Signal(_) => refused("there is no command to signal", None),
            Request::Apply(apply) => return self.apply(client, &apply, seen),
        };
        client.answer(&answer, until)
    }

    pub(super) fn watch(
        &mut self,
        client: &mut Client,
        doing: Doing,
        seen: &Seen<'_, '_>,
    ) -> Result<(), ChannelError> {
        client.stay(doing);
        let (look, next) = self.look(seen);
        self.next_change = [self.next_change, next].into_iter().flatten().min();
        client.tell(&Answer::Look(Box::new(look)))
    }

    /// How the pod stands, and until when it stands so.
    pub(super) fn look(&self, seen: &Seen<'_, '_>) -> (Look, Option<Tick>) {
        let engine = seen.pod.engine();
        let View { head, rows, next } = (seen.view)(engine, seen.pod.now);
        let about = &self.about;
        let containers = (0..).zip(rows);
        let containers = containers
            .map(|(number, row)| container_look(ContainerId(number), row, engine, seen.pod.runtime))
            .collect();
        let look = Look {
            namespace: about.namespace.clone(),
            name: about.name.clone(),
            pid: std::process::id(),
            began: about.base.wall.unwrap_or(Wall::from_unix(Duration::ZERO)),
            phase: engine.status().phase.as_str().to_owned(),
            state: status(engine, seen.pod.now).state,
            ready: engine.is_pod_ready(),
            run: engine.run(),
            told: head.parts.into_iter().map(|(_, part)| part).collect(),
            containers,
        };
        (look, next)
    }

    fn get(&self, seen: &Seen<'_, '_>) -> Answer {
        match self.object(seen.pod.engine(), seen.applier) {
            Ok(object) => Answer::Object(object),
            Err(message) => refused(&message, None),
        }
    }

    /// The pod as Kubernetes shows it, or why it cannot be shown.
    pub(in crate::running) fn object(
        &self,
        engine: &Engine,
        applier: &Applier,
    ) -> Result<Value, String> {
        object::of(&self.about, engine, applier.otherwise())
    }
}

fn container_look(
    id: ContainerId,
    row: Row,
    engine: &Engine,
    processes: &Processes,
) -> ContainerLook {
    let restarts = engine.record(id).map_or(0, |record| record.restarts);
    ContainerLook {
        name: row.name,
        state: row.standing,
        told: row.detail,
        up: row.standing.is_up(),
        ready: engine.is_container_ready(id),
        restarts,
        pid: processes.pid(id),
        counts: row.counts,
    }
}

/// Nobody who is told things has anything more to say.
fn stay_silent(client: &mut Client) -> Result<(), ChannelError> {
    match client.lines.try_receive::<Request>()? {
        None => Ok(()),
        Some(_) => Err(ChannelError::TooLong),
    }
}

fn pass_signals_on(
    client: &mut Client,
    id: u64,
    seen: &mut Seen<'_, '_>,
) -> Result<(), ChannelError> {
    for _ in 0..MOST_SIGNALS {
        match client.lines.try_receive()? {
            None => return Ok(()),
            Some(Request::Signal(signal)) => seen.pod.runtime.signal_exec(id, signal),
            Some(
                Request::Look
                | Request::Watch
                | Request::Wait
                | Request::Stop { .. }
                | Request::Restart { .. }
                | Request::Exec { .. }
                | Request::Attach { .. }
                | Request::Get
                | Request::Apply(_),
            ) => break,
        }
    }
    Err(ChannelError::TooLong)
}

fn stop(grace: Option<Duration>, seen: &mut Seen<'_, '_>) -> Result<(), Refused> {
    seen.pod.request(Wish::Delete { grace })?;
    seen.stopped = true;
    if grace == Some(Duration::ZERO) {
        seen.pod.runtime.kill_all();
    }
    Ok(())
}

fn restart(container: Option<&str>, seen: &mut Seen<'_, '_>) -> Answer {
    let by = match container {
        None => None,
        Some(name) => match container_named(seen.pod.engine(), name) {
            None => return unknown_container(name, seen.pod.engine()),
            container => container,
        },
    };
    let reaction = match by {
        Some(_) => Reaction::Restart,
        None => Reaction::RestartPod,
    };
    let reason = "`pillion restart`".into();
    let asked = seen.pod.request(Wish::Ask {
        reaction,
        by,
        reason,
    });
    done(asked, seen.pod.engine())
}

fn exec(
    client: &mut Client,
    container: Option<&str>,
    command: Vec<String>,
    terminal: Option<&str>,
    seen: &mut Seen<'_, '_>,
) -> Result<u64, Answer> {
    let stdio = client.lines.take_stdio();
    let stdio = stdio.ok_or_else(|| refused("standard input and output are missing", None))?;
    if command.is_empty() {
        return Err(refused("there is no command", None));
    }
    let id = meant(container, seen)?;
    let [input, output, error] = &stdio;
    let stdio = [input.as_fd(), output.as_fd(), error.as_fd()];
    let begun = (seen.pod.runtime).exec_for_person(id, command, stdio, terminal);
    begun.map_err(|_| not_running(seen.pod.engine(), id))
}

pub(super) fn not_running(engine: &Engine, id: ContainerId) -> Answer {
    let name = container_name(engine, id);
    let hint = "`pillion ps` with the name of the pod tells how it stands";
    refused(&format!("`{name}` does not run now"), Some(hint.to_owned()))
}

/// The container that is meant: the only one, or the only main that runs, if nobody says.
pub(super) fn meant(container: Option<&str>, seen: &Seen<'_, '_>) -> Result<ContainerId, Answer> {
    let engine = seen.pod.engine();
    if let Some(name) = container {
        return container_named(engine, name).ok_or_else(|| unknown_container(name, engine));
    }
    let all = (0..).zip(&engine.pod().containers);
    let running = all.filter(|(number, _)| seen.pod.runtime.is_running(ContainerId(*number)));
    let running: Vec<_> = running.collect();
    let mains = running.iter().filter(|(_, one)| one.role == Role::Main);
    match (&running[..], &mains.collect::<Vec<_>>()[..]) {
        ([(number, _)], _) | (_, [(number, _)]) => Ok(ContainerId(*number)),
        ([], _) => Err(refused("no container of the pod runs now", None)),
        (_, _) => Err(refused(
            "the pod has several containers",
            Some(say_which(engine)),
        )),
    }
}

fn serve_container(
    container: ContainerId,
    request: ContainerRequest,
    seen: &mut Seen<'_, '_>,
) -> Answer {
    match request {
        ContainerRequest::Status => Answer::Status(status(seen.pod.engine(), seen.pod.now)),
        ContainerRequest::Ask { what, reason } => ask(container, what, &reason, seen),
        ContainerRequest::Notify { ready } => {
            if seen.pod.runtime.notify(container, ready) {
                return Answer::Done;
            }
            let name = container_name(seen.pod.engine(), container);
            let message = format!("the readiness of `{name}` does not depend on what it tells");
            let hint = format!("say `readyOn: notify` for `{name}` in the pod file");
            refused(&message, Some(hint))
        }
    }
}

fn ask(container: ContainerId, what: Asked, reason: &str, seen: &mut Seen<'_, '_>) -> Answer {
    let reason: String = tame(reason).chars().take(LONGEST_REASON).collect();
    let asked = seen.pod.request(Wish::Ask {
        reaction: what.into(),
        by: Some(container),
        reason: reason.into(),
    });
    done(asked, seen.pod.engine())
}

fn status(engine: &Engine, now: Tick) -> Status {
    let (state, deadline) = match engine.goal() {
        _ if engine.result().is_some() => (State::Ended, None),
        Goal::Run => (State::Running, None),
        Goal::Restart { deadline, .. } => (State::Restarting, Some(*deadline)),
        Goal::End { deadline, .. } => (State::Stopping, Some(*deadline)),
    };
    let left = deadline.filter(|deadline| *deadline != Tick::NEVER);
    let left = left.map(|deadline| deadline.since(now).as_millis());
    Status {
        state,
        milliseconds_left: left.map(|left| u64::try_from(left).unwrap_or(u64::MAX)),
    }
}

/// How a command ended, as a shell would number it.
pub(super) fn exec_done(outcome: Result<Outcome, NotStarted>) -> Answer {
    match outcome {
        Ok(Outcome::Code(code)) => Answer::Exited(code),
        Ok(Outcome::Signal(signal)) => Answer::Exited(128 + signal),
        Err(not_started) => Answer::NotRun {
            missing: not_started.is_missing(),
            message: not_started.message,
        },
    }
}

fn done(asked: Result<(), Refused>, engine: &Engine) -> Answer {
    match asked {
        Ok(()) => Answer::Done,
        Err(why) => refuse(why, engine),
    }
}

fn refuse(why: Refused, engine: &Engine) -> Answer {
    let hint = match why {
        Refused::WouldStop(container) => {
            let name = container_name(engine, container);
            Some(format!("`{name}` says `onRestart: stop`"))
        }
        Refused::NoSuchContainer => Some(say_which(engine)),
        Refused::Ending
        | Refused::Restarting
        | Refused::Busy
        | Refused::NameTaken
        | Refused::Ephemeral
        | Refused::OtherShape => None,
    };
    refused(&why.to_string(), hint)
}

fn unknown_container(name: &str, engine: &Engine) -> Answer {
    let message = format!("the pod has no container `{}`", tame(name));
    refused(&message, Some(say_which(engine)))
}

fn say_which(engine: &Engine) -> String {
    let names: Vec<_> = engine
        .pod()
        .containers
        .iter()
        .map(|one| &*one.name)
        .collect();
    format!("it has {}", names.join(", "))
}

pub(super) fn container_name(engine: &Engine, id: ContainerId) -> String {
    let container = engine.pod().containers.get(id.index());
    container.map_or_else(String::new, |container| container.name.to_string())
}

pub(super) fn refused(message: &str, hint: Option<String>) -> Answer {
    Answer::Refused {
        message: message.to_owned(),
        hint,
    }
}
