//! Frames at the interesting moments of a pod's life.

use super::stage::{Stage, pod};
use crate::live::clip;
use crate::live::frame::frame;
use pillion_engine::Tick;
use pillion_engine::pod::{Container, RestartPolicy};
use pillion_simulator::{Scenario, inline};
use pillion_timeline::{Line, Style, Tone};

const UNICODE: Style = Style::unicode(80);

/// The frame without its first line, which is always the same.
fn shown(stage: &Stage, millis: u64) -> String {
    let frame = stage.frame_at(millis, UNICODE);
    let (rule, rest) = frame.split_once('\n').unwrap();
    assert_eq!(rule, "─".repeat(70));
    rest.to_owned()
}

fn crowd(size: usize) -> Stage {
    let name = |number| format!("worker-{number:02}");
    let containers = (0..size).map(|number| Container::new(&name(number), RestartPolicy::Always));
    let acts = vec![
        inline::exit("worker-17=3@1s").unwrap(),
        inline::exit("worker-17=3@2s").unwrap(),
    ];
    let scenario = Scenario::whole_life(pod("crowd", containers.collect()));
    Stage::play(&scenario.with_timed_acts(acts))
}

#[test]
fn a_pod_that_starts_says_who_waits_for_whom() {
    let orders = Stage::story("orders");
    assert_eq!(
        shown(&orders, 100),
        "\
orders  starting 0.1 s · 0 of 4 up · waiting for proxy · Ctrl-C stops in order
 ◌ proxy    starting  not ready yet (0.1 s)
 ◌ migrate  waiting   for proxy to be ready (0.1 s)
 ◌ app      waiting   for migrate, cache and 1 more (0.1 s)
 ◌ cache    waiting   for proxy to be ready (0.1 s)"
    );
    assert_eq!(
        shown(&orders, 620),
        "\
orders  starting 0.6 s · 2 of 4 up · waiting for migrate
 ● proxy    ready     0.3 s to ready
 ● migrate  running   0.3 s
 ◌ app      waiting   for migrate to succeed (0.6 s)
 ● cache    ready"
    );
}

#[test]
fn a_ready_pod_shows_no_time_that_runs_on() {
    let orders = Stage::story("orders");
    let scene = orders.at(2_000);
    assert_eq!(
        shown(&orders, 2_000),
        "\
orders  running · ready after 0.8 s · Ctrl-C stops in order
 ● proxy    ready     0.3 s to ready
 ✓ migrate  done      0.5 s
 ● app      ready
 ● cache    ready"
    );
    assert_eq!(scene.view().next, None);
    assert_eq!(orders.at(2_000).view(), orders.at(2_500).view());
}

#[test]
fn a_pod_that_stops_says_how_long_it_has_and_whom_it_waits_for() {
    assert_eq!(
        shown(&Stage::story("orders-deaf-app"), 5_000),
        "\
orders  stopping · 26 s left · waiting for app · Ctrl-C kills at once
 ● proxy    ready     0.3 s to ready
 ✓ migrate  done      0.5 s
 ◌ app      stopping  told to stop 4.2 s ago · 26 s left
 ● cache    ready"
    );
}

#[test]
fn a_pod_that_stops_by_itself_says_why() {
    let orders = Stage::story("orders");
    assert_eq!(
        shown(&orders, 4_900),
        "\
orders  stopping · 30 s left · waiting for cache · keystone app ended
 ● proxy    ready     0.3 s to ready
 ✓ migrate  done      0.5 s
 ✓ app      done      exited 0 at 4.8 s
 ◌ cache    stopping  told to stop 0.1 s ago · 5 s left"
    );
}

#[test]
fn who_failed_and_who_gave_up_for_that_is_plain() {
    assert_eq!(
        shown(&Stage::story("orders-migration-fails"), 1_000),
        "\
orders  stopping · 30 s left · waiting for proxy · app gave up
 ◌ proxy    stopping  told to stop 0.0 s ago · 30 s left
 ✗ migrate  failed    exited 5 at 0.8 s
 ✗ app      gave up   migrate did not succeed
 – cache    stopped   exited 0 at 1 s"
    );
}

#[test]
fn a_restarted_container_says_so_when_it_is_back() {
    let orders = Stage::story("orders-proxy-dies");
    assert_eq!(
        shown(&orders, 3_000),
        "\
orders  not ready for 0.2 s · waiting for proxy · Ctrl-C stops in order
 ◌ proxy    starting  not ready yet (0.2 s) · restarted 1x, last exit 137 at 2…
 ✓ migrate  done      0.5 s
 ● app      ready
 ● cache    ready"
    );
    assert_eq!(
        shown(&orders, 4_000).lines().nth(1).unwrap(),
        " ● proxy    ready     restarted 1x, last exit 137 at 2.8 s"
    );
}

