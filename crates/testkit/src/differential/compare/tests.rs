//! Small plays, laid side by side.

mod excuses;
mod sensitivity;

use super::Parting;
use crate::differential::terms::Terms;
use pillion_engine::Tick;
use pillion_engine::pod::List;
use pillion_engine::status::{
    Condition, ConditionKind, ContainerState, ContainerStatus, Phase, PodStatus, Terminated,
};
use pillion_simulator::Record;
use pillion_simulator::line::LineName;
use pillion_simulator::record::{End, Moment};
use std::time::Duration;

/// A pod of which nothing needs to be known.
fn compare(kubelet: &Record, ours: &Record) -> Vec<String> {
    super::compare(&Terms::default(), kubelet, ours).found
}

fn parting(kubelet: &Record, ours: &Record) -> Option<Parting> {
    super::compare(&Terms::default(), kubelet, ours).parting
}

fn at(seconds: u64) -> Tick {
    Tick::ZERO + Duration::from_secs(seconds)
}

/// A play that was watched for a minute, with these lines at these seconds.
fn play(lines: &[(u64, &str)]) -> Record {
    let mut record = Record {
        until: at(60),
        ..Record::default()
    };
    for (seconds, line) in lines {
        let LineName { who, word } = line.parse().unwrap();
        record.log.write(at(*seconds), who, word);
    }
    record
}

/// The same, which has ended so.
fn ended(mut record: Record, seconds: u64, phase: Phase) -> Record {
    record.sample(at(seconds), status(phase, Vec::new()));
    record.end = Some(End {
        at: at(seconds),
        result: None,
        decided_by: None,
    });
    record
}

fn status(phase: Phase, containers: Vec<ContainerStatus>) -> PodStatus {
    PodStatus {
        phase,
        reason: None,
        message: None,
        conditions: Vec::new(),
        containers,
    }
}

fn container(state: ContainerState) -> ContainerStatus {
    ContainerStatus {
        name: "m1".into(),
        list: List::Regular,
        image: None,
        state,
        last: None,
        ready: false,
        started: false,
        restarts: 0,
    }
}

fn end(code: i32, message: &str) -> ContainerState {
    ContainerState::Terminated(Terminated {
        code,
        signal: None,
        reason: "Error".into(),
        message: Some(message.into()),
        started: None,
        finished: Tick::ZERO,
    })
}

fn waiting(reason: &'static str) -> ContainerState {
    ContainerState::Waiting {
        reason,
        message: None,
    }
}

fn shows(state: ContainerState) -> Record {
    let mut record = play(&[(0, "m1 Starting"), (10, "m1 Exited")]);
    record.sample(at(0), status(Phase::Running, vec![container(state)]));
    record
}

#[test]
fn what_a_kubelet_notices_late_is_no_difference() {
    let theirs = play(&[(2, "m1 Starting"), (13, "m1 Starting")]);
    let ours = play(&[(0, "m1 Starting"), (10, "m1 Starting")]);
    assert_eq!(compare(&theirs, &ours), Vec::<String>::new());
}

#[test]
fn a_start_too_many_is_found() {
    let theirs = play(&[(0, "m1 Starting")]);
    let ours = play(&[(0, "m1 Starting"), (10, "m1 Starting")]);
    let found = compare(&theirs, &ours);
    let wanted = "m1 is started 1 times on the kubelet and 2 times here: run 2 begins here at 10s";
    assert!(
        found.len() == 1 && found[0].starts_with(&wanted[..50]),
        "{found:?}"
    );
}

#[test]
fn a_start_just_before_the_deletion_may_be_missed() {
    let deleted = |mut record: Record| {
        let moment = Moment {
            at: at(11),
            lines: 2,
            statuses: 0,
        };
        record.moments.insert("deleted".into(), moment);
        record
    };
    let theirs = deleted(play(&[(0, "m1 Starting")]));
    let ours = deleted(play(&[(0, "m1 Starting"), (10, "m1 Starting")]));
    assert_eq!(compare(&theirs, &ours), Vec::<String>::new());
    assert_eq!(parting(&ours, &ours), None);
    assert_eq!(
        parting(&theirs, &ours),
        Some(Parting::MoreRuns),
        "it is told of all the same"
    );
}

