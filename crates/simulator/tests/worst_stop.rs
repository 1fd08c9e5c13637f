//! The worst case that a plan tells is the worst that can be played: with containers that are deaf
//! to the signal and hooks that never return, no pod takes longer, and each takes as long.

use pillion_engine::pod::Pod;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Delay, HookRuns, HookScript, PerRun, Script};
use pillion_simulator::{Scenario, life, play};
use pillion_spec::plan::stop::{Stop, StopPlan, budget, stop_plan};
use pillion_spec::{LoadedPod, LowerOptions, load};
use std::time::Duration;

/// When the pod is deleted. Everything is up by then.
const DELETED: Duration = Duration::from_secs(100);

/// How long before the budget ends somebody leaves who wants others to have a little.
const JUST_BEFORE: Duration = Duration::from_millis(1);

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % sides
    }

    /// One of these, each as likely as the others.
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.roll(of.len() as u64)).expect("a few")]
    }
}

fn random_pod(dice: &mut Dice) -> String {
    let count = 1 + dice.roll(5);
    let plain = dice.roll(6) == 0;
    let phases = dice.roll(5) == 0;
    let containers: Vec<_> = (0..=count)
        .map(|number| random_container(dice, number, count, plain, phases))
        .collect();
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  terminationGracePeriodSeconds: {}\n  containers:\n{}",
        dice.roll(13),
        containers.concat()
    )
}

fn random_container(dice: &mut Dice, number: u64, last: u64, plain: bool, phases: bool) -> String {
    let hooks = [
        "{exec: {command: [x]}}",
        "{sleep: {seconds: 1}}",
        "{sleep: {seconds: 4}}",
    ];
    let mut fields = format!("    - name: c{number}\n      image: i\n");
    let mut hook = Vec::new();
    if dice.roll(3) == 0 {
        hook.push(format!("preStop: {}", dice.pick(&hooks)));
    }
    if !plain && dice.roll(6) == 0 {
        hook.push(format!("podStopping: {}", dice.pick(&hooks)));
    }
    let mut add = |field: String| fields.extend(["      ", &field, "\n"]);
    if !plain {
        // The first is a main that runs on.
        let oneshot = number > 0 && dice.roll(4) == 0;
        if oneshot {
            hook.clear();
            add("oneshot: true".to_owned());
            add("undo: [reverse]".to_owned());
        } else if number > 0 && dice.roll(3) == 0 {
            add("sidecar: true".to_owned());
        }
        let below: Vec<_> = (number + 1..=last)
            .filter(|_| dice.roll(3) == 0)
            .map(|other| format!("c{other}"))
            .collect();
        if !phases {
            add(format!("requires: [{}]", below.join(", ")));
        } else if dice.roll(2) == 0 {
            add(format!("phase: {}", last - number));
        }
        if dice.roll(2) == 0 {
            add(format!("stopTimeoutSeconds: {}", dice.roll(7)));
        }
    }
    if !hook.is_empty() {
        add(format!("lifecycle: {{{}}}", hook.join(", ")));
    }
    fields
}

fn pod(text: &str) -> Option<LoadedPod> {
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    let good = !loaded.has_errors();
    loaded.pods.into_iter().next().filter(|_| good)
}

/// What everybody does.
#[derive(Clone, Copy)]
enum Manners {
    /// They hear nothing, and their hooks hang.
    Deaf,
    /// Who could outlast the budget is gone just before its end, so that others still have a turn.
    LeaveInTime,
}

fn hook(runs: HookRuns) -> PerRun<HookScript> {
    PerRun::same(HookScript {
        runs,
        ..HookScript::default()
    })
}

fn script(manners: Manners, stop: &Stop, budget: Duration) -> Script {
    let deaf = Script {
        stops_in: PerRun::same(Delay::Never),
        pre_stop: hook(HookRuns::Forever),
        pod_stopping: hook(HookRuns::Forever),
        undo: hook(HookRuns::Forever),
        ..Script::default()
    };
    let just_before = budget.saturating_sub(JUST_BEFORE);
    if stop.begins_by >= just_before || stop.ends_by < budget {
        return deaf;
    }
    let own_end = stop.limit.map(|limit| stop.begins_by + limit);
    match (manners, own_end) {
        (Manners::Deaf, _) => deaf,
        (Manners::LeaveInTime, Some(end)) if end < just_before => Script {
            stops_in: PerRun::same(Delay::After(just_before.saturating_sub(end))),
            ..deaf
        },
        (Manners::LeaveInTime, Some(_) | None) => {
            let takes = just_before.saturating_sub(stop.begins_by);
            Script {
                stops_in: PerRun::same(Delay::After(takes)),
                pre_stop: hook(HookRuns::For(Duration::ZERO)),
                pod_stopping: hook(HookRuns::For(Duration::ZERO)),
                undo: hook(HookRuns::For(takes)),
                ..Script::default()
            }
        }
    }
}

/// How long the pod takes to stop.
fn played(pod: &LoadedPod, plan: &StopPlan, manners: Manners) -> Duration {
    let drawn: &Pod = &pod.lowered.pod;
    let mut scenario = Scenario {
        run_for: Duration::from_secs(200),
        ..Scenario::new(drawn.clone()).act(Act::at(DELETED, Deed::Delete { grace: None }))
    };
    for (container, stop) in drawn.containers.iter().zip(&plan.stops) {
        let usual = life::script(container);
        let stop = stop.as_ref().expect("everybody has something to stop");
        let script = Script {
            runs: usual.runs,
            ..script(manners, stop, budget(drawn))
        };
        scenario.scripts.insert(container.name.clone(), script);
    }
    let played = play(&scenario.with_sleeps_of(&pod.file)).expect("the pod is good");
    let end = played.record.end.expect("a deleted pod ends");
    end.at.elapsed().saturating_sub(DELETED)
}

#[test]
fn no_pod_takes_longer_than_the_worst_case_and_each_takes_as_long() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0;
    for _ in 0..1500 {
        let text = random_pod(&mut dice);
        let Some(pod) = pod(&text) else {
            continue;
        };
        compared += 1;
        let plan = stop_plan(&pod.lowered.pod, &pod.file.pod.spec);
        let deaf = played(&pod, &plan, Manners::Deaf);
        let just = played(&pod, &plan, Manners::LeaveInTime);
        let longest = deaf.max(just);
        let worst = plan.worst_case;
        assert!(longest <= worst, "{longest:?} > {worst:?}\n{text}");
        let slack = worst.saturating_sub(longest);
        assert!(slack <= JUST_BEFORE, "{longest:?} < {worst:?}\n{text}");
    }
    assert!(compared > 1000, "too few pods are good: {compared}");
}
