//! Makes a scenario shorter: every time in it is divided by the same number.
//!
//! Orders stay as they are. Limits of times that are checked get some room: a busy machine may be late, and is never
//! early.

use pillion_engine::Tick;
use pillion_engine::pod::{Backoff, Container, LAST_WINDOW, Pod, Probe, ProbeKind, Requirement};
use pillion_simulator::Scenario;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Answers, Delay, HookRuns, HookScript, PerRun, Script};
use pillion_simulator::check::{Check, Claim, Range, Time};
use pillion_simulator::line::Part;
use std::time::Duration;

/// How much shorter a scenario is played.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Scale(pub u32);

/// So much later than it should be may something come, on a machine with much to do.
pub const LATE: Duration = Duration::from_millis(1_500);

/// So much earlier may a line seem to come: the time is taken before it is written.
pub const EARLY: Duration = Duration::from_millis(20);

/// An attempt that answers at once gets this long, whatever the probe says: it is a program that must start first, or a
/// container that must get its turn.
const PATIENCE: Duration = Duration::from_secs(5);

// === impl Scale ===

impl Scale {
    /// The same scenario, shorter.
    pub fn scenario(self, scenario: &Scenario) -> Scenario {
        let mut shorter = scenario.clone();
        self.pod(&mut shorter.pod, scenario);
        for script in shorter.scripts.values_mut() {
            self.script(script);
        }
        for act in shorter.acts.iter_mut().chain(&mut shorter.timed_acts) {
            self.act(act);
        }
        for check in shorter.cases.iter_mut().flat_map(|case| &mut case.checks) {
            self.check(check);
        }
        self.time(&mut shorter.run_for);
        shorter
    }

    /// The same time, shorter.
    pub fn time(self, time: &mut Duration) {
        *time /= self.0;
    }

    fn some_time(self, time: &mut Option<Duration>) {
        if let Some(time) = time {
            self.time(time);
        }
    }

    fn pod(self, pod: &mut Pod, scenario: &Scenario) {
        self.time(&mut pod.grace);
        self.some_time(&mut pod.active_deadline);
        self.backoff(&mut pod.backoff);
        for barrier in &mut pod.barriers {
            self.requirements(&mut barrier.requires);
        }
        for container in &mut pod.containers {
            let script = scenario.scripts.get(&container.name).cloned();
            self.container(container, &script.unwrap_or_default());
        }
    }

    fn container(self, container: &mut Container, script: &Script) {
        self.requirements(&mut container.requires);
        self.backoff(&mut container.restart.backoff);
        if let Some(limit) = &mut container.restart.limit {
            self.some_time(&mut limit.window);
        }
        self.some_time(&mut container.start_timeout);
        self.some_time(&mut container.stop_timeout);
        let probes = &mut container.probes;
        let all = [
            (ProbeKind::Startup, &mut probes.startup),
            (ProbeKind::Readiness, &mut probes.readiness),
            (ProbeKind::Liveness, &mut probes.liveness),
        ];
        for (kind, probe) in all {
            if let Some(probe) = probe {
                self.probe(probe, script.probe(kind));
            }
        }
    }

    fn requirements(self, requirements: &mut [Requirement]) {
        for requirement in requirements {
            self.some_time(&mut requirement.timeout);
        }
    }

    fn backoff(self, backoff: &mut Backoff) {
        self.time(&mut backoff.initial);
        self.time(&mut backoff.max);
        self.time(&mut backoff.reset);
    }

    fn probe(self, probe: &mut Probe, script: &PerRun<Answers>) {
        self.time(&mut probe.initial_delay);
        self.time(&mut probe.period);
        self.some_time(&mut probe.grace);
        self.time(&mut probe.timeout);
        if script.values().copied().all(is_quick) {
            probe.timeout = probe.timeout.max(PATIENCE);
        }
    }