#[test]
fn another_order_is_found_when_both_are_sure_of_it() {
    let theirs = play(&[(0, "m1 Starting"), (10, "m2 Starting")]);
    let ours = play(&[(10, "m1 Starting"), (0, "m2 Starting")]);
    let found = compare(&theirs, &ours);
    let wanted = "m2 starts (run 1)";
    assert!(found.iter().any(|one| one.contains(wanted)), "{found:?}");
    let close = [
        play(&[(0, "m1 Starting"), (2, "m2 Starting")]),
        play(&[(1, "m1 Starting"), (0, "m2 Starting")]),
    ];
    assert_eq!(compare(&close[0], &close[1]), Vec::<String>::new());
}

#[test]
fn another_result_is_found() {
    let theirs = ended(play(&[]), 10, Phase::Failed);
    let ours = ended(play(&[]), 11, Phase::Succeeded);
    let found = compare(&theirs, &ours);
    assert_eq!(
        found,
        ["the pod is Failed on the kubelet and Succeeded here"]
    );
}

#[test]
fn a_pod_that_ends_only_here_is_found() {
    let theirs = play(&[]);
    let ours = ended(play(&[]), 11, Phase::Succeeded);
    let found = compare(&theirs, &ours);
    assert!(
        found.iter().any(|one| one.contains("the pod ends here")),
        "{found:?}"
    );
}

