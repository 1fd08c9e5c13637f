//! What containers write, read from another terminal.

use super::place::Place;
use super::started::Started;
use super::{READY, TWO, app};
use std::process::Stdio;

#[test]
fn logs_can_be_read_while_a_pod_runs_and_after() {
    let place = Place::new();
    let pod = place.run("orders", TWO, r#""line":"two""#);
    assert_eq!(
        place.says(&["logs", "orders", "app", "--tail", "1"]).0,
        "two\n"
    );
    place.says(&["stop"]);
    pod.end();
    let (out, _, code) = place.says(&["logs"]);
    assert_eq!(
        (out.as_str(), code),
        ("proxy | up\napp | one\napp | two\n", Some(0))
    );
    let again = place.run("orders", &app("echo again"), "podEnded");
    again.end();
    assert_eq!(place.says(&["logs", "orders"]).0, "app | again\n");
    assert_eq!(place.says(&["logs", "orders#1", "app"]).0, "one\ntwo\n");
    let (_, error, code) = place.says(&["logs", "orders", "ap"]);
    assert_eq!(
        (error.as_str(), code),
        (
            "error: orders#2 has no container `ap`\nhelp: did you mean `app`?\n",
            Some(2)
        )
    );
}

#[test]
fn logs_are_followed_until_the_pod_is_gone() {
    let place = Place::new();
    let fifo = place.path().join("fifo");
    let script = format!("mkfifo {0}; echo first; cat {0}; echo last", fifo.display());
    let pod = place.run("orders", &app(&script), r#""line":"first""#);
    let mut command = place.pillion(&["logs", "orders", "app", "-f"]);
    let mut following = Started::of(command.stdout(Stdio::piped()));
    following.hear("first\n");
    std::fs::write(&fifo, "second\n").expect("somebody reads");
    assert_eq!(following.hear("last\n"), "second\nlast\n");
    assert!(following.end().status.success());
    pod.end();
}

#[test]
fn a_line_that_makes_ready_is_seen_before_anything_follows_from_it() {
    let place = Place::new();
    let containers = r#"
  containers:
    - name: app
      command: [sh, -c, "echo serving; exec sleep 1000"]
      readyOn: {logLine: "^serving"}
"#;
    let file = place.file("orders", containers);
    let mut pod = place.run_file(&file, &[], "podStarted");
    let told = pod.hear(r#""container":"app","attempt":1,"what":"ready""#);
    assert!(
        told.iter().any(|line| line.contains("serving")),
        "{told:#?}"
    );
    let (kept, _, _) = place.says(&["logs", "orders"]);
    assert_eq!(kept, "app | serving\n");
}

#[test]
fn the_logs_of_the_run_before_the_last_are_shown_alone() {
    let place = Place::new();
    let containers = r#"
  containers:
    - {name: db, command: [sh, -c, "echo db; exec sleep 1000"]}
    - name: app
      command: [sh, -c, 'echo "begins $$"; echo more; exec sleep 1000']
      readyOn: {logLine: "^more"}
"#;
    let mut pod = place.run("orders", containers, READY);
    let (_, told, code) = place.says(&["logs", "orders", "-p"]);
    let nobody = "\
error: no container of orders#1 was started again
help: without `--previous` all that was written is shown
";
    assert_eq!((told.as_str(), code), (nobody, Some(2)));
    for attempt in 2..4 {
        place.says(&["restart", "orders/app"]);
        pod.wait_for(&format!(
            r#""container":"app","attempt":{attempt},"what":"ready""#
        ));
    }
    let (all, _, _) = place.says(&["logs", "orders", "app"]);
    let all: Vec<_> = all.lines().collect();
    assert_eq!(all.len(), 6, "{all:?}");
    let shown = |arguments: &[&str]| place.says(&[&["logs", "orders"], arguments].concat()).0;
    assert_eq!(shown(&["app", "--previous"]), format!("{}\nmore\n", all[2]));
    assert_eq!(shown(&["app", "--previous", "--tail", "1"]), "more\n");
    let prefixed = format!("app | {}\napp | more\n", all[2]);
    assert_eq!(shown(&["--previous"]), prefixed, "db was not started again");
    let (_, told, _) = place.says(&["logs", "orders", "db", "-p"]);
    assert!(
        told.contains("`db` of orders#1 was not started again"),
        "{told}"
    );
}