    fn script(self, script: &mut Script) {
        each(&mut script.starts_in, |time| self.time(time));
        for delay in [&mut script.runs, &mut script.stops_in, &mut script.ready_in] {
            each(delay, |delay| self.delay(delay));
        }
        let hooks = [
            &mut script.post_start,
            &mut script.pre_stop,
            &mut script.pod_stopping,
            &mut script.undo,
        ];
        for hook in hooks {
            each(hook, |hook| self.hook(hook));
        }
        let probes = [
            &mut script.startup,
            &mut script.readiness,
            &mut script.liveness,
        ];
        for probe in probes {
            each(probe, |answers| self.answers(answers));
        }
        for ask in &mut script.asks {
            self.time(&mut ask.after);
        }
    }

    fn delay(self, delay: &mut Delay) {
        if let Delay::After(time) = delay {
            self.time(time);
        }
    }

    fn hook(self, hook: &mut HookScript) {
        self.time(&mut hook.starts_in);
        if let HookRuns::For(time) = &mut hook.runs {
            self.time(time);
        }
    }

    fn answers(self, answers: &mut Answers) {
        if let Answers::Timed {
            ok_after,
            fail_after,
            takes,
        } = answers
        {
            self.time(ok_after);
            self.some_time(fail_after);
            self.time(takes);
        }
    }

    fn act(self, act: &mut Act) {
        self.time(&mut act.holds_for);
        self.time(&mut act.after);
        act.not_before = Tick::ZERO + act.not_before.elapsed() / self.0;
        match &mut act.deed {
            Some(Deed::Delete { grace }) => self.some_time(grace),
            Some(Deed::SetProbe { answers, .. }) => self.answers(answers),
            Some(Deed::AddEphemeral { script, .. }) => self.script(script),
            Some(
                Deed::SetImage { .. }
                | Deed::Replace(_)
                | Deed::Kill { .. }
                | Deed::Exit { .. }
                | Deed::RestartDriver { .. }
                | Deed::Reboot
                | Deed::Ask { .. },
            )
            | None => {}
        }
    }

    fn check(self, check: &mut Check) {
        match &mut check.claim {
            Claim::Together { within, .. } | Claim::Gone { within, .. } => {
                self.time(within);
                *within += LATE;
            }
            Claim::Lasts { of, range } => {
                self.range(range);
                if let (Part::PreStop, Some(most)) = (of.part, &mut range.at_most) {
                    // What is left to a hook after the grace period is as long as ever.
                    *most += LAST_WINDOW.saturating_sub(LAST_WINDOW / self.0);
                }
            }
            Claim::Gap { range, .. } => self.range(range),
            Claim::Status { time, .. } => match time {
                Time::Within(within) => {
                    self.time(within);
                    *within += LATE;
                }
                Time::Throughout(time) | Time::At(time) => self.time(time),
                Time::AtEnd | Time::Whenever(_) => {}
            },
            Claim::Starts(_)
            | Claim::Exits(_)
            | Claim::NeverStarts(_)
            | Claim::Restarted(_)
            | Claim::NotRestarted(_)
            | Claim::StartsBefore(..)
            | Claim::ExitsBefore(..)
            | Claim::AnyStartAfter(..)
            | Claim::AnyExitAfter(..)
            | Claim::RunsTogether(..)
            | Claim::RunsTogetherFirst(..)
            | Claim::Between { .. }
            | Claim::Count { .. }
            | Claim::RestartsNeverFall(_)
            | Claim::Result { .. }
            | Claim::ExitCode(_)
            | Claim::Event { .. } => {}
        }
    }

    fn range(self, range: &mut Range<Duration>) {
        if let Some(least) = &mut range.at_least {
            self.time(least);
            *least = least.saturating_sub(EARLY);
        }
        if let Some(most) = &mut range.at_most {
            self.time(most);
            *most += LATE;
        }
    }
}

/// Whether an attempt takes no time but that of starting it.
fn is_quick(answers: Answers) -> bool {
    match answers {
        Answers::Ok | Answers::Fail => true,
        Answers::Hang => false,
        Answers::Timed { takes, .. } => takes.is_zero(),
    }
}

/// Changes the value of every run.
fn each<T>(values: &mut PerRun<T>, change: impl Fn(&mut T)) {
    values.values_mut().for_each(change);
}
