//! The screen of a run says how it ended, where the time went and what was notable.

use super::golden::golden;
use super::life::{Describe, Life, orders, pod};
use crate::trace::{result, title, trace};
use crate::unfinished::unfinished;
use crate::{Line, Style, Timeline, Tone};
use pillion_engine::entry::{Cause, What};
use pillion_engine::event::Exit;
use pillion_engine::pod::{Target, Until};
use pillion_engine::status::Phase;
use std::time::Duration;

fn screen(timeline: &Timeline, style: Style) -> String {
    trace(timeline, style)
        .iter()
        .map(|line| line.to_string() + "\n")
        .collect()
}

/// A proxy that dies and comes back, then a main that fails.
fn trouble() -> Life {
    let shop = pod("shop").sidecar("proxy").keystone("app");
    let mut life = Life::new(shop.requires("app", "proxy", Until::Ready));
    life.starts_pod();
    life.starts("proxy", Cause::PodStart);
    life.waits("app", "proxy", Until::Ready);
    life.at(500).ready("proxy");
    let cause = life.fulfilled("proxy", Until::Ready);
    life.starts("app", cause);
    life.at(700).ready("app");
    life.tell_pod(What::PodReady, Cause::Itself);
    life.at(2000).tell("proxy", What::Exited(Exit::signal(9)));
    life.tell_why(
        "proxy",
        What::Restarting {
            after: Duration::from_secs(10),
        },
        Cause::Policy,
    );
    life.at(12_000).starts("proxy", Cause::Policy);
    life.at(12_500).ready("proxy");
    life.at(20_000).ends("app", 3);
    let app = life.id("app");
    life.pod_stops(Cause::Keystone(app));
    life.stops("proxy", Cause::Unneeded);
    life.at(21_000).exits("proxy", 0);
    life.pod_ends(Phase::Failed, "app", 3, Cause::Keystone(app));
    life
}

#[test]
fn a_good_run() {
    golden(
        "orders.trace",
        &screen(&orders().timeline, Style::unicode(80)),
    );
}

#[test]
fn a_run_with_trouble() {
    let timeline = trouble().timeline;
    golden("trouble.trace", &screen(&timeline, Style::unicode(80)));
    assert!(screen(&timeline, Style::ascii(80)).is_ascii());
}

#[test]
fn long_summaries_go_on_below() {
    let timeline = trouble().timeline;
    for width in [30, 50, 80] {
        let text = screen(&timeline, Style::unicode(width));
        let path: Vec<_> = text
            .lines()
            .filter(|line| line.contains("critical"))
            .collect();
        assert_eq!(path.len(), 1);
    }
}

#[test]
fn restarts_have_their_cause_and_exit() {
    let life = trouble();
    let restarts = life.timeline.restarts();
    assert_eq!(restarts.len(), 1);
    assert_eq!(
        (restarts[0].container, restarts[0].cause),
        ("proxy", &crate::Cause::Policy)
    );
    let exit = &restarts[0].because.unwrap().what;
    assert!(matches!(exit, crate::What::Exited { code: 137, .. }));
}

#[test]
fn the_title_tells_how_whoever_ran_the_pod_ended() {
    let mut life = Life::new(pod("p").main("app"));
    life.exits("app", 0);
    life.recorder.ends_with(130);
    life.at(1000)
        .pod_ends(Phase::Succeeded, "app", 0, Cause::Deletion);
    let ending = life.timeline.ending().unwrap();
    assert_eq!((ending.code, ending.status), (0, 130));
    let title = title(&life.timeline, Style::unicode(80)).to_string();
    assert_eq!(title, "p · exit 130 after 1 s · never ready");
}

#[test]
fn the_result_names_who_decided_it() {
    let text = |timeline: &Timeline| result(timeline).unwrap().to_string();
    assert_eq!(
        text(&orders().timeline),
        "orders succeeded: app exited 0 (keystone) after 4.2 s"
    );
    assert_eq!(
        text(&trouble().timeline),
        "shop failed: app exited 3 (keystone) after 21 s"
    );

    let ended = |cause: &dyn Fn(&Life) -> Cause, decided: bool| {
        let mut life = Life::new(pod("p").main("app"));
        let decider = decided.then(|| life.id("app"));
        let cause = cause(&life);
        if !matches!(cause, Cause::GiveUp(_)) {
            life.exits("app", 1);
        }
        let what = What::PodEnded {
            phase: Phase::Failed,
            decider,
            code: 1,
        };
        life.at(1000).tell_pod(what, cause);
        text(&life.timeline)
    };
    assert_eq!(
        ended(&|_| Cause::Completion, true),
        "p failed: app exited 1 after 1 s"
    );
    assert_eq!(
        ended(&|life| Cause::GiveUp(life.id("app")), true),
        "p failed: app gave up after 1 s"
    );
    assert_eq!(
        ended(&|_| Cause::ActiveDeadline, false),
        "p failed after 1 s (the pod was active too long)"
    );
    assert_eq!(
        ended(&|_| Cause::Deletion, true),
        "p failed: app exited 1 (the pod is deleted) after 1 s"
    );
}

