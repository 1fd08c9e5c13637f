//! A pod whose life was played, to be looked at in any moment of it.

use crate::live::frame::frame;
use crate::live::moments::Moments;
use crate::live::view::View;
use pillion_engine::pod::{Backoff, Container, Pod, RestartPolicy};
use pillion_engine::{Engine, Entry, Tick};
use pillion_simulator::scenario::read;
use pillion_simulator::trace::{Item, Step};
use pillion_simulator::{Played, Scenario, play};
use pillion_timeline::{Base, Recorder, Style};
use std::path::Path;
use std::time::Duration;

/// A life that was played.
pub(super) struct Stage {
    pod: Pod,
    pub(super) played: Played,
}

/// A pod in one moment.
pub(super) struct Scene {
    pub(super) engine: Engine,
    moments: Moments,
    now: Tick,
}

/// Services under `Always` without any order.
pub(super) fn pod(name: &str, containers: Vec<Container>) -> Pod {
    Pod {
        name: name.into(),
        containers,
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Always,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

// === impl Stage ===

impl Stage {
    /// The story of that name.
    pub(super) fn story(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/stories");
        let bytes = std::fs::read(folder.join(format!("{name}.yaml"))).unwrap();
        let mut open =
            |file: &str| std::fs::read(folder.join(file)).map_err(|error| error.to_string());
        let reading = read::read(name, &bytes, &mut open);
        Self::play(&reading.scenario.unwrap())
    }

    pub(super) fn play(scenario: &Scenario) -> Self {
        Self {
            pod: scenario.pod.clone(),
            played: play(scenario).unwrap(),
        }
    }

    /// What somebody sees who looks so many milliseconds after the start.
    pub(super) fn at(&self, millis: u64) -> Scene {
        let now = Tick::from_millis(millis);
        let mut scene = Scene {
            engine: Engine::new(self.pod.clone(), Tick::ZERO).unwrap(),
            moments: Moments::new(Base::default()),
            now,
        };
        let mut recorder = Recorder::new(&self.pod, Base::default());
        scene.listen(&mut recorder);
        for step in self.played.trace.steps.iter().filter(|step| step.at <= now) {
            scene.take(step);
            scene.listen(&mut recorder);
        }
        scene
    }

    /// The lines of that moment in a terminal of 24 rows.
    pub(super) fn frame_at(&self, millis: u64, style: Style) -> String {
        self.at(millis).frame(style, 24)
    }
}

// === impl Scene ===

impl Scene {
    pub(super) fn view(&self) -> View {
        View::of(
            &self.engine,
            &self.engine.pod().name,
            &self.moments,
            self.now,
        )
    }

    pub(super) fn frame(&self, style: Style, height: usize) -> String {
        let lines = frame(&self.view(), style, height);
        let text: Vec<_> = lines.iter().map(ToString::to_string).collect();
        text.join("\n")
    }

    /// Puts into the engine what was put in when the life was played.
    pub(super) fn take(&mut self, step: &Step) {
        match &step.item {
            Item::Event(event) => self.engine.handle_event(step.at, event.clone()),
            Item::Request(request, _) => {
                let _ = self.engine.handle_request(step.at, request.clone());
            }
            Item::Timeout => self.engine.handle_timeout(step.at),
            Item::Action(_)
            | Item::Crash
            | Item::Found(..)
            | Item::Resume
            | Item::Ready(_)
            | Item::Ended(_) => {}
        }
    }

    /// What the engine has told since it was last asked.
    pub(super) fn entries(&mut self) -> Vec<Entry> {
        while self.engine.poll_fact().is_some() {}
        while self.engine.poll_action().is_some() {}
        std::iter::from_fn(|| self.engine.poll_entry()).collect()
    }

    fn listen(&mut self, recorder: &mut Recorder) {
        for entry in self.entries() {
            self.moments
                .note(&recorder.record(self.engine.pod(), &entry));
        }
    }
}
