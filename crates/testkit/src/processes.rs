//! Scenarios played by real processes, and judged by what these write.
//!
//! ```text
//! scenario ─▶ Scale ─▶ engine ⇄ pump ⇄ Processes ─▶ guard ─▶ actors ─▶ lines
//!                        ▲                                              │
//!              acts ─ Director                                 judge ◀──┘
//! ```
//!
//! The same files as in virtual time, the same judge. A container is the [`actor`] program with the container's script;
//! it writes a time-stamped line whenever something happens to it, and the judge reads only those lines, the end of each
//! process as it was seen from outside, and the exit code of the pod. What a scenario expects of the pod's status is judged by
//! what `pillion get` would show, as it is on a kubelet by what the API server shows; nothing else is asked of the engine.
//!
//! Hooks and probes over the network stay what they are: the actors serve them (`network`), at ports of this machine.
//!
//! Times are [scaled](scale) down, so that a play takes seconds.

pub mod actor;
mod front;
pub mod limits;
pub(crate) mod network;
pub(crate) mod plan;
pub(crate) mod ports;
mod presence;
pub mod random;
pub mod scale;
pub mod stage;
pub mod suite;
pub mod witness;

use front::Director;
use network::Network;
use pillion_engine::pod::{Container, ProbeKind};
use pillion_engine::{Engine, Fact, Pod, Tick};
use pillion_runtime::clock;
use pillion_runtime::guard::Guard;
use pillion_runtime::poller::Poller;
use pillion_runtime::process::recipe::{Host, Run};
use pillion_runtime::process::{Larder, Processes, Room};
use pillion_runtime::pump::{Journal, Pump};
use pillion_simulator::line::{Part, Who};
use pillion_simulator::record::End;
use pillion_simulator::{Record, Scenario};
use pillion_spec::{LowerOptions, load};
use plan::HOOKS;
use ports::Ports;
use serde_json::Value;
use stage::Stage;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::rc::Rc;
use witness::{Life, Watch};

/// Facts are not needed again: processes end with their driver.
struct Forgotten;

/// Plays a scenario as it is, in a folder of its own, with the actor program; `pod` is its pod as JSON. In one that comes
/// from no file, all hooks and probes are commands.
pub fn play(
    scenario: &Scenario,
    pod: Option<&str>,
    actor: &Path,
    folder: &Path,
) -> io::Result<Record> {
    let (record, _) = perform(scenario, pod, actor, folder)?;
    Ok(record)
}

/// The same, with somebody who sees each process from its beginning to its end and has no part in the play. Times are
/// counted as in the record.
pub fn play_watched(
    scenario: &Scenario,
    pod: Option<&str>,
    actor: &Path,
    folder: &Path,
) -> io::Result<(Record, Vec<Life>)> {
    let watch = Watch::begin(&Stage::at(folder).alive())?;
    let played = perform(scenario, pod, actor, folder);
    let lives = watch.end()?;
    let (record, began) = played?;
    let lives = lives.into_iter().map(|life| life.counted_from(began));
    Ok((record, lives.collect()))
}

/// What was seen, and when it began.
fn perform(
    scenario: &Scenario,
    pod: Option<&str>,
    actor: &Path,
    folder: &Path,
) -> io::Result<(Record, Tick)> {
    let pod = pod.map(serde_json::from_str).transpose()?;
    // Nobody else gets them as long as this is played.
    let mut ports = Ports::default();
    let pod: Value = pod.unwrap_or_default();
    let network = Network::of(&pod, scenario, |port| ports.place(port))?;
    let stage = Stage::at(folder);
    for container in &scenario.pod.containers {
        let script = scenario.scripts.get(&container.name).cloned();
        stage.cast(&container.name, &script.unwrap_or_default())?;
        stage.open(&container.name, network.services(&container.name))?;
    }
    let processes = processes(&scenario.pod, &network, actor, folder)?;
    let began = clock::now();
    let engine =
        Engine::new(scenario.pod.clone(), began).map_err(|why| wrong(format!("{why:?}")))?;
    let director = Director::new(scenario.clone(), stage, began);
    let mut pump = Pump::new(engine, processes, Forgotten, director);
    let result = pump.run()?;
    let (engine, processes, _, director) = pump.into_parts();
    processes.finish()?;
    let at = Tick::ZERO + clock::now().since(began);
    let watched = director.is_watching();
    let mut record = director.into_record();
    if watched {
        record.sample(at, engine.status());
        let containers = &engine.pod().containers;
        let decider = result.decider.and_then(|id| containers.get(id.index()));
        record.end = Some(End {
            at,
            decided_by: decider.map(|container| container.name.clone()),
            result: Some(result),
        });
    }
    Ok((record, began))
}

