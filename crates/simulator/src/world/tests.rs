//! The simulated runtime on its own: what each action does, in lines and events.

use super::*;
use crate::actor::{Answers, CreateScript, Delay, End, HookRuns, HookScript, PerRun, PullScript};
use pillion_engine::StartFailure;
use pillion_engine::pod::{HookKind, ProbeKind, RestartPolicy};

const APP: ContainerId = ContainerId(0);

/// A world with the one container `app`, and what the engine would have heard.
struct Bench {
    world: World,
    heard: Vec<(u64, Event)>,
}

impl Bench {
    fn new(script: Script) -> Self {
        Self::with(script, |_| {})
    }

    fn with(script: Script, change: impl FnOnce(&mut Container)) -> Self {
        Self::slow(script, change, Latency::default())
    }

    fn slow(script: Script, change: impl FnOnce(&mut Container), latency: Latency) -> Self {
        let mut container = Container::new("app", RestartPolicy::Always);
        change(&mut container);
        let mut world = World::new(latency);
        world.add(&container, script);
        Self {
            world,
            heard: Vec::new(),
        }
    }

    fn started(script: Script) -> Self {
        let mut bench = Self::new(script);
        bench.start(1);
        bench
    }

    /// Lets everything up to and including that second happen.
    fn until(&mut self, secs: u64) {
        let end = Tick::from_secs(secs);
        while self.world.next_at().is_some_and(|at| at <= end) {
            if let Heard::Event(event) = self.world.turn() {
                let at = self.world.now().elapsed().as_secs();
                self.heard.push((at, event));
            }
        }
        self.world.advance(end);
    }

    fn act(&mut self, action: &Action) {
        self.world.carry_out(action);
    }

    fn start(&mut self, attempt: Attempt) {
        self.act(&Action::Start {
            container: APP,
            attempt,
            version: 0,
            command: Command::Run,
        });
    }

    fn stop(&mut self, deadline: u64) {
        self.act(&Action::Stop {
            container: APP,
            attempt: 1,
            deadline: Tick::from_secs(deadline),
        });
    }

    fn hook(&mut self, hook: HookKind, deadline: Option<u64>) {
        self.act(&Action::RunHook {
            container: APP,
            attempt: 1,
            hook,
            deadline: deadline.map(Tick::from_secs),
        });
    }

    fn probe(&mut self, timeout: u64) {
        self.act(&Action::Probe {
            container: APP,
            attempt: 1,
            probe: ProbeKind::Readiness,
            timeout: Duration::from_secs(timeout),
        });
    }

    fn pull(&mut self) {
        self.act(&Action::Pull {
            container: APP,
            attempt: 1,
            version: 0,
        });
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.world.log.lines().iter();
        lines
            .map(|line| format!("{} {} {}", line.at.elapsed().as_secs(), line.who, line.word))
            .collect()
    }

