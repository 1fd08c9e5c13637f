//! A pod in a folder of its own, run to its end, and what was heard of it.

use pillion_engine::{ContainerId, Engine, Entry, Exit, Fact, PodResult, Request, What};
use pillion_runtime::clock;
use pillion_runtime::guard::{Guard, NotStarted, Outcome};
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::process::recipe::{Host, Run};
use pillion_runtime::process::volume::place::place;
use pillion_runtime::process::{Larder, Processes, Room};
use pillion_runtime::pump::{Driven, Front, Journal, Pump};
use pillion_runtime::runtime::Output;
use pillion_spec::{LowerOptions, load};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use tempfile::TempDir;

/// A pod that is about to be run.
pub(crate) struct Scene {
    yaml: String,
    folder: TempDir,
    /// Asked for when this line is heard.
    requests: Vec<(String, Request)>,
}

/// What was heard of a pod.
pub(crate) struct Told {
    result: PodResult,
    heard: Heard,
}

#[derive(Default)]
struct Heard {
    lines: Vec<String>,
    partial: BTreeMap<ContainerId, Vec<u8>>,
    exits: BTreeMap<String, Exit>,
    requests: Vec<(String, Request)>,
    wanted: Vec<Request>,
}

struct NoJournal;

impl Scene {
    pub(crate) fn new(spec: &str) -> Self {
        let yaml = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: test}}\nspec:\n{spec}");
        Self {
            yaml,
            folder: tempfile::tempdir().unwrap(),
            requests: Vec::new(),
        }
    }

    /// Asks for this when a line is heard.
    pub(crate) fn once(mut self, line: &str, request: Request) -> Self {
        self.requests.push((line.to_owned(), request));
        self
    }

    pub(crate) fn run(self) -> Told {
        let options = LowerOptions::WITHOUT_IMAGES;
        let loaded = load("test.yaml", self.yaml.as_bytes(), options);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        let pod = loaded.pods.into_iter().next().unwrap();
        let engine = Engine::new(pod.lowered.pod.clone(), clock::now()).unwrap();
        let ready = example("notify-ready");
        let variables = pod.file.pod.spec.all_containers().map(|(_, _, one)| {
            let pillion = ("PILLION".to_owned(), ready.to_string_lossy().into_owned());
            (one.name.clone(), vec![pillion])
        });
        let larder = Larder {
            host: Host {
                environment: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())],
                user: rustix::process::getuid().as_raw(),
                ..Host::default()
            },
            run: Run {
                name: "test".to_owned(),
                namespace: "default".to_owned(),
                volumes: self.folder.path().join("volumes"),
                variables: variables.collect(),
                ..Run::default()
            },
            pod: pod.file.pod,
            config_maps: loaded.config_maps,
            secrets: loaded.secrets,
        };
        let (definitions, volumes) = Rc::new(larder).definitions().unwrap();
        for volume in &volumes {
            place(volume).unwrap();
        }
        let room = Room {
            folder: self.folder.path().join("room"),
            group: "pillion-test".to_owned(),
            limits: BTreeSet::new(),
        };
        let guard = Guard::start(example("guard"), &[]).unwrap();
        let poller = Rc::new(Poller::new().unwrap());
        let processes = Processes::new(guard, poller, definitions, room).unwrap();
        let heard = Heard {
            requests: self.requests,
            ..Heard::default()
        };
        let mut pump = Pump::new(engine, processes, NoJournal, heard);
        let result = pump.run().unwrap();
        let (_, processes, _, heard) = pump.into_parts();
        processes.finish().unwrap();
        Told { result, heard }
    }
}

impl Told {
    pub(crate) fn code(&self) -> i32 {
        self.result.code
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.heard.lines.iter().map(String::as_str).collect()
    }

    pub(crate) fn exit_of(&self, name: &str) -> Option<i32> {
        self.heard.exits.get(name).map(|exit| exit.code)
    }

    pub(crate) fn last_words_of(&self, name: &str) -> Option<String> {
        let exit = self.heard.exits.get(name)?;
        exit.message.as_deref().map(str::to_owned)
    }
}

impl Journal for NoJournal {
    fn keep(&mut self, _: &Fact) -> io::Result<()> {
        Ok(())
    }
}

impl Front<Processes> for Heard {
    fn told(&mut self, entry: &Entry, engine: &Engine) {
        if let (Some(container), What::Exited(exit)) = (entry.container, &entry.what) {
            let name = &engine.pod().containers[container.index()].name;
            self.exits.insert(name.to_string(), exit.clone());
        }
    }

    fn output(&mut self, output: &Output, engine: &Engine) {
        let partial = self.partial.entry(output.container).or_default();
        partial.extend(&output.bytes);
        while let Some(end) = partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<_> = partial.drain(..=end).collect();
            let name = &engine.pod().containers[output.container.index()].name;
            let line = format!("{name}: {}", String::from_utf8_lossy(&line).trim_end());
            let asked = self.requests.extract_if(.., |(when, _)| *when == line);
            self.wanted.extend(asked.map(|(_, request)| request));
            self.lines.push(line);
        }
    }

    fn ready(&mut self, _: Token, _: Driven<'_, Processes>) {}

    fn exec_done(&mut self, _: u64, _: Result<Outcome, NotStarted>) {}

    fn next_wake(&self) -> Option<pillion_engine::Tick> {
        (!self.wanted.is_empty()).then_some(pillion_engine::Tick::ZERO)
    }

    fn wake(&mut self, mut pod: Driven<'_, Processes>) {
        for request in self.wanted.drain(..) {
            pod.request(request).unwrap();
        }
    }

    fn settle(&mut self, _: pillion_engine::Tick, _: &Engine) {}
}

/// A program that is built with the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples").join(name);
    assert!(
        program.exists(),
        "it is missing: `cargo build -p pillion-runtime --examples` makes it"
    );
    program
}
