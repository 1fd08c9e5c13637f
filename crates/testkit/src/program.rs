//! `pillion run` in the place of a kubelet: it is given the same manifest, a changed one by `pillion apply`, is told to stop by
//! `pillion stop`, and shows the pod by `pillion get`.
//!
//! ```text
//! manifest ─▶ pillion run --json ─▶ actors ─▶ lines, ends
//!                │ tells that something has changed
//!                ▼
//!             pillion get ─▶ status ─▶ Director
//! ```

mod errand;
pub mod process;
mod run;

use crate::kubelet::director::Director;
use crate::kubelet::eyes::Glimpse;
use crate::kubelet::footage::Footage;
use crate::kubelet::place::Place;
use crate::processes::ports::Ports;
use anyhow::Context as _;
use pillion_simulator::Scenario;
use run::Run;
use serde_json::Value;
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Programs that play a pod on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'a> {
    /// `pillion`.
    pub pillion: &'a Path,
    /// The actor.
    pub actor: &'a Path,
}

/// One pod, in a folder of its own.
struct Seat<'a> {
    programs: Programs<'a>,
    actor: String,
    folder: &'a Path,
    /// No crashed container waits longer.
    max_backoff: Duration,
    /// Nobody else gets them as long as this is played.
    ports: RefCell<Ports>,
    run: RefCell<Option<Run>>,
}

/// How long the program may take to answer, or to end, on a machine with much to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the pod is called.
const NAME: &str = "pod";

/// Plays a scenario that does not restart the node; `pod` is its pod as JSON. Images are names: all of them are there.
pub(crate) fn play(
    scenario: &Scenario,
    pod: &str,
    programs: Programs<'_>,
    folder: &Path,
) -> anyhow::Result<Footage> {
    let pod = serde_json::from_str(pod)?;
    let seat = Seat {
        programs,
        actor: programs.actor.to_string_lossy().into_owned(),
        folder,
        max_backoff: scenario.pod.backoff.max,
        ports: RefCell::default(),
        run: RefCell::default(),
    };
    Director::begin(&seat, scenario, &pod, NAME.to_owned())?.play()
}

// === impl Seat ===

impl Seat<'_> {
    /// Does something with the run, which has begun.
    fn with_run<T>(&self, work: impl FnOnce(&mut Run) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let mut run = self.run.borrow_mut();
        work(run.as_mut().context("the pod has not been made yet")?)
    }
}

impl Place for Seat<'_> {
    fn stage(&self) -> PathBuf {
        self.folder.join("stage")
    }

    fn actor(&self) -> &str {
        &self.actor
    }

    /// Host processes share the machine's network.
    fn address(&self, port: u16) -> io::Result<SocketAddr> {
        self.ports.borrow_mut().place(port)
    }

    fn create(&self, name: &str, pod: &Value) -> anyhow::Result<()> {
        let run = Run::begin(
            self.programs.pillion,
            self.folder,
            name,
            pod,
            self.max_backoff,
            PATIENCE,
        )?;
        *self.run.borrow_mut() = Some(run);
        Ok(())
    }

    fn seen(&self, _: &str, from: usize) -> anyhow::Result<Vec<Glimpse>> {
        self.with_run(|run| run.seen(from))
    }

    fn delete(&self, _: &str, grace: Option<u64>) -> anyhow::Result<()> {
        self.with_run(|run| run.stop(grace))
    }

    fn set_image(&self, _: &Value, container: &str, image: &str) -> anyhow::Result<()> {
        self.with_run(|run| run.set_image(container, image))
    }

    fn remove(&self, _: &str) -> anyhow::Result<()> {
        self.run.borrow_mut().take().map_or(Ok(()), Run::end)
    }

    /// Nothing that it has started outlives `pillion run`.
    fn ends_with_pod(&self) -> bool {
        true
    }
}