    fn exits(&self) -> Vec<(u64, Exit)> {
        let mut exits = Vec::new();
        for (at, event) in &self.heard {
            if let Event::Exited { exit, .. } = event {
                exits.push((*at, exit.clone()));
            }
        }
        exits
    }
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn lives(starts_in: u64, runs: u64, code: i32) -> Script {
    Script {
        starts_in: PerRun::same(secs(starts_in)),
        ..Script::runs(secs(runs), code)
    }
}

fn stops_in(time: Option<u64>) -> Script {
    Script {
        stops_in: PerRun::same(time.map_or(Delay::Never, |time| Delay::After(secs(time)))),
        ..Script::default()
    }
}

#[test]
fn a_run_comes_up_and_exits_by_itself() {
    let mut bench = Bench::started(lives(2, 3, 7));
    bench.until(10);
    assert_eq!(
        bench.lines(),
        [
            "0 app Starting",
            "2 app Started",
            "5 app Exiting",
            "5 app Exited"
        ]
    );
    assert_eq!(bench.exits(), [(5, Exit::code(7))]);
    assert_eq!(
        bench.heard[0],
        (
            0,
            Event::Started {
                container: APP,
                attempt: 1
            }
        )
    );
}

#[test]
fn a_stop_signal_puts_its_time_in_the_place_of_the_run() {
    let mut bench = Bench::started(Script {
        stop_ends: Some(PerRun::same(End::Exit(3))),
        stops_in: PerRun::same(Delay::After(secs(4))),
        ..lives(0, 5, 0)
    });
    bench.until(2);
    bench.stop(30);
    bench.until(40);
    assert_eq!(
        bench.lines()[2..],
        ["2 app Stopping", "6 app Exiting", "6 app Exited"]
    );
    assert_eq!(bench.exits(), [(6, Exit::code(3))]);
}

#[test]
fn what_ignores_the_signal_is_killed_at_the_deadline() {
    let mut bench = Bench::started(stops_in(None));
    bench.stop(30);
    bench.until(40);
    assert_eq!(bench.lines()[2..], ["0 app Stopping", "30 app Exited"]);
    assert_eq!(bench.exits(), [(30, Exit::signal(9))]);
}

#[test]
fn asked_again_a_stop_can_only_come_sooner() {
    for (again, killed) in [(10, 10), (50, 30)] {
        let mut bench = Bench::started(stops_in(None));
        bench.stop(30);
        bench.stop(again);
        bench.until(60);
        assert_eq!(bench.exits(), [(killed, Exit::signal(9))], "{again}");
    }
}

#[test]
fn an_exit_at_the_deadline_is_an_exit_in_time() {
    let mut bench = Bench::started(stops_in(Some(30)));
    bench.stop(30);
    bench.until(40);
    assert_eq!(bench.exits(), [(30, Exit::code(0))]);
}

#[test]
fn a_deadline_that_has_passed_kills_at_once() {
    let mut bench = Bench::started(Script::default());
    bench.until(5);
    bench.stop(5);
    bench.until(5);
    assert_eq!(bench.lines()[2..], ["5 app Exited"]);
    assert_eq!(bench.exits(), [(5, Exit::signal(9))]);
}

#[test]
fn a_second_process_beside_a_living_one_is_a_violation() {
    let mut bench = Bench::started(Script::default());
    bench.start(2);
    bench.until(1);
    assert_eq!(bench.world.violations.len(), 1);
    assert_eq!(bench.lines(), ["0 app Starting", "0 app Started"]);
}

#[test]
fn an_action_on_a_container_that_is_not_there_is_a_violation() {
    let mut bench = Bench::new(Script::default());
    bench.act(&Action::Stop {
        container: ContainerId(7),
        attempt: 1,
        deadline: Tick::ZERO,
    });
    assert_eq!(bench.world.violations.len(), 1);
}

#[test]
fn a_hook_dies_with_its_container_and_is_not_heard_of() {
    let mut bench = Bench::started(Script {
        pre_stop: PerRun::same(HookScript {
            runs: HookRuns::Forever,
            ..HookScript::default()
        }),
        ..lives(0, 3, 0)
    });
    bench.hook(HookKind::PreStop, None);
    bench.until(10);
    assert_eq!(
        bench.lines()[2..],
        [
            "0 app/preStop Starting",
            "0 app/preStop Started",
            "3 app Exiting",
            "3 app Exited",
            "3 app/preStop Exited"
        ]
    );
    let hooks = bench
        .heard
        .iter()
        .filter(|(_, e)| matches!(e, Event::HookDone { .. }));
    assert_eq!(hooks.count(), 0);
}

#[test]
fn a_hook_that_waits_for_its_container_returns_when_it_is_up() {
    let mut bench = Bench::started(Script {
        post_start: PerRun::same(HookScript {
            runs: HookRuns::UntilStarted,
            ..HookScript::default()
        }),
        ..lives(4, 100, 0)
    });
    bench.hook(HookKind::PostStart, None);
    bench.until(10);
    let done = Event::HookDone {
        container: APP,
        attempt: 1,
        hook: HookKind::PostStart,
        ok: true,
    };
    assert!(bench.heard.contains(&(4, done)), "{:?}", bench.heard);
}

#[test]
fn a_hook_past_its_deadline_is_left_alone_but_not_waited_for() {
    let mut bench = Bench::started(Script {
        pre_stop: PerRun::same(HookScript {
            runs: HookRuns::For(secs(9)),
            ..HookScript::default()
        }),
        ..Script::default()
    });
    bench.hook(HookKind::PreStop, Some(5));
    bench.until(20);
    let done = |ok| Event::HookDone {
        container: APP,
        attempt: 1,
        hook: HookKind::PreStop,
        ok,
    };
    assert!(bench.heard.contains(&(5, done(false))));
    assert!(!bench.heard.contains(&(9, done(true))));
    assert_eq!(bench.lines().last().unwrap(), "9 app/preStop Exited");
}

#[test]
fn a_probe_that_hangs_has_failed_after_its_timeout() {
    let mut bench = Bench::started(Script {
        readiness: PerRun::same(Answers::Hang),
        ..Script::default()
    });
    bench.probe(2);
    bench.until(5);
    let failed = Event::Probed {
        container: APP,
        attempt: 1,
        probe: ProbeKind::Readiness,
        ok: false,
    };
    assert_eq!(bench.heard[1..], [(2, failed)]);
    assert_eq!(bench.lines()[4..], ["2 app/readiness Exited"]);
}

#[test]
fn a_probe_says_yes_once_the_container_is_up() {
    let mut bench = Bench::started(lives(3, 100, 0));
    bench.probe(1);
    bench.until(3);
    bench.probe(1);
    bench.until(4);
    let answer = |at, ok| {
        let (container, attempt, probe) = (APP, 1, ProbeKind::Readiness);
        let event = Event::Probed {
            container,
            attempt,
            probe,
            ok,
        };
        (at, event)
    };
    assert_eq!(bench.heard[1..], [answer(0, false), answer(3, true)]);
}

#[test]
fn images_fail_take_time_and_are_then_there() {
    let mut bench = Bench::with(
        Script {
            pull: PullScript {
                takes: secs(2),
                fails: 1,
            },
            ..Script::default()
        },
        |container| container.image = Some("shop/app:7".into()),
    );
    for at in [0, 10, 20] {
        bench.until(at);
        bench.pull();
    }
    bench.until(30);
    let seen: Vec<_> = bench
        .heard
        .iter()
        .map(|(at, event)| (*at, matches!(event, Event::Pulled { .. })))
        .collect();
    assert_eq!(seen, [(2, false), (12, true), (20, true)]);
}

#[test]
fn a_cancelled_pull_is_not_heard_of() {
    let mut bench = Bench::new(Script {
        pull: PullScript {
            takes: secs(2),
            fails: 0,
        },
        ..Script::default()
    });
    bench.pull();
    bench.act(&Action::CancelPull {
        container: APP,
        attempt: 1,
    });
    bench.until(5);
    assert_eq!(bench.heard, []);
}

#[test]
fn a_create_that_fails_leaves_no_process() {
    let mut bench = Bench::started(Script {
        create: CreateScript {
            fails: 1,
            reason: StartFailure::CreateContainerConfigError,
        },
        ..Script::default()
    });
    bench.until(1);
    assert_eq!(bench.lines(), Vec::<String>::new());
    assert_eq!(bench.world.found(APP, None), Found::NeverCreated);
    bench.start(2);
    assert_eq!(bench.world.found(APP, None), Found::Running { attempt: 2 });
}

#[test]
fn a_stop_that_overtakes_its_start_stops_it_when_it_comes() {
    let latency = Latency {
        start: secs(2),
        report: secs(1),
    };
    let mut bench = Bench::slow(Script::default(), |_| {}, latency);
    bench.start(1);
    bench.until(1);
    bench.stop(30);
    bench.until(40);
    assert_eq!(
        bench.lines(),
        [
            "2 app Starting",
            "2 app Started",
            "2 app Stopping",
            "2 app Exiting",
            "2 app Exited"
        ]
    );
    assert_eq!(bench.exits(), [(3, Exit::code(0))]);
}

#[test]
fn a_lost_driver_hears_nothing_and_kills_nobody() {
    let mut bench = Bench::started(stops_in(Some(20)));
    bench.stop(10);
    bench.world.lose_driver();
    bench.until(40);
    assert_eq!(bench.lines().last().unwrap(), "20 app Exited");
    assert_eq!(
        bench.world.found(APP, None),
        Found::Ended {
            attempt: 1,
            exit: Some(Exit::code(0))
        }
    );
}

#[test]
fn after_a_reboot_nothing_lives_and_nobody_knows_how_it_ended() {
    let mut bench = Bench::started(Script::default());
    bench.world.reboot();
    bench.until(1);
    assert_eq!(bench.world.alive().count(), 0);
    assert_eq!(
        bench.world.found(APP, None),
        Found::Ended {
            attempt: 1,
            exit: None
        }
    );
    assert_eq!(bench.heard, []);
}

#[test]
fn who_tells_that_it_is_ready_tells_a_new_driver_again() {
    let mut bench = Bench::with(Script::default(), |container| container.ready_on = true);
    bench.start(1);
    bench.until(1);
    bench.world.lose_driver();
    bench.world.tell_again();
    bench.until(2);
    let told = bench
        .heard
        .iter()
        .filter(|(_, e)| matches!(e, Event::Notified { .. }));
    assert_eq!(told.count(), 2);
}

#[test]
fn an_undo_writes_under_its_own_name_and_the_signal_ends_it() {
    let mut bench = Bench::new(Script {
        undo: PerRun::same(HookScript {
            runs: HookRuns::Forever,
            ..HookScript::default()
        }),
        ..Script::default()
    });
    bench.act(&Action::Start {
        container: APP,
        attempt: 1,
        version: 0,
        command: Command::Undo,
    });
    bench.until(1);
    bench.stop(30);
    bench.until(40);
    assert_eq!(
        bench.lines(),
        [
            "0 app/undo Starting",
            "0 app/undo Started",
            "1 app/undo Stopping",
            "1 app/undo Exited"
        ]
    );
    assert_eq!(bench.exits(), [(1, Exit::signal(15))]);
}
