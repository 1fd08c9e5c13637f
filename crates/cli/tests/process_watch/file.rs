//! The pod file itself.

use super::place::Place;
use super::started::Started;
use super::{READY, Yard, has, pod, run, swap, write};
use std::fs;
use std::process::Stdio;

const TWO: &str = r#"    - {name: db, command: [sh, -c, "exec sleep 1000"]}
    - {name: app, command: [sh, -c, "exec sleep 1001"]}
"#;

const CHANGED: &str = "pod.yaml changed: 1 of 2 containers changes";
const REPLACED: &str = r#""container":"app","attempt":2,"what":"replaced""#;

fn other(number: u32) -> String {
    let containers = TWO.replace("1001", &number.to_string());
    pod("{}", &containers)
}

#[test]
fn a_file_is_applied_however_an_editor_writes_it() {
    let mut yard = Yard::new(&[], "{}", TWO);
    yard.write("pod.yaml", &other(2001));
    yard.hear(CHANGED);
    let told = yard.hear("1 replaced in");
    assert!(has(&told, &[REPLACED]), "{told:#?}");
    let why = r#""cause":{"kind":"replacement","container":"app","by":"pod.yaml changed"}"#;
    assert!(has(&told, &["replaceBegan", why]), "{told:#?}");

    yard.write("pod.yaml.new", &other(2002));
    fs::rename(yard.path("pod.yaml.new"), yard.path("pod.yaml")).unwrap();
    yard.hear(CHANGED);
    yard.hear("1 replaced in");

    fs::rename(yard.path("pod.yaml"), yard.path("pod.yaml~")).unwrap();
    yard.write("pod.yaml", &other(2003));
    yard.hear(CHANGED);
    yard.hear("1 replaced in");
    let told = yard.end();
    assert!(!has(&told, &["changed:"]), "{told:#?}");
}

