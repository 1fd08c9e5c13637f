//! Restarts the kubelet, and with it the node, when plays ask for it.
//!
//! A restart touches every pod of the node. So it comes when everybody who will ask for one has asked, once for all of
//! them, and whoever plays beside them must not mind.

use crate::cluster::Cluster;
use crate::cluster::files::Kubelet;
use pillion_engine::Tick;
use pillion_runtime::clock;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What is done to the node while the kubelet is down.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Interruption {
    /// Nothing.
    Restart,
    /// The records of these ended containers are removed, by the ids that containerd has for them.
    Forget(Vec<String>),
    /// The sandbox of the pod with this uid is gone, with all that ran in it.
    Reboot(String),
}

/// Who has asked and who has not yet.
#[derive(Default)]
pub(crate) struct Interruptions {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// So many will ask.
    expected: usize,
    /// So many askers there were.
    askers: usize,
    /// What each asker wants, until that is begun.
    asked: BTreeMap<usize, Interruption>,
    /// What was asked for before is being done, and comes too early for whoever asks now.
    is_serving: bool,
    /// When each was done.
    done: Vec<Tick>,
    failed: Option<String>,
    closed: bool,
}

/// Somebody who is expected to ask, as long as this is there: whoever has failed, or panics, is not waited for.
pub(super) struct Asker<'i> {
    interruptions: &'i Interruptions,
    number: usize,
}

/// Whoever does what is asked for goes on as long as this is there.
pub(super) struct Service<'i>(&'i Interruptions);

/// A request, by the number of the restart that will answer it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket(usize);

// === impl Interruptions ===

impl Interruptions {
    /// Somebody will ask.
    pub(super) fn expect(&self) {
        self.state().expected += 1;
    }

    /// One of those who are expected.
    pub(super) fn asker(&self) -> Asker<'_> {
        let mut state = self.state();
        state.askers += 1;
        Asker {
            interruptions: self,
            number: state.askers,
        }
    }

    /// When what was asked for was done.
    pub(super) fn done(&self, Ticket(number): Ticket) -> anyhow::Result<Option<Tick>> {
        let state = self.state();
        if let Some(why) = &state.failed {
            anyhow::bail!("the kubelet could not be restarted: {why}");
        }
        Ok(state.done.get(number).copied())
    }

    /// Somebody will do what is asked for.
    pub(super) fn open(&self) -> Service<'_> {
        Service(self)
    }

    /// Does what is asked for until nobody asks any more.
    pub(super) fn serve(&self, cluster: &Cluster, kubelet: Kubelet) {
        while let Some(asked) = self.next() {
            self.served(interrupt(cluster, kubelet, &asked));
        }
    }

    /// Waits until everybody has asked.
    fn next(&self) -> Option<Vec<Interruption>> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            if !state.asked.is_empty() && state.asked.len() >= state.expected {
                state.is_serving = true;
                let asked = std::mem::take(&mut state.asked);
                return Some(asked.into_values().collect());
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn served(&self, done: anyhow::Result<Tick>) {
        let mut state = self.state();
        state.is_serving = false;
        match done {
            Ok(at) => state.done.push(at),
            Err(error) => state.failed = Some(format!("{error:#}")),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Asker ===

impl Asker<'_> {
    /// Asks for one thing; for the next one when that was done.
    pub(super) fn ask(&self, interruption: Interruption) -> Ticket {
        let mut state = self.interruptions.state();
        state.asked.insert(self.number, interruption);
        self.interruptions.changed.notify_all();
        Ticket(state.done.len() + usize::from(state.is_serving))
    }
}

impl Drop for Asker<'_> {
    fn drop(&mut self) {
        let mut state = self.interruptions.state();
        state.expected = state.expected.saturating_sub(1);
        // Otherwise it would stand for somebody who has not asked yet.
        state.asked.remove(&self.number);
        self.interruptions.changed.notify_all();
    }
}

// === impl Service ===

impl Drop for Service<'_> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.changed.notify_all();
    }
}

fn interrupt(cluster: &Cluster, kubelet: Kubelet, asked: &[Interruption]) -> anyhow::Result<Tick> {
    cluster.stop_kubelet()?;
    let mut forgotten = Vec::new();
    for interruption in asked {
        match interruption {
            Interruption::Restart => {}
            Interruption::Forget(ids) => forgotten.extend(ids.iter().cloned()),
            Interruption::Reboot(uid) => cluster.kill_pod(uid)?,
        }
    }
    if !forgotten.is_empty() {
        cluster.forget(&forgotten)?;
    }
    let at = clock::now();
    cluster.start_kubelet(kubelet)?;
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn nobody_waits_for_one_who_is_gone_without_asking() {
        let interruptions = Interruptions::default();
        interruptions.expect();
        interruptions.expect();
        let (one, other) = (interruptions.asker(), interruptions.asker());
        other.ask(Interruption::Restart);
        drop(one);
        assert_eq!(interruptions.next(), Some(vec![Interruption::Restart]));
    }

    #[test]
    fn what_one_who_is_gone_has_asked_for_is_not_done() {
        let interruptions = Interruptions::default();
        for _ in 0..3 {
            interruptions.expect();
        }
        let [gone, one, other] = [(); 3].map(|()| interruptions.asker());
        gone.ask(Interruption::Reboot("gone".to_owned()));
        one.ask(Interruption::Reboot("one".to_owned()));
        drop(gone);
        {
            let state = interruptions.state();
            assert!(state.asked.len() < state.expected, "one has not asked yet");
        }
        other.ask(Interruption::Restart);
        let asked = [
            Interruption::Reboot("one".to_owned()),
            Interruption::Restart,
        ];
        assert_eq!(interruptions.next(), Some(asked.to_vec()));
    }

    #[test]
    fn whoever_asks_during_a_restart_waits_for_the_next_one() {
        let interruptions = Interruptions::default();
        interruptions.expect();
        let (one, other) = (interruptions.asker(), interruptions.asker());
        let early = one.ask(Interruption::Restart);
        assert!(interruptions.next().is_some());
        let late = other.ask(Interruption::Restart);
        let first = Tick::ZERO;
        interruptions.served(Ok(first));
        assert_eq!(interruptions.done(early).unwrap(), Some(first));
        assert_eq!(interruptions.done(late).unwrap(), None);
        assert!(interruptions.next().is_some());
        let second = first + Duration::from_secs(1);
        interruptions.served(Ok(second));
        assert_eq!(interruptions.done(late).unwrap(), Some(second));
    }

    #[test]
    fn whoever_serves_ends_when_somebody_panics() {
        let interruptions = Interruptions::default();
        let played = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                let _service = interruptions.open();
                scope.spawn(|| interruptions.next());
                panic!("a play");
            });
        }));
        assert!(played.is_err());
    }
}