#[test]
fn a_broken_helper_backs_off_and_gives_up() {
    let stage = Stage::story("broken-helper");
    let line = |millis| shown(&stage, millis).lines().last().unwrap().to_owned();
    assert_eq!(
        line(1_000),
        " ◌ metrics  back-off  again in 2 s · exited 1 · restarted 2x"
    );
    assert_eq!(
        line(5_000),
        " ✗ metrics  gave up   too many restarts · exited 1 at 3 s"
    );
}

#[test]
fn an_image_that_cannot_be_had_is_told() {
    let stage = Stage::story("orders-cache-missing");
    let frame = shown(&stage, 1_000);
    let cache = frame.lines().last().unwrap();
    assert!(
        cache.starts_with(" ◌ cache    back-off  again in "),
        "{cache}"
    );
    assert!(cache.contains("no image: "), "{cache}");
}

#[test]
fn the_second_run_of_a_pod_is_numbered() {
    let stage = Stage::story("mixed-restarts");
    assert_eq!(
        shown(&stage, 15_000).lines().next().unwrap(),
        "mixed-restarts  running · ready after 0.3 s · run 2 · Ctrl-C stops in order"
    );
}

#[test]
fn without_unicode_the_same_is_said_in_ascii() {
    let frame = Stage::story("orders").frame_at(4_900, Style::ascii(80));
    assert_eq!(
        frame,
        "\
----------------------------------------------------------------------
orders  stopping | 30 s left | waiting for cache | keystone app ended
 * proxy    ready     0.3 s to ready
 + migrate  done      0.5 s
 + app      done      exited 0 at 4.8 s
 o cache    stopping  told to stop 0.1 s ago | 5 s left"
    );
}

#[test]
fn in_a_wide_terminal_nothing_is_left_out() {
    let frame = Stage::story("orders-proxy-dies").frame_at(3_000, Style::unicode(200));
    assert!(frame.contains("not ready yet (0.2 s) · restarted 1x, last exit 137 at 2.8 s\n"));
}

#[test]
fn of_many_containers_the_interesting_ones_are_shown_and_the_rest_is_counted() {
    let crowd = crowd(40);
    assert_eq!(
        shown(&crowd, 3_000),
        "\
crowd  not ready for 1.0 s · waiting for worker-17 · Ctrl-C stops in order
 ● worker-00  ready
 ● worker-01  ready
 ● worker-02  ready
 ● worker-03  ready
 ● worker-04  ready
 ● worker-05  ready
 ● worker-06  ready
 ● worker-07  ready
 ◌ worker-17  back-off  again in 9 s · exited 3 · restarted 1x
 … and 31 more, all ready"
    );
}

#[test]
fn no_frame_takes_more_than_half_of_the_screen() {
    let scene = crowd(40).at(3_000);
    for height in 0..60 {
        let lines = frame(&scene.view(), UNICODE, height).len();
        assert!(lines <= (height / 2).max(1), "{lines} of {height}");
        assert!(lines >= 1);
    }
}

#[test]
fn every_line_fits_in_every_width() {
    let stage = Stage::story("orders-proxy-dies");
    for columns in 1..120 {
        let style = Style::unicode(columns);
        for millis in [100, 620, 3_000] {
            let lines = frame(&stage.at(millis).view(), style, 24);
            for line in &lines {
                assert!(clip::width(line) < columns.max(2), "{columns}: {line}");
            }
            // Ctrl-C, which the terminal shows, fits behind the last one.
            let last = lines.last().unwrap();
            assert!(clip::width(last) + 2 < columns.max(4), "{columns}: {last}");
        }
    }
}

#[test]
fn wide_characters_are_clipped_by_their_width() {
    let line = Line::new(Tone::Plain, "ab").and(Tone::Bad, "漢字漢字");
    let clipped = |columns| clip::clip(&line, Style::unicode(columns)).to_string();
    assert_eq!(clipped(11), "ab漢字漢字");
    assert_eq!(clipped(10), "ab漢字漢…");
    assert_eq!(clipped(9), "ab漢字…");
    assert_eq!(clipped(1), "…");
}

#[test]
fn a_view_holds_until_it_says_it_does_not() {
    for name in ["orders", "orders-deaf-app", "broken-helper", "phases"] {
        let stage = Stage::story(name);
        let happenings: Vec<_> = stage
            .played
            .trace
            .steps
            .iter()
            .map(|step| step.at)
            .collect();
        for millis in (0..12_000).step_by(61) {
            let (from, to) = (Tick::from_millis(millis), Tick::from_millis(millis + 61));
            let view = stage.at(millis).view();
            let quiet = !happenings.iter().any(|at| *at > from && *at <= to);
            if quiet && view.next.is_none_or(|next| next > to) {
                let mut later = stage.at(millis + 61).view();
                later.next = view.next;
                assert_eq!(view, later, "{name} at {millis}");
            }
        }
    }
}
