//! `cargo xtask bench kubelet`: a chain of native sidecars under a real kubelet and under `pillion run`, in one run.
//!
//! The pod has four native sidecars and a main. In one form each sidecar has a startup probe, so that each waits for
//! the one before; in the other there are no probes, which is the floor of what a chain costs. Measured is the time
//! from the request to Ready, and from the deletion until everything is gone. The two take turns, so that whatever else
//! the machine does meanwhile is in the way of both.

use super::statistics::median;
use crate::clock::Stopwatch;
use crate::cluster;
use crate::workspace::Workspace;
use anyhow::{Context as _, bail, ensure};
use pillion_testkit::cluster::api::Api;
use pillion_testkit::cluster::files::IMAGE;
use pillion_testkit::cluster::image::ACTOR;
use pillion_testkit::kubelet::{self, LABEL, PODS};
use pillion_testkit::program::process::{Process, bound};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds, of which the median counts.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
}

/// The times of one life, in seconds.
struct Times {
    ready: f64,
    gone: f64,
}

/// The sidecars of the chain.
const SIDECARS: usize = 4;

/// How long a pod may keep us waiting for the next thing that happens to it.
const PATIENCE: Duration = Duration::from_mins(2);

/// There in the image, and on every machine that has a cluster.
const TRUE: [&str; 2] = ["/bin/busybox", "true"];

// === impl Times ===

impl Times {
    fn median(all: &[Self]) -> Self {
        Self {
            ready: median(all.iter().map(|times| times.ready).collect()),
            gone: median(all.iter().map(|times| times.gone).collect()),
        }
    }
}

pub(super) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    cluster::check_usual()?;
    let pillion = build(workspace)?;
    let actor = cluster::actor(workspace)?;
    let folder = tempfile::tempdir()?;
    say!(
        "\n{:<28} {:>10} {:>10} {:>7}",
        "4 native sidecars and a main",
        "kubelet",
        "pillion",
        "ratio"
    );
    cluster::with(&actor, |cluster| {
        let api = cluster.api();
        kubelet::clear(&api)?;
        for (name, probes) in [("startup probes", true), ("no probes", false)] {
            let (theirs, ours) = in_turn(
                args.rounds,
                |round| on_kubelet(&api, &pod(ACTOR, probes, round)),
                |round| {
                    let pod = pod(&actor.to_string_lossy(), probes, round);
                    on_pillion(&pillion, folder.path(), &pod)
                },
            )?;
            let (theirs, ours) = (Times::median(&theirs), Times::median(&ours));
            row(
                &format!("{name}, create to Ready"),
                theirs.ready,
                ours.ready,
            );
            row(&format!("{name}, delete to gone"), theirs.gone, ours.gone);
        }
        Ok(())
    })
}

fn row(what: &str, kubelet: f64, pillion: f64) {
    let ratio = kubelet / pillion;
    say!("{what:<28} {kubelet:>8.2} s {pillion:>8.3} s {ratio:>6.0}x");
}

fn build(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let program = ["build", "--release", "--quiet", "--package=pillion"];
    crate::step::run(&mut workspace.cargo(&program))?;
    Ok(workspace.target().join("release/pillion"))
}

/// One round of each, and then the next one.
fn in_turn<T>(
    rounds: u32,
    mut theirs: impl FnMut(u32) -> anyhow::Result<T>,
    mut ours: impl FnMut(u32) -> anyhow::Result<T>,
) -> anyhow::Result<(Vec<T>, Vec<T>)> {
    let rounds = 1..=rounds;
    let both = rounds.map(|round| Ok((theirs(round)?, ours(round)?)));
    both.collect()
}

/// The pod, with the actor where it is.
fn pod(actor: &str, probes: bool, round: u32) -> Value {
    let container = |name: String| {
        json!({
            "name": name,
            "image": IMAGE,
            "imagePullPolicy": "IfNotPresent",
            "command": [actor, "pause"],
        })
    };
    let sidecars = (1..=SIDECARS).map(|number| {
        let mut sidecar = container(format!("sidecar{number}"));
        sidecar["restartPolicy"] = "Always".into();
        if probes {
            sidecar["startupProbe"] = json!({"exec": {"command": TRUE}, "periodSeconds": 1});
        }
        sidecar
    });
    let form = if probes { "probed" } else { "plain" };
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("bench-{form}-{round}-{}", process::id()),
            // Those of a measurement that was killed are known by it.
            "labels": {LABEL.0: LABEL.1},
        },
        "spec": {
            "automountServiceAccountToken": false,
            "initContainers": sidecars.collect::<Vec<_>>(),
            "containers": [container("main".to_owned())],
        },
    })
}