#[test]
fn the_result_has_the_cause_of_the_stop() {
    let mut life = Life::new(pod("p").keystone("app"));
    life.ends("app", 3);
    let app = life.id("app");
    life.pod_stops(Cause::Keystone(app));
    life.at(1000)
        .pod_ends(Phase::Failed, "app", 3, Cause::Itself);
    let text = result(&life.timeline).unwrap().to_string();
    assert_eq!(text, "p failed: app exited 3 (keystone) after 1 s");
}

#[test]
fn a_failure_with_code_0_is_not_told_as_an_ordinary_exit() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.exits("app", 0);
    life.pod_stops(Cause::Completion);
    life.at(1000)
        .pod_ends(Phase::Failed, "app", 1, Cause::Itself);
    let text = result(&life.timeline).unwrap().to_string();
    assert_eq!(text, "p failed: app failed with code 0 after 1 s");
}

#[test]
fn a_decider_that_never_ran_gave_up() {
    let mut life = Life::new(pod("p").keystone("app"));
    life.tell("app", What::GaveUp);
    let app = life.id("app");
    life.pod_stops(Cause::Keystone(app));
    life.at(1000)
        .pod_ends(Phase::Failed, "app", 1, Cause::Itself);
    let text = result(&life.timeline).unwrap().to_string();
    assert_eq!(text, "p failed: app gave up (keystone) after 1 s");
}

#[test]
fn a_decider_without_a_process_did_not_exit() {
    let mut life = Life::new(pod("p").main("app"));
    life.pod_stops(Cause::Deletion);
    life.at(1000)
        .pod_ends(Phase::Failed, "app", 1, Cause::Itself);
    let text = result(&life.timeline).unwrap().to_string();
    assert_eq!(
        text,
        "p failed: app never ran (the pod is deleted) after 1 s"
    );
}

#[test]
fn who_gives_up_and_is_stopped_gave_up() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.tell("app", What::GaveUp);
    life.exits("app", 143);
    let app = life.id("app");
    life.pod_stops(Cause::GiveUp(app));
    life.at(1000)
        .pod_ends(Phase::Failed, "app", 143, Cause::Itself);
    let text = result(&life.timeline).unwrap().to_string();
    assert_eq!(text, "p failed: app gave up after 1 s");
}

#[test]
fn a_pod_that_lives_has_no_result() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts_pod();
    life.at(1500).starts("app", Cause::PodStart);
    assert_eq!(result(&life.timeline), None);
    let screen = screen(&life.timeline, Style::unicode(80));
    assert!(
        screen.starts_with("p · not ended after 1.5 s · never ready\n"),
        "{screen}"
    );
}

#[test]
fn a_pod_that_goes_on_says_who_waits_and_what_runs() {
    let mut life = Life::new(pod("p").main("db").main("app").sidecar("log"));
    life.starts_pod();
    life.starts("db", Cause::PodStart);
    let db = life.id("db");
    let waiting = What::Waiting {
        target: Target::Container(db),
        until: Until::Ready,
    };
    life.at(1500).tell("app", waiting);
    life.starts("log", Cause::PodStart);
    let timeline = life.timeline.watched_until(Duration::from_mins(10));
    let lines = unfinished(&timeline, Style::unicode(80));
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            " still waiting  app for db to be ready since 1.500s",
            " still running  db, log",
        ]
    );
    let screen = screen(&timeline, Style::unicode(80));
    assert!(screen.contains("not ended after 10 min"), "{screen}");
    assert!(
        screen.contains(" 8m\n"),
        "the axis reaches the end: {screen}"
    );
}

#[test]
fn who_is_restarted_with_another_is_counted_and_seen() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    let target = life.id("db");
    life.starts("app", Cause::PodStart);
    life.runs("app");
    life.ready("app");
    life.at(3000).stops("app", Cause::TargetDown { target });
    life.exits("app", 0);
    life.starts("app", Cause::Itself);
    life.runs("app");
    life.ready("app");
    life.at(6000).tell("db", What::Pulling);
    let restarts = life.timeline.restarts();
    assert_eq!(restarts.len(), 1);
    assert!(matches!(restarts[0].cause, crate::Cause::TargetDown { .. }));
    let screen = screen(&life.timeline, Style::unicode(80));
    assert!(screen.contains("██▓██"), "{screen}");
    assert!(screen.contains("restarts       app 1x"), "{screen}");
}

