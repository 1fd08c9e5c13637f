//! What counts as a change, who is replaced for it, and what is seen of it afterwards.

use super::place::Place;
use super::started::Started;
use super::{READY, pids, timeless};
use std::process::Stdio;

/// An app whose mount restarts it, and a database that has nothing to do with them.
const THREE: &str = r#"
  containers:
    - {name: db, command: [sh, -c, "exec sleep 1000"]}
    - {name: mount, sidecar: true, command: [sh, -c, "exec sleep 1000"]}
    - name: app
      requires: [{container: mount, onRestart: restart}]
      command: [sh, -c, "exec sleep 1000"]
"#;

#[test]
fn only_what_changed_is_replaced_and_who_goes_along_is_told() {
    let place = Place::new();
    let mut pod = place.run("shop", THREE, READY);
    let before = pids(&place, "shop");

    let new = THREE.replacen(
        r#"sidecar: true, command: [sh, -c, "exec"#,
        r#"sidecar: true, command: [sh, -c, "true; exec"#,
        1,
    );
    let file = place.file("shop", &new);
    let (plan, _, code) = place.says(&["apply", &file, "--dry-run"]);
    assert_eq!(
        (plan.as_str(), code),
        (
            "shop  1 of 3 containers would change\n  mount  command · app restarts with it\n",
            Some(0)
        )
    );
    assert_eq!(before, pids(&place, "shop"), "it was only said");

    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(0), "{told}");
    let told = timeless(&told);
    assert!(
        told.starts_with("shop  1 of 3 containers changes\n"),
        "{told}"
    );
    assert!(told.contains(" ◌ app    stopping "), "{told}");
    assert!(
        told.ends_with("  mount  replaced in T\nshop  1 replaced in T\n"),
        "{told}"
    );
    // Who goes along may come up a little later.
    pod.wait_for(READY);
    let after = pids(&place, "shop");
    assert_eq!(before["db"], after["db"]);
    assert_ne!(before["mount"], after["mount"]);

    let (_, told, code) = place.says(&["apply", &file]);
    let same = "shop  nothing to do: its 3 containers are as the file has them\n";
    assert_eq!((told.as_str(), code), (same, Some(0)));
    assert_eq!(after, pids(&place, "shop"));
}

