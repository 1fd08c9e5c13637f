//! Reads `actors`: what each container does.

use super::decode::Findings;
use super::item::{Item, Value};
use crate::actor::{
    Answers, AskScript, CreateScript, Delay, EXIT_CODES, End, HookRuns, HookScript, PullScript,
    SIGNALS, Script,
};
use pillion_engine::StartFailure;
use pillion_engine::pod::Reaction;

// === impl Findings ===

impl Findings {
    /// What one container does, where it is not as usual.
    pub(super) fn script(&mut self, item: &Item, usual: Script) -> Script {
        let Some(mut keys) = self.map(item) else {
            return usual;
        };
        let mut script = usual;
        let Script {
            starts_in,
            runs,
            ends,
            stops_in,
            stop_ends,
            post_start,
            pre_stop,
            pod_stopping,
            undo,
            startup,
            readiness,
            liveness,
            ready_in,
            pull,
            create,
            asks,
        } = &mut script;
        set(
            starts_in,
            keys.take("startsIn")
                .and_then(|i| self.per_run(i, Self::duration)),
        );
        set(
            runs,
            keys.take("runs")
                .and_then(|i| self.per_run(i, Self::lifetime)),
        );
        set(
            stops_in,
            keys.take("stopsIn")
                .and_then(|i| self.per_run(i, Self::delay)),
        );
        set(
            ready_in,
            keys.take("readyIn")
                .and_then(|i| self.per_run(i, Self::delay)),
        );
        let exits = keys
            .take("exits")
            .and_then(|i| self.per_run(i, Self::exit_code));
        let dies = keys.take("dies");
        if let (Some(_), Some(dies)) = (&exits, dies) {
            self.refused(dies.place, "`dies` stands in the place of `exits`".into());
        }
        set(ends, exits);
        set(ends, dies.and_then(|i| self.per_run(i, Self::death)));
        *stop_ends = keys
            .take("stopExits")
            .and_then(|i| self.per_run(i, Self::exit_code));
        let hooks = [
            ("postStart", post_start),
            ("preStop", pre_stop),
            ("podStopping", pod_stopping),
            ("undo", undo),
        ];
        for (key, hook) in hooks {
            set(
                hook,
                keys.take(key).and_then(|i| self.per_run(i, Self::hook)),
            );
        }
        let probes = [
            ("startup", startup),
            ("readiness", readiness),
            ("liveness", liveness),
        ];
        for (key, probe) in probes {
            set(
                probe,
                keys.take(key).and_then(|i| self.per_run(i, Self::answers)),
            );
        }
        set(pull, keys.take("pull").and_then(|i| self.pull(i)));
        set(create, keys.take("create").and_then(|i| self.create(i)));
        set(asks, keys.take("asks").map(|i| self.asks(i)));
        keys.end(self);
        script
    }

    /// How long it lives; `forever` may be said.
    fn lifetime(&mut self, item: &Item) -> Option<Delay> {
        self.duration_or(item, ("forever", Delay::Never), Delay::After)
    }

    fn delay(&mut self, item: &Item) -> Option<Delay> {
        self.duration_or(item, ("never", Delay::Never), Delay::After)
    }

    fn exit_code(&mut self, item: &Item) -> Option<End> {
        self.within(item, EXIT_CODES).map(End::Exit)
    }

    fn death(&mut self, item: &Item) -> Option<End> {
        let mut keys = self.map(item)?;
        let (signal, oom) = (keys.take("signal"), keys.take("oom"));
        keys.end(self);
        match (signal, oom) {
            (Some(signal), None) => self.within(signal, SIGNALS).map(End::Signal),
            (None, Some(oom)) if oom.value != Value::Bool(false) => {
                self.truth(oom).map(|_| End::OutOfMemory)
            }
            (Some(_), Some(_)) | (None, Some(_) | None) => {
                self.unknown_value(item, "{signal: 9} or {oom: true}");
                None
            }
        }
    }