#[test]
fn what_comes_in_a_burst_is_applied_once() {
    let mut yard = Yard::new(&[], "{}", TWO);
    yard.at_once(|| {
        for number in 2000..2020 {
            yard.write("pod.yaml", &other(number));
        }
    });
    let told = yard.hear("1 replaced in");
    let changes = told.iter().filter(|line| line.contains("changed:"));
    assert_eq!(changes.count(), 1, "{told:#?}");
    let (shown, _, _) = yard.place.says(&["get", "shop"]);
    assert!(shown.contains("2019"), "{shown}");
    // Written again as it is, it has not changed.
    yard.write("pod.yaml", &other(2019));
    yard.place.says(&["restart", "shop/db"]);
    yard.hear(r#""container":"db","attempt":2,"what":"ready""#);
    yard.write("pod.yaml", &other(3000));
    let told = yard.hear("1 replaced in");
    assert!(!has(&told, &["nothing to do"]), "{told:#?}");
}

#[test]
fn a_bad_file_is_shown_and_the_pod_runs_on() {
    let mut yard = Yard::new(&[], "{}", TWO);
    yard.write(
        "pod.yaml",
        &other(2001).replace("containers:", "containers: {"),
    );
    let told = yard.hear("pod.yaml changed, and has errors: the pod runs on as it is");
    let told = told.last().unwrap();
    assert!(told.contains("error[L0001]"), "{told}");

    yard.write("pod.yaml", &other(2001).replace("name: db", "name: data"));
    let told = yard.hear("pod.yaml changed: shop cannot be changed like this while it runs");
    let told = told.last().unwrap();
    assert!(told.contains("data  is new"), "{told}");
    assert!(
        told.contains("help: stop the pod and run it again"),
        "{told}"
    );

    yard.write("pod.yaml", &other(2001));
    let told = yard.hear("1 replaced in");
    assert!(!has(&told, &[r#""container":"db""#]), "{told:#?}");
}

#[test]
fn a_file_that_is_gone_is_waited_for() {
    let mut yard = Yard::new(&[], "{}", TWO);
    fs::remove_file(yard.path("pod.yaml")).unwrap();
    yard.hear("pod.yaml is gone: the pod runs on, and the file is waited for");
    yard.write("pod.yaml", &other(2001));
    yard.hear(CHANGED);
    yard.hear("1 replaced in");
}

#[test]
fn a_file_is_applied_when_a_link_on_the_way_to_it_is_swapped() {
    let place = Place::new();
    write(place.path().join("d1/pod.yaml"), &pod("{}", TWO));
    write(place.path().join("d2/pod.yaml"), &other(2001));
    swap(&place, "d1", "current");
    swap(&place, "current/pod.yaml", "pod.yaml");
    let mut child = run(&place, READY);

    swap(&place, "d2", "current");
    child.hear(CHANGED);
    child.hear("1 replaced in");
    write(place.path().join("d2/pod.yaml"), &other(2002));
    child.hear(CHANGED);
    child.hear("1 replaced in");
    swap(&place, "current", "current");
    let told = child.hear("pod.yaml is gone: the pod runs on, and the file is waited for");
    let why = "pod.yaml: Too many levels of symbolic links";
    assert!(has(&told, &["warning: cannot watch", why]), "{told:#?}");
    swap(&place, "d1", "current");
    child.hear(CHANGED);
    let told = child.hear("1 replaced in");
    assert!(
        has(&told, &[r#""container":"app","attempt":4"#]),
        "{told:#?}"
    );
}

#[test]
fn a_change_while_one_is_applied_comes_after_it() {
    let app = |wait: &str, number: u32| {
        format!(
            r#"    - {{name: db, command: [sh, -c, "exec sleep 1000"]}}
    - {{name: app, command: [sh, -c, "{wait} echo up; exec sleep {number}"], readyOn: {{logLine: up}}}}
"#
        )
    };
    let mut yard = Yard::new(&[], "{}", &app("", 2000));
    let waits = app("until [ -e open ]; do sleep 0.01; done;", 2001);
    yard.write("pod.yaml", &pod("{}", &waits));
    yard.hear(r#""container":"app","attempt":2,"what":"running""#);
    yard.write("pod.yaml", &pod("{}", &app("", 2002)));
    // The kernel has told of that one before it tells of this.
    yard.write("open", "");
    let told = yard.hear("1 replaced in");
    assert!(!has(&told, &["changed:"]), "{told:#?}");
    yard.hear(CHANGED);
    yard.hear("1 replaced in");
    let (shown, _, _) = yard.place.says(&["get", "shop"]);
    assert!(shown.contains("2002"), "{shown}");
}

#[test]
fn the_standard_input_cannot_be_followed() {
    let place = Place::new();
    let (_, told, code) = place.says(&["run", "--watch", "-"]);
    let error = "\
error: `--watch` cannot follow the standard input
help: write the pod to a file and name that, or leave `--watch` out
";
    assert_eq!((told.as_str(), code), (error, Some(2)));
}

#[test]
fn without_watch_nothing_is_followed() {
    let place = Place::new();
    let text = pod("app: [src, missing]", TWO);
    write(place.path().join("pod.yaml"), &text);
    let mut pod = place.run_in(place.path(), "pod.yaml", &[], READY);
    write(place.path().join("src"), "new");
    write(place.path().join("pod.yaml"), &other(2001));
    place.says(&["restart", "shop/db"]);
    let told = pod.hear(r#""container":"db","attempt":2,"what":"ready""#);
    assert!(!has(&told, &[r#"{"watch""#]), "{told:#?}");
    place.says(&["stop"]);
    let (_, told) = pod.end();
    assert!(!has(&told, &[r#"{"watch""#]), "{told:#?}");
}

#[test]
fn in_a_pipe_it_is_told_among_the_story() {
    let place = Place::new();
    write(place.path().join("pod.yaml"), &pod("app: src", TWO));
    let mut command = place.pillion(&["run", "pod.yaml", "--watch"]);
    let command = command.current_dir(place.path());
    let mut run = Started::of(command.stderr(Stdio::piped()));
    run.hear_errors("warning: src does not exist; it is waited for\n");
    run.hear_errors("pod ready\n");
    write(place.path().join("src"), "new");
    run.hear_errors("app restarts: src changed\n");
    run.hear_errors("pod ready\n");
    write(place.path().join("pod.yaml"), &other(2001));
    run.hear_errors("pod.yaml changed: 1 of 2 containers changes\n  app  command\n");
    run.hear_errors("shop  1 replaced in");
    place.says(&["stop"]);
    run.end();
}
