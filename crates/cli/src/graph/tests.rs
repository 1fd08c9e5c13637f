//! Graphs of every shape are readable, and fit.

mod large;

use super::dot::dot;
use super::drawing::draw;
use super::mermaid::mermaid;
use pillion_engine::pod::{
    Backoff, Barrier, BarrierId, Container, ContainerId, Keystone, Kind, Need, Pod, Requirement,
    Rerun, RestartPolicy, Role, Scope, Target, Until,
};
use pillion_timeline::Style;
use std::time::Duration;

/// A pod of services that are named in one line, and edges `app <- db` (hard) or `app <~ db` (soft).
///
/// A name that ends in `!` is a oneshot, `:` a barrier, `*` a keystone, `+` a sidecar.
fn pod(names: &str, edges: &[&str]) -> Pod {
    let mut pod = Pod {
        name: "p".into(),
        containers: Vec::new(),
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Never,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    };
    for name in names.split_whitespace() {
        let container = Container::new(
            name.trim_end_matches(['!', ':', '*', '+']),
            RestartPolicy::Never,
        );
        match name.chars().last() {
            Some(':') => {
                let barrier = Barrier {
                    name: container.name,
                    requires: Vec::new(),
                };
                pod.barriers.push(barrier);
            }
            Some('!') => {
                let kind = Kind::Oneshot {
                    undo: false,
                    rerun: Rerun::Never,
                };
                pod.containers.push(Container { kind, ..container });
            }
            Some('*') => {
                let keystone = Some(Keystone::Any);
                pod.containers.push(Container {
                    keystone,
                    ..container
                });
            }
            Some('+') => pod.containers.push(Container {
                role: Role::Sidecar,
                ..container
            }),
            Some(_) | None => pod.containers.push(container),
        }
    }
    for edge in edges {
        let (followers, need, first) = match (edge.split_once(" <- "), edge.split_once(" <~ ")) {
            (Some((followers, first)), _) => (followers, Need::Hard, first),
            (None, Some((followers, first))) => (followers, Need::Soft, first),
            (None, None) => panic!("{edge}"),
        };
        for follower in followers.split(' ') {
            for first in first.split(' ') {
                require(&mut pod, follower, first, need);
            }
        }
    }
    pod
}

fn find(pod: &Pod, name: &str) -> Target {
    let container = pod
        .containers
        .iter()
        .position(|container| &*container.name == name);
    let barrier = pod
        .barriers
        .iter()
        .position(|barrier| &*barrier.name == name);
    let id = |index: usize| u32::try_from(index).unwrap();
    match (container, barrier) {
        (Some(index), _) => Target::Container(ContainerId(id(index))),
        (None, Some(index)) => Target::Barrier(BarrierId(id(index))),
        (None, None) => panic!("{name}"),
    }
}

fn require(pod: &mut Pod, follower: &str, first: &str, need: Need) {
    let target = find(pod, first);
    let until = match target {
        Target::Container(id) => pod.containers[id.index()].default_until(),
        Target::Barrier(_) => Until::Settled,
    };
    add(
        pod,
        follower,
        Requirement {
            need,
            ..Requirement::hard(target, until)
        },
    );
}

fn add(pod: &mut Pod, follower: &str, requirement: Requirement) {
    match find(pod, follower) {
        Target::Container(id) => pod.containers[id.index()].requires.push(requirement),
        Target::Barrier(id) => pod.barriers[id.index()].requires.push(requirement),
    }
}

fn drawn(pod: &Pod, style: Style) -> String {
    let lines = draw(pod, style).expect("it fits");
    for line in &lines {
        assert!(line.width() <= style.width, "{line}");
        assert_eq!(line.to_string().trim_end(), line.to_string());
    }
    lines
        .iter()
        .map(|line| "|".to_owned() + &line.to_string() + "\n")
        .collect()
}

fn picture(names: &str, edges: &[&str]) -> String {
    drawn(&pod(names, edges), Style::unicode(80))
}

fn orders() -> Pod {
    pod(
        "proxy+ migrate! app* cache+",
        &[
            "migrate cache app <- proxy",
            "app <- migrate",
            "app <~ cache",
        ],
    )
}

#[test]
fn a_pod_with_an_order() {
    assert_eq!(
        drawn(&orders(), Style::unicode(80)),
        "\
|  proxy ─┬─▶ migrate ───▶ app
|         └─▶ cache ·····▶ app        ───▶ then   ···▶ then, if it comes up
"
    );
}