    fn hook(&mut self, item: &Item) -> Option<HookScript> {
        let mut keys = self.map(item)?;
        let mut hook = HookScript::default();
        set(
            &mut hook.starts_in,
            keys.take("startsIn").and_then(|i| self.duration(i)),
        );
        set(
            &mut hook.runs,
            keys.take("runs").and_then(|i| self.hook_runs(i)),
        );
        set(
            &mut hook.exits,
            keys.take("exits").and_then(|i| self.within(i, EXIT_CODES)),
        );
        keys.end(self);
        Some(hook)
    }

    fn hook_runs(&mut self, item: &Item) -> Option<HookRuns> {
        if item.value == Value::Text("forever".into()) {
            return Some(HookRuns::Forever);
        }
        self.duration_or(
            item,
            ("untilStarted", HookRuns::UntilStarted),
            HookRuns::For,
        )
    }

    /// What a probe finds.
    pub(super) fn answers(&mut self, item: &Item) -> Option<Answers> {
        let Value::Map(_) = item.value else {
            let words = [
                ("ok", Answers::Ok),
                ("fail", Answers::Fail),
                ("hang", Answers::Hang),
            ];
            return self.word(item, &words);
        };
        let mut keys = self.map(item)?;
        let mut times = ["okAfter", "failAfter", "takes"]
            .map(|key| keys.take(key).and_then(|i| self.duration(i)));
        keys.end(self);
        Some(Answers::Timed {
            ok_after: times[0].take().unwrap_or_default(),
            fail_after: times[1].take(),
            takes: times[2].take().unwrap_or_default(),
        })
    }

    fn pull(&mut self, item: &Item) -> Option<PullScript> {
        let Value::Map(_) = item.value else {
            let words = [("ok", PullScript::default()), ("fail", PullScript::FAIL)];
            return self.word(item, &words);
        };
        let mut keys = self.map(item)?;
        let mut pull = PullScript::default();
        set(
            &mut pull.takes,
            keys.take("takes").and_then(|i| self.duration(i)),
        );
        set(
            &mut pull.fails,
            keys.take("fails").and_then(|i| self.number(i)),
        );
        keys.end(self);
        Some(pull)
    }

    fn create(&mut self, item: &Item) -> Option<CreateScript> {
        let fail = CreateScript {
            fails: u32::MAX,
            ..CreateScript::default()
        };
        let Value::Map(_) = item.value else {
            return self.word(item, &[("ok", CreateScript::default()), ("fail", fail)]);
        };
        let mut keys = self.map(item)?;
        let mut create = fail;
        set(
            &mut create.fails,
            keys.take("fails").and_then(|i| self.number(i)),
        );
        let reasons = [
            StartFailure::CreateContainerConfigError,
            StartFailure::CreateContainerError,
            StartFailure::RunContainerError,
        ];
        let reasons = reasons.map(|reason| (reason.as_str(), reason));
        set(
            &mut create.reason,
            keys.take("reason").and_then(|i| self.word(i, &reasons)),
        );
        keys.end(self);
        Some(create)
    }

    fn asks(&mut self, item: &Item) -> Vec<AskScript> {
        let asks = self.list(item).iter();
        asks.filter_map(|item| self.ask(item)).collect()
    }

    fn ask(&mut self, item: &Item) -> Option<AskScript> {
        let mut keys = self.map(item)?;
        let after = keys.take("after").and_then(|i| self.duration(i));
        let reaction = keys.need("for", self).and_then(|i| self.reaction(i));
        let reason = keys.take("reason").and_then(|i| self.owned(i));
        let in_run = keys.take("inRun").and_then(|i| self.number(i));
        keys.end(self);
        Some(AskScript {
            after: after.unwrap_or_default(),
            reaction: reaction?,
            reason: reason.unwrap_or_default(),
            in_run,
        })
    }

    /// What a container, or somebody outside, can ask for.
    pub(super) fn reaction(&mut self, item: &Item) -> Option<Reaction> {
        let reactions = [
            ("restartAllContainers", Reaction::RestartAllContainers),
            ("restartPod", Reaction::RestartPod),
            ("failPod", Reaction::FailPod),
            ("completePod", Reaction::CompletePod),
            ("ignore", Reaction::Ignore),
        ];
        self.word(item, &reactions)
    }
}

/// Keeps the default where nothing was read.
fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