#[test]
fn a_start_that_fails_and_a_reversal_are_no_restarts() {
    let mut life = Life::new(pod("p").oneshot("gpu"));
    life.starts("gpu", Cause::PodStart);
    let failed = What::StartFailed {
        reason: pillion_engine::event::StartFailure::CreateContainerError,
        message: "no".into(),
    };
    life.tell("gpu", failed);
    life.starts("gpu", Cause::Itself);
    life.runs("gpu");
    life.ends("gpu", 0);
    life.tell("gpu", What::Undoing);
    life.tell("gpu", What::Running);
    life.exits("gpu", 0);
    assert_eq!(life.timeline.restarts().len(), 0);
}

#[test]
fn a_restart_that_never_came_is_not_counted() {
    let mut life = Life::new(pod("p").main("app"));
    let restarting = || What::Restarting {
        after: Duration::from_secs(10),
    };
    life.starts("app", Cause::PodStart);
    life.at(1000).exits("app", 1);
    life.tell("app", restarting());
    assert_eq!(life.timeline.restarts().len(), 0);
    life.at(11_000).starts("app", Cause::Policy);
    life.at(12_000).exits("app", 1);
    life.tell("app", restarting());
    life.pod_stops(Cause::Deletion);
    assert_eq!(life.timeline.restarts().len(), 1);
}

#[test]
fn lines_break_between_words() {
    let line = Line::new(Tone::Dim, "1.000s  ").and(Tone::Bad, "app exited 137 (killed), restarts");
    let wrap = |width| -> Vec<String> {
        let lines = Style::unicode(width).wrap(&line, 8);
        lines.iter().map(ToString::to_string).collect()
    };
    assert_eq!(wrap(80), [line.to_string()]);
    assert_eq!(
        wrap(24),
        [
            "1.000s  app exited 137",
            "        (killed),",
            "        restarts"
        ]
    );
}

#[test]
fn a_number_stays_with_its_unit() {
    let line = Line::new(Tone::Plain, "app tries again in 10 s, and 2 more");
    let lines = Style::unicode(22).wrap(&line, 2);
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["app tries again in", "  10 s, and 2 more"]);
}

#[test]
fn words_that_fit_no_line_are_broken_and_nothing_is_lost() {
    let line = Line::new(Tone::Dim, "    after ").and(Tone::Plain, "a-long-name-of-a-proxy ready");
    let text: String = line.to_string().split(' ').collect();
    for width in 0..30 {
        let lines = Style::unicode(width).wrap(&line, 12);
        assert!(lines.iter().all(|line| line.width() <= width.max(2)));
        let whole: String = lines.iter().map(ToString::to_string).collect();
        assert_eq!(whole.split(' ').collect::<String>(), text, "{width}");
    }
}

#[test]
fn parts_without_room_beside_their_head_stand_below_it() {
    let parts = ["one two,", "three four,", "five"].map(|part| Line::new(Tone::Plain, part));
    let flow = |width| -> Vec<String> {
        let head = Line::new(Tone::Plain, "  counted: ");
        let lines = Style::unicode(width).flow(head, " ", &parts);
        lines.iter().map(ToString::to_string).collect()
    };
    assert_eq!(flow(40), ["  counted: one two, three four, five"]);
    assert_eq!(
        flow(24),
        [
            "  counted: one two,",
            "           three four,",
            "           five"
        ]
    );
    assert_eq!(flow(20), ["  counted: one two,", "    three four, five"]);
    assert_eq!(
        flow(16),
        ["  counted:", "    one two,", "    three four,", "    five"]
    );
}

#[test]
fn long_lists_of_names_are_counted() {
    let names: Vec<_> = (0..40).map(|number| format!("c{number}")).collect();
    let style = Style::unicode(80);
    assert_eq!(style.names(&names), "40 containers: c0, c1, c2, …");
    assert_eq!(style.names(&names[..2]), "c0, c1");
}

#[test]
fn only_so_much_is_notable() {
    let mut life = Life::new(pod("p").main("app"));
    for second in 0..40 {
        life.at(second * 1000).exits("app", 1);
    }
    let screen = screen(&life.timeline, Style::unicode(80));
    assert!(screen.ends_with(" and 28 more\n"), "{screen}");
}
