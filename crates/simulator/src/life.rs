//! The life of a pod about which nothing special is said.
//!
//! Who has no scenario wants to see a whole life: everything comes up, works for a while, and is
//! stopped in order. And who asks "what if the proxy dies after three seconds?" wants to see just
//! that, without writing down what everybody else does.

use crate::act::{Act, Deed, When};
use crate::actor::{HookRuns, HookScript, PerRun, Script};
use crate::check::status::StatusPart;
use crate::scenario::Scenario;
use pillion_engine::pod::{Container, Kind};
use pillion_engine::{Pod, Tick};
use pillion_spec::PodFile;
use pillion_spec::hook::Hook;
use std::collections::BTreeMap;
use std::time::Duration;

/// What runs to completion takes this long.
const ONESHOT: Duration = Duration::from_secs(1);

/// A pod that has been ready this long has shown what there is to see.
const READY: Duration = Duration::from_secs(5);

/// What a container does if nothing is said about it: a service runs until it is stopped, a oneshot
/// succeeds.
pub fn script(container: &Container) -> Script {
    match container.kind {
        Kind::Service => Script::default(),
        Kind::Oneshot { .. } => Script::runs(ONESHOT, 0),
    }
}

/// A hook that sleeps needs no actor: it takes the time that the pod says.
pub(crate) fn add_sleeps(file: &PodFile, scripts: &mut BTreeMap<Box<str>, Script>) {
    for (_, _, container) in file.pod.spec.all_containers() {
        let lifecycle = &container.lifecycle;
        let hooks = [
            lifecycle.post_start.as_ref(),
            lifecycle.pre_stop.as_ref(),
            lifecycle.pod_stopping.as_ref(),
        ];
        if hooks.iter().all(|hook| sleep(*hook).is_none()) {
            continue;
        }
        let script = scripts.entry(container.name.as_str().into()).or_default();
        let Script {
            post_start,
            pre_stop,
            pod_stopping,
            ..
        } = script;
        for (hook, does) in hooks.into_iter().zip([post_start, pre_stop, pod_stopping]) {
            if let Some(sleep) = sleep(hook) {
                *does = PerRun::same(sleep);
            }
        }
    }
}

fn sleep(hook: Option<&Hook>) -> Option<HookScript> {
    let Some(Hook::Sleep { seconds }) = hook else {
        return None;
    };
    Some(HookScript {
        runs: HookRuns::For(Duration::from_secs(*seconds)),
        ..HookScript::default()
    })
}

// === impl Scenario ===

impl Scenario {
    /// The pod comes up, is ready for a while and is deleted, unless it ends by itself.
    pub fn whole_life(pod: Pod) -> Self {
        Self::new(pod).with_usual_scripts().with_usual_end()
    }

    /// Says of every container of which nothing is said what is usual.
    #[must_use]
    pub fn with_usual_scripts(mut self) -> Self {
        for container in &self.pod.containers {
            let name = container.name.clone();
            self.scripts
                .entry(name)
                .or_insert_with(|| script(container));
        }
        self
    }

    /// Lets the hooks that sleep take the time that the pod's file says: the engine's pod knows
    /// only that there is a hook.
    #[must_use]
    pub fn with_sleeps_of(mut self, file: &PodFile) -> Self {
        add_sleeps(file, &mut self.scripts);
        self
    }

    /// Deletes the pod in the end, when it has been ready for a while, unless an act does.
    #[must_use]
    pub fn with_usual_end(self) -> Self {
        let deletes = |act: &Act| matches!(act.deed, Some(Deed::Delete { .. }));
        if self.acts.iter().any(deletes) {
            return self;
        }
        let ready = When::status(StatusPart::condition("Ready", true));
        self.act(Act {
            holds_for: READY,
            ..Act::new(Deed::Delete { grace: None }).when(ready)
        })
    }