fn processes(pod: &Pod, network: &Network, actor: &Path, folder: &Path) -> io::Result<Processes> {
    let text = file(pod, network, actor, folder);
    let options = LowerOptions::WITHOUT_IMAGES;
    let loaded = load("actors.yaml", text.as_bytes(), options);
    let found = loaded.pods.into_iter().next();
    let found = found.ok_or_else(|| wrong(format!("{:?}\n{text}", loaded.diagnostics)))?;
    let larder = Larder {
        pod: found.file.pod,
        config_maps: Vec::new(),
        secrets: Vec::new(),
        host: Host::default(),
        run: Run {
            name: pod.name.to_string(),
            namespace: "default".to_owned(),
            volumes: folder.join("volumes"),
            ..Run::default()
        },
    };
    let (definitions, _) = Rc::new(larder).definitions().map_err(|errors| {
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        wrong(errors.join("; "))
    })?;
    let room = Room {
        folder: folder.join("room"),
        group: "pillion-actors".to_owned(),
        limits: BTreeSet::new(),
    };
    let guard = Guard::start(actor, &["guard"])?;
    Processes::new(guard, Rc::new(Poller::new()?), definitions, room)
}

/// A pod file in which every container is an actor, in the order of their numbers. Only what is launched is taken from
/// it: the graph is the scenario's.
fn file(pod: &Pod, network: &Network, actor: &Path, folder: &Path) -> String {
    let mut text =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: actors}\nspec:\n  containers:\n".to_owned();
    for container in &pod.containers {
        let name = &container.name;
        let command = |verb: &str, part: &str| {
            let words = [
                &actor.to_string_lossy(),
                verb,
                &folder.to_string_lossy(),
                name,
                part,
            ];
            let words = words.iter().filter(|word| !word.is_empty());
            let words: Vec<_> = words.map(|word| format!("\"{word}\"")).collect();
            format!("[{}]", words.join(", "))
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  - name: {name}\n    command: {}",
            command("run", "")
        );
        if container.ready_on {
            text += "    readyOn: notify\n";
        }
        if container.has_undo() {
            let _ = writeln!(text, "    oneshot: true\n    undo: {}", command("undo", ""));
        }
        let ask = |verb: &str, part: Part| {
            let request = network.request(&Who::part(name, part));
            // What is JSON is YAML, too.
            request.map_or_else(
                || format!("{{exec: {{command: {}}}}}", command(verb, part.as_str())),
                Value::to_string,
            )
        };
        let hooks = HOOKS.map(|hook| {
            let part = Part::from(hook);
            format!("{}: {}", part.as_str(), ask("hook", part))
        });
        let _ = writeln!(text, "    lifecycle: {{{}}}", hooks.join(", "));
        for probe in probes(container) {
            let part = Part::from(probe);
            let _ = writeln!(text, "    {}Probe: {}", part.as_str(), ask("probe", part));
        }
    }
    text
}

fn probes(container: &Container) -> impl Iterator<Item = ProbeKind> {
    let there = |probe: &ProbeKind| container.probes.get(*probe).is_some();
    ProbeKind::ALL.into_iter().filter(there)
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

// === impl Forgotten ===

impl Journal for Forgotten {
    fn keep(&mut self, _: &Fact) -> io::Result<()> {
        Ok(())
    }
}