#[test]
fn whoever_goes_down_anyway_is_replaced_in_the_same_go() {
    let place = Place::new();
    let pod = place.run("shop", THREE, READY);

    let file = place.file("shop", &THREE.replace("exec sleep", "true; exec sleep"));
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        timeless(&told).ends_with("shop  3 replaced in T\n"),
        "{told}"
    );

    place.says(&["stop"]);
    let (_, lines) = pod.end();
    let starts = |name: &str| {
        let start = format!(r#""container":"{name}","attempt":2,"what":"starting""#);
        let again = format!(r#""container":"{name}","attempt":3"#);
        assert!(!lines.iter().any(|line| line.contains(&again)), "{name}");
        lines
            .iter()
            .position(|line| line.contains(&start))
            .expect(name)
    };
    assert!(starts("mount") < starts("app"));
}

#[test]
fn what_means_the_same_is_no_change() {
    let place = Place::new();
    let _pod = place.run("shop", THREE, READY);
    let before = pids(&place, "shop");
    let same = r#"
  # Another order, and more words.
  containers:
    - name: app
      command: ["sh", "-c", "exec sleep 1000"]
      ports: [{containerPort: 80}]
      requires:
        - {container: mount, until: ready, need: hard, onRestart: restart}
    - {name: mount, sidecar: true, command: [sh, -c, "exec sleep 1000"]}
    - {name: db, command: [sh, -c, "exec sleep 1000"]}
"#;
    let file = place.file("shop", same);
    let (_, told, code) = place.says(&["apply", &file]);
    assert!(told.contains("nothing to do"), "{told}");
    assert_eq!(code, Some(0));
    assert_eq!(before, pids(&place, "shop"));
    let (shown, _, _) = place.says(&["get"]);
    assert!(shown.contains("containerPort: 80"), "{shown}");
}

/// One that shows a variable and a file, both from a `ConfigMap`, and one that does not.
fn configured(value: &str, command: &str) -> String {
    format!(
        r#"
  volumes: [{{name: config, configMap: {{name: settings}}}}]
  containers:
    - {{name: db, command: [sleep, "1000"]}}
    - name: app
      startTimeoutSeconds: 2
      readyOn: {{logLine: "^set to"}}
      env: [{{name: VALUE, valueFrom: {{configMapKeyRef: {{name: settings, key: value}}}}}}]
      volumeMounts: [{{name: config, mountPath: /config}}]
      command: [sh, -c, 'cat "$PILLION_VOLUME_CONFIG/value"; echo; {command} set to $VALUE; exec sleep 1000']
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
data: {{value: {value}}}
"#
    )
}

#[test]
fn a_config_map_changes_those_who_use_it() {
    let place = Place::new();
    let _pod = place.run("shop", &configured("one", "echo"), READY);
    let before = pids(&place, "shop");

    let file = place.file("shop", &configured("two", "echo"));
    let (plan, _, _) = place.says(&["apply", &file, "--dry-run"]);
    assert_eq!(
        plan,
        "shop  1 of 2 containers would change\n  app  variable VALUE, volume config\n"
    );
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(before["db"], pids(&place, "shop")["db"]);

    // What is put back has the files that it had.
    let bad = place.file("shop", &configured("three", ": "));
    let (_, told, code) = place.says(&["apply", &bad]);
    assert_eq!(code, Some(1), "{told}");
    let logs = place.says(&["logs", "shop", "app"]).0;
    let expected = "one\nset to one\ntwo\nset to two\nthree\ntwo\nset to two\n";
    assert_eq!(logs, expected);
    let volumes = place
        .path()
        .join("state/pillion/default/shop/runs/1/volumes");
    let left = std::fs::read_dir(volumes).expect("it runs").count();
    assert_eq!(left, 2, "files that nobody can use are gone");
    // It was not replaced, and is still told of what there was when it started.
    let script = "cat \"$PILLION_VOLUME_CONFIG/value\"";
    let (told, _, _) = place.says(&["exec", "shop/db", "--", "sh", "-c", script]);
    assert_eq!(told, "one");
}

#[test]
fn a_oneshot_takes_the_newest_when_it_runs_again() {
    // With an undo it still counts as up, without one it has ended for good.
    for undo in ["undo: [\"true\"], ", ""] {
        let place = Place::new();
        let migrated = |what: &str| {
            format!(
                "  containers:\n    - {{name: app, command: [sleep, \"1000\"], requires: [migrate]}}\n    - {{name: migrate, oneshot: true, {undo}command: [echo, {what}]}}\n"
            )
        };
        let mut pod = place.run("shop", &migrated("first"), READY);
        for what in ["second", "third"] {
            let file = place.file("shop", &migrated(what));
            let (_, told, code) = place.says(&["apply", &file]);
            assert_eq!(code, Some(0), "{told}");
            let line = "  migrate  command · has it when it starts again\n";
            assert!(told.contains(line), "{told}");
            assert!(
                told.contains("  migrate  taken, for its next start\n"),
                "{told}"
            );
        }
        place.says(&["restart"]);
        pod.wait_for(r#""line":"third""#);
        assert_eq!(place.says(&["logs", "shop", "migrate"]).0, "first\nthird\n");
    }
}

#[test]
fn what_runs_is_what_is_shown() {
    let place = Place::new();
    let pod = |db: &str, app: &str| {
        format!(
            r#"
  containers:
    - {{name: db, command: [sh, -c, "{db}exec sleep 1000"]}}
    - {{name: app, requires: [db], startTimeoutSeconds: 1, readyOn: {{logLine: up}}, command: [sh, -c, "{app}echo up; exec sleep 1000"]}}
"#
        )
    };
    let _pod = place.run("shop", &pod("", ""), READY);
    let file = place.file("shop", &pod("true; ", "exit 1; "));
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(1), "{told}");
    assert!(
        timeless(&told).contains("shop  1 replaced, 1 put back in T"),
        "{told}"
    );

    let (out, _, _) = place.says(&["get", "shop", "-o", "json"]);
    let object: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let command = |index: usize| object["spec"]["containers"][index]["command"][2].clone();
    assert_eq!(command(0), "true; exec sleep 1000");
    assert_eq!(command(1), "echo up; exec sleep 1000");
    let kept = place
        .path()
        .join("state/pillion/default/shop/runs/1/pod.yaml");
    let kept = std::fs::read_to_string(kept).expect("it is kept");
    assert!(
        kept.starts_with("# not like this: app\napiVersion: "),
        "{kept}"
    );

    let good = place.file("shop", &pod("true; ", "true; "));
    let (_, told, code) = place.says(&["apply", &good]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.starts_with("shop  1 of 2 containers changes\n  app  command\n"),
        "{told}"
    );
    let (out, _, _) = place.says(&["get"]);
    assert!(out.contains("true; echo up; "), "{out}");
}

#[test]
fn programs_read_it_line_by_line() {
    let place = Place::new();
    let _pod = place.run("shop", THREE, READY);
    let file = place.file("shop", &THREE.replacen("exec", "true; exec", 1));
    let (out, error, code) = place.says(&["apply", &file, "--json"]);
    assert_eq!((error.as_str(), code), ("", Some(0)));
    let lines = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"));
    let lines: Vec<serde_json::Value> = lines.collect();
    let plan = serde_json::json!({"plan": {
        "changes": [{"container": "db", "fields": ["command"], "how": "replace"}],
        "unchanged": ["mount", "app"],
    }});
    assert_eq!(lines[0], plan);
    assert!(
        lines
            .iter()
            .any(|line| line["progress"]["state"] == "stopping")
    );
    let last = &lines.last().expect("there are lines")["applied"];
    assert_eq!(last["containers"][0]["outcome"], "replaced");
}

#[test]
fn one_file_is_applied_after_the_other() {
    let place = Place::new();
    let pod = place.run("shop", THREE, READY);
    let slow = THREE.replacen(
        "{name: db, command",
        "{name: db, readyOn: notify, command",
        1,
    );
    let file = place.file("shop", &slow);
    let mut first = place.pillion(&["apply", &file, "--json"]);
    let mut first = Started::of(first.stdout(Stdio::piped()));
    first.hear(r#""starting""#);

    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(
        (told.as_str(), code),
        (
            "error: another file is being applied\n\
             help: `pillion ps` with the name of the pod tells how far it has come\n",
            Some(2)
        )
    );
    let row = place.says(&["ps", "shop"]).0;
    assert!(row.contains("new version, put back in "), "{row}");
    place.says(&["stop"]);
    let code = first.end().status.code();
    assert_eq!(code, Some(1), "the pod ended before all was done");
    pod.end();
}
