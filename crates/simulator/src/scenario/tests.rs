//! Scenario files: what they say, and what is said of those that are wrong.

use super::read::{Given, Reading, read, read_for};
use super::*;
use crate::act::{Deed, When};
use crate::actor::{Answers, Delay, End, HookRuns, PerRun};
use crate::check::{Claim, Time};
use crate::line::Who;
use pillion_engine::pod::{Backoff, Container, Kind, ProbeKind, Rerun, RestartPolicy};
use pillion_spec::Code;

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A pod with the service `app` and the oneshot `migrate`.
fn pod() -> Pod {
    let migrate = Container {
        kind: Kind::Oneshot {
            undo: false,
            rerun: Rerun::Never,
        },
        ..Container::new("migrate", RestartPolicy::Never)
    };
    Pod {
        name: "shop".into(),
        containers: vec![Container::new("app", RestartPolicy::Always), migrate],
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Always,
        grace: secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("there is none".into())
}

fn reading(text: &str) -> Reading {
    read_for(
        &Given::new(&pod()),
        "s.yaml",
        text.as_bytes(),
        &mut no_files,
    )
}

fn scenario(text: &str) -> Scenario {
    let reading = reading(text);
    let wrong = reading.describe();
    reading.scenario.unwrap_or_else(|| panic!("{wrong}"))
}

/// Codes and messages of what is wrong.
fn wrong(text: &str) -> Vec<(Code, String)> {
    let reading = reading(text);
    assert_eq!(reading.scenario, None);
    let found = reading.findings.into_iter();
    found
        .map(|(_, wrong)| (wrong.code, wrong.message))
        .collect()
}

#[test]
fn an_actor_says_what_differs_from_the_usual() {
    let scenario = scenario(
        "actors:
           app: {startsIn: 500ms, runs: [2m, forever], exits: [-1, 0], stopsIn: never, preStop: {runs: untilStarted},
                 readiness: {okAfter: 3s}, liveness: hang, pull: {takes: 2}}
           migrate: {exits: 3}",
    );
    let app = &scenario.scripts["app"];
    assert_eq!(*app.starts_in.in_run(1), Duration::from_millis(500));
    assert_eq!(*app.runs.in_run(1), Delay::After(secs(120)));
    assert_eq!(*app.runs.in_run(5), Delay::Never);
    assert_eq!(app.ends, PerRun::each(End::Exit(-1), vec![End::Exit(0)]));
    assert_eq!(*app.stops_in.in_run(1), Delay::Never);
    assert_eq!(app.pre_stop.in_run(1).runs, HookRuns::UntilStarted);
    assert_eq!(*app.liveness.in_run(1), Answers::Hang);
    assert_eq!(app.pull.takes, secs(2));
    // A oneshot of somebody's own pod ends, also if only its code is given.
    assert_eq!(scenario.scripts["migrate"], Script::runs(secs(1), 3));
}

#[test]
fn exit_codes_and_signals_are_those_that_there_are() {
    for text in [
        "actors: {app: {exits: 256}}",
        "actors: {app: {stopExits: [0, 300]}}",
        "actors: {app: {preStop: {exits: 256}}}",
        "actors: {app: {dies: {signal: 65}}}",
        "acts: [{kill: {container: app, signal: 0}}]",
    ] {
        let codes: Vec<_> = wrong(text).into_iter().map(|(code, _)| code).collect();
        assert!(codes.contains(&Code::OutOfRange), "{text}: {codes:?}");
    }
}

#[test]
fn acts_keep_their_order_and_a_deletion_is_not_added_to_one() {
    let scenario = scenario(
        "acts:
           - {name: sick, when: {line: app Started}, after: 3s, setProbe: {container: app, probe: readiness, answers: fail}}
           - {when: {container: app, restarts: 2}, delete: {grace: 5s}}",
    );
    let deeds: Vec<_> = scenario
        .acts
        .iter()
        .map(|act| act.deed.clone().unwrap())
        .collect();
    assert_eq!(
        deeds,
        [
            Deed::SetProbe {
                container: "app".into(),
                probe: ProbeKind::Readiness,
                answers: Answers::Fail
            },
            Deed::Delete {
                grace: Some(secs(5))
            }
        ]
    );
    let line = "app Started".parse().unwrap();
    assert_eq!(scenario.acts[0].when, When::line(line));
}

#[test]
fn checks_remember_their_words_and_their_line() {
    let scenario = scenario(
        "expect:
           - case: one
             checks:
               - {startsBefore: [migrate, app], inRun: 2}
               - status: {phase: Running}
                 within: 5s",
    );
    let [order, status] = &scenario.cases[0].checks[..] else {
        panic!("two checks");
    };
    let (migrate, app) = (Who::container("migrate"), Who::container("app"));
    assert_eq!(order.claim, Claim::StartsBefore(migrate, app));
    assert_eq!((order.in_run, order.place), (2, Some(4)));
    assert_eq!(&*order.text, "{startsBefore: [migrate, app], inRun: 2}");
    assert_eq!(&*status.text, "status: {phase: Running} within: 5s");
    assert!(matches!(
        status.claim,
        Claim::Status {
            time: Time::Within(_),
            ..
        }
    ));
}

#[test]
fn unknown_keys_are_errors_at_every_level() {
    for text in [
        "titel: x",
        "actors: {app: {run: 5s}}",
        "actors: {app: {preStop: {lasts: 5s}}}",
        "acts: [{deletes: {}}]",
        "acts: [{delete: {after: 3s}}]",
        "expect: [{case: a, checks: [{start: app}]}]",
        "expect: [{case: a, checks: [{status: {fase: Running}, atEnd: true}]}]",
        "not_on: {docker: no}",
    ] {
        let found = wrong(text);
        let unknown = |(code, _): &(Code, String)| *code == Code::UnknownField;
        assert!(found.iter().any(unknown), "{text}: {found:?}");
    }
}

#[test]
fn whoever_is_named_must_be_in_the_pod() {
    for text in [
        "actors: {ap: {}}",
        "acts: [{kill: {container: ap}}]",
        "acts: [{when: {line: ap Started}}]",
        "expect: [{case: a, checks: [{starts: ap}]}]",
        "expect: [{case: a, checks: [{status: {containers: {ap: {}}}, atEnd: true}]}]",
    ] {
        let message = "the pod has no container `ap`".to_owned();
        assert_eq!(wrong(text), [(Code::UnknownValue, message)], "{text}");
    }
    // What an act adds may be named.
    scenario("acts: [{addEphemeral: {name: dbg, runs: 5s}}, {when: {line: dbg Exited}}]");
}

#[test]
fn values_of_the_wrong_kind_are_refused() {
    for text in [
        "actors: {app: {runs: soon}}",
        "actors: {app: {runs: -1}}",
        "actors: {app: {exits: zero}}",
        "actors: {app: {exits: 0, dies: {oom: true}}}",
        "actors: {app: {dies: {}}}",
        "actors: {app: {runs: []}}",
        "actors: {app: 5}",
        "acts: {delete: {}}",
        "acts: [{delete: {}, kill: {container: app}}]",
        "acts: [{driver: reset}]",
        "acts: [{when: {state: running}}]",
        "expect: [{case: a, checks: [{startsBefore: [app]}]}]",
        "expect: [{case: a, checks: [{starts: app, exits: app}]}]",
        "expect: [{case: a, checks: [{status: {phase: Running}}]}]",
        "expect: [{case: a, checks: [{status: {phase: Running}, within: 3s, atEnd: true}]}]",
        "expect: [{case: a, checks: [{count: {line: app Started}}]}]",
        "expect: [{case: a, checks: [{gone: {within: 3s, since: nowhere}}]}]",
        "expect: [{case: a, checks: [{}]}]",
        "expect: [{case: a, checks: [{status: {containers: {app: {restarts: '~3'}}}, atEnd: true}]}]",
        "- a list",
        "pod: {spec: {containers: []}}",
        "a: 1\n---\nb: 2",
    ] {
        assert!(!wrong(text).is_empty(), "{text}");
    }
}

#[test]
fn a_scenario_without_a_pod_of_its_own_needs_one() {
    let reading = read("s.yaml", b"title: x", &mut no_files);
    let found: Vec<_> = reading
        .findings
        .iter()
        .map(|(_, wrong)| wrong.code)
        .collect();
    assert_eq!(found, [Code::MissingField]);
}

#[test]
fn what_is_extended_is_laid_under() {
    let base = b"actors: {app: {runs: 5s, exits: 1}, migrate: {runs: 9s}}\nacts: [{nonsense: 1}]";
    let mut open = |name: &str| match name {
        "base.yaml" => Ok(base.to_vec()),
        _ => no_files(name),
    };
    let text = b"extends: base.yaml\nactors: {app: {runs: 7s}}";
    let reading = read_for(&Given::new(&pod()), "s.yaml", text, &mut open);
    let scenario = reading.scenario.unwrap();
    assert_eq!(scenario.scripts["app"], Script::runs(secs(7), 1));
    assert_eq!(scenario.scripts["migrate"], Script::runs(secs(9), 0));
}

#[test]
fn a_mistake_in_the_extended_file_is_placed_there() {
    let mut open = |_: &str| Ok(b"\nactors: {app: {run: 5s}}".to_vec());
    let reading = read_for(
        &Given::new(&pod()),
        "s.yaml",
        b"extends: base.yaml",
        &mut open,
    );
    let (file, diagnostic) = &reading.findings[0];
    let source = &reading.sources[*file];
    assert_eq!(source.name(), "base.yaml");
    assert_eq!(source.position(diagnostic.place().unwrap()).line, 2);
}

#[test]
fn files_that_extend_each_other_for_ever_are_refused() {
    let mut open = |_: &str| Ok(b"extends: s.yaml".to_vec());
    let reading = read_for(&Given::new(&pod()), "s.yaml", b"extends: s.yaml", &mut open);
    assert_eq!(reading.scenario, None);
    assert_eq!(reading.findings.len(), 1);
}

#[test]
fn back_off_is_shortened_for_everybody() {
    let scenario = scenario("backoff: {initial: 1s, max: 5s}");
    for container in &scenario.pod.containers {
        let backoff = &container.restart.backoff;
        assert_eq!((backoff.initial, backoff.max), (secs(1), secs(5)));
    }
}

#[test]
fn an_added_container_has_a_name_of_its_own() {
    let once = "{addEphemeral: {name: debug}}";
    assert!(reading(&format!("acts: [{once}]")).scenario.is_some());
    for (text, message) in [
        (
            "acts: [{addEphemeral: {name: app}}]".to_owned(),
            "the pod has a container `app` already",
        ),
        (format!("acts: [{once}, {once}]"), "`debug` is added twice"),
    ] {
        assert_eq!(wrong(&text), [(Code::NotAllowedHere, message.to_owned())]);
    }
}

#[test]
fn what_is_extended_is_in_the_same_folder() {
    for name in ["../x.yaml", "/x.yaml", "sub/x.yaml", ".."] {
        let message = "`extends` names another file of the same folder".to_owned();
        assert_eq!(
            wrong(&format!("extends: {name}")),
            [(Code::NotAllowedHere, message)]
        );
    }
}

#[test]
fn what_is_wrong_is_told_in_the_order_of_the_file() {
    let found = reading("actors: {app: {later: 1}}\nacts: [{when: never}]\nsooner: 1\n").findings;
    let places: Vec<_> = found.iter().map(|(_, wrong)| wrong.place()).collect();
    assert_eq!(places.len(), 3);
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn everything_may_be_left_out_of_a_scenario_for_a_given_pod() {
    for text in ["", " \n", "# nothing but a comment\n", "---\n", "{}"] {
        let scenario = scenario(text);
        assert_eq!(scenario.pod.name, pod().name, "{text:?}");
        assert_eq!(scenario.acts.len(), 1, "the usual deletion, for {text:?}");
        let alone = read("s.yaml", text.as_bytes(), &mut no_files);
        assert!(
            alone.describe().contains("`pod` is missing"),
            "{text:?}: {}",
            alone.describe()
        );
    }
}

#[test]
fn what_is_wrong_with_a_pod_is_said_in_the_words_of_its_file() {
    let text = "pod: {spec: {containers: [{name: n}]}}";
    let said = read("s.yaml", text.as_bytes(), &mut no_files).describe();
    assert!(said.contains("not the boolean `n`"), "{said}");
    assert!(said.contains("quote it: `\"n\"`"), "{said}");
}

#[test]
fn what_nobody_asks_an_actor_for_is_told_and_played() {
    let idle = |text: &str| {
        let reading = reading(text);
        assert!(reading.scenario.is_some(), "{}", reading.describe());
        let found = reading.findings.into_iter();
        let codes = found.map(|(_, finding)| (finding.code, finding.message));
        codes.collect::<Vec<_>>()
    };
    for key in [
        "readiness: fail",
        "startup: hang",
        "liveness: {failAfter: 3s}",
        "preStop: {runs: 1s}",
        "postStart: {runs: 1s}",
        "podStopping: {runs: 1s}",
        "readyIn: 2s",
        "undo: {exits: 1}",
    ] {
        let found = idle(&format!("actors: {{app: {{runs: 5s, {key}}}}}"));
        assert_eq!(found.len(), 1, "{key}: {found:?}");
        assert_eq!(found[0].0, Code::SettingWithoutEffect, "{key}");
    }
    let [(_, message)] = &idle("backoff: {initial: 5s, max: 1s}")[..] else {
        panic!("it is told");
    };
    assert_eq!(message, "`initial` has no effect here: `max` is less");
    assert_eq!(idle("actors: {app: {runs: 5s, stopsIn: 2s}}"), []);

    let effective = "pod: {spec: {containers: [{name: app, readyOn: notify}]}}
actors: {app: {readyIn: 2s}}";
    let reading = read("s.yaml", effective.as_bytes(), &mut no_files);
    assert_eq!(reading.describe(), "");
}

#[test]
fn a_death_that_cannot_be_is_one_mistake() {
    for (dies, code) in [
        ("{signal: 900}", Code::OutOfRange),
        ("{oom: 3}", Code::WrongType),
        ("{oom: false}", Code::UnknownValue),
        ("{signal: 9, oom: true}", Code::UnknownValue),
    ] {
        let found = wrong(&format!("actors: {{app: {{dies: {dies}}}}}"));
        let codes: Vec<_> = found.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [code], "{dies}");
    }
}
