//! Hooks: processes beside a container's own, which end with it at the latest.

use super::process::Process;
use super::{Happening, World};
use crate::actor::{HookRuns, HookScript};
use crate::line::{Part, Word};
use pillion_engine::pod::HookKind;
use pillion_engine::{Attempt, ContainerId, Event, Tick};
use std::time::Duration;

/// A hook that runs.
#[derive(Clone, Debug)]
pub(super) struct HookRun {
    pub(super) kind: HookKind,
    /// Whether the driver still wants to know how it ends.
    pub(super) waited_for: bool,
    number: u64,
    script: HookScript,
    up: bool,
}

impl World {
    pub(super) fn run_hook(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        kind: HookKind,
        deadline: Option<Tick>,
    ) {
        let number = self.number();
        let Some(script) = self.hook_script(id, attempt, kind) else {
            return self.hook_done(id, attempt, kind, false);
        };
        let hook = HookRun {
            kind,
            waited_for: true,
            number,
            script,
            up: false,
        };
        let process = self
            .run(id, attempt)
            .expect("it has a script because it lives");
        process.hooks.push(hook);
        self.write(id, kind.into(), Word::Starting);
        if let Some(deadline) = deadline {
            self.agenda
                .put(deadline, Happening::HookDeadline(id, number));
        }
        if script.starts_in.is_zero() {
            self.hook_comes_up(id, number);
        } else {
            let at = self.now() + script.starts_in;
            self.agenda.put(at, Happening::HookUp(id, number));
        }
    }

    /// What the hook does, if the run it belongs to lives.
    fn hook_script(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        kind: HookKind,
    ) -> Option<HookScript> {
        let process = self.run(id, attempt)?;
        let (actor, run) = (process.actor, process.run);
        let script = &self.cells[id.index()].actors[actor].script;
        Some(*script.hook(kind).in_run(run))
    }

    pub(super) fn hook_comes_up(&mut self, id: ContainerId, number: u64) {
        let Some((process, hook)) = self.hook(id, number) else {
            return;
        };
        let (kind, runs) = (process.hooks[hook].kind, process.hooks[hook].script.runs);
        let container_is_up = process.up.is_some();
        process.hooks[hook].up = true;
        self.write(id, kind.into(), Word::Started);
        match runs {
            HookRuns::For(duration) => self.end_hook_in(id, number, duration),
            HookRuns::UntilStarted if container_is_up => {
                self.end_hook_in(id, number, Duration::ZERO);
            }
            HookRuns::UntilStarted | HookRuns::Forever => {}
        }
    }

    /// Hooks that wait for their container to come up return.
    pub(super) fn hooks_see_it_up(&mut self, id: ContainerId) {
        let process = self.cells[id.index()].process.as_ref();
        let hooks = process.map(|process| process.hooks.as_slice());
        let waits = |hook: &&HookRun| hook.up && hook.script.runs == HookRuns::UntilStarted;
        let waiting = hooks.unwrap_or_default().iter().filter(waits);
        let numbers: Vec<_> = waiting.map(|hook| hook.number).collect();
        for number in numbers {
            self.end_hook_in(id, number, Duration::ZERO);
        }
    }

    fn end_hook_in(&mut self, id: ContainerId, number: u64, duration: Duration) {
        let at = self.now() + duration;
        self.agenda.put(at, Happening::HookEnd(id, number));
    }

    pub(super) fn hook_ends(&mut self, id: ContainerId, number: u64) {
        let Some((process, hook)) = self.hook(id, number) else {
            return;
        };
        let attempt = process.attempt;
        let hook = process.hooks.remove(hook);
        let part = Part::from(hook.kind);
        self.write(id, part, Word::Exiting);
        self.write(id, part, Word::Exited);
        if hook.waited_for {
            self.hook_done(id, attempt, hook.kind, hook.script.exits == 0);
        }
    }

    /// Nobody waits for the hook any longer; it goes on until its container ends.
    pub(super) fn hook_is_left(&mut self, id: ContainerId, number: u64) {
        let Some((process, hook)) = self.hook(id, number) else {
            return;
        };
        let attempt = process.attempt;
        let hook = &mut process.hooks[hook];
        let kind = hook.kind;
        if std::mem::replace(&mut hook.waited_for, false) {
            self.hook_done(id, attempt, kind, false);
        }
    }

    fn hook_done(&mut self, id: ContainerId, attempt: Attempt, hook: HookKind, ok: bool) {
        self.hear(Event::HookDone {
            container: id,
            attempt,
            hook,
            ok,
        });
    }

    fn hook(&mut self, id: ContainerId, number: u64) -> Option<(&mut Process, usize)> {
        let process = self.cells[id.index()].process.as_mut()?;
        let at = process
            .hooks
            .iter()
            .position(|hook| hook.number == number)?;
        Some((process, at))
    }
}