#[test]
fn the_same_in_ascii() {
    assert_eq!(
        drawn(&orders(), Style::ascii(80)),
        "\
|  proxy -+-> migrate ---> app
|         `-> cache .....> app        ---> then   ...> then, if it comes up
"
    );
}

#[test]
fn a_legend_without_room_beside_stands_below() {
    assert_eq!(
        drawn(&pod("a bb", &["bb <~ a"]), Style::unicode(40)),
        "\
|  a ···▶ bb
|  ───▶ then   ···▶ then, if it comes up
"
    );
}

#[test]
fn a_chain_is_a_line() {
    assert_eq!(
        picture("a b c d", &["b <- a", "c <- b", "d <- c"]),
        "|  a ───▶ b ───▶ c ───▶ d\n"
    );
}

#[test]
fn a_fan_out_branches() {
    assert_eq!(
        picture("proxy a bb ccc", &["a bb ccc <- proxy"]),
        "\
|  proxy ─┬─▶ a
|         ├─▶ bb
|         └─▶ ccc
"
    );
}

#[test]
fn a_fan_in_repeats_the_name() {
    assert_eq!(
        picture("a bb ccc app", &["app <- a bb ccc"]),
        "\
|  a ─────▶ app
|  bb ────▶ app
|  ccc ───▶ app
"
    );
}

#[test]
fn a_diamond_continues_after_its_first_way() {
    assert_eq!(
        picture(
            "top left right bottom end",
            &["left right <- top", "bottom <- left right", "end <- bottom",]
        ),
        "\
|  top ─┬─▶ left ────▶ bottom ───▶ end
|       └─▶ right ───▶ bottom …
"
    );
}

#[test]
fn lines_go_on_beside_deep_branches() {
    assert_eq!(
        picture("root a a1 a2 b c", &["a b c <- root", "a1 a2 <- a"]),
        "\
|  root ─┬─▶ a ─┬─▶ a1
|        │      └─▶ a2
|        ├─▶ b
|        └─▶ c
"
    );
}

#[test]
fn who_has_nothing_to_do_with_anybody_stands_below() {
    assert_eq!(
        picture("log app db metrics", &["app <- db"]),
        "\
|  db ───▶ app
|  log   metrics
"
    );
}

#[test]
fn nothing_is_drawn_where_nobody_waits() {
    assert_eq!(picture("a b c", &[]), "");
}

#[test]
fn long_ways_round_are_not_shown_twice() {
    assert_eq!(
        picture("a b c d", &["b c d <- a", "c d <- b", "d <- c"]),
        "|  a ───▶ b ───▶ c ───▶ d\n"
    );
}

#[test]
fn a_firm_edge_is_not_implied_by_weak_ones() {
    assert_eq!(
        picture("a b c", &["c <- a", "b <~ a", "c <~ b"]),
        "\
|  a ─┬·▶ b ···▶ c
|     └────────▶ c        ───▶ then   ···▶ then, if it comes up
"
    );
}

#[test]
fn an_unusual_condition_is_not_implied_by_the_usual_one() {
    let mut pod = pod("a b! c", &["b <- a", "c <- b"]);
    let target = find(&pod, "a");
    add(&mut pod, "c", Requirement::hard(target, Until::Exited));
    assert_eq!(drawn(&pod, Style::unicode(80)).lines().count(), 2);
}

#[test]
fn barriers_between_many_are_shown_once() {
    assert_eq!(
        picture(
            "a b c d phase: x",
            &["phase <- a b", "c d <- phase", "x <- c"]
        ),
        "\
|  a ───▶ (phase) ─┬─▶ c ───▶ x
|                  └─▶ d
|  b ───▶ (phase) …
"
    );
}

#[test]
fn barriers_with_one_on_a_side_are_looked_through() {
    assert_eq!(
        picture("a b c phase:", &["phase <- a b", "c <- phase"]),
        "|  a ───▶ c\n|  b ───▶ c\n"
    );
}

#[test]
fn edges_that_only_order_the_stop_are_not_shown() {
    let mut pod = pod("a b", &[]);
    let requirement = Requirement::hard(find(&pod, "a"), Until::Ready);
    add(
        &mut pod,
        "b",
        Requirement {
            scope: Scope::StopOnly,
            ..requirement
        },
    );
    assert_eq!(drawn(&pod, Style::unicode(80)), "");
}

#[test]
fn ephemeral_containers_are_not_shown() {
    let mut pod = pod("a b debug", &["b <- a"]);
    pod.containers[2].role = Role::Ephemeral;
    assert_eq!(drawn(&pod, Style::unicode(80)), "|  a ───▶ b\n");
}

#[test]
fn what_cannot_be_lined_up_is_drawn_closer() {
    let long = "very-long-name-of-a-container";
    let edges = ["b <- a", "c <- b", "d <- c", &format!("{long} <- a")];
    let pod = pod(&format!("a b c d {long}"), &edges);
    assert!(drawn(&pod, Style::unicode(80)).contains("▶ b ──────────"));
    assert!(drawn(&pod, Style::unicode(48)).contains("▶ b ───▶ c"));
}

#[test]
fn what_does_not_fit_is_not_drawn() {
    assert!(draw(&orders(), Style::unicode(29)).is_some());
    assert!(draw(&orders(), Style::unicode(28)).is_none());
    let many: Vec<_> = (0..300).map(|number| format!("s{number}")).collect();
    let edge = format!("{} <- s0", many[1..].join(" "));
    assert!(draw(&pod(&many.join(" "), &[&edge]), Style::unicode(80)).is_none());
}

#[test]
fn containers_started_one_after_the_other_do_not_wait() {
    let mut pod = pod("a b", &[]);
    let requirement = Requirement::hard(find(&pod, "a"), Until::Attempted);
    add(&mut pod, "b", requirement);
    assert_eq!(drawn(&pod, Style::unicode(80)), "");
}

#[test]
fn twelve_services_are_one_picture() {
    let names = "gateway auth users orders stock mail search web admin jobs cache db";
    let edges = [
        "users orders stock search jobs <- db",
        "auth <- users cache",
        "gateway <- auth",
        "web admin <- gateway orders",
        "web <~ search",
        "mail <~ jobs",
    ];
    assert_eq!(
        picture(names, &edges),
        "\
|  cache ───────────────▶ auth …
|  db ─┬────▶ users ────▶ auth ───▶ gateway ─┬─▶ web
|      │                                     └─▶ admin
|      ├────▶ jobs ·····▶ mail
|      ├────▶ orders ─┬────────────────────────▶ web
|      │              └────────────────────────▶ admin
|      ├────▶ stock
|      └────▶ search ··························▶ web
|  ───▶ then   ···▶ then, if it comes up
"
    );
}

#[test]
fn large_graphs_of_any_shape_fit_or_are_left_out() {
    let names: Vec<_> = (0..50).map(|number| format!("service-{number}")).collect();
    let chain = names
        .windows(2)
        .map(|pair| format!("{} <- {}", pair[1], pair[0]));
    let fan = names[1..]
        .iter()
        .map(|name| format!("{name} <- {}", names[0]));
    let layers = (10..50).flat_map(|n| (0..10).map(move |m| (n, n / 10 * 10 - 10 + m)));
    let layers = layers.map(|(n, m)| format!("service-{n} <- service-{m}"));
    let shapes: [Vec<_>; 3] = [chain.collect(), fan.collect(), layers.collect()];
    for edges in shapes {
        let edges: Vec<_> = edges.iter().map(String::as_str).collect();
        let pod = pod(&names.join(" "), &edges);
        for width in [20, 80, 2000] {
            let lines = draw(&pod, Style::unicode(width)).unwrap_or_default();
            assert!(lines.iter().all(|line| line.width() <= width));
        }
    }
}

#[test]
fn a_circle_does_no_harm() {
    let circle = pod("a b", &["a <- b", "b <- a"]);
    assert!(draw(&circle, Style::unicode(80)).is_none());
    assert!(mermaid(&[&circle]).contains("n0 --> n1"));
}

#[test]
fn a_mermaid_chart() {
    let mut pod = orders();
    let target = find(&pod, "cache");
    pod.containers[2]
        .requires
        .retain(|requirement| requirement.target != target);
    let soft = Requirement {
        need: Need::Soft,
        ..Requirement::hard(target, Until::Started)
    };
    add(&mut pod, "app", soft);
    assert_eq!(
        mermaid(&[&pod]),
        "\
flowchart LR
  n0(\"proxy\")
  n1[/\"migrate\"/]
  n2[[\"app\"]]
  n3(\"cache\")
  n0 --> n1
  n0 --> n3
  n1 --> n2
  n3 -. started .-> n2
"
    );
}

#[test]
fn several_pods_are_one_mermaid_chart() {
    let [first, second] = [pod("a b", &["b <- a"]), pod("a", &[])];
    assert_eq!(
        mermaid(&[&first, &second]),
        "\
flowchart LR
  subgraph p0[\"p\"]
    p0n0[\"a\"]
    p0n1[\"b\"]
    p0n0 --> p0n1
  end
  subgraph p1[\"p\"]
    p1n0[\"a\"]
  end
"
    );
}

#[test]
fn a_graphviz_graph() {
    assert_eq!(
        dot(&pod(
            "a b! phase: c d",
            &["phase <- a b", "c d <- phase", "d <~ c"]
        )),
        "\
digraph \"p\" {
  rankdir=LR;
  n0 [label=\"a\", shape=box];
  n1 [label=\"b\", shape=parallelogram];
  n2 [label=\"c\", shape=box];
  n3 [label=\"d\", shape=box];
  n4 [label=\"phase\", shape=hexagon];
  n0 -> n4;
  n1 -> n4;
  n2 -> n3 [style=dashed];
  n4 -> n2;
  n4 -> n3;
}
"
    );
}

#[test]
fn names_cannot_break_out_of_a_chart() {
    let mut pod = pod("a b", &["b <- a"]);
    pod.containers[0].name = "x\"]\n  evil".into();
    assert!(mermaid(&[&pod]).contains("n0[\"x#quot;]   evil\"]"));
    assert!(dot(&pod).contains(r#"label="x\"]   evil""#));
}