fn on_kubelet(api: &Api, pod: &Value) -> anyhow::Result<Times> {
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    let path = format!("{PODS}/{name}");
    let version = api.get(PODS)?["metadata"]["resourceVersion"].clone();
    let version = version.as_str().unwrap_or("0");
    let selector = format!("fieldSelector=metadata.name%3D{name}");
    let mut watch = api.watch(&format!(
        "{PODS}?watch=true&resourceVersion={version}&{selector}"
    ))?;
    watch.limit(PATIENCE)?;
    let watch_for = Stopwatch::start();
    api.create(PODS, pod)?;
    loop {
        let change = watch.next_change()?.context("the watch has ended")?;
        if is_ready(&change["object"]) {
            break;
        }
    }
    let ready = watch_for.elapsed().as_secs_f64();
    let deletion = Stopwatch::start();
    api.delete(&path, &json!({}))?;
    loop {
        let change = watch.next_change()?.context("the watch has ended")?;
        if change["type"] == "DELETED" {
            break;
        }
    }
    let gone = deletion.elapsed().as_secs_f64();
    Ok(Times { ready, gone })
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array();
    let ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    conditions.is_some_and(|conditions| conditions.iter().any(ready))
}

/// The deletion is a signal, as a service manager or a terminal sends it.
fn on_pillion(pillion: &Path, folder: &Path, pod: &Value) -> anyhow::Result<Times> {
    let file = folder.join("pod.json");
    fs::write(&file, pod.to_string())?;
    let start = Stopwatch::start();
    // Whoever binds it to us costs it a millisecond.
    let mut command = bound(pillion);
    command
        .args(["run", "--json"])
        .arg(&file)
        .env("XDG_STATE_HOME", folder)
        // Root's sockets would be elsewhere otherwise, among those of all others.
        .env("PILLION_RUNTIME_DIR", folder.join("run"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut program = Process::start(&mut command, PATIENCE)?;
    let lines = lines(program.output().context("it has no output")?);
    // Whatever is wrong with it: it is ended when it is dropped.
    hear(&lines, "\"podReady\"", PATIENCE)?;
    let ready = start.elapsed().as_secs_f64();
    let stop = Stopwatch::start();
    program.signal(Signal::TERM);
    let ended = program.wait(PATIENCE)?;
    let limit = PATIENCE.as_secs();
    ensure!(
        ended.is_some(),
        "`pillion run` does not end within {limit} s of SIGTERM"
    );
    let gone = stop.elapsed().as_secs_f64();
    Ok(Times { ready, gone })
}

/// What is written, line by line. It is read also when nobody wants to know it: whoever does not read holds a program up.
fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

/// Waits until `pillion run` has written a line with that word, at most so long.
fn hear(lines: &Receiver<String>, word: &str, limit: Duration) -> anyhow::Result<()> {
    let began = Stopwatch::start();
    loop {
        match lines.recv_timeout(limit.saturating_sub(began.elapsed())) {
            Ok(line) if line.contains(word) => return Ok(()),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => {
                let limit = limit.as_secs();
                bail!("`pillion run` has not said {word} within {limit} s")
            }
            Err(RecvTimeoutError::Disconnected) => {
                bail!("`pillion run` has ended and never said {word}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io;

    #[test]
    fn a_word_that_is_not_said_is_waited_for_no_longer_than_that() {
        let (silent, _writer) = io::pipe().unwrap();
        let error = hear(&lines(silent), "ready", Duration::from_millis(10)).unwrap_err();
        assert!(error.to_string().contains("has not said ready within"));
        let error = hear(&lines(&b"begun\n"[..]), "ready", PATIENCE).unwrap_err();
        assert!(error.to_string().contains("has ended and never said ready"));
        hear(&lines(&b"begun\nready\n"[..]), "ready", PATIENCE).unwrap();
    }

    #[test]
    fn the_two_take_turns() {
        let order = RefCell::new(String::new());
        let note = |who: char| {
            let order = &order;
            move |round| {
                order.borrow_mut().push(who);
                Ok(round)
            }
        };

        let (theirs, ours) = in_turn(3, note('k'), note('p')).unwrap();

        assert_eq!(order.into_inner(), "kpkpkp");
        assert_eq!((theirs, ours), (vec![1, 2, 3], vec![1, 2, 3]));
    }
}