    /// Adds acts that have a time of their own. Who asks for something after the usual time of
    /// watching wants to see it, and what follows from it.
    #[must_use]
    pub fn with_timed_acts(mut self, acts: Vec<Act>) -> Self {
        self.timed_acts.extend(acts);
        self.timed_acts.sort_by_key(|act| act.not_before);
        let last = self.timed_acts.last().map(|act| act.not_before.elapsed());
        if let Some(late) = last.filter(|last| *last >= self.run_for) {
            self.run_for = self.run_for.saturating_add(late);
        }
        let told = self.timed_acts.iter().map(|act| self.is_told_by(act)).max();
        for act in self.acts.iter_mut().filter(|act| act.is_usual_end()) {
            act.not_before = act.not_before.max(told.unwrap_or_default());
        }
        self
    }

    /// When what follows from an act can be seen: a probe needs some attempts until it has a verdict.
    fn is_told_by(&self, act: &Act) -> Tick {
        let Some(Deed::SetProbe {
            container, probe, ..
        }) = &act.deed
        else {
            return act.not_before;
        };
        let mut containers = self.pod.containers.iter();
        let container = containers.find(|known| known.name == *container);
        let probe = container.and_then(|container| container.probes.get(*probe));
        probe.map_or(act.not_before, |probe| {
            let attempts = probe.failure_threshold.max(probe.success_threshold);
            let each = probe.period.max(probe.timeout);
            act.not_before + each.saturating_mul(attempts.saturating_add(1))
        })
    }
}

// === impl Act ===

impl Act {
    /// Whether it is the deletion that nobody asked for. It lets everything else be done first.
    pub(crate) fn is_usual_end(&self) -> bool {
        self.holds_for == READY && matches!(self.deed, Some(Deed::Delete { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Delay;
    use crate::player::play;
    use pillion_spec::{LowerOptions, load};

    #[test]
    fn a_hook_that_sleeps_takes_its_time_in_a_whole_life() {
        let text = "{apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {containers: [\
            {name: a, image: i, lifecycle: {postStart: {sleep: {seconds: 5}}, preStop: {sleep: {seconds: 3}}}},\
            {name: b, image: i}]}}";
        let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
        let pod = &loaded.pods[0];
        let scenario = Scenario::whole_life(pod.lowered.pod.clone()).with_sleeps_of(&pod.file);

        let played = play(&scenario).expect("the pod is good");

        let story = played
            .timeline()
            .story(pillion_timeline::story::Detail::Full);
        let at = |text: &str| {
            let told = story.iter().find(|told| told.text.starts_with(text));
            told.map(|told| told.at.as_secs())
        };
        assert_eq!(at("b starts"), Some(5));
        assert_eq!(at("a exited"), Some(5 + READY.as_secs() + 3));
    }
    fn life_of_app(runs: PerRun<Delay>) -> Option<Tick> {
        let text = "{apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {containers: [{name: app, image: i}]}}";
        let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
        let app = Script {
            runs,
            ..Script::default()
        };
        let pod = loaded.pods[0].lowered.pod.clone();
        let scenario = Scenario::new(pod).script("app", app).with_usual_end();
        let played = play(&scenario).expect("the pod is good");
        played.record.end.map(|end| end.at)
    }

    #[test]
    fn an_end_that_is_written_down_is_seen_before_the_usual_end() {
        let after = |seconds| Delay::After(Duration::from_secs(seconds));
        // It is restarted at once, and again after ten seconds.
        let ready_again = Tick::from_secs(8);
        assert_eq!(
            life_of_app(PerRun::same(after(8))),
            Some(ready_again + READY)
        );
        let twice = PerRun::each(after(8), vec![after(20), Delay::Never]);
        assert_eq!(
            life_of_app(twice),
            Some(Tick::from_secs(8 + 20 + 10) + READY)
        );
        assert_eq!(
            life_of_app(PerRun::same(Delay::Never)),
            Some(Tick::ZERO + READY)
        );
    }
}