#[test]
fn exit_codes_and_last_words_are_compared_run_by_run() {
    let found = compare(&shows(end(1, "a")), &shows(end(2, "b")));
    let wanted = [
        "run 1 of m1 ends with 1 on the kubelet and with 2 here",
        "run 1 of m1 says `a` on the kubelet and `b` here",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_wait_for_another_reason_is_found_if_it_was_long() {
    let found = compare(
        &shows(waiting("CrashLoopBackOff")),
        &shows(waiting("Error")),
    );
    let wanted = [
        "m1 waits with `CrashLoopBackOff` on the kubelet and never here",
        "m1 waits with `Error` here and never on the kubelet",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_condition_that_holds_only_on_one_side_is_found() {
    let mut theirs = play(&[]);
    let mut status = status(Phase::Running, Vec::new());
    let ours = {
        let mut ours = play(&[]);
        ours.sample(at(0), status.clone());
        ours
    };
    status.conditions.push(Condition {
        kind: ConditionKind::Ready,
        status: true,
        reason: None,
        message: None,
    });
    theirs.sample(at(0), status);
    let found = compare(&theirs, &ours);
    assert_eq!(found, ["Ready holds on the kubelet and never here"]);
}

#[test]
fn whoever_does_not_listen_may_end_by_itself_before_it_is_killed() {
    let stopped = |told: u64, end: &[(u64, &'static str)], code: i32| {
        let mut lines = vec![
            (0, "m2 Starting"),
            (0, "m1 Starting"),
            (told, "m1 Stopping"),
        ];
        lines.extend(end);
        let mut record = play(&lines);
        let containers = vec![container(self::end(code, "over"))];
        record.sample(at(40), status(Phase::Running, containers));
        record
    };
    let killed = stopped(20, &[(28, "m1 Exited")], 137);
    // Told later in its life, which ends before it could be killed.
    let sooner = stopped(24, &[(29, "m1 Exiting"), (29, "m1 Exited")], 0);
    let later = stopped(20, &[(30, "m1 Exiting"), (30, "m1 Exited")], 0);

    assert_eq!(compare(&killed, &sooner), Vec::<String>::new());
    // Whoever had more time to end by itself was given more.
    let found = compare(&killed, &later);
    assert_eq!(
        found,
        ["run 1 of m1 ends with 137 on the kubelet and with 0 here"]
    );
}

#[test]
fn whether_a_pull_was_just_tried_again_is_no_difference() {
    let theirs = shows(waiting("ErrImagePull"));
    let ours = shows(waiting("ImagePullBackOff"));
    assert_eq!(compare(&theirs, &ours), Vec::<String>::new());
}

#[test]
fn a_third_kill_by_a_probe_may_be_forgotten_by_a_kubelet() {
    for stop in ["m1 Stopping", "m1/preStop Starting"] {
        forgets_a_third_kill(stop);
    }
}

fn forgets_a_third_kill(stop: &'static str) {
    let killed = |runs: u64| {
        let mut lines = vec![(0, "m2 Starting")];
        lines.push((4, "m1/liveness Starting"));
        for run in 0..runs {
            let from = run * 10;
            lines.extend([(from, "m1 Starting"), (from + 7, stop)]);
            lines.extend([(from + 7, "m1 Exiting"), (from + 7, "m1 Exited")]);
        }
        let mut record = play(&lines);
        let restarts = u32::try_from(runs).unwrap() - 1;
        let over = ContainerStatus {
            restarts,
            ..container(end(0, "over"))
        };
        record.sample(at(50), status(Phase::Running, vec![over]));
        record
    };
    let terms = Terms {
        on_failure: ["m1".into()].into(),
        ..Terms::default()
    };
    let is_found = |terms: &Terms, theirs: &Record, own: &Record| {
        let found = super::compare(terms, theirs, own).found;
        found.iter().any(|one| one.starts_with("m1 is started"))
    };

    assert!(!is_found(&terms, &killed(3), &killed(4)));
    assert!(is_found(&terms, &killed(4), &killed(3)));
    assert!(is_found(&terms, &killed(2), &killed(4)));
    assert!(is_found(&Terms::default(), &killed(3), &killed(4)));
}

#[test]
fn after_a_probe_has_killed_the_last_main_times_are_a_kubelets_own() {
    let killed = |others: &[(u64, &'static str)], rest: &[(u64, &'static str)], code: i32| {
        let mut lines = vec![
            (0, "m1 Starting"),
            (9, "m1/liveness Starting"),
            (20, "m1 Stopping"),
        ];
        lines.extend(others.iter().chain(rest));
        let mut record = play(&lines);
        let containers = vec![container(end(code, "over"))];
        record.sample(at(40), status(Phase::Running, containers));
        record
    };
    let by_itself = [(26, "m1 Exiting"), (26, "m1 Exited")];
    let at_once = [(22, "m1 Exited"), (23, "m1 Starting")];
    let alone = |others: &[_]| {
        let theirs = killed(others, &by_itself, 3);
        compare(&theirs, &killed(others, &at_once, 137))
    };

    assert_eq!(alone(&[]), Vec::<String>::new());
    assert_eq!(
        alone(&[(0, "m2 Starting"), (9, "m2 Exited")]),
        Vec::<String>::new()
    );
    let found = alone(&[(0, "m2 Starting")]);
    assert!(
        found
            .iter()
            .any(|one| one.starts_with("m1 is started 1 times")),
        "{found:?}"
    );
}

#[test]
fn an_image_that_is_exchanged_after_the_end_in_one_play_only_starts_only_there() {
    let updated = |seconds: u64, lines: &[(u64, &str)]| {
        let mut record = play(&[&[(0, "m2 Starting"), (0, "m1 Starting")], lines].concat());
        let moment = Moment {
            at: at(seconds),
            lines: 0,
            statuses: 0,
        };
        record.moments.insert("updated".into(), moment);
        record
    };
    let end = [(10, "m1 Stopping"), (10, "m1 Exited")];
    let ours = updated(12, &end);
    let later = [end[0], end[1], (11, "m1 Starting")];

    let found = |of: &str, seconds: u64| {
        let terms = Terms {
            updated: Some(of.into()),
            ..Terms::default()
        };
        super::compare(&terms, &updated(seconds, &later), &ours)
            .found
            .len()
    };
    assert_eq!(found("m1", 8), 0);
    assert_eq!(found("m1", 12), 1);
    assert_eq!(found("m2", 8), 1, "it was the image of another one");
}

#[test]
fn a_back_off_that_passes_while_a_kubelet_is_busy_may_not_be_seen() {
    let crashed = |others: &[(u64, &'static str)], state: ContainerState| {
        let lines = [(0, "m1 Starting"), (0, "m2 Starting"), (8, "m1 Exited")];
        let mut record = play(&[&lines[..], others].concat());
        record.sample(at(0), status(Phase::Running, vec![container(state)]));
        record
    };
    let stop = [(5, "m2 Stopping"), (15, "m2 Exited")];
    let ours = |others| crashed(others, waiting("CrashLoopBackOff"));
    let theirs = |others| crashed(others, ContainerState::Running { since: at(0) });

    assert_eq!(compare(&theirs(&stop), &ours(&stop)), Vec::<String>::new());
    let found = compare(&theirs(&[]), &ours(&[]));
    assert_eq!(
        found,
        ["m1 waits with `CrashLoopBackOff` here and never on the kubelet"]
    );
}

#[test]
fn who_is_told_to_stop_after_the_deletion_has_another_time() {
    let told = |seconds: u64, code: i32| {
        let lines = [
            (0, "m2 Starting"),
            (0, "m1 Starting"),
            (seconds, "m1 Stopping"),
            (30, "m1 Exited"),
        ];
        let mut record = play(&lines);
        let moment = Moment {
            at: at(20),
            lines: 2,
            statuses: 0,
        };
        record.moments.insert("deleted".into(), moment);
        let containers = vec![container(end(code, "over"))];
        record.sample(at(40), status(Phase::Running, containers));
        record
    };
    assert_eq!(compare(&told(21, 137), &told(19, 0)), Vec::<String>::new());
}

#[test]
fn a_pull_that_failed_just_now_may_not_be_shown_yet() {
    let pulling = |seconds: u64, reason: &'static str| {
        let mut record = Record {
            until: at(seconds),
            ..Record::default()
        };
        let containers = vec![container(waiting(reason))];
        record.sample(at(0), status(Phase::Pending, containers));
        record
    };
    let differs = |seconds| {
        let theirs = pulling(seconds, "PodInitializing");
        let found = compare(&theirs, &pulling(seconds, "ImagePullBackOff"));
        found.iter().any(|one| one.contains("ImagePullBackOff"))
    };

    assert!(!differs(10));
    assert!(differs(40));
}

/// A play of a pod that is deleted after twenty seconds.
fn deleted(lines: &[(u64, &str)]) -> Record {
    let up = [
        (0, "r1 Starting"),
        (1, "r2 Starting"),
        (2, "m3 Starting"),
        (2, "m4 Starting"),
    ];
    let mut record = play(&[&up[..], lines].concat());
    let moment = Moment {
        at: at(20),
        lines: 4,
        statuses: 0,
    };
    record.moments.insert("deleted".into(), moment);
    record
}

/// Each is told at that second, and has ended at the other.
fn stops(of: &[(&str, u64, u64)]) -> Record {
    let lines = of.iter().flat_map(|(name, told, end)| {
        let line = |word: &str| format!("{name} {word}");
        [
            (*told, line("Stopping")),
            (*end, line("Exiting")),
            (*end, line("Exited")),
        ]
    });
    let lines: Vec<_> = lines.collect();
    let lines = lines.iter().map(|(at, line)| (*at, line.as_str()));
    deleted(&lines.collect::<Vec<_>>())
}

#[test]
fn another_order_of_stops_is_found() {
    let mains = [("m3", 20, 23), ("m4", 20, 20)];
    let sidecars = |stops: [(&'static str, u64, u64); 2]| self::stops(&[mains, stops].concat());
    let reverse = sidecars([("r2", 23, 26), ("r1", 26, 28)]);

    assert_eq!(compare(&reverse, &reverse), Vec::<String>::new());
    for wrong in [
        [("r1", 23, 26), ("r2", 26, 28)],
        [("r2", 20, 22), ("r1", 23, 25)],
        [("r2", 23, 26), ("r1", 23, 26)],
    ] {
        let found = compare(&reverse, &sidecars(wrong));
        assert!(
            found.iter().any(|one| one.contains("is told to stop")),
            "{wrong:?}: {found:?}"
        );
    }
}

#[test]
fn the_order_around_a_sidecar_that_is_down_is_ours() {
    let down = [("r2", 10, 11), ("m3", 20, 23), ("m4", 20, 20)];
    let theirs = stops(&[&down[..], &[("r1", 20, 22)]].concat());
    let ours = stops(&[&down[..], &[("r1", 23, 25)]].concat());
    let found = compare(&theirs, &ours);
    // It does not wait for the main on the kubelet, and that is no matter of the other sidecar.
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("r1 is told to stop"), "{found:?}");
}

#[test]
fn whoever_is_killed_without_a_signal_is_found() {
    let told = stops(&[("m3", 20, 23)]);
    let untold = deleted(&[(23, "m3 Exited")]);
    let found = compare(&told, &untold);
    assert_eq!(found, ["run 1 of m3 is killed without a signal here"]);
}

#[test]
fn what_became_of_a_sidecar_does_not_decide_whether_the_pod_ends() {
    let begin = [(0, "r1 Starting"), (0, "m1 Starting")];
    let rest = [
        (8, "r1 Exited"),
        (9, "r1 Starting"),
        (12, "m1 Exiting"),
        (12, "m1 Exited"),
    ];
    let stop = [(13, "r1 Stopping"), (13, "r1 Exited")];
    let theirs = [&begin[..], &[(8, "r1 Stopping")], &rest, &stop].concat();
    let theirs = ended(play(&theirs), 14, Phase::Succeeded);
    let ours = [&begin[..], &[(8, "r1 Exiting")], &rest].concat();

    let found = compare(&theirs, &play(&ours));

    assert_eq!(
        found,
        ["the pod ends on the kubelet, at 14.000s, and does not here"]
    );
}

#[test]
fn a_start_after_the_deletion_is_found() {
    let theirs = stops(&[("m3", 20, 23)]);
    let mut ours = theirs.clone();
    let LineName { who, word } = "m3 Starting".parse().unwrap();
    ours.log.write(at(30), who, word);
    let found = compare(&theirs, &ours);
    assert_eq!(found, ["m3 is started in a pod that goes here"]);
}

#[test]
fn an_end_that_one_play_has_is_found() {
    let lines = [(0, "m1 Starting"), (0, "m2 Starting")];
    let ended = [&lines[..], &[(10, "m1 Exiting"), (10, "m1 Exited")]].concat();
    let found = compare(&play(&ended), &play(&lines));
    assert_eq!(found, ["run 1 of m1 ends only on the kubelet, at 10.000s"]);
}

#[test]
fn a_hook_that_begins_before_its_container_is_of_that_run() {
    let early = [(0, "m1/postStart Starting"), (0, "m1 Starting")];
    let late = [(0, "m1 Starting"), (0, "m1/postStart Starting")];
    let never = [(0, "m1 Starting")];
    assert_eq!(compare(&play(&early), &play(&late)), Vec::<String>::new());
    let found = compare(&play(&early), &play(&never));
    let wanted = "run 1 of m1 has its postStart hook only on the kubelet";
    assert_eq!(found, [wanted]);
}
