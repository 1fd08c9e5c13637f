//! What the engine tells of whole lives can be followed from the end to the start, and reads well.

use pillion_engine::ContainerId;
use pillion_engine::pod::{
    Backoff, Container, Keystone, Kind, Need, Pod, Probe, Probes, Reaction, Requirement, Rerun,
    RestartPolicy, Role, Rule, Scope, Target, Until, When,
};
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Answers, Delay, End, PerRun, Script};
use pillion_simulator::{Scenario, play};
use pillion_timeline::story::{Detail, Stamps, lines};
use pillion_timeline::trace::result;
use pillion_timeline::{Cause, Style, Timeline, What};
use std::time::Duration;

const fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn requires(target: u32, until: Until) -> Requirement {
    Requirement::hard(Target::Container(ContainerId(target)), until)
}

fn sidecar(name: &str) -> Container {
    Container {
        role: Role::Sidecar,
        ..Container::new(name, RestartPolicy::Always)
    }
}

/// Proxy first and last, then a migration and a cache, then the app, which ends the pod.
fn pod() -> Pod {
    let readiness = Some(Probe::default());
    let proxy = Container {
        probes: Probes {
            readiness,
            ..Probes::default()
        },
        ..sidecar("proxy")
    };
    let migrate = Container {
        kind: Kind::Oneshot {
            undo: false,
            rerun: Rerun::OnPodRestart,
        },
        requires: vec![requires(0, Until::Ready)],
        ..Container::new("migrate", RestartPolicy::Never)
    };
    let cache = Container {
        requires: vec![requires(0, Until::Ready)],
        ..sidecar("cache")
    };
    let soft = Requirement {
        need: Need::Soft,
        ..requires(2, Until::Started)
    };
    let outlived = Requirement {
        scope: Scope::StopOnly,
        ..requires(0, Until::Ready)
    };
    let app = Container {
        keystone: Some(Keystone::Any),
        requires: vec![requires(1, Until::Succeeded), soft, outlived],
        ..Container::new("app", RestartPolicy::Never)
    };
    Pod {
        name: "orders".into(),
        containers: vec![proxy, migrate, cache, app],
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Never,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

/// The pod with containers that take their time.
fn orders() -> Scenario {
    let ready = Answers::Timed {
        ok_after: millis(290),
        fail_after: None,
        takes: millis(1),
    };
    let proxy = Script {
        starts_in: PerRun::same(millis(20)),
        readiness: PerRun::same(ready),
        stops_in: PerRun::same(Delay::After(millis(200))),
        ..Script::default()
    };
    let cache = Script {
        stops_in: PerRun::same(Delay::After(millis(100))),
        ..Script::default()
    };
    Scenario::new(pod())
        .script("proxy", proxy)
        .script("migrate", Script::runs(millis(490), 0))
        .script("cache", cache)
        .script("app", Script::runs(Duration::from_secs(3), 0))
}

/// The proxy is killed again and again.
fn dying_proxy() -> Scenario {
    let mut scenario = orders();
    let proxy = scenario.scripts.get_mut("proxy").expect("it has a script");
    proxy.runs = PerRun::same(Delay::After(millis(1500)));
    proxy.ends = PerRun::same(End::Signal(9));
    scenario
}

/// The app asks by its exit code for a new run of the pod, which is deleted in the middle of it.
fn second_run() -> Scenario {
    let mut scenario = orders().script("app", Script::runs(Duration::from_secs(2), 7));
    let rule = Rule {
        when: When::CodeIn(vec![7]),
        reaction: Reaction::RestartPod,
    };
    scenario.pod.containers[3].restart.rules.push(rule);
    scenario.act(deletion(4))
}

/// The app does not listen to its stop signal.
fn stubborn_app() -> Scenario {
    let app = Script {
        stops_in: PerRun::same(Delay::Never),
        ..Script::default()
    };
    let mut scenario = orders().script("app", app).act(deletion(4));
    scenario.pod.grace = Duration::from_secs(3);
    scenario
}

fn failing_migration() -> Scenario {
    orders().script("migrate", Script::runs(millis(490), 1))
}

fn deletion(seconds: u64) -> Act {
    Act {
        after: Duration::from_secs(seconds),
        deed: Some(Deed::Delete { grace: None }),
        ..Act::default()
    }
}

fn timeline(scenario: &Scenario) -> Timeline {
    play(scenario).expect("the engine can play it").timeline()
}

fn told(timeline: &Timeline) -> String {
    let lines = lines(
        &timeline.story(Detail::Brief),
        Stamps::Relative,
        Style::unicode(200),
    );
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn ending(scenario: &Scenario) -> String {
    let line = result(&timeline(scenario)).expect("the pod has ended");
    line.to_string()
}

#[test]
fn a_life_reads_well() {
    assert_eq!(
        told(&timeline(&orders())),
        "\
0.000s  pod starts
0.000s  migrate waits for proxy to be ready
0.000s  cache waits for proxy to be ready
0.000s  app waits for migrate to succeed, for cache to start
0.000s  proxy starts: nothing to wait for
0.351s  proxy ready
0.351s  migrate starts: proxy ready
0.351s  cache starts: proxy ready
0.351s  cache ready
0.841s  migrate succeeded
0.841s  app starts: migrate succeeded
0.841s  app ready
0.841s  pod ready
3.841s  app exited 0
3.841s  pod stops within 30 s: keystone app ended
3.841s  cache told to stop: nothing needs it any more
3.941s  cache exited 0
3.941s  proxy told to stop: nothing needs it any more
4.141s  proxy exited 0
4.141s  pod succeeded (app, code 0)
"
    );
}

#[test]
fn restarts_read_well() {
    let story = told(&timeline(&dying_proxy()));
    assert!(story.contains("1.520s  proxy exited 137 (killed), restarts at once: policy\n"));
    assert!(story.contains("3.040s  proxy exited 137 (killed), restarts in 10 s: policy\n"));

    let story = told(&timeline(&second_run()));
    assert!(story.contains("pod stops within 30 s: app's exit restarts the pod\n"));
    assert!(story.contains("3.141s  pod starts again (run 2)\n"));
}

#[test]
fn results_say_who_decided_them() {
    assert_eq!(
        ending(&orders()),
        "orders succeeded: app exited 0 (keystone) after 4.1 s"
    );
    assert_eq!(
        ending(&failing_migration()),
        "orders failed: migrate exited 1 after 1.1 s"
    );
    assert_eq!(
        ending(&stubborn_app()),
        "orders failed: app exited 137 (the pod is deleted) after 7.2 s"
    );
}

#[test]
fn everything_follows_from_something_or_came_from_outside() {
    for scenario in [
        orders(),
        dying_proxy(),
        second_run(),
        stubborn_app(),
        failing_migration(),
    ] {
        let timeline = timeline(&scenario);
        for record in timeline.records() {
            let outside = matches!(record.cause, Cause::Deletion { .. })
                || matches!(record.what, What::PodStarted { run: 1 });
            assert!(outside || record.because.is_some(), "{record:?}");
        }
    }
}

#[test]
fn the_path_to_every_record_takes_all_the_time_there_was() {
    let timeline = timeline(&dying_proxy());
    for record in timeline.records() {
        let path = timeline.critical_path(record.seq);
        assert_eq!(path.length(), record.at, "{record:?}");
        assert_eq!(path.records.first(), Some(&1));
    }
}

#[test]
fn the_path_to_ready_leaves_out_what_took_no_part() {
    let path = timeline(&orders()).path_to_ready().unwrap();
    let names: Vec<_> = path
        .steps
        .iter()
        .filter_map(|step| step.container.as_deref())
        .collect();
    assert_eq!(names, ["proxy", "migrate", "app"]);
}
