//! Acts: waiting for their turn, and doing them.

use super::{Input, Player};
use crate::act::{Act, Deed, Replacement, Ticket, When};
use crate::actor::Script;
use crate::machine::{Machine, Unplayable};
use crate::record::Moment;
use pillion_engine::pod::{Container, List, OnGiveUp, ProbeKind, Reaction, RestartPolicy, Role};
use pillion_engine::{ContainerId, Refused, Request, Tick};
use std::time::Duration;

/// How far the acts have come.
#[derive(Clone, Debug, Default)]
pub(super) struct Acting {
    /// The act that is next.
    pub(super) next: usize,
    /// Since when its condition has held; its ticket is valid.
    since: Option<Tick>,
    /// The number under which it was put in. An older one was overtaken.
    ticket: usize,
    /// How many of those that have a time of their own are done.
    timed: usize,
}

/// A request, and what the world must know if it is granted.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) request: Request,
    stage: Option<Stage>,
}

/// What a request brings into the world.
#[derive(Clone, Debug)]
enum Stage {
    /// Another definition of a container.
    Version(ContainerId, Box<Container>, Option<Script>),
    /// Another container.
    Container(Box<Container>, Script),
}

// === impl Player ===

impl<M: Machine> Player<'_, M> {
    /// Puts in the acts that have a time of their own.
    pub(super) fn put_timed_acts(&mut self) {
        for (place, act) in self.scenario.timed_acts.iter().enumerate() {
            self.world
                .put_act(act.due(Tick::ZERO), Ticket::Timed(place));
        }
    }

    /// Puts the next act in when its condition holds, and takes it back when it no longer does.
    pub(super) fn consider_acts(&mut self) {
        let Some(act) = self.scenario.acts.get(self.acting.next) else {
            return;
        };
        if act.is_usual_end() && self.acting.timed < self.scenario.timed_acts.len() {
            return;
        }
        let Some(status) = self.record.status() else {
            return;
        };
        let holds = act.when.holds(&self.world.log, status);
        // To look at every container costs something, so that it is done once in an instant.
        let holds = holds
            && !(act.is_usual_end() && self.is_instant_over() && self.is_something_on_its_way());
        match (holds, self.acting.since) {
            (true, None) => {
                let now = self.world.now();
                self.acting.since = Some(now);
                self.acting.ticket += 1;
                let ticket = Ticket::InOrder(self.acting.ticket);
                self.world.put_act(act.due(now), ticket);
            }
            // A condition that must hold without a break did not.
            (false, Some(_)) if !act.holds_for.is_zero() => self.acting.since = None,
            (true, Some(_)) | (false, Some(_) | None) => {}
        }
    }

    /// Whether a container that counts for the pod is on its way up or down.
    fn is_something_on_its_way(&self) -> bool {
        let mut containers = (0..).map(ContainerId).zip(&self.pod.containers);
        containers.any(|(id, container)| {
            container.on_give_up != OnGiveUp::Ignore && self.world.is_on_its_way(id)
        })
    }

    pub(super) fn act_is_due(&mut self, ticket: Ticket) -> Result<(), Unplayable> {
        let act = match ticket {
            Ticket::InOrder(number) => {
                if self.acting.since.is_none() || number != self.acting.ticket {
                    return Ok(());
                }
                let act = &self.scenario.acts[self.acting.next];
                let scripted_until = self.world.scripted_until();
                // What somebody has written down is not missed for an end that nobody asked for.
                if act.is_usual_end() && scripted_until >= self.world.now() {
                    self.world.put_act(act.due(scripted_until), ticket);
                    return Ok(());
                }
                if act.is_usual_end() && self.is_something_on_its_way() {
                    self.acting.since = None;
                    return Ok(());
                }
                self.acting.since = None;
                self.acting.next += 1;
                act
            }
            Ticket::Timed(place) => {
                self.acting.timed += 1;
                &self.scenario.timed_acts[place]
            }
        };
        self.mark(act);
        match &act.deed {
            Some(deed) => self.perform(deed),
            None => Ok(()),
        }
    }

    fn mark(&mut self, act: &Act) {
        if let Some(name) = &act.name {
            let moment = Moment {
                at: self.world.now(),
                lines: self.world.log.lines().len(),
                statuses: self.record.statuses.len(),
            };
            self.record.moments.entry(name.clone()).or_insert(moment);
        }
    }

    fn perform(&mut self, deed: &Deed) -> Result<(), Unplayable> {
        match deed {
            Deed::Delete { grace } => self.want(Wanted::plain(Request::Delete { grace: *grace })),
            Deed::Ask {
                reaction,
                by,
                reason,
            } => self.ask(*reaction, by.as_deref(), reason),
            Deed::SetImage { container, image } => self.set_image(container, image),
            Deed::Replace(replacement) => self.replace(replacement),
            Deed::AddEphemeral { name, script } => self.add_ephemeral(name, script),
            Deed::Kill { .. } | Deed::Exit { .. } | Deed::SetProbe { .. } => {
                self.touch(deed);
                Ok(())
            }
            Deed::RestartDriver { forget } => self.restart_driver(forget),
            Deed::Reboot => self.reboot(),
        }
    }

    /// What is done to a container behind the engine's back.
    fn touch(&mut self, deed: &Deed) {
        let (Deed::Kill { container, .. }
        | Deed::Exit { container, .. }
        | Deed::SetProbe { container, .. }) = deed
        else {
            return;
        };
        let Some(id) = self.id(container) else {
            return;
        };
        if let Some(why) = self.why_in_vain(id, deed) {
            let now = self.world.now();
            let text = format!("{} at {now} changes nothing: {why}", deed.title());
            self.record.in_vain.push(text);
        }
        if let Deed::Kill { signal, .. } = deed {
            self.world.kill(id, *signal);
        } else if let Deed::Exit { code, .. } = deed {
            self.world.exit(id, *code);
        } else if let Deed::SetProbe { probe, answers, .. } = deed {
            self.world.set_probe(id, *probe, *answers);
        }
    }

    /// Why a deed that is done to a container now changes nothing.
    fn why_in_vain(&self, id: ContainerId, deed: &Deed) -> Option<String> {
        let container = &self.pod.containers[id.index()];
        if let Deed::SetProbe { probe, .. } = deed {
            let (has, word) = match probe {
                ProbeKind::Startup => (container.probes.startup.is_some(), "startup"),
                ProbeKind::Readiness => (container.probes.readiness.is_some(), "readiness"),
                ProbeKind::Liveness => (container.probes.liveness.is_some(), "liveness"),
            };
            return (!has).then(|| format!("{} has no {word} probe", container.name));
        }
        let why = self.world.why_not_running(id)?;
        Some(format!("{} {why}", container.name))
    }

    /// Which acts were never done, and why.
    pub(super) fn never_done(&self) -> Vec<String> {
        let end = match &self.record.end {
            Some(end) => format!("the pod had ended at {}", end.at),
            None => format!("watching ended at {}", self.last_moment()),
        };
        let told = self.acts_left().filter(|(act, _)| !act.is_usual_end());
        let sentence = |(act, is_next): (&Act, bool)| {
            let why = if is_next && self.acting.since.is_none() && act.when != When::default() {
                "what it waits for had not come when "
            } else {
                ""
            };
            format!("{} was never done: {why}{end}", act.title())
        };
        told.map(sentence).collect()
    }

    /// The acts that have not been done, and whether each is the next of those in order.
    pub(super) fn acts_left(&self) -> impl Iterator<Item = (&Act, bool)> {
        let timed = self.scenario.timed_acts.iter().skip(self.acting.timed);
        let in_order = self.scenario.acts.iter().enumerate().skip(self.acting.next);
        let in_order = in_order.map(|(place, act)| (act, place == self.acting.next));
        timed.map(|act| (act, false)).chain(in_order)
    }

    fn ask(
        &mut self,
        reaction: Reaction,
        by: Option<&str>,
        reason: &str,
    ) -> Result<(), Unplayable> {
        let by = match by.map(|name| self.id(name)) {
            Some(None) => return Ok(()),
            Some(Some(id)) => Some(id),
            None => None,
        };
        self.want(Wanted::plain(Request::Ask {
            reaction,
            by,
            reason: reason.into(),
        }))
    }

    /// Notes that a request was refused, lest somebody take silence for success.
    pub(super) fn note_refused(&mut self, request: &Request, why: Refused) {
        let name = |id: ContainerId| {
            let container = self.pod.containers.get(id.index());
            container.map_or("a container", |container| &container.name)
        };
        let what = match request {
            Request::Delete { .. } => "the deletion".to_owned(),
            Request::Ask { reaction, by, .. } => {
                let by = by.map(|by| format!(" by {}", name(by)));
                format!("the request for {reaction:?}{}", by.unwrap_or_default())
            }
            Request::Replace { container, .. } => {
                format!("the replacement of {}", name(*container))
            }
            Request::AddEphemeral(container) => {
                format!("the debugging container {}", container.name)
            }
        };
        let why = match why {
            Refused::WouldStop(id) => format!(
                "{} says `onRestart: stop` and would be stopped for good; `force: true` does it all the same",
                name(id)
            ),
            Refused::Ending
            | Refused::Restarting
            | Refused::NoSuchContainer
            | Refused::Busy
            | Refused::NameTaken
            | Refused::Ephemeral
            | Refused::OtherShape => why.to_string(),
        };
        let now = self.world.now();
        let text = format!("{what} at {now} was refused: {why}");
        self.record.in_vain.push(text);
    }

    fn want(&mut self, wanted: Wanted) -> Result<(), Unplayable> {
        self.tell(Input::Wanted(Box::new(wanted)))
    }

    /// As the kubelet changes an image: whatever the policy, and never back.
    fn set_image(&mut self, name: &str, image: &str) -> Result<(), Unplayable> {
        let Some((id, mut container)) = self.definition(name) else {
            return Ok(());
        };
        container.image = Some(image.into());
        self.want(Wanted::replace(id, container, None, Some(NEVER), true))
    }

    fn replace(&mut self, replacement: &Replacement) -> Result<(), Unplayable> {
        let Replacement {
            container: name,
            with,
            script,
            timeout,
            force,
        } = replacement;
        let Some((id, old)) = self.definition(name) else {
            return Ok(());
        };
        let new = with.clone().unwrap_or(old);
        self.want(Wanted::replace(id, new, script.clone(), *timeout, *force))
    }

    fn add_ephemeral(&mut self, name: &str, script: &Script) -> Result<(), Unplayable> {
        let container = Container {
            list: List::Ephemeral,
            role: Role::Ephemeral,
            plain: true,
            ..Container::new(name, RestartPolicy::Never)
        };
        self.want(Wanted {
            request: Request::AddEphemeral(Box::new(container.clone())),
            stage: Some(Stage::Container(Box::new(container), script.clone())),
        })
    }

    fn restart_driver(&mut self, forget: &[Box<str>]) -> Result<(), Unplayable> {
        self.go_away();
        for name in forget {
            if let Some(id) = self.id(name) {
                self.world.remove(id);
            }
        }
        self.come_back()
    }

    fn reboot(&mut self) -> Result<(), Unplayable> {
        self.go_away();
        self.world.reboot();
        self.rebooted = true;
        self.come_back()
    }

    /// Shows the world what a request that was granted brings. Made again, it brings nothing more.
    pub(super) fn stage(&mut self, mut wanted: Wanted) -> Wanted {
        match wanted.stage.take() {
            None => {}
            Some(Stage::Version(id, container, script)) => {
                self.world.add_version(id, &container, script);
                self.pod.containers[id.index()] = *container;
            }
            Some(Stage::Container(container, script)) => {
                self.world.add(&container, script);
                self.pod.containers.push(*container);
            }
        }
        wanted
    }

    /// The container of that name as it is defined now.
    fn definition(&mut self, name: &str) -> Option<(ContainerId, Container)> {
        let id = self.id(name)?;
        let pod = self.machine.as_ref().map_or(&self.pod, M::pod);
        Some((id, pod.containers.get(id.index())?.clone()))
    }

    fn id(&mut self, name: &str) -> Option<ContainerId> {
        let mut containers = (0..).map(ContainerId).zip(&self.pod.containers);
        let found = containers.find(|(_, container)| &*container.name == name);
        let id = found.map(|(id, _)| id);
        if id.is_none() {
            self.world.violated(format!(
                "the scenario acts on {name}, which the pod does not have"
            ));
        }
        id
    }
}

/// Longer than any play: a change of image is never taken back.
const NEVER: Duration = Duration::MAX;

// === impl Wanted ===

impl Wanted {
    /// A request that brings nothing new into the world.
    pub(super) fn plain(request: Request) -> Self {
        Self {
            request,
            stage: None,
        }
    }

    fn replace(
        id: ContainerId,
        with: Container,
        script: Option<Script>,
        timeout: Option<Duration>,
        force: bool,
    ) -> Self {
        let with = Box::new(with);
        Self {
            stage: Some(Stage::Version(id, with.clone(), script)),
            request: Request::Replace {
                container: id,
                with,
                timeout,
                force,
            },
        }
    }
}
